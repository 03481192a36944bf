"""The cache of verdicts: what has not changed is told again, and a stale verdict is never told."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

import attrs
import pytest

from lakeproof.verify import cache
from lakeproof.verify.cache import Kept
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verify, inconclusive_outcome
from tests.commands import HEAD, RACING, ROOT
from tests.racing import ATOMIC

FLOW = """
import os, pathlib, sys, lakeproof.histories.reader, lakeproof.mutation.mutants
from lakeproof import Call, Env, Eventually, Reached, Scenario, Violation
{setting}
async def store(env: Env) -> None:
    {reading}
    await env.store.set(b"p", b"k", b"%d" % amount)

def check(snapshot):
    held = snapshot.store.get((b"p", b"k"))
    yield Reached("one") if held == b"1" else Violation("is-one", f"{{held}} is stored")

IS_ONE = Eventually(id="is-one", meaning="one is stored", check=check)
SCENARIOS = [Scenario(name="a/b/c", clients=[[Call(store)]], invariants=[IS_ONE])]
"""
"""Holds if the amount is 1. What decides that is what a test changes."""

LOOPS = """
from lakeproof import Always, Call, Scenario, Terminates, Violation

async def spin(env):
    while not await env.store.try_set_if(b"p", b"k", b"1", None):
        pass

def check(snapshot):
    return [] if snapshot.store else [Violation("starts", "nothing is stored")]

STARTS = Always(id="starts", meaning="the store is not empty", check=check)
SCENARIOS = [Scenario(name="a/b/c", clients=[[Call(spin)]] * 2, invariants=[Terminates(spin), STARTS])]
"""
"""One violation is a loop, and one is there before the first step."""


PROGRAM: Final = """
import json, os, sys
from lakeproof.verify.witness import WITNESS
WITNESS.install()
from lakeproof.cli import main
import lakeproof.search.minimise, lakeproof.search.search, lakeproof.show.progress, lakeproof.show.story
import lakeproof.show.conclusion, lakeproof.verify.cache, lakeproof.verify.keys, lakeproof.verify.processes
for line in sys.stdin:
    folder, environment, args = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(environment)
        for number, name in enumerate(("/dev/null", "stdout", "stderr")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        try:
            main(args)
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@attrs.frozen
class Done:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


@attrs.frozen
class Runner:
    """Verifies mine.py in a folder of its own, with a cache of its own."""

    process: "subprocess.Popen[str]"
    folder: Path

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / name.replace("_py", ".py")).write_text(text)

    def verify(self, *args: str, **environment: str) -> Done:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        words = ("verify", "--jobs", "1", "--cache", "kept", *args)
        self.process.stdin.write(json.dumps((str(self.folder), environment, words)) + "\n")
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        return Done(code, (self.folder / "stdout").read_text(), (self.folder / "stderr").read_text())

    def mine(self, *args: str, **environment: str) -> Done:
        return self.verify("--from", "mine.py", *args, **environment)


