"""What a machine notices by itself: an exception that is no answer fails it, and shrinks to the race behind it."""

import pytest

from lakeproof import Call
from lakeproof.impl.effects import Env
from lakeproof.model.invariants import Always, Reached
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from stateful_tests.machine import ConcurrentMachine, refute


async def toggle(env: Env) -> None:
    """Set a mark, and find it set."""
    await env.store.set(b"p", b"mark", b"1")
    assert [entry async for entry in env.store.scan(b"p")], "the mark is gone"


async def clear(env: Env) -> None:
    await env.store.delete(b"p", b"mark")


class TogglingMachine(ConcurrentMachine):
    """A race between a mark that is set and one that is cleared."""

    menu = (Call(toggle), Call(clear))
    invariants_checked = (Always(id="any", meaning="", check=lambda _: [Reached("a state")]),)


def test_a_failed_assert_in_a_flow_fails_the_machine_and_shrinks_to_its_race() -> None:
    with pytest.raises(AssertionError, match=r"toggle\(\) raised AssertionError: the mark is gone.* at .*_machine.py:"):
        refute(TogglingMachine, runs=500, steps=50, shrinks=True)
    assert TogglingMachine.last_failure == (NO_UNHANDLED_EXCEPTION, 3)  # set, clear, scan
