"""Operations on a branch at once: under every schedule some order of them, one at a time, explains all results.

The searches hold every pair of operations, from every state of the path that they are about, against the sequential
specification of a branch; `deep` also among commits. What is left out is said, with the reason.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Final

import pytest

from lakeproof import Call, Faults, Scenario
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X, Y
from lakeproof.impl.graveler import initialisation, lock_free, optimistic, reads, resets, writes
from lakeproof.impl.refs import branches
from lakeproof.model.branch import ABSENT, EMPTY, BranchState, Identified, branch
from lakeproof.model.linearizable import linearizable
from lakeproof.scenario import Flow
from lakeproof.search.search import search

MAIN: Final = REPOSITORY.default_branch_id


def call(flow: Flow, *args: object) -> Call:
    return Call(flow, REPOSITORY, BRANCH, *args)


OPERATIONS: Final[Mapping[str, Call]] = {
    "set": call(writes.set_entry, X, b"1"),
    "delete": call(writes.delete_entry, X),
    "create": call(writes.create_entry, X, b"2"),
    "replace": call(writes.replace_entry, X, b"3", b"0"),
    "sets": call(writes.set_entries, ((X, b"4"), (Y, b"4"))),
    "get": call(reads.get_entry, X),
    "list": call(reads.list_entries),
    "reset": call(resets.reset_branch),
    "reset-entry": call(resets.reset_entry, X),
    "reset-prefix": call(resets.reset_prefix, X),
    "commit": call(lock_free.commit, "m"),
    "delete_branch": call(branches.delete_branch_by_tombstone),
    "create_branch": Call(branches.create_branch, REPOSITORY, BRANCH, MAIN, tombstones=True),
}

STATES: Final[Mapping[str, tuple[Sequence[Call], Identified | None]]] = {
    "empty": ((), EMPTY),
    "staged": ((call(writes.set_entry, X, b"0"),), EMPTY.with_changes((X, b"0"))),
    "committed": (
        (call(writes.set_entry, X, b"0"), call(lock_free.commit, "before")),
        BranchState(committed=frozenset({(X, b"0")})),
    ),
    "deleted": ((call(branches.delete_branch_by_tombstone),), ABSENT),
}

FAULTS: Final = {"": Faults(), "crash": Faults(crashes=1), "lost-answer": Faults(lost_answers=1)}

NOT_ATOMIC: Final = {"sets", "list"}
"""`set_entries` is one write after the other, and a listing may come between."""


def explained(clients: Sequence[Call], state: str, faults: Faults) -> str:
    """The verdict; where it is no proof, why."""
    setup, initial = STATES[state]
    scenario = Scenario(
        name="/".join(each.name for each in clients),
        setup=[
            Call(initialisation.init_repository, REPOSITORY),
            Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
            *setup,
        ],
        clients=[[each] for each in clients],
        invariants=[linearizable(branch(initial))],
        faults=faults,
    )
    found, *_ = search(scenario).findings
    return found.verdict if found.counterexample is None else found.counterexample.violation.evidence


DEEP: Final = pytest.mark.deep
CASES: Final = [
    pytest.param(state, faults, marks=DEEP if faults and state != "staged" else ())
    for state in STATES
    for faults in FAULTS
]
"""By default faults only where a path is staged: there each operation finds something to do."""


@pytest.mark.parametrize(("state", "faults"), CASES)
def test_any_two_operations_at_once(state: str, faults: str) -> None:
    found = {
        (one, other): explained([OPERATIONS[one], OPERATIONS[other]], state, FAULTS[faults])
        for one, other in combinations(OPERATIONS, 2)
        if {one, other} != NOT_ATOMIC
    }
    refuted = {pair: verdict for pair, verdict in found.items() if verdict not in ("holds", "inconclusive")}
    assert refuted == {}
    proofs = sum(verdict == "holds" for verdict in found.values())
    assert proofs >= (12 if state == "deleted" else 60), "most pairs overlap"


@pytest.mark.parametrize("state", ["empty", "staged", "committed"])
def test_a_listing_may_come_between_two_writes_of_one_call(state: str) -> None:
    evidence = explained([OPERATIONS[name] for name in sorted(NOT_ATOMIC)], state, Faults())
    assert evidence.startswith("list_entries('r', 'b') returned (Entry(path=b'x', identity=b'4'")


@pytest.mark.parametrize("state", ["empty", "staged", "committed"])
def test_two_deletes_by_tombstone_may_both_say_that_they_deleted_the_branch(state: str) -> None:
    # Whoever finds the record that it wanted to leave cannot tell whose it is.
    twice = [OPERATIONS["delete_branch"]] * 2
    assert "delete_branch_by_tombstone('r', 'b') returned None" in explained(twice, state, Faults())


@pytest.mark.deep
@pytest.mark.parametrize("commit", [lock_free.commit, optimistic.commit], ids=["lock-free", "optimistic"])
@pytest.mark.parametrize("state", STATES)
def test_any_two_operations_beside_a_commit(state: str, commit: Flow) -> None:
    others = OPERATIONS.keys() - {"commit", "sets"}
    refuted = {
        (one, other): verdict
        for one, other in combinations_with_replacement(sorted(others), 2)
        if not (one == other and one in {"create", "replace", "delete_branch", "create_branch"})  # equal writes
        and (verdict := explained([OPERATIONS[one], OPERATIONS[other], call(commit, "beside")], state, Faults()))
        not in ("holds", "inconclusive")
    }
    assert refuted == {}
