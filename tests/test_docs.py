"""Every command in the README and the docs runs, and prints what is shown; files in them and the examples are typed."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from lakeproof.cli import main
from tests.commands import ROOT

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


PYTHON: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TYPED: Final = tuple(
    page.relative_to(ROOT)
    for pattern in ("*.md", "docs/**/*.md", "adapters/**/*.md", "examples/**/*.md")
    for page in sorted(ROOT.glob(pattern))
)
WHOLE: Final = ("def ", "import ")
"""A block that has all of these is a file of its own; others are a part of one."""
UNTYPED: Final = {"docs_targets_0.py"}
"""An adapter that shows a protocol, for readers of any language."""
IMPORTED: Final = {"docs_reference_python_1.py": "scenarios.py"}
"""Files that others on their page import."""

CONFIG: Final = f"""[mypy]
strict = true
explicit_package_bases = true
mypy_path = {ROOT}
cache_dir = {ROOT / ".mypy_cache" / "examples"}
"""


def files() -> Iterator[tuple[str, str]]:
    """Name and text of each file that a page shows whole."""
    for page in TYPED:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, block in enumerate(PYTHON.findall(text)):
            name = f"{'_'.join(page.with_suffix('').parts).replace('-', '_')}_{number}.py"
            if all(part in block for part in WHOLE) and name not in UNTYPED:
                yield IMPORTED.get(name, name), block


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of the docs and the examples, which import each other as theirs do."""
    for name, block in files():
        (tmp_path / name).write_text(block, encoding="utf-8")
    return tmp_path


def complaints(command: list[str], folder: Path) -> str:
    examples = [str(ROOT / "examples" / name) for name in ("counter.py", "gallery")]
    done = subprocess.run([*command, str(folder), *examples], cwd=folder, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_pages_of_each_folder_have_files() -> None:
    names = {name for name, _ in files()}
    assert names >= {"docs_ten_minutes_0.py", "docs_ci_1.py", "scenarios.py", "adapters_rust_README_0.py"}


def test_they_pass_mypy_strict(folder: Path) -> None:
    (folder / "mypy.ini").write_text(CONFIG)
    assert complaints([sys.executable, "-m", "mypy", "--config-file", "mypy.ini"], folder) == ""


def test_a_mistake_in_one_is_found(folder: Path) -> None:
    (folder / "mypy.ini").write_text(CONFIG)
    [name] = [name for name, _ in files() if name.startswith("docs_ten_minutes")]
    text = (folder / name).read_text().replace("int(snapshot.store[STOCK])", "snapshot.store[STOCK].commit_id")
    (folder / name).write_text(text)
    assert "commit_id" in complaints([sys.executable, "-m", "mypy", "--config-file", "mypy.ini"], folder)


@pytest.mark.deep
def test_they_pass_pyright(folder: Path) -> None:
    pytest.importorskip("pyright", reason="pip install pyright, which fetches itself from npm")
    (folder / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT}"], "typeCheckingMode": "standard"}}')
    assert complaints([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], folder) == ""
