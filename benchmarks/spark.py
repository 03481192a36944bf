"""The jobs on Spark at the sizes of the offline design, each beside DuckDB with the same files on the same machine.

The offline design's bottom line: 20 million objects, 1 thousand branches, 30 thousand commits, 5 million uncommitted
objects and 1 million stale ones; the document allows three hours. Retention: 20 million commits in ten thousand
repositories, and ten million in one chain. The kernel of retention by itself, on arrays.

Run: ``python -m benchmarks.spark [--folder DIR] [--scale 0.1] [--only NAME] [--runs 3] [--json FILE]``; some GB of
disk. A job is a process of its own, from its start to its end, with that of its JVM; memory is the most that the
process and all its children held at once. Of several runs, ours and the rival's by turns, the one with the middle
ratio is told.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import attrs

from benchmarks.search import machine

RULES: Final = '{"default_retention_days": 21, "branches": []}'
COMMANDS: Final = [sys.executable, "-m", "lakeproof"]
RIVAL: Final = [sys.executable, "-m", "benchmarks.spark_rival"]
RIVAL_SECONDS: Final = 200.0
"""Then it is stopped, and took so long at least."""
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


@attrs.frozen
class Job:
    """A job of ours and the rival's name for it. ``aim``: how many times the rival's wall time at most."""

    name: str
    profile: str
    command: tuple[str, ...]
    rival: str
    aim: float


JOBS: Final = (
    Job("uncommitted", "offline-design", ("uncommitted", "{data}", "--out", "{out}/runs"), "uncommitted", 5.0),
    Job("check", "offline-design", ("check", "{data}", "--out", "{out}/found"), "check", 5.0),
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


@attrs.frozen
class Cost:
    """Of one process with its children: wall seconds, most bytes held, its exit code."""

    seconds: float
    bytes: int
    code: int


@attrs.frozen(kw_only=True)
class Row:
    """What was measured of a job."""

    job: str
    rows: int
    seconds: float
    mebibytes: int
    rival_seconds: float
    rival_mebibytes: int
    aim: float

    @property
    def ratio(self) -> float:
        """At most, if the rival was stopped."""
        return self.seconds / self.rival_seconds

    @property
    def rival_told(self) -> str:
        return f"{'stopped at ' if self.rival_seconds >= RIVAL_SECONDS else ''}{self.rival_seconds:.0f}"


def measured(command: Sequence[str], log: Path, limit: float | None = None) -> Cost:
    """Run a command; what it says goes to a file. limit: seconds after which it is stopped."""
    most = [0]
    over = threading.Event()
    started = time.perf_counter()
    with log.open("a") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        watcher = threading.Thread(target=_watch, args=(process.pid, most, over))
        watcher.start()
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
    seconds = time.perf_counter() - started
    over.set()
    watcher.join()
    return Cost(seconds, most[0], code)


def _watch(pid: int, most: list[int], over: threading.Event) -> None:
    while not over.wait(0.25):
        most[0] = max(most[0], sum(map(_resident, _tree(pid))))


def _tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [pid]
    while todo:
        found.append(todo.pop())
        todo.extend(children.get(found[-1], []))
    return found


def _resident(pid: int) -> int:
    """Its own pages: what it shares with the process that it was forked from is not counted twice."""
    try:
        _, resident, shared, *_ = Path(f"/proc/{pid}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * PAGE


def generated(profile: str, folder: Path, scale: float, log: Path) -> Path:
    """A dataset of that profile, made if it is not there yet."""
    data = folder / f"{profile}-{scale:g}"
    if not data.exists():
        sys.stderr.write(f"generating {data.name}\n")
        sizes = scaled(profile, scale)
        cost = measured([*COMMANDS, "spark", "generate", str(data), "--decoded", "--profile", profile, *sizes], log)
        if cost.code:
            raise SystemExit(f"generating {profile} ended with {cost.code}; see {log}")
        sys.stderr.write(f"generated in {cost.seconds:.0f} s\n")
    return data


def scaled(profile: str, scale: float) -> list[str]:
    """The options that make a profile smaller or larger. Repositories and branches stay."""
    if scale == 1:
        return []
    from spark_checks.generate.sizes import PROFILES

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


def measure(job: Job, data: Path, work: Path, memory: str, log: Path) -> Row:
    """Ours, then the rival's."""
    out = Path(tempfile.mkdtemp(prefix=job.name, dir=work))
    rules = out / "rules.json"
    rules.write_text(RULES)
    command = [part.format(data=data, out=out, rules=rules) for part in job.command]
    ours = measured([*COMMANDS, "spark", *command, "--memory", memory], log)
    if ours.code:
        raise SystemExit(f"{job.name} ended with {ours.code}; see {log}")
    theirs = measured([*RIVAL, job.rival, str(data), str(out / "rival")], log, RIVAL_SECONDS)
    if theirs.code and theirs.seconds < RIVAL_SECONDS:
        raise SystemExit(f"the rival of {job.name} ended with {theirs.code}; see {log}")
    shutil.rmtree(out)
    return Row(
        job=job.name,
        rows=rows_of(data),
        seconds=ours.seconds,
        mebibytes=ours.bytes >> 20,
        rival_seconds=theirs.seconds,
        rival_mebibytes=theirs.bytes >> 20,
        aim=job.aim,
    )


def kernel_seconds(commits: int) -> float:
    """Retention's kernel on arrays: one chain."""
    import numpy as np

    from spark_checks.lines import active

    index = np.arange(commits, dtype=np.int64)
    heads, limits = index[-1:], np.array([0], np.int64)
    started = time.perf_counter()
    kept = active(index - 1, index + 1, heads, limits, 0)
    assert kept.all()
    return time.perf_counter() - started


def table(rows: Sequence[Row]) -> str:
    """As Markdown."""
    lines = [
        "| job | rows | s | MiB | DuckDB s | MiB | times DuckDB | aim |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {row.job} | {row.rows:,} | {row.seconds:.0f} | {row.mebibytes:,} | {row.rival_told} "
        f"| {row.rival_mebibytes:,} | {row.ratio:.1f} | {row.aim} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--folder", type=Path, help="where datasets are kept from run to run")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", action="append", choices=[job.name for job in JOBS])
    parser.add_argument("--runs", type=int, default=1, choices=range(1, 10), metavar="N")
    parser.add_argument("--memory", default="3g")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lakeproof-bench-") as made:
        folder = asked.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "log.txt"
        rows = []
        for job in JOBS:
            if asked.only and job.name not in asked.only:
                continue
            data = generated(job.profile, folder, asked.scale, log)
            runs = [measure(job, data, folder, asked.memory, log) for _ in range(asked.runs)]
            rows.append(sorted(runs, key=lambda row: row.ratio)[len(runs) // 2])
            sys.stderr.write(f"{table(rows).splitlines()[-1]}\n")
        seconds = kernel_seconds(round(10_000_000 * asked.scale))
        print(f"{machine()}; scale {asked.scale:g}\n\n{table(rows)}\n\nkernel: {seconds:.1f} s")
        if asked.json:
            told = {"machine": machine(), "scale": asked.scale, "kernel_seconds": seconds}
            asked.json.write_text(json.dumps(told | {"rows": [attrs.asdict(row) for row in rows]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
