"""Two inserts of one key into Hudi both succeed, and the key is there twice.

Each writer looks for the key in the index and finds no file group, so it chooses a new one. Optimistic concurrency
control compares the file groups that the two commits touched. They are different, so there is no conflict. This is
write skew: each commit alone is right.

Repair: the conflict is about the key. The insert claims the key itself, by a conditional write to the index.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Finding,
    Reached,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "apache/hudi#9831"
STEPS = 8


async def insert(env: Env, group: str, claims: bool = False) -> None:
    if await env.store.find(b"index", b"key"):
        raise kv.Refused("the key is there")
    if claims:
        await env.store.set_if(b"index", b"key", group.encode(), None)
    touched = [entry.key.decode() async for entry in env.store.scan(b"commits")]
    if group in touched:
        raise kv.Refused(f"another commit has touched {group}")
    await env.store.set(b"commits", group.encode(), b"key")
    await env.store.set(b"index", b"key", group.encode())


def key_is_unique(snapshot: Snapshot) -> Iterator[Finding]:
    groups = sorted(key.decode() for (partition, key) in snapshot.store if partition == b"commits")
    if len(groups) > 1:
        yield Violation("key-is-unique", f"one key is in the file groups {' and '.join(groups)}")
    elif groups and any(call.status is Status.FAIL for call in snapshot.calls("insert")):
        yield Reached("one insert has won")


INVARIANT = Eventually(id="key-is-unique", meaning="a primary key is in one file group", check=key_is_unique)

SCENARIOS = [
    Scenario(
        name="hudi_duplicate_key/published",
        clients=[[Call(insert, "x")], [Call(insert, "y")]],
        invariants=[INVARIANT],
        expect={"key-is-unique": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_duplicate_key/repaired",
        clients=[[Call(insert, "x", claims=True)], [Call(insert, "y", claims=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
