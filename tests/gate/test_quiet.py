"""A process is quiet when all its threads sleep, and only then."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import trio
import trio.testing

from lakeproof.gate import quiet
from lakeproof.gate.arrivals import Arrivals
from lakeproof.gate.fronts.aws import Store
from lakeproof.gate.fronts.http import listening
from lakeproof.gate.programs import ClientProcess
from lakeproof.gate.quiet import Watch
from lakeproof.gate.redis_connections import Speaker
from lakeproof.gate.server import NORMAL, Gate
from lakeproof.gate.unheld import PassingFront

pytestmark = pytest.mark.skipif(not quiet.CAN_SEE, reason="threads are seen on Linux only")

HEAD = """import sys, threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print(flush=True)"""
REQUEST = b"GET /b/k HTTP/1.1\r\nHost: b\r\nAuthorization: AWS4 Credential=c1/x\r\n\r\n"
PUT = b"PUT /b/k HTTP/1.1\r\nHost: b\r\nAuthorization: AWS4 Credential=c1/x\r\nContent-Length: 3\r\n\r\nabc"
COMMAND = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3\r\nabc\r\n"


@contextmanager
def begun(program: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of two threads, one of which sleeps for ever, once it has said that it is there."""
    code = f"{HEAD}\n{program}"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        started.stdout.read(1)
        try:
            yield started
        finally:
            started.kill()


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    made.close()


def settled(watch: Watch, pid: int) -> Mapping[int, int]:
    """What two looks have seen, one after the other: a thread is shown asleep before it has left its core."""
    for _ in range(1_000_000):
        first = watch.asleep([pid])
        if first is not None and first == watch.asleep([pid]):
            return first
    raise AssertionError("it never looked the same twice")


def test_a_process_that_sleeps_looks_the_same_and_one_that_has_run_meanwhile_does_not(watch: Watch) -> None:
    with begun("for line in sys.stdin: print(flush=True)") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        before = settled(watch, process.pid)
        assert len(watch._threads) == 2
        assert settled(watch, process.pid) == before
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.read(1)
        assert settled(watch, process.pid) != before


STARTED = '''
import ctypes, os
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
if not os.fork():
    print(flush=True)
    sys.stdin.read(1)
    own = os.getpid()
    if {leaves} and os.fork():
        os._exit(0)
    while {leaves} and os.getppid() == own:
        pass
    print(flush=True)
    while True:
        pass
time.sleep(600)
'''


@pytest.mark.parametrize("leaves", [False, True])
def test_a_process_is_awake_while_one_that_it_has_started_runs_or_one_that_this_one_leaves(
    watch: Watch, leaves: bool
) -> None:
    with begun(STARTED.format(leaves=leaves)) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.read(1)
        settled(watch, process.pid)
        process.stdin.write(b"!")
        process.stdin.flush()
        process.stdout.read(1)
        try:
            assert [watch.asleep([process.pid]) for _ in range(20)] == [None] * 20
        finally:
            quiet.kill_all(process.pid)


