"""Files that are there whole, or as they were before."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a file, in UTF-8. No reader sees half of it, and what was there before stays if the disk is full.

    Raises OSError.
    """
    # Lone surrogates, of a flow's texts or of a path, have no UTF-8.
    data = text.encode(errors="backslashreplace")
    if path.exists() and not path.is_file():  # /dev/stdout, or a pipe of the shell
        path.write_bytes(data)
        return
    target = Path(os.path.realpath(path))  # a link stays one
    # In the same folder: a rename is atomic within one file system only. With the number of the process, as another run
    # may write the same file at the same time. Names have 255 bytes at most.
    part = target.with_name(f".{target.name[:60]}.{os.getpid()}")
    try:
        part.write_bytes(data)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
