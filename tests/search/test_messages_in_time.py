"""Channels and times to live in one scenario: the search agrees with the plain one."""

import pytest

from lakeproof import Call, Env, Faults, Scenario
from lakeproof.search.search import Options, search
from tests.search.agreement import differences_from_plain
from tests.search.walks import ENDS

SECOND = 1_000_000
LOCK = (b"p", b"lock")
FAULTS = {
    "none": Faults(),
    "a loss": Faults(lost_messages=1),
    "a crash": Faults(crashes=1),
    "a duplicate, overtaken": Faults(duplicated_messages=1, reordered_messages=1),
}


async def lease(env: Env) -> None:
    await env.store.set(*LOCK, b"1", ttl=2 * SECOND)
    await env.channel("inbox").send(b"go")
    await env.clock.sleep(SECOND)


async def take(env: Env) -> tuple[bytes, bool, bytes | None]:
    """What it receives; whether the lock is free by then; and whether there is a second message."""
    message = await env.channel("inbox").receive()
    taken = await env.store.try_set_if(*LOCK, b"2", None)
    return message, taken, await env.channel("inbox").try_receive()


async def wait_in_vain(env: Env) -> None:
    await env.channel("inbox").receive()
    await env.channel("other").receive()


def scenario(*others: Call, time: str = "sleeps", faults: Faults | None = None) -> Scenario:
    clients = [[Call(lease)], *([call] for call in others)]
    return Scenario(name="both", clients=clients, invariants=[ENDS], time=time, tick=SECOND, faults=faults or Faults())


@pytest.mark.deep
@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_both_searches_agree(faults: Faults, time: str) -> None:
    others = ([Call(take)], [Call(wait_in_vain)], [Call(take), Call(take)])
    made = [scenario(*calls, time=time, faults=faults) for calls in others]
    assert list(differences_from_plain(made, 200_000)) == []


def test_the_lock_is_free_for_who_receives_late_and_for_nobody_else() -> None:
    finals = search(scenario(Call(take)), options=Options(keep_finals=True)).finals
    ends = {calls[0].value for final in finals for calls in final.value[1][1:]}  # type: ignore[index]
    assert ends == {(b"go", False, None), (b"go", True, None)}
