"""A worker that was given up writes its result over a later attempt of its own.

A run has a lease with the name of its worker. The worker stalls, a reaper takes the lease away, and the same worker
claims the run again. When the first attempt goes on, the name in the record is its own: it finishes a run that it has
lost.

Repair: each claim has a fresh token, and each write of an attempt is made only if the record has that token.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Finding, OnStep, Reached, Scenario, Transition, Violation, kv

THREADS = "aegra/aegra#502, aegra/aegra#547"
STEPS = 7
RUN = (b"runs", b"1")
LEASE = 30_000_000


async def submit(env: Env) -> None:
    await env.store.set(*RUN, b"pending")


async def attempt(env: Env, number: int, *, fenced: bool = False) -> None:
    claim = b"worker-0 %d" % number
    while not await env.store.try_set_if(*RUN, claim, b"pending"):
        pass
    found = await env.store.get(*RUN)
    if found.value == claim or (not fenced and found.value.startswith(b"worker-0 ")):
        await env.store.try_set_if(*RUN, b"done", found.predicate)


async def reap(env: Env) -> None:
    while not (found := await env.store.get(*RUN)).value.startswith(b"worker-0 "):
        pass
    await env.clock.sleep(LEASE)
    await env.store.try_set_if(*RUN, b"pending", found.predicate)


def an_attempt_finishes_its_own_claim(step: Transition) -> Iterator[Finding]:
    before, after = step.before.store[RUN], step.after.store[RUN]
    if before != after and after == b"done":
        number, claim = str(step.call.args[0]), before.decode()
        mine = claim.endswith(f" {number}")
        yield Reached("it is done") if mine else Violation("own-claim", f"attempt {number} ends the claim {claim}")


OWN_CLAIM = OnStep(
    id="own-claim",
    meaning="an attempt finishes the run only while it has the claim",
    check=an_attempt_finishes_its_own_claim,
    watches=lambda call, op: call == "attempt" and isinstance(op, kv.SetIf),
)

SCENARIOS = [
    Scenario(
        name=f"aegra_attempt_of_the_same_name/{'repaired' if fenced else 'published'}",
        setup=[Call(submit)],
        clients=[*([Call(attempt, number, fenced=fenced)] for number in (1, 2)), [Call(reap)]],
        invariants=[OWN_CLAIM],
        expect={} if fenced else {"own-claim": "violated"},
        source=THREADS,
        time="sleeps",
    )
    for fenced in (False, True)
]
