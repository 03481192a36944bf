"""Whether the workers' Python can do the work: asked on every executor of a cluster before anything is read.

The question is a plain function of Python's own modules, which goes to the workers by value: it is answered where
nothing of ours is installed. Cost: one small job, and the start of a Python worker on each executor.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import attrs
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import probing, troubles

NEEDED: Final[Mapping[str, str]] = {
    "attrs": "attrs",
    "google.protobuf.message": "protobuf",  # without its last part, Spark's own jars pass for it
    "numpy": "numpy",
    "pyarrow": "pyarrow",
    "pyspark": "pyspark",
    "rich": "rich",
}
"""What is imported on workers, and the package that it is of."""

COMPARED: Final = frozenset({"attrs", "numpy", "protobuf", "pyarrow", "pyspark"})
"""Driver and workers exchange what these make: they must be of one major version."""


@attrs.frozen
class Answer:
    """What a worker says of itself. ``versions``: of each package; "": it does not know. ``lacks``: packages, and why
    they cannot be imported."""

    host: str
    program: str
    python: str
    versions: Mapping[str, str]
    lacks: Mapping[str, str]

    @property
    def who(self) -> str:
        return f"workers' Python ({self.program} on {self.host})"


def demand_able(spark: SparkSession) -> None:
    """Raises Unusable: Python does not start on a worker, is another version, or lacks a package."""
    mine = Answer(*next(_asking(NEEDED)([])))
    context = spark.sparkContext
    tasks = 2 * context.defaultParallelism

    def ask() -> None:
        try:
            answers = context.parallelize(range(tasks), tasks).mapPartitions(_asking(NEEDED)).collect()
        except (PySparkException, Py4JError) as error:
            line = troubles.one_line(error)
            if line is None:
                raise
            raise Unusable(line) from None
        for each in answers:
            demand_same(Answer(*each), mine)

    probing.on_every_executor(spark, ask, "Python")


Told = tuple[str, str, str, dict[str, str], dict[str, str]]


def _asking(needed: Mapping[str, str]) -> Callable[[Iterable[object]], Iterator[Told]]:
    """What runs on a worker. It is made here, inside, and so goes there by value."""
    wanted = dict(needed)

    def ask(_: Iterable[object]) -> Iterator[Told]:
        import importlib
        import platform
        import socket
        import sys
        from importlib import metadata

        versions: dict[str, str] = {}
        lacks: dict[str, str] = {}
        for module, package in wanted.items():
            try:
                found = importlib.import_module(module)
            except Exception as error:  # noqa: BLE001  # a package that is broken raises anything
                absent = isinstance(error, ModuleNotFoundError) and error.name in {module, module.partition(".")[0]}
                lacks[package] = "" if absent else " ".join(f"{type(error).__name__}: {error}".split())[:160]
                continue
            try:
                versions[package] = str(getattr(found, "__version__", "")) or metadata.version(package)
            except metadata.PackageNotFoundError:
                versions[package] = ""
        yield socket.gethostname(), sys.executable, platform.python_version(), versions, lacks

    return ask


def demand_same(found: Answer, mine: Answer) -> None:
    """Raises Unusable: what a worker has is not what the driver has."""
    if _part(found.python, 2) != _part(mine.python, 2):
        raise Unusable(
            f"{found.who}: is {found.python}, and the driver's is {mine.python}; both must be one minor version: "
            f"{troubles.ENVIRONMENT}"
        )
    absent = sorted(name for name, why in found.lacks.items() if not why)
    if absent:
        raise Unusable(f"{found.who}: lacks {', '.join(absent)}; {troubles.ENVIRONMENT}")
    for name, why in sorted(found.lacks.items()):
        raise Unusable(f"{found.who}: {name} cannot be imported ({why}); {troubles.ENVIRONMENT}")
    for name in sorted(COMPARED):
        theirs, ours = found.versions.get(name, ""), mine.versions.get(name, "")
        parts = 2 if name == "pyspark" else 1
        if theirs and ours and _part(theirs, parts) != _part(ours, parts):
            raise Unusable(
                f"{found.who}: has {name} {theirs}, and the driver has {ours}; both must be one "
                f"{'minor' if parts == 2 else 'major'} version: {troubles.ENVIRONMENT}"
            )


def _part(version: str, parts: int) -> list[str]:
    return version.split(".")[:parts]
