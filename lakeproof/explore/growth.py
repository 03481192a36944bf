"""What grows in a flow that loops and never comes back to a state: what a search says when it gives up.

Example: ``tries`` is 0, 1, 2, ... where the flow waits, each time at the same line. The rounds of the loop are the
states at that line; what differs from each of the last rounds to the next is named: "lock.py:12: `tries` differs in
every round".
"""

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from lakeproof.explore.contents import Incomparable
from lakeproof.explore.execution import Execution, Program
from lakeproof.explore.suspended import Local, exact_state, locals_of
from lakeproof.explore.trie import Raw
from lakeproof.impl.frames import Spot

ROUNDS_MIN: Final = 4
"""A line at which a call waits this often may be in a loop."""

ROUNDS_LOOKED_AT: Final = 6
STEPS_LOOKED_AT: Final = 400
NAMED_MAX: Final = 3

Position = tuple[tuple[object, int], ...]


def loops(program: Program, raw: Raw) -> bool:
    """Whether the call under way has been in one state twice. Cost: two runs of it, and a look at each state."""
    seen: set[Hashable] = set()
    for one, other in _walked(program, raw):
        try:
            key = exact_state(one, other)
        except Incomparable:
            continue
        if key in seen:
            return True
        seen.add(key)
    return False


def growth(program: Program, raw: Raw) -> str:
    """What differs in every round of the call under way, in words; empty if it does not seem to loop."""
    rounds: dict[Position, list[dict[tuple[str, str], Hashable]]] = {}
    minted: dict[Position, list[int]] = {}
    reason, at = "", ()
    for one, other in _walked(program, raw):
        found = list(locals_of(one, other))
        at = tuple(one.stands())
        rounds.setdefault(at, []).append({_place(local): local.key for local in found})
        minted.setdefault(at, []).append(one.minted)
        try:
            exact_state(one, other)
            reason = ""
        except Incomparable as error:
            reason = f"{program.calls[raw.index]} {error}"
    if len(rounds.get(at, ())) < ROUNDS_MIN:
        return ""
    last = rounds[at][-ROUNDS_LOOKED_AT:]
    if all(one < other for one, other in pairwise(minted[at][-ROUNDS_LOOKED_AT:])):
        return f"{program.calls[raw.index]} takes a fresh identifier in every round"
    names = [name for name in last[-1] if _differs(name, last)]
    if names:
        place = names[0][0]
        shown = [f"`{name}`" for where, name in names if where == place][:NAMED_MAX]
        return f"{place}: {' and '.join(shown)} {'differs' if len(shown) == 1 else 'differ'} in every round"
    return reason


def _differs(name: tuple[str, str], rounds: Sequence[dict[tuple[str, str], Hashable]]) -> bool:
    return all(name in one and name in other and one[name] != other[name] for one, other in pairwise(rounds))


def _place(local: Local) -> tuple[str, str]:
    return str(Spot(local.code.co_filename, local.line, local.code.co_qualname)), local.name


def _walked(program: Program, raw: Raw) -> Iterator[tuple[Execution, Execution]]:
    """Two runs of a history, in step, at each effect of its last call."""
    one, other = Execution(program), Execution(program)
    history = raw.history()
    first = max(raw.began, len(history) - STEPS_LOOKED_AT)
    for at, (_, reply, _) in enumerate(history):
        if at > first:
            yield one, other
        one.send(reply)
        other.send(reply)
    yield one, other
    one.close()
    other.close()
