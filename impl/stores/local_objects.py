"""An object store in a folder: many tasks, many processes, one machine.

Each object is one file, which holds content and metadata. A write makes a file beside the objects and renames it onto
its place: whoever reads, reads the one or the other, whole. Writes and listings are done one at a time, under a lock of
the folder's; reads need none. Source: https://www.man7.org/linux/man-pages/man2/rename.2.html and /flock.2.html.
"""

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, assert_never

import trio

from lakeproof.impl.stores._object_files import (
    AddressTooLong,
    Damaged,
    Header,
    header_line,
    parse,
    parse_header,
    path_of,
    piece_of,
)
from lakeproof.impl.stores.object_store import S3_LIKE, Answer, Capabilities, Clock, ObjectStore
from lakeproof.model import objects

BUSY_SECONDS: Final = 10.0
"""How long to wait for another process that is writing, before an operation is refused."""

LOCK, INCOMING, OBJECTS = "lock", "incoming", "objects"
"""All that is in the folder: the lock; the file that is being written, or was when a process died; the objects."""

_Read = objects.GetObject | objects.HeadObject | objects.ListObjects
_Write = objects.Put | objects.Copy | objects.SetMetadata | objects.DeleteObject


class NotAnObjectStore(ValueError):
    """The folder cannot be made, or holds something else."""


