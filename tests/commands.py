"""Calling the command line in tests."""

import os
import subprocess
import sys
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


def spawned(*args: str) -> "subprocess.Popen[str]":
    """The command in a process, and a process group, of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "lakeproof", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def complaint(result: Result) -> str:
    """The one line that an unusable input is worth."""
    assert result.exit_code == 2, result.output
    [line] = result.stderr.splitlines()
    assert line.startswith("lakeproof: ")
    return line.removeprefix("lakeproof: ")
