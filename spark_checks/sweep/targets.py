"""Where objects are deleted: what a sweep asks of a store, and the files of this machine.

A target makes names of addresses itself. Each object is answered for by itself, and in order.
"""

import os
import stat
import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Final, Protocol

import attrs

from lakeproof.spark_checks.sweep.journal import DELETED, GONE, PUT_AGAIN, End, Entry
from lakeproof.spark_checks.sweep.second_look import MICROSECOND, Found
from lakeproof.words import Unusable

WIDEST: Final = 200
"""Characters of a store's own words."""
_FOLDERS: Final = 10_000
"""Folders of which is remembered whether they lead out of the tree."""


class Elsewhere(Exception):
    """The address lies in no part of the store that was named."""


class Unnameable(Exception):
    """The store can have no object of this name, or would take it for the name of another one."""


@attrs.frozen
class Trouble:
    """The store did not say whether the object is there."""

    why: str


Look = Found | Trouble | None
"""None: there is no such object."""


class Target(Protocol):
    """A store. ``unit``: of the times that it tells, in microseconds."""

    unit: int

    def name(self, address: str) -> str:
        """What the store calls it. Raises Elsewhere, Unnameable."""

    def look(self, names: Sequence[str]) -> list[Look]:
        """Raises Unusable: the store cannot be reached, or looks are forbidden."""

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        """Delete objects, at most `marks.BATCH` of them, each as it was found and no other, as far as the store has
        such a condition."""


class Pace:
    """At most so many requests a second, of all threads together, spread evenly. None: as many as there are."""

    def __init__(
        self,
        rate: float | None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._interval = 0.0 if rate is None else 1 / rate  # seconds
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._next = clock()

    def wait(self) -> None:
        """Until the next request may go."""
        if not self._interval:
            return
        with self._lock:
            now = self._clock()
            at = max(now, self._next)
            # The turn is taken under the lock and waited for outside of it: no thread waits for another one's sleep.
            self._next = at + self._interval
        if at > now:
            self._sleep(at - now)


def beneath(base: str, address: str) -> str:
    """The rest of an address in a folder that a URL names. Raises Elsewhere."""
    # With the slash: s3://bucket/r is not the beginning of s3://bucket/r2/x.
    if not address.startswith(f"{base}/"):
        raise Elsewhere
    return address[len(base) + 1 :]


class FileTree:
    """Objects as plain files: ``s3://bucket/r/data/x`` is ``bucket/r/data/x`` in a folder."""

    unit = MICROSECOND

    def __init__(self, folder: Path, pace: Pace) -> None:
        if not folder.is_dir():
            raise Unusable(f"{folder}: is no folder; name the one with the objects with --objects")
        self._folder = folder.resolve()
        self._pace = pace
        self._inside = lru_cache(_FOLDERS)(self._leads_inside)  # objects of one folder come together, mostly

    def name(self, address: str) -> str:
        scheme, _, rest = address.partition("://")
        relative = address if "/" in scheme or not rest else rest  # a namespace may have no scheme
        # The file system would take a//b and a/./b for a/b: another object's file.
        if "\0" in relative or any(part in {"", ".", ".."} for part in relative.split("/")):
            raise Unnameable
        if not self._inside(relative.rpartition("/")[0]):  # a link in it leads elsewhere
            raise Unnameable
        return relative

    def _leads_inside(self, folder: str) -> bool:
        try:
            # Only folders are resolved. A link in the place of the object itself is no plain file, and stays.
            return (self._folder / folder).resolve().is_relative_to(self._folder)
        except (OSError, RuntimeError, UnicodeError):
            return False

    def look(self, names: Sequence[str]) -> list[Look]:
        return [self._look(name) for name in names]

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        return [self._delete(name, found) for name, found in there]

    def _look(self, name: str) -> Look:
        self._pace.wait()
        try:
            # Not `stat`: the target of a link is no object of this tree.
            found = os.lstat(f"{self._folder}/{name}")
        except (FileNotFoundError, NotADirectoryError):  # a file where the path has a folder
            return None
        except OSError as error:
            return Trouble(error.strerror or str(error))
        if stat.S_ISDIR(found.st_mode):
            return None  # objects have no folders
        if not stat.S_ISREG(found.st_mode):
            return Trouble("is no plain file")
        return Found(found.st_size, found.st_mtime_ns // 1000)

    def _delete(self, name: str, found: Found) -> Entry:
        now = self._look(name)
        # A file system deletes without a condition, so the last look comes right before.
        if now != found:
            return GONE if now is None else PUT_AGAIN
        try:
            (self._folder / name).unlink()
        except FileNotFoundError:
            return GONE
        except OSError as error:
            return Entry(End.FAILED, error.strerror or str(error))
        return DELETED
