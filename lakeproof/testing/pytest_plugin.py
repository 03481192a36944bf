"""The pytest plugin: each scenario of a ``SCENARIOS`` in a test file is an item, and so is each function under
``@lakeproof.testing.scenario``.

An item passes if every verdict is as the scenario expects it. Else it fails with the verdicts and the shortest
schedules as its text; their traces are kept in pytest's cache. The next run replays them first, which takes no search:
as long as the code still follows such a trace, the item fails at once.

Loaded by pytest through the entry point ``pytest11``. The search is imported when an item runs, not before.
"""

from collections.abc import Generator, Iterable
from inspect import getattr_static
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast
from unittest import TestCase

import pytest

from lakeproof.testing.decorator import JUDGE, MARK
from lakeproof.testing.kept import BUDGET, Judge

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario

LISTED: Final = "SCENARIOS"
JUDGED: Final = pytest.StashKey[Judge]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("lakeproof").addoption(
        BUDGET,
        type=_seconds,
        metavar="SECONDS",
        help="limit of the search of one scenario; one that is not decided by then fails as inconclusive",
    )


def _seconds(given: str) -> float:
    """A limit that some clock passes. argparse prints the message of the error."""
    from argparse import ArgumentTypeError
    from math import inf, nan

    try:
        number = float(given)
    except ValueError:
        number = nan
    if not 0 < number < inf:  # no comparison with NaN is true
        expected = "expected seconds, a number greater than 0 and finite; write one such as 30"
        raise ArgumentTypeError(f"{given!r}: {expected}")
    return number


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list["ScenarioItem"] | None:
    """The items of a list of scenarios; of anything else pytest knows better."""
    # pytest would pass over a function of such a name without a word, and its scenario would never be searched. The
    # proxies of web frameworks raise what they like in `__getattr__`, and in `__class__`, which `isinstance` reads.
    if not collector.funcnamefilter(name):
        _refuse_decorated(name, obj, collector.config.getini("python_functions")[0])
    # Of a TestCase pytest sees its methods alone. Another list of this name is none of ours there, either.
    if issubclass(type(obj), type) and issubclass(cast("type", obj), TestCase):
        for each in dir(obj):
            if not each.startswith("test"):  # unittest's own rule
                _refuse_decorated(f"{name}.{each}", getattr_static(obj, each, None), "test")
        unseen = getattr(obj, LISTED, None)
        if unseen is not None and pytest_pycollect_makeitem(collector, LISTED, unseen):
            raise pytest.Collector.CollectError(f"{name} is a unittest.TestCase with {LISTED}; move them out of it")
    if name != LISTED:
        return None
    from lakeproof.scenario import Scenario

    if not isinstance(obj, list | tuple):
        # Passed over without a word, none of them would ever be searched.
        items: object = obj.values() if isinstance(obj, dict) else obj
        # Of a generator the first one is taken: it would be no list in any case.
        if isinstance(next(iter(items), None) if isinstance(items, Iterable) else items, Scenario):
            raise pytest.Collector.CollectError(f"{LISTED} is a {type(obj).__name__}; make it a list of Scenario")
        return None
    found = [each for each in obj if isinstance(each, Scenario)]
    if not found:
        return None  # another list of this name
    if len(found) < len(obj):
        # A list of one scenario and something else is a slip, and not another list of this name.
        odd = next(each for each in obj if not isinstance(each, Scenario))
        raise pytest.Collector.CollectError(f"{LISTED} has {odd!r}; make it a Scenario")
    names = [each.name for each in found]
    if twice := sorted({each for each in names if names.count(each) > 1}):
        raise pytest.Collector.CollectError(f"{LISTED} has two scenarios of the name {twice[0]!r}; rename one")
    return [ScenarioItem.from_parent(collector, name=each.name, scenario=each) for each in found]


def _refuse_decorated(name: str, obj: object, prefix: str) -> None:
    """Raises CollectError: this is a decorated function."""
    kind = type(obj)
    function = cast("staticmethod[[], object]", obj).__func__ if issubclass(kind, staticmethod | classmethod) else obj
    if getattr_static(function, MARK, None) is True:
        raise pytest.Collector.CollectError(
            f"{name} is decorated with @scenario, and its name is none of a test; begin it with {prefix!r}"
        )


class ScenarioItem(pytest.Item):
    """A scenario as a test."""

    def __init__(self, *, scenario: "Scenario", **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]  # what pytest hands on
        self.scenario = scenario

    def runtest(self) -> None:
        """Raises NotAsExpected: a verdict differs. Unusable: the scenario cannot be run."""
        self.stash[JUDGED](self.scenario)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """The verdicts and the stories, without the stack of lakeproof's own functions."""
        from lakeproof.testing.check import NotAsExpected
        from lakeproof.words import Unusable

        if isinstance(excinfo.value, NotAsExpected | Unusable):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.scenario.name


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """While an item runs, its judge judges what decorated functions return."""
    # For each item, since a decorated function cannot be recognised through all decorators: it looks for JUDGE itself.
    item.stash[JUDGED] = Judge(item)
    token = JUDGE.set(item.stash[JUDGED])
    try:
        return (yield)
    finally:
        JUDGE.reset(token)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The text of a failed item of a decorated function is the story, as that of a listed scenario."""
    report = yield
    judge = item.stash.get(JUDGED, None)
    if call.excinfo is not None and judge is not None and call.excinfo.value is judge.failed and report.failed:
        # Only for the judge's own error: a test may fail in its own lines after the scenario has passed.
        report.longrepr = str(judge.failed)
    return report
