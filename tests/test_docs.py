"""Every command in the README and the docs runs, and what the README shows is what it prints."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from lakeproof.cli import main

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
pytestmark = pytest.mark.xdist_group("docs")  # a command of a page may read what the one before it has written
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(page: Path) -> list[tuple[str, str]]:
    """The lakeproof commands of a page, each with the output that the page shows for it."""
    found: list[tuple[str, str]] = []
    for block in BLOCK.findall(page.read_text()):
        for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = piece.partition("\n")
            if command.startswith("lakeproof "):
                found.append((command.partition("  #")[0].strip(), output.strip()))
    return found


ALL = [(page.relative_to(ROOT).as_posix(), command, output) for page in PAGES for command, output in commands(page)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples and, in out/traces, the traces that the docs speak of."""
    folder = tmp_path_factory.mktemp("docs")
    if (ROOT / "examples").exists():
        shutil.copytree(ROOT / "examples", folder / "examples")
    recorded = Path("tests", "histories", "porcupine")
    shutil.copytree(ROOT / recorded, folder / recorded)
    runner = CliRunner()
    traces = str(folder / "out" / "traces")
    runner.invoke(main, ["verify", "repositories/step1/delete-delete-create", "--out", traces, "--jobs", "1"])
    for example in sorted(folder.glob("examples/*.py")):
        runner.invoke(main, ["verify", "--from", str(example), "--out", traces, "--jobs", "1"])
    return folder


def test_the_readme_shows_commands() -> None:
    assert any(page == "README.md" for page, _, _ in ALL)


@pytest.mark.parametrize(("page", "command", "output"), ALL, ids=[f"{page}: {command}" for page, command, _ in ALL])
def test_a_documented_command_runs(
    page: str, command: str, output: str, workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    monkeypatch.delenv("COLUMNS", raising=False)  # some test runners set it; the docs show the default width
    if command.startswith(("lakeproof replay", "lakeproof show")):
        make_traces(page, command)
    words = shlex.split(command)[1:]
    alone = ["--jobs", "1"] if words[0] == "verify" else []  # the results do not depend on it
    result = CliRunner().invoke(main, [*words, *alone])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    shows_a_violation = any(words in output for words in ("NOT AS EXPECTED", "no longer follows", "VIOLATED"))
    assert result.exit_code == (1 if shows_a_violation else 0), result.output
    if command.startswith(("lakeproof replay", "lakeproof show", "lakeproof check")) and output:
        assert normal(result.stdout) == normal(output)


MADE: set[str] = set()


def make_traces(page: str, reader: str) -> None:
    """What the page has written before it reads it: tests may run in any order, in several processes."""
    before = [command for at, command, _ in ALL if at == page]
    for command in before[: before.index(reader)]:
        words = shlex.split(command)[1:]
        if words[0] == "verify" and "--out" in words and command not in MADE:
            MADE.add(command)
            CliRunner().invoke(main, [*words, "--jobs", "1"])


def normal(text: str) -> str:
    """Without blank lines, trailing spaces and the time of a search."""
    timeless = re.sub(r"[\d.]+ s\)$", "S)", text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in timeless.splitlines() if line.strip())
