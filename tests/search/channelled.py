"""Generated flows that send and receive, and all that they can do: an enumerator that shares nothing with the search.

Here a message that overtakes is taken in one step, for as many units as it passes over; the flow's own step by step is
the search's.
"""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final, TypeVar

import attrs

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Violation
from lakeproof.model.snapshot import AnySnapshot
from tests.search.walks import Actor, End, Kind, Programs, Standing, Step

P: Final = b"p"
CHANNELS: Final = ("c0", "c1")
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
class Sender(Actor):
    """``holds``: a message that it has received and is about to pass on."""

    holds: bytes | None = None


@attrs.frozen(kw_only=True)
class Sent(Standing):
    actors: tuple[Sender, ...]
    channels: tuple[tuple[bytes, ...], ...] = ((), ())
    store: tuple[bytes | None, ...] = (None, None)
    duplicated: int
    reordered: int


def _put(held: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*held[:at], value, *held[at + 1 :])


def _sends(state: Sent, channel: int, message: bytes) -> Iterator[Sent]:
    yield attrs.evolve(state, channels=_put(state.channels, channel, (*state.channels[channel], message)))
    if state.lost:
        yield attrs.evolve(state, lost=state.lost - 1)


def _takes(state: Sent, channel: int) -> Iterator[tuple[Sent, bytes]]:
    messages = state.channels[channel]
    for at, message in enumerate(messages[: state.reordered + 1]):
        paid = attrs.evolve(state, reordered=state.reordered - at)
        yield attrs.evolve(paid, channels=_put(state.channels, channel, messages[:at] + messages[at + 1 :])), message
        if state.duplicated:
            yield attrs.evolve(paid, duplicated=state.duplicated - 1), message


def _steps(programs: Programs, state: Sent, me: int) -> Iterator[Sent]:
    """All that a client's next effect can come to."""
    actor, name = state.actors[me], "abc"[me].encode()
    what, number = programs[me][actor.at]

    def goes(after: Sent, moved: Sender = actor, *, ends: bool = True) -> Sent:
        moved = attrs.evolve(moved, begun=True, at=actor.at + ends)
        return attrs.evolve(after, actors=_put(after.actors, me, moved))

    def saw(*more: object) -> Sender:
        return attrs.evolve(actor, seen=(*actor.seen, *more))

    def holds(message: bytes | None) -> Sender:
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


def _first(scenario: Scenario) -> Sent:
    faults = scenario.faults
    return Sent(
        actors=tuple(Sender() for _ in scenario.clients),
        crashes=faults.crashes,
        lost=faults.lost_messages,
        duplicated=faults.duplicated_messages,
        reordered=faults.reordered_messages,
    )


def _crowded(seen: AnySnapshot) -> Iterator[Finding]:
    if any(len(messages) > 1 for messages in seen.channels.values()):
        yield Violation("crowded", f"{dict(seen.channels)}")
    else:
        yield Reached("one message at most")


CROWDED: Final = Always(id="crowded", meaning="one message at a time", check=_crowded)

KINDS: Final = ("send", "send", "send", "offer", "offer", "receive", "receive", "try", "relay", "drain", "get", "set")
BUDGETS: Final = (
    Faults(),
    Faults(lost_messages=1),
    Faults(duplicated_messages=1),
    Faults(reordered_messages=1),
    Faults(reordered_messages=2),
    Faults(crashes=1),
    Faults(duplicated_messages=1, reordered_messages=1),
    Faults(lost_messages=1, crashes=1),
)


def generated(seed: int) -> Scenario:
    """Two or three clients, the first of which sends at once. With overtaking, none begins with a receive: passing over
    would begin its call."""
    random = Random(f"channels {seed}")
    faults = BUDGETS[seed % len(BUDGETS)]
    clients = []
    for me in "abc"[: random.choice((2, 2, 3))]:
        steps = [(random.choice(KINDS), random.randrange(2)) for _ in range(random.choice((1, 2, 3)))]
        if random.random() < 0.15:
            steps.append(("serve", random.randrange(2)))
        if me == "a" or (faults.reordered_messages and steps[0][0] not in ("send", "get", "set")):
            steps.insert(0, ("send", random.randrange(2)))
        clients.append([Call(follow, me, tuple(steps))])
    return Scenario(name=f"channels/{seed}", clients=clients, invariants=[CROWDED], faults=faults)


def _cells(held: Mapping[object, object]) -> End:
    channels = tuple(held.get(("channel", name), ()) for name in CHANNELS)
    return channels, tuple(held.get(("kv", P, b"k%d" % number)) for number in range(2))


CHANNELLED: Final = Kind(
    generated=generated,
    first=_first,
    steps=_steps,
    left=lambda state: (state.channels, state.store),
    cells=_cells,
    invariant=CROWDED,
    wrong=lambda state: any(len(messages) > 1 for messages in state.channels),
    states_max=500,
)
