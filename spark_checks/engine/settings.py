"""Spark's settings: ours, the user's (``--conf KEY=VALUE``), and those on which verdicts rest, which are fixed.

Three layers, the later ones win: what we would rather have, what the user says (``spark-submit``, ``--conf``), and
`RELIED`.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import attrs

from lakeproof.words import Unusable

if TYPE_CHECKING:
    import click  # workers do not have it
    from pyspark.sql import SparkSession

    from lakeproof.spark_checks.engine.session import Options

GATEWAY: Final = "PYSPARK_GATEWAY_PORT"
"""The variable by which ``spark-submit`` tells the process that it has started of its JVM."""
LOOPBACK: Final = "127.0.0.1"
WORK: Final = "spark.lakeproof.work"
"""Names a folder that all workers share, for masters other than local: ``--work``."""


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
    WORK: "--work",
}
"""Settings that are options of ours."""

JAVA: Final = "spark.driver.extraJavaOptions"
PYTHON: Final = "spark.pyspark.python"

Conf = tuple[tuple[str, str], ...]


def parse_conf(words: Iterable[str]) -> Conf:
    """``KEY=VALUE``, each; of a key that comes twice the last one. Raises Unusable."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = (part.strip() for part in word.partition("="))
        if not equals or not key or not value:
            raise Unusable(f"--conf {word!r}: expected KEY=VALUE, as spark.executor.memory=4g; write it so")
        if not key.startswith("spark."):
            raise Unusable(f"--conf {word!r}: Spark's settings begin with 'spark.'; write one of them")
        # Such an option does more than set the key: --master also chooses the engine, --memory is checked.
        if key in OPTIONS:
            raise Unusable(f"--conf {word!r}: that is an option of its own; say it with {OPTIONS[key]}")
        # The stricter set, as the master may not be known here.
        relied = relied_on(local=False).get(key)
        if relied is not None and relied.value.lower() != value.lower():
            raise Unusable(f"--conf {word!r}: verdicts rest on {relied.value!r}: {relied.why}; leave it out")
        found[key] = value
    return tuple(found.items())


def size(text: str) -> int:
    """Bytes, of a number with k, m, g or t. Raises ValueError."""
    found = re.fullmatch(r"([1-9]\d{0,8})([kmgt])b?", text.lower())
    if found is None:
        raise ValueError(text)
    return int(found[1]) << (10 * (1 + "kmgt".index(found[2])))


def memory(context: "click.Context", parameter: "click.Parameter", text: str | None) -> str | None:
    """The callback of ``--memory``. Raises Unusable."""
    try:
        if text is not None:
            size(text)
    except ValueError:
        raise Unusable(f"--memory {text!r}: expected a number with k, m, g or t, as 512m or 3g; write it so") from None
    return text


def layer(rather: Mapping[str, str], submitted: Mapping[str, str], conf: Conf, *, local: bool) -> dict[str, str]:
    """The settings of a new session. ``rather``: what we would have; ``submitted``: by spark-submit, which stays."""
    # `spark-submit` has started the JVM with its settings: a different value would undo what the user has set there.
    own = {key: value for key, value in rather.items() if key not in submitted}
    return own | dict(conf) | {key: each.value for key, each in relied_on(local=local).items()}


def is_local(master: str | None) -> bool:
    """None is. ``local-cluster[...]`` is not: its workers are processes of their own."""
    return master is None or re.fullmatch(r"local(\[.*\])?", master) is not None


OF_EMBEDDED: Final = {key: RELIED[key].value for key in ("spark.sql.ansi.enabled", "spark.sql.session.timeZone")}
"""Those of `RELIED` that Sail knows. The rest it has by itself, but for one thing: sums of 64 bits that overflow
are no error there, so that no sum is made of 64 bits."""


def of_classic(options: "Options", master: str | None = None) -> dict[str, str]:
    """What we would have classic Spark be built with, besides `RELIED`. ``master``: that of spark-submit."""
    cores = os.cpu_count() or 1
    found = {
        # Plans follow the sizes that are met: small shuffles are merged, skewed ones split.
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # The JVM compiles no methods of more bytes, and those that encode messages would be: they are cut.
        "spark.sql.codegen.hugeMethodLimit": "8000",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
        # The default, INT96, has no statistics: a search for young rows would read all.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        # Jobs that are begun at once share the cores, each in a pool of its own.
        "spark.scheduler.mode": "FAIR",
        # The typed tables are written side by side. Else all rows are sorted by the name of their table first.
        "spark.sql.maxConcurrentOutputFileWriters": "8",
        # Pages that were written with a checksum, as Spark writes them, are compared with it.
        "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
        # Progress is ours, on stderr.
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
    }
    if is_local(master or options.master):
        # The default of 200 makes 200 tiny tasks of a small table. AQE joins them, but they are written first.
        found["spark.sql.shuffle.partitions"] = str(4 * cores)  # several tasks a core even out their lengths
    if options.here and master is None:
        # A laptop's host name may resolve to nothing.
        found |= {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    if options.work is not None:
        found[WORK] = options.work
    return found


def of_connect(conf: Conf) -> dict[str, str]:
    """What a session of Spark Connect is given. The rest is the server's to say, and looked at (`in_force`)."""
    # A session can change the settings of SQL only; `in_force` looks at the rest.
    relied = {key: each.value for key, each in relied_on(local=False).items() if key.startswith("spark.sql.")}
    return {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"} | dict(conf) | relied


def put(spark: "SparkSession", conf: Mapping[str, str]) -> None:
    """Into a session that runs already."""
    for key, value in conf.items():
        spark.conf.set(key, value)


def in_force(spark: "SparkSession", relied: Mapping[str, Relied]) -> None:
    """Raises Unusable: a setting on which verdicts rest is not what it must be."""
    for key, each in relied.items():
        found = spark.conf.get(key, None)
        # None: this version of Spark, or this engine, has no such setting. Booleans may be spelt True.
        if found is not None and found.lower() != each.value.lower():
            raise Unusable(
                f"{key} is {found!r} in this session, and verdicts rest on {each.value!r}: {each.why}; start the "
                "session with that"
            )


@contextmanager
def borrow(spark: "SparkSession", relied: Mapping[str, Relied], conf: Conf = ()) -> Iterator[None]:
    """Put what verdicts rest on, and the user's settings, in force in a session that is not ours; put back what was
    there at the end.

    Raises Unusable: a setting cannot be changed while the session lives.
    """
    # Only options of SQL can change while a session lives. The others are looked at below, in `in_force`.
    own = {key: each.value for key, each in relied.items() if key.startswith("spark.sql.")}
    before: dict[str, str | None] = {}
    try:
        for key, value in (own | dict(conf)).items():
            found = spark.conf.get(key, None)
            if found == value or (found is None and key in own and not spark.conf.isModifiable(key)):
                continue  # the second: this version of Spark has no such setting
            if not spark.conf.isModifiable(key):
                raise Unusable(f"{key}: cannot be set in a session that runs already; start the session with {value!r}")
            # Noted before it is set, so that `finally` puts back what was set when a later one is refused.
            before[key] = found
            spark.conf.set(key, value)
        in_force(spark, relied)
        yield
    finally:
        for key, found in before.items():
            if found is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, found)
