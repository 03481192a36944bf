"""lakeproof's own code goes to the workers with every session that is not local.

It goes always, also to workers that have lakeproof installed: Spark puts what is shipped before what is installed, so
every worker runs the code of the driver, one that joins later included. Cost: some 600 KB to each executor, once.
"""

import hashlib
import importlib
import sys
import zipfile
from pathlib import Path
from typing import Final

from pyspark import SparkFiles
from pyspark.sql import SparkSession

from lakeproof.tasks import Unusable

PACKAGES: Final = ("impl", "lakeproof", "model", "spark_checks")
_SAME_FOR_ALL: Final = (1980, 1, 1, 0, 0, 0)
"""The time of all files in the archive: the same code makes the same bytes."""


def ship(spark: SparkSession) -> None:
    """Once a session is enough; more than once does no harm. Raises Unusable."""
    folder = Path(SparkFiles.getRootDirectory()) / "lakeproof"  # executors fetch it from here; it goes with the session
    try:
        folder.mkdir(exist_ok=True)
        part = folder / "part"
        write(part)
        digest = hashlib.sha256(part.read_bytes()).hexdigest()[:12]
        path = part.replace(folder / f"lakeproof-{digest}.zip")
    except OSError as error:
        raise Unusable(f"{folder}: cannot be written ({error.strerror}); make room, or set SPARK_LOCAL_DIRS") from None
    before = list(sys.path)
    spark.sparkContext.addPyFile(str(path))
    sys.path[:] = before  # the driver goes on with its own files


def write(target: Path) -> None:
    """An archive of all modules of our packages, from which Python imports."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in PACKAGES:
            for root in importlib.import_module(name).__path__:
                for path in sorted(Path(root).rglob("*.py")):
                    inner = f"{name}/{path.relative_to(root).as_posix()}"
                    archive.writestr(zipfile.ZipInfo(inner, _SAME_FOR_ALL), path.read_bytes(), zipfile.ZIP_DEFLATED)
