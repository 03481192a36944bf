"""The command ``spark histories``: is every key of every history linearizable."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import attrs
import click

from lakeproof.commands.options import Seconds, fail_option, nil_option, order_option
from lakeproof.spark_checks.engine.options import PLACE, spark_options
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, plural

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.session import Options

EXAMPLES: Final = 10


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), metavar="FOLDER")
@click.option("--model", metavar="NAME", help="Specification. Default: the smallest one with all operations.")
@fail_option
@nil_option
@order_option
@click.option(
    "--max-memory", type=click.IntRange(1), default=256, show_default=True, metavar="MIB", help="Limit per key."
)
@click.option("--max-seconds", type=Seconds, default=60.0, show_default=True, metavar="S", help="Limit per key.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each key that does not hold, and the sum.")
@click.option("--out", type=PLACE, metavar="DIR", help="New folder or URL for the table of verdicts.")
@spark_options
def command(
    options: "Options",
    folder: Path,
    model: str | None,
    fail: Literal["did-not-happen", "predicate-false"] | None,
    nil: Literal["nothing", "unrecorded"] | None,
    order: Literal["file", "time"] | None,
    max_memory: int,
    max_seconds: float,
    as_json: bool,
    out: str | None,
) -> int:
    """Check whether the histories in FOLDER are linearizable, key by key.

    FOLDER has files of JSON Lines at any depth, a history each, or is a Parquet table of events. The verdicts are a
    table: history, key, verdict, algorithm, operations, why, evidence.
    """
    from pyspark.sql import functions as f

    from lakeproof.histories import DEFAULTS
    from lakeproof.model.linearizability.specifications import ALL
    from lakeproof.spark_checks.engine import staging, workspace
    from lakeproof.spark_checks.engine.progress import doing
    from lakeproof.spark_checks.engine.run_folders import session_for
    from lakeproof.spark_checks.histories.reader import events
    from lakeproof.spark_checks.histories.verdicts import VERDICTS, Judging, judge, model_of

    if model is not None and model not in ALL:
        raise click.UsageError(f"--model {model}: expected one of {', '.join(ALL)}")
    if not folder.is_dir():  # before there is a session
        raise Unusable(f"{folder}: there is no such folder; name one with histories")
    chosen = {"fail": fail, "nil": nil, "order": order}
    settings = attrs.evolve(DEFAULTS["jsonl"], **{name: word for name, word in chosen.items() if word is not None})  # type: ignore[arg-type]
    with session_for(options, out) as (spark, _):
        with doing(spark, "reading the events"):
            read = workspace.stage(events(spark, folder), "events")
            judging = Judging(
                model=model or model_of(read),
                settings=settings,
                memory=max_memory << 20,
                seconds=max_seconds,
                guessed=model is None,
            )
        with doing(spark, f"judging by {judging.model}"):
            target = out if out is not None else workspace.fresh(spark, "verdicts")
            verdicts = staging.read(staging.write(judge(read, judging), target), VERDICTS, spark)
        counts = {
            (row["verdict"], row["algorithm"]): row["count"]
            for row in verdicts.groupBy("verdict", "algorithm").count().collect()
        }
        # As `without_observation` of a whole history: a key of writes alone makes up for no reads without a value.
        seen, silent = f.max(~f.col("algorithm").isin("none", "writes")), f.max(f.col("algorithm") == "none")
        answered = verdicts.groupBy("history").agg((seen | ~silent).alias("answered")).where("answered").count()
        unanswered = read.select("history").distinct().count() - answered
        bad = verdicts.where(f.col("verdict") != "holds").orderBy("verdict", "history", "key")
        examples = bad.limit(EXAMPLES).collect()
    verdicts_of = ("holds", "violated", "inconclusive")
    sums = {name: sum(count for (verdict, _), count in counts.items() if verdict == name) for name in verdicts_of}
    _tell([row.asDict() for row in examples], as_json=as_json)
    if as_json:
        click.echo(json.dumps({"model": judging.model, **sums, "unanswered": unanswered}))
    elif unanswered and sums["holds"] == sum(sums.values()):
        click.echo(f"INCONCLUSIVE: nothing was observed in {plural(unanswered, 'history', 'histories')}")
    else:
        click.echo(_sum(judging.model, sums, counts))
    return VIOLATED if sums["violated"] else INCONCLUSIVE if sums["inconclusive"] or unanswered else AS_EXPECTED


def _tell(examples: list[dict[str, Any]], *, as_json: bool) -> None:  # type: ignore[explicit-any]  # Spark's rows
    for row in examples:
        if as_json:
            click.echo(json.dumps(row))
            continue
        why = f": {row['why']}" if row["why"] else ""
        place = f"{row['history']}: " if row["history"] else ""
        named = "all keys" if row["key"] is None else f"key {row['key']}"
        click.echo(f"{place}{named}, {row['operations']:,} operations: {row['verdict']}{why}")
        for line in row["evidence"] or ():
            click.echo(f"  {line}")


def _sum(model: str, sums: dict[str, int], counts: dict[tuple[str, str], int]) -> str:
    """The verdict, as the last line."""
    from lakeproof.histories.evidence import by_algorithm, verdict_of_keys

    by: dict[str, int] = {}
    for (_, algorithm), count in counts.items():
        by[algorithm] = by.get(algorithm, 0) + count
    return f"{verdict_of_keys(sums['holds'], sums['violated'], sums['inconclusive'])} ({model}; {by_algorithm(by)})"
