"""The rows of the five tables, column by column as in the Go structs of graveler-on-kv.md, "Entities"."""

from collections.abc import Iterator
from typing import Final, Protocol

import attrs

from lakeproof.impl.printable import printable

Parents = tuple[str, ...]
Metadata = tuple[tuple[str, str], ...]  # sorted


@attrs.frozen(kw_only=True, order=True)
class RepositoryRow:
    id: str
    storage_namespace: str
    creation_date: int  # microseconds since 1970
    default_branch: str


@attrs.frozen(kw_only=True, order=True)
class BranchRow:
    repository_id: str
    id: str
    staging_token: str
    commit_id: str


@attrs.frozen(kw_only=True, order=True)
class CommitRow:
    repository_id: str
    id: str
    committer: str
    message: str
    creation_date: int  # microseconds since 1970
    meta_range_id: str
    metadata: Metadata
    parents: Parents
    version: int
    generation: int


@attrs.frozen(kw_only=True, order=True)
class TagRow:
    repository_id: str
    id: str
    commit_id: str


@attrs.frozen(kw_only=True, order=True)
class StagedRow:
    staging_token: str
    key: bytes
    identity: bytes
    data: bytes | None  # None: the path was deleted


Row = RepositoryRow | BranchRow | CommitRow | TagRow | StagedRow

TABLES: Final[dict[str, type[Row]]] = {
    "graveler_repositories": RepositoryRow,
    "graveler_branches": BranchRow,
    "graveler_commits": CommitRow,
    "graveler_tags": TagRow,
    "graveler_staging_kv": StagedRow,
}
"""By name, in the order of reports."""


class Tables(Protocol):
    """One consistent snapshot of the five tables."""

    def rows(self, table: str) -> Iterator[Row]:
        """The rows of a table in the order of their keys, as bytes. May be called again.

        Raises:
            UnusableTables: a column is missing or holds what it must not; names table, row, expectation and repair.
        """


class UnusableTables(ValueError):
    """Tables that cannot be migrated as they are. Nothing has been written."""


def key_of(row: Row) -> tuple[bytes, ...]:
    """The primary key of a row, in the order in which tables are read and compared."""
    match row:
        case RepositoryRow():
            return (row.id.encode(),)
        case StagedRow():
            return row.staging_token.encode(), row.key
        case _:
            # In UTF-8, as the databases compare text that is collated by bytes.
            return row.repository_id.encode(), row.id.encode()


def describe_key(row: Row) -> str:
    """The key of a row, for people."""
    return printable("/".join(part.decode("utf-8", "backslashreplace") for part in key_of(row)))


@attrs.frozen
class MemoryTables:
    """Tables made of rows that are at hand."""

    all_rows: tuple[Row, ...]

    def rows(self, table: str) -> Iterator[Row]:
        return iter(sorted((row for row in self.all_rows if isinstance(row, TABLES[table])), key=key_of))
