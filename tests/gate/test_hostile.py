"""A client that hangs, dies, floods, or asks for ever ends in a clear message, and nothing is left running."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from unittest.mock import ANY

import pytest
import trio
from click.testing import Result

from lakeproof.gate import classes, programs, run, search
from lakeproof.gate.arrivals import Arrivals
from lakeproof.gate.programs import ClientProcess, ProgramError, Returned, Service
from lakeproof.gate.search import complete_work
from lakeproof.gate.startup import open_runner
from lakeproof.gate.strategies import Sampled
from lakeproof.gate.walks import OneRun
from tests.commands import ended, lakeproof
from tests.gate import hostile, judging

FILE = Path(hostile.__file__)
ROOT = FILE.parents[2]
deep = pytest.mark.deep


def gate(name: str, out: Path, *words: str) -> Result:
    return lakeproof("gate", "run", str(FILE), name, "--out", str(out), *words)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "PATIENCE_SECONDS", 1.0)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@deep
@pytest.mark.parametrize(
    ("name", "asking"),
    [
        ("asks_for_ever", "c1 asks_for_ever()"),
        ("retries_for_ever", "c1 retries_for_ever()"),
        ("floods", "c1 floods()"),
        ("forks_for_ever", "all calls have returned"),
    ],
)
def test_a_schedule_without_an_end_is_given_up_and_the_call_is_named(
    tmp_path: Path, name: str, asking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classes, "TRIES_MAX", 0)  # each try waits for a second
    result = gate(name, tmp_path)
    assert result.exit_code == 3, result.output
    assert f"{name}: more than {hostile.STEPS_MAX} requests in a schedule, and no end: {asking}" in result.stderr
    assert f"{name}: nothing inconclusive: 0 schedules, not all" in result.stdout


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("forks", 0, "forks: nothing holds: 1 schedule, all of them"),
        ("reads_and_closes_its_stdin", 0, "nothing holds: 1 schedule, all of them"),
        # Two orders of two reads, each before or after the write of what it reads: all but one that is a circle.
        ("asks_by_an_orphan", 0, "nothing holds: 7 schedules, all of them"),
        ("asks_an_orphaning_service", 0, "nothing holds: 7 schedules, all of them"),
        ("waits_for_all_it_has_started", 0, "nothing holds: 1 schedule, all of them"),
        ("no_service", 2, "no-such-program: the service cannot be started: no such program"),
        ("becomes_a_daemon", 2, "c1: becomes_a_daemon(): "),
        ("asks_a_service", 2, "the service ended with code 3"),
        ("writes_late", 3, "c1 PUT bucket/late came when the schedule was over: the program goes on after its calls"),
    ],
)
def test_what_a_program_does_beside_its_calls_is_seen(
    tmp_path: Path, name: str, code: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOSTILE_FOLDER", str(tmp_path))
    os.mkfifo(tmp_path / "fifo")
    result = gate(name, tmp_path)
    assert (result.exit_code, told in result.output) == (code, True), result.output


def test_a_write_by_a_timer_is_seen_after_the_last_schedule_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LATE_SECONDS", 60.0)
    result = gate("writes_by_a_timer", tmp_path)
    # On a slow machine within the first schedule once more, which then is not the same.
    assert (result.exit_code, "c1 PUT bucket/late" in result.output) == (3, True), result.output


def test_a_write_after_the_last_schedule_is_waited_for_where_a_bound_ends_the_search_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "LATE_SECONDS", 60.0)
    scenario = hostile.beside_one(hostile.writes_late, environment={"HOSTILE_FOLDER": str(tmp_path)})
    classes_of_it = search.all_classes(scenario)
    os.mkfifo(tmp_path / "fifo")

    async def wake_the_client() -> None:
        while True:
            await trio.lowlevel.checkpoint()
            with suppress(OSError):  # nothing reads it yet
                if classes_of_it.confirmed:
                    os.close(os.open(tmp_path / "fifo", os.O_WRONLY | os.O_NONBLOCK))
                    return

    async def unproved() -> str:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wake_the_client)
            # The only class, and once more.
            found = await search.run_search(scenario, FILE, classes_of_it, schedules=2, limit=None)
            nursery.cancel_scope.cancel()
        return found.unproved

    assert "c1 PUT bucket/late came when the schedule was over" in trio.run(unproved)
    assert classes_of_it.all_run


def test_a_write_that_comes_between_two_schedules_is_not_forgotten(tmp_path: Path) -> None:
    scenario = hostile.beside_one(hostile.writes_late, environment={"HOSTILE_FOLDER": str(tmp_path)})
    os.mkfifo(tmp_path / "fifo")

    async def unproved() -> str:
        sample = Sampled(2, 0)
        async with open_runner(scenario, FILE) as runner:
            sample.begin()
            assert (await runner.schedule(sample)).unproved == ""
            (tmp_path / "fifo").write_text("")  # wakes the client, which has returned from its call
            while not runner.gate.belated:
                await trio.lowlevel.checkpoint()
            sample.begin()
            return (await runner.schedule(sample)).unproved

    assert "c1 PUT bucket/late came when the schedule was over" in trio.run(unproved)


def test_a_service_gets_a_port_that_nothing_listens_on_or_the_run_ends_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(programs, "PORTS", range(port, port + 1))
        result = gate("asks_a_service", tmp_path)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
    assert f"no port from {port} to {port} is free for a service" in result.stderr


def test_services_that_have_not_bound_their_ports_yet_get_different_ones() -> None:
    assert len({programs._free_port() for _ in range(1_000)}) == 1_000


@deep
@pytest.mark.parametrize("name", ["sends_half", pytest.param("does_not_read", marks=pytest.mark.long)])
def test_what_is_not_sent_or_not_read_to_its_end_is_told(tmp_path: Path, name: str) -> None:
    result = gate(name, tmp_path, "--schedules", "1")
    assert result.exit_code == 3, result.output
    assert "a request that has begun does not end, or an answer is not read for 1 s" in result.stderr


def test_connections_on_which_nothing_comes_cost_nothing(tmp_path: Path) -> None:
    assert "nothing holds: 1 schedule, all of them" in gate("keeps_open", tmp_path).stdout


@deep
def test_a_hundred_requests_at_once_are_all_offered(tmp_path: Path) -> None:
    assert "1 schedule, all with parallel requests as threads" in gate("asks_at_once/threads", tmp_path).stdout
    result = gate("asks_at_once", tmp_path, "--schedules", "2")
    assert (result.exit_code, "2 schedules, not all" in result.stdout) == (3, True)


@deep
@pytest.mark.parametrize(("when", "limit"), [("before", 0.1), ("after", 5.0)])  # five: for the schedule between
def test_a_call_beside_the_schedules_that_does_not_end_is_one_line(
    tmp_path: Path, when: str, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "BUSY_SECONDS", limit)
    result = gate(f"sleeps_{when}", tmp_path)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"sleeps_{when}: sleeps() has not returned after {limit:g} s, and no request waits" in result.stderr


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A gate whose client neither asks nor returns; and the processes of it that run."""
    words = ["gate", "run", str(FILE), "stays", "--out", str(tmp_path)]
    environment = {**os.environ, "HOSTILE_FOLDER": str(tmp_path)}
    command = [sys.executable, "-m", "lakeproof", *words]
    with subprocess.Popen(command, env=environment, stdout=-1, stderr=-1, text=True) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
            time.sleep(0.05)
        yield process, [pid for each in tmp_path.glob("*.process") if (pid := int(each.stem)) != process.pid]
        process.kill()


