"""Two transactions that lock the same rows in different orders retry for ever.

A transaction locks its rows one after the other. If one is taken, it releases what it has and tries again. One locks
row 1 first and another one row 2: each has one, finds the other one taken, releases and retries, and so on.

Repair: rows are sorted by their primary key before they are locked.
"""

from lakeproof import Call, Env, Scenario, Terminates

THREADS = "apache/incubator-seata#1603, apache/incubator-seata#1605"
STEPS = 8


async def commit(env: Env, rows: tuple[bytes, ...], *, by_key: bool = False) -> None:
    locked: list[bytes] = []
    while len(locked) < len(rows):
        for row in sorted(rows) if by_key else rows:
            if not await env.store.try_set_if(b"locks", row, b"locked", None):
                break
            locked.append(row)
        else:
            break
        while locked:
            await env.store.delete(b"locks", locked.pop())
    for row in rows:
        await env.store.delete(b"locks", row)


COMMITS_AT_LAST = Terminates(commit, id="commits-at-last", meaning="a transaction that retries gets its locks at last")

SCENARIOS = [
    Scenario(
        name=f"seata_locks_in_any_order/{'repaired' if by_key else 'published'}",
        clients=[[Call(commit, rows, by_key=by_key)] for rows in ((b"1", b"2"), (b"2", b"1"))],
        invariants=[COMMITS_AT_LAST],
        expect={} if by_key else {COMMITS_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for by_key in (False, True)
]
