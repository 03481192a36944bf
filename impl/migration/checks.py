"""What tables must be before anything of them is written: every row has a place, and every name leads somewhere."""

from collections.abc import Iterator
from typing import Final

from lakeproof.impl.migration.rows import TABLES, Row, Tables, UnusableTables, describe_key, key_of
from lakeproof.model import keys
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry, Tag

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
            where, record = f"{table} {describe_key(row)}", row.record
            if key_of(row) == before:  # rows come in the order of their keys
                yield f"{where}: expected one row of that key, and there are more; delete all but one"
            before = key_of(row)
            yield from (f"{where}: {problem}" for problem in _unnameable(row))
            if isinstance(record, Repository):
                repositories[record.repository_id] = record.default_branch_id
            elif not isinstance(record, StagedEntry) and row.owner not in repositories:
                yield f"{where}: expected a repository {row.owner!r}, and there is none; delete the row"
            if isinstance(record, Commit):
                commits.add((row.owner, record.commit_id))
            elif isinstance(record, Branch):
                branches.add((row.owner, record.branch_id))
                token = record.staging_token
                # A token of two branches would give each the changes of the other.
                owner = owners.setdefault(token, describe_key(row))
                if owner != describe_key(row):
                    yield (
                        f"{where}: expected a staging token of its own, and {token!r} is that of {owner}; "
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
        match row.record:
            case Repository(repository_id=repository_id):
                keys.repository_key(repository_id)
            case Branch(branch_id=branch_id, staging_token=token):
                keys.branch_key(branch_id)
                yield from _untaken(token)
            case Commit(commit_id=commit_id, version=version, generation=generation):
                keys.commit_key(commit_id)
                for name, number in (("version", version), ("generation", generation)):
                    if not -INT32_MAX <= number <= INT32_MAX:  # protobuf's int32, without its least number
                        yield f"{name} {number}: expected a 32-bit number; mend the row"
            case Tag(tag_id=tag_id):
                keys.tag_key(tag_id)
            case StagedEntry(key=path):
                yield from _untaken(StagingToken(row.owner))
                keys.staged_key(path)
    except keys.InvalidName as error:
        yield str(error)


def _untaken(token: StagingToken) -> Iterator[str]:
    """Raises InvalidName."""
    # A token may be any text in the tables, and its partition must not be that of the version and the journal.
    if keys.staging_partition(token) == METADATA:
        yield f"staging token {token!r}: the partition of that name is taken; choose another"


def _dangling(tables: Tables, commits: set[tuple[str, str]]) -> Iterator[str]:
    for table in ("graveler_branches", "graveler_tags"):
        for row in tables.rows(table):
            assert isinstance(row.record, Branch | Tag)
            head = row.record.commit_id
            if (row.owner, head) not in commits:
                yield f"{table} {describe_key(row)}: commit {head!r} is not in graveler_commits; restore it"
    for row in tables.rows("graveler_commits"):
        assert isinstance(row.record, Commit)
        for parent in row.record.parents:
            if (row.owner, parent) not in commits:
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
