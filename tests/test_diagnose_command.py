"""``lakeproof diagnose``: exit codes, one clear line for what is unusable, and a store that is only read. SQLite files
that are damaged at random are a finding, or one line with the damage and the repair; never *nothing is wrong*.

SQLite files have no checksums. So a byte that changed within a value is found where the record does not decode any
more, or a name leads nowhere; elsewhere nobody could know. All else that changes what a reader sees must show.
"""

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
from lakeproof.impl.stores.sqlite_health import Damaged, refuse_damaged
from lakeproof.model import keys, kv
from lakeproof.model.records import Record, StagedEntry
from tests.commands import complaint, lakeproof
from tests.damaging import damaged, held, shapes
from tests.impl.diagnosing import SOUND
from tests.impl.migration.databases import fill_sqlite
from tests.impl.migration.moving import ROWS
from tests.impl.records import P, branch, commit, stored

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


def sound_store() -> bytes:
    """A store of some pages: interior ones, leaves, a free one, and a value on pages of its own."""
    names = [f"x{number:03}" for number in range(90)]
    records: list[Record] = [*SOUND, *(commit(name, "c") for name in names), *(branch(name, name) for name in names)]
    with SQLiteStore("sound.db") as store:
        for (partition, key), value in stored(*records).items():
            store._apply(kv.Set(partition, key, value))
        store._apply(kv.Set(P, b"settings", b"s" * 6_000))
        store._apply(kv.Set(P, b"unused", b"u" * 6_000))
        store._apply(kv.Delete(P, b"unused"))
        store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path("sound.db").read_bytes()


def put(content: bytes) -> Path:
    """As ``d.db``."""
    for suffix in ("-wal", "-shm", ".zip"):
        Path(f"d.db{suffix}").unlink(missing_ok=True)
    Path("d.db").write_bytes(content)
    return Path("d.db")


def diagnosed() -> int:
    """The exit code. A refusal is one line, which names the file, what is wrong and the repair."""
    result = lakeproof("diagnose", "d.db", "--out", "d.db.zip")
    assert result.exit_code in (0, 1, 2), result.output
    if result.exit_code == 2:
        told = complaint(result)
        assert told.startswith("d.db: ")
        assert told.isprintable()
        assert any(repair in told for repair in ("restore it from a copy", "name an SQLite file"))
        assert not Path("d.db.zip").exists()
    else:
        nothing = "\n0 errors, " in result.stdout
        assert nothing is (result.exit_code == 0), result.output
        assert all(line.isprintable() for line in result.stdout.splitlines())
    return result.exit_code


class TestDiagnose:
    @staticmethod
    def law(content: bytes, seed: int) -> None:
        path = put(content)
        before = held(path)
        assert before is not None
        put(damaged(content, seed))
        if diagnosed() == 0:
            now = held(path)
            assert now is not None, seed
            assert shapes(now) == shapes(before), seed

    def test_what_reads_otherwise_is_a_finding(self) -> None:
        content = sound_store()
        for seed in range(110):
            self.law(content, seed)

    def test_what_can_still_be_read_is_in_the_zip_beside_what_is_damaged(self) -> None:
        content = bytearray(sound_store())
        put(bytes(content))
        with closing(sqlite3.connect("d.db")) as connection:
            [(root,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'kv'").fetchall()
        head = (root - 1) * 4096
        content[head + 3 : head + 5] = (int.from_bytes(content[head + 3 : head + 5]) - 1).to_bytes(2)  # a cell less
        put(bytes(content))
        result = lakeproof("diagnose", "d.db", "--out", "d.db.zip")
        assert result.exit_code == 1
        assert result.stdout.splitlines()[0].startswith("read: 1 repository, ")
        assert any(line.startswith("damaged: ") for line in result.stdout.splitlines())

    def test_a_write_that_was_cut_off_is_refused_with_what_undoes_it(self) -> None:
        with closing(sqlite3.connect("old.db", isolation_level=None)) as connection:
            connection.execute("CREATE TABLE kv (partition_key BLOB, key BLOB, value BLOB)")
            connection.execute("PRAGMA cache_size = 2")
            connection.execute("BEGIN")
            row = (b"p", b"k", b"v" * 9_000)
            connection.executemany("INSERT INTO kv VALUES (?, ?, ?)", [row] * 50)
            put(Path("old.db").read_bytes())
            Path("d.db-journal").write_bytes(Path("old.db-journal").read_bytes())
        told = complaint(lakeproof("diagnose", "d.db", "--out", "d.db.zip"))
        assert "d.db-journal beside it holds a write that was cut off: open it once with sqlite3" in told


class TestOthers:
    """Other commands that read SQLite files refuse a damaged one, before they say anything of it."""

    @staticmethod
    def migrated(content: bytes, seed: int) -> None:
        put(damaged(content, seed))
        for path in Path().glob("new.db*"):
            path.unlink()
        result = lakeproof("migrate", "d.db", "new.db")
        assert result.exit_code in (0, 2), result.output
        if result.exit_code == 2:
            assert result.stderr.splitlines()[-1].startswith("lakeproof: ")
            assert len(result.stderr.splitlines()) <= 2
            return
        with closing(sqlite3.connect("d.db")) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)], seed

    def test_migrate_moves_nothing_of_what_is_not_whole(self) -> None:
        fill_sqlite(Path("sound.db"), ROWS)
        content = Path("sound.db").read_bytes()
        for seed in range(44):
            self.migrated(content, seed)

    @pytest.mark.parametrize("command", [["conform", "sqlite:///d.db"], ["stress", "sqlite:///d.db", "--seconds", "1"]])
    def test_a_damaged_store_is_not_judged(self, command: list[str]) -> None:
        content = bytearray(sound_store())
        content[3 * 4096 + 5] ^= 0x40
        put(bytes(content))
        with pytest.raises(Damaged):
            refuse_damaged(Path("d.db"))
        told = lakeproof(*command)
        assert told.exit_code == 2
        assert told.stderr.splitlines()[-1].startswith("lakeproof: sqlite:///d.db: d.db: damaged: ")
        assert told.stderr.endswith("; restore it from a copy, or recover what is left with sqlite3's .recover\n")
