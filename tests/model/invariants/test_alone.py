"""Clients that are alone: hand-made histories that break what they are promised, and such that keep it."""

from collections.abc import Hashable

import attrs
import pytest

from lakeproof.model import keys, kv
from lakeproof.model.errors import BranchExists, NotUnique, RepositoryDeleting, RepositoryNotFound, TagNotFound
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID
from lakeproof.model.invariants import alone
from lakeproof.model.invariants.repositories import owner
from lakeproof.model.records import CleanupRecord, Record, RepositoryState
from lakeproof.model.ref_specification import Named, to_tombstone
from lakeproof.model.ref_specification import replay_calls as refs_judged
from lakeproof.model.repository_specification import (
    CLAIM_LASTS,
    Leaves,
    Living,
    Rules,
    Standing,
    Unsettled,
    find_differences,
    replay_calls,
)
from lakeproof.model.snapshot import CallView, Observed, Snapshot, Status
from lakeproof.model.solo import Misanswered
from tests.impl import records
from tests.impl.records import REPOSITORY as FOUND
from tests.model.invariants.test_outcomes import judged as verdict_of

ENTRY = attrs.evolve(FOUND, bare=True)


def said(name: str, *args: Hashable, value: Hashable = None, error: Exception | None = None) -> CallView:
    status = Status.OK if error is None else Status.FAIL
    return CallView(name, args, status, value, error)


CREATED = said("create_bare_repository", "r", value=ENTRY)


def after(*calls: CallView, rules: Rules | None = None) -> Living:
    return replay_calls(Living(rules=rules or Rules(), now=0), calls)


def snapshot(*found: Record, calls: tuple[CallView, ...] = ()) -> Snapshot:
    return Snapshot(store=records.held(*found), objects={}, now=0, clients=(calls,))


