"""Faults planted in the engine: scenarios with known verdicts, and histories judged by the definition, see them."""

import marshal

import pytest

from lakeproof.designs import scenarios_of
from lakeproof.mutation import histories
from lakeproof.mutation.injection import engine_files
from lakeproof.mutation.pool import carried_out
from lakeproof.mutation.work import KILLED, SURVIVED, Bounds, JudgeStep, Judging, MutantResult, Origin, Reach, Reaching
from lakeproof.search.search import search

STEP1, HISTORIES = Origin("lakeproof.designs.step1"), Origin("lakeproof.mutation.histories")
PLAIN, WRONG = "repositories/step1/delete-create", "repositories/step1/delete-delete-create"
LOST, FALSE = f"{PLAIN}/lost-answer", f"{PLAIN}/false-predicate"
HERE = "histories/0"

FRONTIER, LAYOUT, SEARCH = (f"model/linearizability/{name}.py" for name in ("frontier", "layout", "search"))
FAULTS = [
    ("search/faults.py", "case Mode.LOST_DROPPED if is_write(op):", "case Mode.LOST_DROPPED if not op:", LOST),
    ("search/faults.py", "kv.PredicateFailed(), writes)", "kv.PredicateFailed(), {})", FALSE),
    ("search/judge.py", "if any(self.records[name].violation is", "if all(self.records[name].violation is", WRONG),
    ("search/by_level.py", "elif not record.reached:", "elif record.reached:", PLAIN),
    ("search/symmetry.py", "nodes = np.sort(np.stack(", "nodes = (lambda rows, axis: rows)(np.stack(", WRONG),
    ("search/semantics.py", "changed = near.keys() | after.keys()", "changed = near.keys() & after.keys()", PLAIN),
    (FRONTIER, "(at == problem.values[i]) != (", "(at == problem.values[i]) == (", HERE),
    (LAYOUT, "if met < latest:", "if met < 0:", HERE),
    (SEARCH, "if place[0] == len(self.musts):", "if place[0] >= 0:", HERE),
]
HARMLESS = ("search/states.py", "if isinstance(finding, Violation):", "if isinstance(finding, (Violation,)):", PLAIN)


def as_they_are() -> dict[str, Reach]:
    names = {STEP1: (PLAIN, WRONG, LOST, FALSE), HISTORIES: (HERE,)}
    files = tuple((str(path), name) for name, path in engine_files().items())
    works = [Reaching(origin=origin, names=those, files=files, seconds=60) for origin, those in names.items()]
    reports = carried_out(works, 1, 60, afresh=True)
    return {each.message.scenario: each.message for each in reports if isinstance(each.message, Reach)}


def planted(file: str, old: str, new: str, scenario: str, reach: Reach) -> Judging:
    path = engine_files()[file]
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file}: expected {old!r} once; bring the fault up to date"
    code = marshal.dumps(compile(text.replace(old, new), str(path), "exec", dont_inherit=True))
    step = JudgeStep(scenario=scenario, origin=reach.origin, states_max=100_000, states=reach.states)
    return Judging(file=file, path=path, code=code, steps=(step,), bounds=Bounds())


@pytest.mark.deep
def test_faults_planted_in_the_engine_are_killed_and_a_change_that_is_none_is_not() -> None:
    reaches = as_they_are()
    assert all(not reach.wrong for reach in reaches.values())
    rows = [*FAULTS, HARMLESS]
    works = [planted(*row, reaches[row[-1]]) for row in rows]
    told = {
        id(report.work): report.message
        for report in carried_out(works, 1, 60, afresh=True)
        if isinstance(report.message, MutantResult)
    }
    found = [told.get(id(work)) for work in works]
    fates = [each and each.fate for each in found]
    assert fates == [KILLED] * len(FAULTS) + [SURVIVED], list(zip(rows, found, strict=True))
    executed = {file for reach in reaches.values() for file, _ in reach.lines}
    assert executed >= {file for file, *_ in FAULTS}


def test_the_checker_agrees_with_the_definition_where_nothing_is_planted() -> None:
    scenario = scenarios_of(histories)[0]
    assert {each.id: each.verdict for each in search(scenario).findings}[histories.AGREES] == "holds"
