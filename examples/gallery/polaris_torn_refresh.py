"""Polaris reports "grants_version_going_backward" for a role that is in order.

A refresh of the cache reads the version of the grants first, and the role after that. A grant between the two reads
makes the role newer than the version that is reported with it. A check of the server finds this impossible, and the
request ends with status 500.

Repair: the refresh reads the role once, and reports the version that is in it.
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
    Violation,
)

THREADS = "apache/polaris#4358, apache/polaris#3836"
STEPS = 4
ROLE = (b"entities", b"role")


async def grant(env: Env) -> None:
    found = await env.store.get(*ROLE)
    await env.store.set_if(*ROLE, b"%d" % (int(found.value) + 1), found.predicate)


async def refresh(env: Env, once: bool = False) -> tuple[int, int]:
    version = (await env.store.get(*ROLE)).value
    role = version if once else (await env.store.get(*ROLE)).value
    return int(version), int(role)


async def create_role(env: Env) -> None:
    await env.store.set(*ROLE, b"1")


def refresh_is_consistent(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("refresh"):
        if isinstance(call.value, tuple):
            version, role = map(int, call.value)
            if role > version:
                yield Violation("refresh-is-consistent", f"version {version} was reported with a role of {role}")
            elif role > 1:
                yield Reached("a refresh after the grant")


INVARIANT = Always(
    id="refresh-is-consistent",
    meaning="the version that is reported is not older than the role",
    check=refresh_is_consistent,
    reads=frozenset({Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="polaris_torn_refresh/published",
        setup=[Call(create_role)],
        clients=[[Call(grant)], [Call(refresh)]],
        invariants=[INVARIANT],
        expect={"refresh-is-consistent": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="polaris_torn_refresh/repaired",
        setup=[Call(create_role)],
        clients=[[Call(grant)], [Call(refresh, once=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
