"""A protocol as people write it: who waits polls without a bound, by listing objects, while the clock may jump."""

from collections.abc import Iterator

import pytest

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Snapshot, Violation, objects
from lakeproof.search.search import search

MINUTE = 60_000_000
LEASE = 30 * MINUTE


async def back_up(env: Env, deadline: bool) -> None:
    """Waits until no exclusive lock is there, with a shared one of its own."""
    begun = await env.clock.now()
    await env.objects.put("locks/shared", b"")
    while [head async for head in env.objects.list("locks/exclusive")]:
        pass
    await env.objects.put("data/pack", b"pack")
    await env.objects.put("snapshots/s", b"data/pack", not_after=begun + LEASE if deadline else None)
    await env.objects.delete("locks/shared")


async def prune(env: Env) -> None:
    """Removes locks that are older than a lease, and waits until none is left."""
    await env.objects.put("locks/exclusive", b"")
    while locks := [head async for head in env.objects.list("locks/shared")]:
        now = await env.clock.now()
        for head in locks:
            if head.last_modified < now - LEASE:
                await env.objects.delete(head.address)
    packs = [head.address async for head in env.objects.list("data/")]
    snapshots = [head.address async for head in env.objects.list("snapshots/")]
    used = [(await env.objects.get(address)).decode() for address in snapshots]
    for pack in packs:
        if pack not in used:
            await env.objects.delete(pack)
    await env.objects.delete("locks/exclusive")


def snapshots_are_readable(snapshot: Snapshot) -> Iterator[Finding]:
    held: dict[str, objects.StoredObject] = dict(snapshot.objects)
    for address, found in held.items():
        if address.startswith("snapshots/"):
            if found.content.decode() in held:
                yield Reached("a snapshot is there")
            else:
                yield Violation("snapshot-is-readable", f"{address} names {found.content.decode()}, which is gone")


@pytest.mark.parametrize(("deadline", "verdict"), [(False, "violated"), (True, "holds")])
def test_a_backup_whose_lock_went_stale_loses_its_data_unless_its_writes_have_a_deadline(
    deadline: bool, verdict: str
) -> None:
    """Source of the locks: restic/restic#3126."""
    scenario = Scenario(
        name="restic/polls",
        clients=[[Call(back_up, deadline)], [Call(prune)]],
        invariants=[
            Always(id="snapshot-is-readable", meaning="what a snapshot names is there", check=snapshots_are_readable)
        ],
        faults=Faults(clock_jumps=(LEASE + MINUTE,)),
        expect={"snapshot-is-readable": verdict},
    )
    assert {found.id: found.verdict for found in search(scenario).findings}["snapshot-is-readable"] == verdict
