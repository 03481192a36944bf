"""Re-runs per second of flows in Python, Go, Rust, Java and JavaScript: what a search pays for each new history.

A re-run is a flow from its start to its end, over replies that are at hand. A flow in Python is a coroutine of this
process; one in another language is asked line by line. Both processes share one core here, as they do in a search on
as many processes as there are cores. Run: ``python -m benchmarks.foreign [--seconds S] [--json FILE]``, a minute, with
the compilers of all four.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import attrs

from benchmarks.search import machine
from lakeproof import Call, Env, Program, kv
from lakeproof.languages.pool import POOL
from lakeproof.search import execution
from lakeproof.search.semantics import Cell
from lakeproof.search.setup import drive_alone
from tests.languages.building import LANGUAGES

KEYS: Final = 8
ROUNDS: Final = 5
CELLS: Final[Mapping[Cell, bytes]] = {("kv", b"marks", b"%d" % number): b"v" for number in range(KEYS)}
EFFECTS: Final = {"increment_if": 2, "sweep": 1 + KEYS}
"""By flow: a read and a write; a scan, and a delete for each key."""
HEAD: Final = [
    *("language", "flow", "effects", "CPU us per re-run", "re-runs per CPU s", "times Python"),
    *("re-runs/s, wall", "start ms"),
]
START: Final = 1_700_000_000_000_000


async def increment_if(env: Env) -> int:
    """As in the worked examples of the adapters."""
    for _ in range(3):
        found = await env.store.find(b"counters", b"visits")
        value = int(found.value if found else b"0") + 1
        if await env.store.try_set_if(b"counters", b"visits", b"%d" % value, found.predicate if found else None):
            return value
    raise kv.Refused


async def sweep(env: Env) -> None:
    """As in the worked examples of the adapters."""
    async for entry in env.store.scan(b"marks"):
        await env.store.delete(b"marks", entry.key)


@attrs.frozen(kw_only=True)
class Row:
    """One flow in one language. Microseconds of processor time per re-run are of both processes together."""

    language: str
    flow: str
    effects: int
    reruns_per_second: float
    microseconds: float
    start_milliseconds: float
    """From the start of a process to the end of its first flow. 0: there is none."""


def languages(folder: Path) -> Iterator[tuple[str, Callable[[str], Call]]]:
    """Each language, and how it calls a flow."""
    own = {"increment_if": increment_if, "sweep": sweep}
    yield "python", lambda name: Call(own[name])
    for name, build in LANGUAGES.items():
        (folder / name).mkdir()
        yield name, Program(build(folder / name)).call


def once(call: Call) -> None:
    """One re-run."""
    drive_alone(execution.Program("a", (call,)), dict(CELLS), START)


def measure(language: str, call: Call, seconds: float) -> Row:
    """Re-runs for so many seconds, in rounds; the median round."""
    POOL.close()
    began, before = time.perf_counter(), POOL.started
    once(call)
    start = time.perf_counter() - began if POOL.started > before else 0.0
    rates, microseconds = [], []
    warm_until = time.perf_counter() + seconds
    while time.perf_counter() < warm_until:
        once(call)
    for _ in range(ROUNDS):
        done, spent, began = 0, _spent(call), time.perf_counter()
        while time.perf_counter() - began < seconds / ROUNDS:
            once(call)
            done += 1
        rates.append(done / (time.perf_counter() - began))
        microseconds.append((_spent(call) - spent) / done * 1e6)
    return Row(
        language=language,
        flow=call.name,
        effects=EFFECTS[call.name],
        reruns_per_second=statistics.median(rates),
        microseconds=statistics.median(microseconds),
        start_milliseconds=start * 1e3,
    )


def _spent(call: Call) -> float:
    """Processor seconds of this process, and of its children that live."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    ticks = os.sysconf("SC_CLK_TCK")
    below = 0.0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            if int(fields[1]) == os.getpid():
                below += (int(fields[11]) + int(fields[12])) / ticks
    return own.ru_utime + own.ru_stime + below


def table(rows: list[Row]) -> str:
    """The rows, with what each costs beside Python."""
    python = {row.flow: row.microseconds for row in rows if row.language == "python"}
    cells = [
        [
            row.language,
            f"`{row.flow}`",
            f"{row.effects}",
            f"{row.microseconds:,.0f}",
            f"{1e6 / row.microseconds:,.0f}",
            f"{row.microseconds / python[row.flow]:.1f}",
            f"{row.reruns_per_second:,.0f}",
            f"{row.start_milliseconds:,.0f}",
        ]
        for row in rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in [HEAD, ["---"] * len(HEAD), *cells])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        found = list(languages(Path(folder)))
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        for language, call_of in found:
            rows += [measure(language, call_of(name), arguments.seconds) for name in EFFECTS]
        POOL.close()
    print(f"{machine()}\n\n{table(rows)}")
    if arguments.json:
        told = {"machine": machine(), "rows": [attrs.asdict(row) for row in rows]}
        arguments.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
