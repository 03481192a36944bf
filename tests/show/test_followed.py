"""What each step of a trace has before it, and which writes it has seen."""

import attrs
import pytest

from lakeproof.search.faults import Mode
from lakeproof.search.trace import KeyChange, TraceStep
from lakeproof.show.pages.trace_view import follow_trace
from lakeproof.show.races import stores
from tests.show.traces import RACE, TROUBLE


def step(client: str, effect: str, key: str, reply: str = "ok", mode: Mode = Mode.NORMAL, **changes: str) -> TraceStep:
    """A step; ``changes``: what keys hold after it."""
    changed = tuple(KeyChange(key=name.replace("_", "/"), before=None, after=after) for name, after in changes.items())
    return TraceStep(client=client, mode=mode, effect=effect, key=key, reply=reply, changes=changed)


FIRST, SECOND = step("a", "set", "k", k="1"), step("b", "set", "k", k="2")
LISTED = (step("a", "set", "p/x", p_x="1"), step("a", "set", "p/y", p_y="1"), step("a", "set", "q/x", q_x="1"))


@pytest.mark.parametrize(
    ("before", "last", "seen"),
    [
        ([FIRST], step("b", "get", "k", "1"), (1,)),
        ([FIRST, SECOND], step("a", "get", "k", "2"), (2,)),
        ([FIRST], step("b", "get", "j", "not found"), ()),
        ([], step("b", "get", "k", "not found"), ()),
        ([FIRST, step("b", "set", "k")], step("b", "get", "k", "1"), (1,)),  # it changes nothing
        ([FIRST], step("b", "get", "k", "no answer", Mode.LOST_APPLIED), ()),
        ([FIRST], step("b", "get", "k", "no answer", Mode.LOST_DROPPED), ()),
        ([FIRST], step("b", "get", "k", "no answer", Mode.REFUSED), ()),
        ([FIRST], step("b", "set_if", "k", "predicate failed"), (1,)),
        ([FIRST], step("b", "set_if", "k", "ok", k="2"), ()),
        (LISTED, step("b", "scan", "p/", "x, y (1); and more"), (1, 2)),
        (LISTED, step("b", "scan", "p/", "y"), (2,)),
        (LISTED, step("b", "scan", "p/", "nothing"), ()),
        ([step("a", "set", "x", x="1")], step("b", "scan", "graveler/", "x (1)"), (1,)),
    ],
)
def test_a_step_has_seen_the_last_writes_of_what_its_answer_tells(
    before: list[TraceStep], last: TraceStep, seen: tuple[int, ...]
) -> None:
    steps = (*before, last, FIRST)  # a later write is not seen
    assert follow_trace(attrs.evolve(RACE, schedule=steps))[len(before)].seen == seen


def test_the_store_before_each_step_and_at_the_end() -> None:
    steps = follow_trace(TROUBLE)
    assert [each.store.get("counters/n") for each in steps] == ["1", "1", "1", "1", "2", None]
    assert stores(TROUBLE)[-1] == {"counters/n": "2"}
