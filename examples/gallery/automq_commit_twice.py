"""AutoMQ refuses a commit that it has carried out.

A broker commits an object that begins where the stream ends. The answer is lost, and the broker sends the same commit
again. The controller compares the offsets, finds that the stream ends further on, and answers OFFSET_NOT_MATCHED. The
broker takes its object for refused, although the stream contains it.

Repair: the controller stores which object ends the stream, and answers the same commit in the same way.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Faults,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "AutoMQ/automq#1055"
STEPS = 3
STREAM = (b"controller", b"stream")


async def commit(env: Env, name: str, idempotent: bool = False) -> None:
    for attempt in range(2):
        found = await env.store.find(*STREAM)
        committed = found.value.decode().split() if found else []
        if idempotent and name in committed:
            return
        if committed:
            raise kv.Refused("OFFSET_NOT_MATCHED")
        try:
            await env.store.set_if(*STREAM, name.encode(), None)
            return
        except kv.OutcomeUnknown:
            if attempt:
                raise


def refused_is_absent(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get(STREAM, b"")
    assert isinstance(held, bytes)
    for call in snapshot.calls("commit"):
        if call.status is Status.FAIL and held.decode() == call.args[0]:
            yield Violation("refused-is-absent", f"object {call.args[0]} was refused, and is in the stream")
        elif call.status is Status.FAIL:
            yield Reached("an object was refused, and is not in the stream")


INVARIANT = Always(
    id="refused-is-absent",
    meaning="an object whose commit is refused is not in the stream",
    check=refused_is_absent,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="automq_commit_twice/published",
        clients=[[Call(commit, "x")], [Call(commit, "y")]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        expect={"refused-is-absent": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="automq_commit_twice/repaired",
        clients=[[Call(commit, "x", idempotent=True)], [Call(commit, "y", idempotent=True)]],
        invariants=[INVARIANT],
        faults=Faults(lost_answers=1),
        source=THREADS,
    ),
]
