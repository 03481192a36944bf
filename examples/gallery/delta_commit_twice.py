"""A Delta commit whose answer is lost is committed twice.

The put of version 0 takes place, and its answer is lost. The HTTP client sends the put again, and the store answers
that the object exists. The writer takes that for the commit of another writer, and commits the same files as version
1.

Repair: the writer reads the version that it did not get. If that entry is its own, the commit has succeeded.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Faults,
    Finding,
    Reached,
    Reads,
    Scenario,
    Snapshot,
    Violation,
    kv,
    objects,
)

THREADS = "delta-io/delta#7345, delta-io/delta-rs#3066"
STEPS = 2


async def commit(env: Env, writer: str, knows_its_own: bool = False) -> None:
    for version in range(3):
        entry = f"log/{version}"
        try:
            await env.objects.put(entry, writer.encode(), if_absent=True)
            return
        except objects.PreconditionFailed:
            if knows_its_own and await env.objects.get(entry) == writer.encode():
                return
    raise kv.Refused("three versions were taken")


def commit_happens_once(snapshot: Snapshot) -> Iterator[Finding]:
    log = [held.content.decode() for held in snapshot.objects.values()]
    for writer in sorted(set(log)):
        if log.count(writer) > 1:
            yield Violation("commit-happens-once", f"the commit of {writer} is in the log {log.count(writer)} times")
    if len(log) == len(set(log)) == 2:
        yield Reached("two writers, two entries")


INVARIANT = Always(
    id="commit-happens-once",
    meaning="a commit is at most once in the log",
    check=commit_happens_once,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="delta_commit_twice/published",
        clients=[[Call(commit, "w1")], [Call(commit, "w2")]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        expect={"commit-happens-once": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="delta_commit_twice/repaired",
        clients=[[Call(commit, "w1", knows_its_own=True)], [Call(commit, "w2", knows_its_own=True)]],
        invariants=[INVARIANT],
        faults=Faults(false_predicates=1),
        source=THREADS,
    ),
]
