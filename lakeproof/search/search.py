"""The exhaustive search: which kind of it, and when another one.

A search begins *small*, with a node for every history of a flow: what merging saves pays for what it costs only where
there are many states. Past that, histories are merged; if the flows turn out to remember too much for that, the small
search goes on where it had stopped. There are two ways to rank nodes (see `lakeproof.search.behaviour`). A *graded*
search goes breadth first, one step a level: the first violation that it meets is a shortest one, and the way back is
found by expanding the levels once more. A *ranked* search merges more and knows no paths; its ranks must first be found
out, in restarts, which pays for large spaces only. So a search goes on graded; when it grows large and nothing is
violated, it goes on ranked, and if something is violated after all, a graded search begins anew. When a flow
turns out to loop, *liveness* is to be judged, or clients read a clock that goes on, the search is one over automata,
with a visited set.
"""

import time
from collections.abc import Callable, Iterator
from typing import Final

import attrs

from lakeproof.model.invariants import Liveness
from lakeproof.scenario import Scenario
from lakeproof.search.by_level import GivesWay, LevelSearch, Plan
from lakeproof.search.growth import Loops
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.results import Counterexample as Counterexample
from lakeproof.search.results import Limits as Limits
from lakeproof.search.results import Options as Options
from lakeproof.search.results import Result as Result
from lakeproof.search.setup import prepare
from lakeproof.words import Progress

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
    started, limits, options = time.perf_counter(), limits or Limits(), options or Options()
    plan = Plan(setting=prepare(scenario), limits=limits, options=options, progress=progress, started=started)
    # Timers run out and are set again, and a lasso is a loop: both need states that can be met twice.
    loops = scenario.timers or any(isinstance(each, Liveness) for each in scenario.invariants)
    small: LevelSearch | None = None  # that has grown, and can go on
    for kind in [] if loops else _kinds(plan, small=searching is None):
        made = (searching or LevelSearch)(attrs.evolve(kind, unmerged=small))
        try:
            found = made.run()
        except Loops:  # any kind of search by levels would meet it
            break
        if isinstance(found, Result):
            return found
        # One that a limit has stopped misses the states of its last level: it cannot be resumed.
        small = made if found is GivesWay.GROWN and not made.unexpanded else None
    found = LoopingSearch(plan).run()
    assert isinstance(found, Result), "a search that is neither ranked nor impatient does not give way"
    return found


def _kinds(plan: Plan, *, small: bool) -> Iterator[Plan]:
    """The kinds of a search over flows that end: each goes on where the one before it has given way."""
    merge, ranked = plan.options.merge, plan.options.ranked
    if small and merge is None and ranked is None:  # not where the caller has chosen
        yield attrs.evolve(plan, small=True)
    if ranked is None and merge is not False:
        yield attrs.evolve(plan, patience=RANKED_FROM)
        ranked = True
    if ranked:
        yield attrs.evolve(plan, ranked=True)
    yield plan  # without patience: it ends with a result


Searching = Callable[[Plan], LevelSearch]
"""Makes a search of its own kind."""
