"""Each repository invariant on a snapshot where it holds and on one with a planted fault."""

from collections.abc import Sequence

import attrs
import pytest

from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, MetaRangeID, RepositoryID, StagingToken, TagID
from lakeproof.model.identifiers import StorageNamespace as Namespace
from lakeproof.model.invariants import Always, Eventually, Violation
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, Tag
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Outcome, Returned, Snapshot, Status, Transition
from tests.model.test_branch_invariants import judged, verdict

R = RepositoryID("r")
ENTRY = (keys.GRAVELER, keys.repository_key(R))
MAIN = BranchID("main")

Store = dict[kv.Address, Record | bytes]


def repository(uid: str, state: RepositoryState = RepositoryState.ACTIVE, *, bare: bool = False) -> Repository:
    return Repository(
        repository_id=R,
        storage_namespace=Namespace("mem://r"),
        default_branch_id=MAIN,
        creation_date=0,
        state=state,
        instance_uid=InstanceUID(uid),
        bare=bare,
    )


def commit(uid: str) -> Commit:
    return Commit(
        commit_id=CommitID(f"c.{uid}"),
        committer="",
        message="",
        creation_date=0,
        meta_range_id=MetaRangeID(""),
        metadata=(("instance", uid),),
    )


def branch(uid: str, name: str = "main") -> Branch:
    return Branch(
        branch_id=BranchID(name), commit_id=CommitID(f"c.{uid}"), staging_token=StagingToken(f"r-{name}:{uid}.x")
    )


def entry(uid: str, state: RepositoryState = RepositoryState.ACTIVE, *, bare: bool = False) -> Store:
    return {ENTRY: repository(uid, state, bare=bare)}


def entities(uid: str, partition: bytes | None = None) -> Store:
    """The commit and the default branch of an instance, in its own partition or another."""
    where = partition or keys.repository_partition(R, InstanceUID(uid))
    return {
        (where, keys.commit_key(CommitID(f"c.{uid}"))): commit(uid),
        (where, keys.branch_key(MAIN)): branch(uid),
    }


def cleanup(uid: str) -> Store:
    record = CleanupRecord(repository_id=R, instance_uid=InstanceUID(uid))
    return {(keys.DELETED, keys.cleanup_key(R, InstanceUID(uid))): record}


def snapshot(store: Store, *calls: CallView) -> Snapshot:
    return Snapshot(store=store, objects={}, now=0, clients=tuple((call,) for call in calls))


def call(
    name: str,
    status: Status = Status.OK,
    *,
    value: Repository | tuple[Repository, ...] | None = None,
    target: str | None = None,
) -> CallView:
    return CallView(name=name, args=("r",), status=status, value=value, observed=(("target", target),))


def step(by: CallView, before: Store, op: object, after: Store, reply: object = None) -> Transition:
    return Transition(client=0, call=by, op=op, reply=reply, before=snapshot(before), after=snapshot(after))


SET = kv.Set(*ENTRY, b"x")
SET_IF = kv.SetIf(*ENTRY, b"x", None)
DELETE = kv.Delete(*ENTRY)
DELETING, INITIAL, DELETED = RepositoryState.DELETING, RepositoryState.INITIAL, RepositoryState.DELETED


@pytest.mark.parametrize(
    ("before", "after", "reply", "expected"),
    [
        (entry("1"), entry("2"), None, "violated"),
        (entry("1"), entry("1"), kv.PredicateFailed(), "holds"),
        ({}, entry("1"), None, "untested"),
        (entry("1", INITIAL), entry("1"), None, "untested"),  # it becomes active
        (entry("1", DELETED), entry("2", INITIAL), None, "untested"),  # a tombstone's id is free
    ],
)
def test_create_is_unique(before: Store, after: Store, reply: object, expected: str) -> None:
    transition = step(call("create_repository", Status.PENDING), before, SET_IF, after, reply)
    assert verdict(invariants.create_is_unique.check(transition)) == expected


def test_create_is_unique_watches_what_creates_write_to_entries() -> None:
    watches = invariants.create_is_unique.watches
    assert watches("create_repository", SET)
    assert watches("create_bare_repository", SET_IF)
    assert not watches("delete_repository", SET)
    assert not watches("create_repository", kv.Set(b"r-1", b"branches/main", b"x"))


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        (entry("1") | entities("1"), "holds"),
        (entry("1") | entities("1", b"r"), "holds"),  # where the naive variant keeps them
        (entry("1"), "violated"),
        (entry("1") | entities("2"), "violated"),
        (dict(list((entities("1") | entry("1")).items())[1:]), "violated"),  # without the commit
        (entry("1", bare=True), "untested"),
        (entry("1", INITIAL), "untested"),
        (entry("1", DELETING), "untested"),
    ],
)
def test_active_is_complete(store: Store, expected: str) -> None:
    assert verdict(invariants.active_is_complete.check(snapshot(store))) == expected


