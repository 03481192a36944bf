"""What a run cannot read may refer to data: then it marks nothing. So with records of unknown keys, and with known ones
that lie where no run looks; what is only spelled otherwise is read."""

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import attrs
import pytest
from pyspark.sql import SparkSession

from lakeproof.impl.codec import decode_at, encode
from lakeproof.impl.migration.checks import METADATA, VERSION, VERSION_KEY
from lakeproof.model import keys
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.records import Record, Repository
from lakeproof.spark_checks.checks.run import run as check
from lakeproof.spark_checks.data.dataset import Dataset, Keys, open_dataset
from lakeproof.spark_checks.data.decoding import write
from lakeproof.spark_checks.engine import runs, staging
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.folders import folder_at
from lakeproof.spark_checks.engine.runs import Report
from lakeproof.spark_checks.engine.tables import DECODED
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.retention import marks as retention
from lakeproof.spark_checks.uncommitted import marks as uncommitted
from lakeproof.words import Unusable
from tests.spark import snapshots
from tests.spark.retention.test_marking import HOME, RULES, addresses
from tests.spark.retention.worlds import HOUR, NOW, world
from tests.spark.snapshots import Tables
from tests.spark.sweep.test_references import sound

Row = tuple[bytes, bytes, bytes]
Change = Callable[[Row], Row]
TOKEN = b"r0b0:0"
TAG = encode(records.tag("v9", "c0"))


def tables(*more: Row, change: Change = lambda row: row) -> Tables:
    made = snapshots.tables(sound(world(5, 6)))
    made.kv = [*map(change, made.kv), *more]
    return made


def opened(spark: SparkSession, made: Tables, folder: Path, schema: Keys = "design") -> Dataset:
    snapshots.write(made, folder / "dataset")
    return open_dataset(spark, str(folder / "dataset"), schema)


def mark(
    kind: str, dataset: Dataset, folder: Path, *, tags: bool = False, lenient: bool = False, last: Path | None = None
) -> Report:
    place = runs.make_folder(folder, "run")
    if kind == "retention":
        options = retention.MarkOptions(now=NOW, tags=tags, lenient=lenient)
        return retention.mark(dataset, RULES, options, folder_at(place))
    since = None if last is None else folder_at(last)
    return uncommitted.mark(
        dataset,
        uncommitted.MarkOptions(now=NOW, older_than=24 * HOUR, since=since, lenient=lenient),
        folder_at(place),
    )


def as_lakefs(row: Row) -> Row:
    """Staged entries have bare paths for keys."""
    return row[0], row[1].removeprefix(keys.STAGED_PREFIX), row[2]


def with_slash(row: Row) -> Row:
    record = decode_at(*row)
    if not isinstance(record, Repository):
        return row
    slashed = attrs.evolve(record, storage_namespace=StorageNamespace(f"{record.storage_namespace}/"))
    return *row[:2], encode(slashed)


def moved(home: bytes) -> Change:
    return lambda row: (home if row[0] == HOME else row[0], *row[1:])


def beside(*found: Record) -> Tables:
    """With these in the partition of a repository."""
    return tables(*(records.kv(HOME, each) for each in found))


def of_a_newer_store(key: bytes) -> Change:
    """The first record of such a key has a field 100, a text."""
    return lambda row: (*row[:2], row[2] + b"\xa2\x06\x03mr2") if row[1] == key else row


def with_a_null() -> Tables:
    made = tables()
    made.ranges[0] = (*made.ranges[0][:2], None, *made.ranges[0][3:])
    return made


def doubled() -> Tables:
    made = tables()
    return attrs.evolve(made, kv=made.kv * 2)


