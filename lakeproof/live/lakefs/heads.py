"""Commits, and the branches and tags that lead to them, judged by the calls on them.

A branch that stays is a register of its head: commits, merges, reverts, cherry-picks and hard resets write it, and who
gets the branch reads it. The id of a commit is the value; no two calls make the same one.

Example: two histories, with the events between which each call was under way.

    commit(lake, main, m1) [1, 3] ok: c1         commits-form-one-line: "commit(lake, main, m1) [1, 3] ok
    commit(lake, main, m2) [2, 4] ok: c2         made commit c1, and it is not on main"
    in the end main is c2, c0

    commit(lake, main, m1) [1, 2] ok: c1         branch-update-is-effective: "get_branch(lake, main) [5, 6] ok
    commit(lake, main, m2) [3, 4] ok: c2         found c1 the head of main, which commit(lake, main, m2)
    get_branch(lake, main) [5, 6] ok: c1         [3, 4] ok had moved before; commit(lake, main, m1) [1, 2] ok
    in the end main is c2, c1, c0                had made it the head"
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.live.lakefs import existence
from lakeproof.live.lakefs.calls import MAKERS, MERGES, NEVER, NOT_FOUND, Call
from lakeproof.live.lakefs.contents import Content, FinalState
from lakeproof.live.lakefs.existence import Evidence, Judgement, Kind
from lakeproof.live.lakefs.promises import TRUNK
from lakeproof.live.lakefs.workload import INITIAL_BRANCHES, MERGED, OFFERED, PULLED
from lakeproof.model.invariants import Reached, Violation, entries, refs

ONE_LINE: Final = refs.commits_form_one_line.id
CAUSAL: Final = entries.commit_is_causal.id
REVERTED: Final = "revert-is-effective"
HEAD_MOVED: Final = "branch-update-is-effective"
REPLACERS: Final = frozenset({"delete_branch", "create_branch", "hard_reset"})
"""Calls after which a branch may be another line."""


def judge_heads(calls: Sequence[Call], final: FinalState) -> Iterator[Judgement]:
    """Commits, the branches that stay, and those and the tags that come and go."""
    made = _name_commits(calls, final)
    yield from _commits_kept(calls, final, made)
    yield from _refused_commits(calls, final)
    yield from _merges_causal(calls, final)
    yield from _judge_combined(calls, final, made)
    for branch in INITIAL_BRANCHES:
        yield from _head(branch, [call for call in calls if len(call.args) > 1 and call.args[1] == branch], final, made)
    yield from _branches(calls, final)
    yield from _tags(calls)


def _name_commits(calls: Sequence[Call], final: FinalState) -> dict[int, str]:
    """By the beginning of a call, the commit that it is known to have made. The answer to a revert does not name it,
    but its message does, where the service keeps it."""
    by_message = {message: commit_id for commit_id, message in final.messages.items()}  # messages of clients are unique
    made = {}
    for call in calls:
        if call.ok and call.name in MAKERS:
            found = by_message.get(call.args[3]) if call.name == "revert" else str(call.value)
            if found:
                made[call.began] = found
    return made


def _commits_kept(calls: Sequence[Call], final: FinalState, made: Mapping[int, str]) -> Iterator[Judgement]:
    """Every acknowledged commit is on the line of its branch, unless the branch may be another one since, and those
    that came later are nearer to its head."""
    # A call that may have replaced the branch at any time after a commit began excuses its absence.
    replaced = [call for call in calls if call.name in REPLACERS and call.possible]
    # An old server ignores the message of a revert, which is then found in no log, and proves nothing.
    keeps_messages = any(call.name == "revert" and call.began in made for call in calls)
    for branch, line in sorted(final.logs.items()):
        commits = [call for call in calls if call.name in MAKERS and call.ok and call.args[1] == branch]
        places = {commit_id: place for place, commit_id in enumerate(line)}  # 0 is the head
        kept = []
        for call in commits:
            if any(each.args[1] == branch and each.ended > call.began for each in replaced):
                continue
            commit_id = made.get(call.began, "")
            if not commit_id and not keeps_messages:
                continue
            if commit_id not in places:
                which = f"commit {commit_id}" if commit_id else "a commit"
                evidence = f"{call.shown} made {which}, and it is not on {branch}"
                yield ONE_LINE, Violation(ONE_LINE, evidence)
                return
            yield ONE_LINE, Reached(f"commit {commit_id} is on {branch}")
            kept.append((call, places[commit_id]))
        yield from _in_order(kept, branch)


def _in_order(commits: Sequence[tuple[Call, int]], branch: str) -> Iterator[Judgement]:
    for call, place in commits:
        for later, above in commits:
            # Only calls that do not overlap have an order.
            if later.began > call.ended and above >= place:
                evidence = f"{later.shown} began after {call.shown}, and is not above it on {branch}"
                yield ONE_LINE, Violation(ONE_LINE, evidence)
                return


def _refused_commits(calls: Sequence[Call], final: FinalState) -> Iterator[Judgement]:
    """A commit that was refused is in no log. It is known by its message, which no other call has."""
    named = [call for call in calls if call.name in MAKERS - MERGES]
    possible = {call.args[-1] for call in named if call.possible}
    refused = {call.args[-1]: call for call in named if call.args[-1] not in possible}
    for commit_id, message in final.messages.items():
        if message in refused:
            evidence = f"{refused[message].shown} was refused, and commit {commit_id} has its message"
            yield ONE_LINE, Violation(ONE_LINE, evidence)
            return


def _merges_causal(calls: Sequence[Call], final: FinalState) -> Iterator[Judgement]:
    """A merge holds every commit of its source that was acknowledged before it began. On a branch that takes nothing
    but merges it has the content of the newest one."""
    commits = [call for call in calls if call.name == "commit" and call.ok and call.args[1] in {TRUNK, OFFERED}]
    for merge in calls:
        if merge.name not in MERGES or not merge.ok or str(merge.value) not in final.ancestors:
            continue
        ancestors = final.ancestors[str(merge.value)]
        for commit in commits:
            if merge.args[2] != commit.args[1] or commit.ended > merge.began:
                continue
            if str(commit.value) not in ancestors:
                evidence = f"{commit.shown} was acknowledged before {merge.shown} began, which does not hold it"
                yield CAUSAL, Violation(CAUSAL, evidence)
                return
            yield CAUSAL, Reached(f"{merge.shown} holds commit {commit.value}")
        # The source may have moved while it was merged. The newest of its commits that the merge holds is what it took.
        newest = next((each for each in final.logs.get(merge.args[2], ()) if each in ancestors), "")
        has, took = final.commits.get(str(merge.value)), final.commits.get(newest)
        # Nothing else is written to these branches, so a three-way merge leaves just what the source had.
        if merge.args[1] in {MERGED, PULLED} and has is not None and took is not None and has != took:
            path = min(path for path, _ in has.items() ^ took.items())
            evidence = f"{merge.shown} has {has.get(path)!r} at {path}, and what it took, {newest}, {took.get(path)!r}"
            yield CAUSAL, Violation(CAUSAL, evidence)
            return


def _judge_combined(calls: Sequence[Call], final: FinalState, made: Mapping[int, str]) -> Iterator[Judgement]:
    """A revert takes back just what a commit changed, and a cherry-pick does it once more, path by path: what neither
    side of the three-way merge changed, or one of them, or both alike. Judged where all four contents are known."""
    # A line of first parents, newest first: each commit is before its parent.
    parents = {line[at]: line[at + 1] for line in final.logs.values() for at in range(len(line) - 1)}
    for call in calls:
        if call.name not in {"revert", "cherry_pick"} or call.began not in made:
            continue
        commit_id, target = made[call.began], call.args[2]
        ids = (commit_id, parents.get(commit_id, ""), target, parents.get(target, ""))
        if any(each not in final.commits for each in ids):
            continue
        after, before, changed, unchanged = (final.commits[each] for each in ids)
        # A revert merges the parent of its target with the target as the base; a cherry-pick the other way round.
        base, source = (changed, unchanged) if call.name == "revert" else (unchanged, changed)
        for path in sorted({*after, *before, *base, *source}):
            if after.get(path) not in _merge(base, source, before, path):
                has, was, did, didnt = (each.get(path) for each in (after, before, changed, unchanged))
                evidence = (
                    f"{call.shown} made {commit_id}, which has {has!r} at {path}; before it had {was!r}, "
                    f"{target} has {did!r}, its parent {didnt!r}"
                )
                yield REVERTED, Violation(REVERTED, evidence)
                return
        yield REVERTED, Reached(f"{call.shown} changed what {target} did, and nothing else")


def _merge(base: Content, source: Content, destination: Content, path: str) -> tuple[str | None, ...]:
    """What a three-way merge may leave at a path. A conflict is refused: none is legal."""
    was, theirs, ours = base.get(path), source.get(path), destination.get(path)
    if theirs in (ours, was):
        return (ours,)
    return (theirs,) if ours == was else ()  # both changed it, and differently


@attrs.frozen
class _Write:
    """A call that may have moved a branch. head: whereto; empty: unknown."""

    call: Call
    head: str

    @property
    def leaves(self) -> bool:
        """Whether the head after it is another one for sure than those that other calls have made."""
        return bool(self.head) or self.call.name in MAKERS


def _head(branch: str, calls: Sequence[Call], final: FinalState, made: Mapping[int, str]) -> Iterator[Judgement]:
    """The branch is there, and no read finds a head that was left before it began. calls: those on the branch."""
    gets = [call for call in calls if call.name == "get_branch"]
    missed = next((call for call in gets if call.code == NOT_FOUND), None)
    if missed is not None:
        evidence = f"{missed.shown} found nothing, and no client deletes {branch}"
        yield existence.EFFECTIVE, Violation(existence.EFFECTIVE, evidence)
    writes = [_Write(call, made.get(call.began, "")) for call in calls if call.name in MAKERS and call.possible]
    resets = [call for call in calls if call.name == "hard_reset" and call.possible]
    # A reset to a branch goes to whatever head that has at the time.
    writes += [_Write(call, "" if call.args[2] in INITIAL_BRANCHES else call.args[2]) for call in resets]
    reads = [(call.shown, str(call.value), call.began, call.ended) for call in gets if call.ok]
    if final.logs.get(branch):
        # The final state is one more read, after all calls.
        reads.append((f"{branch} in the end", final.logs[branch][0], NEVER, NEVER))
    sure = sorted((each for each in writes if each.call.ok and each.leaves), key=lambda each: each.call.ended)
    for shown, head, began, ended in reads:
        before = [each for each in sure if each.call.ended < began]
        may = [each for each in writes if each.head == head and each.call.began < ended]
        unknown = [each for each in writes if not each.head and each.call.began < ended]
        # Nothing is sure where a write of unknown head may have made this one, or an unknown reset come back to it.
        if not before or (not may and unknown) or not all(each.leaves for each in unknown):
            continue
        left = [_find_departure(each, before) for each in may]
        # Every call that may have made this head was followed by another one that moved the branch, before the read
        # began. True as well where there is none.
        if all(left):
            last = (left and left[0]) or before[-1]
            evidence = f"{shown} found {head} the head of {branch}, which {last.call.shown} had moved before"
            by = f"; {may[0].call.shown} had made it the head" if may else "; no call made it the head"
            yield HEAD_MOVED, Violation(HEAD_MOVED, evidence + by)
            return
        yield HEAD_MOVED, Reached(f"{shown} found a head that was not left")


def _find_departure(write: _Write, before: Sequence[_Write]) -> _Write | None:
    """A call that moved the branch elsewhere, after a write and before a read; None: none did for sure."""
    return next((each for each in before if each.call.began > write.call.ended and each.head != write.head), None)


def _branches(calls: Sequence[Call], final: FinalState) -> Iterator[Judgement]:
    """The branches that come and go, each by itself."""
    by_name = defaultdict(list)
    for call in calls:
        for name, item in _branch_evidence(call):
            by_name[name].append(item)
    for name in final.listed:
        by_name[name].append(Evidence(Kind.SEEN, NEVER, NEVER, "the list of branches in the end"))
    for name, items in sorted(by_name.items()):
        # The branches that stay are created by no recorded call, and `judge_initial_branches` has them.
        if any(item.kind in {Kind.CREATE, Kind.REFUSED} for item in items):
            yield from existence.judge(f"branch {name}", items, existence.BRANCH_SPARED)


def _branch_evidence(call: Call) -> Iterator[tuple[str, Evidence]]:
    if len(call.args) > 1 and call.name not in TAG_CALLS:
        if item := existence.evidence_of(call, "branch", call.began):
            yield call.args[1], item
        # Every other call that succeeded on a branch has found it.
        elif call.ok:
            yield call.args[1], existence.seen_by(call)


TAG_CALLS: Final = frozenset({"create_tag", "get_tag", "delete_tag"})


def _tags(calls: Sequence[Call]) -> Iterator[Judgement]:
    """The tags that come and go, each by itself. None is ever moved."""
    by_name = defaultdict(list)
    for call in calls:
        if call.name in TAG_CALLS:
            by_name[call.args[1]].append(call)
    for name, mine in sorted(by_name.items()):
        creates = [call for call in mine if call.name == "create_tag" and call.possible]
        items = [item for call in mine for item in _tag_evidence(call, creates)]
        yield from existence.judge(f"tag {name}", items, existence.EFFECTIVE)
        yield from _tag_targets(name, mine, creates)


def _target(create: Call) -> str:
    """The commit that a tag was created for; empty: a branch, and no answer that names its head."""
    # A ref that is no branch is a commit id already.
    return str(create.value) if create.ok else "" if create.args[2] in INITIAL_BRANCHES else create.args[2]


def _tag_evidence(call: Call, creates: Sequence[Call]) -> Iterator[Evidence]:
    if item := existence.evidence_of(call, "tag", call.began):
        yield item
    elif call.ok:
        yield existence.seen_by(call, _incarnation_of(call.value, creates))


def _incarnation_of(commit_id: Hashable, creates: Sequence[Call]) -> Hashable:
    """The create that made a tag with this commit, if it can be no other one."""
    may = [call for call in creates if _target(call) in {commit_id, ""}]
    return may[0].began if len(may) == 1 else None


def _tag_targets(name: str, calls: Sequence[Call], creates: Sequence[Call]) -> Iterator[Judgement]:
    for call in calls:
        if call.name != "get_tag" or not call.ok:
            continue
        if not any(_target(create) in {call.value, ""} and create.began < call.ended for create in creates):
            evidence = f"tag {name}: {call.shown} found {call.value}, and no create had named it"
            yield existence.EFFECTIVE, Violation(existence.EFFECTIVE, evidence)
            return
        yield existence.EFFECTIVE, Reached(f"tag {name}: {call.shown} found a commit that a create had named")
