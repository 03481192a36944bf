"""The zip that diagnostics leave behind: a table of JSON lines for each kind of entity, ``errors.jsonl`` with the
findings, and ``summary.json``. Equal findings give equal bytes."""

import json
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO

from lakeproof.impl.diagnostics.findings import Collected


class NotWritten(Exception):
    """The zip could not be written; one line that names it, the reason and the repair."""


def write_zip(path: Path, collected: Collected) -> None:
    """Write to a temporary file beside, and give that its name. Nothing is overwritten. Raises NotWritten."""
    refuse_existing(path)
    try:
        # Only its owner may read it.
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = Path(file.name)
            try:
                _write(file, collected)
                file.close()
                try:
                    path.hardlink_to(temporary)  # not by a rename, which would replace what has come meanwhile
                except OSError:
                    refuse_existing(path)
                    temporary.rename(path)  # the file system has no links
            finally:
                temporary.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritten(f"{path}: cannot be written: {why}; make room there, or name another file") from error


def refuse_existing(path: Path) -> None:
    """Raises NotWritten if there is something already."""
    if path.exists() or path.is_symlink():
        raise NotWritten(f"{path}: is there already; remove it, or name another file")


def _write(file: IO[bytes], collected: Collected) -> None:
    findings = [
        {
            "kind": finding.kind,
            "partition": escape_bytes(finding.partition),
            "key": escape_bytes(finding.key),
            "message": finding.message,
        }
        for finding in collected.findings
    ]
    with zipfile.ZipFile(file, "w") as archive:
        for name, rows in collected.tables.items():
            _add(archive, f"{name}.jsonl", (_line(row) for row in rows))
        _add(archive, "errors.jsonl", map(_line, findings))
        _add(archive, "summary.json", [json.dumps(collected.summary, indent=2) + "\n"])


def _add(archive: zipfile.ZipFile, name: str, lines: Iterable[str]) -> None:
    info = zipfile.ZipInfo(name)  # dated 1980, whenever it is written
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o600 << 16  # the mode of a file is in the upper half, as Unix has it
    # The size of a member is not known before it is written; past 4 GiB its header needs 64 bits.
    with archive.open(info, "w", force_zip64=True) as member:
        for line in lines:
            member.write(line.encode())


def _line(fields: Mapping[str, object]) -> str:
    return json.dumps(fields) + "\n"


def escape_bytes(value: bytes) -> str:
    r"""Bytes as text: what prints as itself, but a backslash as ``\\``; each byte of all else as ``\xNN``."""
    # Bytes that are not UTF-8 become lone surrogates, and are escaped below.
    text = value.decode("utf-8", "surrogateescape")
    return "".join(_shown_character(character) for character in text)


def _shown_character(character: str) -> str:
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
