"""The files of a table, looked at before any is read: each is Parquet, has all columns, and is one that Spark reads.

Spark takes the columns of a table from one file. In another one, a column of another name is null, and one of another
type fails late; a file of no bytes has no rows, and one whose name begins with "_" or "." is passed over. So every
footer is read here, on the driver, a few at once.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pyarrow as pa
from pyarrow.parquet import FileMetaData, read_metadata
from pyspark.sql.types import DataType, StructType

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.places import File
from lakeproof.words import Unusable

AT_ONCE: Final = 16
AGAIN: Final = "bring it back whole, or write the table again"
_WIDENS: Final = {"bigint": {"int", "smallint", "tinyint"}, "timestamp": {"timestamp_ntz"}, "int": {"smallint"}}
"""What is taken for a type without a loss."""
_NONE: Final = StructType([])
_COPYING: Final = "._COPYING_"
"""How the names of Hadoop's copies end, until they are whole."""
_LOGS: Final = {
    "_delta_log": "a Delta table",
    ".hoodie": "a Hudi table",
    "_spark_metadata": "what a stream of Spark has written",
}
"""Folders that say which files of a table are valid."""


def data_files(where: str, files: Sequence[File]) -> list[File]:
    """Those that Spark reads as the table's. Raises Unusable: there is none, or one looks like data and is not read."""
    found = []
    for each in files:
        parts = each.relative.split("/")
        _demand_plain(where, parts)
        # Spark's committer writes into _temporary and renames at the end; Hadoop's copy renames from ._COPYING_.
        if "_temporary" in parts or parts[-1].endswith(_COPYING):
            raise Unusable(
                f"{each.full}: is of a write that has not ended; wait for its end, take away what it has left, or "
                "write the table again"
            )
        if not any(is_hidden(part) for part in parts):
            found.append(each)
        # A Parquet file with a hidden name is data that an engine would pass over without a word.
        elif not is_beside(each.relative):
            raise Unusable(
                f"{each.full}: Spark passes over files of such a name; take it away, or give it one that tells that it "
                "is whole"
            )
    if not found:
        raise Unusable(f"{where}: has no Parquet file; write the table, an empty one if there is nothing")
    _demand_one_depth(where, found)
    return found


def is_hidden(part: str) -> bool:
    """Whether Spark passes over a file, or what is in a folder, of this name. Its lists of files name some of them
    nevertheless: those that begin with ``_metadata``."""
    return (part.startswith("_") and "=" not in part) or part.startswith(".") or part.endswith(_COPYING)


def is_beside(relative: str) -> bool:
    """Whether a file, by its path in a table, is no data and does not look like it: a mark of a writer, a checksum."""
    parts = relative.split("/")
    looks_whole = ".parquet" in parts[-1] and not parts[-1].endswith(".crc")
    return any(is_hidden(part) for part in parts) and not looks_whole and not parts[-1].endswith(_COPYING)


def _demand_plain(where: str, parts: Sequence[str]) -> None:
    """parts: of the path of a file. Raises Unusable: it is one by which a format knows the valid files."""
    for folder, kind in _LOGS.items():
        if folder in parts[:-1]:
            raise Unusable(f"{where}: is {kind}, of whose files some are not valid; export it as plain Parquet")
    if parts[0] == "metadata" and parts[-1].endswith(".metadata.json"):
        raise Unusable(f"{where}: is an Iceberg table, of whose files some are not valid; export it as plain Parquet")


def _demand_one_depth(where: str, files: Sequence[File]) -> None:
    """Raises Unusable: Spark passes over some. Where folders are named column=value, it reads what is in them; else,
    what is in the table's own folder."""
    folders = {each.relative: _name_folders(each.relative) for each in files}
    # One file in folders column=value makes Spark take all files for a partitioned table.
    inside = next((name for name, named in folders.items() if named), None)
    for each in files:
        named = folders[each.relative]
        if inside is None and "/" in each.relative:
            raise Unusable(
                f"{each.full}: lies in a folder that is not named column=value, and Spark passes over it; move it to "
                f"{where}, or take it away"
            )
        if inside is not None and not named:
            raise Unusable(
                f"{each.full}: lies in no folder named column=value, and {inside} does, so that Spark passes over it; "
                "take away what is not of the table, or put all files at one depth"
            )
        if inside is not None and named != folders[inside]:
            raise Unusable(
                f"{each.full}: lies in {named}, and {inside} in {folders[inside]}; take away what is not of the table, "
                "or name the folders alike"
            )


