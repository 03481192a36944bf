"""The scenarios of a user's file."""

import runpy
from collections.abc import Sequence
from pathlib import Path

from lakeproof.gate.scenario import GateScenario
from lakeproof.running.loading import LoadError, import_beside, matching
from lakeproof.running.tasks import Unusable
from lakeproof.scenario import ScenarioError


def loaded(file: Path) -> list[GateScenario]:
    """The list SCENARIOS of a file.

    Raises:
        Unusable: the file raises an error, or has no such list, or one that would judge nothing.
    """
    import_beside(file)
    try:
        listed = runpy.run_path(str(file)).get("SCENARIOS")
    except ScenarioError as error:
        raise Unusable(f"{file}: {error}") from None
    except Exception as error:  # whatever a user's file raises
        raise Unusable(f"{file}: {type(error).__name__}: {error}") from error
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, GateScenario) for each in listed):
        raise Unusable(f"{file}: no list SCENARIOS of GateScenario")
    names = [each.name for each in listed]
    if not names:
        raise Unusable(f"{file}: SCENARIOS is empty; put a GateScenario into it")
    if twice := sorted({each for each in names if names.count(each) > 1}):
        raise Unusable(f"{file}: SCENARIOS has two scenarios of the name {twice[0]!r}; rename one")
    return list(listed)


def chosen(file: Path, patterns: Sequence[str]) -> list[GateScenario]:
    """Those of a file whose names match one of the patterns; without patterns, all.

    Raises:
        Unusable: as `loaded`; or no scenario matches.
    """
    found = loaded(file)
    names = [each.name for each in found]
    try:
        wanted = matching(names, patterns)
    except LoadError:
        raise Unusable(f"{file}: no scenario matches {' or '.join(patterns)}; it has {', '.join(names)}") from None
    return [each for each in found if each.name in wanted]
