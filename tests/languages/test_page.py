"""docs/flow-protocol.md and the pages of adapters, walked literally: files saved, commands run, output compared."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.languages.building import ROOT, tool

PART = re.compile(
    r"Save as `(?P<name>[\w./]+)`:\n\n```\w+\n(?P<text>.*?)^```|^```shell\n(?P<shell>.*?)^```", re.MULTILINE | re.DOTALL
)


pytestmark = pytest.mark.xdist_group("languages")


def normal(text: str) -> list[str]:
    """The lines that are not empty, without what differs from run to run: seconds, and the space between columns."""
    lines = (" ".join(re.sub(r"\d+\.\d+|\d+(?= s$)", "S", line).split()) for line in text.splitlines())
    return [line for line in lines if line]


def in_order(shown: list[str], found: list[str]) -> bool:
    rest = iter(found)
    return all(line in rest for line in shown if line != "...")


def walk(page: Path, folder: Path, *tools: str) -> int:
    """Save the files of a page and run its commands, from a folder on; returns how many there were."""
    lakeproof = folder / "bin" / "lakeproof"
    lakeproof.parent.mkdir()
    lakeproof.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lakeproof "$@"\n')
    lakeproof.chmod(0o755)
    path = os.pathsep.join([str(lakeproof.parent), *(str(Path(each).parent) for each in tools), os.environ["PATH"]])
    environment = {
        **os.environ,
        "LAKEPROOF": str(ROOT),
        "PYTHONPATH": str(ROOT),
        "PATH": path,
        "COLUMNS": "120",
        "CARGO_NET_OFFLINE": "true",
    }
    run = 0
    for part in PART.finditer(page.read_text(encoding="utf-8")):
        if part["name"]:
            (folder / part["name"]).write_text(part["text"])
            continue
        for piece in re.split(r"^\$ ", part["shell"], flags=re.MULTILINE)[1:]:
            command, _, shown = piece.partition("\n")
            done = subprocess.run(
                ["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            surprise = command.startswith("lakeproof verify") and "1 surprise" in done.stdout
            assert done.returncode == surprise, f"{command}\n{done.stdout}{done.stderr}"
            assert in_order(normal(shown), normal(done.stdout)), f"{command}\n{done.stdout}"
            moved = re.search(r"&& cd (\w+)", command)
            folder = folder / moved[1] if moved else folder
            run += 1
    return run


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    assert walk(ROOT / "docs" / "flow-protocol.md", tmp_path, tool("go", "golang")) == 5


@pytest.mark.parametrize(
    ("language", "tools", "commands"),
    [
        ("rust", [("cargo", "cargo")], 4),
        ("java", [("javac", "default-jdk-headless"), ("java", "default-jdk-headless")], 4),
        ("typescript", [("node", "nodejs")], 2),
    ],
)
def test_the_page_of_an_adapter_does_what_it_says(
    language: str, tools: list[tuple[str, str]], commands: int, tmp_path: Path
) -> None:
    page = ROOT / "adapters" / language / "README.md"
    assert walk(page, tmp_path, *(tool(*each) for each in tools)) == commands
