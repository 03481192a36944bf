"""A transaction of Atomix hangs when its coordinator fails, and its locks are never released.

A coordinator asks two partitions to prepare. Each locks its keys, votes, and waits for the decision. The coordinator
fails before it sends one.

Repair: the state of the transaction is a record of its own, which is replicated. Another node that believes the
coordinator to have failed decides there, unless there is a decision, and sends it. A partition votes in either case.
"""

from lakeproof import Call, Env, Faults, Scenario, Terminates

THREADS = "atomix/atomix#360"
STEPS = 4
PARTITIONS, STATE = ("partition 1", "partition 2"), (b"transactions", b"state")


async def decide(env: Env, decision: bytes, recorded: bool) -> None:
    if recorded:
        await env.store.try_set_if(*STATE, decision, None)
        decision = (await env.store.get(*STATE)).value
    for partition in PARTITIONS:
        await env.channel(partition).send(decision)


async def coordinate(env: Env, recorded: bool = False) -> None:
    for partition in PARTITIONS:
        await env.channel(partition).send(b"prepare")
    votes = [await env.channel("votes").receive() for _ in PARTITIONS]
    await decide(env, b"roll back" if b"no" in votes else b"commit", recorded)


async def participate(env: Env, partition: str) -> None:
    prepares = await env.channel(partition).receive() == b"prepare"
    await env.channel("votes").send(b"yes" if prepares else b"no")
    if prepares:
        await env.channel(partition).receive()


async def take_over(env: Env, recorded: bool = False) -> None:
    if recorded:
        await decide(env, b"roll back", recorded)


RELEASED = Terminates(participate, id="locks-are-released", meaning="a partition learns the decision at last")

SCENARIOS = [
    Scenario(
        name=f"atomix_coordinator_fails/{'repaired' if options else 'published'}",
        clients=[
            [Call(coordinate, **options)],
            *([Call(participate, partition)] for partition in PARTITIONS),
            [Call(take_over, **options)],
        ],
        invariants=[RELEASED],
        faults=Faults(crashes=1),
        expect={} if options else {RELEASED.id: "violated"},
        source=THREADS,
    )
    for options in ({}, {"recorded": True})
]
