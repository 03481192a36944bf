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

from lakeproof.impl.migration.rows import TABLES, BranchRow, CommitRow, RepositoryRow, Row, StagedRow, TagRow
from lakeproof.impl.migration.sources import columns

NAMES = {kind: name for name, kind in TABLES.items()}
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
        told = {name: getattr(row, name) for name in columns(type(row))}
        values = [written[name](value) if name in written else value for name, value in told.items()]
        yield f"INSERT INTO {NAMES[type(row)]} VALUES ({', '.join([mark] * len(values))})", values  # noqa: S608


def fill_sqlite(path: Path, rows: Sequence[Row]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    for name, kind in TABLES.items():
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.execute(f"CREATE TABLE {name} ({', '.join(columns(kind))})")
    for statement, values in inserts(rows, IN_SQLITE, "?"):
        connection.execute(statement, values)
    connection.commit()
    connection.close()


def fill_postgres(address: str, rows: Sequence[Row]) -> None:
    with psycopg.connect(address) as connection:
        for name, kind in TABLES.items():
            shape = ", ".join(f"{column} {TYPES.get(column, 'text')}" for column in columns(kind))
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
    tokens = [f"token{number}" for number in range(9)]
    free = list(tokens)
    for repository_id in draw(st.lists(ids, max_size=3, unique=True)):
        commits = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
        names = draw(st.lists(ids, min_size=1, max_size=3, unique=True))
        rows.append(
            RepositoryRow(
                id=repository_id, storage_namespace=draw(texts), creation_date=draw(moments), default_branch=names[0]
            )
        )
        for number, commit_id in enumerate(commits):
            parents = draw(st.lists(st.sampled_from(commits[:number]), max_size=2, unique=True)) if number else []
            rows.append(
                CommitRow(
                    repository_id=repository_id,
                    id=commit_id,
                    committer=draw(texts),
                    message=draw(texts),
                    creation_date=draw(moments),
                    meta_range_id=draw(texts),
                    metadata=tuple(sorted(draw(st.dictionaries(texts, texts, max_size=2)).items())),
                    parents=tuple(parents),
                    version=draw(st.integers(0, 3)),
                    generation=draw(st.integers(-1, 9)),
                )
            )
        for name in names:
            token = f"{repository_id}-{name}" if draw(st.booleans()) else free.pop()
            head = draw(st.sampled_from(commits))
            rows.append(BranchRow(repository_id=repository_id, id=name, staging_token=token, commit_id=head))
        tags = draw(st.dictionaries(ids, st.sampled_from(commits), max_size=2))
        rows += [TagRow(repository_id=repository_id, id=tag, commit_id=head) for tag, head in tags.items()]
    for token in draw(st.lists(st.sampled_from(tokens), max_size=3, unique=True)):
        for key in draw(st.lists(st.binary(min_size=1, max_size=3), max_size=3, unique=True)):
            data = draw(st.none() | st.binary(max_size=3))
            identity = draw(st.binary(min_size=0 if data is None else 1, max_size=2))
            rows.append(StagedRow(staging_token=token, key=key, identity=identity, data=data))
    return tuple(rows)
