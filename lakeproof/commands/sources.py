"""Where a store may be that is looked at, and never written: an SQLite file, a file with its rows, a database."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, Literal, cast

import attrs

from lakeproof.impl.diagnostics import escape_bytes
from lakeproof.impl.stores import MemoryStore, dumped
from lakeproof.impl.stores.base import Store
from lakeproof.impl.stores.dumped import NotADump, Row
from lakeproof.stores.redaction import hide_secrets, redact
from lakeproof.words import Unusable

Keys = Literal["design", "lakefs"]
POSTGRESQL: Final = ("postgresql://", "postgres://")
DYNAMODB: Final = ("dynamodb+https://", "dynamodb+http://")


@attrs.frozen
class Source:
    """A store, the partitions that it has, its key schema, and whether it is more than a part of another one."""

    store: Store
    partitions: tuple[bytes, ...]
    keys: Keys
    whole: bool = True


def is_rows(path: Path) -> bool:
    """Whether a file is text that begins an object of JSON, and so no SQLite file. Raises OSError."""
    with path.open("rb") as file:
        return file.read(64).lstrip()[:1] == b"{"


def rows(path: Path) -> list[Row]:
    """All rows of a dump, or of JSON Lines. Raises Unusable."""
    import json

    try:
        if dumped.is_lines(path):
            return list(dumped.lines(path))
        document = json.loads(path.read_bytes())
    except NotADump as error:
        raise Unusable(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{path}: no JSON ({' '.join(str(error).split())[:120]}); write the dump again") from None
    except OSError as error:
        raise Unusable(f"{path}: cannot be read ({error.strerror}); make it accessible") from None
    # A dump of an empty store has a version, and may have no list.
    entries = document.get("entries", [] if isinstance(document.get("version"), str) else None)
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise Unusable(f'{path}: has no list "entries", expected a dump of lakeFS\' store; name another file')
    found = cast("list[dict[str, object]]", entries)
    notation = dumped.decide_notation(found)  # once for all rows: one alone may be ambiguous
    try:
        return [dumped.row(f"{path}: entry {number}", each, notation) for number, each in enumerate(found)]
    except NotADump as error:
        raise Unusable(str(error)) from None


def of_rows(path: Path) -> Source:
    """A store in memory, of the rows of a file. Raises Unusable."""
    found: dict[tuple[bytes, bytes], bytes] = {}
    for partition, key, value in rows(path):
        if key and found.setdefault((partition, key), value) != value:  # its key may be a path of the user's
            raise Unusable(
                f"{path}: partition {escape_bytes(partition)} has a key with two values, as in two dumps that were "
                "joined; give one of them"
            )
    return Source(MemoryStore(found), tuple(dict.fromkeys(partition for partition, _ in found)), "lakefs", whole=False)


@contextmanager
def database(address: str) -> Iterator[Source]:
    """A database with lakeFS' table. Raises Unusable."""
    name = hide_secrets(address)
    opened = _postgresql(address, name) if address.startswith(POSTGRESQL) else _dynamodb(address, name)
    with opened as source:
        yield source


@contextmanager
def _postgresql(address: str, name: str) -> Iterator[Source]:
    try:
        import psycopg

        from lakeproof.stores.postgresql import PostgreSQLStore
    except ImportError:
        raise Unusable("psycopg is not installed; `pip install 'lakeproof[postgresql]'`") from None
    try:
        with psycopg.connect(address) as connection:
            # The contract of a store has no listing of partitions: SQL has.
            found = connection.execute("SELECT DISTINCT partition_key FROM kv ORDER BY 1").fetchall()
        partitions = tuple(bytes(each[0]) for each in found)
        opened = PostgreSQLStore(address, name=name, connections=1, read_only=True)
    except (psycopg.Error, Unusable, ValueError) as error:
        why = " ".join(str(error).split())
        raise Unusable(redact(f"{name}: {why}; name a database with lakeFS' table kv", address)) from None
    with opened as store:
        yield Source(store, partitions, "lakefs")


@contextmanager
def _dynamodb(address: str, name: str) -> Iterator[Source]:
    try:
        from botocore.exceptions import BotoCoreError, ClientError

        from lakeproof.stores.dynamodb_store import PARTITION, DynamoDBStore, address_of
    except ImportError:
        raise Unusable("boto3 is not installed; `pip install 'lakeproof[dynamodb]'`") from None
    with ExitStack() as opened:
        try:
            table = address_of(address, name).path
            if not table:
                raise Unusable(f"{name}: names no table; write it behind the host, as in dynamodb+https://HOST/kvstore")
            store = opened.enter_context(DynamoDBStore(address, name=name, connections=1))
            partitions: set[bytes] = set()
            pages = store.client.get_paginator("scan").paginate(
                # DynamoDB has no distinct: the scan reads, and charges for, the whole table.
                TableName=table,
                ProjectionExpression=PARTITION,
                ConsistentRead=True,
            )
            for page in pages:
                partitions.update(bytes(item[PARTITION]["B"]) for item in page["Items"])
        except (ClientError, BotoCoreError, Unusable) as error:
            raise Unusable(redact(" ".join(str(error).split()), address)) from None
        yield Source(store, tuple(sorted(partitions)), "lakefs")
