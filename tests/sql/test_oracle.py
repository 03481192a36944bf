"""Operations as SQL transactions are linearizable; and call by call they answer as the flows do."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from itertools import pairwise
from pathlib import Path
from random import Random

import attrs
import pytest
import trio

from benchmarks.sql_rival import OPERATIONS, Lake
from benchmarks.sql_rows import ROW_LOCKS, SERIALIZABLE, Branch, Commit
from lakeproof.impl.graveler.restorations import is_restoration
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.errors import DirtyBranch
from lakeproof.impl.repositories import hardened
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import BranchID, RepositoryID
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Status
from tests.sql.lake import DONE, LAKE, Call, answer, apply, random_call
from tests.sql.running import concurrently, on_kv, on_sql, postgresql_lakes, sqlite_lakes, violations

SETUP: Sequence[Call] = (("create_repository", ("r",)), ("create_branch", ("r", "dev", "main")))
CLIENTS = 3
HISTORIES = 60
X, Y = b"x", b"y"
BEFORE: Sequence[Call] = (*SETUP, ("set_entry", ("r", "main", Y, b"0")))
"""Two calls meet after these."""


@pytest.fixture(params=["sqlite", "row locks", "serializable"])
def lakes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[Lake]]:
    opened: AbstractContextManager[list[Lake]]
    if request.param == "sqlite":
        opened = sqlite_lakes(tmp_path / "lake.db", CLIENTS)
    else:
        dialect = ROW_LOCKS if request.param == "row locks" else SERIALIZABLE
        opened = postgresql_lakes(request.getfixturevalue("postgresql_address"), dialect, CLIENTS)
    with opened as found:
        yield found


def _emptied(lake: Lake) -> None:
    for repository in lake.list_repositories():
        lake.delete_repository(repository)


def test_concurrent_histories_are_linearizable(lakes: list[Lake]) -> None:
    overlapping = 0
    for seed in range(HISTORIES):
        rng = Random(seed)
        programs = [[random_call(rng, client * 5 + each + 1) for each in range(5)] for client in range(CLIENTS)]
        _emptied(lakes[0])
        events = concurrently(lakes, programs, SETUP)
        assert violations(events) == [], (seed, events)
        overlapping += sum(isinstance(one, Invoked) and isinstance(two, Invoked) for one, two in pairwise(events))
    assert overlapping  # the clients did meet


CONFLICTS: Sequence[tuple[str, Call, Call]] = (
    ("two creates", ("create_entry", ("r", "main", X, b"1")), ("create_entry", ("r", "main", X, b"2"))),
    ("a write and a commit", ("set_entry", ("r", "main", X, b"1")), ("commit", ("r", "main", "m"))),
    ("two commits", ("commit", ("r", "main", "m1")), ("commit", ("r", "main", "m2"))),
    ("a write and a merge", ("set_entry", ("r", "main", X, b"1")), ("merge", ("r", "main", "dev", "m"))),
    ("merges across", ("merge", ("r", "main", "dev", "m1")), ("merge", ("r", "dev", "main", "m2"))),
)


def _meeting(lakes: Sequence[Lake], one: Call, two: Call) -> list[Event]:
    """The history of two calls, each of which waits, after it has read, until the other has read, too; or until it is
    clear, after 0.2 s, that it cannot: the other waits for a lock. Then everything is read."""
    for name, args in BEFORE:
        on_sql(lakes[0], name, args)
    both = threading.Barrier(2)
    waited = set[int]()

    def wait(number: int) -> None:
        if number not in waited:
            waited.add(number)
            with suppress(threading.BrokenBarrierError):
                both.wait(0.2)

    for number, lake in enumerate(lakes[:2]):
        lake.between = lambda number=number: wait(number)  # type: ignore[misc]
    return concurrently(lakes[:2], [[one], [two, ("list_entries", ("r", "main"))]])


def _judged(events: Sequence[Event]) -> list[str]:
    """What is wrong with a history that begins after `BEFORE`."""
    before = [
        event
        for index, (name, args) in enumerate(BEFORE)
        for event in (Invoked(9, index, name, args), Returned(9, index, CallView(name, args, Status.OK, value=DONE)))
    ]
    return [violation.evidence for violation in violations([*before, *events])]


@pytest.mark.parametrize(("what", "one", "two"), CONFLICTS, ids=[what for what, _, _ in CONFLICTS])
def test_calls_that_meet_are_linearizable(what: str, one: Call, two: Call, lakes: list[Lake]) -> None:
    assert _judged(_meeting(lakes, one, two)) == []


CARELESS = attrs.evolve(ROW_LOCKS, shared="", exclusive="")
"""Planted: READ COMMITTED without a lock."""


def test_two_creates_without_locks_are_found(postgresql_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has seen that there is no entry when the other one has, too; to have seen the branch is not enough."""
    found_at, both = Lake.found_at, threading.Barrier(2)

    def meeting(lake: Lake, branch: Branch, path: bytes) -> bytes | None:
        found = found_at(lake, branch, path)
        both.wait(20)  # no lock keeps them apart
        return found

    monkeypatch.setattr(Lake, "found_at", meeting)
    _, one, two = CONFLICTS[0]
    with postgresql_lakes(postgresql_address, CARELESS, 2) as lakes:
        for name, args in BEFORE:
            on_sql(lakes[0], name, args)
        [evidence] = _judged(concurrently(lakes, [[one], [two]]))
    assert evidence.startswith("create_entry('r', 'main', b'x', ")


