"""What all kinds of stress have in common when they report."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from lakeproof.commands.group import AS_EXPECTED, INCONCLUSIVE, VIOLATED
from lakeproof.model.invariants import Violation
from lakeproof.report.style import plural
from lakeproof.running.tasks import Unusable
from lakeproof.targets.traffic import Tally

VERDICTS: Final = {AS_EXPECTED: "holds", VIOLATED: "violated", INCONCLUSIVE: "inconclusive"}
"""By exit code."""
HOW: Final = ("ok", "refused", "unknown")


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, of several things at once: what is ours to tell, else all of it."""
    error: BaseException = group.subgroup((Unusable, KeyboardInterrupt)) or group
    if error is group:
        return group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def counted(tally: Tally) -> dict[str, object]:
    """What `tallied` tells, for programs."""
    fs = dict.fromkeys(f for f, _ in sorted(tally.answers))
    return {
        "answers": {f: {how: tally.answers[f, how] for how in HOW} for f in fs},
        "faults": dict(sorted(tally.faults.items())),
        "troubles": dict(tally.troubles.most_common()),
    }


def per_invariant(
    ids: Sequence[str], reached: Counter[str], violations: Sequence[Violation]
) -> list[dict[str, object]]:
    """A verdict for each invariant, for programs. One that was never put to the test is inconclusive."""
    evidence: dict[str, list[str]] = {name: [] for name in ids}
    for violation in violations:
        evidence.setdefault(violation.invariant, []).append(violation.evidence)
    return [
        {
            "invariant": name,
            "verdict": "violated" if found else "holds" if reached[name] else "inconclusive",
            "checks": reached[name],
            "evidence": found,
        }
        for name, found in evidence.items()
    ]


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
