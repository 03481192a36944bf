"""Makes the archive of classes that `lakeproof.spark_checks.sharing` hands to each session: a session of its own leaves
it.

Cost: half a minute, and some 180 MB on disk, once.
"""

import os
import subprocess
import sys
from pathlib import Path

from pyspark.sql import functions as f

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import sharing, workspace
from lakeproof.spark_checks.session import session


def make(home: str) -> Path:
    """Run a session that does a bit of everything, and keep the archive that it leaves.

    Raises Unusable: the cache cannot be written to, or the JVM left no archive.
    """
    path = sharing.archive(home, 0)
    part = path.with_suffix(f".{os.getpid()}")
    if " " in str(path):
        raise Unusable(
            f"{path.parent}: has a space, which Spark cannot pass on to Java; name another cache: XDG_CACHE_HOME"
        )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(f"{path.parent}: cannot be made ({error.strerror}); name another: XDG_CACHE_HOME") from None
    try:
        # The JVM goes after the interpreter that started it. Both have the pipe: its end is the end of both.
        done = subprocess.run(
            [sys.executable, "-m", "lakeproof.spark_checks.archiving"],
            env={**os.environ, sharing.MAKING: str(part)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not part.exists():
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise Unusable(
                f"{path.parent}: Java left no archive ({said[:200]}); go on without, sessions start as before"
            )
        part.chmod(0o600)
        for old in sharing.archives(home):
            old.unlink(missing_ok=True)
        path = sharing.archive(home, part.stat().st_size)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def exercise() -> None:
    """What loads the classes that most commands load."""
    with session() as spark:
        rows = spark.range(1000).select("id", (f.col("id") % 7).alias("seven"), f.xxhash64("id").alias("hash"))
        staged = workspace.staged(rows, "rows")
        totals = staged.groupBy("seven").agg(f.count(f.lit(1)).alias("rows"), f.bit_or("hash").alias("bits"))
        joined = staged.repartition(4, "seven").join(totals.hint("shuffle_hash"), "seven", "left")
        workspace.staged(joined.mapInArrow(lambda batches: batches, joined.schema), "joined").orderBy("id").count()
        joined.orderBy("hash").limit(1).collect()


if __name__ == "__main__":
    exercise()
