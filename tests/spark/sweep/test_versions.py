"""ETags of the listing come with what is marked, where a listing has them, and none is guessed."""

from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lakeproof.model.objects import StoredObject
from lakeproof.model.snapshot import Snapshot
from tests.spark import snapshots
from tests.spark.commands import last_line, mark_by_command
from tests.spark.retention.worlds import NOW, world
from tests.spark.sweep.test_references import sound

pytestmark = pytest.mark.deep

DAY = 24 * 3600 * 1_000_000


def garbage(found: Snapshot, *names: str) -> Snapshot:
    """With more objects that nobody refers to."""
    more = {f"s3://bucket/r0/data/{name}": StoredObject(b"x", last_modified=NOW - 3 * DAY) for name in names}
    return attrs.evolve(found, objects={**found.objects, **more})


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    snapshots.write(snapshots.tables(garbage(sound(world(7, 2)), "tagged", "twice", "half")), tmp_path / "dataset")
    return tmp_path / "dataset"


def tagged(dataset: Path, kind: pa.DataType | None = None) -> None:
    """A file with ETags: of one object two, of another one and none. A second file has no such column."""
    [file] = (dataset / "objects").glob("*.parquet")
    rows = pq.read_table(file)
    named = rows.column("address").to_pylist()
    has = [name in {"data/tagged", "data/twice", "data/half"} for name in named]
    some = rows.filter(pa.array(has))
    pq.write_table(rows.filter(pa.array([not each for each in has])), file)
    tags = {"data/tagged": "t", "data/twice": "one", "data/half": "h"}
    first = some.append_column("e_tag", pa.array([tags[name] for name in some.column("address").to_pylist()]))
    other = {"data/twice": "two", "data/half": None}
    again = some.filter(pa.array([name in other for name in some.column("address").to_pylist()]))
    again = again.append_column(
        "e_tag", pa.array([other[name] for name in again.column("address").to_pylist()], pa.string())
    )
    made = pa.concat_tables([first, again])
    if kind is not None:
        made = made.set_column(made.schema.get_field_index("e_tag"), "e_tag", made.column("e_tag").cast(kind))
    pq.write_table(made, dataset / "objects" / "part-1.parquet")


def marked(dataset: Path) -> pa.Table:
    done = mark_by_command(dataset, dataset.parent / "out")
    assert done.exit_code == 0, done.output
    return pq.read_table(dataset.parent / "out" / "run" / "addresses")


def test_a_tag_comes_with_its_object_and_of_several_none_counts(spark: SparkSession, dataset: Path) -> None:
    before = marked(dataset)
    assert before.column_names == ["storage_namespace", "address", "size_bytes", "last_modified"]
    (dataset.parent / "out").rename(dataset.parent / "before")
    tagged(dataset)
    rows = marked(dataset)
    tags = {(each["storage_namespace"], each["address"]): each["e_tag"] for each in rows.to_pylist()}
    assert tags.pop(("s3://bucket/r0", "data/tagged")) == "t"
    assert tags.pop(("s3://bucket/r0", "data/twice")) == ""
    assert tags.pop(("s3://bucket/r0", "data/half")) == ""
    assert {*tags.values()} == {None}
    assert len(tags) == before.num_rows - 3
    assert rows.num_rows == before.num_rows + 2


def test_a_tag_of_another_type_is_refused(spark: SparkSession, dataset: Path) -> None:
    tagged(dataset, pa.binary())
    line = last_line(mark_by_command(dataset, dataset.parent / "out"))
    assert "part-1.parquet: column e_tag is binary; expected of objects/: " in line
