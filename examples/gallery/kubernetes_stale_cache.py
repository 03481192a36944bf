"""The operator of Elasticsearch scales a cluster down, because it reads an old state.

A cluster was scaled from 2 to 1 and back to 2. The operator restarts and connects to another API server, whose cache
has not yet seen the last change. It reads 1 and removes a node that is wanted.

Repair: a state that a step cannot take back is read from the quorum. A cached read can only trigger such a read.
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

THREADS = "elastic/cloud-on-k8s#5274"
STEPS = 3
SPEC, CACHE, NODES = (b"quorum", b"spec"), (b"cache", b"spec"), (b"quorum", b"nodes")


async def reconcile(env: Env, reads_quorum: bool = False) -> None:
    wanted = (await env.store.get(*CACHE)).value
    nodes = (await env.store.get(*NODES)).value
    if reads_quorum and wanted < nodes:
        wanted = (await env.store.get(*SPEC)).value
    if wanted != nodes:
        await env.store.set(*NODES, wanted)


async def refresh(env: Env) -> None:
    await env.store.set(*CACHE, (await env.store.get(*SPEC)).value)


async def scale_down_and_up(env: Env) -> None:
    await env.store.set(*SPEC, b"1")
    await env.store.set(*CACHE, b"1")
    await env.store.set(*SPEC, b"2")
    await env.store.set(*NODES, b"2")


def no_node_is_lost(snapshot: Snapshot) -> Iterator[Finding]:
    nodes, wanted = snapshot.store[NODES], snapshot.store[SPEC]
    assert isinstance(nodes, bytes)
    assert isinstance(wanted, bytes)
    if int(nodes) < int(wanted):
        yield Violation("no-node-is-lost", f"the cluster has {int(nodes)} nodes, and {int(wanted)} are wanted")
    elif snapshot.store[CACHE] != wanted and all(call.done for call in snapshot.calls("reconcile")):
        yield Reached("the operator has run on an old cache")


INVARIANT = Always(
    id="no-node-is-lost",
    meaning="the operator removes no node that is wanted",
    check=no_node_is_lost,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="kubernetes_stale_cache/published",
        setup=[Call(scale_down_and_up)],
        clients=[[Call(reconcile)], [Call(refresh)]],
        invariants=[INVARIANT],
        expect={"no-node-is-lost": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="kubernetes_stale_cache/repaired",
        setup=[Call(scale_down_and_up)],
        clients=[[Call(reconcile, reads_quorum=True)], [Call(refresh)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
