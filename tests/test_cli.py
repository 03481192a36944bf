"""The command line, as its users meet it: outputs, files and exit codes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lakeproof.search import trace as traces
from tests import racing
from tests.commands import HEAD, RACING, complaint, lakeproof

VARIANT = "repositories/step2-create-declares-failed"


@pytest.fixture(autouse=True)
def _folder(in_tmp_path: Path) -> None:
    """Every test runs in a folder of its own, with the scenario file in it."""
    shutil.copy(RACING, in_tmp_path / "racing.py")


SECONDS = r"\b\d+\.\d\d\b|\b\d+(?= s\b)"
"""As `lakeproof.show.style.seconds` has them: with two digits, or none."""


def timeless(text: str) -> str:
    """Without seconds, and without the widths that they give to columns."""
    return re.sub(r"(?<=[ ─]) +| +$|─(?=─)", "", re.sub(SECONDS, "0.00", text), flags=re.MULTILINE)


class TestVerify:
    def test_a_violation_is_told_as_a_story_and_exits_with_1(self) -> None:
        result = lakeproof("verify", "--from", "racing.py", "lost-update")
        assert result.exit_code == 1
        lines = result.stdout.splitlines()
        assert lines[0].startswith("lakeproof ")
        assert " scenarios=1 jobs=1 max-states=none max-seconds=none max-memory=" in lines[0]
        assert "increments-count is violated in counters/lost-update, 4 steps" in lines
        replay = "lakeproof replay out/traces/counters_lost-update.increments-count.json --from racing.py"
        assert f"replay:   {replay}" in lines
        assert "1 trace in out/traces" in lines
        assert (lines[1], lines[2:4]) == ("1 surprise in 1 scenario", ["", lines[3]])
        assert lines[3].startswith("violated instead of holds: increments-count in counters/lost-update: ")
        assert lines[-1].startswith("1 surprise in 1 scenario: 1 violated, ")
        assert result.stderr == ""

    @pytest.mark.parametrize("path", [True, False], ids=["on the path", "not on the path"])
    def test_the_line_that_is_printed_works_where_it_is_printed(self, path: bool) -> None:
        installed = Path(sys.executable).parent
        environment = {**os.environ, "PATH": f"{installed if path else ''}{os.pathsep}{os.defpath}"}
        command = [str(installed / "lakeproof"), "verify", "--from", "racing.py", "known"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        [line] = [line.removeprefix("replay:") for line in done.stdout.splitlines() if line.startswith("replay:")]
        assert line.split()[0].startswith("lakeproof") is path
        again = subprocess.run(["sh", "-c", line], env=environment, capture_output=True, text=True, check=False)
        assert (again.returncode, again.stderr) == (0, "")
        assert again.stdout.splitlines()[-1] == "replayed: 4 steps; the code still follows the trace"

    def test_a_limit_leaves_it_inconclusive_and_says_how_far_it_got(self) -> None:
        Path("mine.py").write_text(HEAD + "SCENARIOS = [LARGE]\n")
        result = lakeproof("verify", "--from", "mine.py", "--max-states", "50")
        assert result.exit_code == 3
        assert re.search(r"at most 50 were allowed; every schedule was covered up to \d steps\n", result.stdout)
        assert result.stdout.splitlines()[-1].startswith("INCONCLUSIVE: 1 verdict missing in 1 scenario: ")
        assert lakeproof("verify", "--from", "mine.py", "--max-seconds", "0.000001").exit_code == 3

    def test_many_scenarios_are_shown_by_design_and_their_expected_stories_wait_for_replay(self) -> None:
        Path("mine.py").write_text(
            HEAD + "SCENARIOS = [attrs.evolve(KNOWN, name=f'd/{v}/{i}') for v in ('one', 'two') for i in range(21)]\n"
        )

        def shown(*options: str) -> str:
            result = lakeproof("verify", "--from", "mine.py", "--jobs", "1", *options)
            assert result.exit_code == 0
            assert "replay:" not in result.stdout
            return result.stdout

        usual = shown()
        assert "  one: 21 scenarios, 1 of 2 invariants hold\n      violated as expected: increments-count" in usual
        first, last = usual.splitlines()[1], usual.splitlines()[-1]
        assert first == "42 scenarios, all as expected; nothing new is violated"
        assert last.startswith(first)
        assert re.search(r"^ d +one +two *$", shown("--table", "matrix"), re.MULTILINE)
        assert re.search(r"^ increments-count +✗ 21/21 +✗ 21/21 *$", shown("--table", "matrix"), re.MULTILINE)
        assert shown("--table", "scenarios").count("violated: increments-count in 4 steps") == 42

    def test_two_runs_print_the_same_and_write_the_same(self) -> None:
        runs = []
        for jobs in ("1", "2"):
            result = lakeproof("verify", VARIANT, "--out", f"out{jobs}", "--jobs", jobs)
            shown = timeless(result.stdout).replace(f"out{jobs}", "out").splitlines()[1:]
            files = {path.name: path.read_bytes() for path in Path(f"out{jobs}").iterdir()}
            runs.append((shown, files))
        assert runs[0] == runs[1]

    def test_each_scenario_has_a_trace_of_its_own_in_the_folder_whatever_its_name_is(self) -> None:
        names = ("n/a b", "n/a_b", "N/A b", "n/a@b", "n/a:b", "n/a@b:c", "q/q", "Q/q", "../../evil", "/evil", "..")
        Path("mine.py").write_text(HEAD + f"SCENARIOS = [attrs.evolve(KNOWN, name=name) for name in {names}]\n")
        assert lakeproof("verify", "--from", "mine.py", "--out", "a/b/c").exit_code == 0
        written = {path.name.lower(): traces.read(path).scenario for path in Path("a/b/c").iterdir()}
        assert sorted(written.values()) == sorted(names)  # also where two cases are one file
        assert not [path.name for path in Path("a/b/c").iterdir() if set("@:") & set(path.name)]
        assert [path.name for path in Path("a").iterdir()] == ["b"]


class TestScenarios:
    def test_variants_are_listed_first_and_each_line_is_a_pattern(self) -> None:
        *variants, empty, hint = lakeproof("scenarios").stdout.splitlines()
        assert (empty, hint) == ("", "`lakeproof scenarios repositories/naive` lists those of one line")
        [line] = [line for line in variants if line.startswith("commits/optimistic ")]
        assert len(lakeproof("scenarios", "commits/optimistic/*").stdout.splitlines()) == int(line.split()[1])
        everything = lakeproof("scenarios", "*").stdout.splitlines()
        assert sum(int(line.split()[1].replace(",", "")) for line in variants) == len(everything)


class TestReplayAndShow:
    @pytest.fixture
    def trace(self) -> str:
        lakeproof("verify", "--from", "racing.py", "known")
        return "out/traces/counters_known.increments-count.json"

    def test_a_changed_flow_fails_at_the_step_that_differs(self, trace: str) -> None:
        source = Path("racing.py").read_text()
        changed = source.replace("await env.store.set(*COUNTER", "await env.store.set(b'counters', b'm'", 1)
        Path("racing.py").write_text(changed)
        result = lakeproof("replay", trace, "--from", "racing.py")
        assert result.exit_code == 1
        assert result.stdout == ""
        assert result.stderr == (
            f"lakeproof: {trace}: step 3 of 4, client a: the code no longer follows the trace\n"
            "  trace: increment(): set counters/n = 1\n"
            "  code:  increment(): set counters/m = 1\n"
        )

    def test_the_file_of_the_scenario_must_be_named(self, trace: str) -> None:
        hint = "its scenario is in racing.py; say where that is with --from racing.py"
        assert complaint(lakeproof("replay", trace)) == f"{trace}: {hint}"

    @pytest.mark.parametrize("command", ["replay", "show"])
    def test_a_file_that_is_no_trace(self, command: str) -> None:
        Path("a.json").write_text("{}")
        assert complaint(lakeproof(command, "a.json")).startswith("a.json: no trace")


class TestWalk:
    def test_the_seed_comes_first_and_decides_everything(self) -> None:
        args = ("walk", "--from", "racing.py", "known", "--seed", "5", "--executions", "50")
        result = lakeproof(*args)
        assert result.exit_code == 0
        assert " strategy=pct seed=5 executions=50 depth=3" in result.stdout.splitlines()[0]
        assert "counters_known.increments-count.walk.json" in result.stdout
        assert timeless(result.stdout) == timeless(lakeproof(*args).stdout)

    def test_of_a_file_all_scenarios_are_walked_and_of_the_catalogue_those_that_are_named(self) -> None:
        result = lakeproof("walk", "--from", "racing.py", "--executions", "10")
        assert f" scenarios={len(racing.SCENARIOS)} " in result.stdout.splitlines()[0]
        assert complaint(lakeproof("walk", "--executions", "10")).startswith("name a PATTERN")

    def test_nothing_found_proves_nothing(self) -> None:
        result = lakeproof("walk", "--from", "racing.py", "atomic", "--executions", "10")
        assert result.exit_code == 3
        assert "inconclusive: increments-count" in result.stdout
