"""Databases of an older lakeFS: generated rows, and the tables that hold them."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from lakeproof.impl.migration.rows import NAMES, NO_INSTANCE, TABLES, Row
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry, Tag

TYPES = {
    "creation_date": "timestamptz",
    "metadata": "jsonb",
    "parents": "text[]",
    "version": "integer",
    "generation": "integer",
    "key": "bytea",
    "identity": "bytea",
    "data": "bytea",
}


def moment(microseconds: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)


Written = Mapping[str, Callable[[Any], object]]  # type: ignore[explicit-any]  # of columns of all types
"""How a database has the columns that it does not take as they are."""
IN_SQLITE: Written = {
    "creation_date": lambda at: moment(at).isoformat(),
    "metadata": lambda pairs: json.dumps(dict(pairs)),
    "parents": json.dumps,
}
IN_POSTGRESQL: Written = {"creation_date": moment, "metadata": lambda pairs: Jsonb(dict(pairs)), "parents": list}


def inserts(rows: Sequence[Row], written: Written, mark: str) -> Iterator[tuple[str, list[object]]]:
    """A statement for each row, with its values."""
    for row in rows:
        table = NAMES[type(row.record)]
        columns = TABLES[table].columns
        told = {name: getattr(row.record, field) if field else row.owner for name, field in columns.items()}
        values = [written[name](value) if name in written else value for name, value in told.items()]
        yield f"INSERT INTO {table} VALUES ({', '.join([mark] * len(values))})", values  # noqa: S608


def fill_sqlite(path: Path, rows: Sequence[Row]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    for name, table in TABLES.items():
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.execute(f"CREATE TABLE {name} ({', '.join(table.columns)})")
    for statement, values in inserts(rows, IN_SQLITE, "?"):
        connection.execute(statement, values)
    connection.commit()
    connection.close()


def fill_postgres(address: str, rows: Sequence[Row]) -> None:
    with psycopg.connect(address) as connection:
        for name, table in TABLES.items():
            shape = ", ".join(f"{column} {TYPES.get(column, 'text')}" for column in table.columns)
            connection.execute(f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} ({shape})")
        for statement, values in inserts(rows, IN_POSTGRESQL, "%s"):
            connection.execute(statement, values)


ids = st.text(st.sampled_from("abcé-_.Z"), min_size=1, max_size=4)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
moments = st.integers(0, 4_000_000_000_000_000)


@st.composite
def databases(draw: st.DrawFn) -> tuple[Row, ...]:
    """A few repositories with commits that know each other, branches, tags, and staged entries, some of nobody."""
    rows: list[Row] = []
    tokens = [StagingToken(f"token{number}") for number in range(9)]
    free = list(tokens)
    for owner in map(RepositoryID, draw(st.lists(ids, max_size=3, unique=True))):
        commits = draw(st.lists(ids.map(CommitID), min_size=1, max_size=4, unique=True))
        names = draw(st.lists(ids.map(BranchID), min_size=1, max_size=3, unique=True))
        repository = Repository(
            repository_id=owner,
            storage_namespace=StorageNamespace(draw(texts)),
            creation_date=draw(moments),
            default_branch_id=names[0],
            instance_uid=NO_INSTANCE,
        )
        rows.append(Row("", repository))
        for number, commit_id in enumerate(commits):
            parents = draw(st.lists(st.sampled_from(commits[:number]), max_size=2, unique=True)) if number else []
            commit = Commit(
                commit_id=commit_id,
                committer=draw(texts),
                message=draw(texts),
                creation_date=draw(moments),
                meta_range_id=MetaRangeID(draw(texts)),
                metadata=tuple(sorted(draw(st.dictionaries(texts, texts, max_size=2)).items())),
                parents=tuple(parents),
                version=draw(st.integers(0, 3)),
                generation=draw(st.integers(-1, 9)),
            )
            rows.append(Row(owner, commit))
        heads = st.sampled_from(commits)
        for name in names:
            token = StagingToken(f"{owner}-{name}") if draw(st.booleans()) else free.pop()
            rows.append(Row(owner, Branch(branch_id=name, staging_token=token, commit_id=draw(heads))))
        tags = draw(st.dictionaries(ids.map(TagID), heads, max_size=2))
        rows += [Row(owner, Tag(tag_id=tag, commit_id=head)) for tag, head in tags.items()]
    for token in draw(st.lists(st.sampled_from(tokens), max_size=3, unique=True)):
        for key in draw(st.lists(st.binary(min_size=1, max_size=3), max_size=3, unique=True)):
            data = draw(st.none() | st.binary(max_size=3))
            identity = draw(st.binary(min_size=0 if data is None else 1, max_size=2))
            rows.append(Row(token, StagedEntry(key=key, identity=identity, data=data)))
    return tuple(rows)
