"""``lakeproof diagnose`` of a lakeFS: its rows, its dumps, and its table, by its own key schema."""

import base64
import json
import shlex
import zipfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import attrs
import psycopg
import pytest

from tests.commands import lakeproof
from tests.gate.dynamodb_server import served
from tests.lakefs_tables import in_dynamodb, in_postgresql
from tests.servers import postgres
from tests.spark.lakefs.world import C2, Installation, Repo, around

COUNTS = "read: 3 repositories, 4 branches, 8 commits, 2 tags, 4 staging tokens with 6 entries, 0 cleanup records"


@pytest.fixture
def lake() -> Installation:
    found = Installation()
    around(found)
    Repo(found, "sound").build()
    return found


def diagnosed(tmp_path: Path, source: str) -> tuple[int, list[str], bytes]:
    """Exit code, what it prints, and what is in the zip."""
    out = tmp_path / "d.zip"
    done = lakeproof("diagnose", source, "--out", str(out))
    assert "Traceback" not in done.stderr
    with zipfile.ZipFile(out) as archive:
        return done.exit_code, done.stdout.splitlines(), b"".join(map(archive.read, archive.namelist()))


def test_a_healthy_lakefs_has_no_finding_whatever_traffic_has_left(tmp_path: Path, lake: Installation) -> None:
    source, _ = lake.write(tmp_path / "lake")
    code, lines, zipped = diagnosed(tmp_path, source)
    assert (code, lines[0]) == (0, COUNTS)
    assert any(line.startswith("0 errors, ") for line in lines)
    assert sum(line.startswith("note: ") for line in lines) == int(lines[-3].split()[2])
    words = shlex.split(lines[-1].removeprefix("next, ranges and objects, too: "))
    assert words == ["lakeproof", "spark", "check", source, "--blockstore", "STORE"]
    assert b'"entries": 2' in zipped  # staged on main of sound: counted
    for path in (b"a/1", b"b/0", b'"new"'):
        assert path not in zipped


def test_a_shared_token_and_a_torn_entry_are_findings_and_no_path_is_told(tmp_path: Path, lake: Installation) -> None:
    repo = Repo(lake, "other").build()
    repo.branch("feature", C2, token=repo.token("main"))
    lake.put(repo.token("dev"), "secret/path", b"\x0a\xff")
    source, _ = lake.write(tmp_path / "lake")
    code, lines, zipped = diagnosed(tmp_path, source)
    assert code == 1
    assert any(line.startswith("shared-token: other-dc1c branches/main") for line in lines)
    assert any(line.startswith("undecodable: other-dev:u-1 key/sha256:") for line in lines)
    assert b"secret" not in zipped
    assert "secret" not in "".join(lines)


def test_a_key_with_two_values_is_refused_and_one_that_is_there_twice_alike_is_not(
    tmp_path: Path, lake: Installation
) -> None:
    source, _ = lake.write(tmp_path / "lake")
    text = Path(source).read_text()
    both = tmp_path / "both.jsonl"
    both.write_text(text + text)
    assert diagnosed(tmp_path, str(both))[0] == 0
    (tmp_path / "d.zip").unlink()
    both.write_text(text + json.dumps({**json.loads(text.splitlines()[-1]), "value": "AA=="}))
    refused = lakeproof("diagnose", str(both), "--out", str(tmp_path / "d.zip"))
    assert (refused.exit_code, "has a key with two values" in refused.stderr) == (2, True)


def dumped(lake: Installation, partition: bytes) -> list[dict[str, str]]:
    rows = [(key, value) for (where, key), value in lake.rows.items() if where == partition]
    return [
        {"partition": partition.decode(), "key": key.decode(), "value": base64.b64encode(value).decode()}
        for key, value in rows
    ]


def dump(folder: Path, told: Mapping[str, object]) -> str:
    path = folder / "dump.json"
    path.write_text(json.dumps({"version": "1.0", "timestamp": "2026-01-01T00:00:00Z", **told}))
    return str(path)


