"""A trace on the terminal, as lanes and as a story: each step, what came of it, and what is violated."""

import io
import re

import attrs
import pytest
from rich.console import Console

from lakeproof.search.faults import Mode
from lakeproof.search.trace import Trace
from lakeproof.show.lanes import FAULTS, show
from lakeproof.show.pages.html import page
from lakeproof.show.races import races, stores
from lakeproof.show.story import sentence, story
from tests.show.traces import AFTERMATH, CRASH, RACE, TROUBLE


def shown(trace: Trace, width: int, encoding: str = "utf-8") -> str:
    """What ``show`` prints, without the blanks at the end of lines."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show(trace, Console(file=file, width=width, markup=False, highlight=False, emoji=False))
    file.seek(0)
    return "\n".join(line.rstrip() for line in file.read().splitlines())


def packed(text: str) -> str:
    """Without blanks and frames: what is broken over lines comes together again."""
    return "".join(text.replace("|", " ").split())


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [70, 80, 120, 200])
@pytest.mark.parametrize("trace", [RACE, TROUBLE, CRASH], ids=["race", "trouble", "crash"])
def test_the_table_fits_and_nothing_is_lost(trace: Trace, width: int, encoding: str) -> None:
    text = shown(trace, width, encoding)
    table = text.split("\n\n")[2].splitlines()
    assert all(len(line) <= width for line in table)
    for number, step in enumerate(trace.schedule, start=1):
        [row] = [line for line in table if line.replace("|", " ").split()[:1] == [str(number)]]
        assert step.key in row
        assert step.mode is Mode.TICK or ("crash" if step.mode is Mode.CRASH else step.effect) in row
        changes = [f"{change.before or 'nothing'} -> {change.after or 'nothing'}" for change in step.changes]
        fault = [] if step.mode in (Mode.NORMAL, Mode.TICK) else [FAULTS[step.mode]]
        for part in (*changes, *fault, *step.returned):
            assert packed(part) in packed(text)
    assert packed(f"violated: {trace.invariant} meaning: {trace.meaning} evidence: {trace.evidence}") in packed(text)


def test_an_aftermath_is_told_below() -> None:
    assert "\nafterwards, alone: increment() returns 2\n" in shown(AFTERMATH, 80)


def test_a_message_that_will_be_received_again_is_shown_in_every_report() -> None:
    step = attrs.evolve(
        RACE.schedule[0],
        mode=Mode.MESSAGE_DUPLICATED,
        effect="receive",
        key="channel jobs",
        value="",
        condition="",
        reply="job 7",
        changes=(),
    )
    trace = attrs.evolve(RACE, schedule=(step, *RACE.schedule[1:]))
    assert "receives from channel jobs: job 7; the message stays" in sentence(step, {}).plain
    assert "job 7" in shown(trace, 80)
    assert '<div class="mono read">job 7</div>' in page(trace)


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
