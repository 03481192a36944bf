"""The manifest: what was lost, added or changed since is refused; what is as it was is not."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import Result
from pyspark.sql import DataFrame, SparkSession

from lakeproof.spark_checks.data import blanks, manifest
from lakeproof.spark_checks.data.dataset import open_dataset
from lakeproof.spark_checks.engine import staging
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.spark import snapshots
from tests.spark.commands import last_line, mark_by_command
from tests.spark.conftest import Mount
from tests.spark.damages import blank
from tests.spark.retention.worlds import world


def seal(dataset: Path, *more: str) -> Result:
    return lakeproof("spark", "seal", str(dataset), *more)


def test_sealing_tells_files_rows_and_bytes_and_starts_no_jvm(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    done = seal(dataset)
    assert done.exit_code == 0, done.output
    written = json.loads((dataset / manifest.NAME).read_text())
    assert written["tables"].keys() == {"kv", "metaranges", "ranges", "objects"}
    [file] = written["tables"]["ranges"]
    path = dataset / "ranges" / "part.parquet"
    rows = len(pq.read_table(path))
    expected = {"name": "part.parquet", "bytes": path.stat().st_size, "rows": rows, "footer": file["footer"]}
    assert file == expected
    assert f"{rows:,} rows" in done.stdout


@pytest.mark.usefixtures("spark")
def test_a_row_that_was_lost_ends_each_command_in_one_line(dataset: Path, rules: str, tmp_path: Path) -> None:
    seal(dataset)
    said = ""
    for table in AT_REST:
        file = dataset / table / "part.parquet"
        whole = file.read_bytes()
        pq.write_table(pq.read_table(file).slice(1), file)
        with pytest.raises(Unusable) as told:
            manifest.demand(str(dataset))
        said = str(told.value)
        assert said.startswith(f"{file}: is not what {manifest.NAME} says: ")
        if table != "objects":
            file.write_bytes(whole)
    for done in (
        mark_by_command(dataset, tmp_path / "out", "--lenient"),
        lakeproof("spark", "check", str(dataset)),
        mark_by_command(dataset, tmp_path / "out", "--rules", rules, kind="retention"),
    ):
        assert complaint(done) == said
    assert list((tmp_path / "out").iterdir()) == []


def test_other_rows_of_the_same_size_are_told_by_the_footer_and_a_changed_page_by_the_hash(dataset: Path) -> None:
    file = dataset / "metaranges" / "part.parquet"

    def written(last: str) -> bytes:
        rows = pa.table({"meta_range_id": ["a", "b"], "range_id": ["x", last]})
        pq.write_table(rows, file, compression="none", use_dictionary=False)
        return file.read_bytes()

    one, other = written("y"), written("z")
    assert len(one) == len(other)
    page = one[:60] + bytes([one[60] ^ 1]) + one[61:]
    for hashed, changed, words in (
        (False, other, "another footer, of other rows"),
        (True, page, "other bytes \\(SHA-256\\)"),
    ):
        file.write_bytes(one)
        manifest.seal(str(dataset), hashed=hashed, again=True)
        assert manifest.demand(str(dataset))
        file.write_bytes(changed)
        with pytest.raises(Unusable, match=f"part.parquet: is not what _lakeproof.json says: has {words}"):
            manifest.demand(str(dataset))


@pytest.mark.parametrize("table", ["objects", "decoded/commits"])
def test_a_file_or_a_table_that_came_later_is_refused(dataset: Path, table: str) -> None:
    seal(dataset)
    (dataset / table).mkdir(parents=True, exist_ok=True)
    shutil.copy(dataset / "objects" / "part.parquet", dataset / table / "more.parquet")
    with pytest.raises(Unusable, match=f"{table}/more.parquet: is not in {manifest.NAME}; take it away"):
        manifest.demand(str(dataset))


def test_a_seal_is_not_replaced_unless_told_so_and_a_broken_one_says_how(dataset: Path) -> None:
    seal(dataset)
    assert complaint(seal(dataset)).endswith("is there already, and holds; say --again to write another")
    (dataset / "objects" / "part.parquet").rename(dataset / "objects" / "other.parquet")
    assert "part.parquet: is in _lakeproof.json and not there; bring it back" in complaint(seal(dataset))
    assert seal(dataset, "--again").exit_code == 0
    assert manifest.demand(str(dataset))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": 2, "tables": {}}', '{"format": 1, "tables": {"kv": [1]}}', "[" * 100_000],
    ids=[*"012345"],
)
def test_a_manifest_that_is_none_is_refused(dataset: Path, text: str) -> None:
    (dataset / manifest.NAME).write_text(text)
    with pytest.raises(Unusable, match="is no manifest of format 1"):
        manifest.demand(str(dataset))


def test_what_is_no_dataset_or_no_parquet_is_not_sealed(dataset: Path, tmp_path: Path) -> None:
    (dataset / "kv" / "part.parquet").write_bytes(b"")
    assert "part.parquet: cannot be read as Parquet" in complaint(seal(dataset))
    assert complaint(seal(tmp_path / "nowhere")).startswith(f"{tmp_path}/nowhere: has no table")
    assert not (dataset / manifest.NAME).exists()


AGAIN = "take it away, and decode kv/ again if you like (lakeproof spark decode)"


def test_typed_tables_are_of_the_same_kv_at_another_place(mount: Mount) -> None:
    """There its files are listed in another order."""
    for name in ("day=1", "day=1-2"):
        (mount.folder / "kv" / name).mkdir(parents=True)
        pq.write_table(pa.table({"key": [name]}), mount.folder / "kv" / name / "part.parquet")
    manifest.note_origin(f"{mount.url}/decoded", mount.url, "design")
    manifest.demand_origin(str(mount.folder), "design")


@pytest.mark.usefixtures("spark")
def test_typed_tables_of_another_kv_or_by_other_keys_are_refused(dataset: Path, tmp_path: Path) -> None:
    typed, where = dataset / "decoded", str(dataset)
    seal(dataset, "--hash")
    assert lakeproof("spark", "decode", where, "--out", str(typed)).exit_code == 0
    assert manifest.demand(where)
    sealed = manifest.read(where) or {}
    assert {"decoded/commits", "decoded/staged", "kv"} <= sealed.keys()
    assert all(each.sha256 for files in sealed.values() for each in files)
    manifest.demand_origin(where, "design")

    def told(*more: str) -> str:
        return complaint(lakeproof("spark", "check", where, *more))

    keys = "was decoded with --keys design, expected lakefs; say --keys design"
    assert told("--keys", "lakefs") == f"{typed}: {keys}, or {AGAIN}"
    old = f"{typed}: nothing says that it was decoded from kv/ as it is now; {AGAIN}"
    kv, origin = dataset / "kv", typed / manifest.ORIGIN
    whole, note = (kv / "part.parquet").read_bytes(), origin.read_bytes()
    pq.write_table(pq.read_table(kv / "part.parquet").slice(1), kv / "part.parquet")
    manifest.seal(where, again=True)  # it seals what is there, stale or not
    assert told() == old
    shutil.copy(kv / "part.parquet", kv / "more.parquet")
    manifest.seal(where, again=True)
    assert told() == old
    (kv / "more.parquet").unlink()
    (kv / "part.parquet").write_bytes(whole)
    manifest.seal(where, again=True)
    unread = f"{origin}: cannot be read; {AGAIN}"
    for broken, said in ((b"", unread), (b"[" * 100_000, unread), (None, old)):
        origin.unlink()
        if broken is not None:
            origin.write_bytes(broken)
        with pytest.raises(Unusable) as refused:
            manifest.demand_origin(where, "design")
        assert str(refused.value) == said
    origin.write_bytes(note)
    shutil.rmtree(kv)  # then they are all that there is
    manifest.seal(where, again=True)
    # Nobody knows what is being copied.
    assert "has no kv;" in last_line(mark_by_command(dataset, tmp_path / "out"))


@pytest.mark.usefixtures("spark")
def test_tables_that_were_decoded_in_part_are_removed_and_the_dataset_is_as_it_was(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, out = staging.write, dataset / "decoded"

    def interrupted(rows: DataFrame, where: str, by: str | None = None) -> staging.Written:
        found = write(rows, where, by)
        if where == f"{out}/branches":
            raise KeyboardInterrupt
        return found

    monkeypatch.setattr(staging, "write", interrupted)
    seal(dataset)
    assert lakeproof("spark", "decode", str(dataset), "--out", str(out)).exit_code != 0
    assert not out.exists()
    assert manifest.demand(str(dataset))


def test_a_dataset_at_a_url_is_sealed_as_one_of_this_machine(spark: SparkSession, mount: Mount) -> None:
    snapshots.write(snapshots.tables(world(7, 2)), mount.folder / "dataset")
    url = f"{mount.url}/dataset"
    there = manifest.seal(url, hashed=True)
    assert there == manifest.seal(str(mount.folder / "dataset"), hashed=True, again=True)
    assert manifest.demand(url)
    assert open_dataset(spark, url).unsealed == ()
    manifest.seal(url, again=True)
    file = mount.folder / "dataset" / "kv" / "part.parquet"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(Unusable, match=r"kv/part\.parquet: is not what _lakeproof\.json says"):
        open_dataset(spark, url)


@pytest.fixture(scope="module")
def typed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed") / "dataset"
    snapshots.write(snapshots.tables(world(7, 3)), folder)
    assert lakeproof("spark", "decode", str(folder), "--out", str(folder / "decoded")).exit_code == 0
    blanks.demand_filled(open_dataset(spark, str(folder)))
    return folder


@pytest.mark.deep
@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("kv", ["partition_key", "value"]),
        ("metaranges", ["meta_range_id"]),
        ("ranges", ["range_id", "address"]),
        ("decoded/branches", ["commit_id", "sealed_tokens"]),
        ("decoded/commits", ["parents"]),
        ("decoded/staged", ["address", "address_type", "token"]),
    ],
)
def test_a_column_that_is_there_and_says_nothing_is_refused(
    spark: SparkSession, typed: Path, table: str, columns: list[str], tmp_path: Path
) -> None:
    for column in columns:
        folder = tmp_path / column
        shutil.copytree(typed, folder, ignore=shutil.ignore_patterns("*.crc"))  # which an object store does not have
        for file in (folder / table).glob("*.parquet"):
            schema = pq.read_schema(file)
            at = schema.get_field_index(column)
            blank(file, at, schema.field(at).type)
        manifest.note_origin(str(folder / "decoded"), str(folder), "design")
        with pytest.raises(Unusable, match=f"a row of {table}/ leaves out what it keeps .*{column} is null"):
            blanks.demand_filled(open_dataset(spark, str(folder)))
