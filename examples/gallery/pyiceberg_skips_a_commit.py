"""A retry in PyIceberg validates against the newest commit, and skips the one before it.

A delete of all rows of x has met a conflict and is going to try again. By then the table is two commits further: one
has added rows of x, the next one has nothing to do with x. The retry looks at the newest commit alone, finds no
conflict, and commits. The table now says that x was deleted, and holds rows of x. The review of the change found this
before it was merged.

Repair: a retry validates against all commits since its base.
"""

from collections.abc import Iterator

from lakeproof import (
    Always,
    Call,
    Env,
    Finding,
    Reached,
    Scenario,
    Snapshot,
    Violation,
    kv,
)

THREADS = "apache/iceberg-python#3320"
STEPS = 7
TABLE = (b"catalog", b"table")


async def append(env: Env, row: str) -> None:
    while True:
        found = await env.store.find(*TABLE)
        after = (found.value if found else b"") + row.encode()
        if await env.store.try_set_if(*TABLE, after, found.predicate if found else None):
            return


async def delete_x(env: Env, validates_all: bool = False) -> None:
    begun = await env.store.find(*TABLE)
    base = len(begun.value) if begun else 0
    found = await env.store.find(*TABLE)
    commits = found.value if found else b""
    since = commits[base:] if validates_all else commits[base:][-1:]
    if b"x" in since:
        raise kv.Refused("rows of x were added meanwhile")
    await env.store.set_if(*TABLE, commits + b"%d" % base, found.predicate if found else None)


def delete_is_serializable(snapshot: Snapshot) -> Iterator[Finding]:
    table = snapshot.store.get(TABLE, b"")
    assert isinstance(table, bytes)
    for at, commit in enumerate(table.decode()):
        if commit.isdigit() and "x" in table.decode()[int(commit) : at]:
            yield Violation(
                "delete-is-serializable", f"commits {table.decode()}: x was added since {commit}, and missed"
            )
        elif commit.isdigit() and at > int(commit):
            yield Reached("a delete has passed a commit that is no conflict")


INVARIANT = Always(
    id="delete-is-serializable",
    meaning="a delete of x commits only if no x was added since its base",
    check=delete_is_serializable,
)

SCENARIOS = [
    Scenario(
        name="pyiceberg_skips_a_commit/published",
        clients=[[Call(append, "x")], [Call(append, "y")], [Call(delete_x)]],
        invariants=[INVARIANT],
        expect={"delete-is-serializable": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="pyiceberg_skips_a_commit/repaired",
        clients=[[Call(append, "x")], [Call(append, "y")], [Call(delete_x, validates_all=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
