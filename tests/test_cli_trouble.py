"""The command line in trouble: unusable input, full disks, interrupts, broken plug-ins. And how fast it starts."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from importlib import metadata
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lakeproof import cli
from lakeproof.commands import group as commands
from lakeproof.commands.options import Seconds
from lakeproof.live.engine import Plan, run_rounds
from lakeproof.search import minimise
from lakeproof.search import trace as traces
from tests.commands import HEAD, RACING, ROOT, complaint, in_a_process, lakeproof, spawned

TRACE = ROOT / "examples/traces/hard-delete_no_copies-delete_checks_delete-move.staged-data-is-kept.json"


@pytest.fixture(autouse=True)
def _folder(in_tmp_path: Path) -> None:
    """Every test runs in a folder of its own, with the scenario file in it."""
    shutil.copy(RACING, in_tmp_path / "racing.py")


class TestUnusable:
    """One line that names the file, the place in it and the repair; exit code 2."""

    @pytest.mark.parametrize(
        ("args", "told"),
        [
            (["verfy"], "No such command 'verfy'"),
            (["verify", "--max-states", "0"], "Invalid value for '--max-states': 0 is not in the range x>=1"),
            (["verify", "--max-memory", "1"], "--max-memory 1: the process holds "),
            (
                ["verify", "repositories/step9"],
                "no scenario matches 'repositories/step9'; did you mean repositories/step",
            ),
            (["scenarios", "--from", "none.py"], "none.py: cannot be read: No such file or directory"),
        ],
    )
    def test_usage(self, args: list[str], told: str) -> None:
        assert complaint(lakeproof(*args)).startswith(told)

    @pytest.mark.parametrize("args", [(), ("gate",)])
    def test_a_group_without_a_command_shows_its_help_and_succeeds_at_nothing(self, args: tuple[str, ...]) -> None:
        result = lakeproof(*args)
        assert result.exit_code == 2
        assert result.stdout.startswith("Usage: ")
        assert result.stderr == ""

    @pytest.mark.parametrize("command", ["scenarios", "verify", "walk"])
    def test_a_scenario_file_that_does_not_load(self, command: str) -> None:
        Path("mine.py").write_text("x = (\n")
        assert complaint(lakeproof(command, "--from", "mine.py", "*")).startswith("mine.py:1:5: not Python: ")

    @pytest.mark.parametrize("out", ["file", "file/traces", "file/a/b"])
    def test_a_folder_for_traces_that_is_a_file(self, out: str) -> None:
        Path("file").write_text("")
        told = complaint(lakeproof("verify", "--from", "racing.py", "--out", out))
        assert "file: cannot be written: it is no folder; make room there, or choose another folder with --out" in told

    @pytest.mark.parametrize(
        ("args", "printed"),
        [
            (["verify", "--from", "racing.py", "--jobs", "1", "--out", "."], "1 violated"),
            (["verify", "--from", "racing.py", "--json", "--out", "."], '"trace": null'),
            (["verify", "--from", "racing.py", "--propose", "--out", "."], "violated"),
            (["verify", "--from", "racing.py", "counters/atomic", "--report", "json=old"], "all as expected"),
            (["verify", "--from", "racing.py", "counters/atomic", "--html", "."], "all as expected"),
            (["check", "history", "--html", "old"], "INCONCLUSIVE: "),
            (["stress", "memory:", "--html", "old"], "HOLDS: "),
            (["show", str(TRACE), "--html", "old"], ""),
        ],
    )
    def test_a_disk_that_is_full(self, args: list[str], printed: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """What was printed stays, no file is half written, and what was there before is as it was."""
        monkeypatch.setattr("lakeproof.commands.stress.run_rounds", partial(run_rounds, plan=Plan(rounds=1, calls=999)))
        Path("history").write_text('{"process": 0, "type": "invoke", "f": "read"}\n')
        Path("old").write_text("before")
        before = set(Path().iterdir())
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
        try:
            result = lakeproof(*args)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert result.exit_code == 2
        assert "cannot be written: File too large; make room there" in result.stderr
        assert printed in result.stdout
        assert (Path("old").read_text(), set(Path().iterdir())) == ("before", before)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    @pytest.mark.parametrize(
        ("stream", "args", "code", "other"),
        [
            ("stdout", ["scenarios", "tags/*"], 2, "lakeproof: output: No space left on device; make room, or write"),
            ("stderr", ["verify", "--from", "racing.py", "counters/atomic", "--json"], 0, '"verdict": "holds"'),
            ("stderr", ["verfy"], 2, ""),
        ],
    )
    def test_an_output_that_is_full(self, stream: str, args: list[str], code: int, other: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with Path("/dev/full").open("w") as full:
            files = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
            command = [sys.executable, "-m", "lakeproof", *args]
            done = subprocess.run(command, env=environment, text=True, check=False, **files)  # type: ignore[call-overload]
        assert done.returncode == code
        assert other in (done.stdout or done.stderr or "")

    def test_an_output_that_is_neither_utf_8_nor_wide(self) -> None:
        Path("mine.py").write_text(HEAD + "SCENARIOS = [attrs.evolve(ATOMIC, name='\\xe9')]\n")
        process = spawned("verify", "--from", "mine.py", PYTHONIOENCODING="ascii", COLUMNS="0")
        shown, _ = process.communicate()
        assert (process.returncode, "\\xe9 " in shown) == (0, True)

    @pytest.mark.parametrize(
        "command", [["verify", "--json"], ["verify", "--format", "sarif"], ["scenarios", "--json"]], ids=" ".join
    )
    def test_json_on_an_output_that_is_not_utf_8_has_the_same_texts(self, command: list[str]) -> None:
        name = "sale/\U0001f600"
        blind = f"SCENARIOS = [attrs.evolve(ATOMIC, name={name!a}, clients=[[Call(increment)]] * 2)]\n"
        Path("mine.py").write_text(HEAD + blind)
        shown, _ = spawned(*command, "--from", "mine.py", PYTHONIOENCODING="latin-1").communicate()
        assert name in json.dumps(json.loads(shown), ensure_ascii=False)

    @pytest.mark.parametrize(
        "args",
        [
            ["scenarios", "--json", "tags/*"],
            ["verify", "--from", "racing.py"],
            ["check", "history"],
            ["explore", "--demo"],
        ],
    )
    def test_nobody_who_reads(self, args: list[str]) -> None:
        Path("history").write_text('{"process": 0, "type": "invoke", "f": "read"}\n')
        process = spawned(*args)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
        process.stderr.close()
        assert process.wait() == 141

    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_what_nobody_foresaw_is_loud_and_does_not_pass_for_a_violation(
        self, jobs: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # The file is loaded here, too: what it changes is put back.
        monkeypatch.setattr(minimise, "reduce_preemptions", minimise.reduce_preemptions)
        Path("mine.py").write_text(
            HEAD + "from lakeproof.search import minimise\n"
            "def reduce_preemptions(*_):\n    raise AttributeError('no such thing')\n"
            "minimise.reduce_preemptions = reduce_preemptions\n"
            "SCENARIOS = [attrs.evolve(KNOWN, name=name) for name in 'ab']\n"
        )
        result = CliRunner().invoke(cli.main, ["verify", "--from", "mine.py", "--jobs", jobs])
        assert result.exit_code == 2

    def test_a_flow_that_runs_on_refutes_no_log_of_effects(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lakeproof.verify.isolation.CALL_SECONDS_MAX", 0.2)
        flow = "async def spin(env):\n    print(1)\n    await env.store.set(b'p', b'k', b'v')\n    while True: pass\n"
        scenario = "SCENARIOS = [attrs.evolve(ATOMIC, name='spin', clients=[[Call(spin)]])]\n"
        Path("mine.py").write_text(f"{HEAD}from lakeproof import Call\n{flow}{scenario}")
        Path("log").write_text(
            '{"client": "c", "effect": "set", "partition": "p", "key": "k", "value": "v", "reply": null}\n'
        )
        result = lakeproof("follows", "log", "--flows", "spin", "--from", "mine.py")
        assert (result.exit_code, result.stdout) == (3, "")
        assert "lakeproof: log: mine.py:7: runs on without an effect" in result.stderr


class TestInterrupt:
    @pytest.mark.parametrize("jobs", ["1", "2"])
    def test_ctrl_c_is_one_line_and_loses_nothing(self, jobs: str) -> None:
        Path("mine.py").write_text(
            "import pathlib, time\n" + HEAD + "from lakeproof import Call\n"
            "async def slow(env):\n"
            "    pathlib.Path('begun').touch()\n"
            "    time.sleep(0.2)\n"
            "    await env.store.get(b'p', b'k')\n"
            "SCENARIOS = [KNOWN, *(attrs.evolve(ATOMIC, name=f'slow/{i}', clients=[[Call(slow)] * 99])"
            " for i in range(9))]\n"
        )
        process = spawned("verify", "--from", "mine.py", "known", "slow", "--jobs", jobs)
        while not Path("begun").exists():
            assert process.poll() is None
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of the group
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        [line] = [each for each in stderr.strip().splitlines() if not each.startswith("verifying: ")]  # a slow machine
        assert line.startswith("lakeproof: interrupted after ")
        assert "Traceback" not in stdout
        if jobs == "1":  # in their order; of several processes the first takes the largest
            assert traces.read(Path("out/traces/counters_known.increments-count.json")).scenario == "counters/known"
            assert line.endswith("1 of 10 scenarios; 1 trace is in out/traces")

    @pytest.mark.parametrize("args", [["verify"], ["verify", "--from", "mine.py"]], ids=["here", "in a child"])
    @pytest.mark.parametrize("module", ["lakeproof.search.fence", "lakeproof.cli", "lakeproof.commands.verify"])
    def test_ctrl_c_while_modules_are_loaded_is_no_traceback(self, module: str, args: list[str]) -> None:
        program = f"""
