"""Polaris loses one of two concurrent grants to a role.

Each grant raises the role's `grant_records_version`. The update is conditional, but its condition compares
`entity_version`, which a grant does not change. So the condition holds for both, and one increment is lost. A cache
that compares versions does not see the second grant.

Repair: the condition compares the column that the update changes. In the flow, `EXISTS` stands for a condition that
always holds for a row that is there.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "apache/polaris#4358, apache/polaris#3836"
STEPS = 4
ROLE = (b"entities", b"role")


async def grant(env: Env, compares: bool = False) -> None:
    while True:
        found = await env.store.get(*ROLE)
        raised = b"%d" % (int(found.value) + 1)
        if await env.store.try_set_if(*ROLE, raised, found.predicate if compares else kv.EXISTS):
            return


async def create_role(env: Env) -> None:
    await env.store.set(*ROLE, b"1")


def every_grant_counts(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store[ROLE]
    assert isinstance(held, bytes)
    granted = sum(call.status is Status.OK for call in snapshot.calls("grant"))
    if int(held) < 1 + granted:
        yield Violation("every-grant-counts", f"{granted} grants, and the version has grown from 1 to {int(held)}")
    elif granted > 1:
        yield Reached("two grants, two increments")


INVARIANT = Always(
    id="every-grant-counts",
    meaning="each grant raises the version of the grants",
    check=every_grant_counts,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="polaris_grants_counter/published",
        setup=[Call(create_role)],
        clients=[[Call(grant)], [Call(grant)]],
        invariants=[INVARIANT],
        expect={"every-grant-counts": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="polaris_grants_counter/repaired",
        setup=[Call(create_role)],
        clients=[[Call(grant, compares=True)], [Call(grant, compares=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
