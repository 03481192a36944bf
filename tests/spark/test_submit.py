"""Commands under ``spark-submit``: what the command prints, and nothing else."""

import subprocess
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof import spark_checks
from lakeproof.spark_checks.engine import classic
from tests.commands import lakeproof
from tests.spark import snapshots
from tests.spark.commands import SPARK_HOME, of_java, ran, timeless
from tests.spark.conftest import EMBEDDED
from tests.spark.retention.worlds import world

SUBMIT = str(Path(spark_checks.__file__).with_name("submit.py"))
QUIET = f"-Dlog4j2.configurationFile={classic.QUIET.as_uri()}"


def submitted(folder: Path, spark: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(SPARK_HOME / "bin" / "spark-submit")
    return ran(program, "--master", "local[2]", *spark, SUBMIT, *arguments, cwd=folder, env=of_java())


def without_javas(stderr: str) -> list[str]:
    """Without the one line that Java itself says before anything of Spark's runs."""
    return [line for line in stderr.splitlines() if not line.startswith("WARNING: Using incubator modules")]


@pytest.mark.deep
@EMBEDDED
def test_a_command_prints_what_it_prints_and_its_settings_are_in_force(spark: SparkSession, tmp_path: Path) -> None:
    """Quiet from the first line on with the option that the page names; settings of spark-submit that would change
    verdicts do not."""
    snapshots.write(snapshots.tables(world(7, 3)), tmp_path / "data")
    arguments = ("check", "data", "--only", "child-is-not-older", "--json")
    wrong = ("--conf", "spark.sql.ansi.enabled=false", "--conf", "spark.sql.session.timeZone=Asia/Tokyo")
    done = submitted(tmp_path, ("--driver-java-options", QUIET, *wrong), *arguments)
    here = lakeproof("spark", "check", str(tmp_path / "data"), *arguments[2:])
    said = timeless(here.stdout).replace(f"{tmp_path}/", "")
    assert (done.returncode, timeless(done.stdout)) == (here.exit_code, said)
    assert [line.partition(" ")[0] for line in without_javas(done.stderr)] == ["decoding", "checking", "counting"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--master", "local[2]"), "--master local[2]: spark-submit has one of its own"),
        (("--conf", "spark.driver.extraClassPath=x"), "--conf spark.driver.extraClassPath: the driver's JVM"),
    ],
)
def test_what_only_spark_submit_can_be_told_is_refused(tmp_path: Path, arguments: tuple[str, ...], line: str) -> None:
    snapshots.write(snapshots.tables(world(7, 3)), tmp_path / "data")
    done = submitted(tmp_path, ("--driver-java-options", QUIET), "check", "data", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    [said] = without_javas(done.stderr)
    assert said.startswith(f"lakeproof: {line}")
