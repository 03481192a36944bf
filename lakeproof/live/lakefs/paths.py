"""Calls on one path of a branch: the monitors of the search, and what only the history of a service shows.

Every monitor of entries looks at one path at a time. So each path is judged by itself, with the calls that may change
it, the reads of it and the commits of its branch: a violation is then about few calls, and its evidence has them.

Example: four calls on main, with their events. The history of x has the first three, that of y the commit and the last.

    set_entry(lake, main, x, 1) [1, 2] ok 201      read-is-legal: "get_entry found None at b'x'; it may find b'1': ...",
    commit(lake, main, m) [3, 6] ok 201            and the three calls
    get_entry(lake, main, x) [4, 5] fail 404
    set_entry(lake, main, y, 2) [7, 8] ok 201      acknowledged-write-is-kept: reached, "b'2' at b'y' of main is kept"

The read is beside the commit. So ``--known missed-read`` explains it: taken for a read without an answer, it violates
nothing, and the violation is set aside.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

import attrs

from lakeproof.live.lakefs import existence
from lakeproof.live.lakefs.calls import NEVER, NOT_FOUND, Call, kind_of
from lakeproof.live.lakefs.contents import FinalState
from lakeproof.live.lakefs.existence import REFUSED_ABSENT, Evidence, Judgement, Kind
from lakeproof.live.lakefs.known_issues import MISSED_READ, REFUSED_WRITE, Causes, KnownIssues, judge_causes
from lakeproof.live.lakefs.promises import EXCLUSIVE, MONITORS
from lakeproof.live.lakefs.updates import WRITES, judge_updates
from lakeproof.live.report import Judged
from lakeproof.model import calls as kinds
from lakeproof.model import committed, keys
from lakeproof.model.errors import PathNotFound
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken
from lakeproof.model.invariants import Monitor, Reached, Violation, entries
from lakeproof.model.invariants.changes import BRANCH_WIDE, PREFIX_WIDE, reach, values
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status

RESET_KEPT: Final = "acknowledged-reset-is-kept"
CLEAN: Final = entries.branch_starts_clean.id
FAILED: Final = 412
CONDITIONAL: Final = "create_entry"
RESETS: Final = frozenset({"reset_branch", "reset_prefix", "reset_entry"})
BRINGS: Final = frozenset({"merge", "revert", "update_branch"})
"""What may bring back to a branch what was committed somewhere."""
OF_METADATA: Final = frozenset({"stat_entry", "update_metadata"})
CAUSES: Final = frozenset({REFUSED_WRITE, MISSED_READ})
NO_META_RANGE: Final = MetaRangeID("")
SHOWN_MAX: Final = 6
"""Calls that evidence has, besides those that it names."""


@attrs.frozen
class PathHistory:
    """Calls on one path of a branch, in the order in which it was begun."""

    branch: str
    path: str
    calls: Sequence[Call]
    final: FinalState

    @property
    def writes(self) -> list[Call]:
        return [call for call in self.calls if call.name in WRITES]


def judge_paths(calls: Sequence[Call], final: FinalState, issues: KnownIssues) -> Iterator[Judged]:
    """All paths of all branches of a repository."""
    seen = _where(final)
    for history in _histories(calls, final):

        def judging(causes: Causes, history: PathHistory = history) -> list[Judgement]:
            return list(_judge(_supposing(history, seen, causes), seen))

        yield from judge_causes(judging, CAUSES, issues)


def _histories(calls: Sequence[Call], final: FinalState) -> Iterator[PathHistory]:
    by_path: dict[tuple[str, str], list[Call]] = defaultdict(list)
    wide: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        kind = kinds.kind_of(kind_of(call))
        # A commit changes no path, and yet belongs to each: it is what `commit-is-causal` and excuses are about.
        if kind in BRANCH_WIDE or kind in PREFIX_WIDE or kind is kinds.COMMIT:
            wide[call.args[1]].append(call)
        elif len(call.args) > 2 and (
            reach(kind_of(call), encode(call)) or kind is kinds.GET_ENTRY or call.name in OF_METADATA
        ):
            by_path[call.args[1], call.args[2]].append(call)
    for (branch, path), mine in sorted(by_path.items()):
        # A reset of a prefix concerns only the paths under it.
        others = [call for call in wide[branch] if call.name == "commit" or covers(call, branch, path)]
        yield PathHistory(branch, path, sorted([*mine, *others], key=lambda call: call.began), final)


def encode(call: Call) -> tuple[Hashable, ...]:
    """The arguments of a call, as the invariants know them."""
    return (*call.args[:2], *(each.encode() for each in call.args[2:]))


def covers(call: Call, branch: str, path: str) -> bool:
    """Whether a call may change a path of a branch."""
    return any(each.covers(branch, path.encode()) for each in reach(kind_of(call), encode(call)))


def _where(final: FinalState) -> dict[tuple[str, str], str]:
    """By path and value, some place where it is in the end."""
    found: dict[tuple[str, str], str] = {}
    for commit_id, content in final.commits.items():
        # Values are unique, so one place is enough.
        found.update(((path, value), f"commit {commit_id}") for path, value in content.items())
    for branch, content in final.branches.items():
        found.update(((path, value), f"branch {branch} in the end") for path, value in content.items())
    return found


def _supposing(history: PathHistory, seen: Mapping[tuple[str, str], str], causes: Causes) -> PathHistory:
    """The same calls, understood as far as these causes excuse them."""
    if not causes:
        return history
    return attrs.evolve(history, calls=[_suppose(call, history, seen, causes) for call in history.calls])


def _suppose(call: Call, history: PathHistory, seen: Mapping[tuple[str, str], str], causes: Causes) -> Call:
    refused = call.name == CONDITIONAL and call.status is Status.FAIL and call.code == FAILED
    if (REFUSED_WRITE in causes and refused and _find_sighting(call, history, seen)) or (
        MISSED_READ in causes and _may_miss(call, history)
    ):
        # Understood as a call without an answer: a write may have taken effect, and a read says nothing.
        return attrs.evolve(call, status=Status.INFO, ended=NEVER)
    return call


def _may_miss(read: Call, history: PathHistory) -> bool:
    """Whether a read may have missed what was staged: it found nothing, or what an earlier commit has."""
    beside = [call for call in history.calls if _beside(read, call)] if read.name in {"get_entry", "stat_entry"} else []
    # Metadata do not show which write a stat has found, so beside a commit it may have missed any.
    if read.name == "stat_entry" or not beside or not read.ok:
        return bool(beside) and (read.ok or read.code == NOT_FOUND)
    # A value that was read: excused only if an earlier commit may hold it, and another commit beside the read may have
    # hidden what is newer.
    write = next((call for call in history.writes if call.possible and call.args[3] == read.value), None)
    commits = [call for call in history.calls if call.name == "commit" and call.possible and call.began < read.ended]
    return write is not None and any(
        older.ended > write.began and any(newer is not older for newer in beside) for older in commits
    )


def _beside(read: Call, commit: Call) -> bool:
    """Whether a commit may have ended while a read was under way."""
    # The read gets the branch, the commit moves the entry to a new head and empties the token, and the read finds
    # nothing in it.
    return commit.name == "commit" and commit.possible and commit.began < read.ended and commit.ended > read.began


def _find_sighting(write: Call, history: PathHistory, seen: Mapping[tuple[str, str], str], since: int = 0) -> str:
    """Which read shows the value of a write, after an event, or what does in the end; empty: none. No other call wrote
    it."""
    value = write.args[3]
    for call in history.calls:
        if call.name == "get_entry" and call.ok and call.began > since and call.value == value:
            return call.shown
    return seen.get((history.path, value), "")


def _judge(history: PathHistory, seen: Mapping[tuple[str, str], str]) -> Iterator[Judgement]:
    yield from _judge_refused(history, seen)
    for monitor in MONITORS:
        yield from _run_monitor(monitor, history)
    yield from _exclusive(history)
    yield from _forgotten(history)
    yield from judge_updates(history.calls)


def _judge_refused(history: PathHistory, seen: Mapping[tuple[str, str], str]) -> Iterator[Judgement]:
    """A write that was refused is nowhere, not only not on its branch in the end."""
    for write in history.writes:
        sighted = _find_sighting(write, history, seen) if write.status is Status.FAIL else ""
        if sighted:
            evidence = f"{write.shown} was refused, and {sighted} has its value"
            yield REFUSED_ABSENT, Violation(REFUSED_ABSENT, evidence)
            return


def _run_monitor(monitor: Monitor, history: PathHistory) -> Iterator[Judgement]:
    state = monitor.initial
    # The other monitors ignore commits, of which a history has many.
    for event in _events(history, commits=monitor.id == entries.commit_is_causal.id):
        state, found = monitor.advance(state, event)
        for finding in found:
            if isinstance(finding, Violation):
                # `_events` numbers clients by the places of their calls.
                at = history.calls[event.client]
                yield monitor.id, Violation(monitor.id, f"{finding.evidence}: {_explain(history, finding, at)}")
                return
            yield monitor.id, finding
    # No violation so far, for the state of a monitor means nothing after one.
    if monitor.at_end is not None:
        for finding in monitor.at_end(state, _snapshot(history)):
            if isinstance(finding, Violation):
                yield monitor.id, Violation(monitor.id, f"{finding.evidence}: {_explain(history, finding, None)}")
                return
            yield monitor.id, finding


def _explain(history: PathHistory, violation: Violation, at: Call | None) -> str:
    """The calls that a violation is about: those whose values or commits it names, and the last ones beside or after
    them."""
    names = [call for call in history.calls if call is at or _is_named(call, violation.evidence)]
    since = min((call.began for call in names), default=0)
    until = at.noted if at is not None else NEVER
    rest = [call for call in history.calls if call not in names and call.ended > since and call.began < until]
    # Other reads and commits cannot have caused it. A commit beside the read in question may have.
    rest = [call for call in rest if call.name not in {"get_entry", "commit"} or (at and _beside(at, call))]
    shown = sorted([*names, *rest[-SHOWN_MAX:]], key=lambda call: call.began)
    return "; ".join(call.shown for call in shown) or "no call explains it"


def _is_named(call: Call, evidence: str) -> bool:
    written = call.args[3:4] if call.name in WRITES else ()
    if call.name == "commit" and call.ok:
        # The blank keeps a short id from matching the beginning of a longer one.
        return f"commit {str(call.value)[:8]} " in evidence
    return any(repr(value.encode()) in evidence for value in written)


def _events(history: PathHistory, *, commits: bool) -> Iterator[Event]:
    """The calls as the monitors read them: each is the only call of a client of its own."""
    ordered: list[tuple[int, Event]] = []
    for number, call in enumerate(history.calls):
        if call.name == "commit" and not commits:
            continue
        args = encode(call)
        ordered.append((call.began, Invoked(number, 0, kind_of(call), args)))
        # What was not definitely answered has no return: its client counts as crashed with the call under way.
        if call.ended != NEVER:
            view = CallView(kind_of(call), args, call.status, _value(call), _error(call))
            ordered.append((call.ended, Returned(number, 0, view)))
    yield from (event for _, event in sorted(ordered, key=lambda each: each[0]))


def _value(call: Call) -> Hashable:
    if call.name == "get_entry" and call.ok:
        assert isinstance(call.value, str)
        return committed.Entry(path=call.args[2].encode(), identity=call.value.encode(), data=b"")
    # Monitors compare commits by their ids, and read nothing else of them here.
    return _commit(str(call.value)) if call.name == "commit" and call.ok else call.value


def _error(call: Call) -> Exception | None:
    if call.status is Status.OK:
        return None
    missing = call.name == "get_entry" and call.code == NOT_FOUND  # any other refusal says nothing about the path
    return PathNotFound(call.args[2].encode()) if missing else LookupError(call.words)


def _commit(commit_id: str, meta_range_id: MetaRangeID = NO_META_RANGE) -> Commit:
    name = CommitID(commit_id)
    return Commit(commit_id=name, committer="", message="", creation_date=0, meta_range_id=meta_range_id)


# A range is encoded and hashed each time, and one value of a path is in many commits.
@lru_cache(maxsize=4096)
def _write_objects(path: str, value: str) -> tuple[MetaRangeID, tuple[tuple[str, StoredObject], ...]]:
    """A metarange with one entry, and the objects that it is made of."""
    made = committed.write([committed.Entry(path=path.encode(), identity=value.encode(), data=b"")])
    objects = [(committed.object_address("service", each), StoredObject(raw)) for each, raw in made.objects.items()]
    return made.meta_range_id, tuple(objects)


def _snapshot(history: PathHistory) -> Snapshot:
    """A store that holds just this path: for each branch a commit of what it shows there."""
    store: dict[tuple[bytes, bytes], Record | bytes] = {}
    objects: dict[str, StoredObject] = {}
    final, partition = history.final, b"service"
    mine = [str(call.value) for call in history.calls if call.name == "commit" and call.ok]
    # The head shows staged entries, too. It becomes one commit, `tip`, on a branch with an empty token: what matters is
    # what the branch shows, not where it lies.
    contents = {commit_id: final.commits[commit_id] for commit_id in mine if commit_id in final.commits}
    if history.branch in final.branches:
        tip, name = f"tip.{history.branch}", BranchID(history.branch)
        contents[tip] = final.branches[history.branch]
        token = StagingToken(f"t.{name}")
        store[partition, keys.branch_key(name)] = Branch(branch_id=name, commit_id=CommitID(tip), staging_token=token)
    for commit_id, content in contents.items():
        value, meta_range_id = content.get(history.path), NO_META_RANGE
        if value is not None:
            meta_range_id, made = _write_objects(history.path, value)
            objects.update(made)
        commit = _commit(commit_id, meta_range_id)
        store[partition, keys.commit_key(commit.commit_id)] = commit
    return Snapshot(store=store, objects=objects, now=0, clients=())


def _exclusive(history: PathHistory) -> Iterator[Judgement]:
    """Of writes that require an absent path, at most one succeeds until the path may have been emptied."""
    attempts = [call for call in history.calls if call.name == CONDITIONAL]
    if not attempts:
        return
    emptied = [call for call in history.calls if call.possible and _may_empty(call, history)]
    # The same counting as for repositories: a write that requires absence is a create, and what may empty the path a
    # delete.
    makers = [Evidence(Kind.CREATE, call.began, call.ended, call.shown, sure=call.ok) for call in attempts]
    breakers = [Evidence(Kind.DELETE, call.began, call.ended, call.shown) for call in emptied]
    found = existence.find_surplus(makers, breakers)
    if found is not None:
        calls_ = "; ".join(item.shown for item in found[0])
        evidence = (
            f"{len(found[0])} writes found {history.path} of {history.branch} absent, "
            f"{found[1]} may have emptied it: {calls_}"
        )
        yield EXCLUSIVE, Violation(EXCLUSIVE, evidence)
        return
    yield from _after_writes(attempts, [call for call in history.writes if call.ok], emptied, history.path)


def _after_writes(
    attempts: Sequence[Call], writes: Sequence[Call], emptied: Sequence[Call], path: str
) -> Iterator[Judgement]:
    for attempt in attempts:
        for write in writes:
            # Only a write that was over before the attempt began must have been seen by it.
            if write.ended >= attempt.began or any(
                each.ended > write.began and each.began < attempt.ended for each in emptied
            ):
                continue
            if attempt.ok:
                evidence = f"{attempt.shown} found {path} absent after {write.shown}, and no client can have emptied it"
                yield EXCLUSIVE, Violation(EXCLUSIVE, evidence)
                return
            yield EXCLUSIVE, Reached(f"{attempt.shown} was refused: something was there")
            break


def _may_empty(call: Call, history: PathHistory) -> bool:
    # A plain write covers the path as well, but leaves a value there.
    gives = any(to == history.path.encode() and value is not None for to, value in values(kind_of(call), encode(call)))
    return not gives and covers(call, history.branch, history.path)


def _forgotten(history: PathHistory) -> Iterator[Judgement]:
    """What was written before a call that forgets it began, and was not committed until it ended, is gone for good. A
    new branch does not have what was committed to the one before it either."""
    writes = [call for call in history.writes if call.ok]
    kept = history.final.branches.get(history.branch, {}).get(history.path)
    in_the_end = {} if kept is None else {(history.path, kept): f"{history.branch} in the end"}
    for forgetting in history.calls:
        resets = forgetting.name in RESETS
        if not forgetting.ok or not (resets or forgetting.name == "create_branch"):
            continue
        invariant = RESET_KEPT if resets else CLEAN
        # A reset spares what was committed on its branch. A new branch begins at its source, whatever was committed on
        # the old one.
        spares = BRINGS | {"commit"} if resets else BRINGS
        spared = [call for call in history.calls if kind_of(call) in spares and call.possible]
        for write in writes:
            if write.ended > forgetting.began or _may_be_spared(write, forgetting, spared):
                continue
            # Only what began after the end of the reset: a read beside it may have come first.
            seen = _find_sighting(write, history, in_the_end, forgetting.ended)
            if seen:
                evidence = f"{write.shown} was forgotten by {forgetting.shown}, and {seen} has it"
                yield invariant, Violation(invariant, evidence)
                return
            yield invariant, Reached(f"{write.shown} is gone after {forgetting.shown}")


def _may_be_spared(write: Call, forgetting: Call, spared: Iterable[Call]) -> bool:
    """Whether what was written may have been committed before it was forgotten, or comes back from elsewhere."""
    return any(
        # A merge or revert may bring the value back even after it was forgotten; a commit only keeps it if it came
        # before.
        each.ended > write.began and (each.began < forgetting.ended or kind_of(each) in BRINGS) for each in spared
    )
