"""How `lakeproof.impl.stores.local_objects` lays objects out in files: names of files, and what is in one.

An address is cut into pieces after each "/" and wherever a piece has become long; all pieces but the last are folders.
Where a piece ends depends on what stands before its end alone: no folder's piece is the beginning of another's. So the
addresses under a folder are neighbours, and folders and files in order of their pieces are addresses in order.

A name is the piece in UTF-8, everything but ``a-z 0-9 _ . -`` as %XX in lower case, and a suffix: distinct also
where upper and lower case are one, never "..", never longer than a file system takes.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Final

import attrs

from lakeproof.model import objects

ADDRESS_BYTES: Final = 1024
"""The longest address, in UTF-8. As with S3 and Google Cloud Storage; and its path is shorter than the 4096 bytes that
Linux takes."""

VERSION: Final = 1
"""Of the header."""

LONG: Final = 200
"""A piece ends when its name has become this long; then it has at most 211 bytes."""

FILE, FOLDER, CUT = ".o", ".d", ".c"
"""Suffixes: an object; a folder whose piece ended with "/"; a folder whose piece had become long."""

_UTF8: Final = ("utf-8", "surrogatepass")
_UNSAFE: Final = re.compile(rb"[^a-z0-9_.-]")
_ESCAPED: Final = re.compile(rb"%([0-9a-f]{2})")


class AddressTooLong(ValueError):
    """An address has more than `ADDRESS_BYTES`."""


class Damaged(ValueError):
    """A file is not what this module writes."""


@attrs.frozen
class Header:
    """What a file holds besides the content: the first line of it, in JSON."""

    size_bytes: int
    etag: str
    last_modified: int
    metadata: objects.Metadata
    metageneration: int

    def head(self, address: str) -> objects.Head:
        """What a `HeadObject` tells."""
        return objects.Head(address, self.size_bytes, self.etag, self.last_modified, self.metadata, self.metageneration)


def path_of(address: str) -> Path:
    """Where an object's file is, below the folder of all objects. Raises AddressTooLong."""
    size = len(address.encode(*_UTF8))
    if size > ADDRESS_BYTES:
        raise AddressTooLong(f"an address of {size} bytes in UTF-8, expected at most {ADDRESS_BYTES}; shorten it")
    folders, name = list[str](), ""
    for char in address:
        if char == "/":
            folders.append(name + FOLDER)
            name = ""
            continue
        name += _escape(char)
        if len(name) >= LONG:
            folders.append(name + CUT)
            name = ""
    return Path(*folders, name + FILE)


def piece_of(name: str) -> tuple[str, bool] | None:
    """The piece of an address that a name stands for, and whether it is a folder's; None if the name is not one of
    ours."""
    stem, suffix = name[:-2], name[-2:]
    try:
        piece = _ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), stem.encode("ascii")).decode(*_UTF8)
    except UnicodeError:
        return None
    if "".join(map(_escape, piece)) != stem or "/" in piece:
        return None
    if suffix == FILE and len(stem) < LONG:
        return piece, False
    if suffix == FOLDER and len(stem) < LONG:
        return piece + "/", True
    return (piece, True) if suffix == CUT and len(stem) >= LONG else None


def _escape(char: str) -> str:
    return _UNSAFE.sub(lambda match: f"%{match[0][0]:02x}".encode(), char.encode(*_UTF8)).decode("ascii")


def header_line(found: objects.StoredObject) -> bytes:
    """The first line of an object's file; its content follows."""
    fields = {
        "version": VERSION,
        "size_bytes": len(found.content),
        "etag": md5(found.content),
        "last_modified": found.last_modified,
        "metadata": found.metadata,
        "metageneration": found.metageneration,
    }
    return json.dumps(fields, ensure_ascii=False).encode(*_UTF8) + b"\n"


def parse_header(line: bytes) -> Header:
    """Raises Damaged."""
    try:
        fields = json.loads(line.decode(*_UTF8))
        version = int(fields["version"])
        metadata = tuple((str(name), str(value)) for name, value in fields["metadata"])
        numbers = [int(fields[name]) for name in ("size_bytes", "last_modified", "metageneration")]
        header = Header(numbers[0], str(fields["etag"]), numbers[1], metadata, numbers[2])
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"its first line is no header: {error}") from error
    if version != VERSION:
        raise Damaged(f"it is of version {version}, expected {VERSION}")
    return header


def parse(line: bytes, content: bytes) -> objects.StoredObject:
    """Raises Damaged, also if the content is not the one that was written."""
    header = parse_header(line)
    if md5(content) != header.etag:
        raise Damaged(f"its {len(content)} bytes of content are not the {header.size_bytes} that were written")
    return objects.StoredObject(content, header.metadata, header.metageneration, header.last_modified)


def md5(content: bytes) -> str:
    """As `lakeproof.model.objects.etag`, which remembers contents; here they may be large."""
    return hashlib.md5(content, usedforsecurity=False).hexdigest()
