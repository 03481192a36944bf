"""Requests as threads assume that a client does not see in which order its parallel answers come. For programs that
ship as examples this is held against every order: calls end in the same ways, and the store is read the same."""

import json
from pathlib import Path

import attrs
import pytest
import trio

from lakeproof.gate.scenario import THREADS, GateScenario
from lakeproof.gate.scenario_files import load_scenarios
from lakeproof.gate.search import all_classes
from lakeproof.gate.startup import open_runner

EXAMPLES = Path(__file__).parents[2] / "examples" / "gate"
DELTA, LANCE = EXAMPLES / "delta.py", EXAMPLES / "lance_table.py"


async def outcomes(file: Path, scenario: GateScenario) -> tuple[set[str], int]:
    """How the calls end and what is read afterwards, in all classes of schedules; and how many there are."""
    search, found = all_classes(scenario), set()
    async with open_runner(scenario, file) as runner:
        while search.begin():
            outcome = (await runner.schedule(search)).outcome
            if outcome is not None:
                ends = [[(str(each), told.value, told.error) for each, told in c] for c in outcome.results.values()]
                found.add(json.dumps((ends, [told.value for told in outcome.after])))
    assert search.all_run
    return found, search.complete


@pytest.mark.long
@pytest.mark.parametrize(
    ("file", "name"),
    [
        (DELTA, "delta/append-vacuum-full"),
        (DELTA, "delta/overwrite-optimize"),
        (DELTA, "delta/delete-optimize"),
        (DELTA, "delta/lost-answer/append-delete"),
        (LANCE, "lance/overwrite-delete"),
    ],
)
def test_a_program_ends_in_the_same_ways_with_every_order_of_parallel_requests(file: Path, name: str) -> None:
    scenario = next(each for each in load_scenarios(file) if each.name == name)
    assert scenario.parallel == THREADS
    few, as_threads = trio.run(outcomes, file, scenario)
    many, in_every_order = trio.run(outcomes, file, attrs.evolve(scenario, parallel=True))
    assert few == many
    assert len(few) > 1
    assert as_threads < in_every_order
