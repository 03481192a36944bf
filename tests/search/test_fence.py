"""The fence: code that does not come back is noticed, and what user code raises is told from what is not its own."""

import signal
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from lakeproof import Always, Call, Env, Reached, Scenario
from lakeproof.search import fence
from lakeproof.search.fence import INTERRUPTS, Hangs, Watch, is_ours, message_of
from lakeproof.search.search import search
from tests.search.walks import UNBROKEN


class TestWatch:
    def test_code_that_was_entered_too_long_ago_is_interrupted(self) -> None:
        watch = Watch()
        watch.since = time.monotonic()
        ticks = range(int(fence.CALL_SECONDS_MAX / fence._TICK_SECONDS) + 1)
        for _ in ticks:
            watch._ticked(0, None)
        with pytest.raises(Hangs, match="runs on without an effect for more than 30 s"):
            watch._ticked(0, None)

    def test_of_nested_code_the_outermost_counts(self) -> None:
        watch = Watch()
        with watch.over():
            since = watch.since
            with watch.over():
                assert watch.since == since
            assert watch.since == since is not None
        assert watch.since is None

    def test_a_limit_holds_within_and_no_longer(self) -> None:
        watch = Watch()
        ticks = range(int(5 / fence._TICK_SECONDS) + 1)
        with watch.set_up(5.0):
            watch.since = time.monotonic()
            for _ in ticks:
                watch._ticked(0, None)
            with pytest.raises(Hangs, match="more than 5 s"):
                watch._ticked(0, None)
        watch.since = time.monotonic()
        for _ in (*ticks, 0):
            watch._ticked(0, None)


class TestOurs:
    def test_an_interrupt_is_if_no_key_was_pressed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert not is_ours(KeyboardInterrupt())
        monkeypatch.setattr(INTERRUPTS, "came", True)
        assert is_ours(KeyboardInterrupt())

    def test_a_ctrl_c_of_an_earlier_search_is_none_of_this_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def interrupts(env: Env) -> None:
            await env.store.set(b"p", b"k", b"1")
            raise KeyboardInterrupt

        monkeypatch.setattr(INTERRUPTS, "came", True)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may ignore in the background
        try:
            with INTERRUPTS.noticed():
                found = search(Scenario(name="s", clients=[[Call(interrupts)]], invariants=[UNBROKEN]))
        finally:
            signal.signal(signal.SIGINT, before)
        assert [finding.verdict for finding in found.findings] == ["holds", "violated"]

    def test_a_hang_is_no_exception_that_code_takes_for_an_answer(self) -> None:
        assert not issubclass(Hangs, Exception)


class TestWords:
    def test_a_message_is_one_line_that_is_the_same_on_every_run(self) -> None:
        assert message_of(KeyError("a\n  b")) == r"'a\n b'"
        assert message_of(ValueError("<f at 0x7f12ab>\n and more")) == "<f> and more"
        assert message_of(ValueError("x" * 1000)) == "x" * 297 + "..."


async def numbers(env: Env) -> AsyncGenerator[int, None]:
    try:
        yield 1
        yield 2
    finally:
        await env.store.set(b"p", b"closed", b"1")


async def doubled(found: AsyncGenerator[int, None]) -> AsyncGenerator[int, None]:
    async for number in found:
        yield 2 * number


async def first_doubled(env: Env) -> int:
    async with aclosing(numbers(env)) as found:
        async for number in doubled(found):
            return number
    return 0


def test_a_generator_without_a_rest_may_be_left_while_it_reads_one_that_is_closed() -> None:
    closed = Always(id="closed", meaning="", check=lambda seen: [Reached("closed")] if seen.store else [])
    found = search(Scenario(name="s", clients=[[Call(first_doubled)]], invariants=[closed]))
    assert [finding.verdict for finding in found.findings] == ["holds", "holds"]
