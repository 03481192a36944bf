"""Where scenarios come from: the built-in catalogue, or a user's own file; and how they are chosen by name."""

import difflib
import runpy
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from lakeproof.scenario import Scenario, ScenarioError


def load(source: str | None) -> tuple[Scenario, ...]:
    """The scenarios of a file, or the catalogue.

    Raises:
        ScenarioError: the file cannot be read or run, or has no list SCENARIOS of `Scenario`.
    """
    if source is None:
        from lakeproof.scenarios import catalogue

        return catalogue()
    path = Path(source)
    if not path.is_file():
        raise ScenarioError(f"{source}: no such file; --from takes a Python file that defines SCENARIOS")
    found = _run(path).get("SCENARIOS")
    if not isinstance(found, list | tuple) or not found:
        raise ScenarioError(f"{source}: SCENARIOS is {found!r}; expected a list of lakeproof.Scenario")
    for number, scenario in enumerate(found):
        if not isinstance(scenario, Scenario):
            raise ScenarioError(f"{source}: SCENARIOS[{number}] is {scenario!r}; expected a lakeproof.Scenario")
    names = [scenario.name for scenario in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ScenarioError(f"{source}: two scenarios are called {twice[0]!r}; names must differ")
    return tuple(found)


def _run(path: Path) -> dict[str, object]:
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        return runpy.run_path(str(path))
    except SyntaxError as error:
        raise ScenarioError(f"{path}:{error.lineno}: {error.msg}") from error
    except ScenarioError as error:
        raise ScenarioError(f"{path}: {error}") from error
    except Exception as error:  # a user's file may raise anything
        trace = error.__traceback__
        line = 0
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == str(path):
                line = trace.tb_lineno
            trace = trace.tb_next
        raise ScenarioError(f"{path}:{line}: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)


def choose(scenarios: Sequence[Scenario], patterns: Sequence[str]) -> tuple[Scenario, ...]:
    """The scenarios whose names match one of the patterns (shell style; without a wildcard, a part of the name).

    Raises:
        ScenarioError: a pattern matches none; names the closest.
    """
    if not patterns:
        return tuple(scenarios)
    chosen = {}
    for pattern in patterns:
        exact = [s for s in scenarios if s.name == pattern]
        found = exact or [s for s in scenarios if fnmatchcase(s.name, pattern) or pattern in s.name]
        if not found:
            close = difflib.get_close_matches(pattern, [s.name for s in scenarios], 3, 0.3)
            hint = f"; close: {', '.join(close)}" if close else ""
            raise ScenarioError(f"no scenario matches {pattern!r}{hint}; `lakeproof scenarios` lists them")
        chosen.update({scenario.name: scenario for scenario in found})
    return tuple(chosen.values())


def find(scenarios: Sequence[Scenario], name: str) -> Scenario:
    """The scenario of this name. Raises ScenarioError."""
    for scenario in scenarios:
        if scenario.name == name:
            return scenario
    close = difflib.get_close_matches(name, [s.name for s in scenarios], 1, 0.3)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise ScenarioError(f"unknown scenario {name!r}{hint}; give the file that defines it with --from")
