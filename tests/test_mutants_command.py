"""`lakeproof mutants`: a small design of the catalogue, a user's file, going on after an end, input that is no use."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT, complaint, in_a_process, lakeproof

pytestmark = pytest.mark.usefixtures("in_tmp_path")

EXAMPLE = ROOT / "examples" / "counter.py"


def judged(*args: str) -> dict[str, str]:
    """By operator and what stood there: what became of each mutant."""
    told = [json.loads(line) for line in lakeproof("mutants", *args, "--json", "--jobs", "1").stdout.splitlines()]
    return {f"{each['operator']} {each['before']} -> {each['after']}": each["fate"] for each in told}


class TestCatalogue:
    def test_a_handful_of_mutants_of_a_small_design(self) -> None:
        found = judged("repositories/kv3/delete-create", "--in", "kv3.py:delete_repository")
        assert found["drop-effect await delete_entry(env, repository_id) -> "] == "killed"
        assert found["drop-check lists_first -> False"] == "survived"
        assert set(found.values()) == {"killed", "survived"}


class TestFile:
    def test_what_is_known_is_not_run_again(self) -> None:
        args = ("mutants", "--from", str(EXAMPLE), "--operator", "let-escape", "--jobs", "1")
        first = lakeproof(*args, "--json")
        results = Path("out/mutants.jsonl")
        kept = results.read_text()
        second = lakeproof(*args, "--json")
        assert results.read_text() == kept
        assert sorted(first.stdout.splitlines()) == sorted(second.stdout.splitlines())
        lines = kept.splitlines(keepends=True)
        results.write_text("".join(lines[:-1]))  # as if it had been interrupted before the last
        known = lakeproof(*args, "--known")
        assert known.stdout.splitlines()[-1].endswith("; not judged yet: 1")
        assert results.read_text() == "".join(lines[:-1])
        lakeproof(*args)
        assert sorted(json.loads(line)["key"] for line in results.read_text().splitlines()) == sorted(
            json.loads(line)["key"] for line in lines
        )

    def test_the_flows_of_the_file_are_mutated_and_its_invariants_are_not(self) -> None:
        found = judged("--from", str(EXAMPLE))
        blind = "blind-write await env.store.set_if(PARTITION, KEY, b'%d' % value, found)"
        assert found[f"{blind} -> await env.store.set(PARTITION, KEY, b'%d' % value)"] == "killed"
        assert found["let-escape except kv.PredicateFailed: continue -> raise"] == "survived"
        assert not any("acknowledged" in name for name in found)

    def test_all_killed_is_exit_code_0(self) -> None:
        result = lakeproof("mutants", "--from", str(EXAMPLE), "--operator", "blind-write", "--jobs", "1")
        assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "1 mutant: 100.0 % killed")


class TestWitness:
    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('"no-lost-update": "violated"', '"no-lost-update": open("late.py").read()[6:-1]'),
            ("if int(held) <", 'if "holds" not in open("late.py").read() and int(held) <'),
            ("if int(held) <", 'if __import__("late").IS != "holds" and int(held) <'),
        ],
        ids=["when it is loaded", "when it runs", "a module"],
    )
    def test_results_of_a_file_that_reads_another_one_are_not_found_again(
        self, old: str, new: str, tmp_path: Path
    ) -> None:
        (tmp_path / "file.py").write_text(EXAMPLE.read_text().replace(old, new))
        command = [sys.executable, "-m", "lakeproof", "mutants", "--from", "file.py", "--operator", "blind-write"]
        codes = []
        for expected in ("violated", "holds"):
            (tmp_path / "late.py").write_text(f"IS = '{expected}'")
            codes.append(subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False).returncode)
        assert codes == [0, 2]  # the second time a scenario is not as expected


class TestRefusals:
    def test_a_scenario_that_is_not_as_expected_judges_no_mutant(self, tmp_path: Path) -> None:
        text = EXAMPLE.read_text().replace('"no-lost-update": "violated"', '"no-lost-update": "holds"')
        (tmp_path / "file.py").write_text(text)
        result = lakeproof("mutants", "--from", "file.py", "--jobs", "1")
        said = "counter/get-set: not as expected before anything is changed: no-lost-update is violated; mend it first"
        assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"lakeproof: {said}")

    def test_a_filter_that_leaves_nothing(self) -> None:
        result = lakeproof("mutants", "--from", str(EXAMPLE), "--in", "nothing", "--jobs", "1")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "no mutant is left by --in 'nothing'" in result.stderr

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that has no end, and no room")
    def test_a_device_of_results_is_not_read(self) -> None:
        program = (
            "import resource, pathlib; from lakeproof.mutation.results import Results, Unusable\n"
            "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
            "try: Results(pathlib.Path('/dev/full'))._put('key', {})\n"
            "except Unusable as error: print(error)"
        )
        assert "/dev/full: cannot be written: No space left on device; make room" in in_a_process(program)

    def test_a_file_of_results_that_is_none(self, tmp_path: Path) -> None:
        shutil.copy(EXAMPLE, tmp_path / "results")
        result = lakeproof("mutants", "--from", str(EXAMPLE), "--results", "results")
        assert "results: line 1: " in complaint(result)
