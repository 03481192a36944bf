"""Each repository invariant on a snapshot where it holds and on one with a planted fault."""

from collections.abc import Sequence

import attrs
import pytest

from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID
from lakeproof.model.invariants import lifecycle, reclamation
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, Tag
from lakeproof.model.repository_specification import CLAIM_LASTS
from lakeproof.model.snapshot import CallView, Event, Invoked, Outcome, Returned, Snapshot, Status, Transition
from tests.impl import records
from tests.model.test_branch_invariants import judged, verdict

R = RepositoryID("r")
ENTRY = (keys.GRAVELER, keys.repository_key(R))
MAIN = BranchID("main")

Store = dict[kv.Address, Record | bytes]


def repository(uid: str, state: RepositoryState = RepositoryState.ACTIVE, *, bare: bool = False) -> Repository:
    return attrs.evolve(records.REPOSITORY, instance_uid=InstanceUID(uid), state=state, bare=bare)


def commit(uid: str) -> Commit:
    return attrs.evolve(records.commit(f"c.{uid}"), metadata=(("instance", uid),))


def branch(uid: str, name: str = "main") -> Branch:
    return attrs.evolve(records.branch(name, f"c.{uid}"), staging_token=StagingToken(f"r-{name}:{uid}.x"))


def entry(uid: str, state: RepositoryState = RepositoryState.ACTIVE, *, bare: bool = False) -> Store:
    return {ENTRY: repository(uid, state, bare=bare)}


def entities(uid: str, partition: bytes | None = None) -> Store:
    """The commit and the default branch of an instance, in its own partition or another."""
    where = partition or keys.repository_partition(R, InstanceUID(uid))
    return {(where, keys.commit_key(CommitID(f"c.{uid}"))): commit(uid), (where, keys.branch_key(MAIN)): branch(uid)}


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


DELETE = kv.Delete(*ENTRY)
DELETING, INITIAL, DELETED = RepositoryState.DELETING, RepositoryState.INITIAL, RepositoryState.DELETED


def invoked(client: int, name: str) -> Event:
    return Invoked(client, 0, name, ("r",))


def returned(client: int, view: CallView) -> Event:
    return Returned(client, 0, view)


DELETED_1 = [invoked(0, "delete_repository"), returned(0, call("delete_repository", target="1"))]
DELETED_2 = [Invoked(0, 1, "delete_repository", ("r",)), Returned(0, 1, call("delete_repository", target="2"))]
READ_1 = returned(1, call("get_branch", target="1"))
READ_2 = returned(1, call("get_branch", target="2"))
REFUSED = returned(1, call("get_branch", Status.FAIL))


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([*DELETED_1, invoked(1, "get_branch"), READ_1], "violated"),
        ([*DELETED_1, invoked(1, "get_branch"), READ_2], "holds"),
        ([*DELETED_1, *DELETED_2, invoked(1, "get_branch"), READ_1], "violated"),
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


@pytest.mark.parametrize(("first", "second"), [(str(uid), str(-uid)) for uid in range(1, 17)])
def test_a_reader_that_crashed_does_not_excuse_the_one_that_its_client_begins_after(first: str, second: str) -> None:
    events: list[Event] = []
    for index, uid in enumerate((first, second)):
        delete = call("delete_repository", target=uid)
        events += [Invoked(0, index, delete.name, ("r",)), Returned(0, index, delete)]
        events.append(Invoked(1, index, "get_branch", ("r",)))  # the first one crashes, and its client starts again
    events.append(Returned(1, 1, call("get_branch", target=second)))
    assert judged(invariants.deleted_is_inaccessible, events) == "violated"


@pytest.mark.parametrize("bare", [False, True])
def test_no_create_takes_the_place_of_an_accessible_repository(bare: bool) -> None:
    again = step(call("create_repository", Status.PENDING), entry("1", bare=bare), kv.Set(*ENTRY, b""), entry("2"))
    assert verdict(invariants.create_is_unique.check(again)) == "violated"


def test_the_branch_of_another_repository_in_a_partition_of_the_same_name_does_not_complete_one() -> None:
    named = {(keys.GRAVELER, b"repos/r-1"): attrs.evolve(repository("2"), repository_id=RepositoryID("r-1"))}
    assert verdict(invariants.active_is_complete.check(snapshot(entities("1") | named))) == "holds"  # without a uid
    assert verdict(invariants.active_is_complete.check(snapshot(entities("1") | entry("1") | named))) == "violated"


def test_the_default_branch_and_its_commit_are_in_one_partition_without_those_of_another_instance() -> None:
    (at_commit, made), (at_branch, main) = entities("1").items()
    for store, complete, pure in (
        ({at_commit: made, at_branch: main}, "holds", "holds"),
        ({at_branch: main}, "violated", "holds"),
        ({at_branch: main, (b"r", at_commit[1]): made}, "violated", "holds"),
        ({at_branch: main, at_commit: commit("2")}, "holds", "violated"),
    ):
        found = snapshot(entry("1") | store)
        assert verdict(invariants.active_is_complete.check(found)) == complete
        assert verdict(invariants.no_reachable_zombie.check(found)) == pure


