"""What tables must be before anything of them is written: every row has a place, and every name leads somewhere."""

from collections.abc import Iterator

from impl.migration.rows import (
    TABLES,
    BranchRow,
    CommitRow,
    RepositoryRow,
    Row,
    StagedRow,
    Tables,
    TagRow,
    UnusableTables,
    shown,
)
from model import keys
from model.identifiers import BranchID, CommitID, RepositoryID, StagingToken, TagID

INT32_MAX = 2**31 - 1


def check(tables: Tables) -> None:
    """Read all tables once. Memory: the ids of repositories, and those of the commits.

    Raises:
        UnusableTables: names the first row that cannot be migrated, what is expected, and the repair.
    """
    for problem in problems(tables):
        raise UnusableTables(problem)


def problems(tables: Tables) -> Iterator[str]:
    """Everything that is wrong, in the order of tables and rows."""
    repositories: dict[str, str] = {}
    commits: set[tuple[str, str]] = set()
    branches: set[tuple[str, str]] = set()
    for table in TABLES:
        for row in tables.rows(table):
            where = f"{table} {shown(row)}"
            yield from (f"{where}: {problem}" for problem in _unnameable(row))
            if isinstance(row, RepositoryRow):
                repositories[row.id] = row.default_branch
            elif not isinstance(row, StagedRow) and row.repository_id not in repositories:
                yield f"{where}: expected a repository {row.repository_id!r}, and there is none; delete the row"
            if isinstance(row, CommitRow):
                commits.add((row.repository_id, row.id))
            elif isinstance(row, BranchRow):
                branches.add((row.repository_id, row.id))
    yield from _dangling(tables, commits)
    for repository_id, default in repositories.items():
        if branches & {(repository_id, default)} or not any(name == repository_id for name, _ in branches | commits):
            continue
        yield f"graveler_repositories {repository_id}: expected its default branch {default!r} among graveler_branches"


def _unnameable(row: Row) -> Iterator[str]:
    try:
        match row:
            case RepositoryRow():
                keys.repository_key(RepositoryID(row.id))
            case BranchRow():
                keys.branch_key(BranchID(row.id))
                keys.staging_partition(StagingToken(row.staging_token))
            case CommitRow():
                keys.commit_key(CommitID(row.id))
                for name, number in (("version", row.version), ("generation", row.generation)):
                    if not -INT32_MAX <= number <= INT32_MAX:
                        yield f"{name} {number}: expected a 32-bit number; mend the row"
            case TagRow():
                keys.tag_key(TagID(row.id))
            case StagedRow():
                keys.staging_partition(StagingToken(row.staging_token))
                keys.staged_key(row.key)
    except keys.InvalidName as error:
        yield str(error)


def _dangling(tables: Tables, commits: set[tuple[str, str]]) -> Iterator[str]:
    for table in ("graveler_branches", "graveler_tags"):
        for row in tables.rows(table):
            assert isinstance(row, BranchRow | TagRow)
            if (row.repository_id, row.commit_id) not in commits:
                yield f"{table} {shown(row)}: commit {row.commit_id!r} is not in graveler_commits; restore it"
    for row in tables.rows("graveler_commits"):
        assert isinstance(row, CommitRow)
        for parent in row.parents:
            if (row.repository_id, parent) not in commits:
                yield f"graveler_commits {shown(row)}: parent {parent!r} is not in graveler_commits; restore it"
