"""Workers wait for the receipt of a download whose worker has died.

The first worker of an analysis takes a lock file, downloads the analysis and writes a receipt. The others see the lock
and wait for the receipt. If the first one is killed before it writes it, they wait for ever.

Repair: each worker downloads to a place of its own and renames, if nothing is there: no lock, and nothing to wait for.
"""

from lakeproof import Call, Env, Faults, Scenario, Terminates

THREADS = "NatLabRockies/OpenStudio-server#870"
STEPS = 6
LOCK, RECEIPT = (b"shared", b"analysis_zip.lock"), (b"shared", b"analysis_zip.receipt")


async def initialize(env: Env, me: str, *, renames: bool = False) -> None:
    while await env.store.find(*RECEIPT) is None:
        if renames:
            await env.store.try_set_if(*RECEIPT, me.encode(), None)
        elif await env.store.try_set_if(*LOCK, me.encode(), None):
            await env.store.set(*RECEIPT, me.encode())


STARTS_AT_LAST = Terminates(initialize, id="starts-at-last", meaning="a worker that lives starts to simulate at last")

SCENARIOS = [
    Scenario(
        name=f"openstudio_missing_receipt/{'repaired' if renames else 'published'}",
        clients=[[Call(initialize, me, renames=renames)] for me in ("a", "b")],
        invariants=[STARTS_AT_LAST],
        faults=Faults(crashes=1),
        expect={} if renames else {STARTS_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for renames in (False, True)
]
