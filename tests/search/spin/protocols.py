"""Small protocols as flows over numbers in a store. `promela/` has each a second time, and `pairs.py` the pairs."""

from collections.abc import Awaitable, Callable

from lakeproof import Env

P = b"p"


async def begin(env: Env) -> None:
    """The setup, as the declarations of the other texts have it."""
    for key in ("count", "fork0", "fork1", "fork2", "lock", "next", "number"):
        await put(env, key, 0)


async def for_ever(env: Env, flow: Callable[[Env], Awaitable[None]]) -> None:
    while True:
        await flow(env)


async def get(env: Env, key: str) -> int:
    found = await env.store.find(P, key.encode())
    return 0 if found is None else int(found.value)


async def put(env: Env, key: str, value: int) -> None:
    await env.store.set(P, key.encode(), b"%d" % value)


async def swap(env: Env, key: str, old: int, new: int) -> bool:
    """Compare and swap, of a key that `begin` has made."""
    return await env.store.try_set_if(P, key.encode(), b"%d" % new, b"%d" % old)


async def enter(env: Env, me: int) -> None:
    """The critical section."""
    await put(env, f"crit{me}", 1)
    await put(env, f"crit{me}", 0)


async def lock_once(env: Env) -> None:
    while not await swap(env, "lock", 0, 1):
        pass
    await put(env, "lock", 0)


async def draw(env: Env) -> None:
    mine = await get(env, "next")
    while not await swap(env, "next", mine, (mine + 1) % 3):
        mine = await get(env, "next")
    while await get(env, "serving") != mine:
        pass
    await put(env, "serving", (mine + 1) % 3)


async def peterson(env: Env, me: int, *, swapped: bool = False) -> None:
    raised, given = (f"flag{me}", 1), ("turn", 1 - me)
    while True:
        for key, value in (given, raised) if swapped else (raised, given):
            await put(env, key, value)
        while await get(env, f"flag{1 - me}") and await get(env, "turn") != me:
            pass
        await enter(env, me)
        await put(env, f"flag{me}", 0)


async def alternate(env: Env, me: int) -> None:
    while True:
        while await get(env, "turn") != me:
            pass
        await enter(env, me)
        await put(env, "turn", 1 - me)
        if me == 1:
            break


async def check_first(env: Env, me: int) -> None:
    while True:
        while await get(env, f"flag{1 - me}"):
            pass
        await put(env, f"flag{me}", 1)
        await enter(env, me)
        await put(env, f"flag{me}", 0)


async def set_first(env: Env, me: int) -> None:
    while True:
        await put(env, f"flag{me}", 1)
        while await get(env, f"flag{1 - me}"):
            pass
        await enter(env, me)
        await put(env, f"flag{me}", 0)


async def be_polite(env: Env, me: int) -> None:
    while True:
        await put(env, f"flag{me}", 1)
        while await get(env, f"flag{1 - me}"):
            await put(env, f"flag{me}", 0)
            await put(env, f"flag{me}", 1)
        await enter(env, me)
        await put(env, f"flag{me}", 0)


async def dekker(env: Env, me: int) -> None:
    mine, other = f"flag{me}", 1 - me
    while True:
        await put(env, mine, 1)
        while await get(env, f"flag{other}"):
            if await get(env, "turn") == other:
                await put(env, mine, 0)
                while await get(env, "turn") == other:
                    pass
                await put(env, mine, 1)
        await enter(env, me)
        await put(env, "turn", other)
        await put(env, mine, 0)


async def bakery(env: Env, me: int, *, hasty: bool = False) -> None:
    other = 1 - me
    if not hasty:
        await put(env, f"choosing{me}", 1)
    mine = await get(env, f"number{other}") + 1
    await put(env, f"number{me}", mine)
    if not hasty:
        await put(env, f"choosing{me}", 0)
        while await get(env, f"choosing{other}"):
            pass
    while (theirs := await get(env, f"number{other}")) and (theirs, other) < (mine, me):
        pass
    await enter(env, me)
    await put(env, f"number{me}", 0)


async def read(env: Env, me: int, *, courteous: bool = False) -> None:
    while True:
        while courteous and await get(env, "wants"):
            pass
        await put(env, f"reads{me}", 1)
        await put(env, f"reads{me}", 0)


async def write(env: Env) -> None:
    await put(env, "wants", 1)
    while await get(env, "reads0") or await get(env, "reads1"):
        pass
    await put(env, "wants", 0)


async def dine(env: Env, me: int, *, in_order: bool = False) -> None:
    forks = (me, (me + 1) % 3)
    one, two = (f"fork{each}" for each in (sorted(forks) if in_order else forks))
    for fork in (one, two):
        while not await swap(env, fork, 0, 1):
            pass
    await put(env, two, 0)
    await put(env, one, 0)


async def coordinate(env: Env) -> None:
    await put(env, "asked", 1)
    for vote in ("vote0", "vote1"):
        while not await get(env, vote):
            pass
    await put(env, "decided", 1)


async def participate(env: Env, me: int, *, absent: bool = False) -> None:
    while not await get(env, "asked"):
        pass
    if not absent:
        await put(env, f"vote{me}", 1)
    while not await get(env, "decided"):
        pass


async def pass_semaphore(env: Env, me: int, *, torn: bool = False) -> None:
    while True:
        seen = await get(env, "count")
        if seen < 2:
            if torn:
                await put(env, "count", seen + 1)
                break
            if await swap(env, "count", seen, seen + 1):
                break
    await put(env, f"inside{me}", 1)
    await put(env, f"inside{me}", 0)
    while not await swap(env, "count", seen := await get(env, "count"), max(0, seen - 1)):
        pass


async def add_one(env: Env, key: str, *, torn: bool = False) -> None:
    seen = await get(env, key)
    if torn:
        await put(env, key, seen + 1)
    while not torn and not await swap(env, key, seen, seen + 1):
        seen = await get(env, key)
