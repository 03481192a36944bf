"""The options that the commands share. Nothing here needs Spark: help is shown without it."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, TypeVar, cast

import attrs
import click

from lakeproof.spark_checks.engine import places, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lakeproof.spark_checks.data.dataset import Dataset, Keys
    from lakeproof.spark_checks.engine.engines import Name
    from lakeproof.spark_checks.engine.session import Options
    from lakeproof.spark_checks.engine.settings import Conf

P = ParamSpec("P")
R = TypeVar("R")


class _Place(click.Path):
    """A folder: as a path or with ``file:``, which comes as a path; or a URL."""

    def convert(self, value: "str | os.PathLike[str]", param: click.Parameter | None, ctx: click.Context | None) -> str:
        path = places.local(str(value))
        # Not checked here: a URL is looked at by its own file system, and some folders must not exist yet.
        return str(value).rstrip("/") if path is None else str(path)


PLACE: Final = _Place()


class _Folder(click.Path):
    """A folder of this machine, or of a mount: as a path, or with ``file:``."""

    def convert(
        self, value: "str | os.PathLike[str]", param: click.Parameter | None, ctx: click.Context | None
    ) -> Path:
        path = places.local(str(value))
        if path is None:
            expected = "expected a folder; name one of this machine, or of a mount that all workers share"
            self.fail(f"{value}: {expected}", param, ctx)
        return path


FOLDER: Final = _Folder()


def spark_options(command: Callable[Concatenate["Options", P], R]) -> Callable[P, R]:
    """The options that all commands share; they come to the command as its first argument."""

    @click.option(
        "--engine",
        type=click.Choice(["embedded", "classic", "connect"]),
        help="What runs the pipeline. [default: what --master or --remote say, else classic]",
    )
    @click.option("--master", metavar="URL", help="Classic Spark's master. [default: this machine, all cores]")
    @click.option("--remote", metavar="URL", help="A Spark Connect server. [default: SPARK_REMOTE]")
    @click.option(
        "--memory",
        metavar="SIZE",
        callback=settings.memory,
        help="Heap of classic's driver [default: 3g], or what embedded may take [default: no limit], as 512m or 3g.",
    )
    @click.option(
        "--work",
        metavar="URL",
        help="Folder or URL for intermediate tables, shared by all workers. [default: a temporary folder]",
    )
    @click.option(
        "--conf",
        multiple=True,
        callback=lambda _, __, words: settings.parse_conf(words),
        metavar="KEY=VALUE",
        help="A Spark option; may be repeated. Options on which verdicts depend are refused.",
    )
    @wraps(command)
    def wrapped(
        *args: object,
        engine: "Name | None",
        master: str | None,
        remote: str | None,
        memory: str | None,
        work: str | None,
        conf: "Conf",
        **kwargs: object,
    ) -> R:
        # Imported late, because it needs PySpark, and help does not.
        from lakeproof.spark_checks.engine.session import Options

        options = Options(engine=engine, master=master, remote=remote, memory=memory, work=work, conf=conf)
        return command(options, *args, **kwargs)  # type: ignore[arg-type]

    return wrapped  # type: ignore[return-value]


blockstore_option = click.option(
    "--blockstore",
    metavar="URL",
    help="Where the storage namespaces are: a folder, s3://BUCKET, gs://, az:// or https:// (Azure).",
)
"""In place of ``--beside``: the other tables are made of what the object store holds."""


@attrs.frozen
class DatasetSource:
    """The dataset that a command names: its argument DATASET, and the options beside it."""

    where: str
    keys: "Keys | None"
    beside: str | None
    blockstore: str | None = None

    def open(self, spark: "SparkSession") -> "Dataset":
        """Raises Unusable."""
        from lakeproof.spark_checks.data.dataset import open_dataset

        return open_dataset(spark, self.where, self.keys, self.beside, self.blockstore)

    def words(self, where: str) -> list[str]:
        """The words of another command that read the same dataset. ``where``: without credentials."""
        # In this order, so that a printed command reads as the help does.
        given = {"--keys": self.keys, "--beside": self.beside, "--blockstore": self.blockstore}
        return [where, *(word for name, value in given.items() if value is not None for word in (name, value))]


def dataset_options(command: Callable[Concatenate[DatasetSource, P], R]) -> Callable[P, R]:
    """The argument DATASET, and how it is to be read, with `blockstore_option` or without; as one argument."""

    @click.argument("dataset", metavar="DATASET")
    @click.option(
        "--keys",
        type=click.Choice(["design", "lakefs"]),
        help="Key schema. [default: design for a folder, lakefs for a dump or a database]",
    )
    @click.option("--beside", metavar="DIR", help="Folder with the tables that a dump or database does not have.")
    @wraps(command)
    def wrapped(*args: object, dataset: str, keys: "Keys | None", beside: str | None, **kwargs: object) -> R:
        # Not every command has `blockstore_option`; those that have it get it in the source, not as an argument.
        source = DatasetSource(dataset, keys, beside, cast("str | None", kwargs.pop("blockstore", None)))
        return command(source, *args, **kwargs)  # type: ignore[arg-type]

    return wrapped  # type: ignore[return-value]


@attrs.frozen
class RunOptions:
    """What commands share that mark objects. ``run``: None is a new name; ``now``: None is the dataset's own time."""

    out: str
    run: str | None
    now: str | None
    as_json: bool


def run_options(command: Callable[Concatenate[RunOptions, P], R]) -> Callable[P, R]:
    """`RunOptions`, as one argument."""

    @click.option("--now", metavar="TIME", help="ISO 8601, or microseconds. [default: of the youngest object]")
    @click.option("--json", "as_json", is_flag=True, help="Print the report as one line of JSON.")
    @click.option("--run", metavar="ID", help="Name of the run. [default: a new one]")
    @click.option("--out", required=True, type=PLACE, metavar="DIR", help="Folder or URL of the runs.")
    @wraps(command)
    def wrapped(*args: object, out: str, run: str | None, now: str | None, as_json: bool, **kwargs: object) -> R:
        return command(RunOptions(out, run, now, as_json), *args, **kwargs)  # type: ignore[arg-type]

    return wrapped  # type: ignore[return-value]
