"""The search with few preemptions runs each class that brute force finds within the bound, and never says *all*."""

import pytest
from hypothesis import given, settings

from lakeproof.gate.classes import Diverged, Name
from lakeproof.gate.fronts.footprints import Access, Touch
from lakeproof.gate.local_names import LocalNames
from lakeproof.gate.preemptions import Bounded
from tests.gate.toys import FAULTY, PLAIN, Program, classes_met, client, fewest_preemptions, programs


def bounded(program: Program, bound: int) -> Bounded:
    _, faults = program
    return Bounded(bound, lambda spent: FAULTY if len(spent) < faults else PLAIN)


@settings(max_examples=60)
@given(programs(requests_max=5))
def test_each_class_within_the_bound_is_run_once(program: Program) -> None:
    fewest = fewest_preemptions(program)
    for bound in range(4):
        search = bounded(program, bound)
        met = classes_met(program, search)
        assert len(met) == len(set(met)) == search.complete == search.runs - 1, "the first one is run twice"
        assert set(met) == {class_ for class_, preemptions in fewest.items() if preemptions <= bound}
        assert search.covered >= bound
        assert (search.left == 0) == (len(met) == len(fewest))
        assert all(preemptions > search.covered for class_, preemptions in fewest.items() if class_ not in met)
        assert not search.all_run


TWO = client("set b", "set b")


class Forgetful(Bounded):
    """A search with a bug: it takes each request for known that was seen with the same events of its client."""

    def _dependent(self, one: int, other: int) -> bool:
        return False


def test_a_search_that_forgets_what_depends_is_contradicted_by_the_program() -> None:
    search = Forgetful(2, lambda spent: PLAIN)
    with pytest.raises(Diverged, match="touches other keys than after the same steps before"):
        classes_met(((TWO, TWO), 0), search)


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
