"""The command line in forks of one process that has loaded lakeproof, and is witnessed from its beginning."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import attrs

from tests.commands import ROOT

PROGRAM: Final = """
import json, os, sys
from lakeproof.verify.witness import WITNESS
WITNESS.install()
from lakeproof.cli import main
import lakeproof.search.minimise, lakeproof.search.search, lakeproof.show.progress, lakeproof.show.story
import lakeproof.show.conclusion, lakeproof.verify.cache, lakeproof.verify.keys, lakeproof.verify.processes
for line in sys.stdin:
    folder, environment, args = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.environ.update(environment)
        for number, name in enumerate(("/dev/null", "stdout", "stderr")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        try:
            main(args)
        except SystemExit as end:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(end.code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@attrs.frozen
class Done:
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


class Warm:
    """Runs commands, one after the other."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def run(self, folder: Path, *args: str, **environment: str) -> Done:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps((str(folder), environment, args)) + "\n")
        stdin.flush()
        code = int(stdout.readline())
        return Done(code, (folder / "stdout").read_text(), (folder / "stderr").read_text())
