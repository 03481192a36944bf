"""The metadata of one path: a register that updates set, and that each new value of the path clears.

Example: update(m1) [1, 2], write [3, 4], stat [5, 6]. The stat must find no mark: a mark m1 would say that the update
came after the write, and it was over before. A stat [2, 5] may find m1, or none.
"""

from collections.abc import Iterator, Sequence

from lakeproof.live.lakefs.calls import Call
from lakeproof.live.lakefs.existence import Judgement
from lakeproof.live.lakefs.promises import UPDATED
from lakeproof.model.invariants import Reached, Violation

WRITES = frozenset({"set_entry", "create_entry"})


def judge_updates(calls: Sequence[Call]) -> Iterator[Judgement]:
    """The calls on one path of a branch that nothing changes as a whole. O(n³) at worst for n calls, some dozens."""
    # Marks are unique, so one names its update.
    marks = {call.args[3]: call for call in calls if call.name == "update_metadata"}
    for stat in calls:
        if stat.name == "stat_entry" and stat.ok:
            mark = str(stat.value)  # empty: there is none
            yield from _judge_found(stat, marks.get(mark), calls) if mark else _judge_cleared(stat, calls)


def _setters(calls: Sequence[Call]) -> list[Call]:
    """Calls after which the metadata are others than before."""
    return [call for call in calls if call.name in WRITES or call.name == "update_metadata"]


def _judge_found(stat: Call, update: Call | None, calls: Sequence[Call]) -> Iterator[Judgement]:
    """A stat that found a mark."""
    if update is None or not update.possible or update.began > stat.ended:
        why = f"{update.shown} was to set it" if update is not None else "no client set it"
        yield UPDATED, Violation(UPDATED, f"{stat.shown} found the mark {stat.value!r}, and {why}")
        return
    over = _overwriting(update, stat, _setters(calls))
    if over is not None:
        evidence = f"{stat.shown} found the mark of {update.shown}, which {over.shown} had replaced before"
        yield UPDATED, Violation(UPDATED, evidence)
    else:
        yield UPDATED, Reached(f"{stat.shown} found the mark of {update.shown}")


def _judge_cleared(stat: Call, calls: Sequence[Call]) -> Iterator[Judgement]:
    """A stat that found no mark: some write may have come after each update."""
    updates = [call for call in calls if call.name == "update_metadata"]
    writes = [call for call in calls if call.name in WRITES and call.possible and call.began < stat.ended]
    over = [_overwriting(write, stat, updates) for write in writes]
    # Each write that the stat may have found was followed by an update, which was over before the stat began. Without a
    # write in this history the path is from elsewhere.
    if writes and all(over):
        last = max((each for each in over if each is not None), key=lambda each: each.ended)
        evidence = f"{stat.shown} found no mark, and {last.shown} had set one after all that wrote the path"
        yield UPDATED, Violation(UPDATED, evidence)


def _overwriting(first: Call, stat: Call, setters: Sequence[Call]) -> Call | None:
    """A call that surely replaced what another one had set, before a stat began."""
    return next((each for each in setters if each.ok and each.began > first.ended and each.ended < stat.began), None)
