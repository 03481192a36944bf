"""Calls that loop: whether one comes back to a state, and what grows in one that does not, when a search gives up.

Example: ``tries`` is 0, 1, 2, ... where the flow waits, each time at the same line. The rounds of the loop are the
states at that line; what differs from each of the last rounds to the next is named: "lock.py:12: `tries` differs in
every round".
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from lakeproof.impl.frames import Spot, chain
from lakeproof.model.identity import identity
from lakeproof.search.contents import Incomparable
from lakeproof.search.execution import Execution, Program
from lakeproof.search.fresh_names import without_names
from lakeproof.search.suspended import Local, exact_state, locals_of
from lakeproof.search.trie import Node, Raw

ROUNDS_MIN: Final = 4
"""A line at which a call waits this often may be in a loop."""

ROUNDS_LOOKED_AT: Final = 6
STEPS_LOOKED_AT: Final = 400

LOOKS_AFTER: Final = tuple(8 << doubled for doubled in range(12))
"""A call that has performed so many effects is looked at: it may loop."""

LOOKS_MAX: Final = 16
"""So many histories of each such length."""

REQUESTS_MIN: Final = 3
"""If it has requested so often before what it requests now."""

NAMED_MAX: Final = 3

Position = tuple[tuple[object, int], ...]


class Loops(Exception):
    """A call is in one state twice, perhaps with other fresh identifiers: no search ends that takes its histories for
    different ones."""


class LoopFinder:
    """Looks at histories of one program for a loop in the call under way."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._looks: dict[int, int] = defaultdict(int)

    def look(self, raw: Raw) -> None:
        """Look at a history, if it is long enough, and not too many of its length were looked at.

        Raises:
            Loops: the call has been in one state twice.
        Cost: two runs of the history, and a look at each state; rarely anything at all.
        """
        effects = raw.effects
        if effects not in LOOKS_AFTER or raw.op is None:
            return
        # A call in a loop requests the same effect again and again; the exact states, which cost more, come after that.
        kind = type(raw.asks)
        alike = [each for each, _, _ in raw.history()[raw.began :] if type(each) is kind]
        if len(alike) < REQUESTS_MIN or self._looks[effects] >= LOOKS_MAX:
            return
        requested = _request(raw.asks, raw)
        if sum(_request(each, raw) == requested for each in alike) < REQUESTS_MIN:
            return
        self._looks[effects] += 1
        if self._loops(raw):
            raise Loops(self.program.label)

    def _loops(self, raw: Raw) -> bool:
        seen: set[Hashable] = set()
        for one, other in _walk_history(partial(Execution, self.program), raw):
            # Only states that wait for the same effect can be equal: the others need no look.
            if _request(one.asks, raw) != _request(raw.asks, raw):
                continue
            try:
                key = exact_state(one, other)
            except Incomparable:
                continue
            key = without_names(key) if raw.names else key  # each round of a loop may take new identifiers
            if key in seen:
                return True
            seen.add(key)
        return False


def _request(asks: Hashable, raw: Raw) -> Hashable:
    """What was requested, as a key; of a client that takes identifiers, whichever they are."""
    return without_names(identity(asks)) if raw.names else asks


def longest(nodes: Iterable[Node]) -> Raw | None:
    """The history with the most effects in the call under way; None if all are short."""
    waiting = [node.representative for node in nodes if node.op is not None]
    found = max(waiting, key=lambda raw: raw.effects, default=None)
    return found if found is not None and found.effects >= LOOKS_AFTER[0] else None


def growth(start: Callable[[], Execution], raw: Raw) -> str:
    """What differs in every round of the call under way, in words; empty if it does not seem to loop. ``start``: begins
    a run that this history fits, with its names for identifiers."""
    rounds: dict[Position, list[dict[tuple[str, str], Hashable]]] = {}
    minted: dict[Position, list[int]] = {}
    reason = name = ""
    at: Position = ()
    for one, other in _walk_history(start, raw):
        found = list(locals_of(one, other))
        at, name = tuple(_stands(one)), str(one.call())
        rounds.setdefault(at, []).append({_place(local): local.key for local in found})
        minted.setdefault(at, []).append(len(one.mint.names))
        try:
            exact_state(one, other)
            reason = ""
        except Incomparable as error:
            reason = str(error) if str(error).startswith("`") else f"{one.call()} {error}"
    # `at` is where the call waits now, at the end of the history: the rounds are the visits to that place.
    if len(rounds.get(at, ())) < ROUNDS_MIN:
        return ""
    last = rounds[at][-ROUNDS_LOOKED_AT:]
    # Named before any local: one that keeps the identifier differs only because of that.
    if all(one < other for one, other in pairwise(minted[at][-ROUNDS_LOOKED_AT:])):
        return f"{name} takes a fresh identifier in every round"
    names = [name for name in last[-1] if _differs(name, last)]
    if names:
        place = names[0][0]  # of the outermost frame in which any differs
        shown = [f"`{name}`" for where, name in names if where == place][:NAMED_MAX]
        return f"{place}: {' and '.join(shown)} {'differs' if len(shown) == 1 else 'differ'} in every round"
    return reason  # nothing differs that can be compared


def _differs(name: tuple[str, str], rounds: Sequence[dict[tuple[str, str], Hashable]]) -> bool:
    return all(name in one and name in other and one[name] != other[name] for one, other in pairwise(rounds))


def _place(local: Local) -> tuple[str, str]:
    return str(Spot(local.code.co_filename, local.line, local.code.co_qualname)), local.name


def _stands(run: Execution) -> Iterator[tuple[object, int]]:
    """Where its coroutines are suspended: functions and offsets of instructions."""
    for coroutine in run.coroutines():
        yield from ((frame.f_code, frame.f_lasti) for frame, _ in chain(coroutine) if frame is not None)


def _walk_history(start: Callable[[], Execution], raw: Raw) -> Iterator[tuple[Execution, Execution]]:
    """Two runs of a history, in step, at each effect of its last call."""
    one, other = start(), start()
    history = raw.history()
    first = max(raw.began, len(history) - STEPS_LOOKED_AT)
    for at, (_, reply, _) in enumerate(history):
        if at > first:  # before that, the replies lead to the call, or to rounds that are long past
            yield one, other
        one.send(reply)
        other.send(reply)
    yield one, other
    one.close()
    other.close()