class LocalObjectStore(ObjectStore):
    """A store in a folder that is made if it is not there. It holds no file open between operations.

    capabilities: which conditions it accepts; it could do all.
    clock: the store's own; by default the machine's.
    durable: wait for the disk at every write. Without it a power cut may undo the last writes, or damage their objects,
        which a read then refuses; a process that is killed loses nothing and leaves nothing half.
    busy_seconds: how long an operation waits for other processes before it is refused.

    An address has at most `_object_files.ADDRESS_BYTES` bytes in UTF-8; a longer one is refused.

    Raises:
        NotAnObjectStore.
    Cost: one hand-over to a thread for each operation; a write of metadata reads and writes the content, too. A page
    reads the names in those folders where its addresses may be (a folder for each "/"), and the first line of each file
    that it tells.
    """

    def __init__(
        self,
        folder: Path | str,
        capabilities: Capabilities = S3_LIKE,
        *,
        clock: Clock = lambda: time.time_ns() // 1000,
        durable: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.folder = Path(folder)
        self.capabilities = capabilities
        self._objects = self.folder / OBJECTS
        self._clock = clock
        self._durable = durable
        self._busy_seconds = busy_seconds
        self._one_at_a_time = trio.CapacityLimiter(1)
        try:
            self._open()
        except OSError as error:
            raise NotAnObjectStore(f"{self.folder}: cannot be opened: {error}; name a folder that can be") from error

    def _open(self) -> None:
        found = {path.name for path in self.folder.iterdir()} if self.folder.exists() else set[str]()
        strangers = found - {LOCK, INCOMING, OBJECTS}
        if strangers and not {LOCK, OBJECTS} <= found:
            expected = "a folder that is new, empty or an object store"
            raise NotAnObjectStore(f"{self.folder}: holds {min(strangers)!r}; name {expected}")
        self._make_folder(self._objects)
        if LOCK not in found:  # else the folder may be one that can only be read
            (self.folder / LOCK).touch()

    def contents(self) -> dict[str, objects.StoredObject]:
        """All that it holds, in order. Blocks; memory: all of it."""
        with self._locked():
            found = ((address, self._read(path)) for address, path in self._walk("", None))
            return {address: held for address, held in found if held is not None}

    async def apply(self, op: objects.Op) -> Answer:
        # A task that is cancelled before its thread begins has not done it; from then on it is done to its end.
        if isinstance(op, objects.GetObject | objects.HeadObject):
            return await trio.to_thread.run_sync(self._apply, op)
        return await trio.to_thread.run_sync(self._apply, op, limiter=self._one_at_a_time)

    def _apply(self, op: objects.Op) -> Answer:
        try:
            match op:
                case objects.GetObject() | objects.HeadObject() | objects.ListObjects():
                    return self._answer(op)
                case objects.Put() | objects.Copy() | objects.SetMetadata() | objects.DeleteObject():
                    with self._locked():
                        self._write(op)
                        return None
                case _:
                    assert_never(op)
        except (OSError, AddressTooLong, Damaged) as error:
            raise objects.Refused(f"{type(op).__name__} in {self.folder}: {error}") from error

    def _answer(self, op: _Read) -> Answer:
        match op:
            case objects.GetObject(address):
                found = self._read(self._path(address))
                if found is None:
                    raise objects.ObjectNotFound
                return found.content
            case objects.HeadObject(address):
                header = self._header(self._path(address))
                if header is None:
                    raise objects.ObjectNotFound
                return header.head(address)
            case objects.ListObjects(prefix, after, page_size):
                with self._locked():
                    return self._page(prefix, after, page_size)
            case _:
                assert_never(op)

    def _write(self, op: _Write) -> None:
        """What the specification says. Only what the operation depends on is read: a damaged object can be deleted, and
        put again."""
        if isinstance(op, objects.DeleteObject):
            self._remove(self._path(op.address))
            return
        source, target = (op.source, op.destination) if isinstance(op, objects.Copy) else (op.address, op.address)
        path = self._path(target)
        blind = isinstance(op, objects.Put) and not objects.conditional(op)
        found = None if blind else self._read(self._path(source))
        after, reply = objects.step({} if found is None else {source: found}, op, self._clock())
        if isinstance(reply, objects.ObjectError):
            raise reply
        self._replace(path, after[target])

    def _path(self, address: str) -> Path:
        return self._objects / path_of(address)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep all other writers out, in this process and in others; a process that dies lets go."""
        deadline = time.monotonic() + self._busy_seconds
        with (self.folder / LOCK).open("rb") as file:
            pause = 0.0005
            while not _lock(file):
                if time.monotonic() >= deadline:
                    raise objects.Refused(f"{self.folder}: locked for {self._busy_seconds} s by another; try again")
                time.sleep(pause)
                pause = min(2 * pause, 0.01)
            try:
                yield
            finally:
                # Not just closed: a child process that was forked meanwhile has this file open, too.
                fcntl.flock(file, fcntl.LOCK_UN)

    def _read(self, path: Path) -> objects.StoredObject | None:
        with _opened(path) as file:
            return None if file is None else parse(file.readline(), file.read())

    def _header(self, path: Path) -> Header | None:
        with _opened(path) as file:
            return None if file is None else parse_header(file.readline())

    def _replace(self, path: Path, new: objects.StoredObject) -> None:
        """Let a file hold an object. What another process left of a file when it died is written over."""
        with (self.folder / INCOMING).open("wb") as file:
            file.write(header_line(new))
            file.write(new.content)
            file.flush()
            if self._durable:
                os.fsync(file.fileno())
        self._make_folder(path.parent)
        try:
            (self.folder / INCOMING).replace(path)
        except OSError as error:
            raise self._in_doubt(error) from error
        self._settle_written(path.parent)

    def _remove(self, path: Path) -> None:
        """Remove a file that may be there, and the folders that it leaves empty."""
        try:
            path.unlink()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise self._in_doubt(error) from error
        folder = path.parent
        while folder != self._objects:
            try:
                folder.rmdir()
            except FileNotFoundError:
                pass
            except OSError:  # it is not empty, or may stay
                break
            folder = folder.parent
        self._settle_written(folder)

    def _make_folder(self, folder: Path) -> None:
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            self._settle(each.parent)

    def _in_doubt(self, error: OSError) -> Exception:
        """What to raise for a rename or an unlink that failed. POSIX: it has changed nothing, unless it says EIO."""
        return objects.OutcomeUnknown(f"{self.folder}: {error}") if error.errno == errno.EIO else error

    def _settle_written(self, folder: Path) -> None:
        try:
            self._settle(folder)
        except OSError as error:  # it is done, but may not last
            raise objects.OutcomeUnknown(f"{self.folder}: {error}") from error

    def _settle(self, folder: Path) -> None:
        """Wait until the disk knows which names are in a folder."""
        if not self._durable:
            return
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def _page(self, prefix: str, after: str, page_size: int) -> objects.Page:
        found = self._walk(prefix, after)
        heads = []
        for address, path in islice(found, page_size or None):
            header = self._header(path)
            if header is not None:
                heads.append(objects.Head(address, header.size_bytes, header.etag, header.last_modified))
        return objects.Page(tuple(heads), more=next(found, None) is not None)

    def _walk(self, prefix: str, after: str | None) -> Iterator[tuple[str, Path]]:
        """Addresses with ``prefix`` that come after ``after`` (None: all), in order, and their files."""
        todo = [("", True, self._objects)]  # the next one last
        while todo:
            start, is_folder, path = todo.pop()
            if not is_folder:
                yield start, path
                continue
            inside = []
            for each in path.iterdir():
                piece = piece_of(each.name)
                if piece is not None and _is_wanted(start + piece[0], piece[1], prefix, after):
                    inside.append((start + piece[0], piece[1], each))
            todo += sorted(inside, reverse=True)


def _is_wanted(start: str, is_folder: bool, prefix: str, after: str | None) -> bool:
    """Whether a listing tells of an object, or may tell of one in a folder whose addresses begin with ``start``."""
    if not (start.startswith(prefix) or (is_folder and prefix.startswith(start))):
        return False
    return after is None or start > after or (is_folder and after.startswith(start))


def _lock(file: BinaryIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO | None]:
    """A file to read; None if it is not there. What is wrong in it is said with its name."""
    try:
        file = path.open("rb")
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    with file:
        try:
            yield file
        except Damaged as error:
            raise Damaged(f"{path}: {error}; put the object again or delete the file") from error
