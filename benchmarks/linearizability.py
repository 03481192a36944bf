"""The linearizability checker on closed-loop histories: time and memory of each algorithm.

Clients that call again as soon as they have returned; half of the operations are reads, three in ten writes, two in ten
compare-and-sets, a few per cent of the writing ones with an unknown outcome if that is asked for. *Distinct*: every
write has a value of its own, and a compare-and-set expects what its client saw last; *few*: five values. *Stale*: one
read near the end returns what was overwritten long before (distinct), or what nobody ever wrote (few).

Run: ``python -m benchmarks.linearizability [--quick] [--json FILE]``. Each line is a process of its own; the algorithms
get ``LIMIT`` seconds and 2 GB. Making the history is not counted; bringing it into its form is.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from benchmarks.search import machine
from lakeproof.model.linearizability.checker import ALGORITHMS, Limits, check
from lakeproof.model.linearizability.history import History, Settings
from lakeproof.model.linearizability.specifications import CAS_REGISTER
from lakeproof.model.snapshot import Status
from lakeproof.verify.machine import rare_collections

FEW: Final = 5
LIMIT: Final = 10.0
MEMORY: Final = 2 << 30
_IDLE, _CALLED, _DONE = range(3)


@attrs.frozen(kw_only=True)
class Shape:
    """What a history is like. ``indefinite``: of the operations that write, how many have an unknown outcome."""

    operations: int
    clients: int
    keys: int
    distinct: bool
    indefinite: float = 0.0
    stale: bool = False

    def told(self) -> str:
        values = "distinct" if self.distinct else "few"
        stale = ", one stale read" if self.stale else ""
        return (
            f"{self.operations:>9,} operations, {self.clients:>3} clients, {self.keys:>5,} keys, {values:<8} values, "
            f"{self.indefinite:.0%} indefinite{stale}"
        )


@attrs.define
class Client:
    process: int
    seen: dict[int, int | None] = attrs.Factory(dict)
    phase: int = _IDLE
    f: str = ""
    key: int = 0
    expected: int | None = None
    value: int | None = None
    status: Status = Status.OK


class Simulation:
    def __init__(self, shape: Shape, seed: int) -> None:
        self.shape = shape
        self.rng = random.Random(seed)
        self.history = History(Settings(fail="predicate-false"))
        self.state: dict[int, int | None] = dict.fromkeys(range(shape.keys))
        self.clients = [Client(process) for process in range(shape.clients)]
        self.processes = shape.clients
        self.begun = self.ended = self.value = 0
        self.stale = not shape.stale

    def run(self) -> History:
        clients, some, count = self.clients, self.rng.random, self.shape.clients
        while self.ended < self.shape.operations:
            client = clients[int(some() * count)]
            if client.phase == _CALLED:
                self._take_effect(client)
            elif client.phase == _DONE:
                self._return(client)
            elif self.begun < self.shape.operations:
                self._call(client)
        return self.history

    def _call(self, client: Client) -> None:
        some = self.rng.random
        self.begun += 1
        client.phase, client.status = _CALLED, Status.OK
        client.key, dice = int(some() * self.shape.keys), some()
        argument: int | tuple[int | None, int | None] | None = None
        if dice < 0.5:
            client.f = "read"
        else:
            self.value += 1
            client.value = argument = self.value if self.shape.distinct else int(some() * FEW)
            client.f = "write"
            if dice >= 0.8:
                client.f = "cas"
                client.expected = client.seen.get(client.key) if self.shape.distinct else int(some() * FEW)
                argument = (client.expected, client.value)
        self.history.call(client.process, client.f, client.key, argument)

    def _take_effect(self, client: Client) -> None:
        some, state, key = self.rng.random, self.state, client.key
        client.phase = _DONE
        if client.f == "read":
            client.value = state[key]
            return
        unknown = some() < self.shape.indefinite
        client.status = Status.INFO if unknown else Status.OK
        if unknown and some() < 0.5:
            return
        if client.f == "cas" and state[key] != client.expected:
            client.status = Status.INFO if unknown else Status.FAIL
        else:
            state[key] = client.value

    def _return(self, client: Client) -> None:
        result = client.value
        if client.f == "read" and not self.stale and self.ended > self.shape.operations * 0.95:
            self.stale = True
            result = max((result or 0) - 50 * self.shape.clients, 1) if self.shape.distinct else FEW
        if client.status is Status.OK:
            client.seen[client.key] = result
        self.history.end(client.process, client.status, result if client.f == "read" else None)
        if client.status is Status.INFO:
            client.process, self.processes = self.processes, self.processes + 1
        client.phase = _IDLE
        self.ended += 1


def generated(shape: Shape, seed: int = 0) -> History:
    """A history of that shape; equal seeds, equal histories."""
    return Simulation(shape, seed).run()


def shapes(*, quick: bool) -> Iterator[Shape]:
    sizes = (1_000, 10_000) if quick else (1_000, 10_000, 100_000, 1_000_000)
    for operations in sizes:
        for distinct in (True, False):
            for keys in (1, 10, 1_000):
                for count in (5, 20, 100) if keys == 1 else (20,):
                    yield Shape(operations=operations, clients=count, keys=keys, distinct=distinct)
            yield Shape(operations=operations, clients=20, keys=1, distinct=distinct, stale=True)
            for count, indefinite in ((5, 0.01), (20, 0.05)) if operations < sizes[-1] else ():
                for stale in (False, True):
                    yield Shape(
                        operations=operations,
                        clients=count,
                        keys=1,
                        distinct=distinct,
                        indefinite=indefinite,
                        stale=stale,
                    )


def measure(shape: Shape, algorithm: str | None) -> dict[str, object]:
    """One line of the results: in this process, whose peak memory it takes for its own."""
    history = generated(shape)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    limits = Limits(memory=MEMORY, expired=lambda: time.perf_counter() - begun > LIMIT)
    with rare_collections():  # as `lakeproof check` does
        found = list(check(CAS_REGISTER, history, limits, algorithm=algorithm))
    seconds = time.perf_counter() - begun
    verdicts = {one.verdict.value for one in found}
    return {
        **attrs.asdict(shape),
        "asked": algorithm or "chosen",
        "verdict": next(word for word in ("violated", "inconclusive", "holds") if word in verdicts),
        "why": next((one.why for one in found if one.why), ""),
        "by": dict(Counter(one.algorithm for one in found)),
        "seconds": round(seconds, 3),
        "history_mib": before >> 10,
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def _apart(shape: Shape, algorithm: str | None) -> dict[str, object]:
    asked = json.dumps({"shape": attrs.asdict(shape), "algorithm": algorithm})
    command = [sys.executable, "-m", "benchmarks.linearizability", "--one", asked]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="up to ten thousand operations")
    parser.add_argument("--json", type=Path, help="where to write all results")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        asked = json.loads(options.one)
        print(json.dumps(measure(Shape(**asked["shape"]), asked["algorithm"])))
        return
    rows = []
    for shape in shapes(quick=options.quick):
        alone: list[str | None] = [None, *ALGORITHMS] if shape.operations == 10_000 else [None]
        for algorithm in alone:
            row = _apart(shape, algorithm)
            rows.append(row)
            by = ", ".join(map(str, row["by"])) if isinstance(row["by"], dict) else ""
            print(
                f"{shape.told()}: {row['asked']:<8} {row['verdict']:<12} {row['seconds']:>8} s "
                f"{row['peak_mib']:>5} MiB ({by}) {row['why']}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "runs": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
