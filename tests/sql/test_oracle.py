"""The operations as SQL transactions and as flows answer alike, call by call; and the benchmarks of both measure what
they say."""

from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final

import attrs
import pytest
import trio

from benchmarks import sql
from benchmarks.sql_rival import MAIN, OPERATIONS, Lake
from benchmarks.sql_rows import SQLITE, Branch, Commit, Committed, prepared, sqlite_connection
from lakeproof.impl.committed import Conflicts
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.restorations import is_restoration
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.refs.errors import DirtyBranch
from lakeproof.impl.repositories import hardened
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore
from lakeproof.model.committed import Entry
from lakeproof.model.errors import FlowError
from lakeproof.model.identifiers import BranchID, RepositoryID
from lakeproof.model.records import Repository

Args = tuple[Hashable, ...]
Call = tuple[str, Args]
DONE: Final = "done"
SETUP: Sequence[Call] = (("create_repository", ("r",)), ("create_branch", ("r", "dev", "main")))
X = b"x"
REPOSITORIES: Final = ("r", "q")
BRANCHES: Final = (MAIN, "dev")
PATHS: Final = (b"a/1", b"a/2", b"b")


def random_call(rng: Random, number: int) -> Call:
    """A call; every write has an identity of its own."""
    repository = rng.choices(REPOSITORIES, [9, 1])[0]
    branch, other = rng.sample(BRANCHES, 2)
    path, identity = rng.choice(PATHS), b"%d" % number
    kinds: dict[str, tuple[float, Callable[[], Args]]] = {
        "create_repository": (0.6, lambda: (repository,)),
        "delete_repository": (0.3, lambda: (repository,)),
        "get_repository": (0.3, lambda: (repository,)),
        "list_repositories": (0.3, lambda: ()),
        "create_branch": (1.5, lambda: (repository, branch, other)),
        "delete_branch": (0.4, lambda: (repository, branch)),
        "set_entry": (4, lambda: (repository, branch, path, identity)),
        "delete_entry": (1.5, lambda: (repository, branch, path)),
        "create_entry": (1.5, lambda: (repository, branch, path, identity)),
        "replace_entry": (1, lambda: (repository, branch, path, identity, b"%d" % rng.randrange(max(number, 1)))),
        "get_entry": (2, lambda: (repository, branch, path)),
        "list_entries": (2, lambda: (repository, branch, rng.choice((b"", b"a/")))),
        "commit": (2.5, lambda: (repository, branch, f"m{number}")),
        "merge": (2, lambda: (repository, branch, other, f"m{number}")),
        "revert": (0.7, lambda: (repository, branch, rng.choice(BRANCHES), f"m{number}")),
        "reset_branch": (0.7, lambda: (repository, branch)),
        "reset_prefix": (0.7, lambda: (repository, branch, b"a/")),
        "reset_entry": (0.7, lambda: (repository, branch, path)),
    }
    [name] = rng.choices(list(kinds), [weight for weight, _ in kinds.values()])
    return name, kinds[name][1]()


Flow = Callable[..., Coroutine[Any, Any, Any]]  # type: ignore[explicit-any]  # flows take what they like after env

KV: dict[str, Flow] = {
    **{name: by_id(hardened.get_repository, flow) for name, flow in attrs.asdict(FLOWS, recurse=False).items()},
    "create_repository": hardened.create_repository,
    "delete_repository": hardened.delete_repository,
    "get_repository": hardened.get_repository,
    "list_repositories": hardened.list_repositories,
}
"""Hardened repositories, lock-free branches."""


def answer(error: Exception) -> Hashable:
    """An error as the result of a call."""
    return type(error).__name__, error.paths if isinstance(error, Conflicts) else ()


def shown(value: object) -> Hashable:
    """The result of a flow, as the rival says it."""
    if isinstance(value, Entry):
        return value.identity
    if isinstance(value, tuple):
        return tuple(
            entry.repository_id if isinstance(entry, Repository) else (entry.path, entry.identity) for entry in value
        )
    return DONE


