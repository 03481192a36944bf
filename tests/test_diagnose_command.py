"""``lakeproof diagnose``: exit codes, one clear line for what is unusable, and a store that is only read."""

import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
import trio

from lakeproof.commands.diagnose import ReadOnlySQLiteStore
from lakeproof.impl.codec import encode
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model import keys, kv
from lakeproof.model.records import Record, StagedEntry
from tests.commands import complaint, lakeproof
from tests.impl.diagnosing import SOUND
from tests.impl.records import P, branch, stored

pytestmark = pytest.mark.usefixtures("in_tmp_path")

EMPTY: Final = sha256(b"").hexdigest()


def make_store(*records: Record, more: Mapping[kv.Address, bytes] | None = None) -> None:
    """``store.db``, with these records, and these bytes."""

    async def fill() -> None:
        with SQLiteStore("store.db") as store:
            for (partition, key), value in {**stored(*records), **(more or {})}.items():
                await store.set(partition, key, value)

    trio.run(fill)


class TestVerdicts:
    def test_a_sound_store_is_0(self) -> None:
        make_store(*SOUND)
        result = lakeproof("diagnose", "store.db", "--out", "d.zip")
        lines = result.stdout.splitlines()
        assert lines[0].startswith("read: 1 repository, 2 branches, 2 commits, 1 tag, 2 staging tokens with 0 ")
        assert lines[1].startswith("until: the newest commit is of 1970-01-01T00:00:00+00:00; read at 20")
        assert lines[2:] == [
            "0 errors, 0 notes",
            "files: d.zip: errors.jsonl with all of them, and a table for each kind of entity",
        ]  # and no next command: the others read no SQLite file
        assert (result.exit_code, result.stderr) == (0, "")
        with zipfile.ZipFile("d.zip") as archive:
            assert len(archive.read("commits.jsonl").splitlines()) == 2

    def test_what_no_repository_leads_to_is_1_unless_a_commit_may_have_left_it(self) -> None:
        lost = {(b"q-u", key): value for (_, key), value in stored(branch("lost")).items()}
        entry = encode(StagedEntry(key=b"x", identity=b"i", data=b"d"))
        strays = {(b"auth", b"users/me"): b"\x00", (b"r-main:old", keys.staged_key(b"x")): entry}
        make_store(*SOUND, more={**lost, **strays})
        result = lakeproof("diagnose", "store.db", "--out", "d.zip")
        assert result.exit_code == 1
        assert result.stdout.splitlines()[2:5] == [
            "stray: q-u: branches, commits and tags that no repository and no cleanup record leads to: 1",
            "note: unowned-token: r-main:old: entries under a token that no branch names: 1",
            "1 error, 1 note",
        ]

    def test_a_store_that_cannot_be_read_to_its_end_is_3(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def refuse(self: SQLiteStore, op: kv.Op) -> None:
            raise kv.Refused("disk on fire")

        make_store(*SOUND)
        monkeypatch.setattr(SQLiteStore, "apply", refuse)
        result = lakeproof("diagnose", "store.db", "--out", "d.zip")
        assert result.exit_code == 3
        assert "unreadable: graveler: Refused: disk on fire" in result.stdout.splitlines()


class TestOnlyReads:
    def test_the_file_stays_as_it_is(self, in_tmp_path: Path) -> None:
        make_store(*SOUND)
        before = {path.name: sha256(path.read_bytes()).hexdigest() for path in in_tmp_path.iterdir()}
        lakeproof("diagnose", "store.db", "--out", "d.zip")
        after = {path.name: sha256(path.read_bytes()).hexdigest() for path in in_tmp_path.iterdir()}
        assert before.items() <= after.items()
        # SQLite's own: an empty log, and its index.
        assert after.keys() - before.keys() <= {"d.zip", "store.db-wal", "store.db-shm"}
        assert after.get("store.db-wal", EMPTY) == EMPTY

    def test_sqlite_itself_refuses_writes(self) -> None:
        make_store(*SOUND)
        with ReadOnlySQLiteStore("store.db") as store:
            with pytest.raises(kv.Refused, match="readonly"):
                trio.run(store.set, P, b"tags/x", b"")
            assert store.contents() == stored(*SOUND)


def database(*statements: str) -> bytes:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for each in statements:
            connection.execute(each)
        return connection.serialize()


TABLE: Final = "CREATE TABLE kv (partition_key, key, value)"
TEXT: Final = "INSERT INTO kv VALUES (CAST('graveler' AS BLOB), 'repos/r', NULL)"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not a database, but quite long\n" * 9, "no store: "),
        (b"", "no store: "),
        (b"SQLite format 3\0", "no store: "),
        (database("CREATE TABLE other (key BLOB)"), "no store: no such table: kv; "),
        (database("CREATE TABLE kv (key BLOB)"), "no store: no such column: partition_key; "),
        (database(TABLE, TEXT), "column key holds text; expected blob everywhere: "),
    ],
    ids=["no database", "empty", "cut off", "no table", "no column", "text where bytes are expected"],
)
def test_a_file_that_is_no_store_is_named_and_left_as_it_is(in_tmp_path: Path, content: bytes, told: str) -> None:
    Path("store.db").write_bytes(content)
    said = complaint(lakeproof("diagnose", "store.db", "--out", "d.zip"))
    assert said.startswith(f"store.db: {told}")
    assert "name an SQLite file with lakeFS' table kv(partition_key, key, value)" in said
    assert [path.name for path in in_tmp_path.iterdir()] == ["store.db"]
    assert Path("store.db").read_bytes() == content
