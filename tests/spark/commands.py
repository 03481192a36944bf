"""Commands of `lakeproof spark`, in this process and in one of their own, and what is compared of what they say."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Final

import pyspark
from click.testing import Result

from lakeproof.spark_checks.engine import java
from tests.commands import ROOT, lakeproof
from tests.spark.retention.worlds import NOW

SPARK_HOME: Final = Path(pyspark.__file__).parent
PACKAGES: Final = frozenset({"attrs", "numpy", "protobuf", "pyarrow", "rich"})
"""Those of workers."""
LAKEPROOF: Final = (sys.executable, "-B", "-m", "lakeproof", "spark")


def mark_by_command(dataset: object, out: object, *more: str, kind: str = "uncommitted", run: str = "run") -> Result:
    """At the time of the worlds."""
    return lakeproof("spark", kind, str(dataset), "--now", str(NOW), "--out", str(out), "--run", run, *more)


def ran(
    *command: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """A process that has come to its end. It finds lakeproof, and has more in its environment."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {}), **environment}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def a_python(folder: Path, packages: Iterable[str] = PACKAGES) -> Path:
    """A Python with these packages and, on a worker, Spark's own, and no other: lakeproof is none of them."""
    folder.mkdir(parents=True)
    for package in packages:
        distribution = metadata.distribution(package)
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(distribution.locate_file(top))))
    program = folder / "python"
    base = getattr(sys, "_base_executable", sys.executable)
    program.write_text(
        "#!/bin/sh\n"
        'own=$(echo "$PYTHONPATH" | tr ":" "\\n" | grep /pyspark/ | paste -sd: -)\n'
        f'PYTHONPATH="$own:{folder}" exec "{base}" -S -s "$@"\n'
    )
    program.chmod(0o755)
    return program


def of_java() -> dict[str, str]:
    """The environment for programs of Spark's own."""
    return {"JAVA_HOME": java.java_home(), "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": str(SPARK_HOME)}


def last_line(done: Result) -> str:
    """Of what a command says that was begun; before it are lines of progress."""
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    *progress, line = done.stderr.splitlines()
    assert not any(each.startswith("lakeproof:") for each in progress)
    return line


def timeless(text: str) -> str:
    """Without times, and without the engine's name."""
    return re.sub(r'"seconds": [0-9.]+|"engine": "[^"]*"', "", text)