import sys
class Interrupts:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupts())
sys.argv[1:] = {args!r}
from lakeproof.supervisor import supervised
supervised()
"""
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, (done.stdout + done.stderr).strip()) == (130, "")

    def test_ctrl_c_in_a_garbage_collection_is_not_lost(self) -> None:
        program = """
import gc, threading, time
from lakeproof import cli
from lakeproof.supervisor import supervised
class Timer(threading.Timer):
    slow = True
    def start(self):
        super().start()
        if Timer.slow:  # the machine is busy
            Timer.slow = False
            self.join()
threading.Timer = Timer
def interrupt(*_):
    gc.callbacks.remove(interrupt)
    raise KeyboardInterrupt
def work(**_):
    gc.callbacks.append(interrupt)
    gc.collect()
    for _ in range(500):
        time.sleep(0.01)
cli.main.main = work
supervised()
"""
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout + done.stderr) == (130, "")


def install(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Make up the entry point of a plug-in."""
    points = metadata.EntryPoints([metadata.EntryPoint(name=name, value=value, group="lakeproof.commands")])
    monkeypatch.setattr(commands, "_plug_ins", lambda: points)


@click.command()
def hello() -> None:
    click.echo("hello from elsewhere")


class TestPlugIns:
    def test_a_command_joins_through_an_entry_point(self, monkeypatch: pytest.MonkeyPatch) -> None:
        install(monkeypatch, "hello", f"{__name__}:hello")
        monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
        assert lakeproof("hello").stdout == "hello from elsewhere\n"

    @pytest.mark.parametrize(
        ("value", "told"),
        [
            (
                "no_such_module_at_all:command",
                "broken: no_such_module_at_all:command cannot be loaded: No module named",
            ),
            ("os:no_such_name", "broken: os:no_such_name cannot be loaded: module 'os' has no attribute"),
            ("os:getcwd", "broken: os:getcwd is <built-in function getcwd>, not a click command; mend the plug-in"),
        ],
    )
    def test_a_broken_one_breaks_nothing_else(self, value: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
        install(monkeypatch, "broken", value)
        assert complaint(lakeproof("broken")).startswith(told)
        assert lakeproof("scenarios", "repositories/step1").exit_code == 0
        shown = lakeproof("--help")
        assert shown.exit_code == 0
        assert f"plug-in: {value}" in shown.stdout

    def test_none_can_take_the_place_of_a_command_of_ours(self, monkeypatch: pytest.MonkeyPatch) -> None:
        install(monkeypatch, "verify", f"{__name__}:hello")
        assert "hello" not in lakeproof("verify", "--from", "racing.py", "atomic").stdout


class TestStart:
    @pytest.mark.parametrize("args", [["--help"], ["--version"], ["verify", "--help"]])
    def test_what_takes_long_to_import_waits_for_its_command(self, args: list[str]) -> None:
        assert in_a_process(STARTED.format(setting="", args=args)).endswith("\n[]\n")

    def test_names_of_commands_are_completed_and_nothing_heavy_is_loaded(self) -> None:
        asked = {"_LAKEPROOF_COMPLETE": "bash_complete", "COMP_WORDS": "lakeproof s", "COMP_CWORD": "1"}
        heavy = {"attrs", "lakeproof.scenario", "lakeproof.search"}
        setting = f"import os\nos.environ.update({asked})\nHEAVY |= {heavy}"
        found = in_a_process(STARTED.format(setting=setting, args="prog_name='lakeproof'"))
        names = ("scenarios", "service", "show", "spark", "stress")
        assert found.split() == [*(f"plain,{name}" for name in names), "[]"]


STARTED = """
import sys
from lakeproof.cli import main
HEAVY = {{"numpy", "rich", "google.protobuf", "trio", "pyspark", "hypothesis", "lakeproof.spark_checks"}}
{setting}
try:
    main.main({args})
except SystemExit:
    print(sorted(HEAVY & sys.modules.keys()))
"""
"""Begins a command, and prints what it has loaded of what it should not."""


ENDLESS = ["nan", "-nan", "inf", "Infinity", "1e999", "-inf", "0", "-0.0", "-1", "1e-999", "ten", ""]


@pytest.mark.parametrize("value", ENDLESS)
def test_a_time_that_never_ends_or_has_ended_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="expected seconds, a number greater than 0 and finite"):
        Seconds.convert(value, None, None)


@pytest.mark.parametrize(
    "command",
    [
        "verify --max-seconds",
        "check history --max-seconds",
        "service lakefs+http://k:s@h --seconds",
        "service lakefs+http://k:s@h --timeout",
        "service lakefs+http://k:s@h --wait",
        "spark histories history --max-seconds",
        "spark explore --max-seconds",
    ],
)
def test_each_command_refuses_such_a_time_in_one_line(command: str) -> None:
    words = command.split()
    assert f"'{words[-1]}': 'nan': expected seconds" in complaint(lakeproof(*words, "nan"))
