"""Class-data sharing: the JVM's archive of the classes that Spark loads, with which it starts much faster.

`lakeproof.spark_checks.archiving` makes it once (``lakeproof spark prepare``); from then on each session of the same
Java and the same Spark takes the archive. One that does not fit is passed over by the JVM, which then starts as it
would without. Source: Java's ``-XX:ArchiveClassesAtExit`` (JEP 350).
"""

import os
import stat
import zlib
from pathlib import Path
from typing import Final

import pyspark

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
