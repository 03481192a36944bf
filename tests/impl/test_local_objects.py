"""The object store in a folder: processes beside each other, the lock, cancelled tasks, and what is not its own."""

import fcntl
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import BinaryIO

import pytest
import trio

from lakeproof.impl.stores.local_objects import INCOMING, LOCK, OBJECTS, LocalObjectStore, NotAnObjectStore
from lakeproof.model import objects
from lakeproof.model.objects import Copy, ListObjects, Put, StoredObject
from tests.impl.local_folders import BEFORE, filled


def test_what_was_written_is_there_when_the_folder_is_opened_again(tmp_path: Path) -> None:
    trio.run(LocalObjectStore(tmp_path / "new" / "store", clock=lambda: 5).put, "a/b", b"1", (("n", "1"),))
    store = LocalObjectStore(str(tmp_path / "new" / "store"))
    assert store.contents() == {"a/b": StoredObject(b"1", (("n", "1"),), 1, 5)}


def test_deleting_leaves_no_folder_behind(tmp_path: Path) -> None:
    store = LocalObjectStore(tmp_path)
    for address in ("a/b/c", "a/b/d", "a"):
        trio.run(store.put, address, b"")
    for address in ("a/b/c", "a", "a/b/d", "x/y/z"):
        trio.run(store.delete, address)
    assert list((tmp_path / OBJECTS).iterdir()) == []


COUNT = """
import sys, trio
from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.impl.stores.object_store import ALL
from lakeproof.model import objects

async def retry(change):
    while True:
        try:
            return await change()
        except objects.PreconditionFailed:
            pass

async def main():
    store = LocalObjectStore(sys.argv[1], ALL, durable=False)

    async def content():
        found = await store.get("content")
        await store.put("content", str(int(found) + 1).encode(), if_match=objects.etag(found))

    async def metadata():
        head = await store.head("metadata")
        counted = (("n", str(int(head.metadata[0][1]) + 1)),)
        await store.set_metadata("metadata", counted, if_version=head.version)

    async def own(number):
        await store.put(f"{sys.argv[2]}/{number}", b"x" * number)
        if number % 2:
            await store.delete(f"{sys.argv[2]}/{number}")

    for number in range(20):
        await retry(content)
        await retry(metadata)
        await own(number)

trio.run(main)
"""


def test_several_processes_lose_no_update_and_remove_no_folder_under_another(tmp_path: Path) -> None:
    store = LocalObjectStore(tmp_path)
    trio.run(store.put, "content", b"0")
    trio.run(store.put, "metadata", b"", (("n", "0"),))
    # Two of them under one prefix: the one removes the folder that it leaves empty, the other makes it.
    command = [sys.executable, "-c", COUNT, str(tmp_path)]
    running = [subprocess.Popen([*command, name]) for name in ("p/1", "p/2", "q")]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    held = store.contents()
    assert held.pop("content").content == b"60"
    assert held.pop("metadata").metadata == (("n", "60"),)
    assert {address: len(found.content) for address, found in held.items()} == {
        f"{name}/{number}": number for name in ("p/1", "p/2", "q") for number in range(0, 20, 2)
    }


WRITE = """
import sys, trio
from lakeproof.impl.stores.local_objects import LocalObjectStore

async def main():
    store = LocalObjectStore(sys.argv[1], durable=False)
    for number in range(10**9):
        char = str(number % 10)
        await store.put("a/b", char.encode() * 3_000_000, (("char", char),))
        print(number, flush=True)

trio.run(main)
"""