ZOMBIE_TAG: Store = {(b"r-2", keys.tag_key(TagID("t"))): Tag(tag_id=TagID("t"), commit_id=CommitID("c.1"))}
ZOMBIE_BRANCH: Store = {(b"r", keys.branch_key(BranchID("b"))): branch("1", "b")}


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        (entry("2") | entities("2"), "holds"),
        (entry("2") | entities("2") | entities("1"), "holds"),  # a partition of its own: nobody looks there
        (entry("2") | entities("2") | ZOMBIE_TAG, "violated"),
        (entry("2") | entities("2", b"r") | ZOMBIE_BRANCH, "violated"),
        (entry("2", DELETING) | ZOMBIE_BRANCH, "untested"),
        (entities("1"), "untested"),
    ],
)
def test_no_reachable_zombie(store: Store, expected: str) -> None:
    assert verdict(invariants.no_reachable_zombie.check(snapshot(store))) == expected


def invoked(client: int, name: str) -> Event:
    return Invoked(client, 0, name, ("r",))


def returned(client: int, view: CallView) -> Event:
    return Returned(client, 0, view)


DELETED_1 = [invoked(0, "delete_repository"), returned(0, call("delete_repository", target="1"))]
READ_1 = returned(1, call("get_branch", target="1"))
READ_2 = returned(1, call("get_branch", target="2"))
REFUSED = returned(1, call("get_branch", Status.FAIL))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([*DELETED_1, invoked(1, "get_branch"), READ_1], "violated"),
        ([*DELETED_1, invoked(1, "get_branch"), READ_2], "holds"),
        ([*DELETED_1, invoked(1, "get_branch"), REFUSED], "holds"),
        ([invoked(1, "get_branch"), *DELETED_1, READ_1], "untested"),  # they overlap
        ([DELETED_1[0], invoked(1, "get_branch"), READ_1, DELETED_1[1]], "untested"),
        ([DELETED_1[0], returned(0, call("delete_repository", Status.INFO, target="1")), READ_1], "untested"),
    ],
)
def test_deleted_is_inaccessible(events: Sequence[Event], expected: str) -> None:
    assert judged(invariants.deleted_is_inaccessible, events) == expected


def test_a_reader_of_before_the_delete_does_not_excuse_one_of_after() -> None:
    early, late = invoked(1, "get_repository"), invoked(2, "get_repository")
    events = [early, *DELETED_1, late, READ_1, returned(2, call("get_repository", target="1"))]
    assert judged(invariants.deleted_is_inaccessible, events) == "violated"


@pytest.mark.parametrize(
    ("before", "op", "after", "expected"),
    [
        (entry("2"), DELETE, {}, "violated"),
        (entry("2", INITIAL), DELETE, {}, "violated"),
        (entry("2"), SET, entry("1", DELETING), "violated"),  # hidden
        (entry("2"), SET_IF, entry("2"), "holds"),
        (entry("1"), DELETE, {}, "untested"),  # the one it targeted
        (entry("2", DELETED), SET_IF, entry("1", DELETED), "untested"),
        (entry("2") | entities("2", b"r"), kv.Delete(b"r", b"branches/main"), entry("2"), "violated"),
        (entry("2") | ZOMBIE_BRANCH, kv.Delete(b"r", b"branches/b"), entry("2"), "holds"),  # no successor's
    ],
)
def test_delete_spares_successor(before: Store, op: object, after: Store, expected: str) -> None:
    transition = step(call("delete_repository", Status.PENDING, target="1"), before, op, after)
    assert verdict(invariants.delete_spares_successor.check(transition)) == expected


def test_a_delete_without_a_target_is_not_judged() -> None:
    transition = step(call("delete_repository", Status.PENDING), entry("2"), DELETE, {})
    assert verdict(invariants.delete_spares_successor.check(transition)) == "untested"


def test_the_target_is_the_first_entry_that_the_call_has_read() -> None:
    get, nothing = kv.Get(*ENTRY), Observed(kv.Get(*ENTRY), kv.NotFound(), None, None)
    seen = tuple(Observed(get, None, repository(uid), None) for uid in ("1", "2"))
    assert invariants.TARGET.fold((nothing, *seen)) == "1"
    assert invariants.TARGET.fold((nothing,)) is None


CREATED_1 = call("create_repository", value=repository("1"))


