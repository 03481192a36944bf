"""Two writers of a Delta log on S3 overwrite each other's commit.

S3 could not put an object only if it is absent. So a writer lists the log, looks whether the next version is free,
and puts it. Two writers look at the same time, both find version 0 free, and the second put replaces the first. Both
commits are acknowledged, and one of them is gone.

Repair: the put itself requires that the object is absent (`If-None-Match: *`). The writer that loses takes the next
version.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Env, Finding, Reached, Reads, Scenario, Snapshot, Status, Violation, kv, objects

THREADS = "delta-io/delta#41, delta-io/delta#1830"
STEPS = 6


async def commit(env: Env, writer: str, conditional: bool = False) -> None:
    for _ in range(2):
        version = len([head async for head in env.objects.list("log/")])
        entry = f"log/{version}"
        try:
            if not conditional:
                await free(env, entry)
            await env.objects.put(entry, writer.encode(), if_absent=conditional)
            return
        except objects.PreconditionFailed:
            continue
    raise kv.Refused("the log moved on twice")


async def free(env: Env, entry: str) -> None:
    try:
        await env.objects.head(entry)
    except objects.ObjectNotFound:
        return
    raise objects.PreconditionFailed


def committed_is_in_log(snapshot: Snapshot) -> Iterator[Finding]:
    log = {held.content.decode() for held in snapshot.objects.values()}
    committed = {str(call.args[0]) for call in snapshot.calls("commit") if call.status is Status.OK}
    for writer in sorted(committed - log):
        yield Violation("committed-is-in-log", f"the commit of {writer} was acknowledged, and is not in the log")
    if len(committed & log) > 1:
        yield Reached("both commits are in the log")


INVARIANT = Always(
    id="committed-is-in-log",
    meaning="each acknowledged commit is an entry of the log",
    check=committed_is_in_log,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="delta_head_then_put/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        expect={"committed-is-in-log": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="delta_head_then_put/repaired",
        clients=[[Call(commit, "w1", conditional=True)], [Call(commit, "w2", conditional=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
