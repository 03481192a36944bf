"""What operations by name do beyond one effect: scans that end at a prefix, reads and writes that answer a value, and
watches that end."""

from collections.abc import Callable, Coroutine

import pytest

from lakeproof.impl.effects import Env
from lakeproof.model import kv, watches
from tests.impl.hand import Hand

Flow = Callable[[Env, bytes], Coroutine[object, object, object]]
ENV = Hand().env
P = b"p"
KEYS = (b"a", b"b/1", b"b/2", b"b/3", b"c", b"d")


def bench() -> Hand:
    return Hand({("kv", P, key): key for key in KEYS})


async def scanned(env: Env, start: bytes, batch_size: int, prefix: bytes) -> tuple[bytes, ...]:
    return tuple([entry.key async for entry in env.store.scan(P, start, batch_size, prefix=prefix)])


@pytest.mark.parametrize(
    ("start", "prefix", "found"),
    [
        (b"", b"", KEYS),
        (b"", b"b/", KEYS[1:4]),
        (b"a", b"b/", KEYS[1:4]),
        (b"b/2", b"b/", KEYS[2:4]),
        (b"c", b"b/", ()),
        (b"", b"e", ()),
    ],
)
@pytest.mark.parametrize("batch_size", [0, 1, 2, 6])
def test_a_scan_shows_the_keys_from_its_start_on_that_begin_with_its_prefix(
    start: bytes, prefix: bytes, found: tuple[bytes, ...], batch_size: int
) -> None:
    assert bench().do(scanned(ENV, start, batch_size, prefix)) == found


async def found(env: Env, key: bytes) -> kv.ValueWithPredicate | None:
    return await env.store.find(P, key)


async def written(env: Env, predicate: kv.Predicate) -> bool:
    return await env.store.try_set_if(P, b"a", b"new", predicate)


@pytest.mark.parametrize(("predicate", "held"), [(b"a", True), (kv.EXISTS, True), (None, False), (b"b", False)])
def test_a_write_says_whether_its_predicate_held(predicate: kv.Predicate, held: bool) -> None:
    hand = bench()
    assert hand.do(written(ENV, predicate)) is held
    assert hand.cells["kv", P, b"a"] == (b"new" if held else b"a")
    assert len(hand.ops) == 1


@pytest.mark.parametrize("flow", [found, written])
@pytest.mark.parametrize("error", [kv.Refused, kv.OutcomeUnknown])
def test_any_other_error_is_raised(flow: Flow, error: type[kv.KVError]) -> None:
    with pytest.raises(error):
        bench().do(flow(ENV, b"a"), told={0: error()})


async def watched_within(env: Env, which: int) -> None:
    async with env.store.watch(P, b"outer") as outer, env.store.watch(P, b"inner") as inner:
        await anext((outer, inner)[which])


@pytest.mark.parametrize(("which", "ended"), [(0, b"inner"), (1, b"outer")])
def test_where_one_of_two_watches_is_lost_the_other_one_is_ended(which: int, ended: bytes) -> None:
    flow = watched_within(ENV, which)
    flow.send(None)
    flow.send(())
    assert isinstance(flow.send(()), watches.NextChanges)
    end = flow.send(kv.WatchLost())
    assert isinstance(end, watches.EndWatch)
    assert end.prefix == ended
    with pytest.raises(kv.WatchLost):
        flow.send(None)


async def watched_twice(env: Env) -> watches.Change:
    watch = env.store.watch(P)
    async with watch:
        await anext(watch)
    async with watch:
        return await anext(watch)


def test_a_watch_that_is_opened_again_shows_nothing_of_before() -> None:
    before, after = [watches.Change(b"k", value) for value in (b"1", b"2")]
    flow = watched_twice(ENV)
    flow.send(None)
    flow.send(())
    assert isinstance(flow.send((before, before)), watches.EndWatch)
    flow.send(None)
    assert isinstance(flow.send(()), watches.NextChanges)
    assert isinstance(flow.send((after,)), watches.EndWatch)
    with pytest.raises(StopIteration, match=r"value=b'2'"):
        flow.send(None)
