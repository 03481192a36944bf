"""What a mutant is judged by, what becomes of it, and what is kept of that."""

import marshal
import os
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

import attrs
import pytest

from lakeproof.mutation import campaign, work
from lakeproof.mutation.campaign import UNREACHED, Campaign, JudgedMutant
from lakeproof.mutation.coverage import Index
from lakeproof.mutation.equivalent import equivalents, key_of
from lakeproof.mutation.injection import flow_files
from lakeproof.mutation.mutants import Mutant, mutants_of
from lakeproof.mutation.pool import WorkerMessage, carried_out
from lakeproof.mutation.report import report, score_row
from lakeproof.mutation.results import Results, digest_of_code, key_of_reach, key_of_verdict
from lakeproof.mutation.work import (
    KILLED,
    SURVIVED,
    TIMED_OUT,
    UNUSABLE,
    Bounds,
    Failed,
    JudgeStep,
    Judging,
    Killer,
    MutantResult,
    Origin,
    Reach,
    Reaching,
    judge_outcome,
)
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Faults
from lakeproof.search.trace import Trace
from lakeproof.verify import tasks
from lakeproof.verify.keys import installation
from lakeproof.verify.loader import LoadError, Source
from lakeproof.verify.witness import WITNESS
from lakeproof.words import Unusable

HERE = Origin("m")


def outcome(*verdicts: tuple[str, str, str], trouble: str = "", stopped: str = "") -> tasks.Outcome:
    found = tuple(tasks.Verdict(invariant=name, expected=expected, verdict=told) for name, expected, told in verdicts)
    return tasks.Outcome(
        scenario="d/s", clients=1, calls=1, faults=Faults(), verdicts=found, trouble=trouble, stopped=stopped
    )


class TestJudged:
    @pytest.mark.parametrize(
        ("given", "fate"),
        [
            (outcome(("i", "holds", "violated")), KILLED),
            (outcome(("i", "violated", "holds")), KILLED),
            (outcome(("i", "holds", "inconclusive")), KILLED),  # its situation never occurred
            (outcome(("i", "holds", "inconclusive"), stopped="1,000 states"), TIMED_OUT),
            (outcome(("i", "holds", "inconclusive"), ("j", "holds", "violated"), stopped="1,000 states"), KILLED),
            (outcome((NO_UNHANDLED_EXCEPTION, "holds", "violated")), UNUSABLE),
            (outcome((NO_UNHANDLED_EXCEPTION, "violated", "holds")), KILLED),
            (outcome((NO_UNHANDLED_EXCEPTION, "holds", "violated"), ("i", "holds", "violated")), KILLED),
            (outcome(("i", "holds", "inconclusive"), trouble="no effect"), UNUSABLE),
        ],
    )
    def test_the_first_verdict_that_differs_decides(self, given: tasks.Outcome, fate: str) -> None:
        found = judge_outcome(given)
        assert found is not None
        assert (found.fate, found.scenario) == (fate, "d/s")

    def test_all_that_differs_is_a_killer(self) -> None:
        found = judge_outcome(outcome(("i", "holds", "violated"), ("j", "holds", "holds"), ("k", "violated", "holds")))
        assert found is not None
        assert found.killers == (Killer("d/s", "i"), Killer("d/s", "k"))

    def test_what_is_as_expected_says_nothing_but_where_the_states_are_counted(self) -> None:
        given = outcome(("i", "holds", "holds"), ("j", "violated", "violated"))
        assert judge_outcome(given) is judge_outcome(attrs.evolve(given, states=7), 7) is None
        found = judge_outcome(attrs.evolve(given, states=7), 8)
        assert found == MutantResult(
            fate=KILLED,
            scenario="d/s",
            invariant="states",
            why="7 states, expected 8",
            killers=[Killer("d/s", "states")],
        )


    @pytest.mark.parametrize(
        ("given", "thorough", "fate", "ran", "killers"),
        [
            ("fine fine", False, SURVIVED, 2, 0),
            ("late kills fine", False, KILLED, 2, 1),
            ("unusable kills kills", False, KILLED, 2, 1),
            ("late kills fine kills", True, KILLED, 4, 2),
            ("late fine unusable", False, UNUSABLE, 3, 0),
            ("unusable late", False, UNUSABLE, 2, 0),
            ("late fine", False, TIMED_OUT, 2, 0),
            ("fine unbuilt", False, UNUSABLE, 2, 0),
        ],
    )
    def test_a_mutant_is_killed_by_any_scenario_else_what_is_open_is_said(
        self, given: str, fate: str, ran: int, killers: int, monkeypatch: pytest.MonkeyPatch, *, thorough: bool
    ) -> None:
        told = {
            "fine": outcome(("i", "holds", "holds")),
            "kills": outcome(("i", "holds", "violated")),
            "late": outcome(("i", "holds", "inconclusive"), stopped="1,000 states"),
            "unusable": outcome(("i", "holds", "inconclusive"), trouble="no effect"),
        }
        monkeypatch.setattr(work, "plant", lambda *_: None)
        monkeypatch.setattr(work, "_search_scenario", lambda found, *_: found)
        monkeypatch.setattr(Origin, "scenarios", lambda *_: told)
        steps = tuple(JudgeStep(scenario=word, origin=HERE, states_max=9) for word in given.split())
        code = marshal.dumps(None)
        *_, found = Judging(
            file="f.py", path=Path(), code=code, steps=steps, bounds=Bounds(), thorough=thorough
        ).done()
        assert isinstance(found, MutantResult)
        assert (found.fate, found.ran, len(found.killers)) == (fate, ran, killers)


