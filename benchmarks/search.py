"""The exhaustive search against its rivals: the plain scalar search, and Spin on a Promela model of the same flows.

The scenario is Step 1 of the repository designs: creators, deleters and getters of one id that exists, with
`active-is-complete` checked in every state. The Promela model (step1.pml) makes the same transitions, one per effect,
and forgets what a process does not need any more.

Run: ``python -m benchmarks.search [--runs N] [--json FILE]``. Without Spin or a C compiler its columns stay empty.
Each figure is the median of the runs, in a process of its own; ratios are formed run by run.
"""

import argparse
import json
import multiprocessing
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import attrs
import numpy as np

from lakeproof import Call, Scenario
from lakeproof.impl.flows import Flow
from lakeproof.impl.repositories import step1
from lakeproof.model.invariants import repositories
from lakeproof.search.search import Options, search
from tests.differential.plain import plain_search

MODEL = Path(__file__).with_name("step1.pml")
MIXES = ((1, 2, 0), (2, 2, 0), (2, 2, 1), (2, 3, 1), (3, 3, 1), (3, 4, 0))
"""Creators, deleters, getters: 3 to 7 clients."""
PLAIN_CLIENTS_MAX = 4
"""The plain search takes minutes beyond."""


@attrs.frozen(kw_only=True)
class Row:
    """What one mix has cost, per way of searching."""

    clients: int
    mix: str
    states: int
    transitions: int
    seconds: float
    reruns: int
    peak_mib: float
    graded_states: int
    graded_seconds: float
    symmetric_states: int
    symmetric_seconds: float
    plain_ratio: float | None
    spin_states: int | None
    spin_generate: float | None
    spin_compile: float | None
    spin_run: float | None


def scenario(creators: int, deleters: int, getters: int) -> Scenario:
    """The mix as a scenario."""
    flows: list[Flow] = []
    flows += [step1.create_repository] * creators
    flows += [step1.delete_repository] * deleters
    flows += [step1.get_repository] * getters
    return Scenario(
        name=f"benchmark/{creators}-{deleters}-{getters}",
        setup=[Call(step1.create_repository, "r")],
        clients=[[Call(flow, "r")] for flow in flows],
        invariants=[repositories.active_is_complete],
    )


def measure(mix: tuple[int, int, int], options: Options) -> tuple[int, int, float, int, float]:
    """States, transitions, seconds, re-runs and peak MiB of one search, in a fresh process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (mix, options))


def _measured(mix: tuple[int, int, int], options: Options) -> tuple[int, int, float, int, float]:
    search(scenario(1, 1, 0), options=options)  # a warm-up: imports, first calls
    started = time.perf_counter()
    result = search(scenario(*mix), options=options)
    seconds = time.perf_counter() - started
    assert result.complete, "a benchmark must not be cut short"
    assert result.findings[0].verdict == "holds", result.findings
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return result.states, result.transitions, seconds, result.reruns, peak


def measure_plain(mix: tuple[int, int, int]) -> float:
    """States per second of the plain search, divided by those of the vectorised one, unmerged as well."""
    started = time.perf_counter()
    plain = plain_search(scenario(*mix), states_max=1_000_000)
    plain_rate = plain.states / (time.perf_counter() - started)
    options = Options(merge=False, symmetry=False)
    started = time.perf_counter()
    vectorised = search(scenario(*mix), options=options)
    assert vectorised.states == plain.states, "the two searches disagree"
    return vectorised.states / (time.perf_counter() - started) / plain_rate


def measure_spin(mix: tuple[int, int, int]) -> tuple[int, float, float, float] | None:
    """States, and seconds to generate, compile and run; None without Spin."""
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        return None
    names = dict(zip(("CREATORS", "DELETERS", "GETTERS"), mix, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(MODEL, folder)
        seconds, printed = [], ""
        for command in (
            # -o2: results count as part of the state, as they do for us, though no process reads them.
            ["spin", "-o2", *(f"-D{name}={number}" for name, number in names.items()), "-a", MODEL.name],
            ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
            ["./pan", "-m1000000", "-w24"],
        ):
            started = time.perf_counter()
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
            seconds.append(time.perf_counter() - started)
            printed = done.stdout
        assert "errors: 0" in printed, printed
        found = re.search(r"(\d+) states, stored", printed)
        assert found is not None, printed
        return int(found[1]), seconds[0], seconds[1], seconds[2]


def row(mix: tuple[int, int, int], runs: int) -> Row:
    """Measure one mix."""
    plain_options = Options(symmetry=False, ranked=True)
    ranked = [measure(mix, plain_options) for _ in range(runs)]
    graded = [measure(mix, Options(symmetry=False, ranked=False)) for _ in range(runs)]
    symmetric = [measure(mix, Options(ranked=True)) for _ in range(runs)]
    spin = [measured for measured in (measure_spin(mix) for _ in range(runs)) if measured is not None]
    middle = statistics.median
    return Row(
        clients=sum(mix),
        mix="{} create, {} delete, {} get".format(*mix),
        states=ranked[0][0],
        transitions=ranked[0][1],
        seconds=middle(run[2] for run in ranked),
        reruns=ranked[0][3],
        peak_mib=middle(run[4] for run in ranked),
        graded_states=graded[0][0],
        graded_seconds=middle(run[2] for run in graded),
        symmetric_states=symmetric[0][0],
        symmetric_seconds=middle(run[2] for run in symmetric),
        plain_ratio=measure_plain(mix) if sum(mix) <= PLAIN_CLIENTS_MAX else None,
        spin_states=spin[0][0] if spin else None,
        spin_generate=middle(run[1] for run in spin) if spin else None,
        spin_compile=middle(run[2] for run in spin) if spin else None,
        spin_run=middle(run[3] for run in spin) if spin else None,
    )


def machine() -> str:
    """What the figures were measured on."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = re.search(r"model name\s*:\s*(.*)", cpuinfo.read_text())
        model = named[1] if named else ""
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {versions}"


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    head = (
        "| clients | states | million states/s | million transitions/s | re-runs | peak MiB "
        "| graded: million states/s | with symmetry: states, s | times plain search | states / Spin's | s "
        "| Spin s (generate + compile + run) | time / Spin's |"
    )
    lines = [head, "|---" * 13 + "|"]
    for r in rows:
        spin = ("", "", "", "")
        if r.spin_states and r.spin_generate and r.spin_compile and r.spin_run:
            whole = r.spin_generate + r.spin_compile + r.spin_run
            parts = f"{r.spin_generate:.2f} + {r.spin_compile:.2f} + {r.spin_run:.2f}"
            spin = (f"{r.states / r.spin_states:.2f}", f"{r.seconds:.2f}", parts, f"{r.seconds / whole:.2f}")
        lines.append(
            f"| {r.clients} ({r.mix}) | {r.states:,} | {r.states / r.seconds / 1e6:.2f} "
            f"| {r.transitions / r.seconds / 1e6:.2f} | {r.reruns} | {r.peak_mib:.0f} "
            f"| {r.graded_states / r.graded_seconds / 1e6:.2f} ({r.graded_states:,} states) "
            f"| {r.symmetric_states:,}, {r.symmetric_seconds:.2f} "
            f"| {'' if r.plain_ratio is None else f'{r.plain_ratio:.0f}'} | {' | '.join(spin)} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure all mixes and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    rows = []
    for mix in MIXES:
        print(f"measuring {mix}", file=sys.stderr)
        rows.append(row(mix, arguments.runs))
    print(f"{machine()}\n\n{table(rows)}")
    if arguments.json:
        content = {"machine": machine(), "rows": [attrs.asdict(r) for r in rows]}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
