"""Stories: every step with its client, what came of it, and what is violated; the words of each kind of step."""

import re

import attrs
import pytest

from lakeproof.search.trace import Trace
from lakeproof.show.races import races, stores
from lakeproof.show.story import sentence, story
from tests.show.traces import AFTERMATH, CRASH, RACE, TROUBLE


@pytest.mark.parametrize("trace", [RACE, TROUBLE, CRASH, AFTERMATH])
def test_it_says_who_moves_what_came_of_it_and_what_is_violated(trace: Trace) -> None:
    told = story([trace], ["lakeproof replay out/a.json"]).plain
    first, *_ = told.split("\n")
    assert first == f"{trace.invariant} is violated in {trace.scenario}, {len(trace.schedule)} steps"
    for client, calls in zip("abc", trace.clients, strict=False):
        assert f"\n  {client}  {', then '.join(calls)}\n" in told
    for number, (step, store) in enumerate(zip(trace.schedule, stores(trace), strict=False), start=1):
        [line] = [line for line in told.split("\n") if line.startswith(f"  {number}  ")]
        assert sentence(step, store).plain in line
        assert all(f"=> {ended}\n" in told for ended in step.returned)
    assert told.endswith(
        f"\nviolated: {trace.invariant}\nmeaning:  {trace.meaning}\nevidence: {trace.evidence}"
        "\nreplay:   lakeproof replay out/a.json"
    )
    assert ("Afterwards, alone and without faults:\n  => " in told) is bool(trace.afterwards)
    assert [f"race:     {race}" for race in races(trace)] == re.findall("^race: .*", told, re.MULTILINE)


def test_a_trace_from_somebody_else_cannot_play_with_the_terminal() -> None:
    evil = "\x1b[2J\n"
    step = attrs.evolve(RACE.schedule[2], call=f"{evil}()", key=evil, value=evil, returned=(evil,))
    trace = attrs.evolve(
        RACE,
        scenario=evil,
        invariant=evil,
        meaning=evil,
        evidence=evil,
        clients=((evil,),),
        initially=((evil, evil),),
        afterwards=(evil,),
        schedule=(step,),
    )
    told = story([trace]).plain
    assert "\x1b" not in told
    assert len(told.split("\n")) == len(story([attrs.evolve(trace, evidence="x")]).plain.split("\n"))
