"""Which Java runs Spark: JAVA_HOME's, or the one on the PATH. Spark 4 wants Java 17 or newer."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from lakeproof.words import Unusable

OLDEST: Final = 17
REPAIR: Final = "install Java 17 or newer, or set JAVA_HOME; `pip install 'lakeproof[embedded]'` needs none"

_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')  # Java 8 calls itself 1.8


def java_home() -> str:
    """A value for JAVA_HOME with which Spark starts. Cost: one start of Java, to ask its version.

    Raises Unusable: there is no Java, or it is too old.
    """
    named = os.environ.get("JAVA_HOME", "")
    if named:
        _check(Path(named) / "bin" / "java", f"JAVA_HOME is {named}")
        return named
    found = shutil.which("java")
    if found is not None:
        # On the PATH there is often a chain of links; the home is above the folder bin of the real file.
        java = Path(found).resolve()
        _check(java, f"java is {java}")
        return str(java.parents[1])
    raise Unusable(f"java: found neither by JAVA_HOME nor on the PATH, and Spark runs on it; {REPAIR}")


def _check(java: Path, what: str) -> None:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{what}, which does not run ({error}); {REPAIR}") from None
    match = _VERSION.search(done.stderr + done.stdout)  # `java -version` writes to stderr
    if done.returncode or match is None:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["nothing"]
        raise Unusable(f"{what}, which does not run (it says: {lines[0]}); {REPAIR}")
    if int(match[1]) < OLDEST:
        raise Unusable(f"{what}, which is Java {match[1]}: Spark wants {OLDEST} or newer; {REPAIR}")
