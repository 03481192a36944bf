"""Tables that are sent to another process expand as the kernel does, and name what they lack."""

import pickle
from collections import Counter
from functools import partial

import attrs
import pytest

from lakeproof import Call, Client, Env, Faults, Scenario
from lakeproof.scenario import Flow
from lakeproof.search.behaviour import Behaviour
from lakeproof.search.faults import Move
from lakeproof.search.kernel import Kernel, Rows
from lakeproof.search.packing import Words, concatenate, distinct, repack
from lakeproof.search.search import Options, search
from lakeproof.search.setup import prepare
from lakeproof.search.space import Relayout, share_behaviours
from tests.search.test_parallel import one_fails, read_and_write_k, two, write
from tests.search.test_restarts import again, append
from tests.search.walks import UNBROKEN


async def hurry(env: Env) -> None:
    try:
        async with env.timeout(1):
            await write(env, b"k")
    except TimeoutError:
        pass
    await write(env, b"l")


async def send_two(env: Env) -> None:
    for _ in range(2):
        await env.channel("c").send(b"1")


async def receive_two(env: Env) -> None:
    for _ in range(2):
        await env.channel("c").receive()


async def watch_k(env: Env) -> None:
    async with env.store.watch(b"p", b"k") as changes:
        await anext(changes)


def scenario(*flows: Flow, **fields: object) -> Scenario:
    clients = [[Call(flow)] for flow in flows]
    return Scenario(name="sent", clients=clients, invariants=[UNBROKEN], faults=Faults(crashes=1), **fields)  # type: ignore[arg-type]


RESTARTS = attrs.evolve(
    scenario(read_and_write_k),
    clients=[Client(Call(append), recover=Call(again))] * 2,
    faults=Faults(restarts=2, crashes=1),
)


@pytest.mark.parametrize(
    "of",
    [
        scenario(two, one_fails),
        scenario(hurry, read_and_write_k, time="sleeps"),
        scenario(send_two, receive_two),
        scenario(watch_k, read_and_write_k),
        RESTARTS,
    ],
    ids=["groups", "time", "channels", "watches", "restarts"],
)
def test_tables_that_are_sent_elsewhere_expand_the_same(of: Scenario) -> None:
    setting = prepare(of)
    kernel = Kernel(setting, share_behaviours(setting, partial(Behaviour, merge=False), symmetry=False), [])
    words, met, lacking = kernel.first(), 0, 0
    while len(words[0]):
        lacking += int(kernel.frozen().attempt(words).lacking.sum())
        words, offers = _expanded(kernel, words)
        elsewhere = pickle.loads(pickle.dumps(kernel.frozen())).attempt(words)  # noqa: S301  # of this very test
        assert not elsewhere.lacking.any()
        assert _counted(elsewhere.offers) == _counted(offers)
        met += len(words[0])
        words = distinct(concatenate([after for _, _, after in offers], kernel.layout.words))
    assert lacking
    assert met == search(of, options=Options(merge=False, symmetry=False)).states


Offers = list[tuple[Move, Rows, Words]]


def _expanded(kernel: Kernel, words: Words) -> tuple[Words, Offers]:
    """All moves out of these states, which may be packed anew on the way."""
    while True:
        found: Offers = []
        try:
            kernel.expand(words, lambda move, rows, after, found=found: found.append((move, rows, after)))  # type: ignore[misc]
        except Relayout:
            words = repack(words, kernel.relayout(), kernel.layout)
        else:
            return words, found


def _counted(offers: Offers) -> Counter[tuple[Move, int, tuple[int, ...]]]:
    return Counter(
        (move, int(row), tuple(int(word[at]) for word in after))
        for move, rows, after in offers
        for at, row in enumerate(rows)
    )
