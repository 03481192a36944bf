"""The specification of who is alone: answers that it allows, and those that it does not."""

from collections.abc import Hashable

import attrs
import pytest

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs.errors import (
    BranchExists,
    BranchNotFound,
    DirtyBranch,
    NoParent,
    PathExists,
    PathNotFound,
    RefNotFound,
)
from lakeproof.model import calls, kv
from lakeproof.model.calls import Kind
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.invariants import Reached, Violation, locks
from lakeproof.model.invariants.branches_alone import alone_as_specified
from lakeproof.model.invariants.met import CallResult, Meeting, Met, met_as_specified
from lakeproof.model.records import Branch, Commit, Record
from lakeproof.model.sequential import SPECIFIED, Node, Refs, Refusals, after
from lakeproof.model.snapshot import CallView, Outcome, Snapshot, Status
from lakeproof.model.solo import Misanswered
from tests.impl import records
from tests.model.test_entries import COMMITTED
from tests.model.test_entries import HEAD as WITH_X

FIRST = attrs.evolve(records.commit("f"), committer="lakeproof")
REFUSALS = Refusals(ref_not_found=RefNotFound, dirty_branch=DirtyBranch, no_parent=NoParent, conflicts=Conflicts)
FOUNDED = Refs.founded("f", "b", "main", refusals=REFUSALS, data={b"2": b"two"})


def call(kind: Kind, *args: Hashable, value: Hashable = None, error: Exception | None = None) -> CallView:
    return CallView(kind.name, ("r", *args), Status.FAIL if error else Status.OK, value, error)


def written(identity: bytes, path: bytes = b"x", state: Refs = FOUNDED) -> Refs:
    return after(state, call(calls.SET_ENTRY, "b", path, identity), {})


WRITTEN = written(b"1")


def entry(identity: bytes = b"1", data: bytes = b"", path: bytes = b"x") -> Entry:
    return Entry(path=path, identity=identity, data=data)


def made(parent: str = "f", generation: int = 2, message: str = "m") -> Commit:
    parents = (CommitID(parent),)
    return attrs.evolve(FIRST, commit_id=CommitID("c"), parents=parents, generation=generation, message=message)


BORN = call(calls.CREATE_BRANCH, "c", "main", value=records.branch("c", "f"))
ALLOWED = [
    (FOUNDED, BORN),
    (FOUNDED, call(calls.GET_ENTRY, "b", b"x", error=PathNotFound(b"x"))),
    (WRITTEN, call(calls.GET_ENTRY, "b", b"x", value=entry())),
    (written(b"2"), call(calls.GET_ENTRY, "b", b"x", value=entry(b"2", b"two"))),
    (WRITTEN, call(calls.LIST_ENTRIES, "b", b"", value=(entry(),))),
    (WRITTEN, call(calls.CREATE_ENTRY, "b", b"x", b"2", error=PathExists(b"x"))),
    (WRITTEN, call(calls.COMMIT, "b", "m", value=made())),
    (WRITTEN, call(calls.MERGE, "b", "main", "m", error=DirtyBranch("b"))),
    (FOUNDED, call(calls.REVERT, "b", "f", "m", error=NoParent("f"))),
    (FOUNDED, call(calls.MERGE, "b", "gone", "m", error=RefNotFound("gone"))),
    (FOUNDED, call(calls.SET_ENTRY, "gone", b"x", b"1", error=BranchNotFound("gone"))),
    (FOUNDED, call(calls.CREATE_BRANCH, "b", "main", error=BranchExists("b"))),
]
WRONG = [
    (FOUNDED, call(calls.GET_ENTRY, "b", b"x", value=entry())),
    (FOUNDED, call(calls.GET_ENTRY, "b", b"x", error=PathNotFound(b"y"))),
    (FOUNDED, call(calls.GET_ENTRY, "b", b"x", error=kv.NotFound())),
    (WRITTEN, call(calls.GET_ENTRY, "b", b"x", value=entry(data=b"other"))),
    (WRITTEN, call(calls.LIST_ENTRIES, "b", b"", value=())),
    (WRITTEN, call(calls.CREATE_ENTRY, "b", b"x", b"2")),
    (WRITTEN, call(calls.SET_ENTRY, "b", b"x", b"2", error=PathExists(b"x"))),
    (WRITTEN, call(calls.COMMIT, "b", "m", value=made("o"))),
    (WRITTEN, call(calls.COMMIT, "b", "m", value=made(generation=1))),
    (WRITTEN, call(calls.COMMIT, "b", "m", value=made(message="other"))),
    (WRITTEN, call(calls.COMMIT, "b", "m")),
    (WRITTEN, call(calls.MERGE, "b", "main", "m", value=made())),
    (FOUNDED, call(calls.REVERT, "b", "f", "m", value=made())),
    # The token is that of a branch that was deleted: what was staged on that would show up.
    (after(after(FOUNDED, BORN, {}), call(calls.DELETE_BRANCH, "c"), {}), BORN),
]


