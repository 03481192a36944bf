"""A real lakeFS for tests: `LAKEPROOF_LAKEFS` names its binary. It listens on loopback alone, and calls nobody."""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

KEY, SECRET = "AKIAIOSFODNN7EXAMPLE", "of no value"
BINARY = os.environ.get("LAKEPROOF_LAKEFS", "")


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
    """A server in a folder, set up with a user of its own; yields its DSN. database: None, one in the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = {"database.type": "local", "database.local.path": str(folder / "kv")} if database is None else database
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), **settings(folder, port, kept)}
    setup = ["setup", "--user-name", "tester", "--access-key-id", KEY, "--secret-access-key", SECRET]
    with (folder / "log").open("ab") as log:
        quiet = {"env": env, "cwd": folder, "stdout": log, "stderr": log}
        subprocess.run([BINARY, *setup], check=True, timeout=600, **quiet)  # type: ignore[call-overload]
        server = subprocess.Popen([BINARY, "run"], **quiet)  # type: ignore[call-overload]
        try:
            _wait(port, server)
            yield f"lakefs+http://{KEY}:{SECRET}@127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(120)


def _wait(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(6_000):
        assert server.poll() is None, f"lakeFS ended with {server.returncode}"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/_health", timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("lakeFS does not answer")
