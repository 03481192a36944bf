"""The path of a new user, walked literally: the commands, files and outputs of docs/ten-minutes.md, in their order."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import ROOT

PAGE = (ROOT / "docs" / "ten-minutes.md").read_text()
BLOCK = re.compile(r"^```([a-z-]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODES = {"verify --from sale.py": [1, 0], "pytest -q sale.py": [1, 0]}
"""How often each of these is walked, and how it ends: first refuted, then proved."""


def blocks() -> Iterator[tuple[str, str]]:
    for found in BLOCK.finditer(PAGE):
        yield found[1], found[2]


def normal(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def undated(text: str) -> str:
    """Without times."""
    return re.sub(r"[\d.]+ s$", "S", text, flags=re.MULTILINE)


class Walker:
    """Does what the page says, in a folder."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = environment
        self.left = {name: list(codes) for name, codes in CODES.items()}
        self.told: list[str] = []

    def walk(self, kind: str, text: str) -> None:
        match kind:
            case "python":
                name = text.partition("\n")[0].removeprefix("# ")
                (self.folder / name).write_text(text)
            case "diff":
                before, after = (re.search(rf"^\{sign}(.*\n)", text, re.MULTILINE) for sign in "-+")
                assert before
                assert after
                source = (self.folder / "sale.py").read_text()
                assert source.count(before[1]) == 1
                (self.folder / "sale.py").write_text(source.replace(before[1], after[1]))
            case "text":
                assert undated(text) in undated(self.told[-1])
            case "shell-session":
                for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                    command, _, output = piece.partition("\n")
                    self.run(command, output)

    def run(self, command: str, output: str) -> None:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        codes = next((codes for name, codes in self.left.items() if name in command), [0])
        assert done.returncode == codes.pop(0), f"{command}\n{done.stdout}{done.stderr}"
        if output.strip():
            assert normal(done.stdout) == normal(output)
        self.told.append(done.stdout)

    def arrived(self) -> None:
        """All that the page promises was on the screen."""
        assert self.left == {name: [] for name in CODES}
        _, verified, shown, red, proved, green = self.told
        assert "violated instead of holds: sales-add-up in shop/sale" in verified
        assert "evidence: 2 sold and 1 left, of 2" in shown
        assert "sales-add-up is violated in shop/sale, 4 steps" in red
        assert "all as expected; nothing is violated: 2 hold" in proved
        assert "1 passed" in green


def test_from_the_flow_to_green(tmp_path: Path) -> None:
    """With this interpreter for `.venv`, and without what installs."""
    folder = tmp_path / "lakeproof"
    (folder / ".venv" / "bin").mkdir(parents=True)
    for name in ("lakeproof", "pytest"):
        command = folder / ".venv" / "bin" / name
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m {name} "$@"\n')
        command.chmod(0o755)
    walker = Walker(folder, {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80"})
    (folder / "pytest.ini").write_text("[pytest]\n")
    for kind, text in blocks():
        there = re.sub(r"^\$ .*(git clone|pip install).*\n", "", text, flags=re.MULTILINE)
        walker.walk(kind, there.replace("make verify ARGS=", ".venv/bin/lakeproof verify "))
    walker.arrived()


@pytest.mark.deep
def test_from_the_clone(tmp_path: Path) -> None:
    """Everything, literally. What is cloned is what is committed here; packages come from the user's index."""
    if not (ROOT / ".git").exists() or shutil.which("make") is None:
        pytest.fail(f"{ROOT}: needs git's checkout and make")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["COLUMNS"] = "80"
    walker = Walker(tmp_path, environment)
    for kind, text in blocks():
        if "git clone" in text:
            clone, *rest = text.replace("REPOSITORY", str(ROOT)).splitlines(keepends=True)
            walker.walk("shell-session", clone)
            walker.folder = tmp_path / "lakeproof"
            walker.walk("shell-session", "".join(rest))
        else:
            walker.walk(kind, text)
    walker.told = [told for told in walker.told if told]
    walker.arrived()
