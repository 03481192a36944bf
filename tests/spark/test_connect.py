"""One run of each command on a server of Spark Connect: classic Spark's own, in a process of its own."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import read_report
from tests.spark import snapshots
from tests.spark.commands import LAKEPROOF, SPARK_HOME, of_java, ran, timeless
from tests.spark.retention.worlds import NOW, world

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


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dataset")
    snapshots.write(snapshots.tables(world(7, 10)), folder / "data")
    (folder / "rules.json").write_text('{"default_retention_days": 1}')
    return folder


def asked(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return ran(*LAKEPROOF, *arguments, cwd=folder)


@pytest.mark.parametrize(
    "command",
    [pytest.param(("check", "data", "--json"), marks=pytest.mark.long), ("decode", "data", "--out", "{}-decoded")],
)
def test_a_command_says_what_it_says_embedded(server: str, dataset: Path, command: tuple[str, ...]) -> None:
    how = {"there": ("--remote", server), "here": ("--engine", "embedded")}
    there, here = (asked(dataset, *(word.format(name) for word in command), *more) for name, more in how.items())
    assert there.returncode == here.returncode != 2, there.stderr
    assert timeless(there.stdout) == timeless(here.stdout)


@pytest.mark.parametrize(
    "command", [("uncommitted",), pytest.param(("retention", "--rules", "rules.json"), marks=pytest.mark.long)]
)
def test_a_run_marks_what_it_marks_embedded_and_sweep_looks_again(
    server: str, dataset: Path, command: tuple[str, ...]
) -> None:
    run = ("data", "--lenient", "--now", str(NOW), "--run", command[0])
    for out, how in (("there", ("--remote", server)), ("here", ("--engine", "embedded"))):
        done = asked(dataset, *command, *run, "--out", out, *how)
        assert done.returncode == 0, done.stderr
    there, here = (read_report(folder_at(dataset / out), command[0]) for out in ("there", "here"))
    assert {name for name in there if there[name] != here[name]} <= {"engine", "files"}
    swept = asked(dataset, "sweep", "here", "--run", command[0], "--dataset", "data", "--remote", server)
    assert swept.returncode == 0, swept.stderr


def test_a_server_that_does_not_answer_is_one_line(dataset: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    done = asked(dataset, "check", "data", "--remote", f"sc://127.0.0.1:{port}")
    assert done.returncode == 2
    assert f"sc://127.0.0.1:{port}: no Spark Connect server can be used there" in done.stderr.splitlines()[-1]
