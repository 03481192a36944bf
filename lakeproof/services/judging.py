"""What a service was told to do, held against what it then holds: the invariants that can be asked from outside.

Pure: values in, findings out. Entries are judged by the monitors of the search (`lakeproof.model.invariants.entries`),
repositories and branches by `lakeproof.services.presence`; what only a service's history can be asked is here.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model import committed, keys
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken
from lakeproof.model.invariants import Monitor, Reached, Violation, entries, refs
from lakeproof.model.invariants._changes import reach, values
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Branch, Commit, Record
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status
from lakeproof.services import presence
from lakeproof.services.calls import NEVER, Call
from lakeproof.services.presence import Judgement, Kind, Touch

TRUNK: Final = "main"
EXCLUSIVE: Final = "conditional-write-is-exclusive"
RESET_KEPT: Final = "acknowledged-reset-is-kept"
ONE_LINE: Final = refs.commits_form_one_line.id
CAUSAL: Final = entries.commit_is_causal.id
WRITE_KEPT: Final = entries.acknowledged_write_is_kept.id
ZOMBIE: Final = "no-reachable-zombie"
NOT_FOUND: Final = 404
PLAIN: Final = "set_entry"
CONDITIONAL: Final = "create_entry"

MONITORS: Final[tuple[Monitor, ...]] = (
    entries.acknowledged_write_is_kept,
    entries.acknowledged_delete_is_kept,
    entries.refused_write_is_absent,
    entries.commit_is_causal,
    entries.read_is_legal({}, TRUNK),
    entries.branch_starts_clean,
)
IDS: Final = (
    presence.UNIQUE,
    presence.EFFECTIVE,
    presence.INACCESSIBLE,
    presence.REPOSITORY_SPARED,
    presence.BRANCH_SPARED,
    ZOMBIE,
    *(monitor.id for monitor in MONITORS),
    EXCLUSIVE,
    RESET_KEPT,
    ONE_LINE,
)
"""All that is asked of a service."""

Content = Mapping[str, str]
"""Path to value."""


@attrs.define
class Held:
    """What one repository holds in the end, when nobody is at work."""

    branches: dict[str, Content] = attrs.field(factory=dict)
    """The entries of each branch that is there, staged ones too."""
    logs: dict[str, Sequence[str]] = attrs.field(factory=dict)
    """The commits of each branch along first parents, newest first."""
    ancestors: dict[str, frozenset[str]] = attrs.field(factory=dict)
    """All commits that a merge is made of, itself too: of the merges that were acknowledged."""
    commits: dict[str, Content] = attrs.field(factory=dict)
    """The entries of the commits that were acknowledged."""


@attrs.define
class Last:
    """What a name that comes and goes holds in the end: the life that was there, its branches and paths."""

    life: str
    branches: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()


def judge_entries(calls: Sequence[Call], held: Held) -> Iterator[Judgement]:
    """The calls on the repository that stays, against what it holds."""
    events, snapshot = list(_events(calls)), _snapshot(held)
    for monitor in MONITORS:
        yield from _monitored(monitor, events, snapshot)
    yield from _exclusive(calls)
    yield from _forgotten(calls, held, "reset_branch", RESET_KEPT)
    yield from _forgotten(calls, held, "create_branch", entries.branch_starts_clean.id)
    yield from _commits_kept(calls, held)
    yield from _merges_causal(calls, held)
    yield from _branches(calls)


def judge_founded(lake: str, founded: Iterable[str], held: Held) -> Iterator[Judgement]:
    """The repository that stays and the branches that nobody deletes. They were acknowledged before all else."""
    for branch in founded:
        if branch not in held.branches:
            evidence = f"branch {branch} of {lake} was made in the beginning and never deleted; in the end it is gone"
            yield presence.EFFECTIVE, Violation(presence.EFFECTIVE, evidence)


def judge_repositories(calls: Sequence[Call], last: Mapping[str, Last]) -> Iterator[Judgement]:
    """The calls on repositories that come and go, against what is there in the end."""
    by_name = defaultdict(list)
    for call in calls:
        for name, touch in _touches(call):
            by_name[name].append(touch)
    for name, touches in sorted(by_name.items()):
        yield from presence.judge(name, touches, presence.REPOSITORY_SPARED)
    for name, found in sorted(last.items()):
        yield from _belongings([call for call in calls if call.args and call.args[0] == name], found)


def _touches(call: Call) -> Iterator[tuple[str, Touch]]:
    """What a call says of repositories."""
    touch = Touch(Kind.SEEN, call.began, call.ended, call.shown, None, call.ok)
    name = call.args[0] if call.args else ""
    match call.name, call.status:
        case "create_repository", Status.OK | Status.INFO:
            yield name, attrs.evolve(touch, kind=Kind.CREATE, life=call.args[1])
        case "create_repository", _:
            yield name, attrs.evolve(touch, kind=Kind.REFUSED)
        case "delete_repository", Status.OK | Status.INFO:
            yield name, attrs.evolve(touch, kind=Kind.DELETE)
        case "delete_repository" | "get_repository", Status.FAIL if call.code == NOT_FOUND:
            yield name, attrs.evolve(touch, kind=Kind.MISSED)
        case "get_repository", Status.OK:
            yield name, attrs.evolve(touch, life=call.value)
        case "list_repositories", Status.OK:
            assert isinstance(call.value, tuple)
            for each, life in call.value:
                yield each, attrs.evolve(touch, life=life)
        case (("create_branch" | "set_entry"), Status.OK):
            yield name, touch


def _belongings(calls: Sequence[Call], last: Last) -> Iterator[Judgement]:
    """Branches and paths, each of which one call alone can have made: are they those of the last life?"""
    birth = next((call for call in calls if call.name == "create_repository" and call.args[1] == last.life), None)
    if birth is None:
        return
    for call in calls:
        if call.name not in {"create_branch", PLAIN}:
            continue
        made = call.args[2] if call.name == PLAIN else call.args[1]
        there = made in (last.paths if call.name == PLAIN else last.branches)
        if call.ended < birth.began and call.ok:
            if there:
                yield ZOMBIE, Violation(ZOMBIE, f"{call.shown} made {made}, and it is in what {birth.shown} made later")
                return
            yield ZOMBIE, Reached(f"{made} is gone with the life that it was made in")
        elif birth.ok and call.ok and call.began > birth.ended:
            broken = WRITE_KEPT if call.name == PLAIN else presence.EFFECTIVE
            if not there:
                yield broken, Violation(broken, f"{call.shown} made {made} in what {birth.shown} had made; it is gone")
                return
            yield broken, Reached(f"{made} is there")


def _branches(calls: Sequence[Call]) -> Iterator[Judgement]:
    """The branches that come and go, each by itself."""
    by_name = defaultdict(list)
    for call in calls:
        for name, touch in _branch_touches(call):
            by_name[name].append(touch)
    for name, touches in sorted(by_name.items()):
        if any(touch.kind is Kind.CREATE for touch in touches):
            yield from presence.judge(f"branch {name}", touches, presence.BRANCH_SPARED)


def _branch_touches(call: Call) -> Iterator[tuple[str, Touch]]:
    if len(call.args) < 2:
        return
    touch = Touch(Kind.SEEN, call.began, call.ended, call.shown, None, call.ok)
    match call.name, call.status:
        case "create_branch", Status.OK | Status.INFO:
            yield call.args[1], attrs.evolve(touch, kind=Kind.CREATE, life=call.began)
        case "create_branch", _:
            yield call.args[1], attrs.evolve(touch, kind=Kind.REFUSED)
        case "delete_branch", Status.OK | Status.INFO:
            yield call.args[1], attrs.evolve(touch, kind=Kind.DELETE)
        case "delete_branch" | "get_branch", Status.FAIL if call.code == NOT_FOUND:
            yield call.args[1], attrs.evolve(touch, kind=Kind.MISSED)
        case _, Status.OK if call.name not in {"delete_branch", "create_branch"}:
            yield call.args[1], touch


def _events(calls: Iterable[Call]) -> Iterator[Event]:
    """The calls as the monitors want to hear of them. What was not definitely answered has no return: its client is
    taken for crashed, and another goes on in its place."""
    ordered: list[tuple[int, Event]] = []
    for number, call in enumerate(calls):
        args: tuple[Hashable, ...] = call.args
        if len(args) > 2:
            args = (*args[:2], *(each.encode() for each in call.args[2:]))
        invoked = Invoked(number, 0, call.name, args)
        ordered.append((call.began, invoked))
        if call.ended != NEVER:
            view = CallView(call.name, args, call.status, _value(call), _error(call))
            ordered.append((call.ended, Returned(number, 0, view)))
    yield from (event for _, event in sorted(ordered, key=lambda each: each[0]))


def _value(call: Call) -> Hashable:
    if call.name == "get_entry" and call.ok:
        assert isinstance(call.value, str)
        return committed.Entry(path=call.args[2].encode(), identity=call.value.encode(), data=b"")
    return _commit(str(call.value)) if call.name == "commit" and call.ok else call.value


def _error(call: Call) -> Exception | None:
    if call.status is Status.OK:
        return None
    missing = call.name == "get_entry" and call.code == NOT_FOUND
    return PathNotFound(call.args[2].encode()) if missing else LookupError(call.words)


def _commit(commit_id: str, content: Content | None = None) -> Commit:
    written = committed.write(
        committed.Entry(path=path.encode(), identity=value.encode(), data=b"")
        for path, value in sorted((content or {}).items(), key=lambda each: each[0].encode())
    )
    name = CommitID(commit_id)
    return Commit(commit_id=name, committer="", message="", creation_date=0, meta_range_id=written.meta_range_id)


def _snapshot(held: Held) -> Snapshot:
    """A store that holds just this, in one repository: for each branch a commit of all that it shows."""
    store: dict[tuple[bytes, bytes], Record | bytes] = {}
    objects: dict[str, StoredObject] = {}
    partition = b"service"
    tips = {f"tip.{branch}": content for branch, content in held.branches.items()}
    for commit_id, content in (held.commits | tips).items():
        commit = _commit(commit_id, content)
        store[partition, keys.commit_key(commit.commit_id)] = commit
        made = committed.write(
            committed.Entry(path=path.encode(), identity=value.encode(), data=b"")
            for path, value in sorted(content.items(), key=lambda each: each[0].encode())
        )
        for object_id, stored in made.objects.items():
            objects[committed.object_address("service", object_id)] = StoredObject(stored)
    for branch in held.branches:
        name = BranchID(branch)
        record = Branch(branch_id=name, commit_id=CommitID(f"tip.{branch}"), staging_token=StagingToken(f"t.{branch}"))
        store[partition, keys.branch_key(name)] = record
    return Snapshot(store=store, objects=objects, now=0, clients=())


def _monitored(monitor: Monitor, events: Iterable[Event], snapshot: Snapshot) -> Iterator[Judgement]:
    state = monitor.initial
    for event in events:
        state, found = monitor.advance(state, event)
        yield from ((monitor.id, finding) for finding in found)
        if any(isinstance(finding, Violation) for finding in found):
            return
    if monitor.at_end is not None:
        yield from ((monitor.id, finding) for finding in monitor.at_end(state, snapshot))


def _exclusive(calls: Sequence[Call]) -> Iterator[Judgement]:
    """Of writes that require an absent path, at most one succeeds until the path may have been emptied."""
    paths = {(call.args[1], call.args[2]) for call in calls if call.name == CONDITIONAL}
    for branch, path in sorted(paths):
        writes = [call for call in calls if call.name in {PLAIN, CONDITIONAL} and call.args[1:3] == (branch, path)]
        emptied = [call for call in calls if call.possible and _may_empty(call, branch, path)]
        wishes = [call for call in writes if call.name == CONDITIONAL]
        makers = [Touch(Kind.CREATE, call.began, call.ended, call.shown, sure=call.ok) for call in wishes]
        breakers = [Touch(Kind.DELETE, call.began, call.ended, call.shown) for call in emptied]
        found = presence.crowded(makers, breakers)
        if found is not None:
            calls_ = "; ".join(touch.shown for touch in found[0])
            evidence = (
                f"{len(found[0])} writes found {path} of {branch} absent, {found[1]} may have emptied it: {calls_}"
            )
            yield EXCLUSIVE, Violation(EXCLUSIVE, evidence)
            continue
        yield from _after_writes(wishes, [call for call in writes if call.ok], emptied, path)


def _after_writes(
    wishes: Sequence[Call], writes: Sequence[Call], emptied: Sequence[Call], path: str
) -> Iterator[Judgement]:
    for wish in wishes:
        for write in writes:
            if write.ended >= wish.began or any(
                each.ended > write.began and each.began < wish.ended for each in emptied
            ):
                continue
            if wish.ok:
                evidence = f"{wish.shown} found {path} absent after {write.shown}, and no client can have emptied it"
                yield EXCLUSIVE, Violation(EXCLUSIVE, evidence)
                return
            yield EXCLUSIVE, Reached(f"{wish.shown} was refused: something was there")
            break


def _may_empty(call: Call, branch: str, path: str) -> bool:
    args = _encoded(call)
    gives = any(to == path.encode() and value is not None for to, value in values(call.name, args))
    return not gives and any(each.covers(branch, path.encode()) for each in reach(call.name, args))


def _encoded(call: Call) -> tuple[object, ...]:
    return (*call.args[:2], *(each.encode() for each in call.args[2:]))


def _forgotten(calls: Sequence[Call], held: Held, forgets: str, invariant: str) -> Iterator[Judgement]:
    """What was written before a call that forgets it began, and was not committed until it ended, is gone for good. A
    new branch does not have what was committed to the one before it either."""
    spares = "commit" if forgets == "reset_branch" else ""
    writes = [call for call in calls if call.name in {PLAIN, CONDITIONAL} and call.ok]
    for forgetting in calls:
        if forgetting.name != forgets or not forgetting.ok:
            continue
        branch = forgetting.args[1]
        commits = [call for call in calls if call.name == spares and call.possible and call.args[1] == branch]
        for write in writes:
            if write.args[1] != branch or write.ended > forgetting.began:
                continue
            if any(each.ended > write.began and each.began < forgetting.ended for each in commits):
                continue
            seen = _seen_after(forgetting, write, calls, held)
            if seen:
                evidence = f"{write.shown} was forgotten by {forgetting.shown}, and {seen} has it"
                yield invariant, Violation(invariant, evidence)
                return
            yield invariant, Reached(f"{write.shown} is gone after {forgetting.shown}")


def _seen_after(forgetting: Call, write: Call, calls: Sequence[Call], held: Held) -> str:
    """Who has seen what was written, after it was forgotten; empty if nobody has."""
    _, branch, path, value = write.args
    for call in calls:
        reads = call.name == "get_entry" and call.ok and call.args[1:] == (branch, path)
        if reads and call.began > forgetting.ended and call.value == value:
            return call.shown
    return f"{branch} in the end" if held.branches.get(branch, {}).get(path) == value else ""


def _commits_kept(calls: Sequence[Call], held: Held) -> Iterator[Judgement]:
    """Every acknowledged commit and merge is on the line of its branch, unless that was deleted since, and those that
    came later are nearer to its head."""
    recreated = [call for call in calls if call.name in {"delete_branch", "create_branch"} and call.possible]
    made: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.name in {"commit", "merge"} and call.ok and call.args[1] in held.logs:
            made[call.args[1]].append(call)
    for branch, commits in sorted(made.items()):
        places = {commit_id: place for place, commit_id in enumerate(held.logs[branch])}
        kept = []
        for call in commits:
            if any(each.args[1] == branch and each.ended > call.began for each in recreated):
                continue
            if str(call.value) not in places:
                evidence = f"{call.shown} made commit {call.value}, and it is not on {branch}"
                yield ONE_LINE, Violation(ONE_LINE, evidence)
                return
            yield ONE_LINE, Reached(f"commit {call.value} is on {branch}")
            kept.append(call)
        yield from _in_order(kept, places, branch)


def _in_order(commits: Sequence[Call], places: Mapping[str, int], branch: str) -> Iterator[Judgement]:
    for call in commits:
        for later in commits:
            if later.began > call.ended and places[str(later.value)] >= places[str(call.value)]:
                evidence = f"{later.shown} began after {call.shown}, and is not above it on {branch}"
                yield ONE_LINE, Violation(ONE_LINE, evidence)
                return


def _merges_causal(calls: Sequence[Call], held: Held) -> Iterator[Judgement]:
    """A merge holds every commit of its source that was acknowledged before it began."""
    commits = [call for call in calls if call.name == "commit" and call.ok]
    for merge in calls:
        if merge.name != "merge" or not merge.ok or str(merge.value) not in held.ancestors:
            continue
        ancestors = held.ancestors[str(merge.value)]
        for commit in commits:
            if commit.args[1] != merge.args[2] or commit.ended > merge.began or commit.args[1] != TRUNK:
                continue
            if str(commit.value) not in ancestors:
                evidence = f"{commit.shown} was acknowledged before {merge.shown} began, which does not hold it"
                yield CAUSAL, Violation(CAUSAL, evidence)
                return
            yield CAUSAL, Reached(f"{merge.shown} holds commit {commit.value}")