def test_a_process_that_is_killed_leaves_whole_objects_and_no_lock(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(3):
        process.stdout.readline()
    process.kill()
    process.stdout.close()
    process.wait(60)
    store = LocalObjectStore(tmp_path, busy_seconds=0)
    [(address, found)] = store.contents().items()
    assert address == "a/b"
    assert found.content == found.metadata[0][1].encode() * 3_000_000
    trio.run(store.put, "a/b", b"next")
    assert store.contents()["a/b"].content == b"next"


def test_a_write_and_a_listing_wait_for_the_lock_and_a_read_does_not(tmp_path: Path) -> None:
    filled(tmp_path)
    store = LocalObjectStore(tmp_path, busy_seconds=0)
    with (tmp_path / LOCK).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for op in (Put("a", b""), ListObjects()):
            with pytest.raises(objects.Refused, match="locked for 0 s by another; try again"):
                trio.run(store.perform, op)
        assert trio.run(store.get, "a") == b"1"
    assert store.contents() == BEFORE


def test_a_child_process_that_was_forked_under_the_lock_does_not_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock_and_fork(file: BinaryIO, how: int) -> None:
        flock(file, how)
        inherited.append(os.dup(file.fileno()))  # what a fork would give to a child

    flock, inherited = fcntl.flock, list[int]()
    store = LocalObjectStore(tmp_path, busy_seconds=0)
    monkeypatch.setattr(fcntl, "flock", flock_and_fork)
    trio.run(store.put, "a", b"")
    trio.run(store.put, "a", b"")
    for file in inherited:
        os.close(file)


def test_a_task_that_is_cancelled_before_its_operation_has_not_done_it(tmp_path: Path) -> None:
    async def main() -> None:
        with trio.CancelScope() as scope:
            scope.cancel()
            await store.put("a", b"new")
        assert scope.cancelled_caught

    store = filled(tmp_path)
    trio.run(main)
    assert store.contents() == BEFORE


def test_a_task_that_is_cancelled_within_its_operation_does_it_to_its_end(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> int:
        begun.set()
        go_on.wait(60)
        return 7

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(store.put, "a", b"new")
            await trio.to_thread.run_sync(begun.wait)
            nursery.cancel_scope.cancel()
            threading.Timer(0.05, go_on.set).start()
        assert (tmp_path / OBJECTS / "a.o").exists()  # the task has waited for it
        assert store.contents() == {"a": StoredObject(b"new", last_modified=7)}

    store = LocalObjectStore(tmp_path, clock=slow)
    trio.run(main)


class TestWhatIsNotItsOwn:
    def test_a_leftover_is_no_object_and_may_be_removed(self, tmp_path: Path) -> None:
        store = filled(tmp_path)
        (tmp_path / INCOMING).write_bytes(b"half")
        assert LocalObjectStore(tmp_path).contents() == BEFORE
        (tmp_path / INCOMING).unlink()
        trio.run(store.delete, "a")
        trio.run(store.put, "a", b"1", (("n", "1"),))
        assert store.contents() == BEFORE

    def test_files_that_no_address_has_are_left_alone(self, tmp_path: Path) -> None:
        store = filled(tmp_path)
        (tmp_path / OBJECTS / "x.d" / "README").write_text("")
        trio.run(store.delete, "x/y")
        assert list(store.contents()) == ["a"]
        assert (tmp_path / OBJECTS / "x.d" / "README").exists()

    @pytest.mark.parametrize("damage", [b"", b"{}\n", b"1", b"[]", b'{"version": 1}\n', b"\xff\n"])
    def test_a_damaged_object_is_named_and_can_be_put_again_or_deleted(self, tmp_path: Path, damage: bytes) -> None:
        store = filled(tmp_path)
        path = tmp_path / OBJECTS / "a.o"
        for op in (objects.GetObject("a"), objects.HeadObject("a"), Copy("a", "b"), ListObjects()):
            path.write_bytes(damage)
            with pytest.raises(objects.Refused, match=r"a\.o: its first line is no header.*put the object again"):
                trio.run(store.perform, op)
        trio.run(store.put, "a", b"1", (("n", "1"),))
        assert store.contents() == BEFORE
        path.write_bytes(damage)
        trio.run(store.delete, "a")
        assert list(store.contents()) == ["x/y"]

    def test_a_content_that_was_cut_or_changed_is_not_told(self, tmp_path: Path) -> None:
        store = filled(tmp_path)
        path = tmp_path / OBJECTS / "a.o"
        whole = path.read_bytes()
        for damage in (whole[:-1], whole[:-1] + b"2", whole + b"1"):
            path.write_bytes(damage)
            with pytest.raises(objects.Refused, match="of content are not the 1 that were written"):
                trio.run(store.get, "a")

    def test_a_folder_that_was_taken_away_is_refused(self, tmp_path: Path) -> None:
        store = filled(tmp_path / "store")
        (tmp_path / "store").rename(tmp_path / "elsewhere")
        with pytest.raises(objects.Refused, match="No such file"):
            trio.run(store.put, "a", b"")
        assert not (tmp_path / "store").exists()

    def test_a_lock_that_was_taken_away_is_not_made_anew_under_those_who_hold_it(self, tmp_path: Path) -> None:
        store = filled(tmp_path)
        (tmp_path / LOCK).unlink()
        with pytest.raises(objects.Refused, match="No such file"):
            trio.run(store.put, "a", b"")
        assert filled(tmp_path).contents() == BEFORE  # opened again, it has one

    def test_a_folder_of_something_else_is_named_and_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "objects").mkdir()
        (tmp_path / "HEAD").write_text("ref")
        with pytest.raises(NotAnObjectStore, match="holds 'HEAD'; name a folder that is new, empty"):
            LocalObjectStore(tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["HEAD", "objects"]

    def test_a_file_is_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for path in (tmp_path / "file", tmp_path / "file" / "below"):
            with pytest.raises(NotAnObjectStore, match="cannot be opened"):
                LocalObjectStore(path)
