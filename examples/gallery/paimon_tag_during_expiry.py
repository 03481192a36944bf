"""Paimon expires the snapshot of a tag that has just been created.

The expiry of snapshots collects the tags once, and then deletes the files that no tag needs. A tag that is created
between the two is acknowledged, and its files are deleted.

Repair: both sides announce before they look. The expiry removes the snapshot from the list first and collects the
tags after that. The creation of a tag writes the tag first and checks the snapshot after that. Whatever the order, at
least one of the two sees the other.
"""

from collections.abc import Iterator

from lakeproof import (
    Call,
    Env,
    Eventually,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Status,
    Violation,
    kv,
)

THREADS = "apache/paimon#9220"
STEPS = 5
SNAPSHOT, TAG = (b"snapshots", b"1"), (b"tags", b"t")


async def create_tag(env: Env, checks: bool = False) -> None:
    if not checks:
        await env.store.get(*SNAPSHOT)
    await env.store.set(*TAG, b"1")
    if checks and not await env.store.find(*SNAPSHOT):
        await env.store.delete(*TAG)
        raise kv.Refused("the snapshot has expired")


async def expire(env: Env, announces: bool = False) -> None:
    if announces:
        await env.store.delete(*SNAPSHOT)
    if not await env.store.find(*TAG):
        await env.objects.delete("file-of-1")
        await env.store.delete(*SNAPSHOT)


async def write(env: Env) -> None:
    await env.objects.put("file-of-1", b"rows")
    await env.store.set(*SNAPSHOT, b"file-of-1")


def tag_is_readable(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("create_tag"):
        if call.status is Status.OK:
            if "file-of-1" not in snapshot.objects:
                yield Violation("tag-is-readable", "the tag was created, and its files are deleted")
            else:
                yield Reached("the tag can be read")


INVARIANT = Eventually(
    id="tag-is-readable",
    meaning="the files of an acknowledged tag exist",
    check=tag_is_readable,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="paimon_tag_during_expiry/published",
        setup=[Call(write)],
        clients=[[Call(create_tag)], [Call(expire)]],
        invariants=[INVARIANT],
        expect={"tag-is-readable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="paimon_tag_during_expiry/repaired",
        setup=[Call(write)],
        clients=[[Call(create_tag, checks=True)], [Call(expire, announces=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