@pytest.mark.parametrize(
    ("store", "calls", "expected"),
    [
        (entry("1"), [CREATED_1], "holds"),
        ({}, [CREATED_1], "violated"),
        (entry("2"), [CREATED_1], "violated"),
        (entry("1", DELETING), [CREATED_1], "violated"),
        ({}, [CREATED_1, call("delete_repository", target="1")], "holds"),
        ({}, [CREATED_1, call("delete_repository", Status.CRASHED, target="1")], "holds"),
        ({}, [CREATED_1, call("delete_repository", target="2")], "violated"),
        ({}, [call("create_repository", Status.INFO)], "untested"),
    ],
)
def test_create_is_effective(store: Store, calls: Sequence[CallView], expected: str) -> None:
    assert verdict(invariants.create_is_effective.check(snapshot(store, *calls))) == expected


@pytest.mark.parametrize(
    ("store", "status", "expected"),
    [
        ({}, Status.OK, "holds"),
        (entry("2"), Status.OK, "holds"),
        (entry("1", DELETED), Status.OK, "holds"),
        (entry("1"), Status.OK, "violated"),
        (entry("1"), Status.INFO, "untested"),
    ],
)
def test_delete_is_effective(store: Store, status: Status, expected: str) -> None:
    deleted = call("delete_repository", status, target="1")
    assert verdict(invariants.delete_is_effective.check(snapshot(store, deleted))) == expected


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ([RepositoryState.ACTIVE], "holds"),
        ([RepositoryState.ACTIVE, DELETING], "violated"),
        ([INITIAL], "violated"),
        ([], "untested"),
    ],
)
def test_list_shows_active_only(states: Sequence[RepositoryState], expected: str) -> None:
    listed = call("list_repositories", value=tuple(repository("1", state) for state in states))
    assert verdict(invariants.list_shows_active_only.check(snapshot({}, listed))) == expected


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        (entry("1") | entities("1"), "untested"),  # no garbage
        (entities("1"), "violated"),
        (entry("2") | entities("1"), "violated"),
        (entry("1", DELETING) | entities("1"), "holds"),
        (cleanup("1") | entities("1"), "holds"),
        (cleanup("2") | entities("1"), "violated"),
    ],
)
def test_garbage_is_reclaimable(store: Store, expected: str) -> None:
    assert verdict(invariants.garbage_is_reclaimable.check(snapshot(store))) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (entry("1") | entities("1"), "violated"),
        (entry("2") | entities("1"), "holds"),
        (entry("1", DELETED) | entities("1"), "holds"),
        (entry("1"), "untested"),  # nothing was there
    ],
)
def test_cleaner_spares_live(before: Store, expected: str) -> None:
    at = (b"r-1", b"branches/main")
    after = {address: record for address, record in before.items() if address != at}
    transition = step(call("clean", Status.PENDING), before, kv.Delete(*at), after)
    assert verdict(invariants.cleaner_spares_live.check(transition)) == expected


def test_id_becomes_reusable() -> None:
    gone = Outcome(Status.FAIL, error=kv.NotFound())
    created = Outcome(Status.OK, value=repository("2"))
    assert verdict(invariants.id_becomes_reusable((gone, created), snapshot(entry("2")))) == "holds"
    assert verdict(invariants.id_becomes_reusable((gone, gone), snapshot(entry("1")))) == "violated"


def test_evidence_names_the_values() -> None:
    (violation,) = invariants.create_is_effective.check(snapshot(entry("2"), CREATED_1))
    assert isinstance(violation, Violation)
    assert "instance 1" in violation.evidence
    (violation,) = invariants.active_is_complete.check(snapshot(entry("1")))
    assert isinstance(violation, Violation)
    assert "main" in violation.evidence


def test_every_violation_bears_the_id_of_its_invariant() -> None:
    found: list[tuple[Always | Eventually, Snapshot]] = [
        (invariants.active_is_complete, snapshot(entry("1"))),
        (invariants.no_reachable_zombie, snapshot(entry("2") | ZOMBIE_TAG)),
        (invariants.garbage_is_reclaimable, snapshot(entities("1"))),
        (invariants.create_is_effective, snapshot({}, CREATED_1)),
        (invariants.delete_is_effective, snapshot(entry("1"), call("delete_repository", target="1"))),
    ]
    for invariant, state in found:
        ids = {finding.invariant for finding in invariant.check(state) if isinstance(finding, Violation)}
        assert ids == {invariant.id}


def test_owners() -> None:
    tag = Tag(tag_id=TagID("t"), commit_id=CommitID("c.7"))
    for record in (repository("7"), commit("7"), branch("7"), tag):
        assert invariants.owner(record) == "7"
    strangers: list[Record | bytes] = [
        b"bytes",
        CleanupRecord(repository_id=R, instance_uid=InstanceUID("7")),
        attrs.evolve(branch("7"), staging_token=StagingToken("elsewhere")),
        attrs.evolve(tag, commit_id=CommitID("7")),
        attrs.evolve(commit("7"), metadata=()),
    ]
    for stranger in strangers:
        assert invariants.owner(stranger) is None
