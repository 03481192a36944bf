"""A commit of Icechunk is reported as a conflict with another session, and it has taken place.

A branch moves by a conditional put. The put takes place, its answer is lost, and the SDK sends it again. The
condition fails now, because of the session's own write. The session reports a conflict, although its commit is on the
branch.

Repair: each write carries an identifier of its own. After a failed condition the session reads the branch back and
looks for it. A session that finds another write than its own cannot conclude that its own did not come before: so it
looks at the parents, too.
"""

from collections.abc import Iterator

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Reads, Scenario, Snapshot, Status, Violation, kv

THREADS = "earth-mover/icechunk#2099, earth-mover/icechunk#1677, slatedb/slatedb#1164"
STEPS = 2
BRANCH = (b"refs", b"main")


async def commit(env: Env, session: str, reads_back: bool = False) -> None:
    found = await env.store.find(*BRANCH)
    line = [found.value] if found else []
    try:
        await env.store.set_if(*BRANCH, b" ".join([*line, session.encode()]), found.predicate if found else None)
    except kv.PredicateFailed:
        if reads_back and session.encode() in (await env.store.get(*BRANCH)).value.split():
            return
        raise


def refused_is_absent(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store.get(BRANCH, b"")
    assert isinstance(held, bytes)
    for call in snapshot.calls("commit"):
        there = str(call.args[0]).encode() in held.split()
        if call.status is Status.FAIL and there:
            yield Violation("refused-is-absent", f"the commit of {call.args[0]} is a conflict, and is on the branch")
        elif call.status is Status.FAIL:
            yield Reached("a conflict that is one")


INVARIANT = Always(
    id="refused-is-absent",
    meaning="a commit that ends in a conflict is not on the branch",
    check=refused_is_absent,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="icechunk_false_conflict/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        expect={"refused-is-absent": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="icechunk_false_conflict/repaired",
        clients=[[Call(commit, "w1", reads_back=True)], [Call(commit, "w2", reads_back=True)]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        source=THREADS,
    ),
]