async def on_kv(store: MemoryStore, objects: MemoryObjectStore, call: Call) -> Hashable:
    """The result of a call of flows."""
    name, args = call
    try:
        return shown(await run(KV[name](live_env(), *args), store, objects))
    except FlowError as error:
        return answer(error)


def on_sql(lake: Lake, name: str, args: Args) -> Hashable:
    """The result of a call of the rival. Raises what it raises."""
    found = OPERATIONS[name](lake, *args)
    assert isinstance(found, Hashable)
    return DONE if found is None else found


@contextmanager
def sqlite_lake(path: Path) -> Iterator[Lake]:
    """A connection to a new file."""
    lake = Lake(sqlite_connection(str(path)), SQLITE, Committed())
    prepared(lake.connection, SQLITE)
    try:
        yield lake
    finally:
        lake.close()


async def _restored(store: MemoryStore, call: Call) -> bool:
    """Whether a reset of paths has left a restoration on the branch of a call."""
    try:
        repository = await run(hardened.get_repository(live_env(), RepositoryID(str(call[1][0]))), store)
        branch = await run(get_branch(live_env(), repository, BranchID(str(call[1][1]))), store)
    except FlowError:
        return False
    return any(is_restoration(token) for token in branch.tokens)


async def _compared(lake: Lake, calls: Sequence[Call]) -> int:
    """Asserts that flows and SQL answer alike, call by call. Returns how many calls the flows refused for a restoration
    (`test_after_a_reset_of_paths_the_flows_refuse_a_merge`); the other is not asked then."""
    store, objects, refused = MemoryStore(), MemoryObjectStore(), 0
    for number, call in enumerate(calls):
        told = await on_kv(store, objects, call)
        if told == answer(DirtyBranch()) and await _restored(store, call):
            refused += 1
            continue
        try:
            said = on_sql(lake, *call)
        except FlowError as error:
            said = answer(error)
        assert told == said, (number, call, told, said, calls[: number + 1])
    assert not lake.ambiguous
    return refused


def test_flows_and_sql_answer_alike(tmp_path: Path) -> None:
    refused, answers = 0, Counter[str]()
    for seed in range(60):
        rng = Random(seed)
        calls = [*SETUP, *(random_call(rng, number) for number in range(1, 31))]
        with sqlite_lake(tmp_path / f"{seed}.db") as lake:
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
    with sqlite_lake(tmp_path / "lake.db") as lake:
        assert trio.run(_compared, lake, calls) == 1
    committed: Sequence[Call] = [*calls, ("commit", ("r", "main", "m2")), calls[-1]]
    with sqlite_lake(tmp_path / "another.db") as lake:
        assert trio.run(_compared, lake, committed) == 1  # the second merge is done


def test_a_difference_is_found(tmp_path: Path) -> None:
    """Planted: an SQL that forgets to look at what is staged before it merges."""

    class Careless(Lake):
        def _clean(self, repository: str, branch_id: str, ref: str) -> tuple[Branch, Commit]:
            return self.branch_row(repository, branch_id, ""), self.resolve(repository, ref)

    calls: list[Call] = [*SETUP, ("set_entry", ("r", "main", X, b"1")), ("merge", ("r", "main", "dev", "m"))]
    with sqlite_lake(tmp_path / "lake.db") as lake, pytest.raises(AssertionError, match="DirtyBranch"):
        trio.run(_compared, Careless(lake.connection, lake.dialect, lake.committed), calls)


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_each_operation_is_measured_alone(variant: str) -> None:
    rows = trio.run(sql.alone, "sqlite", variant, sql.databases(None)["sqlite", variant], 2)
    names = "create_repository create_branch set_entry get_entry commit merge reset_branch delete_repository"
    assert [row.operation for row in rows] == names.split()
    assert all(row.ms > 0 for row in rows)


@pytest.mark.parametrize("variant", ["sql", "lock-free"])
def test_parallel_commits_are_all_made(variant: str) -> None:
    row = trio.run(sql.parallel_commits, "sqlite", variant, sql.databases(None)["sqlite", variant], 2, 3)
    assert row.ended
    assert row.commits_per_second > 0
