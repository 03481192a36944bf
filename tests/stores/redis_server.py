"""A Redis server of its own for a test: on a socket in a folder of its own. Continuous integration has one; on a
machine without, its tests are skipped, and say so."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis


@contextmanager
def redis_server() -> Iterator[str]:
    """Yields its address. It keeps nothing."""
    program = shutil.which("redis-server")
    if program is None and "CI" not in os.environ:
        pytest.skip("no redis-server on the path (Debian: redis-server)")
    assert program is not None, "no redis-server on the path (Debian: redis-server)"
    folder = Path(tempfile.mkdtemp(prefix="redis", dir="/tmp"))
    path = folder / "socket"
    options = ["--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no", "--dir", str(folder)]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        _wait(path, server)
        yield f"unix://{path}"
    finally:
        server.terminate()
        server.wait(120)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(path: Path, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(6_000):
        assert server.poll() is None, f"redis-server ended with {server.returncode}"
        with redis.Redis(unix_socket_path=str(path)) as client:
            try:
                client.ping()
            except redis.ConnectionError:
                time.sleep(0.05)
            else:
                return
    raise AssertionError("redis-server does not answer")
