"""Folders in which runs lie: on this machine, or in a store that is named by a URL. Files in them are read and written
alike, by names relative to the folder.

Example: two files, written into ``run`` by their names, which need no folder to be there::

    write("report.json", b"{}")        files()                         [("addresses/a.parquet", 3), ("report.json", 2)]
    write("addresses/a.parquet",       folders()                       ["addresses"]
          b"123")                      child("addresses").files()      [("a.parquet", 3)]

In a folder of this machine a file is written beside its place and renamed. In S3, GCS and Azure it appears when it is
closed, there are no folders to be made, and the modification time is in seconds: ETags tell versions apart.

URLs are reached by Arrow's file systems (HDFS by its libhdfs, which needs a Hadoop client), with the credentials of the
environment, as each store's own tools take them.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final, TypeVar, cast

import attrs
import pyarrow as pa
from pyarrow import fs

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.places import File, Stamp
from lakeproof.spark_checks.engine.troubles import describe_error
from lakeproof.words import Unusable

T = TypeVar("T")

_BLOCK: Final = 1 << 20
_STORES: Final = frozenset({"s3", "gcs", "abfs"})
"""Where a file appears when it is closed, so that nothing need be renamed."""
_PART: Final = ".part"
_PLAIN: Final = {"s3a": "s3", "s3n": "s3"}
"""Hadoop's names of what others call S3."""


@attrs.frozen
class Folder:
    """A folder, which need not be there. Names are relative to it, with "/". All methods raise Unusable, of one line,
    for what the file system refuses, and for a file to be read that is not there.

    ``path``: in the file system. ``where``: the path or URL as it is shown.
    """

    system: fs.FileSystem
    path: str
    where: str

    @property
    def name(self) -> str:
        """The last part of it."""
        return self.path.rpartition("/")[2]

    @property
    def _renames(self) -> bool:
        return self.system.type_name not in _STORES  # stores show an object when it is whole

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}" if name else self.path

    def make(self) -> None:
        """Make it, and those above it, where folders are made at all."""
        if self._renames:
            self._tried("made", lambda: self.system.create_dir(self.path, recursive=True))

    def child(self, name: str) -> "Folder":
        """A folder in it."""
        return Folder(self.system, self._at(name), f"{self.where}/{name}")

    def parent(self) -> "Folder":
        """The folder that it is in."""
        return Folder(self.system, self.path.rpartition("/")[0], self.where.rpartition("/")[0])

    def _kind(self, name: str) -> fs.FileType:
        found = self._tried("looked at", lambda: self.system.get_file_info(self._at(name)), name)
        return found.type

    def exists(self, name: str = "") -> bool:
        """Whether there is such a file or folder; without a name, whether the folder is there. In a store without
        folders, one is there if anything is in it."""
        return bool(self._kind(name) != fs.FileType.NotFound)

    def _list(self, under: str = "") -> list[tuple[str, fs.FileInfo]]:
        selector = fs.FileSelector(self._at(under), allow_not_found=True, recursive=True)
        found = self._tried("listed", lambda: self.system.get_file_info(selector), under)
        files = ((each.path.removeprefix(f"{self.path}/"), each) for each in found if each.type == fs.FileType.File)
        return sorted(files, key=lambda each: each[0])

    def files(self, under: str = "") -> list[tuple[str, int]]:
        """All files beneath it, or beneath a folder in it: name and bytes, sorted by name. None where nothing is."""
        return [(name, each.size) for name, each in self._list(under)]

    def stamped(self) -> list[File]:
        """All files beneath it, as they are now; sorted."""
        found = self._list()
        # A second listing, but only stores need it: their times are in seconds, and tell no two puts of a second apart.
        tags = _tags(self.where) if found and self.system.type_name in _STORES else {}
        return [
            File(name, f"{self.where}/{name}", Stamp(each.size, each.mtime_ns or 0, tags.get(name, "")))
            for name, each in found
        ]

    def folders(self) -> list[str]:
        """The names of the folders in it, sorted. None where nothing is."""
        selector = fs.FileSelector(self.path, allow_not_found=True)
        found = self._tried("listed", lambda: self.system.get_file_info(selector))
        return sorted(each.base_name for each in found if each.type == fs.FileType.Directory)

    def read(self, name: str) -> bytes:
        """All of a file."""
        with self.open(name) as file:
            return self._tried("read", file.read, name)

    def open(self, name: str) -> BinaryIO:
        """A file to be read, which can seek."""
        return cast("BinaryIO", self._tried("read", lambda: self.system.open_input_file(self._at(name)), name))

    def sha256(self, name: str) -> str:
        """Of a file, in hexadecimal digits."""
        with self.open(name) as file:
            return self._tried("read", lambda: hashlib.file_digest(file, "sha256").hexdigest(), name)  # type: ignore[arg-type]

    def write(self, name: str, data: bytes) -> None:
        """Write a file, or replace it: whole, or not at all."""
        target = self._at(name)

        def put() -> None:
            if not self._renames:
                self._send(data, target)
                return
            folder, _, last = target.rpartition("/")
            # In the same folder, so that the rename stays within one file system; hidden, so that engines pass over it.
            part = f"{folder}/.{last}{_PART}"
            self.system.create_dir(folder, recursive=True)
            try:
                self._send(data, part)
                self.system.move(part, target)
            except OSError:
                with suppress(OSError):  # the error of the write is worth more than that of the clean-up
                    self.system.delete_file(part)
                raise

        self._tried("written", put, name)

    def copy(self, name: str, file: BinaryIO) -> None:
        """Write a file of any size, or replace it. Part of it may be seen before it is whole."""

        def put() -> None:
            if self._renames:
                self.system.create_dir(self._at(name).rpartition("/")[0], recursive=True)
            # Written in place: each caller checks afterwards that all of it is there.
            with self.system.open_output_stream(self._at(name)) as stream:
                shutil.copyfileobj(file, stream, _BLOCK)

        self._tried("written", put, name)

    def _send(self, data: bytes, target: str) -> None:
        """In one piece: Arrow completes what it has of a stream that is dropped (apache/arrow, issue 40502)."""
        with self.system.open_output_stream(target) as stream:
            stream.write(data)

    def delete(self, name: str = "") -> None:
        """Delete a file, a folder with all that is in it, or the folder itself. What is not there is no error."""
        # Arrow deletes files and folders by two functions, and each of them refuses the other.
        kind = self._kind(name)
        if kind == fs.FileType.Directory:
            self._tried("deleted", lambda: self.system.delete_dir(self._at(name)), name)
        elif kind == fs.FileType.File:
            self._tried("deleted", lambda: self.system.delete_file(self._at(name)), name)

    def _tried(self, done: str, work: Callable[[], T], name: str = "") -> T:
        try:
            return work()
        except (pa.ArrowException, OSError) as error:
            # Arrow wraps the operating system's words in its own, with the path once more.
            why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
            raise refuse(f"{self.where}/{name}" if name else self.where, done, why) from None


