"""The exhaustive search: which kind of it, and when another one.

There are two ways to rank nodes (see `lakeproof.search.behaviour`). A *graded* search goes breadth first, one step
a level: the first violation that it meets is a shortest one, and the way back is found by expanding the levels once
more. A *ranked* search merges more and knows no paths; its ranks must first be found out, in restarts, which pays for
large spaces only. So a search begins graded; when it grows large and nothing is violated, it goes on ranked, and if
something is violated after all, the graded search is taken up again. When a flow turns out to loop, *liveness* is to
be judged, or clients read a clock that goes on, the search is one over automata, with a visited set.
"""

import time
from collections.abc import Callable
from typing import Final

from lakeproof.model.invariants import Liveness
from lakeproof.scenario import Scenario
from lakeproof.search.by_level import Progress as Progress
from lakeproof.search.by_level import SwitchToRanked, _Search, _TooManyRestarts, _Violated
from lakeproof.search.growth import Loops
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.results import Counterexample as Counterexample
from lakeproof.search.results import Finding as Finding
from lakeproof.search.results import Limits as Limits
from lakeproof.search.results import Options as Options
from lakeproof.search.results import Result as Result
from lakeproof.search.setup import Setting, prepare

RANKED_FROM: Final = 1_000_000
"""States after which a search without violations goes on ranked."""


def search(
    scenario: Scenario,
    limits: Limits | None = None,
    options: Options | None = None,
    progress: Progress | None = None,
    searching: "Searching | None" = None,
) -> Result:
    """Run a scenario through every schedule and fault within its bounds.

    ``searching``: who keeps and expands the levels, if not this process alone.

    Raises:
        ScenarioError, NondeterministicFlow, NotAnEffect: the scenario or a flow of it cannot be searched.
        Undecided: its setup runs on without an effect, or a program in it failed.
    Cost: one pass of array operations per level and client; memory for one level and its successors.
    """
    setting, limits, options = prepare(scenario), limits or Limits(), options or Options()
    searching = searching or _Search
    started = time.perf_counter()
    plans = [False, True, False] if options.ranked is None and options.merge else [bool(options.ranked), False]
    loops = scenario.time == "read" or any(isinstance(each, Liveness) for each in scenario.invariants)
    plans = [] if loops else plans
    for number, ranked in enumerate(plans):
        patience = RANKED_FROM if len(plans) == 3 and number == 0 else None
        try:
            return searching(setting, limits, options, progress, ranked, patience, started).run()
        except (SwitchToRanked, _Violated, _TooManyRestarts):
            continue
        except Loops:
            break
    return LoopingSearch(setting, limits, options, progress, False, None, started).run()


Searching = Callable[[Setting, Limits, Options, Progress | None, bool, int | None, float], "_Search"]
"""Makes a search: its setting, limits, options and progress; whether it is ranked; after how many states to try a
ranked one (None: never); when it began."""
