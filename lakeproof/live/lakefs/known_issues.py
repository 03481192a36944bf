"""Causes that are known of a service, and may be set aside: what they do, and how far they excuse.

A cause changes how calls are understood, never which invariant is asked: a violation is set aside only if the calls of
its name or path contradict each other without the cause, and do not with it. So another bug behind it is still found,
unless the cause alone could have done the same.
"""

from collections.abc import Callable, Iterator
from typing import Final

import attrs

from lakeproof.live.lakefs.existence import INACCESSIBLE, Judgement
from lakeproof.model.invariants import Finding, Violation
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
class Excused:
    """A violation that was set aside."""

    cause: str
    evidence: str


@attrs.frozen
class NotJudged:
    """Why an invariant could not be judged in a round: then the round is inconclusive."""

    why: str


Judged = tuple[str, Finding | Excused | NotJudged]
"""An invariant's id, and what was found of it."""


@attrs.frozen
class Known:
    """What is set aside. asked: the ids of the invariants that are judged; None: all."""

    causes: Causes = NONE
    cache_seconds: float = CACHE_SECONDS
    asked: frozenset[str] | None = None

    @property
    def settle(self) -> float:
        """Seconds until no cache shows what was before."""
        return self.cache_seconds if CACHE in self.causes else 0.0

    def asks(self, name: str) -> bool:
        return self.asked is None or name in self.asked


def known_of(text: str) -> Known:
    """What ``cache=0.5,refused-write`` means. Raises Unusable."""
    causes, seconds = set(), CACHE_SECONDS
    for word in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = word.partition("=")
        if name not in CAUSES or (equals and name != CACHE):
            raise Unusable(f"--known {word}: no such cause; expected some of {', '.join(CAUSES)}, or {CACHE}=SECONDS")
        causes.add(name)
        if equals:
            seconds = _seconds(word, value)
    return Known(frozenset(causes), seconds)


def _seconds(word: str, value: str) -> float:
    try:
        found = float(value)
    except ValueError:
        found = 0.0
    if not 0 < found < 3600:
        raise Unusable(f"--known {word}: {value!r} is no time; expected seconds, as in {CACHE}=8")
    return found


def judged(judging: Callable[[Causes], list[Judgement]], causes: Causes, known: Known) -> Iterator[Judged]:
    """Judge what was told of one name or path, with what is known set aside, and the root cause first.

    judging: what is found, if these causes are at work. The more causes, the fewer violations. causes: those that may
    be at work there.
    """
    found = judging(NONE)
    broken = _broken(found, known)
    if not broken:
        yield from found
        return
    mine = known.causes & causes
    left = _broken(judging(mine), known) if mine else broken
    if len(left) < len(broken):
        yield _excused(judging, broken, mine, known)
    if left:
        yield from _blamed(judging, left, causes, mine, known)


def _broken(found: list[Judgement], known: Known) -> list[tuple[str, Violation]]:
    return [(name, each) for name, each in found if isinstance(each, Violation) and known.asks(name)]


def _excused(
    judging: Callable[[Causes], list[Judgement]], broken: list[tuple[str, Violation]], mine: Causes, known: Known
) -> Judged:
    """The cause that explains most, alone."""
    cause = min(sorted(mine), key=lambda each: len(_broken(judging(frozenset({each})), known)))
    name, violation = next((each for each in broken if each[0] == ROOT.get(cause)), broken[0])
    return name, Excused(cause, violation.evidence)


def _blamed(
    judging: Callable[[Causes], list[Judgement]],
    left: list[tuple[str, Violation]],
    causes: Causes,
    mine: Causes,
    known: Known,
) -> Iterator[Judged]:
    """Violations; of those that one cause explains all, only its own, if it has one."""
    for cause in sorted(causes - mine):
        if _broken(judging(mine | {cause}), known):
            continue
        roots = [each for each in left if each[0] == ROOT.get(cause)] or left
        for name, violation in roots:
            hint = f"; this would explain it: {CAUSES[cause].partition(' (')[0]} (--known {cause})"
            yield name, Violation(name, violation.evidence + hint)
        return
    yield from left
