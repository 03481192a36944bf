"""lakeproof's own code goes to the workers with every session that is not local.

It goes as an artifact, also to workers that have lakeproof installed: Spark puts artifacts before what is installed,
so every worker runs the code of the driver, one that joins later included. Cost: some 600 KB to each executor, once.
"""

import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pyspark.sql import SparkSession

import lakeproof
from lakeproof.words import Unusable

_SAME_FOR_ALL: Final = (1980, 1, 1, 0, 0, 0)
"""The time of all files in the archive: the same code makes the same bytes."""


@contextmanager
def ship_code(spark: SparkSession) -> Iterator[None]:
    """In the block workers have it. Until its end the file stays: classic Spark sends that very file to executors that
    join, in the place of lost ones as well. Raises Unusable: there is no room for the archive."""
    before = list(sys.path)
    with tempfile.TemporaryDirectory(prefix="lakeproof-code-") as folder:
        try:
            # The archive is written first, because the hash of its content is in its name: other code has another name.
            write(part := Path(folder) / "part")
            digest = hashlib.sha256(part.read_bytes()).hexdigest()[:12]
            path = part.replace(Path(folder) / f"lakeproof-{digest}.zip")
        except OSError as error:
            raise Unusable(f"{folder}: cannot be written ({error.strerror}); make room, or set TMPDIR") from None
        spark.addArtifacts(str(path), pyfile=True)
        sys.path[:] = before  # the driver goes on with its own files
        yield


def write(target: Path) -> None:
    """An archive of all our modules, from which Python imports."""
    root = Path(lakeproof.__file__).parent
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_modules(root)):
            inner = path.relative_to(root.parent).as_posix()
            # With the times of the files, the same code would have another hash in each checkout.
            archive.writestr(zipfile.ZipInfo(inner, _SAME_FOR_ALL), path.read_bytes(), zipfile.ZIP_DEFLATED)


def _modules(root: Path) -> Iterator[Path]:
    """Files of modules; in a checkout some folders of the package are links."""
    for folder, _, names in os.walk(root, followlinks=True):
        # Files that end in .binpb are descriptors of protobuf messages, which modules read when they are imported.
        yield from (Path(folder, name) for name in names if name.endswith((".py", ".binpb")))
