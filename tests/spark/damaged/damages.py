"""One damage to a dataset: of a file of a table, of a whole table, or none at all (a stray file)."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from tests.spark.damaged.making import Shape, write


@attrs.frozen
class Damage:
    """What became of a dataset. ``table``: as `kv`, or `decoded/commits`. ``where``: the file or folder."""

    kind: str
    table: str
    where: str
    column: str = ""


@attrs.frozen
class Scene:
    """Where a damage is done. ``other``: another day's dump, of the same tables."""

    chance: random.Random
    shape: Shape
    folder: Path
    other: Path
    table: str

    def file(self) -> Path:
        return self.chance.choice(sorted((self.folder / self.table).glob("*.parquet")))

    def written(self, rows: pa.Table, path: Path) -> None:
        write(rows, path, self.shape, self.chance.randint(3, 40))


Doing = Callable[[Scene, Path], str]
"""Returns the column that was damaged, if it is one."""


def lost(_: Scene, file: Path) -> str:
    file.unlink()
    return ""


def cut(scene: Scene, file: Path) -> str:
    whole = file.read_bytes()
    file.write_bytes(whole[: scene.chance.randint(1, len(whole) - 1)])
    return ""


def emptied(_: Scene, file: Path) -> str:
    file.write_bytes(b"")
    return ""


def flipped(scene: Scene, file: Path) -> str:
    """A few bytes of pages; the footer stays."""
    whole = bytearray(file.read_bytes())
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    for _ in range(scene.chance.randint(1, 4)):
        if end > 4:
            whole[scene.chance.randrange(4, end)] ^= 1 << scene.chance.randrange(8)
    file.write_bytes(bytes(whole))
    return ""


def renamed(scene: Scene, file: Path) -> str:
    rows = pq.read_table(file)
    column = str(scene.chance.choice(rows.column_names))
    scene.written(rows.rename_columns([f"{each}_" if each == column else each for each in rows.column_names]), file)
    return column


def retyped(scene: Scene, file: Path) -> str:
    rows = pq.read_table(file)
    at = scene.chance.randrange(rows.num_columns)
    kind = pa.float64() if not pa.types.is_floating(rows.schema.field(at).type) else pa.string()
    column = str(rows.column_names[at])
    scene.written(rows.set_column(at, column, pa.nulls(len(rows), kind)), file)
    return column


def nulled(scene: Scene, file: Path) -> str:
    rows = pq.read_table(file)
    at = scene.chance.randrange(rows.num_columns)
    column = str(rows.column_names[at])
    scene.written(rows.set_column(at, rows.schema.field(at), pa.nulls(len(rows), rows.schema.field(at).type)), file)
    return column


def doubled(_: Scene, file: Path) -> str:
    shutil.copy(file, file.with_name(f"copy-of-{file.name}"))
    return ""


def foreign(scene: Scene, file: Path) -> str:
    shutil.copy(scene.chance.choice(sorted((scene.other / scene.table).glob("*.parquet"))), file)
    return ""


def a_group_lost(scene: Scene, file: Path) -> str:
    """As of who copies group by group, and closes the file."""
    with pq.ParquetFile(file) as whole:
        groups = list(range(whole.num_row_groups))
        if groups:
            groups.remove(scene.chance.choice(groups))
        rows = whole.read_row_groups(groups) if groups else whole.schema_arrow.empty_table()
    scene.written(rows, file)
    return ""


def without_rows(scene: Scene, file: Path) -> str:
    scene.written(pq.read_schema(file).empty_table(), file)
    return ""


def table_lost(scene: Scene, _: Path) -> str:
    shutil.rmtree(scene.folder / scene.table)
    return ""


def table_emptied(scene: Scene, _: Path) -> str:
    shutil.rmtree(scene.folder / scene.table)
    (scene.folder / scene.table).mkdir()
    return ""


def stray(scene: Scene, file: Path) -> str:
    name = scene.chance.choice(["_SUCCESS", "_x", ".x", f".{file.name}.crc", "_metadata"])
    file.with_name(name).write_bytes(scene.chance.randbytes(9))
    return ""


KINDS: Final[dict[str, Doing]] = {
    each.__name__: each
    for each in (
        lost,
        cut,
        emptied,
        flipped,
        renamed,
        retyped,
        nulled,
        doubled,
        foreign,
        a_group_lost,
        without_rows,
        table_lost,
        table_emptied,
        stray,
    )
}

SEEN_BY_ALL: Final = frozenset({"cut", "emptied", "renamed", "retyped", "table_lost", "table_emptied"})
"""What the footers and the folders tell, with a manifest or without one. The others leave files that are whole: what
they say is less than there was, or more, or of another day."""
HARMLESS: Final = frozenset({"stray"})


def do(chance: random.Random, shaped: Shape, folder: Path, other: Path, kind: str | None = None) -> Damage | None:
    """Damage a dataset. None: what was done has changed nothing."""
    names = ["kv", "metaranges", "ranges", "objects"]
    if shaped.decoded:
        names += [f"decoded/{each.name}" for each in sorted((folder / "decoded").iterdir())]
    kind = kind or chance.choice(sorted(KINDS))
    scene = Scene(chance, shaped, folder, other, chance.choice(names))
    before = _contents(folder)
    file = scene.file()
    column = KINDS[kind](scene, file)
    if _contents(folder) == before:
        return None
    return Damage(kind, scene.table, str(file.relative_to(folder)), column)


def _contents(folder: Path) -> dict[str, bytes]:
    found = {str(each): each.read_bytes() for each in folder.rglob("*") if each.is_file()}
    return found | {str(each): b"" for each in folder.rglob("*") if each.is_dir()}
