"""A conditional create in lakeFS answers 412, and the object is its own.

A create with `If-None-Match: *` stages its entry, and then checks that the staging area is still the same. A commit
has sealed it meanwhile, so the create tries again. Now it finds an object at its path: its own, which has been
committed. It answers that the object existed before.

Repair: an entry carries an identifier of its writer. A retry that finds its own entry has succeeded.
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

THREADS = "treeverse/lakeFS#4796"
STEPS = 9
TOKEN, COMMITTED = (b"branch", b"token"), (b"committed", b"path")


async def create(env: Env, writer: str, knows_its_own: bool = False) -> None:
    for _ in range(2):
        token = (await env.store.get(*TOKEN)).value
        held = await env.store.find(*COMMITTED)
        if held and knows_its_own and held.value == writer.encode():
            return
        if held:
            raise kv.PredicateFailed("412: the object exists")
        await env.store.set_if(token, b"path", writer.encode(), None)
        if (await env.store.get(*TOKEN)).value == token:
            return


async def commit(env: Env) -> None:
    await env.store.set(*TOKEN, b"token-2")
    if staged := await env.store.find(b"token-1", b"path"):
        await env.store.set(*COMMITTED, staged.value)


async def open_branch(env: Env) -> None:
    await env.store.set(*TOKEN, b"token-1")


def refused_create_is_absent(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("create"):
        if call.status is Status.FAIL and snapshot.store.get(COMMITTED) == str(call.args[0]).encode():
            yield Violation("refused-create-is-absent", f"{call.args[0]} was answered 412, and its object is committed")
        elif call.status is Status.OK and COMMITTED in snapshot.store:
            yield Reached("a create that a commit has overtaken")


INVARIANT = Always(
    id="refused-create-is-absent",
    meaning="a create that answers 412 has created nothing",
    check=refused_create_is_absent,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="lakefs_create_during_commit/published",
        setup=[Call(open_branch)],
        clients=[[Call(create, "w1")], [Call(commit)]],
        invariants=[INVARIANT],
        expect={"refused-create-is-absent": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="lakefs_create_during_commit/repaired",
        setup=[Call(open_branch)],
        clients=[[Call(create, "w1", knows_its_own=True)], [Call(commit)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
