"""A service that goes away in a round, or is restarted, or has several servers: it is waited for, and what was not
judged does not hold."""

import json
import math
import os
import shlex
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random

import attrs
import pytest
import trio

from lakeproof.live.engine import RESTARTED, UNJUDGED_MAX, Load, restarting
from lakeproof.live.lakefs.api import LakeFS, address
from lakeproof.live.lakefs.promises import IDS
from lakeproof.live.lakefs.rounds import LOOKS, ServicePlan, ServiceReport, Traffic, drive
from tests.commands import lakeproof
from tests.fake_lakefs.server import fake_lakefs
from tests.live.misbehaving import Asked, Pieces, gate, honest
from tests.live.runs import service as run_service

Answer = Callable[[Asked], Pieces] | None


@attrs.define
class Outage:
    """Down from a request on, until it was asked for its version in vain so many times. lost: what is asked then is
    done, and not answered."""

    first: int
    asked_max: int
    lost: bool = False
    down: bool = False
    asked: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def __call__(self, number: int, path: str) -> Answer:
        with self._lock:
            if number == self.first:
                self.down = True
            if not self.down:
                return honest
            self.asked += number < 0
            self.down = self.asked < self.asked_max
            return _silent if self.lost else None


def _silent(asked: Asked) -> Pieces:
    return iter(())


def driven(answering: Callable[[int, str], Answer], rounds: int = 1) -> tuple[ServiceReport, Traffic, list[str]]:
    """What came of rounds that are counted in calls, and the repositories that they have left."""
    with gate(answering) as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=4)
        load = Load(clients=4, seconds=math.inf, seed=1, timeout=10)
        traffic = Traffic(load, service, "mem://lakeproof", wait=60)
        with pytest.MonkeyPatch.context() as patch:  # the outage ends when it was asked for, not with time
            patch.setattr("lakeproof.live.lakefs.rounds.ASK_SECONDS", 0.0)
            patch.setattr("lakeproof.live.lakefs.threads.UNREACHED_SECONDS", 0.0)
            done = trio.run(drive, traffic, ServicePlan(rounds=rounds, calls=120))
        if traffic.gone or done.violations:
            return done, traffic, traffic.left
        left = service.perform("list_repositories", ("lakeproof-",))
        assert isinstance(left, tuple)
        return done, traffic, [str(each) for each in left]


@pytest.mark.deep
@pytest.mark.parametrize(("first", "lost"), [(3, False), (25, True), (40, False)])
def test_a_round_in_which_it_goes_away_and_comes_back_is_judged(first: int, lost: bool) -> None:
    outage = Outage(first, asked_max=2, lost=lost)
    done, traffic, left = driven(outage)
    assert (outage.down, outage.asked) == (False, 2)
    assert (done.violations, done.unread, done.rounds) == ([], [], 1)
    assert (left, traffic.left) == ([], [])


def test_a_service_that_has_forgotten_when_it_is_back_is_violated() -> None:
    """It is there again, but empty: what it has acknowledged before is lost."""
    outage = Outage(25, asked_max=2)

    def answering(number: int, path: str) -> Answer:
        how = outage(number, path)
        return _not_found if how is not None and number >= 0 and outage.asked else how

    done, _, _ = driven(answering)
    assert done.code == 1
    assert {violation.invariant for violation in done.violations} >= {"create-is-effective"}


def test_a_repository_of_which_the_end_is_not_answered_may_have_lost_all() -> None:
    """From the end of the round on, it fails where it is asked for a repository, and nowhere else."""
    over = threading.Event()

    def answering(number: int, path: str) -> Answer:
        if number < 0:
            over.set()
        return _failed if over.is_set() and path.rpartition("/")[0].endswith("/repositories") else honest

    done, _, _ = driven(answering)
    assert done.violations == []
    [why] = done.unread
    assert why.startswith("not answered in the end: get_repository(lakeproof-")


