"""What enumerators of generated flows share: clients that follow a list of steps, and a walk through all states.

A state is a tuple of plain values. Nothing here knows the search: `channelled.py` and `watched.py` say what a step can
come to, and `agreement.py` compares searches with what is found.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Generic, TypeVar

import attrs

from lakeproof import Always, AlwaysEventually, Eventually, Reached, Reads, Scenario
from lakeproof.model.snapshot import AnySnapshot, Status

UNBROKEN: Final = Always(id="unbroken", meaning="holds", check=lambda _: [Reached("a state")])
"""So that no search stops early."""
ENDS: Final = Eventually(
    id="ends", meaning="it ends", check=lambda _: [Reached("the end")], reads=frozenset({Reads.STORE})
)

Step = tuple[str, int]
Programs = tuple[tuple[Step, ...], ...]
End = tuple[object, ...]
"""What is left in the stores; and for each client, whether its call has begun and how it ended."""


@attrs.frozen(kw_only=True)
class Actor:
    """A client: the step it is at, and what it has read."""

    at: int = 0
    seen: tuple[object, ...] = ()
    begun: bool = False
    crashed: bool = False


@attrs.frozen(kw_only=True)
class Standing:
    """A state. ``crashes``, ``lost``: how many more crashes there may be, and losses of messages or watches."""

    actors: tuple[Actor, ...]
    crashes: int
    lost: int


S = TypeVar("S", bound=Standing)


@attrs.frozen(kw_only=True)
class Kind(Generic[S]):
    """A kind of flows. ``steps``: all that the next effect of a client can come to. ``left``: what a state has in its
    stores; ``cells``: the same, of the cells of a search. ``wrong``: whether a state violates ``invariant``."""

    generated: Callable[[int], Scenario]
    first: Callable[[Scenario], S]
    steps: Callable[[Programs, S, int], Iterator[S]]
    left: Callable[[S], End]
    cells: Callable[[Mapping[object, object]], End]
    invariant: Always
    wrong: Callable[[S], bool]
    states_max: int


@attrs.frozen
class Everything(Generic[S]):
    """All states; of those in which no client can move, what is left, and whether one of them waits in vain."""

    states: frozenset[S]
    ends: frozenset[End]
    stuck: bool


def programs_of(scenario: Scenario) -> Programs:
    return tuple(calls[0].args[1] for calls in scenario.clients)  # type: ignore[misc]


def everything(kind: Kind[S], scenario: Scenario) -> Everything[S] | None:
    """None: there are more states than that."""
    programs = programs_of(scenario)
    first = kind.first(scenario)
    met, waiting, ends, stuck = {first}, [first], set(), False
    while waiting:
        state = waiting.pop()
        following = list(_following(kind, programs, state))
        if not any(moves for moves, _ in following):
            ends.add((*kind.left(state), _views(programs, state)))
            stuck |= _is_stuck(programs, state)
        fresh = {after for _, after in following} - met
        met |= fresh
        waiting += fresh
        if len(met) > kind.states_max:
            return None
    return Everything(frozenset(met), frozenset(ends), stuck)


def _following(kind: Kind[S], programs: Programs, state: S) -> Iterator[tuple[bool, S]]:
    """States, and whether a client has moved that had something to do: neither a crash nor a loss alone is a move."""
    for me, actor in enumerate(state.actors):
        if actor.crashed or _ended(programs, state, me):
            continue
        yield from ((after.lost == state.lost, after) for after in kind.steps(programs, state, me))
        if state.crashes:
            crashed = attrs.evolve(actor, crashed=True)
            actors = (*state.actors[:me], crashed, *state.actors[me + 1 :])
            yield False, attrs.evolve(state, crashes=state.crashes - 1, actors=actors)


def _ended(programs: Programs, state: Standing, me: int) -> bool:
    return state.actors[me].at == len(programs[me])


def _is_stuck(programs: Programs, state: Standing) -> bool:
    """A client has neither ended nor crashed in the middle of its call."""
    return any(
        not _ended(programs, state, me) and not (actor.crashed and actor.begun) for me, actor in enumerate(state.actors)
    )


def _views(programs: Programs, state: Standing) -> tuple[object, ...]:
    views: list[object] = []
    for me, actor in enumerate(state.actors):
        if _ended(programs, state, me):
            views.append((Status.OK, actor.seen))
        elif actor.begun:
            views.append((Status.CRASHED if actor.crashed else Status.PENDING, None))
        else:
            views.append(())
    return tuple(views)


def _all_over(seen: AnySnapshot) -> bool:
    """For each client: its call has ended, or crashed."""
    return all(calls and calls[0].status is not Status.PENDING for calls in seen.clients)


ALL_OVER: Final = AlwaysEventually(_all_over, id="all-over", meaning="each client has ended", fairness="weak")
"""It is violated where `Everything.stuck`."""
