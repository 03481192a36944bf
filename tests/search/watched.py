"""Generated flows that watch and write, and all that they can do: an enumerator that shares nothing with the search.

It has no queues: there is one log of all writes, as in etcd, and a watch is a place in it.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

import attrs

from lakeproof import Always, AlwaysEventually, Call, Env, Faults, Finding, Reached, Scenario, Violation, kv
from lakeproof.model.snapshot import AnySnapshot, Status

P: Final = b"p"
KEYS: Final = (b"a", b"ab", b"b", b"c")
PREFIXES: Final = (b"a", b"", b"ab")
Step = tuple[str, int]
Group = tuple[tuple[bytes, bytes | None], ...]


async def follow(env: Env, me: str, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """A flow that does what its argument says, and returns what it has seen."""
    seen: list[object] = []
    for at, (what, number) in enumerate(steps):
        mine = me.encode() + b"%d" % at
        match what:
            case "set":
                await env.store.set(P, KEYS[number], mine)
            case "create":
                seen.append(await env.store.try_set_if(P, KEYS[number], mine, None))
            case "delete":
                await env.store.delete(P, KEYS[number])
            case "move":
                other = KEYS[(number + 1) % 3]
                await env.store.transact(writes=[(P, KEYS[number], None), (P, other, mine)])
            case "watch":
                async with env.store.watch(P, PREFIXES[number]) as changes:
                    seen.append(tuple((entry.key, entry.value) for entry in changes.entries))
                    try:
                        for _ in range(1 + number % 2):
                            change = await anext(changes)
                            seen.append((change.key, change.value))
                    except kv.WatchLost:
                        seen.append("lost")
            case "await":
                async with env.store.watch(P, PREFIXES[number]) as changes:
                    if not changes.entries:
                        seen.append((await anext(changes)).key)
            case "serve":
                async with env.store.watch(P, PREFIXES[number]) as changes:
                    async for change in changes:
                        await env.store.set(b"copies", b"c", change.value or b"none")
    return tuple(seen)


@attrs.frozen(kw_only=True)
class Actor:
    """A client of the enumerator. ``since``: how much of the log its watch has behind it; None: it has none."""

    at: int = 0
    seen: tuple[object, ...] = ()
    since: int | None = None
    rest: Group = ()
    received: int = 0
    begun: bool = False
    crashed: bool = False


@attrs.frozen(kw_only=True)
class State:
    actors: tuple[Actor, ...]
    log: tuple[Group, ...] = ()
    copy: bytes | None = None
    crashes: int
    lost: int


Programs = tuple[tuple[Step, ...], ...]


def store_of(state: State) -> tuple[tuple[bytes, bytes], ...]:
    held: dict[bytes, bytes | None] = {}
    for group in state.log:
        held.update(group)
    return tuple(sorted((key, value) for key, value in held.items() if value is not None))


def ended(programs: Programs, state: State, me: int) -> bool:
    return state.actors[me].at == len(programs[me])


def _steps(programs: Programs, state: State, me: int) -> Iterator[State]:
    """All that a client's next effect can come to."""
    actor = state.actors[me]
    mine = b"%c%d" % ("abc"[me].encode(), actor.at)
    what, number = programs[me][actor.at]
    held = dict(store_of(state))

    def goes(moved: Actor = actor, *, ends: bool = False, **changes: object) -> State:
        moved = attrs.evolve(moved, begun=True, at=actor.at + ends)
        if ends:
            moved = attrs.evolve(moved, since=None, rest=(), received=0)
        return attrs.evolve(state, actors=(*state.actors[:me], moved, *state.actors[me + 1 :]), **changes)  # type: ignore[arg-type]

    def writes(*group: tuple[bytes, bytes | None]) -> tuple[Group, ...]:
        real = tuple((key, value) for key, value in group if value is not None or key in held)
        return (*state.log, real) if real else state.log

    if what in ("watch", "await", "serve"):
        yield from _watch_steps(state, actor, (what, number), held, goes)
    elif what == "set":
        yield goes(ends=True, log=writes((KEYS[number], mine)))
    elif what == "create":
        free = KEYS[number] not in held
        saw = attrs.evolve(actor, seen=(*actor.seen, free))
        yield goes(saw, ends=True, log=writes((KEYS[number], mine)) if free else state.log)
    elif what == "delete":
        yield goes(ends=True, log=writes((KEYS[number], None)))
    else:
        yield goes(ends=True, log=writes((KEYS[number], None), (KEYS[(number + 1) % 3], mine)))


