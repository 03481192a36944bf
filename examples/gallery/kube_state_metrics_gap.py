"""A pod that is deleted between the list and the watch is exported for ever.

kube-state-metrics lists the pods, and then watches them from the version that came with the list. Where it is sharded,
a filter rebuilt the list and dropped the version. A watch without one begins with the next change, and what happened in
between is never seen.

Repair: the version is kept. The watch begins where the list ends.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Status, Violation

THREADS = "kubernetes/kube-state-metrics#1390"
STEPS = 4
PODS, EXPORTED = b"pods", b"exported"


async def create(env: Env) -> None:
    await env.store.set(PODS, b"a", b"running")


async def delete(env: Env) -> None:
    await env.store.delete(PODS, b"a")


async def export(env: Env, *, from_list: bool = False) -> None:
    listed = [entry.key async for entry in env.store.scan(PODS)]
    async with env.store.watch(PODS) as changes:
        if from_list:
            listed = [entry.key for entry in changes.entries]
        for pod in listed:
            await env.store.set(EXPORTED, pod, b"1")
        async for change in changes:
            if change.value is None:
                await env.store.delete(EXPORTED, change.key)
            else:
                await env.store.set(EXPORTED, change.key, b"1")


def exported_is_true(snapshot: Snapshot) -> Iterator[Finding]:
    exported, pods = ({key for part, key in snapshot.store if part == where} for where in (EXPORTED, PODS))
    crashed = all(call.done or call.status is Status.CRASHED for call in snapshot.calls("export"))
    true = crashed or exported == pods
    yield Reached("it is") if true else Violation("exported-is-true", f"{exported} is exported, not {pods}")


INVARIANT = Eventually(id="exported-is-true", meaning="what is exported is there, at last", check=exported_is_true)

SCENARIOS = [
    Scenario(
        name=f"kube_state_metrics_gap/{'repaired' if options else 'published'}",
        setup=[Call(create)],
        clients=[[Call(export, **options)], [Call(delete)]],
        invariants=[INVARIANT],
        expect={} if options else {INVARIANT.id: "violated"},
        source=THREADS,
    )
    for options in ({}, {"from_list": True})
]
