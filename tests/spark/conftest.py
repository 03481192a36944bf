"""One Spark session for all tests of a run: whatever asks for it is in one group, and so in one process of xdist's."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from pyspark.accumulators import AccumulatorTCPServer
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import places
from lakeproof.spark_checks.engine.engines import engine_of
from lakeproof.spark_checks.engine.session import Options, session
from tests.spark import snapshots
from tests.spark.retention.worlds import world

SMALL: Final = (
    # On small data compiling a plan takes several times as long as running it.
    ("spark.sql.codegen.wholeStage", "false"),
    ("spark.sql.codegen.factoryMode", "NO_CODEGEN"),
    ("spark.sql.shuffle.partitions", "2"),
)
ADAPTIVE: Final = "spark.sql.adaptive.enabled"


ON_BOTH: Final = {"test_same_meaning", "test_references"}
"""Modules whose tests on classic Spark are not `long`: what is found, and what a sweep spares."""


LEFT_ON_CLASSIC: Final[Mapping[str, Collection[str]]] = {
    **dict.fromkeys(("test_bucket", "test_command", "test_damaged", "test_databases", "test_decoding"), ()),
    **dict.fromkeys(("test_dumps", "test_ended_runs", "test_ledger", "test_manifest", "test_s3"), ()),
    "test_agreement": ("test_violations_are_found_and_traced_on_spark", "test_expressions_repack_states_as_arrays_do"),
    "test_checks": ("test_what_is_wrong_is_found_and_nothing_else",),
    "test_damages": ("test_every_damage_is_found_and_named_and_health_is_not",),
    "test_histories": ("test_the_verdicts_are_those_of_the_local_checker", "test_a_damaged_line_is_named"),
    "test_layout": (
        *("test_however_it_lies_the_same_rows_are_read", "test_a_column_of_folders_that_is_all_digits_is_text"),
        "test_a_text_that_is_encoded_as_numbers_is_read_or_another_engine_is_named",
        "test_files_may_differ_in_what_is_widened_without_a_loss_and_in_other_columns",
        "test_times_of_nanoseconds_are_refused_and_those_of_old_files_taken",
    ),
    "test_marking": ("TestAgainstTheModel",),
    "test_real": ("test_nothing_of_it_is_a_violation_and_its_garbage_is_named",),
    "test_urls": ("test_a_run_at_a_url_is_that_of_a_folder",),
}
"""What runs on classic Spark, too, of modules of which most has no engine in it, or none of its own: that all commands
say, write and leave there what they do embedded, row for row, test_without_java.py shows."""


def on_classic_too(item: pytest.Item) -> bool:
    """Whether it is the twin on classic Spark of a test that runs embedded."""
    own = any(each.args[0] == "spark" for each in item.iter_markers("parametrize"))  # `CLASSIC`
    return not own and "callspec" in vars(item) and vars(item)["callspec"].params.get("spark") == "classic"


def is_left_to_embedded(item: pytest.Item) -> bool:
    left = LEFT_ON_CLASSIC.get(item.path.stem)
    return left is not None and not any(f"::{name}" in item.nodeid for name in left)


def pytest_itemcollected(item: pytest.Item) -> None:
    """What runs embedded and on classic Spark alike is `long` on the second, but for the modules `ON_BOTH`."""
    if item.path.stem not in ON_BOTH and on_classic_too(item):
        item.add_marker("long")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [each for each in items if not (on_classic_too(each) and is_left_to_embedded(each))]
    for item in items:
        if isinstance(item, pytest.Function) and "spark" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session", params=["embedded", pytest.param("classic", marks=pytest.mark.deep)])
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """Every test of the pipeline runs embedded, and in the deep tier on classic Spark, too."""
    classic = request.param == "classic"
    on_jvm = Options(engine="classic", master="local[2]", memory="2g", conf=SMALL)
    # The JVM closes the connections of accumulators when its collector finds them: some time, in a test of something
    # else, whose captured output would have PySpark's traceback.
    AccumulatorTCPServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    with session(on_jvm if classic else Options(engine="embedded")) as started:
        yield started


CLASSIC: Final = pytest.mark.parametrize(
    "spark", [pytest.param("classic", marks=pytest.mark.deep)], indirect=True, scope="session"
)
"""Of what only classic Spark has."""
EMBEDDED: Final = pytest.mark.parametrize("spark", ["embedded"], indirect=True, scope="session")
"""Of what only Sail does."""


class Mount(NamedTuple):
    url: str
    folder: Path


@pytest.fixture(scope="module")
def mount(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mount]:
    """A folder, and a URL of it that is taken for one of a store: it is reached by Arrow, and by the engine."""
    folder = tmp_path_factory.mktemp("mount")
    url, known = folder.as_uri(), places.local
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "local", lambda where: None if where.startswith(url) else known(where))
        yield Mount(url, folder)


@pytest.fixture(scope="module")
def interpreted(spark: SparkSession) -> Iterator[None]:
    """Plans are made once, and not again after each of their stages."""
    if engine_of(spark).name != "classic":
        yield
        return
    spark.conf.set(ADAPTIVE, "false")
    yield
    spark.conf.set(ADAPTIVE, "true")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A small one, of one file a table."""
    snapshots.write(snapshots.tables(world(7, 3)), tmp_path / "dataset")
    return tmp_path / "dataset"


@pytest.fixture(scope="session")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of ten repositories, beside rules: ``data``, ``rules.json``."""
    folder = tmp_path_factory.mktemp("larger")
    snapshots.write(snapshots.tables(world(7, 10)), folder / "data")
    (folder / "rules.json").write_text('{"default_retention_days": 1}')
    return folder


@pytest.fixture
def rules(tmp_path: Path) -> str:
    """A file of rules for `retention`."""
    path = tmp_path / "rules.json"
    path.write_text('{"default_retention_days": 1}')
    return str(path)
