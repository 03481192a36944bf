"""Pinned releases with known bugs are red, and later ones green, under the same scenarios.

A release is installed into a folder of its own, which the processes of the program then import from first."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STALLED = (
    "replay docs/gallery/traces/slatedb_stalled-writer.acknowledged_is_there.json --from examples/gate/slatedb_store.py"
)
ON_RELEASES = (
    ("slatedb-0.10.0", STALLED),
    ("deltalake-1.6.3", "run examples/gate/delta.py delta/optimize-optimize"),
)
"""The commands of the pages, each run below with the packages of a folder."""


def installed(release: str, folder: Path) -> Path:
    """A release in a folder. Without a package index the test is skipped; in continuous integration it fails."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), release]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = f"{release} cannot be installed: {done.stderr.strip()[-300:]}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


def gate(folder: Path, *words: str) -> tuple[int, str]:
    """The exit code of `lakeproof gate`, and what it prints; with the packages of a folder."""
    done = subprocess.run(
        [sys.executable, "-m", "lakeproof", "gate", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.deep
def test_a_stalled_writer_of_slatedb_0_10_0_loses_an_acknowledged_put(tmp_path: Path) -> None:
    code, told = gate(installed("slatedb==0.10.0", tmp_path), *STALLED.split())
    assert (code, told.splitlines()[-1]) == (1, "evidence: the put of one was acknowledged, and it cannot be read")


@pytest.mark.deep
def test_two_compactions_at_once_hold_with_deltalake_1_6_3(tmp_path: Path) -> None:
    words = ("run", "examples/gate/delta.py", "delta/optimize-optimize", "--out", str(tmp_path))
    code, told = gate(installed("deltalake==1.6.3", tmp_path / "release"), *words)
    assert code == 1, "the file expects what 1.6.6 does"
    assert "readable_and_explained holds, NOT AS EXPECTED (violated): 6 schedules, all with parallel requests" in told
