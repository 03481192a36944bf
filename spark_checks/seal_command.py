"""The command ``spark seal``: a manifest of a dataset that is whole."""

import click

from lakeproof.spark_checks.session import Options, spark_options


@click.command("seal")
@click.argument("dataset", metavar="DATASET")
@click.option("--hash", "hashed", is_flag=True, help="Also record the SHA-256 of all bytes, and check it at every use.")
@click.option("--again", is_flag=True, help="Replace the existing manifest.")
@spark_options
def command(options: Options, dataset: str, hashed: bool, again: bool) -> None:
    """Write the manifest of DATASET, a complete folder of Parquet tables: _lakeproof.json, with the files of each
    table, their sizes and footers.

    From then on, every command refuses the dataset if a file was lost, added, or changed. Only URLs need Spark.
    """
    from contextlib import nullcontext

    from lakeproof.spark_checks import manifest, places
    from lakeproof.spark_checks.session import session

    with nullcontext() if places.local(dataset) is not None else session(options) as spark:
        found = manifest.seal(spark, dataset.rstrip("/"), hashed=hashed, again=again)
    for name, files in found.items():
        rows = sum(each.rows for each in files)
        click.echo(f"{name:24}{len(files):>6,} files{rows:>15,} rows{sum(each.bytes for each in files):>18,} bytes")
