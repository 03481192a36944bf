"""The jobs on Spark at the sizes of the offline design, each beside DuckDB with the same files on the same machine.

The offline design's bottom line: 20 million objects, 1 thousand branches, 30 thousand commits, 5 million uncommitted
objects and 1 million stale ones; the document allows three hours. Retention: 20 million commits in ten thousand
repositories, and ten million in one chain. The kernel of retention by itself, on arrays.

Run: ``python -m benchmarks.spark [--folder DIR] [--scale 0.1] [--only NAME] [--engine embedded] [--runs 3]``;
some GB of disk. ``--scale`` may be given again, for growth. A job is a process of its own, from its start to its end,
with that of its JVM; processor seconds and memory are of the process and all that it starts (`benchmarks.processes`).
Wall time means something on an idle machine alone, processor seconds mean nearly the same on a busy one. Of several
runs, ours and the rival's by turns, the one with the middle ratio of processor seconds is told.

The jobs whose name ends in ``-kv`` have no typed tables, as users have none: they decode ``kv/`` first. DuckDB cannot,
and does its part from the typed tables of the same dataset.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from benchmarks.processes import measured
from benchmarks.search import machine

RULES: Final = '{"default_retention_days": 21, "branches": []}'
COMMANDS: Final = [sys.executable, "-m", "lakeproof"]
RIVAL: Final = [sys.executable, "-m", "benchmarks.spark_rival"]
RIVAL_SECONDS: Final = 200.0
"""Then it is stopped, and took so long at least."""
TYPED: Final = "decoded"


@attrs.frozen
class Job:
    """A job of ours and the rival's name for it. ``aim``: how many times the rival's processor seconds at most, at the
    full scale and below it. ``typed``: whether it finds typed tables, or has to decode ``kv/``."""

    name: str
    profile: str
    command: tuple[str, ...]
    rival: str
    aim: float
    typed: bool = True


_UNCOMMITTED: Final = ("uncommitted", "{data}", "--out", "{out}/runs")
_CHECK: Final = ("check", "{data}", "--out", "{out}/found")

JOBS: Final = (
    Job("uncommitted", "offline-design", _UNCOMMITTED, "uncommitted", 5.0),
    Job("uncommitted-kv", "offline-design", _UNCOMMITTED, "uncommitted", 4.0, typed=False),
    Job("check", "offline-design", _CHECK, "check", 5.0),
    Job("check-kv", "offline-design", _CHECK, "check", 5.0, typed=False),
    Job(
        "retention-many",
        "many-repositories",
        ("retention", "{data}", "--rules", "{rules}", "--out", "{out}/runs"),
        "retention",
        3.5,
    ),
    Job(
        "retention-chain",
        "one-chain",
        ("retention", "{data}", "--rules", "{rules}", "--out", "{out}/runs"),
        "retention",
        2.5,
    ),
)


@attrs.frozen(kw_only=True)
class Row:
    """What was measured of a job. ``cpu_seconds``: of the processor, user and system, of all processes."""

    job: str
    scale: float
    rows: int
    seconds: float
    cpu_seconds: float
    mebibytes: int
    rival_seconds: float
    rival_cpu_seconds: float
    rival_mebibytes: int
    aim: float

    @property
    def ratio(self) -> float:
        """Of wall time. At most, if the rival was stopped; so below."""
        return self.seconds / self.rival_seconds

    @property
    def cpu_ratio(self) -> float:
        """Of processor seconds."""
        return self.cpu_seconds / self.rival_cpu_seconds

    @property
    def rival_told(self) -> str:
        return f"{'stopped at ' if self.rival_seconds >= RIVAL_SECONDS else ''}{self.rival_seconds:.0f}"


def generated(profile: str, folder: Path, scale: float, how: Sequence[str], log: Path) -> Path:
    """A dataset of that profile, made if it is not there yet."""
    data = folder / f"{profile}-{scale:g}"
    if not data.exists():
        sys.stderr.write(f"generating {data.name}\n")
        sizes, typed = scaled(profile, scale), str(data / TYPED)
        for step in (["generate", str(data), "--profile", profile, *sizes], ["decode", str(data), "--out", typed]):
            cost = measured([*COMMANDS, "spark", *step, *how], log)
            if cost.code:
                raise SystemExit(f"generating {profile} ended with {cost.code}; see {log}")
            sys.stderr.write(f"{step[0]}: {cost.seconds:.0f} s\n")
    return data


def without_typed(data: Path) -> Path:
    """The same dataset without its typed tables: the same files, by hard links."""
    found = data.with_name(f"{data.name}-kv")
    if not found.exists():
        shutil.copytree(data, found, copy_function=os.link, ignore=shutil.ignore_patterns(TYPED))
    return found


def scaled(profile: str, scale: float) -> list[str]:
    """The options that make a profile smaller or larger. Repositories and branches stay."""
    if scale == 1:
        return []
    from lakeproof.spark_checks.generate.sizes import PROFILES

    sizes = PROFILES[profile]
    found = []
    for name in ("objects", "staged", "stale", "commits"):
        least = sizes.repositories if name == "commits" and sizes.objects == 0 else 0
        if not (name == "commits" and sizes.objects):
            found += [f"--{name}", str(max(round(getattr(sizes, name) * scale), least))]
    return found


def rows_of(data: Path) -> int:
    """Rows of the listing, or of the commits where there is no listing."""
    from pyarrow import dataset

    listed = int(dataset.dataset(data / "objects", format="parquet").count_rows())
    return listed or int(dataset.dataset(data / "decoded" / "commits", format="parquet").count_rows())


def measure(job: Job, data: Path, scale: float, work: Path, how: Sequence[str], log: Path) -> Row:
    """Ours, then the rival's."""
    read = data if job.typed else without_typed(data)
    out = Path(tempfile.mkdtemp(prefix=job.name, dir=work))
    rules = out / "rules.json"
    rules.write_text(RULES)
    command = [part.format(data=read, out=out, rules=rules) for part in job.command]
    ours = measured([*COMMANDS, "spark", *command, *how], log)
    if ours.code:
        raise SystemExit(f"{job.name} ended with {ours.code}; see {log}")
    theirs = measured([*RIVAL, job.rival, str(data), str(out / "rival")], log, RIVAL_SECONDS)
    if theirs.code and theirs.seconds < RIVAL_SECONDS:
        raise SystemExit(f"the rival of {job.name} ended with {theirs.code}; see {log}")
    shutil.rmtree(out)
    return Row(
        job=job.name,
        scale=scale,
        rows=rows_of(data),
        seconds=ours.seconds,
        cpu_seconds=ours.cpu_seconds,
        mebibytes=ours.bytes >> 20,
        rival_seconds=theirs.seconds,
        rival_cpu_seconds=theirs.cpu_seconds,
        rival_mebibytes=theirs.bytes >> 20,
        aim=job.aim,
    )


