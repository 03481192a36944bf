"""Old backups are never pruned after one backup was killed.

A backup has written a lock, and was killed before it removed it. Backups go on beside the lock, so all looks well. The
prune finds the repository locked, every time it runs.

Repair: before each prune, locks are removed whose owners are long gone.
"""

from lakeproof import Call, Env, Faults, LeadsTo, Scenario, Snapshot

THREADS = "crmne/kamal-backup#9"
STEPS = 7
OLD, STALE_AFTER = "snapshots/old", 30 * 60_000_000


async def back_up_and_die(env: Env) -> None:
    await env.objects.put("locks/killed", b"")
    await env.objects.put(OLD, b"data")


async def back_up(env: Env) -> None:
    await env.objects.put("locks/backup", b"")
    await env.objects.put("snapshots/new", b"data")
    await env.objects.delete("locks/backup")


async def prune(env: Env, *, unlock: bool = False) -> None:
    while True:
        now = await env.clock.now()
        locks = [lock async for lock in env.objects.list("locks/")]
        for lock in locks if unlock else ():
            if lock.last_modified <= now - STALE_AFTER:
                await env.objects.delete(lock.address)
        if not locks:
            break
    await env.objects.delete(OLD)


def backed_up(seen: Snapshot) -> bool:
    return "snapshots/new" in seen.objects


def pruned(seen: Snapshot) -> bool:
    return OLD not in seen.objects


IS_PRUNED = LeadsTo(backed_up, pruned, id="old-backups-are-pruned", meaning="a new backup is followed by a prune")

SCENARIOS = [
    Scenario(
        name=f"kamal_backup_stale_lock/{'repaired' if unlock else 'published'}",
        setup=[Call(back_up_and_die)],
        clients=[[Call(back_up)], [Call(prune, unlock=unlock)]],
        invariants=[IS_PRUNED],
        faults=Faults(clock_jumps=(STALE_AFTER,)),
        expect={} if unlock else {IS_PRUNED.id: "violated"},
        source=THREADS,
    )
    for unlock in (False, True)
]
