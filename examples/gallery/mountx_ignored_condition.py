"""A store accepts a conditional put, ignores the condition, and two nodes own one epoch.

A node claims an epoch by a put with `If-None-Match: *`. The store reads the header and does not evaluate it, so the
put of the second node succeeds as well. A lock that always succeeds is worse than none.

Repair: the store evaluates the condition. Nothing that the nodes do instead helps: a node that reads the object back
after its put can be too early.
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
)

THREADS = "pithings/mountx#19, lance-format/lance#6595"
STEPS = 2


async def claim(env: Env, node: str, evaluated: bool = False) -> None:
    await env.objects.put("epoch-1", node.encode(), if_absent=evaluated)


def epoch_has_one_owner(snapshot: Snapshot) -> Iterator[Finding]:
    owners = [str(call.args[0]) for call in snapshot.calls("claim") if call.status is Status.OK]
    if len(owners) > 1:
        yield Violation("epoch-has-one-owner", f"{' and '.join(owners)} own epoch 1")
    elif any(call.status is Status.FAIL for call in snapshot.calls("claim")):
        yield Reached("one node owns the epoch, and the other is refused")


INVARIANT = Always(
    id="epoch-has-one-owner",
    meaning="at most one node owns an epoch",
    check=epoch_has_one_owner,
    reads=frozenset({Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="mountx_ignored_condition/published",
        clients=[[Call(claim, "w1")], [Call(claim, "w2")]],
        invariants=[INVARIANT],
        expect={"epoch-has-one-owner": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="mountx_ignored_condition/repaired",
        clients=[[Call(claim, "w1", evaluated=True)], [Call(claim, "w2", evaluated=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