@pytest.mark.parametrize(("state", "answer"), ALLOWED)
def test_what_is_specified_is_allowed(state: Refs, answer: CallView) -> None:
    after(state, answer, {})


@pytest.mark.parametrize(("state", "answer"), WRONG)
def test_any_other_answer_is_wrong_and_the_message_says_what_is_expected(state: Refs, answer: CallView) -> None:
    with pytest.raises(Misanswered, match="expected"):
        after(state, answer, {})


def test_a_call_that_is_not_specified_is_an_error() -> None:
    with pytest.raises(ValueError, match="read_object: expected a call on one branch"):
        after(FOUNDED, call(calls.READ_OBJECT, "b", b"x"), {})


def test_a_commit_takes_all_changes_and_a_reset_of_a_path_one() -> None:
    state = after(WRITTEN, call(calls.COMMIT, "b", "m", value=made()), {})
    assert state.contents("c") == {b"x": b"1"}
    assert state.branches["b"].clean
    two = written(b"2", b"xy", WRITTEN)
    assert after(two, call(calls.RESET_ENTRY, "b", b"x"), {}).shown("b") == {b"xy": b"2"}
    assert after(two, call(calls.RESET_PREFIX, "b", b"x"), {}).shown("b") == {}
    assert after(two, call(calls.DELETE_ENTRY, "b", b"x"), {}).shown("b") == {b"xy": b"2"}


def test_every_operation_of_branches_and_entries_is_specified() -> None:
    assert len(SPECIFIED) == 16


def branch(name: str, *sealed: str, commit_id: str = "f") -> Branch:
    token, tokens = StagingToken(f"{name}-open"), tuple(map(StagingToken, sealed))
    return attrs.evolve(records.branch(name, commit_id), staging_token=token, sealed_tokens=tokens)


def store(*found: Record, staged: str = "", data: bytes | None = b"", **notes: bytes) -> Snapshot:
    """staged: the token of a change."""
    under = records.staged_under(staged, records.staged(b"x", data)) if staged else {}
    noted = {(b"p", key.encode()): value for key, value in notes.items()}
    return Snapshot(store={**records.held(FIRST, *found), **under, **noted}, objects={}, now=0, clients=())


NOTHING = Outcome(Status.OK)


@pytest.mark.parametrize(
    ("snapshot", "wrong"),
    [
        (store(branch("b"), branch("main")), ""),
        (store(branch("b")), "there are the branches"),
        (store(branch("b", commit_id="other"), branch("main")), "b names other"),
        (store(branch("b", "old"), branch("main")), "sealed tokens"),
        (store(branch("b"), branch("main"), staged="old"), "no branch has none"),
        (store(branch("b"), branch("main"), staged="b-open"), "b has b'x'|b has"),
        (store(branch("b"), branch("main"), staged="b-open", data=None), "is left, and b has none"),  # a deletion
        (store(branch("b"), branch("main"), lock=b"mine"), "b'lock' is left"),
    ],
)
def test_the_store_holds_in_the_end_what_is_specified_and_nothing_else(snapshot: Snapshot, wrong: str) -> None:
    check = alone_as_specified([(calls.RESET_BRANCH.name, ("r", "b"))], FOUNDED)
    (found,) = check((NOTHING,), snapshot)
    if not wrong:
        assert isinstance(found, Reached)
    else:
        assert isinstance(found, Violation)
        assert any(each in found.evidence for each in wrong.split("|"))


