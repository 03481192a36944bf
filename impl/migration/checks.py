"""What tables must be before anything of them is written: every row has a place, and every name leads somewhere."""

from collections.abc import Iterator
from typing import Final

from lakeproof.impl.migration.rows import (
    TABLES,
    BranchRow,
    CommitRow,
    RepositoryRow,
    Row,
    StagedRow,
    Tables,
    TagRow,
    UnusableTables,
    describe_key,
    key_of,
)
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, CommitID, RepositoryID, StagingToken, TagID

METADATA: Final = b"kv-internal-metadata"
"""lakeFS' partition for what it says of the store itself."""
VERSION_KEY: Final = b"kv/schema/version"
VERSION: Final = b"4"
"""That of lakeFS since 1.0: what came after the first one has changed users and groups, of which the tables have none.
Source: lakeFS pkg/kv/store.go and migration.go."""
INT32_MAX: Final = 2**31 - 1


def check(tables: Tables) -> None:
    """Read all tables once. Memory: the ids of repositories, branches and commits, and the staging tokens of branches.

    Raises:
        UnusableTables: names the first row that cannot be migrated, what is expected, and the repair.
    """
    for problem in problems(tables):  # the first one
        raise UnusableTables(problem)


def problems(tables: Tables) -> Iterator[str]:
    """Everything that is wrong, in the order of tables and rows."""
    repositories: dict[str, str] = {}
    commits: set[tuple[str, str]] = set()
    branches: set[tuple[str, str]] = set()
    owners: dict[str, str] = {}
    for table in TABLES:
        before: tuple[bytes, ...] = ()
        for row in tables.rows(table):
            where = f"{table} {describe_key(row)}"
            if key_of(row) == before:  # rows come in the order of their keys
                yield f"{where}: expected one row of that key, and there are more; delete all but one"
            before = key_of(row)
            yield from (f"{where}: {problem}" for problem in _unnameable(row))
            if isinstance(row, RepositoryRow):
                repositories[row.id] = row.default_branch
            elif not isinstance(row, StagedRow) and row.repository_id not in repositories:
                yield f"{where}: expected a repository {row.repository_id!r}, and there is none; delete the row"
            if isinstance(row, CommitRow):
                commits.add((row.repository_id, row.id))
            elif isinstance(row, BranchRow):
                branches.add((row.repository_id, row.id))
                # A token of two branches would give each the changes of the other.
                owner = owners.setdefault(row.staging_token, describe_key(row))
                if owner != describe_key(row):
                    yield (
                        f"{where}: expected a staging token of its own, and {row.staging_token!r} is that of {owner}; "
                        "give one of them another"
                    )
    yield from _dangling(tables, commits)
    # A repository without branches and commits was created bare: it has no default branch yet.
    inhabited = {repository_id for known in (branches, commits) for repository_id, _ in known}
    for repository_id, default in repositories.items():
        if repository_id in inhabited and (repository_id, default) not in branches:
            yield (
                f"graveler_repositories {repository_id}: expected its default branch {default!r} among "
                "graveler_branches; restore it"
            )


def _unnameable(row: Row) -> Iterator[str]:
    try:
        match row:
            case RepositoryRow():
                keys.repository_key(RepositoryID(row.id))
            case BranchRow():
                keys.branch_key(BranchID(row.id))
                yield from _untaken(row.staging_token)
            case CommitRow():
                keys.commit_key(CommitID(row.id))
                for name, number in (("version", row.version), ("generation", row.generation)):
                    if not -INT32_MAX <= number <= INT32_MAX:  # protobuf's int32, without its least number
                        yield f"{name} {number}: expected a 32-bit number; mend the row"
            case TagRow():
                keys.tag_key(TagID(row.id))
            case StagedRow():
                yield from _untaken(row.staging_token)
                keys.staged_key(row.key)
    except keys.InvalidName as error:
        yield str(error)


def _untaken(token: str) -> Iterator[str]:
    """Raises InvalidName."""
    # A token may be any text in the tables, and its partition must not be that of the version and the journal.
    if keys.staging_partition(StagingToken(token)) == METADATA:
        yield f"staging token {token!r}: the partition of that name is taken; choose another"


def _dangling(tables: Tables, commits: set[tuple[str, str]]) -> Iterator[str]:
    for table in ("graveler_branches", "graveler_tags"):
        for row in tables.rows(table):
            assert isinstance(row, BranchRow | TagRow)
            if (row.repository_id, row.commit_id) not in commits:
                yield f"{table} {describe_key(row)}: commit {row.commit_id!r} is not in graveler_commits; restore it"
    for row in tables.rows("graveler_commits"):
        assert isinstance(row, CommitRow)
        for parent in row.parents:
            if (row.repository_id, parent) not in commits:
                yield f"graveler_commits {describe_key(row)}: parent {parent!r} is not in graveler_commits; restore it"


def unknown_version(found: bytes | None) -> str:
    """Why the records of a store of lakeFS may mean something else than they do here; empty: its schema version is the
    known one. ``found``: the version that it has."""
    if found == VERSION:
        return ""
    has = "no schema version" if found is None else f"schema version {found.decode(errors='backslashreplace')[:20]!r}"
    return (
        f"the store has {has} ({METADATA.decode()} {VERSION_KEY.decode()}), and {VERSION.decode()!r} is known: its "
        "records may mean something else"
    )
