"""What user code answers is checked before it counts: findings, or an error that names the invariant and the line."""

from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lakeproof.model.invariants import Always, Finding, Monitor, Observer, OnStep, Reached, Violation
from lakeproof.model.snapshot import Invoked, NotDeclared, Reads
from lakeproof.scenario import ScenarioError
from lakeproof.search import evaluation
from lakeproof.search.fence import Hangs
from lakeproof.search.observers import collect_observers

HERE = Path(__file__).name
EVENT = Invoked(0, 0, "f", ())
VIOLATION = Violation("x", "seen")


def line_of(text: str) -> int:
    [number] = [at for at, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith(f"# {text}")]
    return number


def late() -> Iterator[Finding]:
    yield VIOLATION
    raise KeyError("k")  # late


def raising(error: BaseException) -> Callable[..., Any]:  # type: ignore[explicit-any]  # whatever is asked of it
    def check(*_: object) -> Iterator[Finding]:
        raise error  # raising

    return check


class Unshowable:
    def __repr__(self) -> str:
        raise ZeroDivisionError


class TestChecks:
    @pytest.mark.parametrize("answer", [True, False, None, 1, "no", b"no", VIOLATION, Reached("a")], ids=repr)
    def test_an_answer_that_is_no_findings_is_an_error(self, answer: object) -> None:
        with pytest.raises(ScenarioError, match=r"invariant 'x': its check returned .*yield Violation") as caught:
            evaluation.findings("x", lambda: answer)  # type: ignore[arg-type, return-value]  # that is the point
        assert type(answer).__name__ in str(caught.value)

    @pytest.mark.parametrize(
        "part", [True, None, "no", ("x", "seen"), Unshowable()], ids=lambda part: type(part).__name__
    )
    def test_a_part_that_is_no_finding_is_an_error(self, part: object) -> None:
        with pytest.raises(ScenarioError, match=r"invariant 'x': its check found .*yield Violation"):
            evaluation.findings("x", lambda: [Reached("a"), part])  # type: ignore[list-item]  # that is the point

    @pytest.mark.parametrize("error", [KeyError("k"), SystemExit(0), KeyboardInterrupt(), GeneratorExit()], ids=repr)
    def test_whatever_it_raises_is_an_error_with_its_line(self, error: BaseException) -> None:
        with pytest.raises(ScenarioError) as caught:
            evaluation.findings("x", raising(error))
        message = str(caught.value)
        assert message.startswith(f"invariant 'x': raised {type(error).__name__}")
        assert message.endswith(f"{HERE}:{line_of('raising')})")

    def test_what_it_raises_after_a_finding_is_not_passed_over(self) -> None:
        with pytest.raises(ScenarioError, match=rf"raised KeyError: 'k' .*{HERE}:{line_of('late')}"):
            evaluation.findings("x", late)

    def test_a_part_that_was_not_declared_is_told_in_the_words_of_the_snapshot(self) -> None:
        with pytest.raises(ScenarioError, match=r"^invariant 'x': declare it"):
            evaluation.findings("x", raising(NotDeclared("declare it", Reads.STORE)))

    @pytest.mark.parametrize("error", [MemoryError(), Hangs(1.0, "a line")], ids=repr)
    def test_what_is_not_of_that_code_passes_through(self, error: BaseException) -> None:
        with pytest.raises(type(error)):
            evaluation.findings("x", raising(error))


def monitor(advance: object) -> Monitor:
    return Monitor(id="x", meaning="", initial=0, advance=advance)  # type: ignore[arg-type]  # that is the point


class TestMonitors:
    @pytest.mark.parametrize("answer", [None, 3, (1,), (1, (), 2), [1, ()]], ids=repr)
    def test_an_answer_that_is_no_pair_is_an_error(self, answer: object) -> None:
        with pytest.raises(ScenarioError, match=r"monitor 'x': advance returned .*\(next state, findings\)"):
            evaluation.advance_monitor(monitor(lambda *_: answer), 0, EVENT)

    @pytest.mark.parametrize("state", [[], {}, set(), (1, [])], ids=repr)
    def test_a_state_that_cannot_be_compared_is_an_error(self, state: Hashable) -> None:
        with pytest.raises(ScenarioError, match=r"monitor 'x': its state .* is not hashable .*use tuples"):
            evaluation.advance_monitor(monitor(lambda *_: (state, ())), 0, EVENT)

    def test_what_it_raises_is_an_error_with_its_line(self) -> None:
        with pytest.raises(ScenarioError, match=rf"'x': raised KeyError: 'k' \(at .*:{line_of('raising')}\)"):
            evaluation.advance_monitor(monitor(raising(KeyError("k"))), 0, EVENT)


class TestObservers:
    def test_a_value_that_cannot_be_compared_is_an_error(self) -> None:
        with pytest.raises(ScenarioError, match=r"observer 'o': raised TypeError: unhashable"):
            evaluation.fold_observer(Observer("o", list), [])  # type: ignore[arg-type]  # that is the point

    def test_what_it_raises_is_an_error_with_its_line(self) -> None:
        with pytest.raises(ScenarioError, match=rf"observer 'o': raised KeyError.*:{line_of('raising')}\)"):
            evaluation.fold_observer(Observer("o", raising(KeyError("k"))), [])

    def test_a_variable_of_its_function_need_not_be_assigned_yet(self) -> None:
        def observed(assigned: bool) -> Always:
            def fold(_: object) -> object:
                return later

            if assigned:
                later = 1
            return Always(id="x", meaning="", check=list, observers=(Observer("o", fold),))  # type: ignore[arg-type]

        assert len(collect_observers([observed(assigned=False), observed(assigned=False)])) == 1
        with pytest.raises(ScenarioError, match="'o' of 'x' folds otherwise"):
            collect_observers([observed(assigned=False), observed(assigned=True)])


class TestWatches:
    @pytest.mark.parametrize("answer", [True, False])
    def test_its_answer_is_what_it_says(self, answer: bool) -> None:
        step = OnStep(id="x", meaning="", check=list, watches=lambda *_: answer)  # type: ignore[arg-type]
        assert evaluation.watches(step, "f", None) is answer

    @pytest.mark.parametrize("answer", [None, 1, "no", iter(())], ids=lambda answer: type(answer).__name__)
    def test_an_answer_that_is_no_truth_is_an_error(self, answer: object) -> None:
        step = OnStep(id="x", meaning="", check=list, watches=lambda *_: answer)  # type: ignore[arg-type]
        with pytest.raises(ScenarioError, match=r"invariant 'x': its watches returned .*expected True or False"):
            evaluation.watches(step, "f", None)

    def test_what_it_raises_is_an_error_and_not_a_no(self) -> None:
        step = OnStep(id="x", meaning="", check=list, watches=raising(KeyError("k")))  # type: ignore[arg-type]
        with pytest.raises(ScenarioError, match=rf"invariant 'x': raised KeyError: 'k' .*:{line_of('raising')}"):
            evaluation.watches(step, "f", None)
