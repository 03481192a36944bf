"""docs/flow-protocol.md, walked literally: its files are saved, its commands run, and their output is as shown."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.languages.building import ROOT, tool

PAGE = (ROOT / "docs" / "flow-protocol.md").read_text()
PART = re.compile(
    r"Save as `(?P<name>[\w.]+)`:\n\n```\w+\n(?P<text>.*?)^```|^```shell\n(?P<shell>.*?)^```", re.MULTILINE | re.DOTALL
)


pytestmark = pytest.mark.xdist_group("languages")


def normal(text: str) -> list[str]:
    """The lines that are not empty, without what differs from run to run: seconds, and the space between columns."""
    lines = (" ".join(re.sub(r"\d+\.\d+|\d+(?= s$)", "S", line).split()) for line in text.splitlines())
    return [line for line in lines if line]


def in_order(shown: list[str], found: list[str]) -> bool:
    rest = iter(found)
    return all(line in rest for line in shown if line != "...")


def test_the_page_does_what_it_says(tmp_path: Path) -> None:
    lakeproof = tmp_path / "bin" / "lakeproof"
    lakeproof.parent.mkdir()
    lakeproof.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m lakeproof "$@"\n')
    lakeproof.chmod(0o755)
    path = os.pathsep.join([str(lakeproof.parent), str(Path(tool("go", "golang")).parent), os.environ["PATH"]])
    environment = {**os.environ, "LAKEPROOF": str(ROOT), "PYTHONPATH": str(ROOT), "PATH": path, "COLUMNS": "120"}
    folder, run = tmp_path, 0
    for part in PART.finditer(PAGE):
        if part["name"]:
            (folder / part["name"]).write_text(part["text"])
            continue
        for piece in re.split(r"^\$ ", part["shell"], flags=re.MULTILINE)[1:]:
            command, _, shown = piece.partition("\n")
            done = subprocess.run(
                ["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            assert in_order(normal(shown), normal(done.stdout)), f"{command}\n{done.stdout}"
            folder = tmp_path / "shop"  # the first command ends there
            run += 1
    assert run == 5
