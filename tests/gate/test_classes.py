"""The search over classes of schedules runs each class once, as brute force finds them, and says *all* only then; also
with requests of one client as threads of their own."""

import pytest

from lakeproof.gate.classes import Classes, Name, Pending
from lakeproof.gate.fronts.footprints import Access, Touch
from tests.gate.toys import Client, Program, by_brute_force, by_search, classes_met, client, wave


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
