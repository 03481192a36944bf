"""A program that does not repeat itself: a search tries again, drops what it does not come back to, proves nothing."""

import pytest

from lakeproof.gate.classes import TRIES_MAX, Classes, Diverged, Name, Pending
from lakeproof.gate.preemptions import Bounded
from tests.gate.toys import PLAIN, READ, WRITE, pending

Search = Classes | Bounded


def sure(search: Search) -> bool:
    """Whether the search says that it has run all that it is for."""
    return search.all_run if isinstance(search, Classes) else search.covered >= search.bound


def two(search: Search) -> None:
    """A run of two clients, with a request each."""
    first = search.choose(pending("a", "b"))
    assert first is not None
    search.let_go(WRITE)
    search.choose(pending("b" if first.name.client == "a" else "a"))
    search.let_go(WRITE)
    search.end()


def otherwise(search: Search, *names: str, fails: bool = False) -> None:
    """A run that asks for something else. fails: and of which it is not known what it would have shown."""
    assert search.begin()
    with pytest.raises(Diverged, match=rf"no longer asks for .*a.*; now asks for .*{names[-1]}"):
        search.choose(pending(*names))
    if fails and isinstance(search, Bounded):
        search.fail()
    else:
        search.end()


@pytest.fixture(params=[Classes, lambda: Bounded(1, lambda spent: PLAIN)], ids=["classes", "preemptions"])
def search(request: pytest.FixtureRequest) -> Search:
    made: Search = request.param()
    return made


class TestBoth:
    def test_a_program_that_asks_for_something_else_is_tried_again_and_never_all(self, search: Search) -> None:
        assert search.begin()
        two(search)
        for _ in range(TRIES_MAX + 1):
            otherwise(search, "b", "x", fails=True)
        while search.begin():
            two(search)
        assert (search.complete, search.repeated) == (1, TRIES_MAX + 1)
        assert not sure(search)

    def test_after_a_divergence_that_does_not_come_again_all_is_run_and_nothing_proved(self, search: Search) -> None:
        search.begin()
        two(search)
        otherwise(search, "x")
        while search.begin():
            two(search)
        assert (search.complete, search.repeated, sure(search)) == (2, 1, False)

    def test_a_program_that_does_not_do_the_first_schedule_again_proves_nothing(self, search: Search) -> None:
        search.begin()
        search.choose(pending("a"))
        search.let_go(WRITE)
        search.end()
        assert not search.all_run
        for _ in range(TRIES_MAX + 1):
            otherwise(search, "other")
        assert not search.begin()
        assert not sure(search)

    def test_a_program_that_writes_only_from_the_second_schedule_on_proves_nothing(self, search: Search) -> None:
        told = []
        while search.begin():
            left = ["a", "b"]
            while left:
                choice = search.choose(pending(*left))
                assert choice is not None
                left.remove(choice.name.client)
                # A conditional write of ``a``: refused at first, for the program remembers what it is to compare with.
                search.let_go(WRITE if choice.name.client == "a" and search.runs > 1 else READ)
            try:
                search.end()
            except Diverged as error:
                told.append(str(error))
        assert "after 0 steps a a touches other keys than after the same steps before" in told
        assert (search.repeated, sure(search)) == (TRIES_MAX + 1, False)

    def test_a_run_that_ends_early_has_diverged(self, search: Search) -> None:
        search.begin()
        two(search)
        search.begin()
        with pytest.raises(Diverged, match="no longer asks for a a"):
            search.end()


def test_two_requests_of_one_name_are_a_mistake_of_the_caller() -> None:
    search = Classes()
    search.begin()
    with pytest.raises(ValueError, match="one name"):
        search.choose(pending("a", "a"))


def test_a_planned_request_that_no_longer_waits_after_another_answer_is_a_divergence() -> None:
    search = Bounded(0, lambda spent: PLAIN)
    told = []
    while search.begin():
        # In the first schedule once more, the first request of b touches what a has written, and b goes another way.
        again = search.runs > 1
        try:
            for waiting, touched in (
                ([Name("a", "a"), Name("b", "b")], WRITE),
                ([Name("b", "b")], WRITE if again else ()),
                ([Name("b", "other" if again else "b", 2)], ()),
            ):
                search.choose([Pending(each) for each in waiting])
                search.let_go(touched)
            search.end()
        except Diverged as error:
            told.append(str(error))
            search.fail()
    assert told == ["after 2 steps the program no longer asks for b b (2); now asks for b other (2)"] * (TRIES_MAX + 1)
    assert search.covered == -1
