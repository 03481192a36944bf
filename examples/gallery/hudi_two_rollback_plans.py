"""Two writers of Hudi plan the rollback of the same failed commit.

Each writer looks for a plan to roll back the failed instant, finds none, and writes one of its own to the timeline,
under an instant of its own. There are two plans now, and each can be executed.

Repair: the plan is put where the failed instant says, and only if there is none. The writer that loses uses the plan
that it finds.
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
)

THREADS = "apache/hudi#13064, apache/hudi#18050"
STEPS = 4


async def plan(env: Env, writer: str, by_instant: bool = False) -> None:
    plans = [entry async for entry in env.store.scan(b"plans")]
    if plans:
        return
    name = b"of-instant-1" if by_instant else writer.encode()
    await env.store.try_set_if(b"plans", name, b"delete the files of instant 1", None)


def one_plan(snapshot: Snapshot) -> Iterator[Finding]:
    plans = sorted(key.decode() for (_, key) in snapshot.store)
    if len(plans) > 1:
        yield Violation("one-plan", f"instant 1 has the rollback plans {' and '.join(plans)}")
    elif plans and all(call.status is Status.OK for call in snapshot.calls()):
        yield Reached("both writers have the same plan")


INVARIANT = Eventually(id="one-plan", meaning="a failed instant has one rollback plan", check=one_plan)

SCENARIOS = [
    Scenario(
        name="hudi_two_rollback_plans/published",
        clients=[[Call(plan, "w1")], [Call(plan, "w2")]],
        invariants=[INVARIANT],
        expect={"one-plan": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_two_rollback_plans/repaired",
        clients=[[Call(plan, "w1", by_instant=True)], [Call(plan, "w2", by_instant=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
