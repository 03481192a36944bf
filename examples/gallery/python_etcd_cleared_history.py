"""A watch from an index that the server has forgotten is repeated for ever.

A client waits for a lock with a watch from the index at which it found it taken. The server keeps the last events only.
When others have written more than that, the watch is answered with "outdated and cleared". The loop takes this for an
error that passes, and watches from the same index again.

Repair: the client then looks at the lock anew, and watches from the index of now.
"""

from lakeproof import Call, Env, Scenario, Terminates, kv

THREADS = "jplana/python-etcd#254, jplana/python-etcd#250"
STEPS = 7
LOCK, LAST = (b"etcd", b"lock"), (b"etcd", b"last event")
"""Of the history, one event is kept: its index, and its key."""


async def write(env: Env, key: bytes, value: bytes | None) -> None:
    while True:
        last = await env.store.find(*LAST)
        event = b"%d %s" % (int(last.value.split()[0]) + 1 if last else 1, key)
        try:
            await env.store.transact(
                checks=[(*LAST, last.predicate if last else None)], writes=[(*LAST, event), (b"etcd", key, value)]
            )
            break
        except kv.CheckFailed:
            continue


async def acquire(env: Env, *, looks_again: bool = False) -> None:
    last = await env.store.get(*LAST)
    while not await env.store.try_set_if(*LOCK, b"mine", None):
        since = int(last.value.split()[0])
        while True:
            last = await env.store.get(*LAST)
            if int(last.value.split()[0]) <= since + 1:  # the watch begins: it sees each event from here on
                while await env.store.find(*LOCK) is not None:
                    pass
                break
            if looks_again:
                break


ACQUIRED_AT_LAST = Terminates(acquire, id="acquired-at-last", meaning="a waiting client gets the lock at last")

SCENARIOS = [
    Scenario(
        name=f"python_etcd_cleared_history/{'repaired' if looks_again else 'published'}",
        setup=[Call(write, b"lock", b"theirs")],
        clients=[[Call(acquire, looks_again=looks_again)], [Call(write, b"lock", None)], [Call(write, b"other", b"x")]],
        invariants=[ACQUIRED_AT_LAST],
        expect={} if looks_again else {ACQUIRED_AT_LAST.id: "violated"},
        source=THREADS,
    )
    for looks_again in (False, True)
]
