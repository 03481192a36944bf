"""`acknowledged-reset-is-kept`: histories that violate it, that satisfy it, and that say nothing."""

import attrs
import pytest

from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.errors import PathNotFound
from lakeproof.model.invariants import Monitor, resets
from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import Status
from tests.model.test_branch_invariants import EMPTY, HAS_2, HAS_X, B, History, branch, commit, read, verdict
from tests.model.test_branch_invariants import snapshot as seen

_WRITTEN = write([Entry(path=b"x", identity=b"1", data=b"")])
_HEAD = commit("x", metarange=_WRITTEN.meta_range_id)
COMMITTED_X = attrs.evolve(
    seen(branch(B, "r-b:u.1.0", _HEAD.commit_id), _HEAD),
    objects={object_address("mem://r", name): StoredObject(value) for name, value in _WRITTEN.objects.items()},
)
"""What beside a commit may be there in the end, because the head has it."""

RESETS = [("reset_branch",), ("reset_prefix", b""), ("reset_entry", b"x")]


def monitor(**staged: bytes) -> Monitor:
    return resets.reset_is_kept({path.encode(): value for path, value in staged.items()}, "b")


def written() -> History:
    return History(monitor()).does(0, "set_entry", b"x", b"1")


def finds_nothing(history: History, client: int = 2) -> History:
    return history.begins(client, "get_entry", b"x").ends(client, Status.FAIL, error=PathNotFound())


def finds(history: History, identity: bytes, client: int = 2) -> History:
    return history.does(client, "get_entry", b"x", value=read(identity))


@pytest.mark.parametrize("reset", RESETS)
def test_without_a_commit_it_is_gone_from_the_return_of_the_reset_on(reset: tuple[str, bytes]) -> None:
    history = written().does(1, *reset)
    assert verdict(history.at_end(EMPTY)) == "holds"
    assert verdict(history.at_end(HAS_X)) == "violated"
    assert verdict(finds(history, b"1").found) == "violated"


def test_what_was_staged_before_anybody_began_is_forgotten_too() -> None:
    assert verdict(History(monitor(x=b"1")).does(1, "reset_entry", b"x").at_end(HAS_X)) == "violated"


def test_beside_a_commit_both_orders_are_fine_until_a_read_decides() -> None:
    history = written().begins(3, "commit", "m").does(1, "reset_entry", b"x")
    assert verdict(history.at_end(COMMITTED_X)) == verdict(history.at_end(EMPTY)) == "untested"
    assert verdict(finds(history, b"1").at_end(COMMITTED_X)) == "untested"
    decided = finds_nothing(written().begins(3, "commit", "m").does(1, "reset_entry", b"x"))
    assert verdict(decided.at_end(EMPTY)) == "holds"
    assert verdict(decided.at_end(HAS_X)) == "violated"
    assert verdict(finds(decided, b"1").found) == "violated"


def test_a_commit_that_ended_before_the_write_excuses_nothing() -> None:
    history = History(monitor()).does(3, "commit", "m").does(0, "set_entry", b"x", b"1").does(1, "reset_entry", b"x")
    assert verdict(history.at_end(HAS_X)) == "violated"


@pytest.mark.parametrize("status", [Status.FAIL, Status.INFO])
def test_a_commit_that_failed_may_have_taken_it_and_a_reset_that_failed_promises_nothing(status: Status) -> None:
    history = written().begins(3, "commit", "m").ends(3, status).does(1, "reset_entry", b"x")
    assert verdict(history.at_end(COMMITTED_X)) == "untested"
    assert verdict(written().begins(1, "reset_entry", b"x").ends(1, status).at_end(COMMITTED_X)) == "untested"


def test_a_read_that_began_before_the_reset_returned_decides_nothing() -> None:
    history = written().begins(3, "commit", "m").begins(1, "reset_entry", b"x").begins(2, "get_entry", b"x")
    history.ends(1).ends(2, Status.FAIL, error=PathNotFound())
    assert verdict(history.at_end(COMMITTED_X)) == "untested"


def test_a_read_beside_another_write_decides_nothing() -> None:
    history = written().begins(3, "commit", "m").does(1, "reset_entry", b"x").begins(4, "set_entry", b"x", b"2")
    assert verdict(finds(history, b"2").at_end(COMMITTED_X)) == "untested"


def test_a_second_reset_is_no_excuse() -> None:
    history = finds_nothing(written().begins(3, "commit", "m").does(1, "reset_entry", b"x"))
    assert verdict(history.does(1, "reset_branch").at_end(HAS_X)) == "violated"


def test_what_is_written_again_may_be_there_and_another_value_is_another_value() -> None:
    history = written().does(1, "reset_entry", b"x")
    assert verdict(history.does(0, "set_entry", b"x", b"2").at_end(HAS_X)) == "violated"
    assert verdict(history.at_end(HAS_2)) == "holds"
    assert verdict(history.does(0, "set_entry", b"x", b"1").at_end(HAS_X)) == "untested"


def test_what_was_committed_the_first_time_may_be_there_after_the_second() -> None:
    history = written().does(3, "commit", "m").does(0, "set_entry", b"x", b"1").does(1, "reset_entry", b"x")
    assert verdict(history.at_end(COMMITTED_X)) == "untested"


def test_nothing_is_asked_of_a_value_whose_write_is_in_doubt_or_not_over() -> None:
    for status in (Status.FAIL, Status.INFO):
        doubtful = History(monitor()).begins(0, "set_entry", b"x", b"1").ends(0, status).does(1, "reset_entry", b"x")
        assert verdict(doubtful.at_end(HAS_X)) == "untested"
    late = History(monitor()).begins(0, "set_entry", b"x", b"1").does(1, "reset_entry", b"x").ends(0)
    assert verdict(late.at_end(HAS_X)) == "untested"


@pytest.mark.parametrize("call", [("merge", "main", "m"), ("create_branch", "main"), ("copy_object", b"x", b"y")])
def test_what_a_merge_a_copy_or_a_new_branch_brings_is_excused(call: tuple[str, bytes]) -> None:
    assert verdict(written().does(1, "reset_entry", b"x").does(4, *call).at_end(HAS_X)) == "untested"


def test_a_reset_of_another_path_promises_nothing_of_this_one() -> None:
    assert verdict(written().does(1, "reset_entry", b"y").at_end(HAS_X)) == "untested"


@pytest.mark.parametrize("status", [None, Status.OK, Status.FAIL, Status.INFO, Status.CRASHED])
def test_beside_a_commit_it_is_gone_or_in_the_head_in_the_end(status: Status | None) -> None:
    history = written().begins(3, "commit", "m").does(1, "reset_branch")
    if status is not None:
        history.ends(3, status)
    assert verdict(history.at_end(COMMITTED_X)) == verdict(history.at_end(EMPTY)) == "untested"
    assert verdict(history.at_end(HAS_X)) == "violated"
