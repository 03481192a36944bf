"""Generated flows that watch and write, and all that they can do: an enumerator that shares nothing with the search.

It has no queues: there is one log of all writes, as in etcd, and a watch is a place in it.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final

import attrs

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Violation, kv
from lakeproof.model.snapshot import AnySnapshot
from tests.search.walks import Actor, End, Kind, Programs, Standing, Step

P: Final = b"p"
KEYS: Final = (b"a", b"ab", b"b", b"c")
PREFIXES: Final = (b"a", b"", b"ab")
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
class Watcher(Actor):
    """``since``: how much of the log its watch has behind it; None: it has none."""

    since: int | None = None
    rest: Group = ()
    received: int = 0


@attrs.frozen(kw_only=True)
class Logged(Standing):
    actors: tuple[Watcher, ...]
    log: tuple[Group, ...] = ()
    copy: bytes | None = None


def store_of(state: Logged) -> tuple[tuple[bytes, bytes], ...]:
    held: dict[bytes, bytes | None] = {}
    for group in state.log:
        held.update(group)
    return tuple(sorted((key, value) for key, value in held.items() if value is not None))


def _steps(programs: Programs, state: Logged, me: int) -> Iterator[Logged]:
    """All that a client's next effect can come to."""
    actor = state.actors[me]
    mine = b"%c%d" % ("abc"[me].encode(), actor.at)
    what, number = programs[me][actor.at]
    held = dict(store_of(state))

    def goes(moved: Watcher = actor, *, ends: bool = False, **changes: object) -> Logged:
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
    state: Logged, actor: Watcher, step: Step, held: dict[bytes, bytes], goes: Callable[..., Logged]
) -> Iterator[Logged]:
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


def _differs(seen: AnySnapshot) -> Iterator[Finding]:
    """Of what a client serves, the last change is copied last: it is so, or it is not yet."""
    copy, latest = seen.store.get((b"copies", b"c")), seen.store.get((P, b"a"))
    if copy is not None and latest is not None and copy != latest:
        yield Violation("copied", f"{copy!r} is not {latest!r}")
    else:
        yield Reached("no difference")


COPIED: Final = Always(id="copied", meaning="the copy is the value", check=_differs)


def _is_old(state: Logged) -> bool:
    latest = dict(store_of(state)).get(b"a")
    return state.copy is not None and latest is not None and state.copy != latest


KINDS: Final = ("set", "set", "set", "create", "delete", "move", "watch")
BUDGETS: Final = (
    Faults(),
    Faults(lost_watches=1),
    Faults(),
    Faults(crashes=1),
    Faults(lost_watches=1, crashes=1),
)


def generated(seed: int) -> Scenario:
    """Two or three clients; the first one begins with a watch, and the second one with a write."""
    random = Random(f"watches {seed}")
    faults = BUDGETS[seed % len(BUDGETS)]
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


def _cells(held: Mapping[object, object]) -> End:
    store = tuple((key, held["kv", P, key]) for key in KEYS if ("kv", P, key) in held)
    return store, held.get(("kv", b"copies", b"c"))


WATCHED: Final = Kind(
    generated=generated,
    first=lambda scenario: Logged(
        actors=tuple(Watcher() for _ in scenario.clients),
        crashes=scenario.faults.crashes,
        lost=scenario.faults.lost_watches,
    ),
    steps=_steps,
    left=lambda state: (store_of(state), state.copy),
    cells=_cells,
    invariant=COPIED,
    wrong=_is_old,
    states_max=300,
)
