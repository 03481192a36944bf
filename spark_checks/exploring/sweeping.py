"""Sweeps: a scenario is walked at random with many seeds at once, and the first failure cancels what is pointless.

Seeds are cut into blocks; each block is a job of one task, in a job group of its own, which tries its seeds in
order and ends with the first that violates something. From then on no larger block is begun, and those under way are
cancelled; smaller ones go on. So the seed reported is the smallest one that fails, however the work was spread.
Equal seeds walk equally everywhere: the driver walks the reported one again, and takes the trace from there.
"""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final, Literal

import attrs
import pyarrow as pa
from pyspark import SparkFiles
from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from lakeproof.explore.sampling import sample
from lakeproof.report.style import plural
from lakeproof.running.loading import Source, named
from lakeproof.running.tasks import Blame, Outcome, Progress, Walk, undecided
from lakeproof.scenario import Scenario

REPORT_SECONDS: Final = 5.0
SCHEMA: Final = "seed long, executions long, steps long, violated boolean"

_ARROW: Final = pa.schema(
    [("seed", pa.int64()), ("executions", pa.int64()), ("steps", pa.int64()), ("violated", pa.bool_())]
)


@attrs.frozen(kw_only=True)
class Walks:
    """How each seed is walked. Can be sent to a worker, which loads the scenario for itself."""

    scenario: str
    file: str | None
    strategy: Literal["random", "pct"]
    executions: int
    depth: int


@attrs.frozen
class Swept:
    """What a sweep has found. Counts are of the seeds up to the one that fails, or of all."""

    seed: int | None
    seeds: int
    executions: int
    steps: int


def walked(walks: Walks, seeds: Iterable[int]) -> Iterator[tuple[int, int, int, bool]]:
    """Seed, executions, steps, and whether something was violated; ends with the first seed that does.

    Raises:
        Unusable, LoadError: the scenario cannot be loaded here, or not be run.
    """
    source, scenario = _loaded(walks.file, walks.scenario)
    for seed in seeds:
        with Blame(scenario, source):
            found = sample(scenario, strategy=walks.strategy, executions=walks.executions, seed=seed, depth=walks.depth)
        yield seed, found.executions, found.steps, bool(found.violations)
        if found.violations:
            return


@cache
def _loaded(file: str | None, name: str) -> tuple[Source, Scenario]:
    where = None if file is None else Path(file)
    if where is not None and not where.exists():  # on another machine
        where = Path(SparkFiles.get(where.name))
    source = Source(where)
    return source, named(source.load(), name, name)


def _on_worker(walks: Walks, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = list(walked(walks, batch["id"].to_pylist()))
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), _ARROW, strict=True)]
        yield pa.RecordBatch.from_arrays(columns, schema=_ARROW)


