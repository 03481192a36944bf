"""`lakeproof service` on a real lakeFS: every call is one that it accepts. `LAKEPROOF_LAKEFS` names its binary."""

import json
from pathlib import Path

import pytest

from lakeproof.live.lakefs.promises import ALONE_CALLS
from tests.commands import lakeproof
from tests.servers import BINARY, lakefs

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not Path(BINARY).is_file(), reason="LAKEPROOF_LAKEFS names no binary of lakeFS"),
]


def test_a_real_lakefs_is_driven_with_every_call(tmp_path: Path) -> None:
    """What it violates is in docs/lakefs-today.md; here each call is accepted, and each round is judged."""
    for source, names in {"one": "abc", "two": "bd"}.items():
        folder = tmp_path / "outside" / source
        folder.mkdir(parents=True)
        for name in names:
            (folder / name).write_text(f"{source} {name}")
    sources = ",".join(f"local://{tmp_path / 'outside' / source}/" for source in ("one", "two"))
    with lakefs(tmp_path) as dsn:
        command = ("service", dsn, "--storage-namespace", "local://lakeproof", "--import-from", sources)
        issues = ("--known", "cache,refused-write,missed-read,refused-delete")
        done = lakeproof(*command, *issues, "--seconds", "20", "--keep-going", "--json", "--out", str(tmp_path / "out"))
    found = json.loads(done.stdout)
    assert (found["unread"], found["left"]) == ({}, [])
    accepted = {name for name, how in found["answers"].items() if how["ok"]}
    assert accepted >= {
        *ALONE_CALLS,
        "set_entry",
        "commit",
        "merge",
        "revert",
        "cherry_pick",
        "hard_reset",
        "create_tag",
    }
