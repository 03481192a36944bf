"""A program that dies, hangs, babbles or forgets: inconclusive, or a clear error. No process is left."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lakeproof import Program, Scenario
from lakeproof.languages.pool import POOL
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verify, carried_out
from tests.commands import ended
from tests.languages.misbehaving import NOTES

HERE = Path(__file__).parent
Pids = Callable[[], list[int]]


@pytest.fixture
def pids(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Pids:
    """The processes of programs that this test has started, the last one last."""
    folder = tmp_path_factory.mktemp("pids")
    monkeypatch.setenv(NOTES, str(folder))
    return lambda: [int(each.stem) for each in sorted(folder.iterdir(), key=lambda note: note.stat().st_mtime_ns)]


FAILURES = {
    "dies-at-once": 'it ended with exit code 3; the end of its stderr: "cannot find its configuration"',
    "no-protocol": "does not speak the protocol flow: b'usage: flows",
    "dies": 'it ended with exit code 2; the end of its stderr: "panic: index out of range" (in flow, after 1 effect)',
    "killed": "it was ended by SIGKILL",
    "closes": "it closed its stdin or stdout",
    "mute": "no line within 0.5 s",
    "mute-at-reset": "no line within 0.5 s",
    "babbles": "is no JSON",
    "half-a-line": "it ended with exit code 2 within the line",
    "line-without-end": "a line of more than 16,777,216 bytes",
    "wrong-definite": "raises unknown as definite; OutcomeUnknown is indefinite",
    "resets-another": "is over",
    "opens-twice": "asks for a second effect, and its first is open",
    "leaves-one-open": "the flow returned None, and 1 effect is open",
    "two-effects": "misbehaving.py two-effects: ",  # whenever the line too many comes
    "answers-twice": "misbehaving.py answers-twice: ",
}
"""Mistakes, and what is said of them. Lines without a meaning are in `test_protocol`."""


def outcome(mistake: str, seconds: float | None = None, task: Verify | None = None) -> Outcome:
    """What comes of a search. Only those that are mute have a short limit: a busy machine must not be one."""
    seconds = seconds or (0.5 if mistake.startswith("mute") else 30.0)
    return searched(Program(f"{sys.executable} misbehaving.py {mistake}", folder=HERE, seconds=seconds), task)


def searched(program: Program, task: Verify | None = None) -> Outcome:
    """What comes of two clients with its flow."""
    clients = [[program.call("flow")] for _ in range(2)]
    scenario = Scenario(name="s", clients=clients, invariants=[], expect={NO_UNHANDLED_EXCEPTION: "holds"})
    return carried_out(task or Verify(), scenario, Source(), lambda *_: None)


@pytest.mark.parametrize("mistake", FAILURES)
def test_a_program_that_breaks_the_protocol_leaves_its_scenario_inconclusive(mistake: str, pids: Pids) -> None:
    found = outcome(mistake)
    assert [verdict.verdict for verdict in found.verdicts] == ["inconclusive"]
    assert FAILURES[mistake] in found.stopped
    assert not found.trouble
    if mistake == "wrong-definite":  # what it said, it said in order
        POOL.close()
    assert ended(pids())


@pytest.mark.parametrize("mistake", ["forgets", "remembers-its-end", "coin", "differs-by-process"])
def test_a_program_whose_flows_are_no_functions_of_their_replies_is_not_deterministic(mistake: str) -> None:
    found = outcome(mistake)
    assert [verdict.verdict for verdict in found.verdicts] == ["inconclusive"]
    assert "is not deterministic: after the same replies it" in found.trouble


@pytest.mark.parametrize("how", ["floods-stderr", "one-flow"])
def test_what_is_unusual_but_allowed_has_its_verdict(how: str) -> None:
    found = outcome(how)
    assert [verdict.verdict for verdict in found.verdicts] == ["holds"]


def test_a_program_that_is_mute_from_the_start_is_not_waited_for_longer_than_the_limit(
    monkeypatch: pytest.MonkeyPatch, pids: Pids
) -> None:
    monkeypatch.setattr("lakeproof.languages.child.START_SECONDS_MIN", 0.5)
    found = outcome("mute-at-once")
    assert "no line within 0.5 s" in found.stopped
    assert ended(pids())


def test_the_limit_of_the_search_holds_for_a_mute_program_too(pids: Pids) -> None:
    found = outcome("mute", 50.0, Verify(seconds_max=1.0))
    assert "no line in time" in found.stopped
    assert ended(pids())


def test_a_program_that_does_not_exist_is_unusable_and_named() -> None:
    found = searched(Program("./no-such-program", folder=HERE))
    assert "program ./no-such-program in" in found.trouble
    assert "No such file or directory; build it first" in found.trouble


SCENARIO = """
from pathlib import Path
import sys
from lakeproof import Program, Scenario
program = Program(f"{{sys.executable}} misbehaving.py {mistake}", folder={folder!r}, seconds={seconds})
EXPECT = {{"no-unhandled-exception": "holds"}}
SCENARIOS = [Scenario(name="s", clients=[[program.call("flow")]], invariants=[], expect=EXPECT)]
"""


def command(folder: Path, mistake: str, seconds: float) -> list[str]:
    file = folder / f"{mistake}.py"
    file.write_text(SCENARIO.format(mistake=mistake, folder=str(HERE), seconds=seconds))
    return [sys.executable, "-c", "from lakeproof.supervisor import supervised; supervised()", "verify",
            "--from", str(file)]  # fmt: skip


def test_the_command_ends_with_exit_code_3(tmp_path: Path, pids: Pids) -> None:
    done = subprocess.run(command(tmp_path, "dies", 5.0), capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "panic: index out of range" in done.stdout + done.stderr
    assert ended(pids())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda number: number.name)
def test_no_process_is_left_whatever_ends_the_command(number: signal.Signals, tmp_path: Path, pids: Pids) -> None:
    running = subprocess.Popen(
        command(tmp_path, "mute", 50.0), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    while not pids():
        assert running.poll() is None
        time.sleep(0.05)
    if number is signal.SIGINT:
        os.killpg(running.pid, number)  # as a terminal does it
    else:
        running.send_signal(number)
    running.wait(20)
    assert ended(pids())


def test_the_pool_ends_what_it_has_started(pids: Pids) -> None:
    POOL.close()  # of other tests
    outcome("one-flow")
    assert not all(ended([pid], 0) for pid in pids()), "a process waits for the next flow"
    POOL.close()
    assert ended(pids())
