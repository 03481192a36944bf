"""Files that are there whole, or as they were before."""

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Final

_IN_PLACE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY})
"""What a folder answers in which no file can be made or renamed, though one that is there may be written: it is another
user's, or the file is mounted alone."""


def write_whole(path: Path, text: str) -> None:
    """Write a file, in UTF-8. No reader sees half of it, and what was there before stays if the disk is full.

    Raises OSError.
    """
    # Lone surrogates, of a flow's texts or of a path, have no UTF-8.
    data = text.encode(errors="backslashreplace")
    if path.exists() and not path.is_file():  # a pipe of the shell
        path.write_bytes(data)
        return
    if _is_stdout(path):
        with open(1, "wb", closefd=False) as stdout:  # a Path would begin at its start again
            stdout.write(data)
        return
    target = Path(os.path.realpath(path))  # a link stays one
    # In the same folder: a rename is atomic within one file system only. With the number of the process, as another run
    # may write the same file at the same time. Names have 255 bytes at most.
    part = target.with_name(f".{target.name[:60]}.{os.getpid()}")
    try:
        part.touch()
        with suppress(FileNotFoundError):  # there is none yet
            shutil.copymode(target, part)  # before anything is in it: it may be for no other user
        part.write_bytes(data)
        part.replace(target)
    except BaseException as error:
        with suppress(PermissionError):
            part.unlink(missing_ok=True)
        if not isinstance(error, OSError) or error.errno not in _IN_PLACE or not target.exists():
            raise
        target.write_bytes(data)


def _is_stdout(path: Path) -> bool:
    """Whether a shell has sent stdout into it: a new file in its place would be without all that is printed."""
    try:
        return os.path.samestat(path.stat(), os.fstat(1))
    except OSError:  # there is no such file, or stdout is closed
        return False
