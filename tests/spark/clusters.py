"""Commands on two executors in processes of their own, with a Python that has nothing but what is on a list."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from tests.spark.commands import SPARK_HOME, ran

CLUSTER = "local-cluster[2,1,1024]"
OPTIONS = ("--master", CLUSTER, "--memory", "1g", "--conf", "spark.sql.shuffle.partitions=4")
BREAKING = Path(__file__).with_name("breaking.py")
PACKAGES = frozenset({"attrs", "numpy", "protobuf", "pyarrow", "rich"})


def a_python(folder: Path, packages: Iterable[str] = PACKAGES) -> Path:
    """A Python with these packages and, on a worker, Spark's own, and no other: lakeproof is none of them."""
    folder.mkdir(parents=True)
    for package in packages:
        distribution = metadata.distribution(package)
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(distribution.locate_file(top))))
    program = folder / "python"
    base = getattr(sys, "_base_executable", sys.executable)
    program.write_text(
        "#!/bin/sh\n"
        'own=$(echo "$PYTHONPATH" | tr ":" "\\n" | grep /pyspark/ | paste -sd: -)\n'
        f'PYTHONPATH="$own:{folder}" exec "{base}" -S -s "$@"\n'
    )
    program.chmod(0o755)
    return program


def on_a_cluster(
    folder: Path,
    *arguments: str,
    breaking: tuple[str, ...] = (),
    beside: Mapping[str, Path] | None = None,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """``folder``: where the driver's process is; executors have folders of their own beneath it. ``breaking``: what
    is broken, see breaking.py. ``beside``: what lies three folders above the one where an executor runs, by name."""
    (folder / "driver").mkdir()
    home = folder / "home" / "pyspark"  # its folder work/ is where executors run
    home.mkdir(parents=True)
    for each in SPARK_HOME.iterdir():
        if each.name != "work":
            (home / each.name).symlink_to(each)
    for name, path in (beside or {}).items():
        (home / name).symlink_to(path)
    if "PYSPARK_PYTHON" not in environment:
        environment["PYSPARK_PYTHON"] = str(a_python(folder / "lean"))
    start = (str(BREAKING), *breaking) if breaking else ("-m", "lakeproof")
    command = (sys.executable, *start, "spark", *arguments, *OPTIONS)
    return ran(*command, cwd=folder / "driver", env={"SPARK_HOME": str(home), **environment})


def after_sending(stderr: str) -> list[str]:
    """What a command on a cluster says after it has sent its code to the workers."""
    first, *rest = stderr.splitlines()
    assert first == "sending lakeproof to the workers"
    return rest
