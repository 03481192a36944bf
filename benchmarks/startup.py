"""Processor time until the first verdict: what a command costs before and around a search that is tiny.

The limit beside each figure is what a process must pay anyway: an empty Python, and one that imports NumPy, which the
search is made of. Run: ``python -m benchmarks.startup [--runs N] [--json FILE]``, some ten seconds.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.processes import measured
from benchmarks.search import machine

ROOT: Final = Path(__file__).parents[1]
LAKEPROOF: Final = (sys.executable, "-m", "lakeproof")
COMMANDS: Final[Mapping[str, tuple[str, ...]]] = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "import numpy": (sys.executable, "-c", "import numpy"),
    "import lakeproof": (sys.executable, "-c", "import lakeproof"),
    "from lakeproof import Scenario": (sys.executable, "-c", "from lakeproof import Scenario"),
    "lakeproof --version": (*LAKEPROOF, "--version"),
    "lakeproof verify --from FILE, 8 states": (
        *(*LAKEPROOF, "verify", "--from", str(ROOT / "examples" / "counter.py"), "counter/get-set"),
    ),
    "lakeproof verify, one scenario of the catalogue": (
        *(*LAKEPROOF, "verify", "repositories/step1/delete-delete-create"),
    ),
}


def measure(runs: int) -> dict[str, float]:
    """Median processor seconds of each command and of all processes that it starts."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        costs = {
            name: [measured([*command, *_out(command, folder)], log) for _ in range(runs)]
            for name, command in COMMANDS.items()
        }
        broken = [name for name, those in costs.items() if any(cost.code for cost in those)]
        if broken:
            raise SystemExit(f"{broken}: ended with an error:\n{log.read_text()}")
    return {name: statistics.median(cost.cpu_seconds for cost in those) for name, those in costs.items()}


def _out(command: tuple[str, ...], folder: str) -> tuple[str, ...]:
    return ("--out", folder) if "verify" in command else ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found = measure(arguments.runs)
    numpy = found["import numpy"]
    print(f"{machine()}\n\n| command | CPU seconds | times `import numpy` |\n|---|---|---|")
    for name, seconds in found.items():
        print(f"| `{name}` | {seconds:.2f} | {seconds / numpy:.1f} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({"machine": machine(), "cpu_seconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
