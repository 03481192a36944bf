"""The search over classes of schedules runs each class once, as brute force finds them, and says *all* only then."""

from collections.abc import Iterator

import pytest

from lakeproof.gate.classes import TRIES_MAX, Choice, Classes, Diverged, Name, Pending
from lakeproof.gate.fronts.footprints import Access, Touch
from tests.gate.toys import Client, Program, Request, by_brute_force, by_search


def found_by_search(program: Program) -> tuple[Classes, list[frozenset[object]]]:
    search = Classes()
    met: list[frozenset[object]] = []
    by_search(program, search, lambda run: met.append(run.class_()))
    return search, met


def client(*requests: tuple[str, str]) -> Client:
    return Client(tuple((Request(kind, key, 1),) for kind, key in requests))


@pytest.mark.parametrize(
    ("clients", "classes"),
    [
        ([client(("get", "b")), client(("get", "b"))], 1),
        ([client(("set", "a/1")), client(("set", "b"))], 1),
        ([client(("delete", "b")), client(("delete", "b"))], 1),
        ([client(("set", "b")), client(("delete", "b"))], 2),
        ([client(("set", "a/1")), client(("list", "a"))], 2),
        ([client(("set", "b")), client(("set", "b")), client(("set", "b"))], 6),
        ([client(("set", "b"), ("set", "b")), client(("set", "b"), ("set", "b"))], 6),
    ],
)
def test_the_number_of_classes_by_hand(clients: list[Client], classes: int) -> None:
    search, met = found_by_search((tuple(clients), 0))
    assert len(met) == classes
    assert search.all_run


class Blind(Classes):
    """A search with a bug: it sees no race between a write and a listing."""

    def let_go(self, footprint: tuple[Access, ...]) -> None:
        super().let_go(tuple(each for each in footprint if not each.prefix))


def test_a_footprint_that_is_too_small_loses_classes() -> None:
    program: Program = ((client(("set", "a/1")), client(("list", "a"))), 0)
    search, met = Blind(), list[frozenset[object]]()
    by_search(program, search, lambda run: met.append(run.class_()))
    assert len(met) < len(by_brute_force(program))


def pending(*names: str) -> list[Pending]:
    return [Pending(Name(name, name)) for name in names]


WRITE = (Access(Touch.WRITE, "k"),)


def run(search: Classes, waiting: Iterator[list[Pending]]) -> None:
    """One run of a program that asks for what it is said to."""
    try:
        for found in waiting:
            if search.choose(found) is None:
                break
            search.let_go(WRITE)
    except Diverged:
        pass
    search.end()


class TestDivergence:
    def test_a_program_that_asks_for_something_else_is_tried_again_and_never_all(self) -> None:
        search = Classes()
        assert search.begin()
        run(search, iter([pending("a", "b"), pending("b")]))
        for _ in range(TRIES_MAX + 1):
            assert search.begin()
            with pytest.raises(Diverged, match=r"no longer asks for .*a.*; now asks for .*x"):
                search.choose(pending("b", "x"))
            search.end()
        assert not search.begin()
        assert (search.complete, search.repeated, search.diverged) == (1, TRIES_MAX + 1, 1)
        assert not search.all_run

    def test_a_divergence_that_does_not_come_again_costs_nothing(self) -> None:
        search = Classes()
        search.begin()
        run(search, iter([pending("a", "b"), pending("b")]))
        search.begin()
        run(search, iter([pending("x")]))
        while search.begin():
            first = search.choose(pending("a", "b"))
            assert isinstance(first, Choice)
            search.let_go(WRITE)
            search.choose(pending("b" if first.name.client == "a" else "a"))
            search.let_go(WRITE)
            search.end()
        assert search.all_run
        assert (search.complete, search.repeated) == (2, 1)

    def test_a_program_with_a_single_class_is_run_twice(self) -> None:
        search = Classes()
        search.begin()
        run(search, iter([pending("a")]))
        assert not search.all_run
        for _ in range(TRIES_MAX + 1):
            assert search.begin()
            run(search, iter([pending("other")]))
        assert not search.begin()
        assert not search.all_run

    def test_a_run_that_ends_early_has_diverged(self) -> None:
        search = Classes()
        search.begin()
        run(search, iter([pending("a", "b"), pending("b")]))
        search.begin()
        with pytest.raises(Diverged):
            search.end()

    def test_two_requests_of_one_name_are_a_mistake_of_the_caller(self) -> None:
        search = Classes()
        search.begin()
        with pytest.raises(ValueError, match="one name"):
            search.choose(pending("a", "a"))