def test_a_commit_that_no_branch_has_and_that_cannot_be_read_is_a_violation() -> None:
    lost = attrs.evolve(FOUNDED, commits={**FOUNDED.commits, "lost": FOUNDED.commits["f"]})
    assert isinstance(alone_as_specified([], lost)((), store(branch("b"), branch("main")))[0], Violation)


def test_where_no_job_drops_anything_what_was_committed_is_staged_still() -> None:
    node = Node(contents=frozenset({(b"x", b"1")}))
    refs = attrs.evolve(
        Refs.founded(WITH_X.commit_id, "b", refusals=REFUSALS, data={}), commits={WITH_X.commit_id: node}
    )
    for drops, expected in ((True, Reached), (False, Violation)):
        assert isinstance(alone_as_specified([], refs, drops=drops)((), COMMITTED)[0], expected)


CLEAN, SEALED = store(branch("b"), branch("main")), store(branch("b", "old"), branch("main"))
WITH_CHANGE = store(branch("b"), branch("main"), staged="b-open")
RESET, OTHER = (("reset_branch", ("r", name)) for name in ("b", "main"))
TAKES = Meeting(RESET, (RESET,), takes=True)
CROSSING = Meeting(OTHER, (("set_entry", ("r", "b", b"x", b"")), OTHER, RESET), crossing=True)


@pytest.mark.parametrize(
    ("meeting", "answer", "left", "expected"),
    [
        (Meeting(RESET, ()), None, SEALED, Violation),
        (Meeting(RESET, (), doubts=True), None, SEALED, Reached),
        (TAKES, None, CLEAN, Reached),
        (TAKES, "none of the others has answered this", CLEAN, Violation),
        (CROSSING, None, CLEAN, Reached),
        (CROSSING, None, WITH_CHANGE, Violation),  # the write had returned before the reset began
    ],
)
def test_a_call_that_meets_others_is_right_in_some_order(
    meeting: Meeting, answer: object, left: Snapshot, expected: type
) -> None:
    met = Met(CallResult(answer), tuple(CallResult() for _ in meeting.others))
    check = met_as_specified([meeting], FOUNDED, lambda *_: None, drops=True)
    assert isinstance(check((Outcome(Status.OK, met),), left)[0], expected)


def test_an_unspecified_call_that_fails_is_a_violation() -> None:
    check = alone_as_specified([("a_job", ("r",))], FOUNDED)
    (found,) = check((Outcome(Status.FAIL, error=BranchNotFound("b")),), store(branch("b"), branch("main")))
    assert isinstance(found, Violation)


def test_jobs_answer_how_many_tokens_they_have_dropped() -> None:
    clean, left = store(branch("b")), store(branch("b"), staged="old")
    one, none = Outcome(Status.OK, 1), Outcome(Status.OK, 0)
    assert isinstance(locks.dropped_once((one, none), clean)[0], Reached)
    for outcomes, snapshot in (((none, none), clean), ((one, one), clean), ((one, none), left)):
        assert isinstance(locks.dropped_once(outcomes, snapshot)[0], Violation)


def test_a_lock_is_gone_once_it_was_taken_over_and_is_left_alone_before() -> None:
    done, busy = Outcome(Status.OK), Outcome(Status.FAIL, error=DirtyBranch("b"))
    stores: list[dict[kv.Address, Record | bytes]] = [{}, {(b"p", b"lock"): b"mine"}]
    free, locked = (Snapshot(store, {}, 0, ()) for store in stores)
    still_locked = locks.still_locked(DirtyBranch)
    for check, right, wrong in (
        (locks.taken_over, ((done,), free), [((done,), locked), ((done, busy, done), free)]),
        (still_locked, ((busy,), locked), [((busy,), free), ((busy, done), locked)]),
    ):
        assert isinstance(check(*right)[0], Reached)
        assert all(isinstance(check(*each)[0], Violation) for each in wrong)