@pytest.fixture(scope="module")
def process() -> Iterator["subprocess.Popen[str]"]:
    """Has loaded lakeproof, is witnessed from its beginning, and runs commands in forks, one after the other."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command, pipe = [sys.executable, "-c", PROGRAM], subprocess.PIPE
    with subprocess.Popen(command, env=environment, text=True, stdin=pipe, stdout=pipe) as started:
        yield started


@pytest.fixture
def runner(process: "subprocess.Popen[str]", tmp_path: Path) -> Runner:
    return Runner(process, tmp_path)


def recalled(done: Done) -> bool:
    return "from the cache in kept; --no-cache searches again" in done.stderr


class TestWhatHasChanged:
    """A verdict on changed code is that of a search."""

    @pytest.mark.parametrize(
        ("setting", "reading", "near", "far"),
        [
            ("from near import AMOUNT", "amount = AMOUNT", "from far import AMOUNT", "AMOUNT = {}"),
            ("import near, far", "amount = near.AMOUNT", "AMOUNT = 1", "import near\nnear.AMOUNT = {}"),
            ("import near", "amount = near.made()", "def made():\n    return {}", ""),
            ("AMOUNT = __import__('near').AMOUNT", "amount = AMOUNT", "AMOUNT = {}", ""),
            (
                "import near",
                "amount = near.KNOWN[0]()",
                "KNOWN = []\nimport far",
                "import near\nnear.KNOWN += [lambda: {}]",
            ),
        ],
        ids=[
            "two imports away",
            "a module that another one patches",
            "a function",
            "no import statement",
            "a registry",
        ],
    )
    def test_code_is_searched_again(self, setting: str, reading: str, near: str, far: str, runner: Runner) -> None:
        runner.write(mine_py=FLOW.format(setting=setting, reading=reading))
        for amount, known in ((1, False), (1, True), (2, False), (2, True), (1, True)):
            runner.write(near_py=near.format(amount), far_py=far.format(amount))
            done = runner.mine()
            assert (done.code, recalled(done)) == (amount - 1, known), (amount, done)

    @pytest.mark.parametrize(
        ("line", "reading", "why"),
        [
            (4, "int(open('amount').read())", "reads amount"),
            (4, "int(pathlib.Path('amount').read_text())", "reads amount"),
            (6, "int(lakeproof.histories.reader.open_history(pathlib.Path('amount')).read())", "reads amount"),
            (4, "lakeproof.mutation.mutants._tree(pathlib.Path('late.py')).body[0].value.value", "reads late.py"),
            (4, "int(os.environ['AMOUNT'])", "reads the environment: AMOUNT"),
            (4, "int(os.getenvb(b'AMOUNT'))", "reads the environment: AMOUNT"),
            (4, "int(dict(os.environ)['AMOUNT'])", "reads the environment"),
            (4, """1 + ("'AMOUNT': '2'" in repr(os.environ))""", "reads the environment"),
            (4, "2 if os.path.exists('two') else 1", "reads two"),
            (4, "2 if 'two' in os.listdir() else 1", "lists "),
            (4, "1 + len(list(pathlib.Path().glob('two')))", ""),
            (4, "int(os.popen('cat amount').read())", "starts "),
            (4, "[exec(open('code').read()), CODE][1]", "reads code"),
            (4, "int(__import__('pkgutil').get_data('late', 'amount'))", "reads /"),
            (4, "int(__import__('late').__loader__.get_data('amount'))", "reads amount"),
            (6, "int(open('amount').read())", "reads amount"),
            (6, "int(os.environ['AMOUNT'])", "reads the environment: AMOUNT"),
            (6, "1 + bool(__import__('importlib.util').util.find_spec('gone'))", "looks for gone while"),
            (6, "__import__('late').AMOUNT", "looks for late while flows run"),
        ],
    )
    def test_what_reads_more_than_modules_is_not_kept(self, line: int, reading: str, why: str, runner: Runner) -> None:
        """In the file, or in its flow."""
        setting, reading = (f"AMOUNT = {reading}", "amount = AMOUNT") if line == 4 else ("", f"amount = {reading}")
        runner.write(mine_py=FLOW.format(setting=setting, reading=reading))
        for amount in (1, 2, 1):
            runner.write(amount=str(amount), late_py=f"AMOUNT = {amount}", code=f"CODE = {amount}")
            if amount == 2:
                runner.write(two="", gone_py="")
            else:
                for name in ("two", "gone.py"):
                    (runner.folder / name).unlink(missing_ok=True)
            done = runner.mine(AMOUNT=str(amount))
            assert (done.code, recalled(done)) == (amount - 1, False)
            assert "1 scenario not kept in the cache: " in done.stderr
            assert f"mine.py:{line} {why}" in done.stderr
        assert not (runner.folder / "kept").exists()

    @pytest.mark.parametrize("name", ["late.py", "late"])
    @pytest.mark.parametrize(
        "setting",
        [
            "import importlib.util\nAMOUNT = 2 if importlib.util.find_spec('late') else 1",
            "AMOUNT = 1\ntry:\n    import late\n    AMOUNT = 2\nexcept ImportError:\n    pass",
        ],
        ids=["looked for", "imported"],
    )
    def test_a_module_that_is_there_by_now_is_noticed(self, setting: str, name: str, runner: Runner) -> None:
        runner.write(mine_py=FLOW.format(setting=setting, reading="amount = AMOUNT"))
        for amount, known in ((1, False), (1, True), (2, False), (2, True)):
            if amount == 2 and name == "late":
                (runner.folder / name).mkdir(exist_ok=True)
            elif amount == 2:
                (runner.folder / name).touch()
            done = runner.mine()
            assert (done.code, recalled(done)) == (amount - 1, known), (amount, done)

    def test_the_arguments_of_the_command_are_not_there_to_be_read(self, runner: Runner) -> None:
        setting = "AMOUNT = len(sys.argv) + len(sys.orig_argv) - 1"
        runner.write(mine_py=FLOW.format(setting=setting, reading="amount = AMOUNT"))
        assert runner.mine().code == 0


class TestWhatIsTold:
    @pytest.mark.parametrize(
        "what", [("repositories/step1/delete-get", "tags/plain/*"), ("--from", "mine.py")], ids=["designs", "a loop"]
    )
    def test_the_rows_and_traces_are_those_of_a_search(self, what: tuple[str, ...], runner: Runner) -> None:
        runner.write(mine_py=LOOPS)
        runs: list[object] = []
        for option in ("--table=scenarios", "--table=scenarios", "--no-cache"):
            done = runner.verify("--json", option, *what, "--out", "traces")
            assert recalled(done) is (len(runs) == 1)
            rows = [{**json.loads(line), "seconds": 0} for line in done.stdout.splitlines()]
            assert {row["verdict"] for row in rows} == {"holds", "violated"}
            runs.append(
                (done.code, rows, {path.name: path.read_bytes() for path in (runner.folder / "traces").iterdir()})
            )
        assert runs[0] == runs[1] == runs[2]

    def test_a_limit_is_a_part_of_the_question(self, runner: Runner) -> None:
        runner.write(mine_py=HEAD + "SCENARIOS = [LARGE]\n", racing_py="")
        assert runner.mine("--max-states", "50").code == 3
        assert not recalled(runner.mine("--max-states", "50"))  # nothing inconclusive is kept
        assert not (runner.folder / "kept").exists()

    def test_a_fault_that_no_schedule_has_is_reported_and_so_is_it_from_the_cache(self, runner: Runner) -> None:
        text = FLOW.format(setting="", reading="amount = 1")
        faults = "faults=lakeproof.Faults(scan_failures=1), clients"
        runner.write(mine_py=text.replace("clients", faults))
        for known in (False, True):
            done = runner.mine()
            assert (recalled(done), "no schedule spends the scan_failures of a/b/c" in done.stdout) == (known, True)
            rows = list(map(json.loads, runner.mine("--json").stdout.splitlines()))
            assert [row["unspent"] for row in rows] == [["scan_failures"]] * 2

    def test_a_violation_that_does_not_take_place_is_searched(self, runner: Runner) -> None:
        runner.write(racing_py=RACING.read_text())
        first = runner.verify("--from", "racing.py", "known")
        [path] = (runner.folder / "kept").iterdir()
        head, text = path.read_text().splitlines()
        kept = json.loads(text)
        for steps in ([["a", "normal", ""]], [["z", "normal", ""]] * 4, [["a", "nonsense", ""]], [], None):
            kept["verdicts"][0]["steps"] = steps
            if steps is None:
                del kept["verdicts"][0]
            changed = json.dumps(kept)
            seal = sha256(changed.encode()).hexdigest()
            path.write_text(f"{head.rpartition(' ')[0]} {seal}\n{changed}")
            done = runner.verify("--from", "racing.py", "known")
            assert (done.code, recalled(done)) == (first.code, False), (steps, done)
            again = json.loads(path.read_text().splitlines()[1])
            assert {**again, "seconds": 0} == {**json.loads(text), "seconds": 0}

    @pytest.mark.parametrize(
        "damage",
        [b"", b"\xff\xfe", b"{}", b"lakeproof verdicts 0 x y\n{}", None],
        ids=["empty", "no text", "no head", "another version", "a bit"],
    )
    def test_a_damaged_file_is_as_good_as_none(self, damage: bytes | None, runner: Runner) -> None:
        runner.write(racing_py=RACING.read_text())
        assert runner.verify("--from", "racing.py", "atomic").code == 0
        [path] = (runner.folder / "kept").iterdir()
        good = path.read_bytes()
        path.write_bytes(good.replace(b'"holds"', b'"hoIds"') if damage is None else damage)
        done = runner.verify("--from", "racing.py", "atomic")
        assert (done.code, recalled(done)) == (0, False)
        assert recalled(runner.verify("--from", "racing.py", "atomic"))

    def test_a_cache_that_cannot_be_written_costs_nothing_but_time(self, runner: Runner) -> None:
        runner.write(racing_py=RACING.read_text(), kept="a file")
        done = runner.verify("--from", "racing.py", "atomic")
        assert done.code == 0
        assert "the cache in kept cannot be written: File exists; make room" in done.stderr


def outcome(key: str) -> Outcome:
    return attrs.evolve(Verify().run(ATOMIC, Source(), lambda *_: None), key=key)


class TestFolder:
    def test_what_was_not_asked_for_longest_makes_room(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cache, "FILES_MAX", 2)
        kept = Kept(tmp_path)
        keys = [letter * 64 for letter in "abc"]
        for number, key in enumerate(keys):
            kept.keep(outcome(key))
            os.utime(tmp_path / key, (0, 10 - number))
        cache._read(tmp_path / keys[2])
        assert list(kept.close([])) == []
        assert sorted(path.name for path in tmp_path.iterdir()) == [keys[0], keys[2]]  # the most recently asked for

    def test_only_files_of_the_cache_make_room(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cache, "FILES_MAX", 1)
        key, theirs = "a" * 64, ["abc", "notes.txt", f"{'b' * 64}.txt", ".profile", f"{'b' * 63}"]
        kept = Kept(tmp_path)
        with monkeypatch.context() as killed:
            killed.setattr(Path, "replace", lambda *_: None)  # between the write and the rename
            kept.keep(outcome("b" * 64))
        [left] = tmp_path.iterdir()
        for name in (*theirs, left.name):
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (0, 0))
        kept.keep(outcome(key))
        assert list(kept.close([])) == []
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*theirs, key])

    def test_a_file_that_was_renamed_is_as_good_as_none(self, tmp_path: Path) -> None:
        Kept(tmp_path).keep(outcome("a"))
        with pytest.raises(ValueError, match="damaged"):
            cache._read((tmp_path / "a").rename(tmp_path / "b"))

    def test_only_what_is_decided_is_kept(self, tmp_path: Path) -> None:
        kept = Kept(tmp_path)
        for each in (inconclusive_outcome(ATOMIC, "why"), outcome("k")):
            kept.keep(attrs.evolve(each, key="k", trouble="trouble"))
            kept.keep(attrs.evolve(each, key=""))
            kept.keep(attrs.evolve(each, key="k", stopped="a limit"))
        kept.keep(attrs.evolve(inconclusive_outcome(ATOMIC, ""), key="k"))
        assert list(tmp_path.iterdir()) == []
