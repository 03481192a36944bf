"""What each step of a trace has before it, and which writes it has seen."""

import attrs
import pytest

from lakeproof.search.faults import Mode
from lakeproof.search.trace import KeyChange, Trace, TraceStep
from lakeproof.show.pages.trace_view import follow_trace
from lakeproof.show.races import stores
from tests.show.traces import RACE, TROUBLE


def trace(*steps: TraceStep) -> Trace:
    return attrs.evolve(RACE, schedule=steps)


def step(client: str, effect: str, key: str, reply: str = "ok", mode: Mode = Mode.NORMAL, **changes: str) -> TraceStep:
    """A step; ``changes``: what keys hold after it."""
    changed = tuple(KeyChange(key=name.replace("_", "/"), before=None, after=after) for name, after in changes.items())
    return TraceStep(client=client, mode=mode, effect=effect, key=key, reply=reply, changes=changed)


def seen(*steps: TraceStep) -> tuple[int, ...]:
    """What the last of these steps has seen."""
    return follow_trace(trace(*steps))[-1].seen


def test_a_read_has_seen_the_last_write_of_its_key_and_no_earlier_one() -> None:
    first, second = step("a", "set", "k", k="1"), step("b", "set", "k", k="2")
    assert seen(first, step("b", "get", "k", "1")) == (1,)
    assert seen(first, second, step("a", "get", "k", "2")) == (2,)


def test_a_read_has_not_seen_the_write_of_another_key_a_later_write_or_what_was_there_at_first() -> None:
    assert seen(step("a", "set", "k", k="1"), step("b", "get", "j", "not found")) == ()
    assert seen(step("b", "get", "k", "not found")) == ()
    assert follow_trace(trace(step("b", "get", "k", "not found"), step("a", "set", "k", k="1")))[0].seen == ()


def test_a_write_that_changes_nothing_is_not_seen() -> None:
    assert seen(step("a", "set", "k", k="1"), step("b", "set", "k"), step("b", "get", "k", "1")) == (1,)


@pytest.mark.parametrize("mode", [Mode.LOST_APPLIED, Mode.LOST_DROPPED, Mode.REFUSED])
def test_a_read_whose_answer_is_lost_has_seen_nothing(mode: Mode) -> None:
    assert seen(step("a", "set", "k", k="1"), step("b", "get", "k", "no answer", mode)) == ()


def test_a_failed_condition_has_seen_the_write_that_made_it_fail_and_a_successful_write_has_seen_nothing() -> None:
    assert seen(step("a", "set", "k", k="1"), step("b", "set_if", "k", "predicate failed")) == (1,)
    assert seen(step("a", "set", "k", k="1"), step("b", "set_if", "k", "ok", k="2")) == ()


def test_a_scan_has_seen_the_writes_of_the_keys_that_it_names() -> None:
    writes = (step("a", "set", "p/x", p_x="1"), step("a", "set", "p/y", p_y="1"), step("a", "set", "q/x", q_x="1"))
    assert seen(*writes, step("b", "scan", "p/", "x, y (1); and more")) == (1, 2)
    assert seen(*writes, step("b", "scan", "p/", "y")) == (2,)
    assert seen(*writes, step("b", "scan", "p/", "nothing")) == ()
    assert seen(step("a", "set", "x", x="1"), step("b", "scan", "graveler/", "x (1)")) == (1,)


def test_the_store_before_each_step_and_at_the_end() -> None:
    steps = follow_trace(TROUBLE)
    assert [each.store.get("counters/n") for each in steps] == ["1", "1", "1", "1", "2", None]
    assert stores(TROUBLE)[-1] == {"counters/n": "2"}
