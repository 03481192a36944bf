"""After a crash between a snapshot and the roll of the log, entries are applied twice.

A database writes a snapshot of its memory, and then begins a new log. It is killed between the two. When it starts
again, it loads the snapshot and applies the log to it, whose entries are in the snapshot already.

Repair: a snapshot says which log it was made with, and how many entries of that it has. Recovery leaves these out.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Client, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "RayforceDB/rayforce#420, RayforceDB/rayforce#460"
STEPS = 6
SNAPSHOT, LOG, VALUE = (b"disk", b"snapshot"), (b"disk", b"log"), (b"memory", b"x")


async def increment_and_save(env: Env) -> None:
    await env.store.set(*LOG, b"log-1 1")  # one entry: x += 1
    await env.store.set(*SNAPSHOT, b"1 log-1 1")  # x, the log, and how much of it
    await env.store.set(*LOG, b"log-2 0")


async def recover(env: Env, *, skips: bool = False) -> None:
    saved, logged = await env.store.find(*SNAPSHOT), await env.store.find(*LOG)
    value, covers, covered = saved.value.split() if saved else (b"0", b"", b"0")
    log, entries = logged.value.split() if logged else (b"", b"0")
    known = int(covered) if skips and covers == log else 0
    await env.store.set(*VALUE, b"%d" % (int(value) + int(entries) - known))


def each_entry_is_applied_once(seen: Snapshot) -> Iterator[Finding]:
    value = int(seen.store.get(VALUE, b"0"))
    if value > 1:
        yield Violation("applied-once", f"x is {value} after one increment")
    elif value == 1:
        yield Reached("the increment is recovered")


APPLIED_ONCE = Always(id="applied-once", meaning="no entry of a log is applied twice", check=each_entry_is_applied_once)

SCENARIOS = [
    Scenario(
        name=f"rayforce_snapshot_then_roll/{'repaired' if skips else 'published'}",
        clients=[Client([Call(increment_and_save)], recover=Call(recover, skips=skips))],
        invariants=[APPLIED_ONCE],
        faults=Faults(restarts=1),
        expect={} if skips else {"applied-once": "violated"},
        source=THREADS,
    )
    for skips in (False, True)
]
