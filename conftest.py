"""What all tests share: one Hypothesis profile, one seed for each run, and Ctrl-C as a shell leaves it.

Tiers, by marker: without one, a test is in the default tier (`make test`). ``deep``: CI runs the deep tests of what a
change touches. ``long``: takes minutes; only `make deep` runs it, with all that is deep.
"""

import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

import pytest

from lakeproof.verify.machine import NEW_OBJECTS_MAX
from tools.tier import areas_of_test

sys.path.append(str(Path(__file__).parent / "examples"))  # lakefs_today, as its scenarios import it

with suppress(ModuleNotFoundError):  # docs/ten-minutes.md runs a flow of one's own in a clone, with pytest alone
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "lakeproof",
        deadline=None,  # a busy machine is no fault
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    settings.load_profile("lakeproof")

SEED = "LAKEPROOF_SEED"
"""The environment's name for the seed of a run. CI takes it from the commit; without it the system draws one."""


def pytest_configure(config: pytest.Config) -> None:
    # Before workers start: they inherit it, and all draw from one seed.
    os.environ.setdefault(SEED, str(SystemRandom().randrange(2**32)))
    # A shell without job control starts what it puts in the background with SIGINT ignored; children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as nohup leaves it ignored


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark each test with its areas: CI chooses deep tests by an expression over markers."""
    for area in areas_of_test(item.path.relative_to(item.config.rootpath).as_posix()):
        item.add_marker(area)


def pytest_collection_finish() -> None:
    """What has been imported by now stays: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS_MAX, *gc.get_threshold()[1:])


def pytest_runtest_setup() -> None:
    """Collect what is young now, not in a test that goes as deep as Python can: there, no callback can be called."""
    gc.collect(0)


def pytest_make_parametrize_id(val: object) -> str | None:
    """Long texts by their beginning."""
    return f"{val[:30]!r}..." if isinstance(val, str | bytes) and len(val) > 200 else None


def pytest_report_header(config: pytest.Config) -> str:
    return f"seed: {SEED}={os.environ[SEED]}"


@pytest.fixture(scope="session", autouse=True)
def _cache_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Commands that tests start keep their verdicts here, and not in the cache of whoever runs the tests."""
    os.environ["LAKEPROOF_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def run_seed() -> int:
    """The seed of this run, which the header prints: for tests that draw anew each time."""
    return int(os.environ[SEED])


@pytest.fixture
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test runs in a folder of its own, and a terminal of the default width."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    return tmp_path
