"""The search that hands its levels over agrees with the local one: verdicts, numbers of states, lengths of traces.

The first engine here is without Spark: the workers' functions on Arrow batches, one small batch after the other. The
second one has DataFrames.
"""

import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType
from pyspark.testing import assertDataFrameEqual, assertSchemaEqual

from lakeproof import Call, Env, Scenario
from lakeproof.model import kv
from lakeproof.model.invariants import Always, Finding, Invariant, Monitor, OnStep, Reached, Violation
from lakeproof.model.snapshot import Event, Returned
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search import packing
from lakeproof.search.expansion import Expansion
from lakeproof.search.fence import Hangs
from lakeproof.search.packing import Layout, Words, concatenate, distinct, lay_out, repack, take
from lakeproof.search.search import Limits, Options, search
from lakeproof.spark_checks.engine import workspace
from lakeproof.spark_checks.explore import worker
from lakeproof.spark_checks.explore.levels import Expanded, Part, Row, Sought, SparkLevels, repack_rows
from lakeproof.spark_checks.explore.masks import LACKING, Job, Question
from lakeproof.spark_checks.explore.search import on
from lakeproof.spark_checks.explore.task import Explore
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import Listener, run
from tests.differential.agreement import enumerated
from tests.differential.generated import flow_set
from tests.search.agreement import violated_by
from tests.search.test_looping import GROWS, NEVER, counting, holding
from tests.spark.conftest import ON_CLASSIC_TOO
from tests.spark.explore.comparing import CATALOGUE, compare, scenario_of, told

