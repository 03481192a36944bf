"""A crash between two index commands leaves two current versions of one document.

A worker stores the new version of a document, and then sends two commands to the index: this version is current, and
the one before is not any more. It crashes between them. When it starts again, it reads its task once more. The new
version is stored already, so there is nothing to do, and the second command is never sent.

Repair: the version and both entries of the index are written in one step.
"""

from collections.abc import Iterator

from lakeproof import Call, Client, Env, Eventually, Faults, Finding, Reached, Scenario, Snapshot, Violation

THREADS = "CM-Well/CM-Well#819"
STEPS = 5
STORED, INDEX = (b"document", b"version"), b"index"


async def first_version(env: Env) -> None:
    await env.store.set(*STORED, b"1")
    await env.store.set(INDEX, b"1", b"current")


async def take_in(env: Env, version: bytes, together: bool = False) -> None:
    before = (await env.store.get(*STORED)).value
    if before == version:
        return
    writes = [(*STORED, version), (INDEX, version, b"current"), (INDEX, before, b"past")]
    if together:
        await env.store.transact(writes=writes)
    else:
        for write in writes:
            await env.store.set(*write)


def one_version_is_current(snapshot: Snapshot) -> Iterator[Finding]:
    current = sorted(key.decode() for (at, key), held in snapshot.store.items() if at == INDEX and held == b"current")
    if len(current) == 1:
        yield Reached("one version is current")
    else:
        yield Violation("one-version-is-current", f"the index has {' and '.join(current)} as current")


def scenario(name: str, expect: dict[str, str], **options: bool) -> Scenario:
    task = Call(take_in, b"2", **options)
    return Scenario(
        name=f"cmwell_half_indexed/{name}",
        setup=[Call(first_version)],
        clients=[Client([task], recover=task)],
        invariants=[
            Eventually(
                id="one-version-is-current",
                meaning="in the end the index has one current version",
                check=one_version_is_current,
            )
        ],
        faults=Faults(restarts=1),
        expect=expect,
        source=THREADS,
    )


SCENARIOS = [scenario("published", {"one-version-is-current": "violated"}), scenario("repaired", {}, together=True)]
