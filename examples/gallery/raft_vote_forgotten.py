"""A Raft server that restarts votes for two candidates in one term.

A server keeps in memory whom it has voted for, and replies to the candidate. It crashes and starts again, and finds a
request of another candidate for the same term. It has no vote on its disk, so it votes once more. With its votes, two
candidates have a majority.

Repair: the vote is written to the server's disk before the reply is sent, and read when the server starts.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Client, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "NodeDB-Lab/nodedb#161, bakwc/PySyncObj#202"
STEPS = 7
REQUESTS, VOTES, VOTED_FOR = b"requests", b"votes", (b"disk", b"voted-for")


async def stand(env: Env, candidate: bytes) -> None:
    await env.store.set(REQUESTS, candidate, b"term 1")


async def serve(env: Env, persists: bool = False) -> None:
    kept = await env.local.find(*VOTED_FOR) if persists else None
    voted_for = kept.value if kept else None
    async for request in env.store.scan(REQUESTS):
        if voted_for is None:
            voted_for = request.key
            if persists:
                await env.local.set(*VOTED_FOR, voted_for)
        if voted_for == request.key:
            await env.store.set(VOTES, request.key, b"granted")


def one_vote_in_a_term(snapshot: Snapshot) -> Iterator[Finding]:
    granted = sorted(key.decode() for partition, key in snapshot.store if partition == VOTES)
    if len(granted) > 1:
        yield Violation("one-vote-in-a-term", f"one server has voted for {' and '.join(granted)}")
    elif granted:
        yield Reached("a vote is granted")


def scenario(name: str, expect: dict[str, str], **options: bool) -> Scenario:
    return Scenario(
        name=f"raft_vote_forgotten/{name}",
        clients=[
            [Call(stand, b"a")],
            [Call(stand, b"b")],
            Client([Call(serve, **options)], recover=Call(serve, **options)),
        ],
        invariants=[
            Always(
                id="one-vote-in-a-term",
                meaning="a server votes for one candidate in a term",
                check=one_vote_in_a_term,
            )
        ],
        faults=Faults(restarts=1),
        expect=expect,
        source=THREADS,
    )


SCENARIOS = [scenario("published", {"one-vote-in-a-term": "violated"}), scenario("repaired", {}, persists=True)]