Task = Callable[[Job, Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


class InProcess(SparkLevels):
    """Levels in memory. ``batch_rows``: what one task gets; ``witnesses``: how many things are compiled at once."""

    def __init__(self, batch_rows: int = 50, witnesses: int = 3) -> None:
        self.batch_rows, self.witnesses = batch_rows, witnesses
        self.words: dict[Part, Words] = {}
        self.old: list[tuple[int, Words, Layout]] = []
        self.rounds = self.made = self.steps = 0

    def keep(self, words: Words, layout: Layout) -> Part:
        return self._made(LACKING, words, layout)

    def merged(self, parts: Sequence[Part], layout: Layout) -> Part:
        if len(parts) == 1:
            return parts[0]
        return self._made(
            1, distinct(concatenate([self._states(part, layout) for part in parts], layout.words)), layout
        )

    def expanded(self, part: Part, job: Job) -> Expanded:
        layout, by_tag = job.kernel.layout, dict[int, list[Words]]()
        names: dict[int, Words] = {}
        transitions = 0
        self.steps += 1
        for batch in self._run(part, job, worker.expand):
            words, tag = worker.words_of(batch, layout.words), batch["tag"][0].as_py()
            by_tag.setdefault(tag, []).append(words)
            for at, count in enumerate(batch["count"].to_pylist()):
                if tag > LACKING:
                    transitions += count
                elif tag == LACKING and count and len(names) < self.witnesses:
                    names.setdefault(count, take(words, slice(at, at + 1)))
        kept = {}
        for tag, parts in by_tag.items():
            kept[tag] = self._made(tag, distinct(concatenate(parts, layout.words)), layout)
        lacking = kept.pop(LACKING, None)
        self.rounds += lacking is not None
        return Expanded(
            successors=tuple((tag, part) for tag, part in kept.items() if tag > LACKING),
            answers=tuple(part for tag, part in kept.items() if tag < LACKING),
            lacking=lacking,
            witnesses=concatenate(list(names.values()), layout.words),
            transitions=transitions,
        )

    def fresh(self, answers: Sequence[Part], layout: Layout) -> Iterator[tuple[int, Row]]:
        old = {(tag, row) for tag, words, before in self.old for row in _rows(repack(words, before, layout))}
        new = {(part.tag, row) for part in answers for row in _rows(self._states(part, layout))} - old
        self.old += [(part.tag, self.words[part], part.layout) for part in answers]
        yield from sorted(new)

    def remember(self, tag: int, words: Words, layout: Layout) -> None:
        self.old.append((tag, words, layout))

    def located(self, part: Part, job: Job, question: Question, target: Row) -> Sought:
        return self._sought(part, job, partial(worker.locate, question=question, target=target))

    def preceding(self, part: Part, job: Job, target: Row) -> Sought:
        return self._sought(part, job, partial(worker.preceding, target=target))

    def drop(self, part: Part) -> None:
        del self.words[part]

    def clear(self) -> None:
        self.words, self.old = {}, []

    def _made(self, tag: int, words: Words, layout: Layout) -> Part:
        self.made += 1
        part = Part(str(self.made), tag, layout, len(words[0]))
        self.words[part] = words
        return part

    def _states(self, part: Part, layout: Layout) -> Words:
        return repack(self.words[part], part.layout, layout)

    def _run(self, part: Part, job: Job, task: Task) -> Iterator[pa.RecordBatch]:
        words = self._states(part, job.kernel.layout)
        for at in range(0, len(words[0]), self.batch_rows):
            piece = take(words, slice(at, at + self.batch_rows))
            sent: Job = pickle.loads(pickle.dumps(job))  # noqa: S301  # our own, as Spark sends it
            yield from task(sent, worker.batches_of(0, np.zeros(len(piece[0]), np.int64), piece))

    def _sought(self, part: Part, job: Job, task: Task) -> Sought:
        size = job.kernel.layout.words
        found = [(batch["tag"][0].as_py(), worker.words_of(batch, size)) for batch in self._run(part, job, task)]
        hits = [row for tag, words in found if tag == worker.HIT for row in _rows(words)]
        lacking = concatenate([words for tag, words in found if tag == LACKING], size)
        return Sought(min(hits, default=None), take(lacking, slice(0, self.witnesses)))


def _rows(words: Words) -> list[Row]:
    return list(zip(*(word.tolist() for word in words), strict=True))


GRADED = Options(ranked=False)
RAW = Options(merge=False)
RANKED = Options(ranked=True)


SOME = [pytest.param(name, marks=[pytest.mark.deep] * (at % 3 > 0)) for at, name in enumerate(CATALOGUE)]


@pytest.mark.parametrize("name", SOME)
def test_scenarios_of_the_catalogue_come_out_as_they_do_here(name: str) -> None:
    scenario, engine = scenario_of(name), InProcess()
    result = compare(scenario, engine, GRADED)
    assert engine.rounds
    for finding in result.findings:
        if finding.counterexample:
            assert finding.id in violated_by(scenario, finding.counterexample.moves)


@pytest.mark.deep
@pytest.mark.parametrize("options", [GRADED, RAW, RANKED], ids=["graded", "raw", "ranked"])
def test_generated_flows_come_out_as_they_do_here(options: Options) -> None:
    depths = [
        compare(made.scenario(), InProcess(batch_rows=7), options).depth
        for made in map(flow_set, range(20))
        if enumerated(made, 200) is not None
    ]
    assert len(depths) >= 10
    assert sum(depth > 0 for depth in depths) >= 8


@pytest.mark.deep
@pytest.mark.parametrize("driver_states", [0, 3, 10, 30])
def test_it_does_not_matter_when_levels_are_handed_over(driver_states: int) -> None:
    for name in CATALOGUE[::5]:
        compare(scenario_of(name), InProcess(), GRADED, driver_states)


@pytest.mark.deep
def test_it_does_not_matter_how_much_a_worker_holds_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rows in (("CHUNK", 3), ("GATHERED_MAX", 1), ("BATCH_ROWS", 2)):
        monkeypatch.setattr(worker, name, rows)
    for name in CATALOGUE[::6]:
        compare(scenario_of(name), InProcess(), GRADED)


def test_a_search_whose_levels_stay_small_is_the_local_one_to_the_letter() -> None:
    for name in CATALOGUE[::5]:
        engine = InProcess()
        here = search(scenario_of(name), options=GRADED)
        there = search(scenario_of(name), options=GRADED, searching=on(engine, 10**6))
        assert there.findings == here.findings
        assert engine.steps == 0


@pytest.mark.parametrize("states_max", [1, 20, 60])
def test_limits_stop_both_at_the_same_level(states_max: int) -> None:
    scenario, limits = scenario_of("repositories/kv3/delete-get"), Limits(states_max=states_max)
    here = search(scenario, limits, GRADED)
    there = search(scenario, limits, GRADED, searching=on(InProcess(), 0))
    assert told(there) == told(here)


PRINTS = """
from lakeproof import Call, Scenario

async def prints(env):
    print("a flow's own words")
    await env.store.set(b"p", b"k", b"1")

EXPECT = {"no-unhandled-exception": "holds"}
SCENARIOS = [Scenario(name="prints", clients=[[Call(prints)]], invariants=[], expect=EXPECT)]
"""


def test_a_users_file_is_searched_where_the_engine_is_and_prints_nothing_among_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, engine = tmp_path / "mine.py", InProcess()
    path.write_text(PRINTS)
    source, task = Source(path), Explore(engine=engine, driver_states=0)
    (outcome,) = run(task, source.load(), source, 1, Listener())
    assert outcome.complete
    assert engine.steps, "a copy of the engine has expanded the levels"
    shown = capsys.readouterr()
    assert (shown.out, "a flow's own words" in shown.err) == ("", True)


async def sets(env: Env, key: bytes) -> None:
    await env.store.set(b"p", key, b"1")


async def hangs_once_a_is_set(env: Env) -> None:
    if await env.store.find(b"p", b"a") is not None:
        raise Hangs(30.0, "mine.py:3")


def _is_set(cells: Mapping[tuple[bytes, bytes], object], key: bytes) -> list[Violation | Reached]:
    return [Violation("set", f"{key!r}")] if (b"p", key) in cells else [Reached("not set")]


def _returned(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    both = isinstance(event, Returned) and state is True
    return isinstance(event, Returned) or state, (Violation("second", "two have returned"),) if both else ()


BEFORE = Always(id="before", meaning="", check=lambda snapshot: _is_set(snapshot.store, b"a"))
BESIDE = OnStep(
    id="beside",
    meaning="",
    check=lambda step: _is_set(step.before.store, b"b"),
    watches=lambda _, op: isinstance(op, kv.Set) and op.key == b"a",
)
SECOND = Monitor(id="second", meaning="", initial=False, advance=_returned)


@pytest.mark.parametrize("invariants", [(BEFORE, BESIDE), (SECOND,)], ids=["states and steps", "a monitor"])
def test_a_flow_that_hangs_takes_no_violation_with_it_that_was_found(invariants: Sequence[Invariant]) -> None:
    """On the level on which it hangs, a state in which it does not is judged, too."""
    clients = [[Call(sets, b"a")], [Call(hangs_once_a_is_set)], [Call(sets, b"b")]]
    scenario = Scenario(name="hangs", clients=clients, invariants=invariants)
    here, there = search(scenario, options=GRADED), search(scenario, options=GRADED, searching=on(InProcess(), 0))
    assert {finding.verdict for finding in here.findings if finding.id != NO_UNHANDLED_EXCEPTION} == {"violated"}
    assert told(there)["verdicts"] == told(here)["verdicts"]
    assert told(there)["lengths"] == told(here)["lengths"]
    assert there.stopped == here.stopped == str(Hangs(30.0, "mine.py:3"))


def test_a_flow_that_counts_up_is_named_after_so_many_steps_and_so_is_what_it_counts() -> None:
    clients = [[Call(sets, b"a")], [Call(counting)]]  # the first one may not have had its turn yet
    scenario = Scenario(name="counts", clients=clients, setup=[Call(holding)], invariants=[NEVER])
    limits = Limits(steps_max=20, states_max=1_000)
    here = search(scenario, limits, GRADED)
    there = search(scenario, limits, GRADED, searching=on(InProcess(), 0))
    assert "counting() still runs after 20 steps" in here.stopped
    assert GROWS[counting] in here.stopped
    assert told(there) == told(here)


ATTEMPT, FRESH = Expansion.attempt, InProcess.fresh


def counted_although_held_back(self: Expansion, words: packing.Words) -> object:
    found = ATTEMPT(self, words)
    known = ATTEMPT(self, packing.take(words, ~found.lacking)) if found.lacking.any() else found
    found.offers.extend(known.offers[:1])
    return found


def judged_again(self: InProcess, *args: object) -> object:
    """Old answers, too."""
    self.old = []
    return FRESH(self, *args)  # type: ignore[arg-type]


@pytest.mark.deep
@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [
        (Expansion, "_lack", lambda *_: None),  # states that lack something are not held back
        (Expansion, "attempt", counted_although_held_back),
        (InProcess, "fresh", lambda *_: iter(())),  # nobody answers a question
        (InProcess, "fresh", judged_again),
    ],
    ids=["not held back", "held back and counted", "no answers", "judged again"],
)
def test_a_planted_fault_does_not_go_unnoticed(
    where: type, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def differs(scenario: str) -> bool:
        try:
            compare(scenario_of(scenario), InProcess(), GRADED)
        except (AssertionError, IndexError, KeyError, ValueError):
            return True
        return False

    monkeypatch.setattr(where, name, fault)
    assert any(map(differs, CATALOGUE[:12]))


@pytest.fixture
def engine(spark: SparkSession) -> Iterator[SparkLevels]:
    made = SparkLevels(spark)
    yield made
    made.clear()


@ON_CLASSIC_TOO
def test_violations_are_found_and_traced_on_spark(engine: SparkLevels) -> None:
    result = compare(scenario_of("hard-delete/today/upload-reset"), engine, GRADED, 6)
    lengths = [len(finding.counterexample.moves) for finding in result.findings if finding.counterexample]
    assert max(lengths) > 6, "nothing is violated on the levels that Spark has"


def files(spark: SparkSession) -> set[Path]:
    """What all tests of this process have staged."""
    return set(Path(workspace.folder(spark)).rglob("*.parquet"))


def test_the_outcome_is_that_of_verify_and_nothing_is_left_behind(spark: SparkSession, engine: SparkLevels) -> None:
    scenario = scenario_of("tags/plain/tag-tag/crash")
    before = files(spark)
    seen: list[int] = []
    outcome = Explore(engine=engine, driver_states=5).run(scenario, Source(), lambda *at: seen.append(at[0]))
    assert all(verdict.verdict == scenario.expected(verdict.invariant) for verdict in outcome.verdicts)
    assert outcome.complete
    assert seen == sorted(seen)
    assert files(spark) == before


@ON_CLASSIC_TOO
def test_expressions_repack_states_as_arrays_do(spark: SparkSession) -> None:
    old = lay_out([3, 40, 0, 20, 5, 64], [1, 0, 3, 2, 4, 5])
    new = lay_out([4, 41, 2, 20, 7, 64, 3], [6, 5, 1, 4, 0, 3, 2])
    random = np.random.default_rng(1)
    rows = [
        old.pack([int(random.integers(0, 1 << min(p.bits, 62), endpoint=False)) for p in old.places]) for _ in range(50)
    ]
    rows.append(old.pack([place.mask for place in old.places]))
    words = [np.array([row[at] for row in rows], np.uint64) for at in range(old.words)]
    found = repack_rows(_frame(spark, words), old, new)
    expected = _frame(spark, repack(words, old, new))
    assertSchemaEqual(found.schema, expected.schema, ignoreNullable=True)
    assertDataFrameEqual(found, expected, ignoreNullable=True)


def _frame(spark: SparkSession, words: Words) -> DataFrame:
    schema = StructType([StructField(f"w{at}", LongType()) for at in range(len(words))])
    return spark.createDataFrame(list(zip(*(word.view(np.int64).tolist() for word in words), strict=True)), schema)
