"""A process is quiet when all its threads sleep, and only then."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
import trio
import trio.testing

from lakeproof.gate import quiet
from lakeproof.gate.aws import Asked, Store
from lakeproof.gate.holding import Gate
from lakeproof.gate.passing import PassingFront
from lakeproof.gate.quiet import Watch
from lakeproof.gate.running import PASSES
from lakeproof.gate.s3.state import State

pytestmark = pytest.mark.skipif(not quiet.CAN_SEE, reason="threads are seen on Linux only")

SLEEPS = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); time.sleep(60)"
SPINS = "import threading, time; threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nwhile True: pass"
WAKES = "import time\nwhile True: time.sleep(0.001)"


@pytest.fixture
def process(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", request.param]) as started:
        time.sleep(0.5)
        yield started
        started.kill()


@pytest.fixture
def watch() -> Iterator[Watch]:
    made = Watch()
    yield made
    made.close()


def looks(watch: Watch, pid: int, seconds: float) -> list[object]:
    end = time.monotonic() + seconds
    found: list[object] = []
    while time.monotonic() < end:
        found.append(watch.asleep([pid]))
        time.sleep(0.01)
    return found


@pytest.mark.parametrize("slices", [True, False])
@pytest.mark.parametrize("process", [SLEEPS], indirect=True)
def test_a_process_that_sleeps_looks_the_same_twice(
    watch: Watch, process: subprocess.Popen[bytes], slices: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "COUNTS_SLICES", slices and quiet.COUNTS_SLICES)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        first = watch.asleep([process.pid])
        time.sleep(0.2)
        if first is not None and len(first) == 2 and first == watch.asleep([process.pid]):
            return
    pytest.fail("it never looked the same twice")


@pytest.mark.parametrize("process", [SPINS], indirect=True)
def test_a_process_one_of_whose_threads_runs_is_not_asleep(watch: Watch, process: subprocess.Popen[bytes]) -> None:
    assert None in looks(watch, process.pid, 0.2)


@pytest.mark.parametrize("slices", [True, False])
@pytest.mark.parametrize("process", [WAKES], indirect=True)
def test_a_thread_that_wakes_between_two_looks_is_noticed(
    watch: Watch, process: subprocess.Popen[bytes], slices: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "COUNTS_SLICES", slices and quiet.COUNTS_SLICES)
    seen = looks(watch, process.pid, 2)
    assert not any(one is not None and one == other for one, other in pairwise(seen))


def test_a_process_that_is_gone_sleeps(watch: Watch) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    assert watch.asleep([ended.pid]) == {}
    assert watch.asleep([os.getpid()]) is None
    assert watch.asleep([os.getpid()]) is None, "the process that looks is awake"


def test_no_file_stays_open_of_threads_that_have_ended(watch: Watch) -> None:
    opened = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # names are all that is needed
    with subprocess.Popen([sys.executable, "-c", SLEEPS]) as process:
        time.sleep(0.5)
        watch.asleep([process.pid])
        process.kill()
        process.wait()
    watch.asleep([process.pid])
    assert len(os.listdir("/proc/self/fd")) == opened  # noqa: PTH208  # as above


class Fake:
    """A thread that does what a test says."""

    def __init__(self, ran: int) -> None:
        self.ran, self.asleep, self.asked = ran, True, 0

    def runs(self) -> bytes:
        return str(self.ran).encode()

    def sleeps(self) -> bool:
        self.asked += 1
        return self.asleep

    def close(self) -> None:
        """Nothing is open."""


class TestTwoLooks:
    @pytest.fixture
    def threads(self, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> list[Fake]:
        """Two threads that the watch knows to sleep."""
        made = [Fake(7), Fake(4)]
        monkeypatch.setattr(watch, "_follow", lambda pids: None)
        watch._threads.update({(1, str(task)): each for task, each in enumerate(made)})  # type: ignore[misc]
        assert watch.asleep([1]) == watch.asleep([1]) is not None
        watch.forget()
        return made

    def test_the_first_look_asks_only_what_has_run_and_the_second_one_asks_all(
        self, watch: Watch, threads: list[Fake]
    ) -> None:
        asked = [each.asked for each in threads]
        threads[1].ran += 1
        first = watch.asleep([1])
        assert [each.asked for each in threads] == [asked[0], asked[1] + 1]
        assert watch.asleep([1]) == first is not None
        assert [each.asked for each in threads] == [asked[0] + 1, asked[1] + 2]

    def test_a_thread_that_was_woken_and_still_waits_for_a_core_is_seen_by_the_second_look(
        self, watch: Watch, threads: list[Fake]
    ) -> None:
        assert watch.asleep([1]) is not None
        threads[0].asleep = False
        assert watch.asleep([1]) is None
        assert watch.asleep([1]) is not None, "the next look is a first one again"
        assert watch.asleep([1]) is None

    def test_a_thread_that_has_run_and_sleeps_again_looks_otherwise(self, watch: Watch, threads: list[Fake]) -> None:
        first = watch.asleep([1])
        threads[0].ran += 1
        assert first != watch.asleep([1]) is not None

    def test_a_thread_that_runs_on_after_it_was_known_to_sleep_is_awake(
        self, watch: Watch, threads: list[Fake]
    ) -> None:
        threads[0].ran += 1
        threads[0].asleep = False
        assert watch.asleep([1]) is watch.asleep([1]) is None


def test_a_request_on_a_new_connection_is_held_two_passes_before_the_second_look() -> None:
    """Of the event loop: the look waits for `PASSES`, and a request that was sent before them must be held by then."""

    async def passes() -> int:
        front = PassingFront((), "reader")
        gate = Gate[Store, Asked](front, Store(s3=State(buckets=frozenset({"b"}))), lambda: 0)
        gate.hold(frozenset({"c1"}))
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(gate.server.serve, listeners)
            await trio.testing.wait_all_tasks_blocked()
            with socket.create_connection(listeners[0].socket.getsockname()) as connection:  # while nothing else runs
                connection.sendall(b"GET /b/k HTTP/1.1\r\nHost: b\r\nAuthorization: AWS4 Credential=c1/x\r\n\r\n")
                count = 0
                while not gate.waiting:
                    await trio.lowlevel.cancel_shielded_checkpoint()
                    count += 1
                nursery.cancel_scope.cancel()
        return count

    assert max(trio.run(passes) for _ in range(20)) <= PASSES - 2
