"""One verdict for each key of each history: the events of a key come together in one task, and the checker is called.

Small keys come by the thousand, as lists in a batch; a large one comes by itself, so that no row holds it.
"""

import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

import attrs
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from lakeproof.histories import Unreadable, json_lines
from lakeproof.histories.events import HistoryWriter
from lakeproof.histories.evidence import as_history
from lakeproof.histories.model_fit import misfit, without_observation
from lakeproof.model.linearizability.checker import Limits, check, parts
from lakeproof.model.linearizability.evidence import explain
from lakeproof.model.linearizability.history import BrokenHistory, History, Settings
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import ALL, Specification, specification_of
from lakeproof.spark_checks.engine.tables import LONG, STRING, STRINGS, table
from lakeproof.spark_checks.engine.tables import batch as batch_of
from lakeproof.words import Unusable

VERDICTS: Final = table(
    history=STRING,
    key=STRING,  # as JSON; null: no key, or all keys together
    verdict=STRING,  # holds, violated, inconclusive
    algorithm=STRING,  # none: nothing was observed; writes: there are no others
    operations=LONG,
    why=STRING,  # of an inconclusive one
    evidence=STRINGS,  # of a violated one: the smallest part that is impossible, as JSON Lines
)
LARGE: Final = 20_000
"""Events: from here on, a key comes by itself."""

Lines = list[tuple[int, str]]
_ARROW: Final = pa.schema(
    [(name, pa.string()) for name in ("history", "key", "verdict", "algorithm")]
    + [("operations", pa.int64()), ("why", pa.string()), ("evidence", pa.list_(pa.string()))]
)


@attrs.frozen(kw_only=True)
class Judging:
    """How keys are judged. memory: bytes, and seconds: of one key at most. explained: of how many violated keys of a
    task the evidence is looked for. guessed: the model is that of the operations' names; the values must fit it."""

    model: str
    settings: Settings
    memory: int = 1 << 28
    seconds: float = 60.0
    explained: int = 100
    guessed: bool = False

    @property
    def specification(self) -> Specification:
        return ALL[self.model]


def model_of(events: DataFrame) -> str:
    """The one model that has all the operations of a table of events. Raises Unusable."""
    # No model has so many operations: a thousand are enough to see that they fit none.
    named = [row["f"] for row in events.select("f").where("f is not null").distinct().limit(1_000).collect()]
    try:
        return specification_of(frozenset(named)).name
    except BrokenHistory as error:
        raise Unusable(str(error)) from None


def judge(events: DataFrame, judging: Judging) -> DataFrame:
    """The verdicts on the events of a table: `VERDICTS`, a row for each key. ``events``: staged, it is read twice.

    Raises Unusable when it is run, for events that are no history: names the history and the line.
    """
    # With scans or several registers, operations on different keys constrain each other: all are one group.
    key = f.col("key") if judging.specification.by_key else f.lit(None).cast("string")
    rows = events.withColumn("key", key)
    # Under other names, or the condition of the join would compare columns with themselves.
    sizes = rows.groupBy(f.col("history").alias("of"), f.col("key").alias("named")).agg(f.count(f.lit(1)).alias("size"))
    same = (f.col("history") == f.col("of")) & f.col("key").eqNullSafe(f.col("named"))
    marked = rows.join(f.broadcast(sizes.where(f.col("size") > LARGE)), same, "left").drop("of", "named")
    small = marked.where("size is null").groupBy("history", "key")
    # By number: a shuffle does not keep the order of events.
    lists = small.agg(f.sort_array(f.collect_list(f.struct("number", "event"))).alias("events"))

    def judged(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        explained = judging.explained
        for batch in batches:
            found = []
            for history, name, listed in zip(*(batch.column(n).to_pylist() for n in batch.schema.names), strict=True):
                lines = [(each["number"], each["event"]) for each in listed]
                found.append(_verdict(history, name, lines, judging, explain_it=explained > 0))
                # An explanation is a search of its own. A task with thousands of violated keys must end.
                explained -= found[-1][2] == Verdict.VIOLATED.value
            yield batch_of(found, _ARROW)

    def judged_alone(group: pa.Table) -> pa.Table:
        columns = (group.column(name).to_pylist() for name in ("number", "event"))
        history, name = group.column("history")[0].as_py(), group.column("key")[0].as_py()
        lines = sorted(zip(*columns, strict=True))
        return pa.Table.from_batches([batch_of([_verdict(history, name, lines, judging, explain_it=True)], _ARROW)])

    large = marked.where("size is not null").drop("size", "f").groupBy("history", "key")
    # Small keys share a batch; a large one is a group of its own, whose rows come as a table and not as one list.
    verdicts = lists.mapInArrow(judged, VERDICTS).unionByName(large.applyInArrow(judged_alone, VERDICTS))
    return verdicts.where("operations > 0")  # what injects faults has events of no key


Row = tuple[str, str | None, str, str, int, str, list[str] | None]


def _verdict(name: str, key: str | None, lines: Lines, judging: Judging, *, explain_it: bool) -> Row:
    """The verdict on one key. ``lines``: its events with their numbers, in order."""
    history = History(judging.settings)
    try:
        for (one, _), (other, _) in pairwise(lines):
            if one == other:  # a table's; lines of a file are numbered
                raise Unreadable("two events have this index; expected an order of all events of a key", one)
        for _ in json_lines.read(lines, HistoryWriter(history)):
            pass
        history.settle()
        specification = judging.specification
        if judging.guessed and (wrong := misfit(specification, history)):
            raise Unreadable(wrong)
        began = time.monotonic()
        # The clock starts with the search: to read a large key may take long, too.
        limits = Limits(memory=judging.memory, expired=lambda: time.monotonic() - began > judging.seconds)
        # The events are of one key, or the model has none: there is one verdict at most.
        found = next(check(specification, history, limits), None)
        if found is None:  # no event is of a client
            return name, key, Verdict.INCONCLUSIVE.value, "none", 0, "", None
        algorithm = without_observation(specification, history) or found.algorithm
        evidence = None
        if found.verdict is Verdict.VIOLATED and explain_it:
            numbers = dict(parts(specification, history))[found.key]
            evidence = list(as_history(explain(specification, history, found.key, numbers, limits, found.at)))
    except (BrokenHistory, Unreadable) as error:
        line = getattr(error, "line", 0)
        # Some errors name their line themselves.
        where = f"line {line}: " if line and not str(error).startswith("line") else ""
        raise Unusable(f"{name or 'the table'}: {where}{error}") from None
    return name, key, found.verdict.value, algorithm, found.operations, found.why, evidence
