"""Every invariant of branches and entries: a history that violates it, and one that tests and satisfies it."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Final

import attrs
import pytest

from lakeproof.model import keys, kv
from lakeproof.model.commits import with_content_id
from lakeproof.model.committed import Entry
from lakeproof.model.errors import (
    BranchBusy,
    BranchExists,
    BranchNotFound,
    DataGone,
    EntryChanged,
    NotUnique,
    PathExists,
    PathNotFound,
    RepositoryDeleting,
    RepositoryNotFound,
    TagExists,
)
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken
from lakeproof.model.invariants import Finding, Monitor, Reached, Violation, entries, refs, restores
from lakeproof.model.invariants._marks import MARKS, Mark
from lakeproof.model.invariants.entries import read_is_legal, write_is_kept_beside
from lakeproof.model.records import Branch, Commit, Record, StagedEntry
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Returned, Snapshot, Status, Transition
from tests.impl import records

REPOSITORY = "r"
B = "b"


def commit(message: str, *parents: str, metarange: str = "") -> Commit:
    made = attrs.evolve(records.commit("", *parents), message=message, meta_range_id=MetaRangeID(metarange))
    return with_content_id(made)


HEAD = commit("head")


def branch(name: str = B, token: str = "r-b:u.1.0", head: str = HEAD.commit_id, *sealed: str) -> Branch:
    tokens = tuple(map(StagingToken, sealed))
    return attrs.evolve(records.branch(name, head), staging_token=StagingToken(token), sealed_tokens=tokens)


def snapshot(*found: Record, staged: dict[bytes, bytes] | None = None, token: str = "r-b:u.1.0") -> Snapshot:
    entries = [StagedEntry(key=path, identity=identity, data=b"") for path, identity in (staged or {}).items()]
    store = {**records.held(*found), **records.staged_under(token, *entries)}
    return Snapshot(store=store, objects={}, now=0, clients=())


class History:
    """Invocations and returns, as a monitor hears them. subject: the first arguments of all calls."""

    def __init__(self, monitor: Monitor, subject: tuple[str, ...] = (REPOSITORY, B), *, late: bool = False) -> None:
        self.subject = subject
        self.monitor, self.state, self.found = monitor, monitor.first(late=late), list[Finding]()
        self._calls: dict[int, tuple[int, str, tuple[Hashable, ...]]] = {}

    def hear(self, event: Event) -> None:
        self.state, findings = self.monitor.advance(self.state, event)
        self.found += findings

    def begins(self, client: int, name: str, *args: Hashable) -> "History":
        index = self._calls[client][0] + 1 if client in self._calls else 0
        self._calls[client] = (index, name, (*self.subject, *args))
        self.hear(Invoked(client, index, name, self._calls[client][2]))
        return self

    def ends(
        self,
        client: int,
        status: Status = Status.OK,
        value: Hashable = None,
        error: Exception | None = None,
        **saw: Hashable,
    ) -> "History":
        index, name, args = self._calls[client]
        view = CallView(name, args, status, value, error, tuple(saw.items()))
        self.hear(Returned(client, index, view))
        return self

    def does(self, client: int, name: str, *args: Hashable, value: Hashable = None) -> "History":
        return self.begins(client, name, *args).ends(client, value=value)

    def at_end(self, seen: Snapshot) -> list[Finding]:
        assert self.monitor.at_end is not None
        return list(self.monitor.at_end(self.state, seen))


ANSWERS: Final[Mapping[str, tuple[Status, Exception | None]]] = {
    **{status.name.lower(): (status, None) for status in (Status.OK, Status.FAIL, Status.INFO, Status.CRASHED)},
    "absent": (Status.FAIL, PathNotFound()),
    "exists": (Status.FAIL, PathExists(b"x")),
    "changed": (Status.FAIL, EntryChanged(b"x")),
    "busy": (Status.FAIL, BranchBusy("b")),
    "unknown": (Status.INFO, kv.OutcomeUnknown()),
    "lost": (Status.FAIL, DataGone("mem://r/data/1")),
    "no-branch": (Status.FAIL, BranchNotFound("b")),
    "no-repository": (Status.FAIL, RepositoryNotFound("r")),
    "deleting": (Status.FAIL, RepositoryDeleting("r")),
    "taken": (Status.FAIL, NotUnique("r")),
    "branch-exists": (Status.FAIL, BranchExists("b")),
    "tag-exists": (Status.FAIL, TagExists("t")),
}


def played(monitor: Monitor, script: str, subject: tuple[str, ...] = (REPOSITORY, B)) -> History:
    """Calls, as in "0 set_entry x 1; 1+ commit m; 2 get_entry x =:1; 1- =info": one that begins and ends, one that only
    begins, one that returns an identity, and an end with one of the answers above. Messages, branches and all arguments
    of calls of a repository are text, all else is bytes; "-" is empty."""
    history = History(monitor, subject)
    for step in script.split("; ") if script else []:
        who, *words = step.split()
        client, answer = int(who[0]), words.pop()[1:] if words and words[-1].startswith("=") else "ok"
        if not who.endswith("-"):
            name, *args = words
            given = (each.replace("-", "") for each in args)
            text = B not in subject or name in ("commit", "merge", "create_branch")
            history.begins(client, name, *(each if text else each.encode() for each in given))
        if not who.endswith("+"):
            status, error = ANSWERS.get(answer, (Status.OK, None))
            history.ends(client, status, read(answer[1:].encode()) if answer.startswith(":") else None, error)
    return history


def verdict(findings: Iterable[Finding]) -> str:
    kinds = set(map(type, findings))
    return "violated" if Violation in kinds else "holds" if Reached in kinds else "untested"


def judged(monitor: Monitor, events: Iterable[Event]) -> str:
    """The verdict after a sequence of events."""
    state, found = monitor.initial, list[Finding]()
    for event in events:
        state, findings = monitor.advance(state, event)
        found += findings
    return verdict(found)


EMPTY = snapshot(branch(), HEAD)
HAS_X = snapshot(branch(), HEAD, staged={b"x": b"1"})
HAS_2 = snapshot(branch(), HEAD, staged={b"x": b"2"})
SEEN = {"empty": EMPTY, "x": HAS_X, "2": HAS_2, "gone": snapshot(HEAD)}
WRITTEN = "0 set_entry x 1"
ELSEWHERE = f"{WRITTEN}; 1 set_entry xy 2; 2 reset_prefix y; 3 reset_entry xy"


@pytest.mark.parametrize(
    ("script", "verdicts"),
    [
        (WRITTEN, "x holds, empty violated, 2 violated, gone violated"),
        (f"{WRITTEN}; 1 set_entry x 2", "x violated, 2 holds"),
        (f"{WRITTEN}; 1 delete_entry x", "empty untested"),
        # A refused reset excuses nothing, and a doubtful one everything; so does a merge.
        (f"{WRITTEN}; 1 reset_branch =fail", "empty violated"),
        (f"{WRITTEN}; 1 reset_branch =info", "empty untested"),
        (f"{WRITTEN}; 1 merge main m", "empty untested"),
        # Another path, or a prefix that misses, excuses nothing.
        (ELSEWHERE, "empty violated"),
        (f"{ELSEWHERE}; 1 reset_prefix -", "empty untested"),
        ("0 set_entry xy 1; 1 reset_entry x", "empty violated"),
        ("1 copy_object x main xy", "x holds, empty violated, gone violated"),
    ],
)
def test_a_write_is_kept(script: str, verdicts: str) -> None:
    history = played(entries.acknowledged_write_is_kept, script)
    for each in verdicts.split(", "):
        where, expected = each.split()
        assert verdict(history.at_end(SEEN[where])) == expected, each


def test_another_branch_excuses_and_hides_nothing() -> None:
    lost = played(entries.acknowledged_write_is_kept, WRITTEN)
    born = played(entries.branch_starts_clean, f"{WRITTEN}; 1 create_branch main")
    lost.subject = born.subject = (REPOSITORY, "c")
    assert verdict(lost.does(1, "reset_branch").at_end(EMPTY)) == "violated"
    assert verdict(born.does(1, "create_branch", "main").at_end(HAS_X)) == "violated"
    elsewhere = History(read_is_legal({}, B), (REPOSITORY, "c")).does(1, "set_entry", b"x", b"1")
    elsewhere.subject = (REPOSITORY, B)
    assert verdict(elsewhere.does(0, "get_entry", b"x", value=read(b"1")).found) == "violated"
    refused = played(entries.refused_write_is_absent, f"{WRITTEN} =fail")
    two = snapshot(branch("a", "r-a:u.1.0"), branch(), HEAD, staged={b"x": b"1"})
    assert verdict(refused.at_end(two)) == "violated"


def test_a_merge_that_is_known_to_spare_a_write_does_not_excuse_its_loss() -> None:
    assert verdict(played(write_is_kept_beside("merge"), f"{WRITTEN}; 1 merge main m").at_end(EMPTY)) == "violated"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("1 set_entry x 1 =fail; 0 get_entry x =:1", "violated"),
        ("1 set_entry x 1 =info; 0 get_entry x =:1", "holds"),
        ("0+ get_entry x; 1 set_entry x 1 =fail; 0- =:1", "violated"),
        ("0+ get_entry x; 1 set_entry x 1 =info; 0- =:1", "holds"),
        ("2 set_entry x 1; 0+ get_entry x; 1 delete_entry x =fail; 0- =absent", "violated"),
        ("2 set_entry x 1; 0+ get_entry x; 1+ delete_entry x; 3 delete_entry x; 1- =fail; 0- =absent", "holds"),
    ],
)
def test_a_refused_write_is_never_read_and_a_doubtful_one_may_be(script: str, expected: str) -> None:
    assert verdict(played(read_is_legal({}, B), script).found) == expected


def test_a_commit_holds_what_was_acknowledged_before_it() -> None:
    empty = commit("m", HEAD.commit_id)
    history = History(entries.commit_is_causal).does(0, "set_entry", b"x", b"1").does(1, "commit", "m", value=empty)
    assert verdict(history.at_end(snapshot(branch(), HEAD, empty))) == "violated"
    assert verdict(history.at_end(snapshot(branch(), HEAD))) == "violated", "a commit that cannot be read holds nothing"
    deleted = History(entries.commit_is_causal).does(0, "delete_entry", b"x").does(1, "commit", "m", value=empty)
    assert verdict(deleted.at_end(snapshot(branch(), HEAD, empty))) == "holds"
    during = (
        History(entries.commit_is_causal).begins(1, "commit", "m").does(0, "set_entry", b"x", b"1").ends(1, value=empty)
    )
    assert verdict(during.at_end(snapshot(branch(), HEAD, empty))) == "untested"
    reset = History(entries.commit_is_causal).does(0, "set_entry", b"x", b"1").begins(1, "commit", "m")
    reset.does(2, "reset_branch").ends(1, value=empty)
    assert verdict(reset.at_end(snapshot(branch(), HEAD, empty))) == "untested"


def read(identity: bytes) -> Entry:
    return Entry(path=b"x", identity=identity, data=b"")


def test_a_creation_in_doubt_may_come_late_though_its_client_has_failed_to_create_again() -> None:
    history = played(
        restores.deleted_branch_stays_deleted, "0 create_branch =info; 0 create_branch =fail; 1 delete_branch"
    )
    assert verdict(history.at_end(snapshot(branch(), HEAD))) == "untested"
    certain = played(restores.deleted_branch_stays_deleted, "0 create_branch =fail; 1 delete_branch")
    assert verdict(certain.at_end(snapshot(branch(), HEAD))) == "violated"
    beside = History(restores.deleted_branch_stays_deleted, (REPOSITORY, "c")).begins(0, "create_branch", "main")
    beside.subject = (REPOSITORY, B)  # c is another branch: its creation cannot bring this one back
    assert verdict(beside.does(1, "delete_branch").at_end(snapshot(branch(), HEAD))) == "violated"


def test_a_revival_lacks_no_branch_and_no_commit() -> None:
    both = {(at, key): each for at in (b"r-u", b"r-v") for (_, key), each in records.held(branch(), HEAD).items()}
    revived = ((CallView("revive_repository", (), Status.OK),),)
    assert verdict(restores.revival_is_whole.check(Snapshot(both, {}, 0, revived))) == "holds"
    for lost in both:
        left = {at: each for at, each in both.items() if at != lost}
        assert verdict(restores.revival_is_whole.check(Snapshot(left, {}, 0, revived))) == "violated"


@pytest.mark.parametrize(
    ("there", "delete", "expected"),
    [
        ((branch(), HEAD), Status.FAIL, "holds"),
        ((branch(),), Status.FAIL, "violated"),  # without its commit
        ((HEAD,), Status.FAIL, "violated"),
        ((HEAD,), Status.OK, "untested"),
        ((HEAD,), Status.INFO, "untested"),
    ],
)
def test_a_restored_branch_is_there_unless_a_delete_may_have_taken_it(
    there: tuple[Record, ...], delete: Status, expected: str
) -> None:
    calls = [CallView("restore_refs", (REPOSITORY,), Status.OK), CallView("delete_branch", (REPOSITORY, B), delete)]
    seen = Snapshot(records.held(*there), {}, 0, tuple((each,) for each in calls))
    assert verdict(restores.restore_is_effective({BranchID(B): HEAD.commit_id}).check(seen)) == expected


def test_a_commit_is_not_allowed_more_because_its_client_crashed_before() -> None:
    history = played(refs.commit_makes_progress, "1+ commit a; 0+ commit b; 1- =info")
    history.begins(0, "commit", "c").ends(0, effort=(2, 2))  # it overlaps at most the one that crashed
    assert verdict(history.found) == "violated"
    beside_a_write = played(refs.commit_makes_progress, "1+ set_entry x 1").begins(0, "commit", "c")
    assert verdict(beside_a_write.ends(0, effort=(1, 1)).found) == "violated", "a write cannot beat it"


AT: Final = (b"r-u", b"branches/b")
GONE: Final = attrs.evolve(branch(), commit_id=CommitID(""))
NEXT: Final = commit("next", HEAD.commit_id)
ASIDE: Final = commit("aside", "c0", HEAD.commit_id)
SPARES: Final = refs.branch_delete_spares_successor


def move(by: CallView, op: object, before: Branch | None, after: Branch | None) -> Transition:
    """One effect on the branch, where all commits are there."""
    stores = [{AT: each} if each is not None else {} for each in (before, after)]
    seen = [Snapshot({**records.held(HEAD, NEXT, ASIDE), **store}, {}, 0, ()) for store in stores]
    return Transition(0, by, op, None, *seen)


@pytest.mark.parametrize("op", [kv.Delete(*AT), kv.DeleteIf(*AT, b"v"), kv.Transact((), ((*AT, None),))])
def test_whatever_removes_a_branch_is_judged_and_marked(op: kv.Op) -> None:
    for name in ("delete_branch", "delete_branch_by_tombstone"):
        by = CallView(name, (REPOSITORY, B), Status.PENDING, observed=(("birth", "r-b:u.0"),))
        assert SPARES.watches(name, op)
        assert verdict(SPARES.check(move(by, op, branch(), None))) == "violated"
        assert verdict(SPARES.check(move(by, op, branch(), GONE))) == "violated"
        assert verdict(SPARES.check(move(by, op, GONE, None))) == "untested"
    seen = (Observed(kv.Get(*AT), None, branch(), None), Observed(op, None, None, None))
    if isinstance(op, kv.Transact):
        with pytest.raises(TypeError, match="a transact are not observed"):
            MARKS.fold(seen)
    else:
        assert MARKS.fold(seen) == frozenset({(Mark.REMOVED, "r-b:u.1")})


def test_a_delete_has_decided_on_the_branch_that_it_read_first() -> None:
    (found,) = SPARES.observers
    reads = [Observed(kv.Get(*AT), None, each, None) for each in (branch(), branch(token="r-b:u.2.0"))]
    assert found.fold(tuple(reads)) == "r-b:u.1"


@pytest.mark.parametrize("name", ["commit", "merge", "revert"])
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (branch(), branch(head=NEXT.commit_id), "holds"),
        (branch(), branch(head=ASIDE.commit_id), "violated"),  # the head is its second parent
        (None, branch(head=NEXT.commit_id), "violated"),
        (GONE, branch(head=NEXT.commit_id), "violated"),
        (branch(), branch(B, "r-b:u.1.9", HEAD.commit_id, "r-b:u.1.0"), "untested"),  # a seal
    ],
)
def test_a_commit_follows_the_head(name: str, before: Branch | None, after: Branch, expected: str) -> None:
    by, op = CallView(name, (REPOSITORY, B), Status.PENDING), kv.Set(*AT, b"")
    assert refs.commits_form_one_line.watches(name, op)
    assert verdict(refs.commits_form_one_line.check(move(by, op, before, after))) == expected


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (branch("c", "t2", HEAD.commit_id, "t3"), "holds"),
        (branch("c", "t1", HEAD.commit_id, "t3"), "violated"),  # it is open here, and sealed there
        (branch("c", "t2", HEAD.commit_id, "t1"), "violated"),
    ],
)
def test_a_token_is_of_one_branch_be_it_open_or_sealed(other: Branch, expected: str) -> None:
    found = snapshot(branch(B, "t0", HEAD.commit_id, "t1"), other)
    assert verdict(refs.token_has_one_owner.check(found)) == expected
    elsewhere = Snapshot({AT: branch(), (b"r-v", AT[1]): branch()}, {}, 0, ())
    assert verdict(refs.token_has_one_owner.check(elsewhere)) == "violated", "they have one name, in two repositories"


def test_a_head_is_in_the_partition_of_its_branch() -> None:
    assert verdict(refs.head_exists.check(snapshot(branch(), HEAD))) == "holds"
    elsewhere = {AT: branch(), (b"r-v", keys.commit_key(HEAD.commit_id)): HEAD}
    assert verdict(refs.head_exists.check(Snapshot(elsewhere, {}, 0, ()))) == "violated"


def test_somebody_finishes() -> None:
    history = History(refs.commit_makes_progress).begins(0, "commit", "a").begins(1, "commit", "b")
    history.ends(1, Status.FAIL, error=BranchBusy())
    assert verdict(history.at_end(EMPTY)) == "violated"
    history.ends(0, effort=(0, 0))
    assert verdict(history.at_end(EMPTY)) == "untested"
