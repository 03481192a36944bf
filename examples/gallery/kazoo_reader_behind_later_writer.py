"""A reader waits for a writer that came after it, and that writer waits for the reader.

In the lock recipe of Kazoo each contender has a node with a number. A writer waits until the node before its own is
deleted. A reader waits for a writer's node; it looks for one among all contenders, when it comes and whenever it is
woken. If a writer came after it, each waits for the other.

Repair: a reader looks for writers among the contenders before it.
"""

from lakeproof import Call, Env, Scenario, Terminates

THREADS = "python-zk/kazoo#649"
STEPS = 6
LOCK, WRITER, READER, LATER = b"lock", b"1 write", b"2 read", b"3 write"


async def contend(env: Env) -> None:
    for node in (WRITER, READER, LATER):
        await env.store.set(LOCK, node, b"")


async def acquire_and_release(env: Env, mine: bytes, *, before: bool = False) -> None:
    while True:
        nodes = [entry.key async for entry in env.store.scan(LOCK)]
        if mine.endswith(b"read"):
            others = [node for node in nodes if node.endswith(b"write") and (node < mine or not before)]
        else:
            others = [node for node in nodes if node < mine]
        if not others:
            break
        async with env.store.watch(LOCK, others[-1]) as changes:
            if changes.entries:
                await anext(changes)
    await env.store.delete(LOCK, mine)


ACQUIRED_AT_LAST = Terminates(acquire_and_release, id="acquired-at-last", meaning="whoever waits for the lock gets it")

SCENARIOS = [
    Scenario(
        name=f"kazoo_reader_behind_later_writer/{'repaired' if options else 'published'}",
        setup=[Call(contend)],
        clients=[[Call(acquire_and_release, node, **options)] for node in (WRITER, READER, LATER)],
        invariants=[ACQUIRED_AT_LAST],
        expect={} if options else {ACQUIRED_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for options in ({}, {"before": True})
]
