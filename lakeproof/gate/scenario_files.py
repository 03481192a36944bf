"""The scenarios of the gate in a user's file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lakeproof.gate.scenario import GateScenario
from lakeproof.verify.loader import LoadError, executed_file, matching


def choose_scenarios(file: Path, patterns: Sequence[str]) -> list[GateScenario]:
    """The scenarios of a file that any of the patterns names, in their order; all of them without a pattern.

    Raises:
        LoadError: the file cannot be used, or a pattern names none.
    """
    found = load_scenarios(file)
    names = [each.name for each in found]
    try:
        wanted = matching(names, patterns)
    except LoadError:
        raise LoadError(f"{file}: no scenario matches {' or '.join(patterns)}; it has {', '.join(names)}") from None
    return [each for each in found if each.name in wanted]


def load_scenarios(file: Path) -> list[GateScenario]:
    """All scenarios of a file, which is executed.

    Raises:
        LoadError: it cannot be executed, has no list of them, or has another function under the name of one that they
            call.
    """
    with executed_file(file) as module:
        return _scenarios_in(vars(module), file)


def _scenarios_in(executed: Mapping[str, object], file: Path) -> list[GateScenario]:
    listed = executed.get("SCENARIOS")
    if not isinstance(listed, (list, tuple)) or not all(isinstance(each, GateScenario) for each in listed):
        repair = "scenarios of the search are named with --from FILE"
        raise LoadError(f"{file}: no list SCENARIOS of GateScenario; {repair}")
    names = [each.name for each in listed]
    if not names:
        raise LoadError(f"{file}: SCENARIOS is empty; put a GateScenario into it")
    if twice := sorted({each for each in names if names.count(each) > 1}):
        raise LoadError(f"{file}: SCENARIOS has two scenarios of the name {twice[0]!r}; rename one")
    # The processes of a program know a function by its name alone.
    for each in (one for scenario in listed for one in scenario.calls):
        if each.function is not None and executed.get(each.name) is not each.function:
            why = f"{each.name} is not the function that is called; define it there, or import it by this name"
            raise LoadError(f"{file}: {each}: in this file, {why}")
    return list(listed)
