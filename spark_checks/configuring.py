"""Spark's settings: ours, the user's (``--conf KEY=VALUE``), and those on which verdicts rest, which nobody may change.

Three layers, the later ones win: what we would rather have, what the user says (``spark-submit``, ``--conf``), and
`RELIED`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import attrs
import click
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import workspace


@attrs.frozen
class Relied:
    """The value that a setting must have, and why."""

    value: str
    why: str


_LOST: Final = "a file that is lost or damaged must be an error, or its rows are missing from the verdict"
_PASSED_OVER: Final = "a file that is passed over in silence is missing from the verdict"

RELIED: Final[dict[str, Relied]] = {
    "spark.sql.ansi.enabled": Relied("true", "a cast that fails or a sum that overflows must be an error, not null"),
    "spark.sql.session.timeZone": Relied("UTC", "a time must mean the same on every machine"),
    "spark.sql.files.ignoreMissingFiles": Relied("false", _LOST),
    "spark.sql.files.ignoreCorruptFiles": Relied("false", _LOST),
    "spark.sql.files.ignoreInvalidPartitionPaths": Relied("false", _PASSED_OVER),
    "spark.sql.files.ignoredPathSegmentRegex": Relied("^[._]", _PASSED_OVER),
    "spark.sql.sources.partitionColumnTypeInference.enabled": Relied(
        "false", "an id that is all digits must stay the text that it is"
    ),
    "spark.sql.execution.sortBeforeRepartition": Relied(
        "true", "a task that is run again must hand on the same rows, or some are lost and some come twice"
    ),
    "spark.speculation": Relied("false", "two copies of a task must not write one file at once"),
}
"""Verdicts rest on these. They are in force in every session, whatever a cluster's defaults or ``spark-submit`` say."""

_REPEATED: Final = "rows that are made again, where an executor was lost, must be noticed if they are others"

ON_CLUSTERS: Final[dict[str, Relied]] = {
    "spark.sql.shuffle.orderIndependentChecksum.enabled": Relied("true", _REPEATED),
    "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch": Relied("true", _REPEATED),
}
"""The same, where executors can be lost one by one; elsewhere we would rather not have them."""


def relied_on(*, local: bool) -> dict[str, Relied]:
    """What verdicts rest on, in a session with this master."""
    return RELIED if local else RELIED | ON_CLUSTERS


OPTIONS: Final[Mapping[str, str]] = {
    "spark.master": "--master",
    "spark.driver.memory": "--memory",
    workspace.SETTING: "--work",
}
"""Settings that are options of ours."""

JAVA: Final = "spark.driver.extraJavaOptions"
PYTHON: Final = "spark.pyspark.python"

Conf = tuple[tuple[str, str], ...]


def parsed(words: Iterable[str]) -> Conf:
    """``KEY=VALUE``, each; of a key that comes twice the last one. Raises Unusable."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not key or not value:
            raise Unusable(f"--conf {word!r}: expected KEY=VALUE, as spark.executor.memory=4g; write it so")
        if not key.startswith("spark."):
            raise Unusable(f"--conf {word!r}: Spark's settings begin with 'spark.'; write one of them")
        if key in OPTIONS:
            raise Unusable(f"--conf {word!r}: that is an option of its own; say it with {OPTIONS[key]}")
        relied = relied_on(local=False).get(key)
        if relied is not None and relied.value.lower() != value.lower():
            raise Unusable(f"--conf {word!r}: verdicts rest on {relied.value!r}: {relied.why}; leave it out")
        found[key] = value
    return tuple(found.items())


def option(context: click.Context, parameter: click.Parameter, words: tuple[str, ...]) -> Conf:
    """The callback of ``--conf``: looked at before a session is started."""
    return parsed(words)


def layered(rather: Mapping[str, str], said: Mapping[str, str], conf: Conf, *, local: bool) -> dict[str, str]:
    """The settings of a new session. ``rather``: what we would have; ``said``: by spark-submit, which stays."""
    own = {key: value for key, value in rather.items() if key not in said}
    return own | dict(conf) | {key: each.value for key, each in relied_on(local=local).items()}


def is_local(master: str | None) -> bool:
    """None is. ``local-cluster[...]`` is not: its workers are processes of their own."""
    return master is None or re.fullmatch(r"local(\[.*\])?", master) is not None


def in_force(spark: SparkSession) -> None:
    """Raises Unusable: a setting on which verdicts rest is not what it must be."""
    for key, relied in relied_on(local=is_local(spark.sparkContext.master)).items():
        found = _of(spark, key)
        if found is not None and found.lower() != relied.value.lower():
            raise Unusable(
                f"{key} is {found!r} in this session, and verdicts rest on {relied.value!r}: {relied.why}; start the "
                "session with that"
            )


def _of(spark: SparkSession, key: str) -> str | None:
    """A setting of SQL, or of the context; None: nobody has set it, and it has no default that is known here."""
    if key.startswith("spark.sql."):
        return spark.conf.get(key)
    return spark.sparkContext.getConf().get(key)


@contextmanager
def borrowed(spark: SparkSession, conf: Conf = ()) -> Iterator[None]:
    """Put what verdicts rest on, and the user's settings, in force in a session that is not ours; put back what was
    there at the end.

    Raises Unusable: a setting cannot be changed while the session lives.
    """
    relied = relied_on(local=is_local(spark.sparkContext.master))
    wanted = {key: each.value for key, each in relied.items() if key.startswith("spark.sql.")} | dict(conf)
    before: dict[str, str | None] = {}
    try:
        for key, value in wanted.items():
            found = spark.conf.get(key, None)
            if found == value:
                continue
            if not spark.conf.isModifiable(key):
                raise Unusable(f"{key}: cannot be set in a session that runs already; start the session with {value!r}")
            before[key] = found
            spark.conf.set(key, value)
        in_force(spark)
        yield
    finally:
        for key, found in before.items():
            if found is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, found)