def test_a_process_that_is_gone_sleeps(watch: Watch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert watch.asleep([ended.pid]) == {ended.pid: -1}
    assert watch.asleep([os.getpid()]) is None
    assert watch.asleep([os.getpid()]) is None, "the process that looks is awake"


def test_no_file_stays_open_of_threads_that_have_ended(watch: Watch) -> None:
    with begun("sys.stdin.read()") as process:
        watch.asleep([process.pid])
        assert opened_of(process.pid)
        process.kill()
        process.wait()
    watch.asleep([process.pid])
    assert opened_of(process.pid) == []


def opened_of(pid: int) -> list[str]:
    """The files of a process's threads that are open here. No others are looked at: they come and go."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # that of the folder itself
            found.append(str(each.readlink()))
    return [each for each in found if each.startswith(f"/proc/{pid}/")]


class TestOneLook:
    """At two threads, whose files of /proc are files here."""

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """What the clock of the process says, one after the other; then 11 for ever."""
        said: list[int] = []
        monkeypatch.setattr(quiet, "ran", lambda pid: said.pop(0) if said else 11)
        monkeypatch.setattr(quiet, "list_children", lambda pid, tasks: frozenset())
        return said

    @pytest.fixture
    def threads(self, watch: Watch, clock: list[int], tmp_path: Path) -> list[Path]:
        """Two threads that the watch knows to sleep."""
        made = [tmp_path / str(task) for task in (1, 2)]
        for each in made:
            each.write_text(f"{each.name} (a ) R name) S 1 1")
            watch._threads[1, each.name] = os.open(each, os.O_RDONLY)
        watch._listed[1] = 11
        assert watch.asleep([1]) == {1: 11}
        return made

    @pytest.mark.parametrize("woken", [0, 1])
    @pytest.mark.parametrize("state", ["R", "D"])
    def test_a_thread_that_was_woken_and_still_waits_for_a_core_or_a_disk_is_awake(
        self, watch: Watch, threads: list[Path], woken: int, state: str
    ) -> None:
        threads[woken].write_text(f"1 (n) {state} 1")
        assert watch.asleep([1]) is watch.asleep([1]) is None
        threads[woken].write_text("1 (n) S 1")
        assert watch.asleep([1]) == {1: 11}

    def test_a_thread_that_ran_while_the_others_were_looked_at_may_have_woken_one(
        self, watch: Watch, threads: list[Path], clock: list[int]
    ) -> None:
        clock += [11, 12]
        assert watch.asleep([1]) is None

    def test_a_process_that_has_run_is_asked_for_its_threads_again(
        self, watch: Watch, threads: list[Path], clock: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []

        def listed(folder: str) -> list[str]:
            asked.append(folder)
            return ["1", "2"]

        monkeypatch.setattr(os, "listdir", listed)
        watch.asleep([1])
        assert asked == []
        clock += [12, 12]
        assert watch.asleep([1]) == {1: 12}
        assert asked == ["/proc/1/task"]

    def test_a_thread_that_cannot_be_read_has_ended_and_the_look_says_nothing(
        self, watch: Watch, threads: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def gone(*_: object) -> bytes:
            raise ProcessLookupError

        with monkeypatch.context() as patched:
            patched.setattr(os, "pread", gone)
            assert watch.asleep([1]) is None
        monkeypatch.setattr(os, "listdir", lambda folder: ["2"])
        assert watch.asleep([1]) == {1: 11}


def test_the_clock_of_a_process_counts_threads_that_have_ended() -> None:
    spins = "while time.thread_time() < 0.2: pass"
    code = f"thread = threading.Thread(target=exec, args=({spins!r}, globals()))\nthread.start()\nthread.join()"
    with begun(f"{code}\nprint(flush=True)\nsys.stdin.read()") as one:
        assert one.stdout is not None
        one.stdout.read(1)
        assert quiet.ran(one.pid) > 200_000_000
    assert quiet.ran(one.pid) == -1


class TestWhatWasSent:
    """It is at each moment unread, or being read, or held: so no look at a program that sleeps can miss it."""

    def arrive(self, gate: Gate) -> None:
        """Until what was sent is there: a busy kernel may take a moment. Nobody reads meanwhile."""
        until = time.monotonic() + 60
        while not gate.server.arrivals.unread():
            assert time.monotonic() < until

    async def at_rest(self, gate: Gate) -> None:
        while gate.server.arrivals.unread() or gate.server.busy:
            await trio.lowlevel.cancel_shielded_checkpoint()

    async def held_after(self, gate: Gate, pieces: list[bytes], connection: socket.socket) -> int:
        """How many requests are held at the first moment at which a look could find the store at rest."""
        before = sum(gate.counts.values())
        for piece in pieces[:-1]:
            connection.sendall(piece)
            self.arrive(gate)
            await trio.testing.wait_all_tasks_blocked()
            assert gate.server.busy, "a part of a request"
            assert sum(gate.counts.values()) == before
        connection.sendall(pieces[-1])
        self.arrive(gate)
        await self.at_rest(gate)
        return sum(gate.counts.values()) - before

    @pytest.mark.parametrize(
        ("redis", "pieces"),
        [
            (False, [REQUEST]),
            (False, [REQUEST[:20], REQUEST[20:]]),
            (False, [PUT[:-1], PUT[-1:]]),
            (True, [COMMAND]),
            *((True, [COMMAND[:cut], COMMAND[cut:]]) for cut in (1, 20, len(COMMAND) - 1)),
        ],
    )
    def test_a_request_is_held_once_nothing_is_unread_and_no_connection_is_busy(
        self, redis: bool, pieces: list[bytes]
    ) -> None:
        async def sends() -> None:
            gate = Gate(PassingFront((), "reader"), Store(), lambda: 0)
            gate.hold(frozenset({"c1"}))
            listener = listening(0)
            served = (listener, Speaker(gate).talk if redis else gate.server.talk)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(gate.server.serve, served)
                await trio.testing.wait_all_tasks_blocked()
                with socket.create_connection(listener.getsockname()) as connection:
                    self.arrive(gate)  # a connection waits to be accepted
                    if redis:
                        connection.sendall(b"*3\r\n$4\r\nAUTH\r\n$2\r\nc1\r\n$1\r\nx\r\n")
                        self.arrive(gate)
                        await self.at_rest(gate)
                        assert connection.recv(5) == b"+OK\r\n"
                    assert await self.held_after(gate, pieces, connection) == 1
                    connection.sendall(COMMAND if redis else REQUEST)
                    await trio.testing.wait_all_tasks_blocked()
                    assert not gate.server.arrivals.unread(), "what follows a request that is held is for later"
                    gate.settle()
                    await gate.let_go(next(iter(gate.pending)), NORMAL)
                    await self.at_rest(gate)
                    assert gate.counts["c1"] == 2
                    nursery.cancel_scope.cancel()

        trio.run(sends)

    def test_what_a_call_returns_is_unread_until_it_has_returned(self, tmp_path: Path) -> None:
        file, leave = tmp_path / "calls.py", tmp_path / "leave"
        waits = f"while not os.path.exists({str(leave)!r}): time.sleep(0.001)"
        file.write_text(f"import os, time\ndef one():\n    {waits}\n    return 1")

        async def calls() -> None:
            arrivals = Arrivals()
            child = ClientProcess(file, {}, arrivals)
            await child.start()
            told: list[object] = []

            async def call() -> None:
                told.append((await child.call("one", ())).value)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(call)
                await trio.testing.wait_all_tasks_blocked()
                assert not arrivals.unread()
                leave.touch()
                until = time.monotonic() + 60
                while not arrivals.unread():
                    assert time.monotonic() < until
                while arrivals.unread():
                    assert not told
                    await trio.lowlevel.cancel_shielded_checkpoint()
                assert told == [1]
            await child.kill()

        trio.run(calls)
