"""What all kinds of stress have in common when they report."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.live.report import evidence
from lakeproof.live.traffic import Tally
from lakeproof.model.invariants import Violation
from lakeproof.show.pages.runs import HOW
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, plural, seconds

VERDICTS: Final = {AS_EXPECTED: "holds", VIOLATED: "violated", INCONCLUSIVE: "inconclusive"}
"""By exit code."""


def counted(tally: Tally) -> dict[str, object]:
    """What `tallied` tells, for programs."""
    fs = dict.fromkeys(f for f, _ in sorted(tally.answers))
    return {
        "answers": {f: {how: tally.answers[f, how] for how in HOW} for f in fs},
        "faults": dict(sorted(tally.faults.items())),
        "troubles": dict(tally.troubles.most_common()),
    }


def tallied(tally: Tally, fs: Sequence[str]) -> Iterator[str]:
    """Counts of all answers, faults, and the words of what went wrong."""
    width = max([8, *(len(f) + 1 for f in fs)])
    for f in fs:
        ok, refused, unknown = (tally.answers[f, how] for how in HOW)
        if ok + refused + unknown:
            yield f"  {f:<{width}}{ok:>9,} ok{refused:>9,} refused{unknown:>7,} unknown"
    for fault, count in sorted(tally.faults.items()):
        yield f"  {fault}: {plural(count, 'time')}"
    for words, count in tally.troubles.most_common():
        yield f"  {plural(count, 'time')}: {words}"


@attrs.define
class Outcome:
    """What came of rounds of calls that are judged by invariants: of flows on a store, and of a service.

    A round that could not be judged may have violated anything: then no invariant holds, and only a violation that
    another round shows is a verdict.
    """

    asked: tuple[str, ...]
    """The ids of the invariants that are judged."""
    rounds: int = 0
    seconds: float = 0.0
    reached: Counter[str] = attrs.field(factory=Counter)
    """How often each invariant was put to the test."""
    violations: list[Violation] = attrs.field(factory=list)
    unread: list[str] = attrs.field(factory=list)
    """For each round that could not be judged, why."""
    tally: Tally = attrs.field(factory=Tally)
    left: list[str] = attrs.field(factory=list)
    """What could not be removed."""

    @property
    def missing(self) -> list[str]:
        """Invariants that were never put to the test."""
        return [name for name in self.asked if not self.reached[name]]

    @property
    def broken(self) -> list[str]:
        """The ids of the invariants that are violated, in order."""
        return sorted({violation.invariant for violation in self.violations})

    @property
    def code(self) -> int:
        """The exit code."""
        if self.violations:
            return VIOLATED
        return INCONCLUSIVE if self.missing or self.unread else AS_EXPECTED

    def verdict(self, name: str) -> str:
        """Of an invariant."""
        if name in self.broken:
            return "violated"
        return "holds" if self.reached[name] and not self.unread else "inconclusive"

    def _names(self) -> list[str]:
        """The invariants, and those that are violated without being among them: what no flow should meet."""
        return list(dict.fromkeys((*self.asked, *self.broken)))

    def as_object(self) -> dict[str, object]:
        """What --json prints of it."""
        return {
            "verdict": VERDICTS[self.code],
            "rounds": self.rounds,
            "seconds": round(self.seconds, 3),
            "calls": self.tally.total,
            "invariants": [
                {
                    "invariant": name,
                    "verdict": self.verdict(name),
                    "checks": self.reached[name],
                    "evidence": [each.evidence for each in self.violations if each.invariant == name],
                }
                for name in self._names()
            ],
            **counted(self.tally),
            "unread": dict(Counter(self.unread).most_common()),
            "left": self.left,
        }

    def lines(self, *more: str, left: str) -> Iterator[str]:
        """What it tells people. more: lines after those of the invariants. left: the kind of thing that `left` has."""
        yield f"{plural(self.rounds, 'round')}, {seconds(self.seconds)} s, {plural(self.tally.total, 'call')}"
        yield from tallied(self.tally, list(dict.fromkeys(name for name, _ in sorted(self.tally.answers))))
        for name in self._names():
            verdict = "not put to the test" if name in self.missing and name not in self.broken else self.verdict(name)
            yield f"  {name:<30}{self.reached[name]:>7,} checks  {verdict}"
        yield from more
        for words, count in Counter(self.unread).most_common():
            yield f"  {plural(count, 'round')} not judged: {words}"
        for name in self.left:
            yield f"  left behind: {left} {name}"
        yield from evidence(self.violations)

    def closing(self, seed: int, held: str = "") -> str:
        """The last line. held: what to say of the invariants, if all hold."""
        if self.violations:
            return f"VIOLATED: {', '.join(self.broken)} (seed {seed})"
        open_ = [f"{len(self.unread):,} of {plural(self.rounds, 'round')} not judged"] if self.unread else []
        if self.missing:
            open_.append(f"not put to the test: {', '.join(self.missing)}")
        if open_:
            return f"INCONCLUSIVE: {'; '.join(open_)} (seed {seed})"
        return f"HOLDS: {held or plural(len(self.asked), 'invariant')} (seed {seed})"
