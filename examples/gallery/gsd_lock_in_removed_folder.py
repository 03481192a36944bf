"""A lock is tried for ever in a folder that is gone.

A session takes a lock by creating a file, and takes "no such folder" for an error that passes. A clean-up removes the
folder of a worktree meanwhile. The loop never looks whether the folder will come back, and spins.

Repair: a lock whose folder is gone is an error of the call.
"""

from lakeproof import Call, Env, Scenario, Terminates, kv

THREADS = "open-gsd/gsd-core#1217"
STEPS = 3
FOLDER = (b"files", b"planning")
LOCK = (b"files", b"planning/state.lock")


async def make_folder(env: Env) -> None:
    await env.store.set(*FOLDER, b"folder")


async def record_session(env: Env, *, bounded: bool = False) -> None:
    while True:
        if await env.store.find(*FOLDER) is None:
            if bounded:
                raise kv.Refused("the folder is gone")
            continue
        if await env.store.try_set_if(*LOCK, b"session", None):
            break
    await env.store.delete(*LOCK)


async def clean_up(env: Env) -> None:
    await env.store.delete(*FOLDER)


SESSIONS_END = Terminates(record_session, id="sessions-end", meaning="recording a session is answered at last")

SCENARIOS = [
    Scenario(
        name=f"gsd_lock_in_removed_folder/{'repaired' if bounded else 'published'}",
        setup=[Call(make_folder)],
        clients=[[Call(record_session, bounded=bounded)], [Call(clean_up)]],
        invariants=[SESSIONS_END],
        expect={} if bounded else {SESSIONS_END.id: "violated"},
        source=THREADS,
    )
    for bounded in (False, True)
]