INNER = records.repository("repo1", "uid1", namespace="s3://bucket/r0/data/inner")
KNOWN = records.commit("x1"), records.commit("x2", parents=("x1", "gone"), generation=2)
UNREAD = {
    "the store of a lakeFS": (tables(change=as_lakefs), r"such records; .* if this is a store of lakeFS, say --keys"),
    "a branch with a slash": (tables((HOME, b"branches/a/b", b"")), "record at 'repo0-uid0' 'branches/a/b': no record"),
    "a path as of a branch": (tables((TOKEN, b"branches/x", b"")), "at 'r0b0:0' 'branches/x': .*, the first of 1 such"),
    "what was issued": (tables((HOME, b"staging/issued/1", b"data/x")), "no record of the key schema has such a key"),
    "homes by id": (tables(change=moved(b"repo0")), "'repo0' has records of the repository 'repo0', whose partition"),
    "homes by date": (tables(change=moved(b"repo0-0")), "'repo0-0' has records of the repository 'repo0', whose"),
    "a newer branch": (tables(change=of_a_newer_store(b"branches/b0")), "branches/b0.*unknown, and may refer"),
    "a newer commit": (tables(change=of_a_newer_store(b"commits/c0x0")), "commits/c0x0.*unknown, and may refer"),
    "a commit of another": (
        tables((HOME, b"commits/x2", encode(KNOWN[0]))),
        "repo0-uid0 commits/x2: the record names x1, the first of 1 such",
    ),
    "a branch of another": (tables((HOME, b"branches/z", encode(records.branch("y", "c0x0", "t:2")))), "names y"),
    "a repository of another": (
        tables((keys.GRAVELER, b"repos/z", encode(records.repository("y", "uid9")))),
        "repos/z: the record names y",
    ),
    "a torn entry": (tables((b"t:1", b"key/x", b"\xff\xff")), "staged at 't:1' 'key/x'"),
    "a namespace in data": (
        tables(records.kv(keys.GRAVELER, INNER)),
        "namespace 's3://bucket/r0/data/inner' lies in 's3://bucket/r0'",
    ),
    "a metarange that is gone": (
        beside(records.commit("y", NOW, meta_range_id="gone")),
        "metarange gone of a commit is not there",
    ),
    "a head without a record": (
        beside(records.branch("x", "gone", "t")),
        "repo0-uid0'?: commit gone is the head of .*, and has no record.*--lenient",
    ),
    "a tag of no record": (beside(records.tag("x", "gone")), "commit gone is the commit of tag x", "uncommitted"),
    "a first parent": (
        beside(records.commit("x", parents=("gone",))),
        "commit gone is a parent of commit x,",
        "uncommitted",
    ),
    "a second parent": (beside(*KNOWN), "commit gone is a parent of commit x2,", "uncommitted"),
    "a null": (with_a_null(), r"a row of ranges/ leaves out what it keeps \(address is null\)"),
    "a row that lost its value": (tables((HOME, b"commits/x", b"")), "commit at .* there is no value"),
    "a copy of no time": (
        tables((HOME, b"copies/x", b"yesterday")),
        "copies/x: is no record of a copy",
        "uncommitted",
    ),
}


@pytest.mark.parametrize(
    ("kind", "made", "words"),
    [
        pytest.param(kind, made, words, id=f"{name}-{kind}")
        for name, (made, words, *kinds) in UNREAD.items()
        for kind in kinds or ("uncommitted", "retention")
    ],
)
def test_what_may_refer_to_data_and_is_not_read_ends_the_run(
    spark: SparkSession, tmp_path: Path, kind: str, made: Tables, words: str
) -> None:
    with pytest.raises(Unusable, match=words):
        mark(kind, opened(spark, made, tmp_path), tmp_path)
    assert not (tmp_path / "run" / "report.json").exists()


def test_a_commit_of_two_records_ends_a_lenient_run_as_well(spark: SparkSession, tmp_path: Path) -> None:
    """The two may have other parents: by one reading an old commit behind them is active, by the other it is not."""
    with pytest.raises(Unusable, match="commits have the id of another record of their repository"):
        mark("retention", opened(spark, doubled(), tmp_path), tmp_path, lenient=True)


