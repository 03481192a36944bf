"""Two commits of DuckLake give their files the same number.

The next number of a file is the largest one plus 1, computed by the client between two round trips. Two clients
compute the same number, and what is stored by number (here: statistics) is overwritten without an error.

Repair: the database hands the numbers out. A sequence does that; here it is a conditional write.
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
)

THREADS = "duckdb/ducklake#1094, duckdb/ducklake#1373, duckdb/ducklake#1044"
STEPS = 4


async def add_file(env: Env, name: str, reserves: bool = False) -> None:
    number = len([entry async for entry in env.store.scan(b"statistics")])
    while reserves and not await env.store.try_set_if(b"sequence", b"%d" % number, b"taken", None):
        number += 1
    await env.store.set(b"statistics", b"%d" % number, name.encode())


def statistics_are_kept(snapshot: Snapshot) -> Iterator[Finding]:
    kept = {held for (partition, _), held in snapshot.store.items() if partition == b"statistics"}
    done = [str(call.args[0]) for call in snapshot.calls("add_file") if call.status is Status.OK]
    for name in done:
        if name.encode() not in kept:
            yield Violation("statistics-are-kept", f"the statistics of {name} were overwritten")
    if len(kept) > 1:
        yield Reached("two files, two numbers")


INVARIANT = Always(
    id="statistics-are-kept",
    meaning="the statistics of each committed file are stored",
    check=statistics_are_kept,
    reads=frozenset({Reads.STORE, Reads.CLIENTS}),
)

SCENARIOS = [
    Scenario(
        name="ducklake_file_numbers/published",
        clients=[[Call(add_file, "x")], [Call(add_file, "y")]],
        invariants=[INVARIANT],
        expect={"statistics-are-kept": "violated"},
        source=THREADS,
    ),
    Scenario(
        name="ducklake_file_numbers/repaired",
        clients=[[Call(add_file, "x", reserves=True)], [Call(add_file, "y", reserves=True)]],
        invariants=[INVARIANT],
        source=THREADS,
    ),
]
