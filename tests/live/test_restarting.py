"""A server that is killed, or restarted on purpose, while clients are at work: it is waited for, and all is judged."""

import json
import math
import os
import shlex
import sys
from pathlib import Path
from random import Random

import pytest
import trio

from lakeproof.live.engine import RESTARTED, Load, restarting
from lakeproof.live.lakefs.api import LakeFS, address
from lakeproof.live.lakefs.rounds import ServicePlan, ServiceReport, Traffic, drive
from tests.fake_lakefs.server import FakeLakeFS, serving
from tests.live.runs import service


def killed(server: FakeLakeFS, rounds: int) -> tuple[ServiceReport, Traffic]:
    """A run in which the server is down for a while in every round: in the first, for longer than the rest of it."""

    async def restart(rng: Random) -> str:
        await trio.to_thread.run_sync(server.down)
        await trio.sleep(0.8)
        server.up()
        return "killed"

    client = LakeFS(address(server.dsn), timeout=60, connections=6)
    traffic = Traffic(Load(clients=6, seconds=math.inf, seed=1, timeout=60), client, "mem://x", restart=restart)
    return trio.run(drive, traffic, ServicePlan(rounds=rounds)), traffic


@pytest.mark.deep
def test_a_killed_server_is_waited_for_and_its_rounds_are_judged_and_removed() -> None:
    """What it acknowledged before must be there."""
    with serving(seed=1, servers=2) as server:
        done, traffic = killed(server, rounds=2)
        left = LakeFS(address(server.dsn), timeout=60, connections=1).perform("list_repositories", ("lakeproof-",))
    assert (done.violations, done.unread) == ([], [])
    assert left == ()
    assert traffic.left == []
    assert traffic.tally.faults["killed"] == done.rounds
    assert any(how != "ok" for _, how in traffic.tally.answers)


def test_several_servers_take_turns_and_the_history_says_which() -> None:
    with serving(seed=1, servers=2) as server:
        at = address(server.dsn)
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
    found = json.loads(service(*words, calls=None).stdout)
    assert (found["rounds"], found["faults"]) == (2, {"the server restarted": 2})
    assert marks.read_text() == "xx"
