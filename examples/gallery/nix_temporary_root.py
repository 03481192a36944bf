"""The collector of Nix deletes a path that has become a temporary root.

The collector scans the temporary roots and then deletes what none of them needs. A build adds a root after the scan,
finds its path in the store, and uses it. The collector deletes it.

Repair: before each deletion the collector names the path as pending and looks at the roots again. A build adds its
root first and looks at the pending path after that. At least one of the two sees the other.
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
)

THREADS = "NixOS/nix#15992, NixOS/nix#15469, NixOS/nix#15795"
STEPS = 4
ROOT, PENDING = (b"roots", b"path"), (b"collector", b"pending")


async def build(env: Env, looks: bool = False) -> None:
    await env.store.set(*ROOT, b"of the build")
    if looks and await env.store.find(*PENDING):
        raise kv.Refused("the path is being deleted: try again")
    await env.objects.head("path")


async def collect(env: Env, announces: bool = False) -> None:
    rooted = await env.store.find(*ROOT)
    if announces:
        await env.store.set(*PENDING, b"path")
        rooted = await env.store.find(*ROOT)
    if not rooted:
        await env.objects.delete("path")
    if announces:
        await env.store.delete(*PENDING)


async def add(env: Env) -> None:
    await env.objects.put("path", b"built long ago")


def used_path_is_there(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("build"):
        if call.status is Status.OK:
            if "path" not in snapshot.objects:
                yield Violation("used-path-is-there", "the build found its path, and the path is deleted")
            else:
                yield Reached("the build has its path")


INVARIANT = Always(
    id="used-path-is-there",
    meaning="a path that a build has found under its root is there",
    check=used_path_is_there,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="nix_temporary_root/published",
        setup=[Call(add)],
        clients=[[Call(build)], [Call(collect)]],
        invariants=[INVARIANT],
        expect={"used-path-is-there": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="nix_temporary_root/repaired",
        setup=[Call(add)],
        clients=[[Call(build, looks=True)], [Call(collect, announces=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