@deep
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGHUP, 130), (signal.SIGKILL, -9)]
)
def test_whoever_ends_the_gate_ends_the_program_and_its_services(
    begun: tuple[subprocess.Popen[str], list[int]], number: signal.Signals, code: int
) -> None:
    process, pids = begun
    assert len(pids) == 4, "a client, who reads, and a service for each"
    process.send_signal(number)
    told, complaints = process.communicate(timeout=120)
    assert process.returncode == code, complaints
    assert ended(pids)
    if number is not signal.SIGKILL:
        assert "lakeproof: interrupted in stays, after 0 schedules" in complaints.splitlines()
        assert "stays: nothing inconclusive: 0 schedules, not all" in told
        assert "Traceback" not in complaints


@pytest.mark.parametrize(
    ("ignored", "number", "ends"),
    [
        (signal.SIGINT, signal.SIGTERM, True),  # as a shell starts a background job
        (signal.SIGHUP, signal.SIGHUP, False),  # as under nohup
        (signal.SIGHUP, signal.SIGTERM, True),
    ],
)
def test_the_gate_ends_by_a_signal_unless_it_was_started_to_ignore_this_one(
    ignored: signal.Signals, number: signal.Signals, ends: bool
) -> None:
    async def work() -> str:
        signal.raise_signal(number)
        await trio.lowlevel.checkpoint()
        return "not interrupted"

    before = signal.signal(ignored, signal.SIG_IGN)
    try:
        with pytest.raises(KeyboardInterrupt) if ends else nullcontext():
            assert complete_work(work) == "not interrupted"
        assert signal.getsignal(ignored) == signal.SIG_IGN
    finally:
        signal.signal(ignored, before)


WATCHED = "from lakeproof.gate import child; child.main({file!r}, [{other}])"
UNWATCHED = f"import select; del select.poll; {WATCHED}"


