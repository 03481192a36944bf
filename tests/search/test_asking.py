"""What user code answers is checked before it counts: findings, or an error that names the invariant and the line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeproof.model.invariants import Always, Finding, Monitor, Observer, OnStep, Reached, Violation
from lakeproof.model.snapshot import Invoked, NotDeclared, Reads
from lakeproof.scenario import ScenarioError
from lakeproof.search import evaluation
from lakeproof.search.fence import WATCH, Hangs
from lakeproof.search.observers import collect_observers

EVENT = Invoked(0, 0, "f", ())
VIOLATION = Violation("x", "seen")
Asked = Callable[..., Any]  # type: ignore[explicit-any]  # whatever is asked of it


class Unshowable:
    def __repr__(self) -> str:
        raise ZeroDivisionError


def findings(check: Asked) -> object:
    return evaluation.findings("x", check)


def advanced(advance: Asked) -> object:
    return evaluation.advance_monitor(Monitor(id="x", meaning="", initial=0, advance=advance), 0, EVENT)


def folded(fold: Asked) -> object:
    return evaluation.fold_observer(Observer("x", fold), [])


def watched(watches: Asked) -> bool:
    return evaluation.watches(OnStep(id="x", meaning="", check=lambda _: [], watches=watches), "f", None)


REFUSED: dict[str, tuple[Asked, tuple[object, ...]]] = {
    r"invariant 'x': its check returned .*yield Violation": (
        findings, (True, False, None, 1, "no", b"no", VIOLATION, Reached("a"))
    ),
    r"invariant 'x': its check found .*yield Violation": (
        findings, tuple([Reached("a"), part] for part in (True, None, "no", ("x", "seen"), Unshowable()))
    ),
    r"monitor 'x': advance returned .*\(next state, findings\)": (advanced, (None, 3, (1,), (1, (), 2), [1, ()])),
    r"monitor 'x': its state .* is not hashable .*use tuples": (advanced, (([], ()), ({}, ()), ((1, []), ()))),
    r"observer 'x': raised TypeError: unhashable": (folded, ([],)),
    r"invariant 'x': its watches returned .*expected True or False": (watched, (None, 1, "no", iter(()))),
}  # fmt: skip
"""By message: what is asked, and answers that are none."""


@pytest.mark.parametrize("message", REFUSED)
def test_an_answer_of_another_type_is_an_error_that_names_the_repair(message: str) -> None:
    ask, answers = REFUSED[message]
    for answer in answers:
        with pytest.raises(ScenarioError, match=message):
            ask(lambda *_, answer=answer: answer)


def test_watches_answer_what_they_say() -> None:
    assert [watched(lambda *_, answer=answer: answer) for answer in (True, False)] == [True, False]


def raising(error: BaseException, *first: Finding) -> Asked:
    def check(*_: object) -> Iterator[Finding]:
        yield from first
        raise error  # here

    return check


def raising_at_once(error: BaseException) -> Asked:
    def answer(*_: object) -> object:
        next(raising(error)())
        return None

    return answer


@pytest.mark.parametrize("error", [KeyError("k"), SystemExit(0), KeyboardInterrupt(), GeneratorExit()], ids=repr)
def test_whatever_is_raised_is_an_error_with_its_line(error: BaseException) -> None:
    here = Path(__file__)
    [line] = [at for at, text in enumerate(here.read_text().splitlines(), 1) if text.endswith("  # here")]
    asked = [(ask, raising_at_once(error)) for ask in (findings, advanced, folded, watched)]
    for ask, answer in [*asked, (findings, raising(error)), (findings, raising(error, VIOLATION))]:
        with pytest.raises(ScenarioError, match=rf"'x': raised {type(error).__name__}.*{here.name}:{line}\)$"):
            ask(answer)


def test_a_part_that_was_not_declared_is_told_in_the_words_of_the_snapshot() -> None:
    with pytest.raises(ScenarioError, match=r"^invariant 'x': declare it"):
        findings(raising(NotDeclared("declare it", Reads.STORE)))


@pytest.mark.parametrize("error", [MemoryError(), Hangs(1.0, "a line")], ids=repr)
def test_what_is_not_of_that_code_passes_through(error: BaseException) -> None:
    for ask in (findings, advanced, folded, watched):
        with pytest.raises(type(error)):
            ask(raising_at_once(error))


def test_a_variable_of_an_observers_function_need_not_be_assigned_yet() -> None:
    def observed(assigned: bool) -> Always:
        def fold(_: object) -> object:
            return later

        if assigned:
            later = 1
        return Always(id="x", meaning="", check=list, observers=(Observer("o", fold),))  # type: ignore[arg-type]

    assert len(collect_observers([observed(assigned=False), observed(assigned=False)])) == 1
    with pytest.raises(ScenarioError, match="'o' of 'x' folds otherwise"):
        collect_observers([observed(assigned=False), observed(assigned=True)])


def test_the_words_of_an_error_are_code_of_the_users_and_watched() -> None:
    """A ``__str__`` that never ended would hang the search for good."""
    seen: list[bool] = []

    class Wordy(Exception):
        def __str__(self) -> str:
            seen.append(WATCH.since is not None)
            return "no"

    for ask in (findings, advanced, folded, watched):
        seen.clear()
        with pytest.raises(ScenarioError, match="no"):
            ask(raising_at_once(Wordy()))
        assert seen
        assert all(seen)
        assert WATCH.since is None