class TestRepositories:
    @pytest.mark.parametrize(
        "calls",
        [
            (said("get_repository", "r", error=RepositoryDeleting("r")),),
            (said("delete_repository", "r"),),
            (CREATED, said("get_repository", "r", value=attrs.evolve(ENTRY, creation_date=1))),
            (CREATED, said("list_repositories", value=())),
            (CREATED, said("create_repository", "r", error=kv.PredicateFailed())),
            (CREATED, said("create_branch", "r", "b", error=BranchExists("b"))),
            (said("create_bare_repository", "r", value=FOUND),),
            (said("create_bare_repository", "r", value=attrs.evolve(ENTRY, creation_date=1)),),  # it is 0 now
        ],
    )
    def test_another_answer_than_the_specification_has_is_found(self, calls: tuple[CallView, ...]) -> None:
        with pytest.raises(Misanswered, match=r"alone|expected"):
            after(*calls)

    def test_the_answers_of_one_life_hold(self) -> None:
        state = after(
            said("get_repository", "r", error=RepositoryNotFound("r")),
            CREATED,
            said("create_repository", "r", error=NotUnique("r")),
            said("list_repositories", value=(ENTRY,)),
            said("delete_repository", "r"),
        )
        assert state.standing(RepositoryID("r")) is Standing.FREE
        assert list(find_differences(state, snapshot(), owner)) == []

    def test_a_claim_is_abandoned_after_exactly_two_minutes(self) -> None:
        claim = attrs.evolve(ENTRY, state=RepositoryState.INITIAL)
        state = Living(rules=Rules(), now=CLAIM_LASTS).with_entry(claim)
        assert state.standing(RepositoryID("r")) is Standing.ABANDONED
        assert attrs.evolve(state, now=CLAIM_LASTS - 1).standing(RepositoryID("r")) is Standing.CLAIMED

    def test_what_is_missing_and_what_is_left_behind_is_found(self) -> None:
        (missing,) = find_differences(after(CREATED), snapshot(), owner)
        assert missing == "repos/r is missing"
        branch = attrs.evolve(records.branch("b"), staging_token=StagingToken("r-b:u.1"))
        (behind,) = find_differences(after(CREATED), snapshot(ENTRY, branch), owner)
        assert behind == "branches/b of instance u is left behind"

    def test_a_deleted_instance_keeps_its_record_until_it_is_cleaned(self) -> None:
        rules = Rules(leaves=Leaves.A_RECORD)
        note = CleanupRecord(repository_id=RepositoryID("r"), instance_uid=InstanceUID("u"))
        deleted = after(CREATED, said("delete_repository", "r"), rules=rules)
        assert list(find_differences(deleted, snapshot(note), owner)) == []
        assert list(find_differences(deleted, snapshot(), owner)) == ["repo/r/u is missing"]
        cleaned = replay_calls(deleted, [said("clean", value=1)])
        assert list(find_differences(cleaned, snapshot(), owner)) == []
        with pytest.raises(Misanswered, match="alone it answers 1"):
            replay_calls(deleted, [said("clean", value=0)])

    def test_a_record_that_is_there_from_the_creation_on_counts_once_the_instance_is_dead(self) -> None:
        rules = Rules(leaves=Leaves.A_TOMBSTONE)
        for calls, right in [([CREATED], 0), ([CREATED, said("delete_repository", "r")], 1)]:
            after(*calls, said("clean", value=right), rules=rules)
            with pytest.raises(Misanswered, match=f"alone it answers {right}"):
                after(*calls, said("clean", value=1 - right), rules=rules)

    def test_all_branches_begin_at_one_initial_commit(self) -> None:
        made = said("create_repository", "r", value=FOUND)
        names = ("b", "main")
        branches = [attrs.evolve(records.branch(name), staging_token=StagingToken(f"r-{name}:u.1")) for name in names]
        branch, main = branches
        commits = [attrs.evolve(records.commit(name), metadata=(("instance", "u"),)) for name in ("c", "d")]
        state = after(made, said("create_branch", "r", "b", value=branch), said("get_branch", "r", "main", value=main))
        assert list(find_differences(state, snapshot(FOUND, branch, main, commits[0]), owner)) == []
        twice = attrs.evolve(branch, commit_id=CommitID("d"))
        state = after(made, said("create_branch", "r", "b", value=twice), said("get_branch", "r", "main", value=main))
        (wrong,) = find_differences(state, snapshot(FOUND, twice, main, *commits), owner)
        assert wrong == "commits/c and commits/d of instance u: expected one initial commit"

    def test_an_indefinite_answer_leaves_it_open_unless_the_call_settles_it(self) -> None:
        doubtful = CallView("delete_repository", ("r",), Status.INFO, None, kv.OutcomeUnknown())
        with pytest.raises(Unsettled):
            after(CREATED, doubtful)
        kind = doubtful.kind
        assert kind is not None
        with pytest.raises(Misanswered):
            after(CREATED, doubtful, rules=Rules(settles=frozenset({kind})))


MAIN = records.branch("main")
COMMITS = {CommitID("c"): records.commit("c")}
REFS = Named(default=BranchID("main"), deletes=to_tombstone, commits=COMMITS).with_branch(MAIN)
GROWN = attrs.evolve(records.commit("d", "c"), generation=2)


class TestRefs:
    def test_a_branch_comes_before_a_tag_of_its_name_and_a_tombstone_does_not(self) -> None:
        tags = {TagID(name): attrs.evolve(records.tag(name), commit_id=CommitID("x")) for name in ("b", "main")}
        state = attrs.evolve(REFS.with_branch(records.branch("b", "")), tags=tags)
        assert (state.resolved("main"), state.resolved("b"), state.resolved("none")) == ("c", "x", None)

    @pytest.mark.parametrize(
        "call",
        [
            said("create_branch", "r", "main", "main", value=MAIN),
            said("grow", "r", "main", value=attrs.evolve(GROWN, generation=3)),
            said("grow", "r", "main", value=attrs.evolve(GROWN, metadata=(("b", ""), ("a", "")))),
            said("create_branch", "r", "b", "main", value=attrs.evolve(MAIN, branch_id=BranchID("b"))),
            said("get_branch", "r", "main", value=attrs.evolve(MAIN, commit_id=CommitID("d"))),
            said("delete_branch", "r", "main"),
            said("get_tag", "r", "t", value=None),
            said("list_branches", "r", value=()),
        ],
    )
    def test_another_answer_than_the_specification_has_is_found(self, call: CallView) -> None:
        with pytest.raises(Misanswered):
            refs_judged(REFS.with_branch(records.branch("other")), [call])

    def test_the_right_answers_hold(self) -> None:
        refs_judged(
            REFS,
            [
                said("get_branch", "r", "main", value=MAIN),
                said("get_tag", "r", "t", error=TagNotFound("t")),
                said("list_branches", "r", value=(MAIN,)),
                said("grow", "r", "main", value=GROWN),
            ],
        )


