"""A row that was deleted while its watch was down is shown until the next login.

Kubus shows the objects of a cluster. A watch ends now and then, and is opened anew. It begins with what comes then. An
object that was deleted in between stays in the cache, and on the screen.

Repair: before a watch is opened anew, the objects are listed, and the cache is brought up to that list.
"""

from collections.abc import Iterator

from lakeproof import Call, Env, Eventually, Faults, Finding, Reached, Scenario, Snapshot, Status, Violation, kv

THREADS = "FloSch62/Kubus#135"
STEPS = 7
OBJECTS, SCREEN = b"objects", (b"screen", b"rows")


async def create(env: Env) -> None:
    await env.store.set(OBJECTS, b"a", b"")


async def delete(env: Env) -> None:
    await env.store.delete(OBJECTS, b"a")


async def show(env: Env, *, lists_again: bool = False) -> None:
    rows: set[bytes] | None = None
    while True:
        async with env.store.watch(OBJECTS) as changes:
            if rows is None or lists_again:
                rows = {entry.key for entry in changes.entries}
            await env.store.set(*SCREEN, b" ".join(sorted(rows)))
            try:
                async for change in changes:
                    rows = rows - {change.key} if change.value is None else rows | {change.key}
                    await env.store.set(*SCREEN, b" ".join(sorted(rows)))
            except kv.WatchLost:
                continue


def screen_is_true(snapshot: Snapshot) -> Iterator[Finding]:
    rows = b" ".join(sorted(key for part, key in snapshot.store if part == OBJECTS))
    shown = snapshot.store.get(SCREEN)
    crashed = all(call.done or call.status is Status.CRASHED for call in snapshot.calls("show"))
    true = crashed or shown == rows
    yield Reached("it is") if true else Violation("screen-is-true", f"{shown!r} is shown, not {rows!r}")


INVARIANT = Eventually(id="screen-is-true", meaning="what is shown is there, at last", check=screen_is_true)

SCENARIOS = [
    Scenario(
        name=f"kubus_deleted_row_stays/{'repaired' if options else 'published'}",
        setup=[Call(create)],
        clients=[[Call(show, **options)], [Call(delete)]],
        invariants=[INVARIANT],
        faults=Faults(lost_watches=1),
        expect={} if options else {INVARIANT.id: "violated"},
        source=THREADS,
    )
    for options in ({}, {"lists_again": True})
]
