"""The command ``spark seal``: a manifest of a dataset that is whole."""

import click


@click.command("seal")
@click.argument("dataset", metavar="DATASET")
@click.option("--hash", "hashed", is_flag=True, help="Also record the SHA-256 of all bytes, and check it at every use.")
@click.option("--again", is_flag=True, help="Replace the existing manifest.")
def command(dataset: str, hashed: bool, again: bool) -> None:
    """Write the manifest of DATASET, a complete folder of Parquet tables: _lakeproof.json, with the files of each
    table, their sizes and footers.

    From then on, every command refuses the dataset if a file was lost, added, or changed. Needs no Spark.
    """
    from lakeproof.spark_checks.data import manifest

    found = manifest.seal(dataset.rstrip("/"), hashed=hashed, again=again)
    for name, files in found.items():
        rows = sum(each.rows for each in files)
        click.echo(f"{name:24}{len(files):>6,} files{rows:>15,} rows{sum(each.bytes for each in files):>18,} bytes")
