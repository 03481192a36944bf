"""What the bookkeeping of changes makes of calls in doubt: histories that `test_branch_invariants` leaves out."""

from collections.abc import Hashable

import pytest

from lakeproof.model import keys
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken, StorageNamespace
from lakeproof.model.invariants import Finding, Monitor, Reached, Violation, entries
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, StagedEntry
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status

B = "b"
TOKEN = StagingToken("r-b:u.1.0")
NAMESPACE = StorageNamespace("mem://r")


def snapshot(committed: dict[bytes, bytes], staged: dict[bytes, bytes | None]) -> Snapshot:
    """A branch whose head holds some entries, with some changes staged."""
    written = write([Entry(path=path, identity=committed[path], data=b"") for path in sorted(committed)])
    head = Commit(
        commit_id=CommitID("c"), committer="", message="", creation_date=0, meta_range_id=written.meta_range_id
    )
    branch = Branch(branch_id=BranchID(B), commit_id=head.commit_id, staging_token=TOKEN)
    changes = {
        (keys.staging_partition(TOKEN), keys.staged_key(path)): StagedEntry(
            key=path, identity=identity or b"", data=None if identity is None else b""
        )
        for path, identity in staged.items()
    }
    return Snapshot(
        store={
            (b"r-u", keys.branch_key(branch.branch_id)): branch,
            (b"r-u", keys.commit_key(head.commit_id)): head,
            **changes,
        },
        objects={object_address(NAMESPACE, name): StoredObject(content) for name, content in written.objects.items()},
        now=0,
        clients=(),
    )


def verdict(monitor: Monitor, events: list[Event], seen: Snapshot) -> str:
    state, found = monitor.initial, list[Finding]()
    for event in events:
        state, findings = monitor.advance(state, event)
        found += findings
    if monitor.at_end is not None:
        found += monitor.at_end(state, seen)
    if any(isinstance(finding, Violation) for finding in found):
        return "violated"
    return "holds" if any(isinstance(finding, Reached) for finding in found) else "untested"


def begins(client: int, name: str, *args: Hashable) -> Event:
    return Invoked(client, 0, name, ("r", B, *args))


def ends(client: int, name: str, *args: Hashable, status: Status = Status.OK, value: Hashable = None) -> Event:
    return Returned(client, 0, CallView(name, ("r", B, *args), status, value))


def does(client: int, name: str, *args: Hashable) -> list[Event]:
    return [begins(client, name, *args), ends(client, name, *args)]


DOUBTFUL = [begins(0, "set_entry", b"x", b"1"), ends(0, "set_entry", b"x", b"1", status=Status.INFO)]


@pytest.mark.parametrize("committed", [{}, {b"x": b"2"}], ids=["staged", "committed"])
def test_a_write_is_kept_staged_or_committed(committed: dict[bytes, bytes]) -> None:
    history = does(0, "set_entry", b"x", b"2")
    staged = {} if committed else {b"x": b"2"}
    monitor = entries.acknowledged_write_is_kept
    assert verdict(monitor, history, snapshot(committed, dict(staged))) == "holds"
    assert verdict(monitor, history, snapshot(committed, {b"x": None})) == "violated"
    assert verdict(monitor, history, snapshot(committed, {b"x": b"3"})) == "violated"


def test_a_head_whose_objects_are_missing_keeps_nothing() -> None:
    seen = snapshot({b"x": b"2"}, {})
    lost = Snapshot(store=seen.store, objects={}, now=0, clients=())
    assert verdict(entries.acknowledged_write_is_kept, does(0, "set_entry", b"x", b"2"), lost) == "violated"


@pytest.mark.xfail(
    reason="a call in doubt may take effect at any later time, as in model.linearizable; a duplicate does just that: "
    "but changes made after it had returned are held against it"
)
@pytest.mark.parametrize(
    ("monitor", "later", "staged"),
    [
        (entries.acknowledged_write_is_kept, does(1, "set_entry", b"x", b"2"), {b"x": b"1"}),
        (entries.acknowledged_delete_is_kept, does(1, "delete_entry", b"x"), {b"x": b"1"}),
    ],
    ids=["write", "delete"],
)
def test_a_write_in_doubt_may_come_after_what_was_acknowledged_since(
    monitor: Monitor, later: list[Event], staged: dict[bytes, bytes | None]
) -> None:
    assert verdict(monitor, [*DOUBTFUL, *later], snapshot({}, staged)) == "untested"


def test_a_read_may_find_what_was_written_in_doubt_and_may_not() -> None:
    for value in (b"1", b"0"):
        entry = Entry(path=b"x", identity=value, data=b"")
        read = [begins(1, "get_entry", b"x"), ends(1, "get_entry", b"x", value=entry)]
        assert verdict(entries.read_is_legal({b"x": b"0"}, B), [*DOUBTFUL, *read], snapshot({}, {})) == "holds"


def test_a_listing_is_a_read_of_every_path_that_it_covers() -> None:
    written = [*does(0, "set_entry", b"a/1", b"1"), *does(1, "set_entry", b"b", b"1")]
    one, other = (Entry(path=path, identity=b"1", data=b"") for path in (b"a/1", b"b"))
    for prefix, listed, expected in (
        (b"", (one, other), "holds"),
        (b"", (one,), "violated"),
        (b"a/", (one,), "holds"),
        (b"a/", (), "violated"),
    ):
        read = [begins(2, "list_entries", prefix), ends(2, "list_entries", prefix, value=listed)]
        assert verdict(entries.read_is_legal({}, B), [*written, *read], snapshot({}, {})) == expected


def test_several_writes_of_one_call_are_each_demanded() -> None:
    both = ((b"x", b"1"), (b"y", b"1"))
    history = does(0, "set_entries", both)
    monitor = entries.acknowledged_write_is_kept
    assert verdict(monitor, history, snapshot({}, dict(both))) == "holds"
    for missing in (b"x", b"y"):
        kept: dict[bytes, bytes | None] = {path: identity for path, identity in both if path != missing}
        assert verdict(monitor, history, snapshot({}, kept)) == "violated"
