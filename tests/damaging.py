"""Damaging SQLite files at random, in tests: what a failing disk, a cut copy or a stray write leaves."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Final

PAGE: Final = 4096
Row = tuple[object, ...]


def _flipped(rng: Random, content: bytearray) -> None:
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _another_byte(rng: Random, content: bytearray) -> None:
    content[rng.randrange(len(content))] = rng.randrange(256)


def _header(rng: Random, content: bytearray) -> None:
    content[rng.randrange(100)] = rng.randrange(256)


def _page_header(rng: Random, content: bytearray) -> None:
    content[rng.randrange(len(content)) // PAGE * PAGE + rng.randrange(40)] = rng.randrange(256)


def _zeros(rng: Random, content: bytearray) -> None:
    start, count = rng.randrange(len(content)), rng.choice((3, 60, 512, PAGE))
    content[start : start + count] = bytes(len(content[start : start + count]))


def _noise(rng: Random, content: bytearray) -> None:
    start, count = rng.randrange(len(content)), rng.choice((2, 8, 60))
    content[start : start + count] = rng.randbytes(len(content[start : start + count]))


def _cut(rng: Random, content: bytearray) -> None:
    del content[rng.randrange(len(content)) :]


def _cut_pages(rng: Random, content: bytearray) -> None:
    del content[rng.randrange(len(content) // PAGE) * PAGE :]


def _page_elsewhere(rng: Random, content: bytearray) -> None:
    to, of = (rng.randrange(len(content) // PAGE) * PAGE for _ in range(2))
    content[to : to + PAGE] = content[of : of + PAGE]


def _shifted(rng: Random, content: bytearray) -> None:
    at = rng.randrange(len(content))
    content[at:at] = rng.randbytes(rng.randrange(1, 40))


def _longer(rng: Random, content: bytearray) -> None:
    content += rng.randbytes(rng.choice((7, PAGE)))


DAMAGES: Final[Mapping[str, Callable[[Random, bytearray], None]]] = {
    "a flipped bit": _flipped,
    "another byte": _another_byte,
    "another byte in the header": _header,
    "another byte at the head of a page": _page_header,
    "zeros": _zeros,
    "noise": _noise,
    "cut": _cut,
    "cut after a page": _cut_pages,
    "a page in the place of another": _page_elsewhere,
    "something inserted": _shifted,
    "something after the end": _longer,
}


def damaged(content: bytes, seed: int) -> bytes:
    """One damage, or two. One kind follows the other, so that any run of seeds has them all."""
    rng, made = Random(seed), bytearray(content)
    kinds = list(DAMAGES.values())
    kinds[seed % len(kinds)](rng, made)
    if rng.random() < 0.2 and len(made) > PAGE:
        rng.choice(kinds)(rng, made)
    return bytes(made)


def held(path: Path, table: str = "kv") -> list[Row] | None:
    """All rows, as any reader sees them; None if not all can be read."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            connection.text_factory = bytes
            return connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608
    except (sqlite3.Error, UnicodeDecodeError):
        return None


def shapes(rows: list[Row]) -> list[list[int | None]]:
    """The length of every value: what changes if anything but a byte within a value does."""
    return [[len(value) if isinstance(value, bytes) else None for value in row] for row in rows]