def middle(runs: Sequence[Row]) -> Row:
    """The run with the middle ratio of processor seconds; of an even number, the upper one."""
    return sorted(runs, key=lambda row: row.cpu_ratio)[len(runs) // 2]


def kernel_seconds(commits: int) -> float:
    """Retention's kernel on arrays: one chain."""
    import numpy as np

    from lakeproof.spark_checks.lines import active

    index = np.arange(commits, dtype=np.int64)
    heads, limits = index[-1:], np.array([0], np.int64)
    started = time.perf_counter()
    kept = active(index - 1, index + 1, heads, limits, np.zeros_like(index))
    assert kept.all()
    return time.perf_counter() - started


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    lines = [
        "| job | rows | CPU s | s | MiB | DuckDB CPU s | s | MiB | times its CPU | times its wall | aim, CPU |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.job} | {row.rows:,} | {row.cpu_seconds:.0f} | {row.seconds:.0f} | {row.mebibytes:,} "
        f"| {row.rival_cpu_seconds:.1f} | {row.rival_told} | {row.rival_mebibytes:,} "
        f"| {row.cpu_ratio:.1f} | {row.ratio:.1f} | {row.aim} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--folder", type=Path, help="where datasets are kept from run to run")
    parser.add_argument("--scale", type=float, action="append", help="of the full size; may be given again")
    parser.add_argument("--only", action="append", choices=[job.name for job in JOBS])
    parser.add_argument("--runs", type=int, default=1, choices=range(1, 10), metavar="N")
    parser.add_argument("--memory", default="3g")
    parser.add_argument("--engine", default="classic", choices=["classic", "embedded"])
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    scales = asked.scale or [1.0]
    with tempfile.TemporaryDirectory(prefix="lakeproof-bench-") as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log.txt"
        how = ("--engine", asked.engine, "--memory", asked.memory)
        rows = []
        for scale in scales:
            for job in (each for each in JOBS if not asked.only or each.name in asked.only):
                data = generated(job.profile, folder, scale, how, log)
                rows.append(middle([measure(job, data, scale, folder, how, log) for _ in range(asked.runs)]))
                sys.stderr.write(f"{table(rows).splitlines()[-1]}\n")
        seconds = kernel_seconds(round(10_000_000 * max(scales)))
        shown = ", ".join(f"{scale:g}" for scale in scales)
        print(f"{machine()}; scale {shown}\n\n{table(rows)}\n\nkernel: {seconds:.1f} s")
        if asked.json:
            told = {"machine": machine(), "engine": asked.engine, "scale": max(scales), "kernel_seconds": seconds}
            asked.json.write_text(json.dumps(told | {"rows": [attrs.asdict(row) for row in rows]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