def _name_folders(relative: str) -> str:
    """How the folders of a file are named, down to the last one that is named so: "a=value/b=value"."""
    parts = relative.split("/")[:-1]
    while parts and "=" not in parts[-1]:
        parts.pop()  # below the last column=value, names mean nothing
    return "/".join(f"{each.partition('=')[0]}=value" if "=" in each else each for each in parts)


def demand_columns(name: str, files: Sequence[File], schema: StructType, more: StructType = _NONE) -> frozenset[str]:
    """more: columns that files may have. Returns those of them that any file has.

    Raises Unusable: a file that is not Parquet, or lacks a column, or has one of another type; the first one by name.
    """
    found: set[str] = set()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for file, columns in zip(files, pool.map(_columns, files), strict=True):
            # Columns of folders are not in the footer. They are text, since the inference of their types is off.
            inside = dict(part.split("=", 1) for part in file.relative.split("/")[:-1] if "=" in part)
            kinds = {**columns, **dict.fromkeys(inside, "string")}
            # Spark does not distinguish cases in names of columns.
            there = {each.lower() for each in kinds}
            _demand(name, file.full, kinds, StructType([*schema, *(each for each in more if each.name in there)]))
            found |= there
    return frozenset(found & {*more.names})


def _demand(name: str, file: str, kinds: Mapping[str, str], schema: StructType) -> None:
    for field in schema:
        called = [each for each in kinds if each.lower() == field.name]
        if field.name not in kinds:
            raise Unusable(f"{file}: has no column {field.name} ({sorted(kinds)}); {_describe_expected(name, schema)}")
        if len(called) > 1:
            raise Unusable(f"{file}: has columns {' and '.join(sorted(called))}, which Spark takes for one; rename one")
        if not _fits(kinds[field.name], field.dataType):
            raise Unusable(f"{file}: column {field.name} is {kinds[field.name]}; {_describe_expected(name, schema)}")


def _fits(found: str, wanted: DataType) -> bool:
    name = wanted.simpleString()
    return found == name or found in _WIDENS.get(name, set())


def _describe_expected(name: str, schema: StructType) -> str:
    columns = ", ".join(f"{field.name}: {field.dataType.simpleString()}" for field in schema)
    return f"expected of {name}/: {columns}; write the file again so"


def _columns(file: File) -> dict[str, str]:
    """The columns that a footer tells, with their types as Spark calls them. Raises Unusable."""
    try:
        return _kinds(footer(file.full))
    except (pa.ArrowException, OSError) as error:
        empty = "0 bytes" if not file.stamp.bytes else " ".join(str(error).split())[:160]
        name = file.relative.rpartition("/")[2]
        # What is not named as Parquet may have come there by chance.
        repair = AGAIN if name.lower().endswith(".parquet") else f"take it away if it is not of the table, or {AGAIN}"
        raise Unusable(f"{file.full}: cannot be read as Parquet ({empty}); {repair}") from None


def footer(file: str) -> FileMetaData:
    """What a Parquet file ends with. Raises OSError, ArrowException; Unusable: its place cannot be reached."""
    path = places.local(file)
    if path is not None:
        return read_metadata(path)
    # Arrow opens a URL by a file system, and a path in it.
    around, _, name = file.rpartition("/")
    with folder_at(around).open(name) as here:
        return read_metadata(here)


def _kinds(footer: FileMetaData) -> dict[str, str]:
    # The Arrow schema shows INT96 as a timestamp in nanoseconds: only the physical type tells them apart.
    physical = {footer.schema.column(n).path: footer.schema.column(n).physical_type for n in range(footer.num_columns)}
    found = {}
    for field in footer.schema.to_arrow_schema():
        kind = _kind(field.type)
        if pa.types.is_timestamp(field.type) and physical.get(field.name) == "INT96":
            kind = "timestamp"  # old files have no zone, and mean UTC
        elif pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            kind = f"{kind} in nanoseconds"  # Spark does not read those
        found[str(field.name)] = kind
    return found


_KINDS: Final = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "uint8": "smallint",
    "uint16": "int",
    "uint32": "bigint",
    "bool": "boolean",
    "string": "string",
    "large_string": "string",
    "string_view": "string",
    "binary": "binary",
    "large_binary": "binary",
    "binary_view": "binary",
}


def _kind(found: pa.DataType) -> str:
    if pa.types.is_dictionary(found):
        return _kind(found.value_type)  # an encoding, and no type of its own
    if pa.types.is_list(found) or pa.types.is_large_list(found):
        return f"array<{_kind(found.value_type)}>"
    if pa.types.is_timestamp(found):
        return "timestamp_ntz" if found.tz is None else "timestamp"
    return _KINDS.get(str(found), str(found))
