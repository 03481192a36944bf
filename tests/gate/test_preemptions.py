"""The search with few preemptions runs each class that brute force finds within the bound, and never says *all*."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from lakeproof.gate.classes import TRIES_MAX, Choice, Diverged, Name, Pending
from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.gate.local_names import LocalNames
from lakeproof.gate.preemptions import Bounded
from tests.gate.toys import FAULTY, Client, Program, Request, by_search, fewest_preemptions, programs

PLAIN = FAULTY[:1]


def bounded(program: Program, bound: int) -> Bounded:
    _, faults = program
    return Bounded(bound, lambda spent: FAULTY if len(spent) < faults else PLAIN)


def met_by(program: Program, search: Bounded) -> list[frozenset[object]]:
    found: list[frozenset[object]] = []
    by_search(program, search, lambda run: found.append(run.class_()))
    return found


def equal_to_brute_force(program: Program) -> None:
    fewest = fewest_preemptions(program)
    for bound in range(4):
        search = bounded(program, bound)
        met = met_by(program, search)
        assert len(met) == len(set(met)) == search.complete == search.runs - 1, "the first one is run twice"
        assert set(met) == {class_ for class_, preemptions in fewest.items() if preemptions <= bound}
        assert search.covered >= bound
        assert (search.left == 0) == (len(met) == len(fewest))
        assert all(preemptions > search.covered for class_, preemptions in fewest.items() if class_ not in met)
        assert not search.all_run


@settings(max_examples=60)
@given(programs(requests_max=5))
def test_each_class_within_the_bound_is_run_once(program: Program) -> None:
    equal_to_brute_force(program)


@pytest.mark.deep
@settings(max_examples=50)
@given(programs(requests_max=6))
def test_each_class_within_the_bound_is_run_once_in_larger_programs(program: Program) -> None:
    equal_to_brute_force(program)


def client(*requests: str) -> Client:
    pairs = (each.split() for each in requests)
    return Client(tuple((Request(kind, key, 1),) for kind, key in pairs))


TWO = client("set b", "set b")


@pytest.mark.parametrize(("bound", "classes", "left"), [(0, 2, 2), (1, 4, 2), (2, 6, 0), (3, 6, 0)])
def test_two_writers_of_one_key_by_hand(bound: int, classes: int, left: int) -> None:
    # All six orders are classes of their own. aabb and bbaa have no preemption; abba and baab have one, as the other
    # client has nothing left to ask for when the first one goes on; abab and baba have two. What is left begins with
    # ab or ba, later with aba or bab.
    search = bounded(((TWO, TWO), 0), bound)
    assert len(met_by(((TWO, TWO), 0), search)) == classes
    assert search.left == left


class Forgetful(Bounded):
    """A search with a bug: it takes each request for known that was seen with the same events of its client."""

    def _dependent(self, one: int, other: int) -> bool:
        return False


def test_a_search_that_forgets_what_depends_is_contradicted_by_the_program() -> None:
    search = Forgetful(2, lambda spent: PLAIN)
    with pytest.raises(Diverged, match="touches other keys than after the same steps before"):
        met_by(((TWO, TWO), 0), search)


class Blind(Bounded):
    """A search with a bug: it does not see that a listing touches keys."""

    def let_go(self, footprint: Footprint) -> None:
        super().let_go(tuple(each for each in footprint if not each.prefix))


def test_a_footprint_that_is_too_small_loses_classes() -> None:
    program: Program = ((client("set a/1"), client("list a")), 0)
    assert len(met_by(program, Blind(2, lambda spent: PLAIN))) < len(fewest_preemptions(program))


WRITE = (Access(Touch.WRITE, "k"),)


def pending(*names: str) -> list[Pending]:
    return [Pending(Name(name, name)) for name in names]


def run(search: Bounded, *waiting: Sequence[Pending], touched: Footprint = WRITE) -> list[Choice]:
    """One run of a program that asks for what it is said to."""
    found = []
    for each in waiting:
        found.append(search.choose(each))
        search.let_go(touched)
    search.end()
    return found


class TestDivergence:
    def test_a_program_that_asks_for_something_else_is_tried_again_and_nothing_is_covered(self) -> None:
        search = Bounded(1, lambda spent: PLAIN)
        assert search.begin()
        run(search, pending("a", "b"), pending("b"))
        for _ in range(TRIES_MAX + 1):
            assert search.begin()
            with pytest.raises(Diverged, match=r"after 0 steps the program no longer asks for a a; now asks for x x"):
                search.choose(pending("b", "x"))
            search.fail()
        assert search.begin()
        run(search, pending("a", "b"), pending("b"))
        assert not search.begin()
        assert (search.complete, search.repeated, search.diverged) == (1, TRIES_MAX + 1, 1)
        assert (search.covered, search.left) == (-1, None)

    def test_a_divergence_that_does_not_come_again_costs_nothing(self) -> None:
        search = Bounded(0, lambda spent: PLAIN)
        search.begin()
        run(search, pending("a", "b"), pending("b"))
        search.begin()
        with pytest.raises(Diverged):
            search.choose(pending("x"))
        search.end()
        assert search.begin()
        assert [each.name.client for each in run(search, pending("a", "b"), pending("a"))] == ["b", "a"]
        assert search.begin()
        run(search, pending("a", "b"), pending("b"))
        assert not search.begin()
        assert (search.complete, search.repeated, search.covered, search.left) == (2, 1, 0, 0)

    def test_a_run_that_ends_early_has_diverged(self) -> None:
        search = Bounded(0, lambda spent: PLAIN)
        search.begin()
        run(search, pending("a", "b"), pending("b"))
        search.begin()
        with pytest.raises(Diverged, match="no longer asks for a a"):
            search.end()

    def test_a_request_that_touches_something_else_after_the_same_steps_is_named(self) -> None:
        search = Bounded(1, lambda spent: PLAIN)
        told = []
        while search.begin():
            left = {"a": 1, "b": 2, "c": 1}
            while any(left.values()):
                names = [Pending(Name(each, each, number)) for each, number in left.items() if number]
                choice = search.choose(names)
                left[choice.name.client] -= 1
                search.let_go(() if search.runs > 1 and choice.name == Name("b", "b", 2) else WRITE)
            try:
                search.end()
            except Diverged as error:
                told.append(str(error))
        assert "after 1 steps b b (2) touches other keys than after the same steps before" in told
        assert (search.covered, search.diverged > 0) == (-1, True)

    def test_a_program_that_does_not_do_the_first_schedule_again_covers_nothing(self) -> None:
        search = Bounded(3, lambda spent: PLAIN)
        search.begin()
        run(search, pending("a"))
        for _ in range(TRIES_MAX + 1):
            assert (search.begin(), search.over) == (True, False)
            with pytest.raises(Diverged):
                search.choose(pending("other"))
            search.fail()
        assert not search.begin()
        assert (search.over, search.covered) == (True, -1)


def test_what_two_clients_name_in_turn_is_one_thing_in_both_orders() -> None:
    def asked(*clients: str) -> list[Name]:
        names = LocalNames()
        requests = [Name(each, f"PUT k if-match: <{clients[0]}.1>") for each in clients]
        return sorted(found for each in requests for found in names.of([each]).values())

    assert asked("c1", "c2") == asked("c2", "c1") == [Name(each, "PUT k if-match: <1>") for each in ("c1", "c2")]


def test_names_of_the_setup_stay_and_a_key_is_counted_for_the_client_that_has_minted_it() -> None:
    names = LocalNames()
    assert list(names.of([Name("c1", "GET <setup.1>/<c1.7>")]).values()) == [Name("c1", "GET <setup.1>/<1>")]
    touched = names.touched(tuple(Access(Touch.WRITE, each) for each in ("<c1.7>/<setup.1>", "<c1.8>", "<c1.9>")))
    assert [each.key for each in touched] == ["<c1:1>/<setup.1>", "<c1:?>", "<c1:?>"]
