"""What a call ends in, where the flow or its exception is an odd one."""

import signal
from collections.abc import Iterator

import pytest

from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot
from lakeproof.search.fence import INTERRUPTS
from lakeproof.search.search import search


def _any(_: Snapshot) -> Iterator[Finding]:
    yield Reached("the end")


ANY = Eventually(id="any", meaning="", check=_any)


class Unsure(Exception):
    """It does not even know whether it is definite."""

    @property
    def definite(self) -> bool:
        raise ValueError("no word")


class Empty(Exception):
    """False as a condition."""

    definite = True

    def __len__(self) -> int:
        return 0


async def raises(env: Env, error: Exception) -> None:
    async with env.parallel() as group:
        group.start(env.store.set, b"p", b"k", b"1")
    raise error


def stops_before_it_is_a_coroutine(env: Env) -> None:
    raise StopIteration("not an answer")


def verdict(call: Call) -> str:
    [_, finding] = search(Scenario(name="s", clients=[[call]], invariants=[ANY])).findings
    return finding.verdict


def test_an_error_that_does_not_say_whether_it_is_definite_is_an_unhandled_one() -> None:
    assert verdict(Call(raises, Unsure())) == "violated"


def test_an_error_that_is_false_as_a_condition_is_the_answer_of_its_call() -> None:
    assert verdict(Call(raises, Empty())) == "holds"


def test_a_function_that_stops_an_iteration_has_not_returned() -> None:
    assert verdict(Call(stops_before_it_is_a_coroutine)) == "violated"  # type: ignore[arg-type]  # it is none


def test_a_ctrl_c_of_an_earlier_search_is_none_of_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(INTERRUPTS, "came", True)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell has its background jobs ignore
    try:
        with INTERRUPTS.noticed():
            assert verdict(Call(raises, KeyboardInterrupt())) == "violated"
    finally:
        signal.signal(signal.SIGINT, before)