def test_of_a_dump_of_one_repository_nothing_is_said_to_be_wrong(tmp_path: Path, lake: Installation) -> None:
    for number, told in enumerate(({"entries": dumped(lake, b"sound-dc1c")}, {})):
        (tmp_path / str(number)).mkdir()
        code, lines, _ = diagnosed(tmp_path / str(number), dump(tmp_path, told))
        assert code == 3
        assert any(line.startswith("not judged: there is no record of a repository") for line in lines)
        assert lines[-1].startswith("next: the whole store: its table's address, or JSON Lines ")


def test_in_a_dump_of_one_repository_what_its_partition_tells_is_counted_and_judged(
    tmp_path: Path, lake: Installation
) -> None:
    repo = Repo(lake, "other").build()
    repo.branch("feature", "c" * 64, token=repo.token("main"))
    entries = dumped(lake, b"other-dc1c")
    code, lines, _ = diagnosed(tmp_path, dump(tmp_path, {"entries": entries}))
    assert code == 1
    kinds = Counter(each["key"].partition("/")[0] for each in entries)
    assert lines[0].startswith(f"read: 0 repositories, {kinds['branches']} branches, {kinds['commits']} commits, ")
    assert any(line.startswith("dangling: other-dc1c branches/feature") for line in lines)
    assert any(line.startswith("shared-token: other-dc1c branches/") for line in lines)


def test_a_table_without_a_repository_is_whole_and_a_dump_of_that_may_be_a_part(tmp_path: Path) -> None:
    fresh = Installation()
    fresh.put("kv-internal-metadata", "kv/schema/version", b"4")
    with served() as url:
        code, lines, _ = diagnosed(tmp_path, in_dynamodb(url, [(*at, value) for at, value in fresh.rows.items()]))
    assert (code, "0 errors, 0 notes" in lines) == (0, True)
    assert "not judged" not in "".join(lines)
    (tmp_path / "d.zip").unlink()
    assert diagnosed(tmp_path, fresh.write(tmp_path / "fresh")[0])[0] == 3


def test_a_table_is_read_as_its_rows_are(tmp_path: Path, lake: Installation) -> None:
    """A healthy one and a damaged one; of PostgreSQL, the hashed table that lakeFS makes."""
    healthy = dict(lake.rows)
    repo = Repo(lake, "other").build()
    repo.branch("feature", C2, token=repo.token("main"))
    lake.put(repo.token("dev"), "b/1", b"\x0a\xff")
    with served() as url, postgres() as address:
        for name, rows, code in (("healthy", healthy, 0), ("damaged", lake.rows, 1)):
            source, _ = attrs.evolve(lake, rows=rows, files={}).write(tmp_path / name)
            expected = diagnosed(tmp_path / name, source)
            assert (expected[0], expected[1][0] == COUNTS) == (code, code == 0)
            entries = [(partition, key, value) for (partition, key), value in rows.items()]
            schema = f"{address}&options=-csearch_path%3D{name}"
            with psycopg.connect(address) as connection:
                connection.execute(f"CREATE SCHEMA {name}")
            in_postgresql(schema, entries)
            for kind, where in (("postgresql", schema), ("dynamodb", in_dynamodb(url, entries, name))):
                (tmp_path / name / kind).mkdir()
                found = diagnosed(tmp_path / name / kind, where)
                assert (found[0], _of_any(found[1])) == (expected[0], _of_any(expected[1]))


def _of_any(lines: list[str]) -> list[str]:
    """But for the time, the zip and the source."""
    return [line.partition("; read at")[0] for line in lines if not line.startswith(("files: ", "next, "))]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("postgresql://nobody@127.0.0.1:1/none", "connection failed"),
        ("dynamodb+http://127.0.0.1:1/kvstore", "kvstore"),
        ("dynamodb+http://127.0.0.1:1/", "names no table"),
        ("rows.jsonl", "rows.jsonl:1: "),
        ("deep.jsonl", "deep.jsonl:1: no JSON"),
        ("dump.json", "no JSON"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text('{"partition_key": 3}\n')
    Path("deep.jsonl").write_text('{"partition_key": ' + 100_000 * "[")
    Path("dump.json").write_text('{"entries": [')
    done = lakeproof("diagnose", source, "--out", "d.zip")
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not Path("d.zip").exists()
