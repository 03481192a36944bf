"""Files of the docs and the examples, as a strict type checker sees them: it has nothing to report."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.commands import ROOT

BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES: Final = tuple(
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
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for number, block in enumerate(BLOCK.findall(text)):
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
