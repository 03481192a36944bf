"""Two writers of Hudi choose the same instant, and one file replaces the other.

The instant of a commit is the time at which it starts, and names its files. Two writers that start in the same second
(or millisecond) have one instant, and write the same file slice under one name. Both commits complete.

Repair: an instant is claimed by a conditional write. The writer that loses takes the next one.
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

THREADS = "apache/hudi#3824, apache/hudi#9212"
STEPS = 3


async def write(env: Env, writer: str, claims: bool = False) -> str:
    instant = await env.clock.now()
    while claims and not await env.store.try_set_if(b"instants", b"%d" % instant, b"claimed", None):
        instant += 1
    await env.objects.put(f"slice_{instant}", writer.encode())
    await env.store.set(b"timeline", b"%d" % instant, b"complete")
    return f"slice_{instant}"


def commit_stays_readable(snapshot: Snapshot) -> Iterator[Finding]:
    done = [call for call in snapshot.calls("write") if call.status is Status.OK]
    for call in done:
        held = snapshot.objects[str(call.value)].content.decode()
        if held != call.args[0]:
            yield Violation("commit-stays-readable", f"{call.value} of {call.args[0]} has the rows of {held}")
    if len({call.value for call in done}) > 1:
        yield Reached("two writers of one time have two instants")


INVARIANT = Always(
    id="commit-stays-readable",
    meaning="a completed commit has the rows of its writer",
    check=commit_stays_readable,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="hudi_same_instant/published",
        clients=[[Call(write, "w1")], [Call(write, "w2")]],
        invariants=[INVARIANT],
        expect={"commit-stays-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="hudi_same_instant/repaired",
        clients=[[Call(write, "w1", claims=True)], [Call(write, "w2", claims=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
