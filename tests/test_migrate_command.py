"""``lakeproof migrate``: as a user would call it."""

import json
from pathlib import Path

import pytest

from tests.commands import lakeproof
from tests.impl.migration.databases import fill_sqlite
from tests.impl.migration.moving import ROWS


@pytest.fixture
def old(tmp_path: Path) -> Path:
    fill_sqlite(tmp_path / "old.db", ROWS)
    return tmp_path / "old.db"


def test_it_tells_how_many_rows_of_each_table_it_has_moved(old: Path) -> None:
    done = lakeproof("migrate", str(old), str(old.with_name("new.db")))
    assert done.exit_code == 0
    assert done.stdout.splitlines()[0].split() == ["graveler_repositories", "1"]
    assert done.stdout.splitlines()[-1].startswith("migrated and verified: 7 rows in ")


def test_json_is_one_object(old: Path) -> None:
    done = lakeproof("migrate", str(old), str(old.with_name("new.db")), "--json")
    assert json.loads(done.stdout)["rows"]["graveler_staging_kv"] == 3


def test_a_store_in_use_is_refused_in_one_line(old: Path) -> None:
    lakeproof("migrate", str(old), str(old.with_name("new.db")))
    again = lakeproof("migrate", str(old), str(old.with_name("new.db")), "--restart")
    assert again.exit_code == 2
    assert again.stderr.splitlines()[-1].endswith("schema version 4: the store is in use; name another")


@pytest.mark.parametrize(
    ("source", "store", "said"),
    [
        ("missing.db", "new.db", "no such file"),
        ("notes.txt", "new.db", "not a database"),
        ("old.db", "notes.txt", "no store"),
        ("old.db", "missing/new.db", "cannot be opened"),
        ("postgresql://nobody@127.0.0.1:1/none", "new.db", "PostgreSQL: connect"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(old: Path, source: str, store: str, said: str) -> None:
    (old.parent / "notes.txt").write_text("no database " * 100)
    given = source if "://" in source else str(old.parent / source)
    done = lakeproof("migrate", given, str(old.parent / store))
    assert done.exit_code == 2
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
