"""What the two kinds of stress have in common when they report."""

from collections.abc import Iterator, Sequence

from lakeproof.report.style import plural
from lakeproof.targets.traffic import Tally
from lakeproof.tasks import Unusable


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What went wrong, of several things at once: what is ours to tell, else all of it."""
    error: BaseException = group.subgroup((Unusable, KeyboardInterrupt)) or group
    if error is group:
        return group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def tallied(tally: Tally, fs: Sequence[str]) -> Iterator[str]:
    """Counts of all answers, faults, and the words of what went wrong."""
    width = max([8, *(len(f) + 1 for f in fs)])
    for f in fs:
        ok, refused, unknown = (tally.answers[f, how] for how in ("ok", "refused", "unknown"))
        if ok + refused + unknown:
            yield f"  {f:<{width}}{ok:>9,} ok{refused:>9,} refused{unknown:>7,} unknown"
    for fault, count in sorted(tally.faults.items()):
        yield f"  {fault}: {plural(count, 'time')}"
    for words, count in tally.troubles.most_common():
        yield f"  {plural(count, 'time')}: {words}"
