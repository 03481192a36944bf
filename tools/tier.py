"""Which tests a change calls for: the marker expression that CI gives to pytest, and what it verifies.

    pytest -m "$(python tools/tier.py)"
    make verify ARGS="$(python tools/tier.py --verify)"

The default tier always runs. The deep tests of an area run as well if the change since the last landed commit touches
what they test. That commit is LAKEPROOF_BASE, or origin/main where HEAD is ahead of it; in a clone of the submitted
branch itself it is the newest commit that is `SESSION` older than HEAD. A base that is too old only adds tests.
"""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
SESSION: Final = 4 * 60 * 60
"""Seconds. No piece of work that lands at once is longer."""


class Area(NamedTuple):
    """Deep tests, and the paths whose change calls for them: folders, or files."""

    tests: tuple[str, ...]
    product: tuple[str, ...]


EVERYWHERE: Final = ("pyproject.toml", "constraints.txt", "conftest.py")
AREAS: Final = {
    "spark": Area(tests=("tests/spark", "tests/sql"), product=("spark_checks",)),
    "gate": Area(tests=("tests/gate",), product=("lakeproof/gate", "adapters", "examples/lakefs")),
    "engine": Area(
        tests=(
            *("tests/search", "tests/differential", "tests/edge", "tests/histories", "tests/model/linearizability"),
            "tests/impl/test_frames.py",
        ),
        product=(
            *("lakeproof/search", "lakeproof/histories", "lakeproof/scenario.py", "lakeproof/records.py"),
            *("model/linearizability", "impl/frames.py", "impl/scheduling.py", "impl/parallel.py"),
        ),
    ),
    "live": Area(
        tests=("tests/live", "tests/stores"),
        product=("lakeproof/live", "lakeproof/stores", "impl/stores", "impl/live.py", "tests/fake_lakefs"),
    ),
}

NO_VERDICT: Final = tuple(
    f"lakeproof/{room}" for room in ("gate", "languages", "live", "mutation", "show", "stores", "testing")
)
CATALOGUE: Final = ("model", "impl", "lakeproof", "examples/lakefs_today", *EVERYWHERE)
"""Paths whose change may change a verdict of the catalogue, but for those in `NO_VERDICT`."""
A_FAMILY: Final = "repositories/*"
"""What is verified after any other change, since the command must work."""


def below(path: str, folders: Iterable[str]) -> bool:
    """Whether a path, relative to the root, is one of these or lies in one of them."""
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def areas_of_test(path: str) -> list[str]:
    """The areas that a test file belongs to."""
    return [name for name, area in AREAS.items() if below(path, area.tests)]


def expression(changed: Iterable[str]) -> str:
    """The markers of the tests that these changed paths call for."""
    paths = list(changed)
    touched = [
        name
        for name, area in AREAS.items()
        if any(below(path, (*area.product, *area.tests, *EVERYWHERE)) for path in paths)
    ]
    return f"not long and ({' or '.join(['not deep', *touched])})"


def patterns(changed: Iterable[str]) -> str:
    """The scenarios that these changed paths call for: empty for all."""
    touches = any(below(path, CATALOGUE) and not below(path, NO_VERDICT) for path in changed)
    return "" if touches else A_FAMILY


def git(*args: str) -> str:
    """The output of a git command; empty if it fails."""
    done = subprocess.run(["git", *args], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def base() -> str:
    """The last landed commit, as far as this clone knows it; empty: unknown."""
    named = os.environ.get("LAKEPROOF_BASE") or git("rev-parse", "--verify", "--quiet", "origin/main")
    if named and git("rev-parse", named) != git("rev-parse", "HEAD"):
        return git("merge-base", named, "HEAD")
    committed = git("log", "-1", "--format=%ct")
    return git("rev-list", "-1", f"--before={int(committed) - SESSION}", "HEAD") if committed else ""


def changed_files() -> list[str]:
    """What differs from the last landed commit; all files, if that is unknown."""
    found = base()
    return git(*(("diff", "--name-only", found) if found else ("ls-files",))).splitlines()


if __name__ == "__main__":
    sys.stdout.write((patterns if "--verify" in sys.argv else expression)(changed_files()) + "\n")
