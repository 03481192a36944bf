"""Compare a run of the catalogue with an earlier one: what a change of the house must keep.

    lakeproof verify --json > now.jsonl
    python tools/verdicts.py EARLIER.jsonl.gz now.jsonl

EARLIER has one row ``[scenario, invariant, verdict, steps]`` a line; ``now`` has the verdicts of ``verify --json``.
A row of EARLIER must come back with its verdict and its number of steps, unless a line of ``tools/verdicts-moved.txt``
says otherwise: ``old | new | why``, where ``old`` is a scenario's name or a glob, and ``new`` is its new name, or
``gone``, or ``steps``: its verdicts must come back, perhaps after other numbers of steps. Rows that are new are
counted. Exit code 0: nothing differs; 1: something does; 2: unusable input.
"""

import gzip
import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

MOVED = Path(__file__).parent / "verdicts-moved.txt"
GONE = "gone"
STEPS = "steps"
ANY = -1
SHOWN_MAX = 40

Row = tuple[str, str]
Found = tuple[str, int | None]


def moves(path: Path) -> list[tuple[str, str]]:
    """Each line that is no comment, as (old, new)."""
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    parts = [tuple(part.strip() for part in line.split("|", 2)) for line in lines]
    for line, found in zip(lines, parts, strict=True):
        if len(found) != 3 or not all(found):
            sys.exit(f"{path}: {line!r}: expected old | new | why")
    return [(found[0], found[1]) for found in parts]


def earlier(path: Path, moved: list[tuple[str, str]]) -> Iterator[tuple[Row, Found]]:
    """The rows that must come back, under the names that they have now."""
    with gzip.open(path, "rt") as file:
        for line in file:
            scenario, invariant, verdict, steps = json.loads(line)
            new = next((new for old, new in moved if fnmatchcase(scenario, old)), scenario)
            if new == STEPS:
                yield (scenario, invariant), (verdict, ANY)
            elif new != GONE:
                yield (new, invariant), (verdict, steps)


def later(path: Path) -> Iterator[tuple[Row, Found]]:
    with path.open() as file:
        for line in file:
            row = json.loads(line)
            yield (row["scenario"], row["invariant"]), (row["verdict"], row["steps"])


def main(before: Path, after: Path) -> int:
    old, new = dict(earlier(before, moves(MOVED))), dict(later(after))
    differs = [f"missing: {' '.join(row)} {found}" for row, found in old.items() if row not in new]
    differs += [
        f"changed: {' '.join(row)} {found} -> {new[row]}"
        for row, found in old.items()
        if row in new and new[row] != (found if found[1] != ANY else (found[0], new[row][1]))
    ]
    print("\n".join(differs[:SHOWN_MAX]), end="\n" if differs else "")
    print(f"{len(old):,} rows before, {len(new):,} now, {len(new.keys() - old.keys()):,} new; {len(differs):,} differ")
    return 1 if differs else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/verdicts.py EARLIER.jsonl.gz NOW.jsonl")
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