def reach(name: str, states: int, *lines: int) -> Reach:
    return Reach(scenario=name, origin=HERE, states=states, lines=(("f", lines),) if lines else ())


class TestIndex:
    INDEX = Index([reach("large", 90_000, 1, 2, 5), reach("small", 10, 2), reach("none", 1)])

    def test_the_scenarios_that_execute_any_of_the_lines_judge_the_smallest_first(self) -> None:
        steps = self.INDEX.steps("f", (2, 4), Bounds(factor=2, states_min=100))
        assert [(each.scenario, each.states_max) for each in steps] == [("small", 100), ("large", 180_000)]
        assert [each.states for each in self.INDEX.steps("f", (2, 4), Bounds(), exact=True)] == [10, 90_000]
        assert self.INDEX.steps("f", (3, 4), Bounds()) == ()
        assert self.INDEX.steps("g", (1, 9), Bounds()) == ()

    def test_each_variant_has_its_smallest_first(self) -> None:
        sizes = {"d/one/a": 1, "d/one/b": 2, "d/one/c": 3, "d/two/a": 20, "d/two/b": 10}
        index = Index([reach(name, states, 1) for name, states in sizes.items()])
        names = [each.scenario for each in index.steps("f", (1, 1), Bounds())]
        assert names == ["d/one/a", "d/two/b", "d/one/b", "d/two/a", "d/one/c"]

    def test_of_scenarios_of_one_size_the_one_that_executes_the_least_besides_is_first(self) -> None:
        wide = Reach(scenario="d/wide", origin=HERE, states=1, lines=(("f", (1,)), ("g", (1, 2, 3))))
        index = Index([wide, reach("e/narrow", 1, 1)])
        assert [each.scenario for each in index.steps("f", (1, 1), Bounds())] == ["e/narrow", "d/wide"]
        assert [each.scenario for each in index.steps("g", (1, 1), Bounds())] == ["d/wide"]

    def test_files_are_those_that_are_executed(self) -> None:
        assert self.INDEX.files == {"f"}


class Ending:
    """Work that is ended as the kernel ends what takes too much memory."""

    def done(self) -> Iterator[object]:
        os.kill(os.getpid(), signal.SIGKILL)
        yield "nothing"


