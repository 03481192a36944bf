"""The rows of the five tables, as in the Go structs of graveler-on-kv.md, "Entities"."""

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

import attrs

from lakeproof.impl.printable import printable
from lakeproof.model.identifiers import InstanceUID
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry, Tag, name_of

NO_INSTANCE: Final = InstanceUID("")
"""That of a repository in the tables."""


@attrs.frozen
class Row:
    """A row as the record that it becomes."""

    owner: str
    """The repository of a branch, a commit or a tag; the token of a staged entry; of a repository nothing."""
    record: Record


@attrs.frozen
class Table:
    """What rows of a table are, and in which fields of the record their columns are."""

    kind: type[Record]
    columns: Mapping[str, str]
    """Of the owner: no field. The columns of the key come first."""
    key_size: int = 2


_OF_COMMITS: Final = "committer message creation_date meta_range_id metadata parents version generation"
TABLES: Final[Mapping[str, Table]] = {
    "graveler_repositories": Table(
        Repository,
        {
            "id": "repository_id",
            "storage_namespace": "storage_namespace",
            "creation_date": "creation_date",
            "default_branch": "default_branch_id",
        },
        key_size=1,
    ),
    "graveler_branches": Table(
        Branch,
        {"repository_id": "", "id": "branch_id", "staging_token": "staging_token", "commit_id": "commit_id"},
    ),
    "graveler_commits": Table(
        Commit, {"repository_id": "", "id": "commit_id", **{name: name for name in _OF_COMMITS.split()}}
    ),
    "graveler_tags": Table(Tag, {"repository_id": "", "id": "tag_id", "commit_id": "commit_id"}),
    "graveler_staging_kv": Table(
        StagedEntry, {"staging_token": "", "key": "key", "identity": "identity", "data": "data"}
    ),
}
"""By name, in the order of reports."""
NAMES: Final = {table.kind: name for name, table in TABLES.items()}


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
    name = name_of(row.record)
    # In UTF-8, as the databases compare text that is collated by bytes.
    return (name,) if isinstance(row.record, Repository) else (row.owner.encode(), name)


def describe_key(row: Row) -> str:
    """The key of a row, for people."""
    return printable("/".join(part.decode("utf-8", "backslashreplace") for part in key_of(row)))


@attrs.frozen
class MemoryTables:
    """Tables made of rows that are at hand."""

    all_rows: tuple[Row, ...]

    def rows(self, table: str) -> Iterator[Row]:
        return iter(sorted((row for row in self.all_rows if NAMES[type(row.record)] == table), key=key_of))
