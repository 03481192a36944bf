"""Make a run of a swarm machine again, or look for a failure: ``python -m stateful_tests DESIGN --run SEED``.

A failure is made smaller and printed step by step. Exit code: 0, nothing was violated; 1, something was; 2, there is no
such machine, or its runs cannot be judged.
"""

import argparse
import sys
from difflib import get_close_matches

from rich.console import Console

from lakeproof.scenario import ScenarioError
from lakeproof.search.replay import record
from lakeproof.show.story import story
from lakeproof.version import version
from stateful_tests.machines import BY_HAND, PLANS, machine


def main(arguments: list[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m stateful_tests", description=__doc__)
    parser.add_argument("design", help="the machine: the name of a design of the catalogue")
    parser.add_argument("--run", help="the seed of one run, as a failure says it")
    parser.add_argument("--seed", default="0", help="the seed of many runs")
    parser.add_argument("--runs", type=int, help="how many; the machine's budget, if it is not given")
    parser.add_argument("--ask", default="", help="the id of the one invariant to ask; also one that is refuted")
    parser.add_argument("--as-found", action="store_true", help="tell the run as it was, not made smaller")
    given = parser.parse_args(arguments)
    # A range of none would end without a violation.
    if given.runs is not None and given.runs < 1:
        parser.exit(2, f"--runs {given.runs}: expected at least 1\n")
    try:
        swarm = machine(given.design, only=given.ask)
    except KeyError:
        near = get_close_matches(given.design, [*PLANS, *BY_HAND], n=3)
        parser.exit(2, f"{given.design}: no such design; did you mean {' or '.join(near) or next(iter(PLANS))}?\n")
    try:
        if given.ask and given.ask not in (known := swarm.known_ids()):
            parser.exit(2, f"--ask {given.ask}: {given.design} has no such invariant; it has {', '.join(known)}\n")
        found = swarm.run(given.run) if given.run else swarm.seek(given.seed, given.runs)
    except ScenarioError as error:
        parser.exit(2, f"{given.design}: its races make no machine: {error}\n")
    console = Console(soft_wrap=True)
    if found is None:
        console.print(f"{given.design}: nothing is violated")
        return 0
    # Delta debugging repeats the run many times, so it can be left out.
    shown = found if given.as_found else found.smaller()
    trace = record(shown.scenario, shown.invariant, shown.moves, version=version())
    console.print(story([trace]))
    console.print(str(found), markup=False)  # evidence may have brackets, which rich takes for markup
    return 1


if __name__ == "__main__":
    sys.exit(main())
