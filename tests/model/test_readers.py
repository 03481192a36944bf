"""`path-stays-readable`: which reads are judged, and what excuses them."""

from collections.abc import Hashable

import pytest

from lakeproof.model.errors import BranchNotFound, DataGone, PathNotFound
from lakeproof.model.invariants.readers import path_stays_readable
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from tests.model.test_branch_invariants import judged

X: tuple[str, bytes] = ("b", b"x")
GONE = DataGone("mem://r/data/1")


def begins(client: int, name: str, *args: Hashable, index: int = 0) -> Event:
    return Invoked(client, index, name, ("r", "b", *args))


def ends(
    client: int, name: str, *args: Hashable, status: Status = Status.OK, error: Exception | None = None, index: int = 0
) -> Event:
    return Returned(client, index, CallView(name, ("r", "b", *args), status, error=error))


def does(client: int, name: str, *args: Hashable, status: Status = Status.OK, index: int = 0) -> list[Event]:
    return [begins(client, name, *args, index=index), ends(client, name, *args, status=status, index=index)]


def verdict(events: list[Event], *, present: bool = False, committed: bool = False) -> str:
    return judged(path_stays_readable([X] if present else [], [X] if committed else []), events)


READS = begins(9, "read_object", b"x")
FINDS = ends(9, "read_object", b"x")
MISSES = ends(9, "read_object", b"x", status=Status.FAIL, error=GONE)
UPLOAD = does(0, "upload_object", b"x", b"1")


def test_a_path_that_has_an_object_is_read() -> None:
    assert verdict([*UPLOAD, READS, FINDS]) == "holds"
    assert verdict([READS, FINDS], present=True) == "holds"


@pytest.mark.parametrize("error", [GONE, PathNotFound(b"x")])
def test_an_upload_over_it_excuses_no_reader(error: Exception) -> None:
    misses = ends(9, "read_object", b"x", status=Status.FAIL, error=error)
    assert verdict([READS, *UPLOAD, misses], present=True) == "violated"
    assert verdict([begins(0, "upload_object", b"x", b"1"), READS, misses], present=True) == "violated"


def test_other_errors_of_a_read_are_no_matter_of_its_object() -> None:
    fails = ends(9, "read_object", b"x", status=Status.FAIL, error=BranchNotFound("b"))
    assert verdict([READS, fails], present=True) == "untested"


@pytest.mark.parametrize(
    "removes",
    [
        ("delete_object", b"x"),
        ("move_object", b"x", b"y"),
        ("reset_branch",),
        ("reset_entry", b"x"),
        ("reset_prefix", b""),
        ("delete_branch",),
        ("merge", "main", "m"),
    ],
    ids=lambda removes: str(removes[0]),
)
def test_what_may_take_the_entry_excuses_readers(removes: tuple[str, *tuple[Hashable, ...]]) -> None:
    name, *args = removes
    assert verdict([READS, begins(0, name, *args), MISSES], present=True) == "untested"
    assert verdict([begins(0, name, *args), READS, MISSES], present=True) == "untested"
    assert verdict([*does(0, name, *args), READS, MISSES], present=True) == "untested"


@pytest.mark.parametrize("reset", [("reset_branch",), ("reset_entry", b"x"), ("reset_prefix", b"")])
def test_a_reset_excuses_nobody_where_the_path_is_committed(reset: tuple[str, *tuple[Hashable, ...]]) -> None:
    name, *args = reset
    assert verdict([READS, *does(0, name, *args), MISSES], committed=True) == "violated"
    assert verdict([begins(0, name, *args), READS, MISSES], committed=True) == "violated"


def test_a_delete_excuses_readers_where_the_path_is_committed_too() -> None:
    assert verdict([READS, begins(0, "delete_object", b"x"), MISSES], committed=True) == "untested"
    assert verdict(
        [*does(0, "delete_object", b"x"), *does(0, "reset_branch", index=1), READS, MISSES], committed=True
    ) == ("untested")


def test_after_a_delete_an_upload_makes_it_readable_again() -> None:
    gone = does(1, "delete_object", b"x")
    assert verdict([*gone, *UPLOAD, READS, MISSES], present=True) == "violated"


def test_a_delete_in_doubt_may_come_at_any_time() -> None:
    doubtful = does(1, "delete_object", b"x", status=Status.INFO)
    assert verdict([*doubtful, *UPLOAD, READS, MISSES], present=True) == "untested"


def test_an_upload_in_doubt_makes_nothing_readable() -> None:
    assert verdict([*does(0, "upload_object", b"x", b"1", status=Status.INFO), READS, MISSES]) == "untested"


def test_a_delete_elsewhere_excuses_nobody() -> None:
    assert verdict([READS, *does(0, "delete_object", b"y"), MISSES], present=True) == "violated"


def test_the_target_of_a_move_is_readable() -> None:
    reads_y, misses_y = begins(9, "read_object", b"y"), ends(9, "read_object", b"y", status=Status.FAIL, error=GONE)
    assert verdict([*does(0, "move_object", b"x", b"y"), reads_y, misses_y], present=True) == "violated"
