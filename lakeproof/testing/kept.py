"""Traces of failed tests: kept in pytest's cache beside a page for a browser, and replayed by the next run."""

import hashlib
import re
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.search.trace import Trace
    from lakeproof.testing.check import NotAsExpected
    from lakeproof.words import Unusable

BUDGET: Final = "--lakeproof-budget"
NAME_CHARACTERS_MAX: Final = 60


class Judge:
    """Judges the scenarios of one item. ``failed``: the error that it raised last."""

    def __init__(self, item: pytest.Item) -> None:
        self.item = item
        self.failed: NotAsExpected | Unusable | None = None

    @cached_property
    def _folder(self) -> Path | None:
        """Where traces are kept; None: this run of pytest has no cache, or it cannot be written."""
        # ``-p no:cacheprovider`` leaves the attribute out.
        cache = getattr(self.item.config, "cache", None)
        try:
            return None if cache is None else Path(cache.mkdir("lakeproof"))
        except OSError:
            return None

    @cached_property
    def _earlier(self) -> tuple[Path, ...]:
        """All that earlier runs have kept."""
        # Listed once: Hypothesis calls a test many times, and must not replay what this run itself has kept.
        return () if self._folder is None else tuple(sorted(self._folder.glob("*.json")))

    def __call__(self, scenario: "Scenario") -> None:
        """Replay what an earlier run has kept of this scenario, then search.

        Raises:
            NotAsExpected: a verdict differs. All of them from this one line: Hypothesis tells failures apart by it.
            Unusable: the scenario cannot be run.
        """
        __tracebackhide__ = True
        from lakeproof.verify.problems import problems
        from lakeproof.words import Unusable

        try:
            # A file that is loaded with --from has these checked by the loader.
            for problem in problems(scenario):
                raise Unusable(f"{scenario.name}: {problem}")
            self.failed = self._replayed(scenario) or self._searched(scenario)
        except Unusable as error:
            self.failed = error
        if self.failed is not None:
            # The traceback begins anew here, so that all failures come from one line.
            raise self.failed.with_traceback(None)

    def _searched(self, scenario: "Scenario") -> "NotAsExpected | None":
        from lakeproof.testing.check import NotAsExpected, check

        try:
            check(scenario, seconds_max=self.item.config.getoption(BUDGET))
        except NotAsExpected as error:
            for verdict in error.outcome.verdicts:
                if verdict.unexpected and verdict.trace is not None:
                    self._keep(verdict.trace)
            return error
        return None

    def _replayed(self, scenario: "Scenario") -> "NotAsExpected | None":
        """A counterexample of an earlier run that is still one. Those that are none are forgotten."""
        from lakeproof.search.trace import TraceError, read
        from lakeproof.testing.check import NotAsExpected, still_violates

        stem = self._stem(scenario.name)
        mine = [path for path in self._earlier if path.name.startswith(stem) and path.exists()]
        for path in mine:
            try:
                trace = read(path)
                # A parametrized test may build other scenarios; and what is expected to be violated is no failure.
                if trace.scenario == scenario.name and scenario.expected(trace.invariant) != "violated":
                    still_violates(trace, scenario)
            except TraceError:
                pass
            except NotAsExpected as error:
                self._say(path)
                return error
            # Only here, after no violation was raised: a trace that is still followed stays for the next run.
            with suppress(OSError):
                path.unlink()
                path.with_suffix(".html").unlink(missing_ok=True)
        return None

    def _keep(self, trace: "Trace") -> None:
        """Write a trace where the next run finds it, and its page."""
        from lakeproof.search.trace import write
        from lakeproof.show.pages.html import page

        if self._folder is None:
            return
        # An id may hold slashes, and the next run looks into no subfolder.
        path = self._folder / f"{self._stem(trace.scenario)}{trace.invariant.replace('/', '%2F')}.json"
        try:
            write(trace, path)
            path.with_suffix(".html").write_text(page(trace), encoding="utf-8")
        except OSError:  # a trace that is not kept costs a search; the failure is not to be lost with it
            return
        self._say(path)

    def _say(self, path: Path) -> None:
        """Attach the files of a failure to its report: as text, and as properties in JUnit's XML."""
        page = path.with_suffix(".html")
        files = [(name, each) for name, each in (("trace", path), ("page", page)) if each.exists()]
        properties = [(f"lakeproof_{name}", str(each)) for name, each in files]
        if properties[0] in self.item.user_properties:
            return  # Hypothesis runs a failing example again
        self.item.user_properties += properties
        self.item.add_report_section("call", "lakeproof", "\n".join(f"{name}: {each}" for name, each in files))

    def _stem(self, name: str) -> str:
        """The beginning of a file's name: readable, and of no other item."""
        # Names may hold slashes and be long; the digest of the item alone tells files apart.
        readable = re.sub(r"[^\w-]+", "_", name)[:NAME_CHARACTERS_MAX]
        return f"{readable}.{hashlib.sha256(self.item.nodeid.encode()).hexdigest()[:8]}."
