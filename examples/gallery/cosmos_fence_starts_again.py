"""A fencing token that expires with its lock starts again, and fences nothing.

A lock counts its holders, and the storage takes no write with a number below the last one. The document of the lock has
a time to live, and the number is in it. A holder stops for longer than that. The document is gone, the next holder gets
number 1 as the first one had, and the first one writes over the work of the next.

Repair: the document stays, and only the lease in it expires.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "Azure-Samples/cosmos-db-design-patterns#91"
STEPS = 16
LOCK, FILE = (b"cosmos", b"lock"), (b"storage", b"file")
TIME_TO_LIVE = 60_000_000


async def write(env: Env, me: str, *, stays: bool = False) -> bool:
    found = await env.store.find(*LOCK)
    last, until = map(int, found.value.split()[1:]) if found else (0, 0)
    await env.clock.wait_until(until)
    token = last + 1 if stays else 1
    mine = f"{me} {token} {await env.clock.now() + TIME_TO_LIVE}".encode()
    if not await env.store.try_set_if(*LOCK, mine, found.predicate if found else None):
        return False
    while True:  # the storage compares the token, and writes
        file = await env.store.find(*FILE)
        if file and int(file.value.split()[1]) > token:
            return False
        if await env.store.try_set_if(*FILE, f"{me} {token}".encode(), file.predicate if file else None):
            return True


def the_last_holder_wrote_last(seen: Snapshot) -> Iterator[Finding]:
    holder, writer = ((seen.store.get(key) or b"nobody").split()[0].decode() for key in (LOCK, FILE))
    if writer != holder and any(call.args[0] == holder and call.value for call in seen.calls("write")):
        yield Violation("last-holder-last", f"{holder} has written, and after that {writer}")
    yield Reached("both have ended")


LAST = Eventually(
    id="last-holder-last", meaning="no client writes after the next holder", check=the_last_holder_wrote_last
)

SCENARIOS = [
    Scenario(
        name=f"cosmos_fence_starts_again/{'repaired' if stays else 'published'}",
        clients=[[Call(write, me, stays=stays)] for me in "ab"],
        invariants=[LAST],
        expect={} if stays else {LAST.id: "violated"},
        source=THREADS,
        time="read",
    )
    for stays in (False, True)
]