class Sweep:
    """One sweep of seeds over a Spark session. ``block``: so many seeds a job."""

    def __init__(self, spark: SparkSession, walks: Walks, seeds: range, block: int) -> None:
        self._spark, self._walks = spark, walks
        self._blocks = (seeds[at : at + block] for at in range(0, len(seeds), block))
        self._group = f"sweep-{os.getpid()}-{id(self)}"
        self._lock = threading.Lock()
        self._rows: list[tuple[int, int, int, bool]] = []
        self._running: set[int] = set()
        self._errors: list[BaseException] = []
        self.first: int | None = None
        """The smallest seed that is known to fail."""
        self.cancelled = 0

    def run(self, listener: "Listener") -> Swept:
        """Walk until the smallest failing seed is known, or none is left.

        Raises what a worker raised.
        """
        slots = self._spark.sparkContext.defaultParallelism
        work = inheritable_thread_target(self._spark)(self._work)
        threads = [threading.Thread(target=work, daemon=True) for _ in range(slots)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(REPORT_SECONDS)
                    listener(len(self._rows), sum(row[1] for row in self._rows))
        except BaseException:
            with self._lock:
                self.first = -1
                self._cancel()
            raise
        if self._errors:
            raise self._errors[0]
        counted = [row for row in self._rows if self.first is None or row[0] <= self.first]
        return Swept(self.first, len(counted), sum(row[1] for row in counted), sum(row[2] for row in counted))

    def _work(self) -> None:
        while (seeds := self._next()) is not None:
            try:
                rows = self._walk(seeds)
            except Exception as error:  # noqa: BLE001  # the thread that waits raises it
                with self._lock:
                    if not self._pointless(seeds.start):
                        self._errors.append(error)
                        self.first = -1
                        self._cancel()
                    self._running.discard(seeds.start)
                continue
            with self._lock:
                self._running.discard(seeds.start)
                self._rows += rows
                failing = [seed for seed, *_, violated in rows if violated]
                if failing and not self._pointless(failing[0]):
                    self.first = failing[0]
                    self._cancel()

    def _next(self) -> range | None:
        with self._lock:
            seeds = next(self._blocks, None)
            if seeds is None or self._pointless(seeds.start):
                return None
            self._running.add(seeds.start)
            return seeds

    def _pointless(self, seed: int) -> bool:
        return self.first is not None and seed > self.first

    def _walk(self, seeds: range) -> list[tuple[int, int, int, bool]]:
        what = f"{self._walks.scenario}: seeds {seeds.start} to {seeds[-1]}"
        self._spark.sparkContext.setJobGroup(f"{self._group}-{seeds.start}", what, interruptOnCancel=True)
        rows = self._spark.range(seeds.start, seeds.stop, 1, 1).mapInArrow(partial(_on_worker, self._walks), SCHEMA)
        return [(row[0], row[1], row[2], row[3]) for row in rows.collect()]

    def _cancel(self) -> None:
        """End what is under way with larger seeds."""
        for start in self._running:
            if self._pointless(start):
                self.cancelled += 1
                self._spark.sparkContext.cancelJobGroup(f"{self._group}-{start}")


class Listener:
    """Says on stderr how many seeds were walked."""

    def __init__(self, name: str) -> None:
        self._name, self._began = name, time.monotonic()

    def __call__(self, seeds: int, executions: int) -> None:
        elapsed = time.monotonic() - self._began
        if elapsed >= REPORT_SECONDS:
            rate = round(executions / elapsed)
            sys.stderr.write(
                f"{self._name}: {plural(seeds, 'seed')}, {plural(executions, 'execution')} so far, {rate:,}/s\n"
            )


@attrs.frozen(kw_only=True)
class SweepSeeds:
    """Walk scenarios with so many seeds. What is not violated is inconclusive: sampling proves nothing."""

    spark: SparkSession
    strategy: Literal["random", "pct"]
    executions: int
    seeds: range
    depth: int
    block: int

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        started = time.perf_counter()
        if source.file is not None:
            self.spark.sparkContext.addFile(str(source.file))
        walks = Walks(
            scenario=scenario.name,
            file=None if source.file is None else str(source.file.resolve()),
            strategy=self.strategy,
            executions=self.executions,
            depth=self.depth,
        )
        done = Sweep(self.spark, walks, self.seeds, self.block).run(Listener(scenario.name))
        if done.seed is None:
            why = f"{done.executions} executions of seeds {self.seeds.start} to {self.seeds[-1]} did not violate it"
            found = undecided(scenario, f"{why}, which proves nothing")
        else:
            again = Walk(strategy=self.strategy, executions=self.executions, seed=done.seed, depth=self.depth)
            found = again.run(scenario, source, progress)
            sys.stderr.write(
                f"{scenario.name}: seed {done.seed} is the first that fails; {self._repeated(found, done.seed)}\n"
            )
        why = f"seed {done.seed}"
        verdicts = tuple(
            attrs.evolve(verdict, sampled=True, why=why if verdict.verdict == "violated" else verdict.why)
            for verdict in found.verdicts
        )
        seconds = time.perf_counter() - started
        return attrs.evolve(found, verdicts=verdicts, transitions=done.steps, seconds=seconds, stopped="")

    def _repeated(self, outcome: Outcome, seed: int) -> str:
        strategy = f"--strategy {self.strategy} --depth {self.depth}"
        return f"`lakeproof walk {outcome.scenario} --seed {seed} --executions {self.executions} {strategy}` repeats it"