class Silent:
    """Takes no notice of how far the work is."""

    def reached(self, done: int, total: int) -> None: ...

    def judged(self, done: int, total: int, found: JudgedMutant | None) -> None: ...


@pytest.fixture
def mutants(tmp_path: Path) -> list[Mutant]:
    path = tmp_path / "flow.py"
    path.write_text("async def f(a, b):\n    if a < b:\n        await a.delete(1)\n")
    return list(mutants_of(path, "flow.py"))


class TestResults:
    STEPS = (JudgeStep(scenario="d/s", origin=HERE, states_max=10),)

    def test_what_is_written_is_found_again(self, tmp_path: Path, mutants: list[Mutant]) -> None:
        killers = [Killer("d/s", "i"), Killer("d/s", "j")]
        verdict = MutantResult(
            fate=KILLED, scenario="d/s", invariant="i", why="violated", ran=2, seconds=0.5, killers=killers
        )
        first = Results(tmp_path / "deep" / "results.jsonl")
        first.put_verdict("k", mutants[0], verdict)
        first.put_reach("r", reach("d/s", 7, 1, 2))
        first.close()
        second = Results(tmp_path / "deep" / "results.jsonl")
        assert second.verdict("k") == verdict
        assert second.reach("r", HERE) == attrs.evolve(reach("d/s", 7, 1, 2))
        assert second.verdict("other") is None
        assert [second.killer(each) for each in mutants[:2]] == ["d/s", None]
        second.close()

    def test_a_disk_that_fills_up_takes_the_end_of_one_row(self, tmp_path: Path) -> None:
        path = tmp_path / "results.jsonl"
        results = Results(path)
        results.put_reach("before", reach("d/s", 7, 1))
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, limits[1]))
        try:
            results.put_reach("torn", reach("d/s", 7, 1))
            with pytest.raises(Unusable, match=r"results\.jsonl: cannot be written: File too large; make room"):
                results.put_reach("unwritten", reach("d/s", 7, 1))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            results.close()
        for number in range(2):  # it is gone on with, and read again
            results = Results(path)
            results.put_reach(f"after {number}", reach("d/s", 7, 1))
            results.close()
        results = Results(path)
        keys = ("before", "torn", "unwritten", "after 0", "after 1")
        assert [results.reach(key, HERE) is not None for key in keys] == [True, False, False, True, True]
        results.close()

    def test_a_key_covers_the_code_the_mutant_the_judges_and_the_bounds(self, mutants: list[Mutant]) -> None:
        key = key_of_verdict("code", mutants[0], self.STEPS, Bounds())
        others = {
            key_of_verdict("other", mutants[0], self.STEPS, Bounds()),
            key_of_verdict("code", mutants[1], self.STEPS, Bounds()),
            key_of_verdict("code", attrs.evolve(mutants[0], number=1), self.STEPS, Bounds()),
            key_of_verdict("code", mutants[0], (), Bounds()),
            key_of_verdict("code", mutants[0], self.STEPS, Bounds(factor=3)),
            key_of_verdict("code", mutants[0], self.STEPS, Bounds(), thorough=True),
        }
        assert key == key_of_verdict("code", mutants[0], self.STEPS, Bounds())
        assert len(others - {key}) == 6

    def test_lines_of_the_flows_are_no_answer_to_which_lines_of_the_engine_a_scenario_executes(self) -> None:
        keys = [key_of_reach("code", "d/s", files) for files in (("impl/a.py", "impl/b.py"), ("search/a.py",))]
        assert keys[0] != keys[1]
        assert keys[0] == key_of_reach("code", "d/s", ("impl/b.py", "impl/a.py"))

    def test_a_change_of_a_module_that_a_users_file_imports_is_another_key(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        helper = tmp_path / "helper_of_the_scenarios.py"
        helper.write_text("LIMIT = 1\n")
        monkeypatch.syspath_prepend(tmp_path)
        before = digest_of_code(None)
        monkeypatch.setitem(sys.modules, helper.stem, import_module(helper.stem))
        imported = digest_of_code(None)
        helper.write_text("LIMIT = 2\n")
        changed = digest_of_code(None)
        monkeypatch.setattr("lakeproof.verify.keys.version", lambda: "of another installation")
        installation.cache_clear()
        elsewhere = digest_of_code(None)
        monkeypatch.setattr(WITNESS, "known", {"late.py"})
        assert len({before, imported, changed, elsewhere, digest_of_code(None)}) == 5
        installation.cache_clear()

    @pytest.mark.parametrize(
        ("answers", "fate"),
        [
            ([MutantResult(fate=KILLED, scenario="d/s"), Failed("its process ended with exit code 139")], KILLED),
            ([Failed("its process ended with exit code 1")], UNUSABLE),
            ([Failed("its process ended with exit code -9", ended=True)], TIMED_OUT),
        ],
    )
    @pytest.mark.parametrize("edited", [False, True])
    def test_the_first_answer_of_a_process_counts_if_the_code_is_still_the_same(
        self,
        answers: list[object],
        fate: str,
        tmp_path: Path,
        mutants: list[Mutant],
        monkeypatch: pytest.MonkeyPatch,
        *,
        edited: bool,
    ) -> None:
        def work(works: Iterable[Judging], *_: object, **__: object) -> Iterator[WorkerMessage[Judging]]:
            if edited:
                monkeypatch.setattr(campaign, "digest_of_code", lambda _: "of other code")
            yield from (WorkerMessage(each, answer) for each in works for answer in answers)

        monkeypatch.setattr(campaign, "carried_out", work)
        lines = Reach(scenario="d/s", origin=HERE, states=1, lines=(("flow.py", (2, 3)),))
        plan = Campaign(
            origins={HERE: ("d/s",)}, files={"flow.py": tmp_path / "flow.py"}, source=Source(), bounds=Bounds()
        )
        results = Results(tmp_path / "results.jsonl")
        judged = campaign.judge(plan, mutants, Index([lines]), results, 1, Silent())
        if edited:
            with pytest.raises(LoadError, match="the code has changed meanwhile"):
                list(judged)
        else:
            assert [each.verdict.fate for each in judged] == [fate] * len(mutants)
        results.close()
        assert len(results.path.read_text().splitlines()) == (0 if edited else len(mutants))

    @pytest.mark.parametrize(("lines", "fate"), [((2,), SURVIVED), ((), UNREACHED)])
    def test_what_no_scenario_executes_survives_if_its_function_runs(
        self, lines: tuple[int, ...], fate: str, tmp_path: Path, mutants: list[Mutant]
    ) -> None:
        plan = Campaign(origins={}, files={}, source=Source(), bounds=Bounds())
        index = Index([Reach(scenario="d/s", origin=HERE, states=1, lines=(("flow.py", lines),))])
        last = [each for each in mutants if each.lines == (3, 3)]
        results = Results(tmp_path / "results.jsonl")
        assert [each.verdict.fate for each in campaign.judge(plan, last, index, results, 0, Silent())] == [fate]
        results.close()

    def test_what_a_signal_has_ended_has_given_no_answer(self) -> None:
        [report] = carried_out([Ending()], 1, 60)
        assert report.message == Failed("its process ended with exit code -9", ended=True)

    def test_a_scenario_that_was_not_as_expected_is_run_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may have been too slow, or without memory."""
        wrong = attrs.evolve(reach("d/s", 7, 1), wrong="i is inconclusive")

        def work(works: Iterable[Reaching], *_: object, **__: object) -> Iterator[WorkerMessage[Reaching]]:
            for each in works:
                yield WorkerMessage(each, wrong if len(found) == 0 else reach("d/s", 7, 1))
                found.append(each)

        found: list[Reaching] = []
        monkeypatch.setattr(campaign, "carried_out", work)
        plan = Campaign(origins={HERE: ("d/s",)}, files={}, source=Source(), bounds=Bounds())
        results = Results(tmp_path / "results.jsonl")
        with pytest.raises(LoadError, match="i is inconclusive"):
            campaign.reaches(plan, results, 1, Silent())
        assert [campaign.reaches(plan, results, 1, Silent()) for _ in range(2)] == [(reach("d/s", 7, 1),)] * 2
        results.close()
        assert len(found) == 2

    @pytest.mark.parametrize("line", [b"{", b"[]", b"{}", b"null", b"\xff\xfe"])
    def test_a_file_of_something_else_is_an_error_that_names_its_line(self, line: bytes, tmp_path: Path) -> None:
        path = tmp_path / "results.jsonl"
        path.write_bytes(b'{"key": "k"}\n' + line + b"\n")
        with pytest.raises(Unusable, match=r"results\.jsonl: line 2: .* no result .* --results"):
            Results(path)


class TestReport:
    def test_equivalent_ones_count_as_nothing_else_and_the_score_is_of_the_rest(self, mutants: list[Mutant]) -> None:
        fates = [KILLED, KILLED, SURVIVED, TIMED_OUT, UNUSABLE, UNREACHED]
        found = [JudgedMutant(mutant=mutants[0], verdict=MutantResult(fate=fate)) for fate in fates]
        # A killed one is a fault, whatever the table says.
        found += [attrs.evolve(each, equivalent="the same") for each in found[1:3]]
        assert score_row("f", found) == "| f | 8 | 3 | 1 | 1 | 1 | 1 | 1 | 60.0 % |"
        assert score_row("f", []).endswith("| - |")

    def test_survivors_are_named_and_a_stale_row_of_the_table_too(self, mutants: list[Mutant]) -> None:
        found = [
            JudgedMutant(mutant=mutants[0], verdict=MutantResult(fate=SURVIVED, ran=3)),
            JudgedMutant(
                mutant=mutants[1], verdict=MutantResult(fate=KILLED, scenario="d/s", why="violated"), equivalent="same"
            ),
            JudgedMutant(mutant=mutants[2], verdict=MutantResult(fate=UNREACHED)),
        ]
        lines = list(report(found, whole=True))
        assert lines[lines.index("## Survived") + 2].startswith(f"- `{mutants[0].place}` `f` {mutants[0].operator}: ")
        assert any(line.startswith("## Stale") for line in lines)
        assert lines[-1] == "`flow.py:f`"
        assert "`flow.py:f`" not in list(report(found, whole=False))


def test_a_row_of_the_equivalent_ones_is_one_of_two_mutants_of_the_same_words() -> None:
    file = "impl/refs/commits.py"
    found = [each for each in mutants_of(flow_files()[file], file) if each.after == "reversed(tuple(parents))"]
    assert [key_of(each) in equivalents() for each in found] == [True, False]  # the order in a record is seen


def test_each_row_of_the_equivalent_ones_matches_a_mutant() -> None:
    named = {function.partition(":")[0] for function, *_ in equivalents()}
    files = {name: path for name, path in flow_files().items() if name in named}
    assert named == files.keys()
    assert equivalents().keys() <= {key_of(mutant) for name, path in files.items() for mutant in mutants_of(path, name)}


def test_a_search_without_traces_has_none() -> None:
    from lakeproof.designs import scenarios_of, step1

    scenario = next(each for each in scenarios_of(step1) if each.name == "repositories/step1/delete-delete-create")
    traces: list[bool] = []
    for traced in (True, False):
        done = tasks.carried_out(tasks.Verify(traced=traced), scenario, Source(), lambda *_: None)
        assert not any(each.unexpected for each in done.verdicts)
        traces.append(any(isinstance(each.trace, Trace) for each in done.verdicts))
    assert traces == [True, False]
