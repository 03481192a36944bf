"""Spark embedded: Sail, a Spark-compatible engine without a JVM, in this process, reached by Spark Connect.

Where it differs from Spark, and what the pipeline does about it, says docs/spark-engines.md.
"""

import os
from collections.abc import Callable
from importlib import metadata
from typing import TYPE_CHECKING, Final, cast

from lakeproof.spark_checks.engine import settings
from lakeproof.spark_checks.engine.settings import LOOPBACK
from lakeproof.words import Unusable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lakeproof.spark_checks.engine.session import Options

KNOWN: Final = ("4.0", "4.1", "4.2")
"""Versions of PySpark whose sessions Sail serves."""
_POOL: Final = "SAIL_RUNTIME__MEMORY_POOL__"
"""Sail's limits of memory are environment variables. Greedy: an operator that cannot spill may take all of it."""


def start(options: "Options") -> tuple["SparkSession", str, Callable[[], None]]:
    """A session, the engine's version, and what stops its server. Raises Unusable: it is not installed, or PySpark is
    a version that it does not serve."""
    try:
        import pyspark
        from pysail.spark import SparkConnectServer
        from pyspark.sql.connect.session import SparkSession as Connected
    except ImportError as error:
        raise Unusable(
            f"--engine embedded: {error.name or 'Spark Connect'} is not installed; pip install 'lakeproof[embedded]'"
        ) from None
    found = pyspark.__version__
    if not found.startswith(KNOWN):
        raise Unusable(
            f"--engine embedded: PySpark is {found}, expected {KNOWN[0]} to {KNOWN[-1]}, which pysail serves; "
            "pip install 'pyspark<4.3', or name another --engine"
        )
    os.environ.setdefault("RUST_LOG", "error")  # Sail is written in Rust, and logs by this variable
    if options.memory is not None:
        os.environ |= {f"{_POOL}TYPE": "greedy", f"{_POOL}GREEDY__MAX_SIZE": str(settings.size(options.memory))}
    server = SparkConnectServer(LOOPBACK, 0)  # port 0: any that is free
    server.start(background=True)
    _, port = server.listening_address
    # `create` and not `getOrCreate`, which may return a session of a server that has ended.
    spark = Connected.builder.remote(f"sc://{LOOPBACK}:{port}").create()
    return cast("SparkSession", spark), metadata.version("pysail"), server.stop
