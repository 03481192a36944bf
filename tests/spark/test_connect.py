"""Commands on a server of Spark Connect (classic Spark's own), and under ``spark-submit``."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof import spark_checks
from lakeproof.spark_checks.engine import classic
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from tests.commands import lakeproof
from tests.spark.commands import LAKEPROOF, SPARK_HOME, of_java, ran, timeless
from tests.spark.retention.worlds import NOW

pytestmark = pytest.mark.deep

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = (f"spark.connect.grpc.binding.port={port}", "spark.sql.shuffle.partitions=2", "spark.ui.enabled=false")
    conf = [word for setting in settings for word in ("--conf", setting)]
    process = subprocess.Popen(
        [str(SPARK_HOME / "bin" / "spark-submit"), "--class", SERVER, "--master", "local[2]", *conf, "spark-internal"],
        cwd=tmp_path_factory.mktemp("server"),
        env={**os.environ, **of_java(), "SPARK_LOCAL_IP": "127.0.0.1"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if "Spark Connect server started" in line:
            break
    else:
        raise AssertionError("".join(said[-20:]))
    drain = subprocess.Popen(["cat"], stdin=process.stderr, stdout=subprocess.DEVNULL)
    yield f"sc://127.0.0.1:{port}"
    process.terminate()
    process.wait()
    drain.wait()
    process.stderr.close()


def asked(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return ran(*LAKEPROOF, *arguments, cwd=folder)


def test_a_check_says_what_it_says_embedded(server: str, larger: Path) -> None:
    how = (("--remote", server), ("--engine", "embedded"))
    there, here = (asked(larger, "check", "data", "--json", *more) for more in how)
    assert there.returncode == here.returncode != 2, there.stderr
    assert timeless(there.stdout) == timeless(here.stdout)


@pytest.mark.parametrize(
    "command", [("uncommitted",), pytest.param(("retention", "--rules", "rules.json"), marks=pytest.mark.long)]
)
def test_a_run_marks_what_it_marks_embedded_and_sweep_looks_again(
    server: str, larger: Path, command: tuple[str, ...]
) -> None:
    run = ("data", "--lenient", "--now", str(NOW), "--run", command[0])
    for out, how in (("there", ("--remote", server)), ("here", ("--engine", "embedded"))):
        done = asked(larger, *command, *run, "--out", out, *how)
        assert done.returncode == 0, done.stderr
    there, here = (read_report(folder_at(larger / out), command[0]) for out in ("there", "here"))
    assert {name for name in there if there[name] != here[name]} <= {"engine", "files"}
    swept = asked(larger, "sweep", "here", "--run", command[0], "--dataset", "data", "--remote", server)
    assert swept.returncode == 0, swept.stderr


def test_a_server_that_does_not_answer_is_one_line(larger: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = asked(larger, "check", "data", "--remote", f"sc://127.0.0.1:{port}")
    assert done.returncode == 2
    assert f"sc://127.0.0.1:{port}: no Spark Connect server can be used there" in done.stderr.splitlines()[-1]


SUBMIT = str(Path(spark_checks.__file__).with_name("submit.py"))
QUIET = f"-Dlog4j2.configurationFile={classic.QUIET.as_uri()}"


def submitted(folder: Path, spark: tuple[str, ...], *arguments: str) -> subprocess.CompletedProcess[str]:
    program = str(SPARK_HOME / "bin" / "spark-submit")
    return ran(program, "--master", "local[2]", *spark, SUBMIT, *arguments, cwd=folder, env=of_java())


def without_javas(stderr: str) -> list[str]:
    """Without the one line that Java itself says before anything of Spark's runs."""
    return [line for line in stderr.splitlines() if not line.startswith("WARNING: Using incubator modules")]


@pytest.mark.deep
def test_a_command_prints_what_it_prints_and_its_settings_are_in_force(spark: SparkSession, larger: Path) -> None:
    """Quiet from the first line on with the option that the page names; settings of spark-submit that would change
    verdicts do not."""
    arguments = ("check", "data", "--only", "child-is-not-older", "--json")
    wrong = ("--conf", "spark.sql.ansi.enabled=false", "--conf", "spark.sql.session.timeZone=Asia/Tokyo")
    done = submitted(larger, ("--driver-java-options", QUIET, *wrong), *arguments)
    here = lakeproof("spark", "check", str(larger / "data"), *arguments[2:])
    said = timeless(here.stdout).replace(f"{larger}/", "")
    assert (done.returncode, timeless(done.stdout)) == (here.exit_code, said)
    assert [line.partition(" ")[0] for line in without_javas(done.stderr)] == ["decoding", "checking", "counting"]


@pytest.mark.long
def test_what_only_spark_submit_can_be_told_is_refused(larger: Path) -> None:
    conf = ("--conf", "spark.driver.extraClassPath=x")
    done = submitted(larger, ("--driver-java-options", QUIET), "check", "data", *conf)
    assert (done.returncode, done.stdout) == (2, "")
    [said] = without_javas(done.stderr)
    assert said.startswith("lakeproof: --conf spark.driver.extraClassPath: the driver's JVM")
