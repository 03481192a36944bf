"""The search over classes of schedules runs each class once, as brute force finds them, and says *all* only then; also
with requests of one client as threads of their own."""

from itertools import permutations

import pytest

from lakeproof.gate.classes import Classes, Name, Pending
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.lua import sha_of
from lakeproof.gate.fronts.redis.state import RedisState
from tests.gate.toys import Client, Program, by_brute_force, by_search, classes_met, client, pending, wave


@pytest.mark.parametrize("keys", [("a/1", "b"), ("b", "a/1")])
def test_another_client_falls_between_parallel_requests_in_every_way(keys: tuple[str, str]) -> None:
    """With one order in the first client, one of the two readers would never see its first key without its second."""
    writer, reader = Client((wave("set a/1", "set b"),)), client(*(f"get {key}" for key in keys))
    runs = by_search(((writer, reader), 0), Classes(threads=True))
    seen = {tuple(each.reply for each in run.events if each.request.kind == "get") for run in runs}
    assert seen == {(None,), (1, None), (1, 1)}  # who finds nothing reads no further


def test_a_request_that_is_taken_back_is_told_and_nothing_is_proved() -> None:
    search = Classes(threads=True)
    while search.begin():
        first = search.choose([Pending(Name("c", "a")), Pending(Name("c", "b"))])
        assert first is not None
        search.let_go((Access(Touch.READ, first.name.label),))
        search.end()
    assert not search.all_run
    assert search.taken_back == "c b no longer waits after the answer to c a"


class Blind(Classes):
    """A search with a bug: it sees no race between a write and a listing."""

    def let_go(self, footprint: tuple[Access, ...]) -> None:
        super().let_go(tuple(each for each in footprint if not each.prefix))


def test_a_footprint_that_is_too_small_loses_classes() -> None:
    program: Program = ((client("set a/1"), client("list a")), 0)
    assert len(classes_met(program, Blind())) < len(by_brute_force(program))


def test_a_script_that_is_loaded_can_keep_a_transaction_from_what_it_touches_without_it() -> None:
    delete = b"return redis.call('DEL', KEYS[1])"
    sha = sha_of(delete)
    lines = (f"EVALSHA {sha} 1 a", "LMOVE a b LEFT LEFT"), (f"SCRIPT EXISTS {sha}",), ("GET b",)
    others = [tuple(tuple(each.encode().split()) for each in several) for several in lines]
    commands = [((b"SCRIPT", b"LOAD", delete),), *others]
    requests = {f"c{at}": RedisRequest("", each, len(each) > 1) for at, each in enumerate(commands)}
    start, _, _ = RedisFront().perform(RedisState(), RedisRequest("", ((b"RPUSH", b"a", b"x"),)), 0)

    def let_go(state: RedisState, name: str) -> tuple[RedisState, tuple[str, object], Footprint]:
        after, reply, found = RedisFront().perform(state, requests[name], 0)
        return after, (name, reply.value), found

    search = Classes()
    seen: set[frozenset[object]] = set()
    expected: set[frozenset[object]] = set()
    replies: set[object]
    while search.begin():
        state, left, replies = start, set(requests), set()
        while left and (choice := search.choose(pending(*sorted(left)))):
            state, reply, found = let_go(state, choice.name.client)
            search.let_go(found)
            replies.add(reply)
            left.remove(choice.name.client)
        search.end()
        seen |= set() if left else {frozenset(replies)}
    for order in permutations(requests):
        state, replies = start, set()
        for name in order:
            state, reply, _ = let_go(state, name)
            replies.add(reply)
        expected.add(frozenset(replies))
    assert (search.all_run, seen) == (True, expected)
