"""Two leaders: a candidate waits for as long as its own lease lasts, and not for as long as the leader's does.

A candidate watches the record of the leader. When it has not changed for the duration that the candidate was started
with, it takes the leadership. The leader was started with a longer one, and leads on until that is over.

Repair: the record says for how long its holder leads, and a candidate waits for that.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Env, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "kubernetes/kubernetes#47671"
STEPS = 11
RECORD = (b"default", b"leader")
SECOND = 1_000_000


async def elect(env: Env, me: str, seconds: int, *, of_the_record: bool = False) -> tuple[int, int] | None:
    """From when until when it leads; None if another one was faster."""
    held = await env.store.find(*RECORD)
    if held is not None:
        lasts = int(held.value.split()[1]) if of_the_record else seconds
        await env.clock.wait_until(await env.clock.now() + lasts * SECOND)
    began = await env.clock.now()
    mine = f"{me} {seconds}".encode()
    if await env.store.try_set_if(*RECORD, mine, held.predicate if held else None):
        return began, began + seconds * SECOND
    return None


def one_leads(seen: Snapshot) -> Iterator[Finding]:
    terms = sorted(call.value for call in seen.calls("elect") if isinstance(call.value, tuple))
    if len(terms) == 2:
        (_, ends), (begins, _) = terms
        yield Violation("one-leads", "two lead at once") if begins < ends else Reached("another one leads later")


SCENARIOS = [
    Scenario(
        name=f"kubernetes_own_lease_duration/{'repaired' if of_the_record else 'published'}",
        clients=[
            [Call(elect, "long", 30, of_the_record=of_the_record)],
            [Call(elect, "short", 10, of_the_record=of_the_record)],
        ],
        invariants=[Always(id="one-leads", meaning="the terms of two leaders do not overlap", check=one_leads)],
        expect={} if of_the_record else {"one-leads": "violated"},
        source=THREADS,
        time="read",
    )
    for of_the_record in (False, True)
]
