"""Requests of one client as threads of their own: each class is run once, and a client that is no such one is told."""

import pytest

from lakeproof.gate.classes import Classes, Name, Pending
from lakeproof.gate.fronts.footprints import Access, Touch
from tests.gate.toys import Client, Program, Request, Run, by_search


def wave(*requests: tuple[str, str]) -> tuple[Request, ...]:
    return tuple(Request(kind, key, 1) for kind, key in requests)


@pytest.mark.parametrize(
    ("waves", "as_threads", "in_every_order"),
    [
        ([wave(("set", "a/1"), ("set", "a/2"), ("set", "b"))], 1, 6),
        ([wave(("set", "a/1"), ("list", "a"))], 2, 2),
        ([wave(("set", "a/1"), ("set", "b")), wave(("list", "a"))], 1, 2),
    ],
)
def test_the_number_of_classes_of_one_client_by_hand(
    waves: list[tuple[Request, ...]], as_threads: int, in_every_order: int
) -> None:
    program: Program = ((Client(tuple(waves)),), 0)
    for search, classes in ((Classes(threads=True), as_threads), (Classes(), in_every_order)):
        by_search(program, search, lambda run: None)
        assert (search.complete, search.all_run) == (classes, True)


@pytest.mark.parametrize("keys", [("a/1", "b"), ("b", "a/1")])
def test_another_client_falls_between_parallel_requests_in_every_way(keys: tuple[str, str]) -> None:
    """With one order in the first client, one of the two readers would never see its first key without its second."""
    writer = Client((wave(("set", "a/1"), ("set", "b")),))
    reader = Client(tuple(wave(("get", key)) for key in keys))
    seen: set[tuple[object, ...]] = set()

    def read(run: Run) -> None:
        seen.add(tuple(each.reply for each in run.events if each.request.kind == "get"))

    by_search(((writer, reader), 0), Classes(threads=True), read)
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
