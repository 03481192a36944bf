"""The command ``spark decode``: the typed tables of a dataset, so that later commands need not decode again."""

from typing import TYPE_CHECKING

import attrs
import click

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.options import PLACE, dataset_options, spark_options

if TYPE_CHECKING:
    from lakeproof.spark_checks.engine.options import DatasetSource
    from lakeproof.spark_checks.engine.session import Options


@click.command()
@dataset_options
@click.option("--out", required=True, type=PLACE, metavar="DIR", help="New folder or URL for the tables.")
@spark_options
def command(options: "Options", source: "DatasetSource", out: str) -> None:
    """Write the typed tables that the records of DATASET decode into: repositories/, branches/, tags/, commits/,
    staged/, cleanups/ and undecodable/, as Parquet.

    DATASET is a folder of Parquet tables, a JSON dump of lakeFS' store, or a PostgreSQL address with a table kv. If
    the tables are in decoded/ beside kv/, later commands need no decoding.
    """
    from lakeproof.spark_checks.data import manifest
    from lakeproof.spark_checks.data.dataset import is_folder
    from lakeproof.spark_checks.data.decoding import decode
    from lakeproof.spark_checks.engine import staging
    from lakeproof.spark_checks.engine.progress import doing
    from lakeproof.spark_checks.engine.run_folders import session_for

    with session_for(options, out) as (spark, _):
        found = source.open(spark)
        with doing(spark, f"decoding {found.where}"):
            entities = decode(found)
            manifest.note_origin(out, source.where.rstrip("/") if is_folder(source.where) else None, found.keys)
            found.demand_read()  # before any write: what was read in part must not become typed tables
        for name, table in attrs.asdict(entities, recurse=False).items():
            with doing(spark, f"writing {name}/"):
                written = staging.write(table, f"{out}/{name}")
            click.echo(f"{name:14}{written.rows:>12,} rows")
    # Files that its manifest does not name would make the dataset unusable for every later command. Only now: within,
    # Ctrl-C removes them, and the manifest would name what is gone.
    if places.full(out) == places.full(f"{source.where.rstrip('/')}/decoded"):
        manifest.extend(source.where.rstrip("/"))
