"""Calling the command line in tests."""

import os
import select
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from click.testing import CliRunner, Result

from lakeproof import cli
from tests import racing

RACING: Final = Path(racing.__file__)
ROOT: Final = RACING.parents[1]
HEAD: Final = "from tests.racing import *\nimport attrs\n"
"""How a scenario file of a test begins."""


def lakeproof(*args: str) -> Result:
    result = CliRunner().invoke(cli.main, args)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output, result.output
    return result


def in_a_process(program: str) -> str:
    """What a Python program prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def spawned(*args: str, **environment: str) -> "subprocess.Popen[str]":
    """The command in a process, and a process group, of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "lakeproof", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(pids: Iterable[int], seconds: float = 60) -> bool:
    """Whether these processes end, each within so many seconds. No others are looked at."""
    for pid in pids:
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            if not select.select([process], [], [], seconds)[0]:
                return False
        finally:
            os.close(process)
    return True


def complaint(result: Result) -> str:
    """The one line that an unusable input is worth."""
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    assert line.startswith("lakeproof: ")
    return line.removeprefix("lakeproof: ")
