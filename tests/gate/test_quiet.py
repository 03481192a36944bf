"""A process is quiet when all its threads sleep, and only then."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest

from lakeproof.gate import quiet
from lakeproof.gate.quiet import Watch

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
