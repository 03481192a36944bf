"""One Spark session for all tests of a run: whatever asks for it is in one group, and so in one process of xdist's."""

from collections.abc import Iterator
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


_ON_CLASSIC: Final = pytest.param("classic", marks=pytest.mark.deep)


def _on(*engines: object) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("spark", engines, indirect=True, scope="session")


ON_BOTH: Final = _on("embedded", _ON_CLASSIC)
"""What CI runs on classic Spark, too: what is found, and what a sweep spares."""
ON_CLASSIC_TOO: Final = _on("embedded", pytest.param("classic", marks=pytest.mark.long))
"""What differs by the engine. Of all else, test_without_java.py shows that commands say, write and leave embedded what
they do on classic Spark, row for row."""
CLASSIC: Final = _on(_ON_CLASSIC)
"""Of what only classic Spark has."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and "spark" in item.fixturenames:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session", params=["embedded"])
def spark(request: pytest.FixtureRequest) -> Iterator[SparkSession]:
    """Every test of the pipeline runs embedded, but for those that say otherwise: `ON_BOTH`, `CLASSIC`."""
    classic = request.param == "classic"
    on_jvm = Options(engine="classic", master="local[2]", memory="2g", conf=SMALL)
    # The JVM closes the connections of accumulators when its collector finds them: some time, in a test of something
    # else, whose captured output would have PySpark's traceback.
    AccumulatorTCPServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    with session(on_jvm if classic else Options(engine="embedded")) as started:
        yield started


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
