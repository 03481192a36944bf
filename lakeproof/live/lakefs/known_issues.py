"""Causes that are known of a service, and may be set aside: what they do, and how far they excuse.

A cause changes how calls are understood, never which invariant is judged: a violation is set aside only if the calls of
its name or path contradict each other without the cause, and do not with it. So another bug behind it is still found,
unless the cause alone could have done the same.
"""

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from lakeproof.live.lakefs.existence import INACCESSIBLE, Judgement
from lakeproof.live.report import Judged, NotJudged, Suppressed
from lakeproof.model.invariants import Violation
from lakeproof.words import Unusable

CACHE: Final = "cache"
REFUSED_WRITE: Final = "refused-write"
MISSED_READ: Final = "missed-read"
REFUSED_DELETE: Final = "refused-delete"
CAUSES: Final = {
    CACHE: "a server knows a repository as it was up to 8 s ago (cache=SECONDS: another time)",
    REFUSED_WRITE: "a conditional upload that was answered 412 has taken effect; its value was seen",
    MISSED_READ: "a read beside a commit misses what is staged: it is answered 404, or from an older commit",
    REFUSED_DELETE: "a delete of a repository that was answered 404 takes effect, then or later",
}
"""What can be set aside."""
CACHE_SECONDS: Final = 8.0
"""lakeFS: 5, up to 2 more at random, and 1 for the read that fills the cache."""
ROOT: Final = {CACHE: INACCESSIBLE, REFUSED_WRITE: "refused-write-is-absent"}
"""As which invariant a cause is reported, where its calls violate that one, too: the others only follow from it."""
Causes = frozenset[str]
NONE: Final[Causes] = frozenset()


@attrs.frozen
class KnownIssues:
    """What is set aside. judged_ids: the ids of the invariants that are judged; None: all."""

    causes: Causes = NONE
    cache_seconds: float = CACHE_SECONDS
    judged_ids: frozenset[str] | None = None

    @property
    def settle(self) -> float:
        """Seconds until no cache shows what was before."""
        return self.cache_seconds if CACHE in self.causes else 0.0

    def judges(self, name: str) -> bool:
        return self.judged_ids is None or name in self.judged_ids


def issues_of(text: str) -> KnownIssues:
    """What ``cache=0.5,refused-write`` means. Raises Unusable."""
    causes, seconds = set(), CACHE_SECONDS
    for word in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = word.partition("=")
        if name not in CAUSES or (equals and name != CACHE):
            raise Unusable(f"--known {word}: no such cause; expected some of {', '.join(CAUSES)}, or {CACHE}=SECONDS")
        causes.add(name)
        if equals:
            seconds = _seconds(word, value)
    return KnownIssues(frozenset(causes), seconds)


def _seconds(word: str, value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = 0.0
    if not 0 < found < 3600:
        raise Unusable(f"--known {word}: {value!r} is no time; expected seconds, as in {CACHE}=8")
    return found


def judge_causes(judging: Callable[[Causes], list[Judgement]], causes: Causes, issues: KnownIssues) -> Iterator[Judged]:
    """Judge the calls on one name or path, with what is known set aside, and the root cause first.

    judging: what is found, if these causes are at work. The more causes, the fewer violations. causes: those that may
    be at work there.
    """
    found = judging(NONE)
    broken = _violations(found, issues)
    if not broken:
        yield from found
        return
    mine = issues.causes & causes
    aside = judging(mine) if mine else found
    left = _violations(aside, issues)
    # What is too much to judge with the causes is not explained by them.
    yield from ((name, each) for name, each in aside if isinstance(each, NotJudged))
    # Both parts are reported: the cause that explains some of the violations, and those that are left.
    if len(left) < len(broken):
        yield _suppress(judging, broken, mine, issues)
    if left:
        yield from _attribute(judging, left, causes, mine, issues)


def _violations(found: list[Judgement], issues: KnownIssues) -> list[tuple[str, Violation]]:
    return [(name, each) for name, each in found if isinstance(each, Violation) and issues.judges(name)]


def _suppress(
    judging: Callable[[Causes], list[Judgement]], broken: list[tuple[str, Violation]], mine: Causes, issues: KnownIssues
) -> Judged:
    """The cause that explains most, alone."""
    # Sorted first, so that a tie does not depend on the order of a set.
    cause = min(sorted(mine), key=lambda each: len(_violations(judging(frozenset({each})), issues)))
    name, violation = next((each for each in broken if each[0] == ROOT.get(cause)), broken[0])
    return name, Suppressed(cause, violation.evidence)


def _attribute(
    judging: Callable[[Causes], list[Judgement]],
    left: list[tuple[str, Violation]],
    causes: Causes,
    mine: Causes,
    issues: KnownIssues,
) -> Iterator[Judged]:
    """Violations; of those that one cause explains all, only its own, if it has one."""
    # Not set aside, but it would explain everything: the violations stand, with a hint.
    for cause in sorted(causes - mine):
        if _violations(judging(mine | {cause}), issues):
            continue
        roots = [each for each in left if each[0] == ROOT.get(cause)] or left
        for name, violation in roots:
            hint = f"; this would explain it: {CAUSES[cause].partition(' (')[0]} (--known {cause})"
            yield name, Violation(name, violation.evidence + hint)
        return
    yield from left
