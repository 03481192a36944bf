"""Generated flows that send and receive, and all that they can do: an enumerator that shares nothing with the search.

A state is a tuple of plain values. Here a message that overtakes is taken in one step, for as many units as it passes
over; the flow's own step by step is the search's.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final, TypeVar

import attrs

from lakeproof import Always, AlwaysEventually, Call, Env, Faults, Finding, Reached, Scenario, Violation
from lakeproof.model.snapshot import AnySnapshot, Status

P: Final = b"p"
CHANNELS: Final = ("c0", "c1")
Step = tuple[str, int]
T = TypeVar("T")


async def follow(env: Env, me: str, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """A flow that does what its argument says, and returns what it has read."""
    seen: list[object] = []
    for what, number in steps:
        channel, other = (env.channel(CHANNELS[at]) for at in (number, 1 - number))
        match what:
            case "send":
                await channel.send(me.encode() + b"%d" % len(seen))
            case "offer":
                seen.append(await env.channel(channel.name, capacity=1).send(me.encode() + b"%d" % len(seen)))
            case "receive":
                seen.append(await channel.receive())
            case "try":
                seen.append(await channel.try_receive())
            case "relay":
                await other.send(await channel.receive())
            case "drain":
                while (message := await channel.try_receive()) is not None:
                    seen.append(message)
            case "serve":
                while True:
                    await env.store.set(P, b"k%d" % number, await channel.receive())
            case "get":
                found = await env.store.find(P, b"k%d" % number)
                seen.append(None if found is None else found.value)
            case "set":
                await env.store.set(P, b"k%d" % number, me.encode() + b"%d" % len(seen))
    return tuple(seen)


@attrs.frozen(kw_only=True)
class Actor:
    """A client of the enumerator. ``holds``: a message that it has received and is about to pass on."""

    at: int = 0
    seen: tuple[object, ...] = ()
    holds: bytes | None = None
    begun: bool = False
    crashed: bool = False


@attrs.frozen(kw_only=True)
class State:
    actors: tuple[Actor, ...]
    channels: tuple[tuple[bytes, ...], ...] = ((), ())
    store: tuple[bytes | None, ...] = (None, None)
    crashes: int
    lost: int
    duplicated: int
    reordered: int


Programs = tuple[tuple[Step, ...], ...]


def _put(held: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*held[:at], value, *held[at + 1 :])


def _sends(state: State, channel: int, message: bytes) -> Iterator[State]:
    yield attrs.evolve(state, channels=_put(state.channels, channel, (*state.channels[channel], message)))
    if state.lost:
        yield attrs.evolve(state, lost=state.lost - 1)


def _takes(state: State, channel: int) -> Iterator[tuple[State, bytes]]:
    messages = state.channels[channel]
    for at, message in enumerate(messages[: state.reordered + 1]):
        paid = attrs.evolve(state, reordered=state.reordered - at)
        yield attrs.evolve(paid, channels=_put(state.channels, channel, messages[:at] + messages[at + 1 :])), message
        if state.duplicated:
            yield attrs.evolve(paid, duplicated=state.duplicated - 1), message


def _steps(programs: Programs, state: State, me: int) -> Iterator[State]:
    """All that a client's next effect can come to."""
    actor, name = state.actors[me], "abc"[me].encode()
    what, number = programs[me][actor.at]

    def goes(after: State, moved: Actor = actor, *, ends: bool = True) -> State:
        moved = attrs.evolve(moved, begun=True, at=actor.at + ends)
        return attrs.evolve(after, actors=_put(after.actors, me, moved))

    def saw(*more: object) -> Actor:
        return attrs.evolve(actor, seen=(*actor.seen, *more))

    def holds(message: bytes | None) -> Actor:
        return attrs.evolve(actor, holds=message)

    mine = name + b"%d" % len(actor.seen)
    if what == "send":
        yield from (goes(after) for after in _sends(state, number, mine))
    elif what == "offer":
        yield from (goes(after, saw(True)) for after in _sends(state, number, mine) if not state.channels[number])
        if state.channels[number]:
            yield goes(state, saw(False))
    elif what == "relay" and actor.holds is not None:
        yield from (goes(after, holds(None)) for after in _sends(state, 1 - number, actor.holds))
    elif what == "serve" and actor.holds is not None:
        yield goes(attrs.evolve(state, store=_put(state.store, number, actor.holds)), holds(None), ends=False)
    elif what in ("relay", "serve"):
        yield from (goes(after, holds(message), ends=False) for after, message in _takes(state, number))
    elif what in ("receive", "try", "drain"):
        for after, message in _takes(state, number):
            yield goes(after, saw(message), ends=what != "drain")
        if what != "receive" and not state.channels[number]:
            yield goes(state, actor if what == "drain" else saw(None))
    elif what == "get":
        yield goes(state, saw(state.store[number]))
    else:
        yield goes(attrs.evolve(state, store=_put(state.store, number, mine)))


