"""Both sides of a migration, row by row."""

from collections import Counter
from collections.abc import AsyncIterator

from lakeproof.impl.migration.rows import TABLES, Row, Tables, describe_key, key_of

NAMES = {kind: name for name, kind in TABLES.items()}


async def differences(
    tables: Tables, extracted: AsyncIterator[Row], at_most: int
) -> tuple[list[str], tuple[tuple[str, int], ...]]:
    """What differs between the tables and what was extracted, in words; and the rows counted by table.

    Memory: a fingerprint for each row, 8 bytes and its key.
    """
    found: dict[tuple[str, tuple[bytes, ...]], int] = {}
    words: list[str] = []
    async for row in extracted:
        where = NAMES[type(row)], key_of(row)
        if where in found:
            words.append(f"{where[0]} {describe_key(row)}: there twice")
        found[where] = hash(row)
    counts: Counter[str] = Counter()
    for table in TABLES:
        for row in tables.rows(table):
            counts[table] += 1
            copied = found.pop((table, key_of(row)), None)
            if copied is None:
                words.append(f"{table} {describe_key(row)}: missing in the store")
            elif copied != hash(row):
                words.append(f"{table} {describe_key(row)}: not the same in the store")
    words += [
        f"{table} {b'/'.join(key).decode('utf-8', 'backslashreplace')}: not in the tables" for table, key in found
    ]
    return words[:at_most], tuple((table, counts[table]) for table in TABLES)
