"""Scenario files of a user's, through the command line: what comes of them."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from tests.commands import ROOT

COMMAND: Final = ("-m", "lakeproof")
CODE: Final = "no-unhandled-exception"

HEAD: Final = '''"""A user's file."""
import attrs, dataclasses
from lakeproof import Call, Faults, Scenario
from lakeproof.scenario import Aftermath
from lakeproof.model import kv, objects
from lakeproof.model.invariants import Always, Eventually, Monitor, Observer, OnStep, Reached, Reads, Violation
from lakeproof.model.snapshot import Invoked, Returned, Status

P, K = b"p", b"k"
BOTH = frozenset({Reads.STORE, Reads.CLIENTS})
async def touch(env, *args, **options):
    await env.store.set(P, K, b"1")
ANY = Always(id="any", meaning="", check=lambda snapshot: [Reached("a state")])
'''


@attrs.frozen
class Ran:
    """A command that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def verdicts(self) -> dict[tuple[str, str], dict[str, object]]:
        """The lines of ``--json``, by scenario and invariant."""
        lines = [json.loads(line) for line in self.stdout.splitlines()]
        return {(line["scenario"], line["invariant"]): line for line in lines}

    def verdict(self, invariant: str, scenario: str = "s") -> str:
        return str(self.verdicts[scenario, invariant]["verdict"])

    @property
    def complaints(self) -> list[str]:
        """What it complains of, without the line of bounds that ``--json`` puts first."""
        return [line.removeprefix("lakeproof: ") for line in self.stderr.splitlines() if line.startswith("lakeproof: ")]


def run(*args: str, seconds: float = 120.0, python: Sequence[str] = (), start: Sequence[str] = COMMAND) -> Ran:
    """The command line as a user runs it, in the present folder. No traceback, whatever happens."""
    done = subprocess.run(
        [sys.executable, *python, *start, *args],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def verify(source: str, *args: str, seconds: float = 120.0, start: Sequence[str] = COMMAND) -> Ran:
    """``lakeproof verify --from`` a file with this text."""
    Path("mine.py").write_text(HEAD + source)
    return run("verify", "--from", "mine.py", "--json", *args, seconds=seconds, start=start)


def line_of(text: str) -> int:
    """The number of the line of the user's file that holds this."""
    lines = Path("mine.py").read_text().splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)