def folder_at(where: str | Path) -> Folder:
    """The folder of a path or URL: s3:// or s3a://, gs://, abfss://, hdfs://, file:.

    The credentials come from the environment, the store's own configuration files, or the machine's identity. Options,
    an endpoint say, may follow a "?" (arrow.apache.org, "File Systems").

    Raises Unusable: no such file system is known, or it cannot be reached.
    """
    path = places.local(str(where))
    if path is not None:
        return Folder(fs.LocalFileSystem(), str(path.absolute()), str(path.absolute()))
    return of_url(str(where))


def of_url(url: str) -> Folder:
    """As `folder_at`, of a URL."""
    scheme, mark, rest = url.partition("://")
    arrow = _PLAIN.get(scheme, scheme)
    try:
        system, path = fs.FileSystem.from_uri(f"{arrow}{mark}{rest}")
    except (pa.ArrowException, OSError, ValueError) as error:
        why = " ".join(str(error).split())[:200]
        raise Unusable(
            f"{url}: is on no file system that can be reached ({why}); name s3://, gs://, abfss://, hdfs:// or a "
            "folder, and see that the environment has its credentials"
        ) from None
    # The query may hold options with credentials, and `where` is printed.
    return Folder(system, path.rstrip("/"), url.partition("?")[0].rstrip("/"))


def refuse(where: str, done: str, why: object) -> Unusable:
    """The one line."""
    reason = " ".join(str(why).split())[:200]
    return Unusable(f"{where}: cannot be {done} ({reason}); mend that, or name another folder")


def _tags(where: str) -> dict[str, str]:
    """The ETags of objects below a URL, which Arrow does not tell: their times are in seconds. Raises Unusable."""
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import from_url

    scheme, mark, rest = where.partition("://")
    try:
        store = from_url(f"{_PLAIN.get(scheme, scheme)}{mark}{rest}")
        # Paths are relative to the URL, as `_list` has them.
        return {str(each["path"]): each["e_tag"] or "" for some in obstore.list(store) for each in some}
    except (BaseError, OSError, ValueError) as error:
        raise refuse(where, "listed", describe_error(error)) from None


def is_there(where: str) -> bool:
    """Whether there is such a folder. Raises Unusable."""
    path = places.local(where)
    return of_url(where).exists() if path is None else path.is_dir()


_LONE: Final = re.compile("[\ud800-\udfff]")
"""What a byte of a name that is no UTF-8 becomes in Python."""


def files(where: str) -> list[File] | None:
    """All files beneath a folder, sorted; also what links lead to. None: there is no such folder.

    Raises Unusable, also for what is there and cannot be read: without it, all else would pass for the whole.
    """
    path = places.local(where)
    if path is None:
        folder = of_url(where)
        return folder.stamped() if folder.exists() else None
    if not path.is_dir():
        return None
    try:
        found = sorted(
            each
            for each in walk(path)
            if each.is_file() or each.is_symlink()  # of a link that leads nowhere, `stamp` is an error
        )
        for name in filter(_LONE.search, map(str, found)):
            raise Unusable(f"{name!a}: is no text in UTF-8, by which engines name their files; rename it")
        return [File(each.relative_to(path).as_posix(), str(each), places.stamp(each)) for each in found]
    except OSError as error:
        raise Unusable(
            f"{error.filename}: cannot be looked at ({error.strerror}); make it accessible, or run the command again "
            "when no process writes there"
        ) from None


def walk(folder: Path) -> Iterator[Path]:
    """What is beneath a folder of this machine and no folder, also what links lead to. Raises OSError."""
    for around, _, names in os.walk(folder, onerror=_refuse, followlinks=True):
        yield from map(Path(around).joinpath, names)


def _refuse(error: OSError) -> None:
    raise error


def delete(where: str) -> None:
    """Delete a folder, if it is there and can be deleted: what is left costs room, and nothing else."""
    try:
        folder_at(where).delete()
    except Unusable:
        return


def part(file: str, start: int, length: int) -> bytes:
    """So many bytes of a file, or as many as there are. Raises Unusable."""
    # A file in the root of the file system has an empty folder name.
    around, _, name = file.rpartition("/")
    with folder_at(around or "/").open(name) as here:
        try:
            here.seek(start)
            return here.read(length)
        except OSError as error:
            why = error.strerror or " ".join(str(error).split())[:160]
            raise Unusable(f"{file}: cannot be read ({why}); make it accessible, or bring it back") from None
