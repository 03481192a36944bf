"""Generated flows over keys with a time to live, and all that they can end with where time is continuous.

`ends` knows nothing of ticks: it goes through every order of effects and expiries, and keeps those for which there are
real times. A sleep puts a lower bound on the time between two effects of a client, a time to live an exact one on that
between a write and its expiry. Such bounds have a solution just if their graph has no negative cycle.
"""

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Final, TypeVar

import attrs

from lakeproof import Call, Env, Faults, Scenario
from tests.search.walks import ENDS

T = TypeVar("T")

P: Final = b"p"
SECOND: Final = 1_000_000
Step = tuple[str, int, int]
"""What is done, to which key, and for how many seconds: of a sleep, or to live; 0: for ever."""
End = tuple[tuple[tuple[object, ...], ...], frozenset[tuple[bytes, bytes]]]
"""What each client has returned, and what the store keeps."""


async def follow(env: Env, me: str, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """A flow that does what its argument says, and returns what it has met."""
    seen: list[object] = []
    for number, (what, key, seconds) in enumerate(steps):
        ttl, at, value = seconds * SECOND or None, b"%d" % key, b"%s%d" % (me.encode(), number)
        match what:
            case "sleep":
                await env.clock.sleep(seconds * SECOND)
            case "get":
                found = await env.store.find(P, at)
                seen.append(None if found is None else found.value)
            case "set":
                await env.store.set(P, at, value, ttl=ttl)
            case "claim":
                seen.append(await env.store.try_set_if(P, at, value, None, ttl=ttl))
            case "renew":
                mine = b"%s%d" % (me.encode(), 0)
                seen.append(await env.store.try_set_if(P, at, mine, mine, ttl=ttl))
            case "delete":
                await env.store.delete(P, at)
    return tuple(seen)


@attrs.frozen
class _Key:
    value: bytes
    written: int = -1
    """The event that wrote it; -1: it lives for ever."""
    ttl: int = 0


@attrs.frozen
class _Run:
    """An order of events so far. ``bounds``: (earlier, later, least): the later event comes so much after it, which may
    be negative: then it is a most of the other direction."""

    at: tuple[int, ...]
    last: tuple[int, ...]
    """By client: the event of its last effect."""
    seen: tuple[tuple[object, ...], ...]
    store: tuple[tuple[int, _Key], ...] = ()
    events: int = 1
    bounds: tuple[tuple[int, int, int], ...] = ()


@lru_cache
def ends(clients: tuple[tuple[Step, ...], ...]) -> set[End]:
    """What there can be at the end, when all that has a time to live is gone."""
    found, known = set(), set()
    waiting = [_Run((0,) * len(clients), (0,) * len(clients), ((),) * len(clients))]
    while waiting:
        run = waiting.pop()
        if run in known or not _possible(run):
            continue
        known.add(run)
        following = [*_expiries(run), *_effects(run, clients)]
        if not following:
            found.add((run.seen, frozenset((b"%d" % key, held.value) for key, held in run.store)))
        waiting += following
    return found


def _possible(run: _Run) -> bool:
    """Whether there are times for these events: no cycle of bounds asks for more than nothing."""
    edges = [*run.bounds, *((event, event + 1, 0) for event in range(run.events - 1))]
    edges += [(run.events - 1, held.written, -held.ttl) for _, held in run.store if held.written >= 0]
    least = [0] * run.events
    for _ in range(run.events + 1):
        before = list(least)
        for earlier, later, gap in edges:
            least[later] = max(least[later], least[earlier] + gap)
        if least == before:
            return True
    return False


def _expiries(run: _Run) -> Iterator[_Run]:
    for key, held in run.store:
        if held.written >= 0:
            exact = ((held.written, run.events, held.ttl), (run.events, held.written, -held.ttl))
            store = tuple(pair for pair in run.store if pair[0] != key)
            yield attrs.evolve(run, store=store, events=run.events + 1, bounds=run.bounds + exact)


def _effects(run: _Run, clients: tuple[tuple[Step, ...], ...]) -> Iterator[_Run]:
    for client, steps in enumerate(clients):
        at, slept = run.at[client], 0
        while at < len(steps) and steps[at][0] == "sleep":
            slept, at = slept + steps[at][2], at + 1
        if at < len(steps):
            before, event = dict(run.store), run.events
            answer, store = _effect("abc"[client], at, steps[at], dict(before), event)
            cut = [held for key, held in before.items() if held.written >= 0 and store.get(key) is not held]
            yield attrs.evolve(
                run,
                at=_changed(run.at, client, at + 1),
                last=_changed(run.last, client, event),
                seen=_changed(run.seen, client, (*run.seen[client], *answer)),
                store=tuple(sorted(store.items(), key=lambda pair: pair[0])),
                events=event + 1,
                bounds=(
                    *run.bounds,
                    (run.last[client], event, slept),
                    *((event, held.written, -held.ttl) for held in cut),
                ),
            )


def _changed(row: tuple[T, ...], at: int, new: T) -> tuple[T, ...]:
    return (*row[:at], new, *row[at + 1 :])


def _effect(
    me: str, number: int, step: Step, store: dict[int, _Key], event: int
) -> tuple[tuple[object, ...], dict[int, _Key]]:
    """What the client is told of it, and the store then."""
    what, key, seconds = step
    held = store.get(key)
    value = f"{me}{0 if what == 'renew' else number}".encode()
    match what:
        case "get":
            return (None if held is None else held.value,), store
        case "delete":
            store.pop(key, None)
            return (), store
        case "claim" if held is not None:
            return (False,), store
        case "renew" if held is None or held.value != value:
            return (False,), store
    store[key] = _Key(value, event, seconds) if seconds else _Key(value)
    return () if what == "set" else (True,), store


BY_HAND: Final = (
    ((("claim", 0, 1), ("renew", 0, 3), ("sleep", 0, 2), ("get", 0, 0)), (("claim", 0, 0),)),
    ((("claim", 0, 2), ("sleep", 0, 1), ("set", 0, 0), ("sleep", 0, 2), ("get", 0, 0)),),
    ((("claim", 0, 2), ("delete", 0, 0), ("claim", 0, 0)), (("get", 0, 0), ("sleep", 0, 3), ("get", 0, 0))),
    ((("set", 0, 3), ("set", 1, 2), ("sleep", 0, 1), *(("get", key, 0) for key in (0, 0, 1))),),
    ((("claim", 0, 1), ("sleep", 0, 2), ("renew", 0, 0)),),
)
"""What chance rarely makes: a renewal in time, a write that makes a key permanent, one that needs a moment between two
deadlines."""


def generated(seed: int) -> tuple[tuple[Step, ...], ...]:
    """What two clients do in three steps, or three in two, with times to live of one to three seconds."""
    random, clients = Random(seed), []
    several = random.choice((2, 2, 2, 3))
    for _ in range(several):
        kinds = random.choices(("sleep", "get", "set", "claim", "renew", "delete"), (4, 4, 3, 4, 2, 1), k=5 - several)
        first = random.choice((("claim", 0, 1 + random.randrange(3)), (kinds[0], random.randrange(2), 2)))
        rest = ((what, random.randrange(2), random.randrange(4)) for what in kinds[1:])
        clients.append((first, *rest))
    return tuple(clients)


def scenario_of(clients: tuple[tuple[Step, ...], ...], time: str, faults: Faults | None = None) -> Scenario:
    """These clients as a scenario."""
    return Scenario(
        name="leased",
        clients=[[Call(follow, me, steps)] for me, steps in zip("abc", clients, strict=False)],
        invariants=[ENDS],
        faults=faults or Faults(),
        time=time,
        tick=SECOND,
    )
