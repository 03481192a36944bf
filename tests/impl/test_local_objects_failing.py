"""The object store in a folder: processes that die at any step, disks that are full or broken."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import ParamSpec, TypeVar

import pytest
import trio

from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.impl.stores.object_store import ALL
from lakeproof.model import objects
from lakeproof.model.objects import Copy, DeleteObject, Put, SetMetadata, StoredObject
from tests.impl.local_folders import BEFORE, filled
from tests.impl.object_contract.answers import reply_of

P = ParamSpec("P")
T = TypeVar("T")

WRITES = [
    Put("a", b"new"),
    Put("x/z/new", b"new", (("n", "2"),)),
    Copy("a", "b/c"),
    Copy("a", "a", (("n", "2"),)),
    SetMetadata("a", (("n", "2"),)),
    DeleteObject("a"),
    DeleteObject("x/y"),
]


class Died(BaseException):
    """The process ended here."""


class Calls:
    """Makes one of the calls to the system fail, before or after it is made. The disk is not waited for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int = -1, error: BaseException | None = None) -> None:
        self.made: list[str] = []
        self.late = False
        self._at = at
        self._error = error
        monkeypatch.setattr(os, "fsync", lambda file: None)
        for module, name in ((os, "fsync"), (Path, "replace"), (Path, "mkdir"), (Path, "unlink"), (Path, "rmdir")):
            monkeypatch.setattr(module, name, self._watched(name, getattr(module, name)))

    def _watched(self, name: str, real: Callable[P, T]) -> Callable[P, T]:
        def call(*args: P.args, **options: P.kwargs) -> T:
            fails = self._error is not None and len(self.made) == self._at
            self.made.append(name)
            if fails and self._error is not None and not self.late:
                raise self._error
            done = real(*args, **options)
            if fails and self._error is not None:
                raise self._error
            return done

        return call


@pytest.mark.parametrize("op", WRITES, ids=str)
@pytest.mark.parametrize("late", [False, True])
def test_a_process_that_dies_at_any_step_leaves_the_old_objects_or_the_new(
    op: objects.Op, late: bool, tmp_path: Path
) -> None:
    after, _ = objects.step(BEFORE, op)
    deaths = 0
    for at in count():
        store = filled(tmp_path / str(at))
        with pytest.MonkeyPatch.context() as patch:
            calls = Calls(patch, at, Died())
            calls.late = late
            try:
                store._apply(op)
            except Died:
                deaths += 1
            else:
                assert store.contents() == after
                break
        again = LocalObjectStore(tmp_path / str(at), ALL, clock=lambda: 0)
        assert again.contents() in (BEFORE, after)
        again._apply(DeleteObject("a"))  # nothing that was left stands in the way
        again._apply(Put("x/z/new", b""))
        assert again.contents()["x/z/new"] == StoredObject(b"")
    assert deaths >= 2


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (Put("a", b""), ["fsync", "replace", "fsync"]),
        (Put("x/z/w", b""), ["fsync", "mkdir", "fsync", "replace", "fsync"]),
        (DeleteObject("a"), ["unlink", "fsync"]),
        (DeleteObject("x/y"), ["unlink", "rmdir", "fsync"]),
    ],
    ids=str,
)
def test_a_file_and_its_name_are_on_the_disk_before_a_write_is_answered(
    op: objects.Op, expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled(tmp_path)
    calls = Calls(monkeypatch)
    store._apply(op)
    assert calls.made == expected
    calls.made.clear()
    filled(tmp_path / "without waiting")
    assert "fsync" not in calls.made[2:]  # those of the new folder


SURE, UNSURE = objects.Refused, objects.OutcomeUnknown


@pytest.mark.parametrize(
    ("op", "code", "expected"),
    [
        (Put("x/z/w", b""), errno.ENOSPC, [SURE, SURE, SURE, SURE, UNSURE]),
        (Put("x/z/w", b""), errno.EACCES, [SURE, SURE, SURE, SURE, UNSURE]),
        (Put("x/z/w", b""), errno.EIO, [SURE, SURE, SURE, UNSURE, UNSURE]),
        (SetMetadata("a", ()), errno.EIO, [SURE, UNSURE, UNSURE]),
        (DeleteObject("x/y"), errno.EACCES, [SURE, type(None), UNSURE]),
        (DeleteObject("x/y"), errno.EIO, [UNSURE, type(None), UNSURE]),
    ],
    ids=str,
)
def test_what_fails_before_the_rename_is_refused_and_from_there_on_in_doubt(
    op: objects.Op, code: int, expected: list[type], tmp_path: Path
) -> None:
    found = []
    for at in range(len(expected)):
        store = filled(tmp_path / str(at))
        with pytest.MonkeyPatch.context() as patch:
            Calls(patch, at, OSError(code, os.strerror(code)))
            reply = trio.run(reply_of, store, op)
        found.append(type(reply))
        if isinstance(reply, objects.Refused):
            assert store.contents() == BEFORE
        if isinstance(reply, objects.ObjectError):
            assert os.strerror(code) in str(reply)
    assert found == expected


FILL = """
import resource, sys, trio
from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.model import objects

store = LocalObjectStore(sys.argv[1])
trio.run(store.put, "a", b"1")
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    trio.run(store.put, "a", b"2" * 100_000)
except objects.Refused as error:
    print(error)
trio.run(store.put, "b", b"3")
"""


def test_a_file_that_cannot_be_written_to_its_end_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FILL, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "File too large" in done.stdout
    held = LocalObjectStore(tmp_path).contents()
    assert {address: found.content for address, found in held.items()} == {"a": b"1", "b": b"3"}
