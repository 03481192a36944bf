"""SQLite files damaged at random: a finding, or one line with the damage and the repair; never *nothing is wrong*.

SQLite files have no checksums. So a byte that changed within a value is found where the record does not decode any
more, or a name leads nowhere; elsewhere nobody could know. All else that changes what a reader sees must show.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.impl.stores.sqlite_health import Damaged, refuse_damaged
from lakeproof.model import kv
from lakeproof.model.records import Record
from tests.commands import complaint, lakeproof
from tests.damaging import damaged, held, shapes
from tests.impl.diagnosing import SOUND
from tests.impl.migration.databases import fill_sqlite
from tests.impl.migration.moving import ROWS
from tests.impl.records import P, branch, commit, stored

pytestmark = pytest.mark.usefixtures("in_tmp_path")

MANY = range(1_000, 1_000 + int(os.environ.get("FUZZ_EXAMPLES", "5000")))
"""Of each long test."""


def fuzzed(few: int) -> pytest.MarkDecorator:
    """With so many seeds, and in a long test with many."""
    return pytest.mark.parametrize(
        "seeds", [range(few), pytest.param(MANY, marks=pytest.mark.long)], ids=["few", "many"]
    )


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

    @fuzzed(110)
    def test_what_reads_otherwise_is_a_finding(self, seeds: range) -> None:
        content = sound_store()
        for seed in seeds:
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

    @fuzzed(44)
    def test_migrate_moves_nothing_of_what_is_not_whole(self, seeds: range) -> None:
        fill_sqlite(Path("sound.db"), ROWS)
        content = Path("sound.db").read_bytes()
        for seed in seeds:
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