@pytest.mark.parametrize("program", [WATCHED, UNWATCHED], ids=["watched", "unwatched"])
def test_a_process_that_waits_for_a_call_ends_what_it_was_given_with_its_stdin(program: str) -> None:
    """Its two threads both notice: whichever is first must not end the process before the other has ended the rest."""
    starts = "sleep 3600 & echo $!; wait"
    with subprocess.Popen(["sh", "-c", starts], stdout=-1, start_new_session=True) as other:
        assert other.stdout is not None
        worker = int(other.stdout.readline())
        code = program.format(file=str(FILE), other=other.pid)
        with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            assert b"ready" in process.stdout.readline()
            process.stdin.close()
            process.wait(60)
        try:
            assert ended([other.pid, worker])
        finally:
            other.kill()


FORKS = """
import http.server, os, pathlib, sys
worker = os.fork()
if worker:
    os.wait()
pathlib.Path(os.environ["FOLDER"], f"{os.getpid()}.worker").touch()
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]))
"""


@pytest.mark.parametrize("end", ["crash", "kill"])
def test_a_service_that_is_killed_takes_its_workers_with_it_and_does_not_see_them_end(
    tmp_path: Path, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, kill = list[int](), os.kill

    def killing(pid: int, number: int) -> None:
        killed.append(pid)
        kill(pid, number)

    monkeypatch.setattr(os, "kill", killing)

    def workers() -> list[int]:
        return [int(each.stem) for each in tmp_path.glob("*.worker")]

    async def run() -> None:
        service = Service(["python", "-c", FORKS, "{port}"], {"FOLDER": str(tmp_path)})
        await service.start()
        if end == "crash":
            service.crash()
        else:
            await service.kill()
        # Who has killed it has waited for all of it.
        assert ended(workers(), seconds=60 if end == "crash" else 0)
        assert killed[1:] == workers()  # behind the one that has started it
        await service.kill()

    trio.run(run)
    assert len(workers()) == 1


def test_what_a_service_leaves_as_it_ends_ends_too(tmp_path: Path) -> None:
    file = shlex.quote(str(tmp_path / "pid"))
    service = Service(["sh", "-c", f"setsid sleep 3600 & echo $! > {file}; exit 7"], {})
    with pytest.raises(ProgramError, match="ended with code 7"):
        trio.run(service.start)
    assert ended([int((tmp_path / "pid").read_text())])


def test_a_service_that_a_signal_has_ended_has_its_code_and_no_signal_is_ignored_in_one() -> None:
    with pytest.raises(ProgramError, match=f"ended with code {128 + signal.SIGPIPE}"):
        trio.run(Service(["sh", "-c", "kill -PIPE $$"], {}).start)


@pytest.mark.parametrize("locale", [{}, {"LC_CTYPE": "C"}])
def test_a_service_has_the_locale_that_it_is_given(
    tmp_path: Path, locale: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    service = Service(["sh", "-c", f"env > {shlex.quote(str(tmp_path / 'env'))}"], locale)
    with pytest.raises(ProgramError, match="ended with code 0"):
        trio.run(service.start)
    told = [each for each in (tmp_path / "env").read_text().splitlines() if each.startswith("LC_CTYPE=")]
    assert told == [f"{name}={value}" for name, value in locale.items()]


RESULTS = """
def circular():
    found = []
    found.append(found)
    return found
def deep():
    found = []
    for _ in range(100_000):
        found = [found]
    return found
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [("circular", Returned(value="[[...]]")), ("deep", Returned(error="RecursionError", message=ANY))],
)
def test_a_result_that_json_does_not_have_ends_no_process(tmp_path: Path, name: str, expected: Returned) -> None:
    file = tmp_path / "calls.py"
    file.write_text(RESULTS)

    async def run() -> Returned:
        child = ClientProcess(file, {}, Arrivals())
        await child.start()
        try:
            return await child.call(name, ())
        finally:
            await child.kill()

    assert trio.run(run) == expected


def test_what_is_no_longer_expected_after_the_end_is_ignored() -> None:
    arrivals = Arrivals()
    with socket.socket() as connection:
        arrivals.expect(connection)
        arrivals.close()
        arrivals.ignore(connection)


def test_what_was_violated_before_ctrl_c_is_told_and_its_trace_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule, found = run.Runner.schedule, list[bool]()

    async def interrupted(self: run.Runner, search: OneRun) -> run.Schedule:
        if any(found):
            raise KeyboardInterrupt
        made = await schedule(self, search)
        found.append(bool(made.violated))
        return made

    monkeypatch.setattr(run.Runner, "schedule", interrupted)
    ran = judging.run(tmp_path, judging.COUNTER, "counter/blind")
    assert (ran.code, ran.row["verdict"], ran.row["covers"]) == (130, "violated", "some"), ran
    assert Path(str(ran.row["trace"])).is_file()
