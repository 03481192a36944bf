"""Class-data sharing: the JVM's archive of the classes that Spark loads, with which it starts much faster.

`make` is asked for once (``lakeproof spark prepare``); from then on each session of the same Java and the same Spark
takes the archive. One that does not fit is passed over by the JVM, which then starts as it would without.
Source: Java's ``-XX:ArchiveClassesAtExit`` (JEP 350). Cost: some 180 MB on disk, half a minute, once.
"""

import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Final

import pyspark

from lakeproof.tasks import Unusable

QUIET: Final = ("-Xlog:cds=off", "-Xlog:cds+dynamic=off")
MAKING: Final = "LAKEPROOF_SPARK_ARCHIVE"
"""Names the archive that a session is to leave when it ends."""


def archive(home: str, size: int) -> Path:
    """Where the archive of a Java home is, or would be: one for each Java, Spark and user. The JVM trusts what it maps,
    and breaks on a file that was cut short: so its name says how many bytes it has."""
    made_of = f"{Path(home).resolve()} {Path(pyspark.__file__).parent} {pyspark.__version__}"
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    name = f"spark-{pyspark.__version__}-{zlib.crc32(made_of.encode()):08x}-{size}.jsa"
    return Path(cache) / "lakeproof" / name


def archives(home: str) -> list[Path]:
    """Those that there are: one, as a rule."""
    pattern = archive(home, 0)
    return sorted(pattern.parent.glob(pattern.name.removesuffix("-0.jsa") + "-*.jsa"))


def options(home: str) -> tuple[str, ...]:
    """The arguments for the JVM: to leave an archive, to take one, or none."""
    making = os.environ.get(MAKING)
    if making is not None:
        return (f"-XX:ArchiveClassesAtExit={making}", *QUIET)
    for path in archives(home):
        if " " not in str(path) and _whole(path):
            return (f"-XX:SharedArchiveFile={path}", *QUIET)
    return ()


def _whole(path: Path) -> bool:
    """Whether it is as it was made, and nobody else can have written it: what lies in it is run."""
    try:
        found = path.stat()
    except OSError:
        return False
    ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022
    return ours and path.name.endswith(f"-{found.st_size}.jsa")


def make(home: str) -> Path:
    """Run a session that does a bit of everything, and keep the archive that it leaves.

    Raises Unusable: the cache cannot be written to, or the JVM left no archive.
    """
    path = archive(home, 0)
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
            [sys.executable, "-m", "lakeproof.spark_checks.sharing"],
            env={**os.environ, MAKING: str(part)},
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
        for old in archives(home):
            old.unlink(missing_ok=True)
        path = archive(home, part.stat().st_size)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def exercise() -> None:
    """What loads the classes that most commands load."""
    from pyspark.sql import functions as f

    from lakeproof.spark_checks import workspace
    from lakeproof.spark_checks.session import session

    with session() as spark:
        rows = spark.range(1000).select("id", (f.col("id") % 7).alias("seven"), f.xxhash64("id").alias("hash"))
        staged = workspace.staged(rows, "rows")
        totals = staged.groupBy("seven").agg(f.count(f.lit(1)).alias("rows"), f.bit_or("hash").alias("bits"))
        joined = staged.repartition(4, "seven").join(totals.hint("shuffle_hash"), "seven", "left")
        workspace.staged(joined.mapInArrow(lambda batches: batches, joined.schema), "joined").orderBy("id").count()
        joined.orderBy("hash").limit(1).collect()


if __name__ == "__main__":
    exercise()