@pytest.mark.parametrize("tags", [True, False])
@pytest.mark.parametrize(
    ("tag", "words"),
    [
        (TAG[:-1], "tag at 'repo0-uid0' 'tags/v9'"),
        (encode(records.tag("v9", "gone")), "commit gone is .* has a tag, and has no record"),
    ],
)
def test_a_tag_that_names_no_commit_ends_a_run_where_tags_keep(
    spark: SparkSession, tmp_path: Path, tag: bytes, words: str, tags: bool
) -> None:
    found = opened(spark, tables((HOME, b"tags/v9", tag)), tmp_path)
    with pytest.raises(Unusable, match=words) if tags else nullcontext():
        mark("retention", found, tmp_path, tags=tags)


def test_what_is_left_of_a_deleted_repository_may_dangle(spark: SparkSession, tmp_path: Path) -> None:
    found = opened(spark, tables(*(records.kv(b"gone-u", each) for each in KNOWN)), tmp_path)
    assert mark("uncommitted", found, tmp_path).findings == {"head-exists": 0, "parents-exist": 0}


@pytest.mark.parametrize("version", [VERSION, b"9"])
def test_a_store_of_another_schema_version_is_not_marked(spark: SparkSession, tmp_path: Path, version: bytes) -> None:
    found = opened(spark, tables((METADATA, VERSION_KEY, version), change=as_lakefs), tmp_path, "lakefs")
    plain = mark("uncommitted", opened(spark, tables(), tmp_path / "plain"), tmp_path / "plain")
    with pytest.raises(Unusable, match="has schema version '9'") if version != VERSION else nullcontext():
        assert mark("uncommitted", found, tmp_path).accounts == plain.accounts


def test_a_token_whose_entries_no_store_of_lakefs_has_ends_the_run(spark: SparkSession, tmp_path: Path) -> None:
    branch = (HOME, b"branches/x", encode(records.branch("x", "c0x0", "plain")))
    made = tables((METADATA, VERSION_KEY, VERSION), branch, change=as_lakefs)
    with pytest.raises(Unusable, match="staging token 'plain': expected a ':'"):
        mark("uncommitted", opened(spark, made, tmp_path, "lakefs"), tmp_path)


@pytest.mark.parametrize("typed", [False, True])
def test_a_slash_at_the_end_of_a_namespace_means_nothing(spark: SparkSession, tmp_path: Path, typed: bool) -> None:
    """As in lakeFS, which leaves it out of addresses. Some listings of such a namespace have it, too."""
    made = tables(change=with_slash)
    made.objects = [(f"{row[0]}/" if number % 2 else row[0], *row[1:]) for number, row in enumerate(made.objects)]
    found = opened(spark, made, tmp_path / "slash")
    if typed:
        written = write(found, str(tmp_path / "typed"))
        read = {name: staging.read(written, schema, spark, f"table={name}") for name, schema in DECODED.items()}
        found = attrs.evolve(found, decoded=read)
    plain = opened(spark, tables(), tmp_path / "plain")
    for kind in ("uncommitted", "retention"):
        reports = [mark(kind, each, tmp_path / kind / str(number)) for number, each in enumerate((plain, found))]
        assert reports[0].accounts == reports[1].accounts
        assert reports[0].marked.objects
        marked = [addresses(spark, tmp_path / kind / number / "run") for number in "01"]
        assert marked[0] == marked[1]
    told = [check(each, (), str(tmp_path / name)) for each, name in ((plain, "one"), (found, "other"))]
    assert told[0].outcomes == told[1].outcomes


def test_no_other_engine_goes_on_from_a_run_of_sail(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last run of a chain would pass for evidence: nothing says that it rests on what Sail knew."""
    found = opened(spark, tables(), tmp_path)
    first = mark("uncommitted", found, tmp_path / "first")
    last = tmp_path / "first" / "run"
    assert mark("uncommitted", found, tmp_path / "second", last=last).accounts == first.accounts
    other = attrs.evolve(engine_of(spark), name="classic")
    monkeypatch.setattr(uncommitted, "engine_of", lambda _: other)
    with pytest.raises(Unusable, match=r"was made by embedded .* begin a new chain without --since"):
        mark("uncommitted", found, tmp_path / "third", last=last)
