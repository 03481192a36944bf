"""The manifest of a dataset: which files its tables have. What was lost, added or changed since is seen by it alone.

Every row of a table may be rightly absent: a branch without a record is no branch, an object that is not listed is
none. So a lost file of ``kv/`` or ``ranges/`` can look like a smaller dataset, whose answers are wrong for the larger
one. Who writes a dataset knows when it is whole, and seals it then:

    {"format": 1, "tables": {"kv": [{"name": "part-0.parquet", "bytes": 812, "rows": 10, "footer": "<sha256>"}], ...}}

A *footer* is what a Parquet file ends with: columns, and of each column and group of rows the place, size, and mostly
the least and largest value. So its hash tells another run's file of equal size. What was changed inside a page and is
no longer what was sealed is seen in the hash of the whole file alone (``sha256``, with --hash).
Cost of sealing and of each look: the end of every file is read; all of it with --hash.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import attrs
import pyarrow as pa
from pyarrow.parquet import read_metadata

from lakeproof.spark_checks.engine import folders, layout
from lakeproof.spark_checks.engine.folders import Folder, folder_at
from lakeproof.spark_checks.engine.layout import AGAIN, AT_ONCE
from lakeproof.spark_checks.engine.places import File as Place
from lakeproof.spark_checks.engine.tables import AT_REST, DECODED
from lakeproof.words import Unusable

NAME: Final = "_lakeproof.json"
"""In the folder of the dataset. Spark passes over files whose names begin so."""
FORMAT: Final = 1
TABLES: Final = (*AT_REST, *(f"decoded/{name}" for name in DECODED))

_MAGIC: Final = b"PAR1"
_LENGTH: Final = 8
"""Bytes at the end of a Parquet file: the length of the footer before them, and the magic number."""


@attrs.frozen(kw_only=True)
class File:
    """A file of a table. ``footer``: SHA-256 of the Parquet footer. ``sha256``: of all of it, or None."""

    name: str
    bytes: int
    rows: int
    footer: str
    sha256: str | None = None


Manifest = Mapping[str, tuple[File, ...]]
"""The files of each table, by name."""


def seal(where: str, *, hashed: bool = False, again: bool = False) -> Manifest:
    """Write the manifest of a dataset as it is now. ``hashed``: with the hash of all that the files have.
    ``again``: in place of the one that is there.

    Raises Unusable: there is no dataset, a file is not Parquet, or a manifest is there.
    """
    folder = folder_at(where)
    if not again and folder.exists(NAME):
        demand(where)  # that it still holds is worth more than that it is there
        raise Unusable(f"{folder.where}/{NAME}: is there already, and holds; say --again to write another")
    found = _list_tables(where)
    if not found:
        raise Unusable(f"{where}: has no table; expected {', '.join(AT_REST)} (docs/reference/dataset.md)")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        # Threads: of each file the end is read, which at a store is mostly waiting.
        made = {
            name: tuple(pool.map(partial(_describe, folder if hashed else None, name), files))
            for name, files in found.items()
        }
    tables = {
        name: [attrs.asdict(each, filter=attrs.filters.exclude(type(None))) for each in files]
        for name, files in made.items()
    }
    folder.write(NAME, (json.dumps({"format": FORMAT, "tables": tables}, indent=1) + "\n").encode())
    return made


def extend(where: str) -> None:
    """Add the tables that were written since to a manifest, if there is one. Raises Unusable: what it had before is
    not as it was."""
    known = read(where)
    if known is None:
        return
    # First what is sealed must still be so: a new manifest would make a damage official.
    _demand(known, {name: files for name, files in _list_tables(where).items() if name in known}, where)
    seal(where, hashed=any(each.sha256 for files in known.values() for each in files), again=True)


ORIGIN: Final = "_origin.json"
"""In the folder of typed tables: by which keys they were decoded, and of which ``kv/``."""


def note_origin(out: str, where: str | None, keys: str) -> None:
    """Write it beside typed tables. ``where``: the dataset; None: a dump or a database. Raises Unusable."""
    kv = None if where is None else _digest(where)
    folder_at(out).write(ORIGIN, (json.dumps({"keys": keys, "kv": kv}) + "\n").encode())


def demand_origin(where: str, keys: str) -> None:
    """Raises Unusable: the typed tables of a dataset are not those of the ``kv/`` beside them, or of other keys."""
    folder, kv = folder_at(f"{where}/decoded"), _digest(where)
    try:
        made = json.loads(folder.read(ORIGIN)) if folder.exists(ORIGIN) else {"keys": keys, "kv": None}
        by, of = made["keys"], made["kv"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unusable(f"{folder.where}/{ORIGIN}: cannot be read; {_REDECODE}") from None
    if kv not in (None, of):  # without kv/ there is nothing that they could be older than
        raise Unusable(f"{folder.where}: nothing says that it was decoded from kv/ as it is now; {_REDECODE}")
    if by != keys:
        how = f"was decoded with --keys {by}, expected {keys}"
        raise Unusable(f"{folder.where}: {how}; say --keys {by}, or {_REDECODE}")


_REDECODE: Final = "take it away, and decode kv/ again if you like (lakeproof spark decode)"


def _digest(where: str) -> str | None:
    """Of the footers of the files of ``kv/``, whatever their names and their order are. None: there is none."""
    files = folders.files(f"{where}/kv")
    if not files:
        return None
    read = layout.data_files(f"{where}/kv", files)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = sorted(pool.map(lambda each: _hash(_footer(each.full, each.stamp.bytes)), read))
    return _hash("\n".join(found).encode())


def demand(where: str) -> bool:
    """Whether a dataset has a manifest. Raises Unusable: it has one, and is not what the manifest says."""
    known = read(where)
    if known is None:
        return False
    _demand(known, _list_tables(where), where)
    return True


def _demand(known: Manifest, found: Mapping[str, Sequence[Place]], where: str) -> None:
    folder = folder_at(where)
    pairs: list[tuple[File, str, Place]] = []
    # Tables of both: one that is only sealed was lost, one that is only found was added.
    for table in dict.fromkeys((*known, *found)):
        sealed = {each.name: each for each in known.get(table, ())}
        there = {each.relative: each for each in found.get(table, ())}
        for name in sorted(sealed.keys() - there.keys()):
            raise Unusable(f"{where}/{table}/{name}: is in {NAME} and not there; bring it back, or {RESEAL}")
        for name in sorted(there.keys() - sealed.keys()):
            raise Unusable(f"{there[name].full}: is not in {NAME}; take it away, or {RESEAL}")
        pairs += [(sealed[name], f"{table}/{name}", there[name]) for name in sorted(sealed)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for wrong in pool.map(partial(_difference, folder), pairs):
            if wrong is not None:
                raise Unusable(wrong)


RESEAL: Final = "seal the dataset again if it is meant to be so (lakeproof spark seal --again)"


def _difference(folder: Folder, pair: tuple[File, str, Place]) -> str | None:
    sealed, name, place = pair
    full, found = place.full, place.stamp.bytes
    what, repair = f"{full}: is not what {NAME} says", f"bring back the file that was sealed, or {RESEAL}"
    # Cheapest first: the size is known from the listing, the footer needs one read, the hash all of the file.
    if found != sealed.bytes:
        return f"{what}: has {found:,} bytes, expected {sealed.bytes:,}; {repair}"
    if _hash(_footer(full, found)) != sealed.footer:
        return f"{what}: has another footer, of other rows; {repair}"
    if sealed.sha256 is not None and folder.sha256(name) != sealed.sha256:
        return f"{what}: has other bytes (SHA-256); {repair}"
    return None


def note(where: str) -> str:
    """A line about a dataset that has none."""
    return f"{where} has no manifest: whether files or rows of it were lost is not known (lakeproof spark seal)"


def _list_tables(where: str) -> dict[str, list[Place]]:
    """The files of each table that is there. Raises Unusable."""
    found = {}
    for table in TABLES:
        folder = f"{where.rstrip('/')}/{table}"
        files = folders.files(folder)
        if files:
            found[table] = layout.data_files(folder, files)
    return found


def _describe(hashed: Folder | None, table: str, file: Place) -> File:
    """``hashed``: the folder of the dataset, if all of the file is to be hashed."""
    full, size = file.full, file.stamp.bytes
    footer = _footer(full, size)
    try:
        # The parser needs a file that begins and ends with the magic number. What lies between is not looked at.
        rows = int(read_metadata(io.BytesIO(_MAGIC + footer)).num_rows)
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:160]
        raise Unusable(f"{full}: cannot be read as Parquet ({why}); {AGAIN}") from None
    whole = None if hashed is None else hashed.sha256(f"{table}/{file.relative}")
    return File(name=file.relative, bytes=size, rows=rows, footer=_hash(footer), sha256=whole)


def _footer(full: str, size: int) -> bytes:
    """What a file ends with, its length and magic number included; of a file that has none, its last bytes."""
    end = folders.part(full, max(size - _LENGTH, 0), _LENGTH)
    # Of a file that is cut off, the last bytes are no length: the hash is then that of what is there.
    length = int.from_bytes(end[:4], "little") if end[4:] == _MAGIC else 0
    start = max(size - _LENGTH - length, 0)
    return folders.part(full, start, size - start)


def _hash(footer: bytes) -> str:
    return hashlib.sha256(footer).hexdigest()


def read(where: str) -> Manifest | None:
    """The manifest of a dataset; None: it has none. Raises Unusable: it is damaged."""
    folder = folder_at(where)
    if not folder.exists(NAME):
        return None
    try:
        found = json.loads(folder.read(NAME))
        if found["format"] != FORMAT:
            raise ValueError
        return {str(name): tuple(_file(each) for each in files) for name, files in found["tables"].items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Unusable(
            f"{folder.where}/{NAME}: is no manifest of format {FORMAT}; bring it back, or {RESEAL}"
        ) from None


def _file(fields: object) -> File:
    if not isinstance(fields, dict):
        raise TypeError(fields)
    # An unknown field is a TypeError: the manifest is of another format.
    found = File(**fields)
    if not all(isinstance(each, int) for each in (found.bytes, found.rows)) or not isinstance(found.footer, str):
        raise TypeError(fields)
    return found
