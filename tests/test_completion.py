"""What a shell completes, without loading what is completed."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from lakeproof.commands import completion
from lakeproof.commands.completion import catalogue_names, levels
from tests.commands import ROOT

HEAVY = {"attrs", "numpy", "trio", "rich", "lakeproof.scenario", "lakeproof.explore", "pyspark", "google"}
NAMES = ("commits/lock-free/copy@main:x-reset", "commits/lock-free/upload-commit", "repositories/naive/delete-create")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache that knows the catalogue already: another one than ours, so that it shows who was asked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with monkeypatch.context() as known:
        known.setattr(completion, "_built", lambda: list(NAMES))
        assert tuple(catalogue_names()) == NAMES
    return tmp_path


def shell(*words: str, of: str = "bash") -> list[str]:
    """What the command answers to a shell; the last of the words is being typed."""
    typed = " ".join(words)
    code = (
        "import sys\nfrom lakeproof.cli import main\n"
        "try: main.main(prog_name='lakeproof')\n"
        f"finally: print(sorted({HEAVY!r} & sys.modules.keys()), file=sys.stderr)"
    )
    number = words[-1] if of == "fish" else str(len(words) - 1)
    variables = {"_LAKEPROOF_COMPLETE": f"{of}_complete", "COMP_WORDS": typed, "COMP_CWORD": number}
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n", "nothing heavy is loaded"
    return done.stdout.split()


@pytest.mark.usefixtures("cache")
class TestShells:
    def test_names_of_scenarios_begin_with_what_is_typed(self) -> None:
        assert shell("lakeproof", "verify", "repo") == [f"plain,{NAMES[2]}"]
        assert shell("lakeproof", "walk", "commits/lock-free/u", of="zsh") == ["plain", NAMES[1], "_"]
        assert shell("lakeproof", "scenarios", "commits/lock-free/u", of="fish")[0].endswith(NAMES[1])

    def test_a_name_that_bash_has_cut_is_completed_from_the_cut(self) -> None:
        assert shell("lakeproof", "verify", "commits/lock-free/copy", "@", "main", ":", "x") == ["plain,x-reset"]
        assert shell("lakeproof", "verify", "commits/lock-free/copy", "@") == ["plain,main:x-reset"]

    def test_the_names_of_a_file_are_read_and_the_file_is_not_executed(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.py"
        file.write_text('raise SystemExit(3)\nX = [lakeproof.Scenario(name="mine/a"), Scenario(name=f"{X}")]\n')
        assert shell("lakeproof", "verify", "--from", str(file), "m") == ["plain,mine/a"]
        file.write_text("(")
        assert shell("lakeproof", "verify", "--from", str(file), "m") == []

    @pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
    def test_bash_itself_takes_the_script_and_completes(self, tmp_path: Path) -> None:
        (tmp_path / "bin").mkdir()
        command = tmp_path / "bin" / "lakeproof"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m lakeproof "$@"\n')
        command.chmod(0o755)
        program = """
            eval "$(_LAKEPROOF_COMPLETE=bash_source lakeproof)"
            complete -p lakeproof
            COMP_WORDS=(lakeproof verify repo) COMP_CWORD=2
            _lakeproof_completion lakeproof repo verify
            echo "${COMPREPLY[@]}"
        """
        environment = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(["bash", "-c", program], env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.splitlines() == ["complete -o nosort -F _lakeproof_completion lakeproof", NAMES[2]], (
            done.stderr
        )


class TestCache:
    def test_a_changed_catalogue_is_built_again_and_the_old_list_goes(
        self, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "scenarios"
        folder.mkdir()
        monkeypatch.setattr(completion, "CATALOGUE", folder)
        monkeypatch.setattr(completion, "_built", lambda: ["b"])
        assert catalogue_names() == ["b"]
        monkeypatch.setattr(completion, "_built", lambda: ["c"])
        assert catalogue_names() == ["b"]
        (folder / "more.py").write_text("")
        assert catalogue_names() == ["c"]
        assert [path.read_text() for path in (cache / "lakeproof").iterdir()] == ["c\n"]

    @pytest.mark.deep
    def test_what_is_built_is_the_catalogue(self) -> None:
        from lakeproof.scenarios import catalogue

        assert completion._built() == [scenario.name for scenario in catalogue()]


@pytest.mark.parametrize(
    ("names", "begun", "expected"),
    [
        ([], "", []),
        (["a/b", "a/c", "b"], "a", ["a/b", "a/c"]),
        ([f"a/{n}/x" for n in range(9)] * 9, "", [f"a/{n}/x" for n in range(9)]),  # each name once
        ([f"a/b/{n % 7}/{n}" for n in range(100)], "", [f"a/b/{n}/" for n in range(7)]),  # a/ and a/b/ decide nothing
        ([f"a/{n:02}" for n in range(61)], "a", [f"a/{n:02}" for n in range(61)]),
        (["ab/c", *(f"a/{n}" for n in range(60))], "a", ["a/", "ab/"]),
    ],
)
def test_many_names_are_completed_up_to_the_slash_where_they_differ(
    names: Sequence[str], begun: str, expected: Sequence[str]
) -> None:
    assert levels(names, begun) == expected
