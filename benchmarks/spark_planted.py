"""Planted violations at the size of the offline design, and at a tenth of it: what is found, missed, invented.

A dataset with a number of violations of each id is generated and checked, by the commands that a user would run, and
the findings are compared with the list of what was planted, by id and subject. The same checks at both sizes say
whether the work grows with the data.

Run: ``python -m benchmarks.spark_planted [--folder DIR] [--scale 0.1 --scale 1] [--each 50] [--json FILE]``.
"""

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Final

import attrs

from benchmarks.processes import measured
from benchmarks.search import machine
from benchmarks.spark import COMMANDS, rows_of, scaled

PROFILE: Final = "offline-design"
GARBAGE: Final = "garbage"

Named = tuple[str, str]
"""An id, and what breaks it."""


@attrs.frozen(kw_only=True)
class Outcome:
    """Of one size. seconds: of each pass, and of the whole command. missed, invented: by id, where there are any."""

    rows: int
    planted: int
    found: int
    missed: dict[str, int]
    invented: dict[str, int]
    seconds: dict[str, float]
    mebibytes: int


def planted(data: Path, each: int, scale: float, log: Path) -> None:
    """Generate the dataset, if it is not there."""
    from lakeproof.spark_checks.checks.catalogue import BY_ID
    from lakeproof.spark_checks.generate.sizes import PROFILES

    if data.exists():
        return
    wanted = data.with_name(f"{data.name}.violations.json")
    one_a_repository = {"cleanup-spares-live": min(each, PROFILES[PROFILE].repositories)}
    wanted.write_text(json.dumps(dict.fromkeys(BY_ID, each) | one_a_repository))
    command = [*COMMANDS, "spark", "generate", str(data), "--profile", PROFILE, "--violations", str(wanted)]
    sys.stderr.write(f"generating {data.name}\n")
    if measured([*command, *scaled(PROFILE, scale)], log).code:
        raise SystemExit(f"generating {data} failed; see {log}")


def checked(data: Path, work: Path, memory: str, log: Path) -> Outcome:
    """Check a dataset, and compare."""
    out = Path(tempfile.mkdtemp(prefix="planted-", dir=work)) / "found"
    told = out.with_name("told.jsonl")
    command = [*COMMANDS, "spark", "check", str(data), "--out", str(out), "--memory", memory, "--json"]
    cost = measured(command, told)
    if cost.code != 1:
        raise SystemExit(f"the check of {data} ended with {cost.code}, expected 1; see {told}")
    seconds = {str(line["pass"]): float(str(line["seconds"])) for line in _lines(told) if line.get("seconds")}
    listed = Counter(_named(json.loads(line)) for line in (data / "planted.jsonl").read_text().splitlines())
    seen = Counter(map(_named, _findings(out / "findings")))
    return Outcome(
        rows=rows_of(data),
        planted=listed.total(),
        found=seen.total(),
        missed=_by_id(listed - seen),
        invented=_by_id(seen - listed),
        seconds={**seconds, "in all": cost.seconds},
        mebibytes=cost.bytes >> 20,
    )


def _lines(told: Path) -> list[dict[str, str | float | None]]:
    return [json.loads(line) for line in told.read_text().splitlines() if line.startswith("{")]


def _named(row: dict[str, str]) -> Named:
    return row["id"], row["subject"]


def _findings(folder: Path) -> list[dict[str, str]]:
    """Without what is garbage by design: what instances leave that were deleted is not listed as planted."""
    from pyarrow import dataset

    rows = dataset.dataset(folder, format="parquet").to_table(["id", "subject", "kind"]).to_pylist()
    return [row for row in rows if row["kind"] != GARBAGE]


def _by_id(named: Counter[Named]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for (name, _), number in named.items():
        counts[name] += number
    return dict(counts)


def table(outcomes: list[Outcome]) -> str:
    """As Markdown."""
    passes = list(outcomes[0].seconds) if outcomes else []
    lines = [
        f"| rows listed | planted | found | missed | invented | {' | '.join(f'{name} s' for name in passes)} | MiB |",
        "|" + "---|" * (6 + len(passes)),
    ]
    for each in outcomes:
        times = " | ".join(f"{each.seconds[name]:.0f}" for name in passes)
        missed, invented = sum(each.missed.values()), sum(each.invented.values())
        lines.append(
            f"| {each.rows:,} | {each.planted:,} | {each.found:,} | {missed} | {invented} | {times} "
            f"| {each.mebibytes:,} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--folder", type=Path, help="where datasets are kept from run to run")
    parser.add_argument("--scale", type=float, action="append")
    parser.add_argument("--each", type=int, default=50, help="violations of each id")
    parser.add_argument("--memory", default="3g")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="lakeproof-bench-") as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log.txt"
        for scale in asked.scale or (0.1, 1.0):
            data = folder / f"planted-{scale:g}-{asked.each}"
            planted(data, asked.each, scale, log)
            outcomes.append(checked(data, folder, asked.memory, log))
            sys.stderr.write(f"{table(outcomes).splitlines()[-1]}\n")
    print(f"{machine()}\n\n{table(outcomes)}")
    if asked.json:
        told = {"machine": machine(), "each": asked.each, "outcomes": [attrs.asdict(each) for each in outcomes]}
        asked.json.write_text(json.dumps(told, indent=2) + "\n")
    if any(each.missed or each.invented for each in outcomes):
        raise SystemExit("what was planted is not what was found")


if __name__ == "__main__":
    main()
