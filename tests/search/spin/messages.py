"""Small protocols over channels. `promela/` has each a second time, and `pairs.py` the pairs."""

from lakeproof import Env
from tests.search.spin.protocols import enter, get, put


async def send(env: Env, channel: str, number: int) -> None:
    await env.channel(channel).send(b"%d" % number)


async def receive(env: Env, channel: str) -> int:
    return int(await env.channel(channel).receive())


async def play(env: Env, sends: str, receives: str, *, first: bool) -> None:
    """One of two that throw a ball."""
    if first:
        await send(env, sends, 1)
    while True:
        await receive(env, receives)
        await send(env, sends, 1)


async def idle(env: Env) -> None:
    while True:
        await get(env, "idle")


async def hand_out(env: Env) -> None:
    await send(env, "token", 1)


async def share(env: Env, me: int) -> None:
    """A token is the right to enter."""
    while True:
        await receive(env, "token")
        await enter(env, me)
        await send(env, "token", 1)


async def coordinate(env: Env) -> None:
    for me in range(2):
        await send(env, f"to{me}", 1)
    votes = await receive(env, "votes") + await receive(env, "votes")
    for me in range(2):
        await send(env, f"to{me}", votes)
    await put(env, "decided", 1)


async def participate(env: Env, me: int) -> None:
    await receive(env, f"to{me}")
    await send(env, "votes", 1)
    await receive(env, f"to{me}")


async def elect(env: Env, me: int) -> None:
    """Chang and Roberts: numbers travel round a ring of three, and greater nodes do not pass them on."""
    following = f"ring{(me + 1) % 3}"
    await send(env, following, me)
    while (candidate := await receive(env, f"ring{me}")) != me:
        if candidate > me:
            await send(env, following, candidate)
    await put(env, "leader", me)


async def tell(env: Env) -> None:
    for number in (1, 2):
        await send(env, "news", number)


async def listen(env: Env) -> None:
    for _ in range(2):
        await put(env, "last", await receive(env, "news"))


async def repeat(env: Env, *, stubborn: bool = True) -> None:
    """The sender of the alternating bit: it sends a bit once more while it waits for the receipt, if it is stubborn."""
    bit = 0
    while True:
        await send(env, "data", bit)
        again = stubborn
        while (found := await env.channel("receipts").try_receive()) is None or int(found) != bit:
            if again and found is None:
                await send(env, "data", bit)
                again = False
        bit = 1 - bit


async def acknowledge(env: Env) -> None:
    expected = 0
    while True:
        bit = await receive(env, "data")
        if bit == expected:
            await put(env, "delivered", bit)
            expected = 1 - expected
        await send(env, "receipts", bit)