async def _restored(store: MemoryStore, call: Call) -> bool:
    """Whether a reset of paths has left a restoration on the branch of a call."""
    try:
        repository = await run(hardened.get_repository(live_env(), RepositoryID(str(call[1][0]))), store)
        branch = await run(get_branch(live_env(), repository, BranchID(str(call[1][1]))), store)
    except FlowError:
        return False
    return any(is_restoration(token) for token in branch.tokens)


async def _compared(lake: Lake, calls: Sequence[Call]) -> int:
    """Asserts that flows, SQL and specification answer alike, call by call. Returns how many calls the flows refused
    for a restoration (`test_after_a_reset_of_paths_the_flows_refuse_a_merge`); the others are not asked then."""
    store, objects, state, refused = MemoryStore(), MemoryObjectStore(), LAKE.initial, 0
    for number, call in enumerate(calls):
        told = await on_kv(store, objects, call)
        after, expected = apply(state, *call)
        if told == answer(DirtyBranch()) != expected and await _restored(store, call):
            refused += 1
            continue
        try:
            said = on_sql(lake, *call)
        except FlowError as error:
            said = answer(error)
        assert told == expected == said, (number, call, told, expected, said, calls[: number + 1])
        state = after
    assert not lake.ambiguous
    return refused


def test_flows_sql_and_specification_answer_alike(tmp_path: Path) -> None:
    refused, answers = 0, Counter[str]()
    for seed in range(60):
        rng = Random(seed)
        calls = [*SETUP, *(random_call(rng, number) for number in range(1, 31))]
        with sqlite_lakes(tmp_path / f"{seed}.db", 1) as [lake]:
            refused += trio.run(_compared, lake, calls)
        answers.update(name for name, _ in calls)
    assert refused > 0
    assert set(answers) == set(OPERATIONS) - {"get_branch"}


def test_after_a_reset_of_paths_the_flows_refuse_a_merge(tmp_path: Path) -> None:
    """A finding: nothing is uncommitted, and the flows answer DirtyBranch until something is committed."""
    calls: list[Call] = [
        *SETUP,
        ("set_entry", ("r", "main", X, b"1")),
        ("reset_entry", ("r", "main", X)),
        ("merge", ("r", "main", "dev", "m")),
    ]
    with sqlite_lakes(tmp_path / "lake.db", 1) as [lake]:
        assert trio.run(_compared, lake, calls) == 1
    committed: Sequence[Call] = [*calls, ("commit", ("r", "main", "m2")), calls[-1]]
    with sqlite_lakes(tmp_path / "another.db", 1) as [lake]:
        assert trio.run(_compared, lake, committed) == 1  # the second merge is done


def test_a_difference_is_found(tmp_path: Path) -> None:
    """Planted: an SQL that forgets to look at what is staged before it merges."""

    class Careless(Lake):
        def _clean(self, repository: str, branch_id: str, ref: str) -> tuple[Branch, Commit]:
            return self.branch_row(repository, branch_id, ""), self.resolve(repository, ref)

    calls: list[Call] = [*SETUP, ("set_entry", ("r", "main", X, b"1")), ("merge", ("r", "main", "dev", "m"))]
    with sqlite_lakes(tmp_path / "lake.db", 1) as [lake], pytest.raises(AssertionError, match="DirtyBranch"):
        trio.run(_compared, Careless(lake.connection, lake.dialect, lake.committed), calls)
