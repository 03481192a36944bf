"""The tables of a repository's life: what they allow, and that they allow nothing else."""

from itertools import product

import pytest

from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.records import Repository, RepositoryState
from lakeproof.report.lifecycle import (
    HARDENED,
    STEP1,
    STEP2,
    TABLES,
    Event,
    NoTransition,
    State,
    Table,
    advance,
    state_of,
)

tables = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)


def walk(table: Table, *events: Event) -> State:
    state = State.ABSENT
    for event in events:
        state = advance(table, state, event)
    return state


@tables
def test_every_pair_of_a_table_is_allowed_and_every_other_pair_raises(table: Table) -> None:
    allowed = 0
    for state, event in product(State, Event):
        if (state, event) in table:
            allowed += 1
            assert advance(table, state, event) is table[state, event]
        else:
            with pytest.raises(NoTransition, match=f"'{state.value}' does not allow '{event.value}'"):
                advance(table, state, event)
    assert allowed == len(table)


def test_the_tables_are_as_large_as_the_designs_say() -> None:
    assert {name: len(table) for name, table in TABLES.items()} == {
        "naive": 2,  # create, delete
        "kv3": 2,
        "step1": 4,  # and deleting, which a retry may find
        "step2": 8,  # and initial, which activates, expires or is deleted; and the bare create that skips it
        "hardened": 7,  # and the tombstone, which two creates may find; an entry is never removed
    }


def test_a_refusal_says_what_is_allowed_instead() -> None:
    with pytest.raises(NoTransition, match="'initial' does not allow 'remove'; it allows activate, expire, delete"):
        advance(STEP2, State.INITIAL, Event.REMOVE)
    with pytest.raises(NoTransition, match="'deleted' does not allow 'create'; it allows nothing"):
        advance(STEP1, State.DELETED, Event.CREATE)


@tables
def test_every_state_of_a_table_can_be_reached_and_left_again(table: Table) -> None:
    def reachable(start: State) -> set[State]:
        found, todo = {start}, [start]
        while todo:
            state = todo.pop()
            after = {to for (before, _), to in table.items() if before is state} - found
            found |= after
            todo += after
        return found

    states = {before for before, _ in table} | set(table.values())
    assert reachable(State.ABSENT) == states
    for state in states:
        assert State.ACTIVE in reachable(state)


def test_only_hardened_never_removes_an_entry() -> None:
    removing = {name for name, table in TABLES.items() if State.ABSENT in table.values()}
    assert removing == TABLES.keys() - {"hardened"}


def test_an_id_can_be_used_again_after_its_repository_was_deleted() -> None:
    assert walk(STEP1, Event.CREATE, Event.DELETE, Event.REMOVE, Event.CREATE) is State.ACTIVE
    assert walk(STEP2, Event.CREATE, Event.EXPIRE, Event.REMOVE, Event.CREATE) is State.INITIAL
    assert walk(HARDENED, Event.CREATE, Event.ACTIVATE, Event.DELETE, Event.CREATE) is State.INITIAL


def test_no_table_can_be_changed() -> None:
    with pytest.raises(TypeError):
        STEP1[State.ABSENT, Event.DELETE] = State.DELETING  # type: ignore[index]


def test_each_state_of_an_entry_is_a_state_of_the_tables() -> None:
    assert state_of(None) is State.ABSENT
    for state in RepositoryState:
        entry = Repository(
            repository_id=RepositoryID("r"),
            storage_namespace=StorageNamespace("mem://r"),
            default_branch_id=BranchID("main"),
            creation_date=0,
            state=state,
            instance_uid=InstanceUID("u"),
        )
        assert state_of(entry).name == state.name
