"""Lanes: at every width, also in plain ASCII, each step has its row, and nothing that came of it is left out."""

import io

import attrs
import pytest
from rich.console import Console

from lakeproof.search.faults import Mode
from lakeproof.search.trace import Trace
from lakeproof.show.lanes import FAULTS, show
from lakeproof.show.pages.html import page
from lakeproof.show.story import sentence
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
