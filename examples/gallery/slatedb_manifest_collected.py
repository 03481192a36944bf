"""A stalled compactor of SlateDB writes a manifest that is older than the current one.

Manifests are numbered, and the next number is put if it is absent. A compactor reads manifest 1 and stalls. The
writer makes 2 and 3, and the collector deletes all but the last. The compactor puts its manifest 2: the number is
free again, so the put succeeds, and its change is nowhere in manifest 3.

Repair: after the put, the compactor reads the newest manifest. If its change is not in there, it starts again.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
    objects,
)

THREADS = "slatedb/slatedb#355"
STEPS = 12


async def update(env: Env, change: str, checks: bool = False) -> None:
    for _ in range(3):
        number, held = await newest(env)
        try:
            await env.objects.put(f"manifest/{number + 1}", f"{held} {change}".encode(), if_absent=True)
        except objects.PreconditionFailed:
            continue
        if not checks or change in (await newest(env))[1]:
            return
    raise kv.OutcomeUnknown("three manifests were not the newest")


async def newest(env: Env) -> tuple[int, str]:
    *_, last = [head.address async for head in env.objects.list("manifest/")]
    return int(last.removeprefix("manifest/")), (await env.objects.get(last)).decode()


async def collect(env: Env) -> None:
    *old, _ = [head.address async for head in env.objects.list("manifest/")]
    for address in old:
        await env.objects.delete(address)


async def create(env: Env) -> None:
    await env.objects.put("manifest/1", b"new")


def change_is_current(snapshot: Snapshot) -> Iterator[Finding]:
    current = max(snapshot.objects)
    for call in snapshot.calls("update"):
        if call.status is Status.OK:
            if str(call.args[0]) not in snapshot.objects[current].content.decode():
                yield Violation("change-is-current", f"{call.args[0]} was acknowledged, and is not in {current}")
            else:
                yield Reached("an acknowledged change is in the newest manifest")


INVARIANT = Always(
    id="change-is-current",
    meaning="each acknowledged change is in the newest manifest",
    check=change_is_current,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="slatedb_manifest_collected/published",
        setup=[Call(create)],
        clients=[[Call(update, "flush-1"), Call(update, "flush-2")], [Call(update, "compaction")], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"change-is-current": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="slatedb_manifest_collected/repaired",
        setup=[Call(create)],
        clients=[
            [Call(update, "flush-1", checks=True), Call(update, "flush-2", checks=True)],
            [Call(update, "compaction", checks=True)],
            [Call(collect)],
        ],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