def _watch_steps(  # type: ignore[explicit-any]
    state: State, actor: Actor, step: Step, held: dict[bytes, bytes], goes: Callable[..., State]
) -> Iterator[State]:
    what, prefix, most = step[0], PREFIXES[step[1]], 1 + step[1] % 2
    if actor.since is None:
        entries = tuple((key, value) for key, value in sorted(held.items()) if key.startswith(prefix))
        seen = (*actor.seen, entries) if what == "watch" else actor.seen
        there = what == "await" and entries
        yield goes(attrs.evolve(actor, since=len(state.log), seen=seen, received=1 if there else 0))
    elif what == "serve" and actor.rest:  # it has received them, and copies one
        yield goes(attrs.evolve(actor, rest=actor.rest[1:]), copy=actor.rest[0][1] or b"none")
    elif actor.received == (most if what == "watch" else 1):
        yield goes(actor, ends=True)
    else:
        if state.lost and what == "watch":
            yield goes(attrs.evolve(actor, seen=(*actor.seen, "lost"), received=most), lost=state.lost - 1)
        for number, group in enumerate(state.log[actor.since :], start=actor.since + 1):
            mine = tuple(change for change in group if change[0].startswith(prefix))
            if mine and what == "watch":
                taken = mine[: most - actor.received]
                received = actor.received + len(taken)
                yield goes(attrs.evolve(actor, since=number, received=received, seen=(*actor.seen, *taken)))
            elif mine and what == "await":
                yield goes(attrs.evolve(actor, since=number, received=1, seen=(*actor.seen, mine[0][0])))
            elif mine:
                yield goes(attrs.evolve(actor, since=number, rest=mine))
            if mine:
                break


def _following(programs: Programs, state: State) -> Iterator[tuple[bool, State]]:
    """States, and whether a client has moved that had something to do: a crash or a loss is no move of its own."""
    for me, actor in enumerate(state.actors):
        if actor.crashed or ended(programs, state, me):
            continue
        yield from ((after.lost == state.lost, after) for after in _steps(programs, state, me))
        if state.crashes:
            crashed = attrs.evolve(actor, crashed=True)
            actors = (*state.actors[:me], crashed, *state.actors[me + 1 :])
            yield False, attrs.evolve(state, crashes=state.crashes - 1, actors=actors)


@attrs.frozen
class Everything:
    """All states, and those in which no client can move."""

    states: frozenset[State]
    ends: frozenset[State]


def everything(programs: Programs, faults: Faults, states_max: int) -> Everything | None:
    """None: there are more states than that."""
    first = State(actors=tuple(Actor() for _ in programs), crashes=faults.crashes, lost=faults.lost_watches)
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
    """What is left: keys, and for each client whether its call has begun and how it ended."""
    views: list[object] = []
    for me, actor in enumerate(state.actors):
        if ended(programs, state, me):
            views.append((Status.OK, actor.seen))
        elif actor.begun:
            views.append((Status.CRASHED if actor.crashed else Status.PENDING, None))
        else:
            views.append(())
    return store_of(state), state.copy, tuple(views)


def programs_of(scenario: Scenario) -> Programs:
    return tuple(calls[0].args[1] for calls in scenario.clients)  # type: ignore[misc]


def _differs(seen: AnySnapshot) -> Iterator[Finding]:
    """Of what a client serves, the last change is copied last: it is so, or it is not yet."""
    copy, latest = seen.store.get((b"copies", b"c")), seen.store.get((P, b"a"))
    if copy is not None and latest is not None and copy != latest:
        yield Violation("copied", f"{copy!r} is not {latest!r}")
    else:
        yield Reached("no difference")


def _all_over(seen: AnySnapshot) -> bool:
    """For each client: its call has ended, or crashed."""
    return all(calls and calls[0].status is not Status.PENDING for calls in seen.clients)


COPIED: Final = Always(id="copied", meaning="the copy is the value", check=_differs)
ALL_OVER: Final = AlwaysEventually(_all_over, id="all-over", meaning="each client has ended", fairness="weak")


def is_old(state: State) -> bool:
    latest = dict(store_of(state)).get(b"a")
    return state.copy is not None and latest is not None and state.copy != latest


def is_stuck(programs: Programs, state: State) -> bool:
    """A client has neither ended nor crashed in the middle of its call."""
    return any(
        not ended(programs, state, me) and not (actor.crashed and actor.begun) for me, actor in enumerate(state.actors)
    )


KINDS: Final = ("set", "set", "set", "create", "delete", "move", "watch")
BUDGETS: Final[tuple[Callable[[], Faults], ...]] = (
    Faults,
    lambda: Faults(lost_watches=1),
    Faults,
    lambda: Faults(crashes=1),
    lambda: Faults(lost_watches=1, crashes=1),
)


def generated(seed: int) -> Scenario:
    """Two or three clients; the first one begins with a watch, and the second one with a write."""
    random = Random(f"watches {seed}")
    faults = BUDGETS[seed % len(BUDGETS)]()
    clients = []
    for me in "abc"[: random.choice((2, 2, 3))]:
        steps = [(random.choice(KINDS), random.randrange(3)) for _ in range(random.choice((1, 2, 3)))]
        if me == "a":
            first = "watch" if faults.lost_watches else random.choice(("await", "await", "serve", "watch"))
            steps.insert(0, (first, random.randrange(3)))
        elif me == "b":
            steps.insert(0, ("set", random.randrange(2)))
        clients.append([Call(follow, me, tuple(steps))])
    return Scenario(name=f"watches/{seed}", clients=clients, invariants=[COPIED], faults=faults)
