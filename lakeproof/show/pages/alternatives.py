"""The other moves of a trace, for its page: found with the scenario's code, or a word why they are not known."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from lakeproof.search.trace import Trace

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.show.pages.walk import Option
    from lakeproof.verify.loader import Source
    from lakeproof.verify.needed_faults import Dropped


@attrs.frozen
class Others:
    """For each step, from the first on, the moves that were possible instead of it; and what is not known, and why."""

    steps: "Sequence[Sequence[Option]]" = ()
    why: str = ""
    """Why there are fewer of them than steps; empty: there are not."""
    explore: str = ""
    """The command that walks from here, if the code follows the trace."""
    faults: "tuple[Dropped, ...] | None" = None
    """Which faults the violation needs; None: not computed."""


UNKNOWN = Others()


def of_scenario(trace: Trace, scenario: "Scenario", source: "Source") -> Others:
    """The other moves, if the scenario still follows the trace. Runs its code, fenced."""
    import shlex

    from lakeproof.search.fence import Undecided
    from lakeproof.search.replay import ReplayDiverged
    from lakeproof.show.pages.walk import STEPS_MAX, others, path_of
    from lakeproof.verify.isolation import isolate_code
    from lakeproof.words import Unusable

    try:
        with isolate_code(scenario, source):
            found = others(trace, scenario)
    except (Undecided, Unusable) as error:
        return Others(why=str(error))
    except ReplayDiverged as error:
        return Others(why=str(error).partition("\n")[0])  # the steps that differ are on the following lines
    left = len(trace.schedule) - len(found)
    why = f"the moves of the last {left:,} steps would take more than {STEPS_MAX:,} steps to find" if left else ""
    words = ["lakeproof", "explore", trace.scenario, *(["--from", str(source.file)] if source.file else [])]
    return Others(found, why, shlex.join([*words, "--path", path_of(trace.schedule)]))


def of_trace(trace: Trace, file: Path | None, needed_seconds_max: float | None = None) -> Others:
    """The same, with the scenario of the catalogue, or of ``file``; and, if a time is given for each search, which
    faults are needed.

    Raises:
        LoadError: ``file`` cannot be used. Unusable: nor can the scenario.
    """
    from lakeproof.verify.loader import Source
    from lakeproof.words import Unusable

    # A trace may come from anywhere, and its file would be executed: only the user names what is run.
    if trace.file is not None and file is None:
        if needed_seconds_max is not None:
            raise Unusable(f"--needed: the scenario is in {trace.file}; say where that is with --from {trace.file}")
        return Others(why=f"say where the scenario is, with --from {trace.file}")
    source = Source(file)
    scenario = {each.name: each for each in source.load()}.get(trace.scenario)
    # The other moves need no invariant, the search for needed faults does.
    if scenario is None or (needed_seconds_max is not None and trace.invariant not in scenario.ids):
        if needed_seconds_max is not None:
            raise Unusable(f"--needed: there is no {trace.scenario} with {trace.invariant} any more; verify it again")
        return Others(why=f"no scenario is called {trace.scenario!r} any more")
    found = of_scenario(trace, scenario, source)
    if needed_seconds_max is None:
        return found
    return attrs.evolve(found, faults=_faults(trace, scenario, source, needed_seconds_max))


def _faults(trace: Trace, scenario: "Scenario", source: "Source", seconds_max: float) -> "tuple[Dropped, ...]":
    from lakeproof.search.fence import Undecided
    from lakeproof.verify.isolation import isolate_code
    from lakeproof.verify.needed_faults import drop_faults
    from lakeproof.words import Unusable

    try:
        with isolate_code(scenario, source):
            return drop_faults(scenario, trace.invariant, seconds_max)
    except Undecided as error:
        raise Unusable(f"--needed: {error}") from error
