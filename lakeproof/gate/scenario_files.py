"""The scenarios of the gate in a user's file."""

import runpy
from collections.abc import Sequence
from pathlib import Path

from lakeproof.gate.scenario import GateScenario
from lakeproof.scenario import ScenarioError
from lakeproof.verify.loader import LoadError, import_beside, matching
from lakeproof.words import Unusable


def choose_scenarios(file: Path, patterns: Sequence[str]) -> list[GateScenario]:
    """The scenarios of a file that any of the patterns names, in their order; all of them without a pattern.

    Raises:
        Unusable: the file cannot be used, or a pattern names none.
    """
    found = load_scenarios(file)
    names = [each.name for each in found]
    try:
        wanted = matching(names, patterns)
    except LoadError:
        raise Unusable(f"{file}: no scenario matches {' or '.join(patterns)}; it has {', '.join(names)}") from None
    return [each for each in found if each.name in wanted]


def load_scenarios(file: Path) -> list[GateScenario]:
    """All scenarios of a file, which is executed.

    Raises:
        Unusable: it cannot be executed, or has no list of them.
    """
    listed = execute_file(file, "SCENARIOS")
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, GateScenario) for each in listed):
        raise Unusable(f"{file}: no list SCENARIOS of GateScenario; scenarios of the search are named with --from FILE")
    names = [each.name for each in listed]
    if not names:
        raise Unusable(f"{file}: SCENARIOS is empty; put a GateScenario into it")
    if twice := sorted({each for each in names if names.count(each) > 1}):
        raise Unusable(f"{file}: SCENARIOS has two scenarios of the name {twice[0]!r}; rename one")
    return list(listed)


def execute_file(file: Path, name: str) -> object:
    """What a user's file, which is executed, has under a name; None: nothing.

    Raises:
        Unusable: it raises.
    """
    import_beside(file)  # it may import its neighbours, as if it were run
    try:
        return runpy.run_path(str(file)).get(name)
    except KeyboardInterrupt:
        raise
    except ScenarioError as error:
        raise Unusable(f"{file}: {error}") from None
    except BaseException as error:  # whatever it raises: with SystemExit, this process would end without a verdict
        raise Unusable(f"{file}: {type(error).__name__}: {error}") from error