def _failed(asked: Asked) -> Pieces:
    yield b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def _not_found(asked: Asked) -> Pieces:
    yield b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.deep
def test_a_run_goes_on_after_a_round_that_was_not_judged_and_cleans_up_at_the_end() -> None:
    """It answers with its version always. Between the first look and the third question nothing else is answered: the
    round cannot be read, nor removed, and the next one cannot begin at first."""
    asked = [0]

    def answering(number: int, path: str) -> Answer:
        if number < 0:
            asked[0] += 1
            return honest
        return None if 1 <= asked[0] <= LOOKS else honest

    done, traffic, left = driven(answering, rounds=3)
    assert len(done.unread) == 1
    assert done.rounds > 1
    assert done.violations == []
    assert done.code == 3
    assert (left, traffic.left) == ([], [])
    assert {done.verdict(name) for name in IDS} == {"inconclusive"}


@pytest.mark.long
def test_rounds_that_are_never_judged_end_the_run() -> None:
    def answering(number: int, path: str) -> Answer:
        return None if path.endswith("/objects/ls") else honest

    done, traffic, left = driven(answering, rounds=100)
    assert (len(done.unread), done.rounds, done.code) == (UNJUDGED_MAX, UNJUDGED_MAX, 3)
    assert (left, traffic.left) == ([], [])


def test_a_service_that_stays_away_is_inconclusive_and_what_it_has_left_is_named(tmp_path: Path) -> None:
    run = ("--storage-namespace", "mem://x", "--seconds", "30", "--wait", "0.5", "--out", str(tmp_path / "out"))
    with gate(Outage(12, asked_max=10**6)) as dsn:
        result = lakeproof("service", dsn, *run, "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["verdict"] == "inconclusive"
    [(why, count)] = found["unread"].items()
    assert why.startswith("the service was gone, and did not come back within 0.5 s: ")
    assert count == 1
    assert {one["verdict"] for one in found["invariants"]} == {"inconclusive"}
    assert found["left"]
    assert result.stderr.splitlines()[-1].startswith(f"INCONCLUSIVE: 1 of {found['rounds']} round")


def test_several_servers_take_turns_and_the_history_says_which() -> None:
    with fake_lakefs(seed=1, servers=2) as dsn:
        at = address(dsn)
        client = LakeFS(at, timeout=60, connections=4)
        traffic = Traffic(Load(clients=4, seconds=math.inf, seed=1, timeout=60), client, "mem://x")
        done = trio.run(drive, traffic, ServicePlan(rounds=1, calls=60))
    assert traffic.last is not None
    assert done.violations == []
    asked = {call.server for call in traffic.last.entries}
    assert asked == {host.removeprefix("http://").partition("/")[0] for host in at.hosts}
    assert all(call.code for call in traffic.last.entries if call.ok), "a success has a status, too"


def test_a_command_may_leave_a_server_in_the_background(tmp_path: Path) -> None:
    """It lives until this test lets it go, and has the command's stdout and stderr."""
    fifo, gone = tmp_path / "fifo", tmp_path / "gone"
    os.mkfifo(fifo)
    os.mkfifo(gone)
    server = f"(cat {shlex.quote(str(fifo))}; echo > {shlex.quote(str(gone))}) &"
    assert trio.run(restarting(shlex.join(["sh", "-c", server])), Random(0)) == RESTARTED
    fifo.write_text("")
    assert gone.read_text() == "\n"


def test_the_command_is_run_in_every_round_and_counted(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    program = f"open({str(marks)!r}, 'a').write('x')"
    restart = shlex.join([sys.executable, "-c", program])
    words = ("--rounds", "2", "--restart-with", restart, "--json", "--out", str(tmp_path / "out"))
    found = json.loads(run_service(*words, calls=None).stdout)
    assert (found["rounds"], found["faults"]) == (2, {"the server restarted": 2})
    assert marks.read_text() == "xx"
