"""Start a lakeFS server for one client of the gate: metadata in DynamoDB, objects in S3, both at the gate.

python lakefs_server.py PORT

The environment names the binary (``LAKEPROOF_LAKEFS``), the gate and the client (``AWS_ENDPOINT_URL``,
``AWS_ACCESS_KEY_ID``). lakeFS runs as it is released, in this process. Its caches are off: the gate restores the store
under the same names. It sends no statistics, looks for no newer version, and listens on loopback only.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

FOLDERS = Path(tempfile.gettempdir()) / "lakeproof-lakefs"


def own_folder() -> Path:
    """A new folder for this server, beside those of servers that run. Those of servers that have ended are removed."""
    FOLDERS.mkdir(exist_ok=True)
    for each in FOLDERS.iterdir():
        if not Path(f"/proc/{each.name}").exists():
            shutil.rmtree(each, ignore_errors=True)
    mine = FOLDERS / str(os.getpid())
    shutil.rmtree(mine, ignore_errors=True)
    mine.mkdir()
    return mine


def settings(port: str, folder: Path) -> dict[str, str]:
    """The configuration of lakeFS, as environment variables."""
    url, client = os.environ["AWS_ENDPOINT_URL"], os.environ["AWS_ACCESS_KEY_ID"]
    told = {
        "listen_address": f"127.0.0.1:{port}",
        "logging.level": "ERROR",
        "stats.enabled": "false",
        "email_subscription.enabled": "false",
        "security.check_latest_version": "false",
        "usage_report.flush_interval": "24h",
        "auth.encrypt.secret_key": "of no value",
        "auth.cache.enabled": "false",
        "graveler.repository_cache.size": "0",
        "graveler.commit_cache.size": "0",
        "graveler.max_batch_delay": "0s",
        "committed.local_cache.dir": str(folder),
        "committed.local_cache.size_bytes": "10000000",
        "database.type": "dynamodb",
        "database.dynamodb.endpoint": url,
        "database.dynamodb.aws_region": "us-east-1",
        "database.dynamodb.aws_access_key_id": client,
        "database.dynamodb.aws_secret_access_key": "secret",
        "database.dynamodb.health_check_interval": "0s",
        "blockstore.type": "s3",
        "blockstore.signing.secret_key": "of no value",
        "blockstore.s3.endpoint": url,
        "blockstore.s3.region": "us-east-1",
        "blockstore.s3.force_path_style": "true",
        "blockstore.s3.discover_bucket_region": "false",
        "blockstore.s3.credentials.access_key_id": client,
        "blockstore.s3.credentials.secret_access_key": "secret",
    }
    return {f"LAKEFS_{name.upper().replace('.', '_')}": value for name, value in told.items()}


if __name__ == "__main__":
    binary = os.environ.get("LAKEPROOF_LAKEFS", "")
    if not Path(binary).is_file():
        sys.exit(f"LAKEPROOF_LAKEFS is {binary!r}: name the lakeFS binary, as in LAKEPROOF_LAKEFS=$(which lakefs)")
    folder = own_folder()
    os.environ.update(settings(sys.argv[1], folder), HOME=str(folder))
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # its banner
    os.execv(binary, [binary, "run"])  # noqa: S606  # the user has named it