def call(
    name: str, status: Status, *, value: Hashable = None, error: Exception | None = None, **saw: Hashable
) -> CallView:
    return CallView(name, ("r",), status, value, error, tuple(saw.items()))


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (call("get_repository", Status.FAIL, error=kv.NotFound()), "violated"),
        (call("get_repository", Status.FAIL, error=kv.PredicateFailed()), "violated"),
        (call("get_repository", Status.FAIL, error=kv.Refused()), "holds"),
        (call("get_repository", Status.PENDING), "untested"),
    ],
)
def test_an_answer_in_the_terms_of_the_store_is_found(seen: CallView, verdict: str) -> None:
    assert verdict_of(alone.answers_in_its_terms, snapshot(calls=(seen,))) == verdict


@pytest.mark.parametrize(("reply", "wrote"), [(kv.OutcomeUnknown(), True), (kv.Refused(), False)])
def test_a_transaction_may_have_written_unless_it_was_refused(reply: kv.KVError, wrote: bool) -> None:
    op = kv.Transact((), ((b"p", b"k", b"v"),))
    (observer,) = alone.doubt_has_a_reason.observers
    assert observer.fold((Observed(op, reply, None, None),)) is wrote


@pytest.mark.parametrize(("wrote", "verdict"), [(False, "violated"), (True, "holds")])
def test_doubt_without_a_write_is_found(wrote: bool, verdict: str) -> None:
    doubtful = call("get_repository", Status.INFO, error=kv.OutcomeUnknown(), wrote=wrote)
    assert verdict_of(alone.doubt_has_a_reason, snapshot(calls=(doubtful,))) == verdict


def test_an_instance_that_was_read_and_emptied_does_not_stand_for_another_of_its_id() -> None:
    notes = tuple(kv.Entry(keys.cleanup_key(RepositoryID("r"), InstanceUID(uid)), b"") for uid in "uv")
    listed = Observed(kv.ScanBatch(keys.DELETED), kv.Batch(notes, more=False), None, None)
    read = Observed(kv.Get(keys.GRAVELER, b"repos/r"), None, FOUND, None)
    emptied = [Observed(kv.ScanBatch(at), kv.Batch((), more=False), None, None) for at in (b"r-u", b"r-v")]
    (observer,) = alone.cleaner_goes_on.observers
    assert observer.fold((listed, read, emptied[0])) == (1, False, (b"r",))
    assert observer.fold((listed, read, *emptied)) == (2, False, ())


@pytest.mark.parametrize(
    ("status", "value", "cleaning", "verdict"),
    [
        (Status.OK, 2, (2, False, ()), "holds"),
        (Status.OK, 2, (1, False, ()), "violated"),
        (Status.OK, 1, (1, False, (b"r",)), "violated"),  # it stopped, and counted right
        (Status.FAIL, None, (1, False, ()), "violated"),
        (Status.FAIL, None, (1, True, ()), "holds"),
        (Status.PENDING, None, (1, True, ()), "untested"),
    ],
)
def test_a_cleaner_that_gives_up_or_miscounts_is_found(
    status: Status, value: int | None, cleaning: tuple[int, bool, tuple[bytes, ...]], verdict: str
) -> None:
    error = kv.Refused() if status is Status.FAIL else None
    seen = call("clean", status, value=value, error=error, cleaning=cleaning)
    assert verdict_of(alone.cleaner_goes_on, snapshot(calls=(seen,))) == verdict