def test_a_delete_without_a_target_is_not_judged() -> None:
    transition = step(call("delete_repository", Status.PENDING), entry("2"), DELETE, {})
    assert verdict(invariants.delete_spares_successor.check(transition)) == "untested"


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


@pytest.mark.parametrize(("create", "expected"), [(Status.OK, "holds"), (Status.FAIL, "violated")])
def test_an_id_is_free_once_the_create_succeeds_that_comes_after_the_deletes(create: Status, expected: str) -> None:
    assert verdict(invariants.id_becomes_reusable((Outcome(Status.OK), Outcome(create)), snapshot({}))) == expected


@pytest.mark.parametrize(("age", "expected"), [(CLAIM_LASTS, "holds"), (CLAIM_LASTS - 1, "violated")])
def test_a_claim_may_be_ended_after_exactly_two_minutes(age: int, expected: str) -> None:
    claim: Store = {ENTRY: attrs.evolve(repository("1", INITIAL), creation_date=-age)}  # it is 0 now
    for after in (entry("1", DELETING), entry("2", INITIAL), {}):
        ended = step(call("create_repository", Status.PENDING), claim, kv.Set(*ENTRY, b""), after)
        assert verdict(reclamation.claim_lasts_two_minutes.check(ended)) == expected


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


def removals(at: kv.Address) -> tuple[kv.Op | kv.Transact, ...]:
    """All operations that can remove a key."""
    return kv.Delete(*at), kv.DeleteIf(*at, b"v"), kv.Transact((), ((*at, None),))


@pytest.mark.parametrize("op", removals((b"r-1", b"branches/main")))
@pytest.mark.parametrize(("before", "expected"), [(entry("1") | entities("1"), "violated"), (entry("1"), "untested")])
def test_cleaner_spares_live_what_was_there(before: Store, expected: str, op: kv.Op) -> None:
    after = {address: record for address, record in before.items() if address != (b"r-1", b"branches/main")}
    transition = step(call("clean", Status.PENDING), before, op, after)
    assert invariants.cleaner_spares_live.watches("clean", op)
    assert verdict(invariants.cleaner_spares_live.check(transition)) == expected


@pytest.mark.parametrize("op", removals(ENTRY))
def test_whatever_removes_an_entry_is_judged(op: kv.Op) -> None:
    by = call("delete_repository", target="0")
    for invariant in (invariants.delete_spares_successor, reclamation.deletion_leaves_a_lead):
        assert invariant.watches(by.name, op)
        assert verdict(invariant.check(step(by, entry("1") | entities("1"), op, entities("1")))) == "violated"


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((("1", Status.FAIL), ("1", Status.FAIL)), "violated"),
        ((("1", Status.FAIL), ("0", Status.OK)), "violated"),  # of an earlier instance
        ((("1", Status.FAIL), ("1", Status.OK)), "holds"),
        ((("1", Status.FAIL), ("1", Status.INFO)), "untested"),
    ],
)
def test_a_delete_of_another_instance_frees_no_repository_that_is_left_in_deletion(
    answers: Sequence[tuple[str, Status]], expected: str
) -> None:
    deletes = [call("delete_repository", status, target=target) for target, status in answers]
    assert verdict(lifecycle.some_delete_succeeds.check(snapshot(entry("1", DELETING), *deletes))) == expected


USERS: Store = {
    (b"r-1", b"tags/t"): Tag(tag_id=TagID("t"), commit_id=CommitID("abc")),
    (b"r-1", b"commits/abc"): attrs.evolve(commit("1"), commit_id=CommitID("abc"), metadata=()),
}
"""What users have made in instance 1: no record says so."""


@pytest.mark.parametrize("at", USERS)
def test_what_users_have_made_belongs_to_the_instance_of_its_partition(at: tuple[bytes, bytes]) -> None:
    live: Store = entry("1") | USERS
    made: Store = {at: USERS[at]}
    after = {address: record for address, record in live.items() if address != at}
    cleaned = step(call("clean", Status.PENDING), live, kv.Delete(*at), after)
    assert verdict(invariants.cleaner_spares_live.check(cleaned)) == "violated"
    deleted = step(call("delete_repository", Status.PENDING, target="0"), live, kv.Delete(*at), after)
    assert verdict(invariants.delete_spares_successor.check(deleted)) == "violated"
    ended = step(call("delete_repository", Status.PENDING, target="1"), entry("1") | made, DELETE, made)
    assert verdict(reclamation.deletion_leaves_a_lead.check(ended)) == "violated"
    kind = reclamation.OF_A_KIND[f"{at[1].decode().partition('/')[0]}-are-reclaimable"]
    for check in (invariants.garbage_is_reclaimable, kind):
        assert verdict(check.check(snapshot(made))) == "violated"
        assert verdict(check.check(snapshot(made | entry("1", DELETING)))) == "holds"


def test_in_a_partition_that_a_creation_date_names_it_belongs_to_the_instance_of_that_date() -> None:
    dated = attrs.evolve(repository("1"), creation_date=77)
    store: Store = {ENTRY: dated, (b"r-77", b"tags/t"): USERS[b"r-1", b"tags/t"]}
    assert invariants.owner_at(snapshot(store), (b"r-77", b"tags/t")) == "1"