def ended(programs: Programs, state: State, me: int) -> bool:
    return state.actors[me].at == len(programs[me])


def _following(programs: Programs, state: State) -> Iterator[tuple[bool, State]]:
    """Each state that follows, and whether it does so without a crash."""
    for me, actor in enumerate(state.actors):
        if actor.crashed or ended(programs, state, me):
            continue
        yield from ((True, after) for after in _steps(programs, state, me))
        if state.crashes:
            crashed = attrs.evolve(actor, crashed=True)
            yield False, attrs.evolve(state, crashes=state.crashes - 1, actors=_put(state.actors, me, crashed))


@attrs.frozen
class Everything:
    """All states, and those in which no client can move."""

    states: frozenset[State]
    ends: frozenset[State]


def everything(programs: Programs, faults: Faults, states_max: int) -> Everything | None:
    """None: there are more states than that."""
    first = State(
        actors=tuple(Actor() for _ in programs),
        crashes=faults.crashes,
        lost=faults.lost_messages,
        duplicated=faults.duplicated_messages,
        reordered=faults.reordered_messages,
    )
    met, waiting, ends = {first}, [first], set()
    while waiting:
        state = waiting.pop()
        following = list(_following(programs, state))
        if not any(moves for moves, _ in following):
            ends.add(state)
        fresh = {after for _, after in following} - met
        met |= fresh
        waiting += fresh
        if len(met) > states_max:
            return None
    return Everything(frozenset(met), frozenset(ends))


End = tuple[object, ...]


def end_of(programs: Programs, state: State) -> End:
    """What is left: messages, keys, and for each client whether its call has begun and how it ended."""
    views: list[object] = []
    for me, actor in enumerate(state.actors):
        if ended(programs, state, me):
            views.append((Status.OK, actor.seen))
        elif actor.begun:
            views.append((Status.CRASHED if actor.crashed else Status.PENDING, None))
        else:
            views.append(())
    return state.channels, state.store, tuple(views)


def programs_of(scenario: Scenario) -> Programs:
    return tuple(calls[0].args[1] for calls in scenario.clients)  # type: ignore[misc]


def _crowded(seen: AnySnapshot) -> Iterator[Finding]:
    if any(len(messages) > 1 for messages in seen.channels.values()):
        yield Violation("crowded", f"{dict(seen.channels)}")
    else:
        yield Reached("one message at most")


def _all_over(seen: AnySnapshot) -> bool:
    """For each client: its call has ended, or crashed."""
    return all(calls and calls[0].status is not Status.PENDING for calls in seen.clients)


CROWDED: Final = Always(id="crowded", meaning="one message at a time", check=_crowded)
ALL_OVER: Final = AlwaysEventually(_all_over, id="all-over", meaning="each client has ended", fairness="weak")


def is_crowded(state: State) -> bool:
    return any(len(messages) > 1 for messages in state.channels)


def is_stuck(programs: Programs, state: State) -> bool:
    """A client has neither ended nor crashed in the middle of its call."""
    return any(
        not ended(programs, state, me) and not (actor.crashed and actor.begun) for me, actor in enumerate(state.actors)
    )


KINDS: Final = ("send", "send", "send", "offer", "offer", "receive", "receive", "try", "relay", "drain", "get", "set")
BUDGETS: Final[tuple[Callable[[], Faults], ...]] = (
    Faults,
    lambda: Faults(lost_messages=1),
    lambda: Faults(duplicated_messages=1),
    lambda: Faults(reordered_messages=1),
    lambda: Faults(reordered_messages=2),
    lambda: Faults(crashes=1),
    lambda: Faults(duplicated_messages=1, reordered_messages=1),
    lambda: Faults(lost_messages=1, crashes=1),
)


def generated(seed: int) -> Scenario:
    """Two or three clients, the first of which sends at once. With overtaking, none begins with a receive: passing over
    would begin its call."""
    random = Random(f"channels {seed}")
    faults = BUDGETS[seed % len(BUDGETS)]()
    clients = []
    for me in "abc"[: random.choice((2, 2, 3))]:
        steps = [(random.choice(KINDS), random.randrange(2)) for _ in range(random.choice((1, 2, 3)))]
        if random.random() < 0.15:
            steps.append(("serve", random.randrange(2)))
        if me == "a" or (faults.reordered_messages and steps[0][0] not in ("send", "get", "set")):
            steps.insert(0, ("send", random.randrange(2)))
        clients.append([Call(follow, me, tuple(steps))])
    return Scenario(name=f"channels/{seed}", clients=clients, invariants=[CROWDED], faults=faults)
