"""A commit retries for ever with what it read before the first try.

Another writer commits between a writer's read of the table and its commit. The commit fails, and the loop tries again
with the same requirement: that the branch is where it was read first. No further try can succeed.

Repair: each try reads the branch anew.
"""

from lakeproof import Call, Env, Scenario, Terminates

THREADS = "apache/iceberg-go#945"
STEPS = 5
BRANCH = (b"catalog", b"main")


async def commit(env: Env, snapshot: str, *, refresh: bool = False) -> None:
    head = await env.store.find(*BRANCH)
    while not await env.store.try_set_if(*BRANCH, snapshot.encode(), None if head is None else head.predicate):
        if refresh:
            head = await env.store.find(*BRANCH)


COMMITS_END = Terminates(commit, id="commits-end", meaning="a commit that has begun is answered at last")

SCENARIOS = [
    Scenario(
        name=f"iceberg_go_stale_retry/{'repaired' if refresh else 'published'}",
        clients=[[Call(commit, name, refresh=refresh)] for name in ("a", "b")],
        invariants=[COMMITS_END],
        expect={} if refresh else {COMMITS_END.id: "violated"},
        source=THREADS,
    )
    for refresh in (False, True)
]
