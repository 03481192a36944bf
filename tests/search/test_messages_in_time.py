"""Channels and times to live in one scenario: the search agrees with the plain one."""

import pytest

from lakeproof import Call, Env, Eventually, Faults, Reached, Scenario
from lakeproof.search.plain import plain_search
from lakeproof.search.search import Options, search

SECOND = 1_000_000
LOCK = (b"p", b"lock")
ENDS = Eventually(id="ends", meaning="it ends", check=lambda _: [Reached("an end")])
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


@pytest.mark.parametrize("time", ["sleeps", "read"])
@pytest.mark.parametrize("faults", FAULTS)
def test_both_searches_agree(faults: str, time: str) -> None:
    for others in ((take,), (wait_in_vain,), (take, take)):
        clients = [[Call(flow)] for flow in (lease, *others)]
        scenario = Scenario(
            name="both", clients=clients, invariants=[ENDS], time=time, tick=SECOND, faults=FAULTS[faults]
        )
        plain = plain_search(scenario)
        for merge in (None, True):
            found = search(scenario, options=Options(merge=merge, keep_finals=True))
            assert found.finals == plain.finals
            assert {each.id: each.verdict for each in found.findings} == plain.verdicts


def test_the_lock_is_free_for_who_receives_late_and_for_nobody_else() -> None:
    clients = [[Call(lease)], [Call(take)]]
    scenario = Scenario(name="both", clients=clients, invariants=[ENDS], time="sleeps", tick=SECOND)
    finals = search(scenario, options=Options(keep_finals=True)).finals
    ends = {calls[0].value for final in finals for calls in final.value[1][1:]}  # type: ignore[index]
    assert ends == {(b"go", False, None), (b"go", True, None)}
