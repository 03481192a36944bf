"""The action for GitHub and the hook for pre-commit: their structure, and their steps, run literally."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml

from lakeproof.show.baseline import read
from tests.commands import HEAD, ROOT

Fields = Mapping[str, object]
ACTION = cast("Fields", yaml.safe_load((ROOT / "action.yml").read_text()))
INPUTS = cast("Mapping[str, Mapping[str, str]]", ACTION["inputs"])
STEPS = cast("list[Mapping[str, object]]", cast("Fields", ACTION["runs"])["steps"])
[VERIFY] = [step for step in STEPS if step.get("id") == "verify"]
GOOD = f"{HEAD}SCENARIOS = [KNOWN]\n"
WRONG = f"{HEAD}SCENARIOS = [LOST_UPDATE, ATOMIC]\n"


class TestStructure:
    """Source: "Metadata syntax reference" of GitHub Actions, composite actions."""

    def test_it_has_what_a_composite_action_needs_and_nothing_that_is_unknown(self) -> None:
        assert ACTION.keys() == {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
        assert cast("Fields", ACTION["runs"]).keys() == {"using", "steps"}
        assert cast("Fields", ACTION["runs"])["using"] == "composite"
        for each in INPUTS.values():
            assert each.keys() == {"description", "default"}
            assert isinstance(each["default"], str)

    def test_no_input_is_pasted_into_a_script(self) -> None:
        assert [step["name"] for step in STEPS if "${{" in str(step.get("run", ""))] == []

    def test_every_expression_names_an_input_or_an_output_that_exists(self) -> None:
        text = (ROOT / "action.yml").read_text()
        assert set(re.findall(r"inputs\.([\w-]+)", text)) == INPUTS.keys()
        outputs = set(re.findall(r"steps\.verify\.outputs\.([\w-]+)", text))
        assert outputs == cast("Fields", ACTION["outputs"]).keys()
        assert outputs == set(re.findall(r'echo "([\w-]+)=.*GITHUB_OUTPUT', str(VERIFY["run"])))


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A checkout with scenarios, and a path on which `lakeproof` is this tree."""
    (tmp_path / "flows.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "bin").mkdir()
    for name, line in (("lakeproof", f'exec {sys.executable} -m lakeproof "$@"'), ("python", 'printf "%s\\n" "$@"')):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def run(job: Path, step: Fields, **inputs: str) -> subprocess.CompletedProcess[str]:
    """A step as the runner executes it: `bash -e -o pipefail` with the step's variables. ``inputs``: "-" is "_"."""
    given = {name: each["default"] for name, each in INPUTS.items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    expression = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")
    told = cast("Mapping[str, str]", step["env"])
    variables = {name: expression.sub(lambda found: given[found[1]], value) for name, value in told.items()}
    environment = {
        **os.environ,
        **variables,
        "PATH": f"{job / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GITHUB_STEP_SUMMARY": str(job / "summary"),
        "GITHUB_OUTPUT": str(job / "output"),
        "GITHUB_ACTION_PATH": "the-action",
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", str(step["run"])]
    return subprocess.run(command, cwd=job, env=environment, capture_output=True, text=True, check=False)


class TestSteps:
    def test_what_is_installed_is_the_action_or_what_the_input_says(self, job: Path) -> None:
        [install] = [step for step in STEPS if step["name"] == "Install lakeproof"]
        assert run(job, install).stdout.splitlines()[-1] == "the-action"
        assert run(job, install, install="lakeproof==0.2.0; echo no").stdout.splitlines()[-1].endswith("; echo no")

    @pytest.mark.deep
    def test_as_expected_it_ends_with_0_and_leaves_summary_verdicts_and_pages(self, job: Path) -> None:
        done = run(job, VERIFY, **{"from": "flows.py"})
        assert (done.returncode, "::error" in done.stdout) == (0, False), done.stderr
        assert (job / "output").read_text() == "exit-code=0\nverdicts=out/lakeproof/verdicts.jsonl\n"
        assert "## lakeproof: all as expected" in (job / "summary").read_text()
        folder = job / "out" / "lakeproof"
        assert read(folder / "verdicts.jsonl").rows
        assert (folder / "pages" / "index.html").exists()
        assert list((folder / "traces").glob("*.json"))

        again = run(job, VERIFY, **{"from": "flows.py", "baseline": "out/lakeproof/verdicts.jsonl"})
        assert again.returncode == 0
        assert "none differs" in (job / "summary").read_text()

    def test_a_violation_is_annotated_on_its_line_and_fails(self, job: Path) -> None:
        done = run(job, VERIFY, **{"from": "wrong.py", "patterns": "  atomic\n  lost  "})
        assert done.returncode == 1, done.stderr
        assert re.search(r"^::error file=[^,]+,line=\d+,title=", done.stdout, re.MULTILINE)
        summary = (job / "summary").read_text()
        assert "## lakeproof: not as expected" in summary
        assert "```mermaid" in summary
        assert (job / "output").read_text().startswith("exit-code=1\n")

    @pytest.mark.deep
    def test_a_difference_from_the_baseline_fails_and_is_in_the_summary(self, job: Path) -> None:
        run(job, VERIFY, **{"from": "flows.py", "folder": "before"})
        before = job / "before" / "verdicts.jsonl"
        before.write_text(before.read_text().replace('"steps": 4', '"steps": 5'))
        done = run(job, VERIFY, **{"from": "flows.py", "baseline": "before/verdicts.jsonl"})
        assert done.returncode == 1
        assert "::error title=lakeproof::verdicts differ from the baseline" in done.stdout
        assert "steps 5 -> 4" in (job / "summary").read_text()

    @pytest.mark.parametrize(
        ("inputs", "told"),
        [
            ({"from": "none.py"}, "::error title=lakeproof::lakeproof: none.py: cannot be read"),
            ({"from": "flows.py", "baseline": "none.jsonl"}, "none.jsonl: cannot be read"),
            ({"from": "flows.py", "patterns": "--json"}, "no scenario matches '--json'"),
            ({"from": "flows.py", "max-seconds": "$(touch planted)"}, "expected seconds"),
        ],
    )
    def test_unusable_input_is_an_error_of_the_job_and_no_command(
        self, job: Path, inputs: dict[str, str], told: str
    ) -> None:
        done = run(job, VERIFY, **inputs)
        assert done.returncode == 2
        assert told in done.stdout
        assert not (job / "planted").exists()


@pytest.mark.deep
def test_the_hook_runs_the_command_that_it_names_on_its_arguments(job: Path) -> None:
    [hook] = cast("list[Fields]", yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()))
    assert hook.keys() >= {"id", "name", "entry", "language"}
    assert (hook["language"], hook["pass_filenames"], hook["require_serial"]) == ("python", False, True)
    environment = {**os.environ, "PATH": f"{job / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    for file, code in (("flows.py", 0), ("wrong.py", 1)):
        command = [*str(hook["entry"]).split(), "--from", file]
        done = subprocess.run(command, cwd=job, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
