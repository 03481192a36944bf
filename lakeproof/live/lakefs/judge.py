"""The calls on a service, judged with its final state: the invariants that show from outside.

Pure: values in, findings out. Paths are judged by the monitors of the search, in `paths`; commits, branches and tags in
`heads`; repositories here. Each name and each path is judged by itself, so that a known cause excuses nothing else
(`lakeproof.live.lakefs.known_issues`).
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from lakeproof.live.lakefs import existence
from lakeproof.live.lakefs.calls import NEVER, NOT_FOUND, Call
from lakeproof.live.lakefs.contents import FinalState, RepositoryState
from lakeproof.live.lakefs.existence import REFUSED_ABSENT, Evidence, Judgement, Kind
from lakeproof.live.lakefs.heads import judge_heads
from lakeproof.live.lakefs.imports import judge_imports
from lakeproof.live.lakefs.known_issues import CACHE, NONE, REFUSED_DELETE, Causes, KnownIssues, judge_causes
from lakeproof.live.lakefs.paths import judge_paths
from lakeproof.live.lakefs.pulls import judge_pulls
from lakeproof.live.report import Judged
from lakeproof.model.invariants import Reached, Violation, entries

WRITE_KEPT: Final = entries.acknowledged_write_is_kept.id
ZOMBIE: Final = "no-reachable-zombie"
PLAIN: Final = "set_entry"
NO_ISSUES: Final = KnownIssues()
CAUSES: Final = frozenset({CACHE, REFUSED_DELETE})
CACHED: Final = frozenset({"get_repository", "create_branch", PLAIN})
"""Calls that a server may answer from what it remembers of a repository. Creates, deletes and listings do not."""
_BILLION: Final = 1_000_000_000

Since = Callable[[Call], float]
"""What a call says may have been so from then on: the number of an event, or half a number after one."""


def judge_entries(calls: Sequence[Call], final: FinalState, issues: KnownIssues = NO_ISSUES) -> Iterator[Judged]:
    """The calls on the repository that stays, against what it holds."""
    yield from judge_paths(calls, final, issues)
    yield from judge_heads(calls, final)
    yield from judge_imports(calls, final)
    yield from judge_pulls(calls)


def judge_initial_branches(lake: str, founded: Iterable[str], final: FinalState) -> Iterator[Judgement]:
    """The repository that stays and the branches that no client deletes. They were acknowledged before all else."""
    for branch in founded:
        if branch not in final.branches:
            evidence = f"branch {branch} of {lake} was made in the beginning and never deleted; in the end it is gone"
            yield existence.EFFECTIVE, Violation(existence.EFFECTIVE, evidence)


def judge_repositories(
    calls: Sequence[Call], last: Mapping[str, RepositoryState], issues: KnownIssues = NO_ISSUES
) -> Iterator[Judged]:
    """The calls on repositories that come and go, against what is there in the end."""
    by_name: dict[str, list[Call]] = defaultdict(list)
    for call in calls:
        if call.name == "list_repositories" and call.ok:
            assert isinstance(call.value, tuple)
            # A listing is evidence of each name that it has. Absence is not used: the pages of a listing are no
            # snapshot.
            for name in {name for name, _ in call.value}:
                by_name[name].append(call)
        elif call.args and call.name != "list_repositories":
            by_name[call.args[0]].append(call)
    remembered = _cache_bounds(calls, issues.cache_seconds)
    for name, mine in sorted(by_name.items()):

        # The defaults bind the values of this turn of the loop.
        def judging(causes: Causes, name: str = name, mine: Sequence[Call] = mine) -> list[Judgement]:
            since = remembered if CACHE in causes else _began
            items = [item for call in mine for item in _evidence_of(call, name, since, causes)]
            found = list(existence.judge(name, items, existence.REPOSITORY_SPARED))
            return found + (list(_belongings(mine, last[name], since)) if name in last else [])

        yield from judge_causes(judging, CAUSES, issues)


def _began(call: Call) -> float:
    return call.began


def _cache_bounds(calls: Iterable[Call], seconds: float) -> Since:
    """From when on a call may say what was, if caches remember it for so many seconds: the last event before that."""
    events = sorted(
        {(call.called, call.began) for call in calls} | {(call.returned, call.noted) for call in calls if call.returned}
    )
    times, numbers = [when for when, _ in events], [number for _, number in events]

    def since(call: Call) -> float:
        if call.name not in CACHED:
            return call.began
        # Caches have times, the order of calls has event numbers: the last event before that time connects them.
        first = bisect_left(times, call.called - seconds * _BILLION)
        return min(call.began, numbers[first - 1] + 0.5 if first else 0)  # after that event, before the next one

    return since


def _evidence_of(call: Call, name: str, since: Since = _began, causes: Causes = NONE) -> Iterator[Evidence]:
    """What a call shows of a repository."""
    if call.name == "delete_repository" and call.code == NOT_FOUND and REFUSED_DELETE in causes:
        # With the cause, the delete may have taken effect, and may still do so: possible, not sure, and without an end.
        yield Evidence(Kind.DELETE, call.began, NEVER, call.shown, None, call.ok)
    elif item := existence.evidence_of(call, "repository", call.args[1] if len(call.args) > 1 else None):
        yield item
    elif call.name == "list_repositories" and call.ok:
        assert isinstance(call.value, tuple)
        yield from (existence.seen_by(call, life) for each, life in call.value if each == name)
    elif call.name in CACHED and call.ok:
        yield existence.seen_by(call, call.value if call.name == "get_repository" else None, since(call))


def _belongings(calls: Sequence[Call], last: RepositoryState, since: Since) -> Iterator[Judgement]:
    """Branches and paths, each of which one call alone can have made: are they those of the last life?"""
    birth = next((call for call in calls if call.name == "create_repository" and call.args[1] == last.life), None)
    if birth is None:
        return
    for call in calls:
        if call.name not in {"create_branch", PLAIN}:
            continue
        # `plan_repository_call` uses each branch and path once, so one call alone can have made it.
        made = call.args[2] if call.name == PLAIN else call.args[1]
        there = made in (last.paths if call.name == PLAIN else last.branches)
        if there and not call.possible:
            yield REFUSED_ABSENT, Violation(REFUSED_ABSENT, f"{call.shown} was refused, and {made} is there")
            return
        if not call.ok:
            continue
        if call.ended < birth.began:
            if there:
                yield ZOMBIE, Violation(ZOMBIE, f"{call.shown} made {made}, and it is in what {birth.shown} made later")
                return
            yield ZOMBIE, Reached(f"{made} is gone with the life that it was made in")
        # Only what was surely done in this life must be there. A cached answer may be about the life before it.
        elif birth.ok and since(call) > birth.ended:
            broken = WRITE_KEPT if call.name == PLAIN else existence.EFFECTIVE
            if not there:
                yield broken, Violation(broken, f"{call.shown} made {made} in what {birth.shown} had made; it is gone")
                return
            yield broken, Reached(f"{made} is there")
