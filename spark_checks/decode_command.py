"""The command ``spark decode``: the typed tables of a dataset, so that later commands need not decode again."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from spark_checks.session import FOLDER, Options, dataset_options, session, spark_options

if TYPE_CHECKING:
    from spark_checks.dataset import Keys


@click.command()
@dataset_options
@click.option("--out", required=True, type=FOLDER, metavar="DIR", help="Where the tables go.")
@spark_options
def command(options: Options, dataset: str, keys: "Keys | None", beside: str | None, out: Path) -> None:
    """Write the typed tables that the records of DATASET decode into: repositories/, branches/, tags/, commits/,
    staged/, cleanups/ and undecodable/, as Parquet.

    DATASET is a folder of Parquet tables, a JSON dump of lakeFS' store, or a PostgreSQL address with a table kv. Put
    beside kv/ as decoded/, the tables spare every later command the decoding.
    """
    from lakeproof.tasks import Unusable
    from spark_checks import staging
    from spark_checks.dataset import open_dataset
    from spark_checks.decoding import decode
    from spark_checks.progress import doing

    if out.exists():
        raise Unusable(f"{out}: is there already; name another folder, or remove it")
    with session(options, out) as spark:
        found = open_dataset(spark, dataset, keys, beside)
        with doing(spark, f"decoding {found.where}"):
            entities = decode(found)
        for name, table in attrs.asdict(entities, recurse=False).items():
            with doing(spark, f"writing {name}/"):
                written = staging.write(table, f"{out}/{name}")
            click.echo(f"{name:14}{written.rows:>12,} rows")
