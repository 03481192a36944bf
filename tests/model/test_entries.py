"""What the bookkeeping of changes makes of calls in doubt: histories that `test_branch_invariants` leaves out."""

import attrs
import pytest

from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.invariants import Monitor, entries
from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import Snapshot, Status
from tests.model.test_branch_invariants import EMPTY, HAS_X, B, History, branch, commit, read, verdict
from tests.model.test_branch_invariants import snapshot as seen

WRITTEN = write([Entry(path=b"x", identity=b"1", data=b"")])
HEAD = commit("x", metarange=WRITTEN.meta_range_id)
LOST = seen(branch(B, "r-b:u.1.0", HEAD.commit_id), HEAD)
COMMITTED = attrs.evolve(
    LOST, objects={object_address("mem://r", name): StoredObject(value) for name, value in WRITTEN.objects.items()}
)
KEPT = entries.acknowledged_write_is_kept


@pytest.mark.parametrize(("found", "expected"), [(HAS_X, "holds"), (COMMITTED, "holds"), (LOST, "violated")])
def test_a_write_is_kept_staged_or_in_a_head_whose_objects_are_there(found: Snapshot, expected: str) -> None:
    assert verdict(History(KEPT).does(0, "set_entry", b"x", b"1").at_end(found)) == expected


@pytest.mark.parametrize(
    ("monitor", "later"),
    [(KEPT, ("set_entry", b"x", b"2")), (entries.acknowledged_delete_is_kept, ("delete_entry", b"x"))],
    ids=["write", "delete"],
)
@pytest.mark.parametrize(("late", "expected"), [(True, "untested"), (False, "violated")])
def test_a_write_in_doubt_may_come_after_what_was_acknowledged_since_only_where_writes_come_late(
    monitor: Monitor, later: tuple[str, *tuple[bytes, ...]], late: bool, expected: str
) -> None:
    doubtful = History(monitor, late=late).begins(0, "set_entry", b"x", b"1").ends(0, Status.INFO)
    assert verdict(doubtful.does(1, *later).at_end(HAS_X)) == expected


def test_what_a_client_writes_after_its_own_write_in_doubt_is_to_stand() -> None:
    doubtful = History(KEPT, late=True).begins(0, "set_entry", b"x", b"1").ends(0, Status.INFO)
    assert verdict(doubtful.does(0, "set_entry", b"x", b"2").at_end(HAS_X)) == "violated"


def test_a_read_may_find_what_was_written_in_doubt_and_may_not() -> None:
    for value in (b"1", b"0"):
        doubtful = History(entries.read_is_legal({b"x": b"0"}, B)).begins(0, "set_entry", b"x", b"1")
        doubtful.ends(0, Status.INFO).does(1, "get_entry", b"x", value=read(value))
        assert verdict(doubtful.found) == "holds"


def test_a_listing_is_a_read_of_every_path_that_it_covers() -> None:
    one, other = (Entry(path=path, identity=b"1", data=b"") for path in (b"a/1", b"b"))
    for prefix, listed, expected in (
        (b"", (one, other), "holds"),
        (b"", (one,), "violated"),
        (b"a/", (one,), "holds"),
        (b"a/", (), "violated"),
    ):
        written = History(entries.read_is_legal({}, B)).does(0, "set_entry", b"a/1", b"1")
        written.does(1, "set_entry", b"b", b"1").does(2, "list_entries", prefix, value=listed)
        assert verdict(written.found) == expected


def test_several_writes_of_one_call_are_each_demanded() -> None:
    both = ((b"x", b"1"), (b"y", b"1"))
    history = History(KEPT).does(0, "set_entries", both)
    assert verdict(history.at_end(seen(branch(), commit("head"), staged=dict(both)))) == "holds"
    for kept in ({}, {b"x": b"1"}, {b"y": b"1"}):
        assert verdict(history.at_end(seen(branch(), commit("head"), staged=kept))) == "violated"
    assert verdict(history.at_end(EMPTY)) == "violated"
