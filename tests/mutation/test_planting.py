"""A mutant is what a fresh process imports; faults planted in the engine are seen by the scenarios and histories."""

import inspect
import marshal
import sys
from pathlib import Path

import pytest

from lakeproof.designs import scenarios_of
from lakeproof.mutation import histories, results
from lakeproof.mutation.injection import SUBSTRATE, AlreadyLoaded, engine_files, flow_files, package, plant
from lakeproof.mutation.mutants import noting
from lakeproof.mutation.pool import carried_out
from lakeproof.mutation.results import digest_of_code
from lakeproof.mutation.work import KILLED, SURVIVED, Bounds, JudgeStep, Judging, MutantResult, Origin, Reach, Reaching
from lakeproof.search.search import search
from tests import racing
from tests.commands import HEAD, RACING, in_a_process


class TestPlant:
    def test_the_mutant_is_imported_instead_of_the_file(self) -> None:
        program = (
            "import marshal\n"
            "from lakeproof.mutation.mutants import mutants_of\n"
            "from lakeproof.mutation.injection import flow_files, plant\n"
            "path = flow_files()['impl/staging.py']\n"
            "known = mutants_of(path, 'impl/staging.py', part=':get_staged')\n"
            "found = [each for each in known if each.operator == 'one-branch']\n"
            "plant({'lakeproof.impl.staging': path}, lambda _: marshal.loads(found[0].code))\n"
            "from lakeproof.impl import staging\n"
            "print(found[0].after, '_stand_ins' in vars(staging), staging.__file__ == str(path))\n"
        )
        assert in_a_process(program) == "None True True\n"

    def test_a_module_that_is_loaded_is_an_error(self) -> None:
        import lakeproof.impl.staging

        path = flow_files()["impl/staging.py"]
        before = list(sys.meta_path)
        with pytest.raises(
            AlreadyLoaded, match=r"lakeproof\.impl\.staging is loaded already: the mutant would not run"
        ):
            plant({lakeproof.impl.staging.__name__: path}, lambda _: compile("", str(path), "exec"))
        assert sys.meta_path == before

    def test_what_every_process_has_loaded_before_holds_no_flow(self) -> None:
        program = (
            "import sys, lakeproof.mutation.preloaded, lakeproof.mutation.work\n"
            "from lakeproof.mutation.injection import flow_files, module_of\n"
            "print(*sorted({module_of(name) for name in flow_files()} & sys.modules.keys()))\n"
        )
        assert in_a_process(program) == "\n"


class TestFlowFiles:
    def test_what_flows_are_built_on_is_left_out_and_there(self) -> None:
        tops = {Path(name).parts[1].removesuffix(".py") for name in flow_files()}
        there = {path.name.removesuffix(".py") for path in (package() / "impl").iterdir()}
        assert not tops & set(SUBSTRATE)
        assert set(SUBSTRATE) <= there


def test_noting_code_notes_the_lines_that_are_executed(tmp_path: Path) -> None:
    from lakeproof.mutation.stand_ins import LINES

    path = tmp_path / "flow.py"
    rows = ["def f(a):", "    try:", "        a[0]", "    except IndexError:", "        return 1", "    return 2", ""]
    path.write_text("\n".join(rows))
    names: dict[str, object] = {}
    exec(noting(path, "flow.py"), names)  # noqa: S102
    f = names["f"]
    assert callable(f)
    met = []
    for given in ([], [0]):
        LINES.clear()
        f(given)
        met.append(sorted(LINES))
    LINES.clear()
    assert met == [[("flow.py", line) for line in (2, 3, 4, 5)], [("flow.py", line) for line in (2, 3, 6)]]


def test_the_lines_of_a_scenario_are_those_that_its_own_search_executes() -> None:
    names = {"counters/atomic": racing.increment_if, "counters/known": racing.increment}
    done = Reaching(origin=Origin(file=RACING), names=tuple(names), files=(), seconds=60).done()
    reaches = [each for each in done if isinstance(each, Reach)]
    found = {each.scenario: {line for _, lines in each.lines for line in lines} for each in reaches}
    for flow in names.values():
        rows, first = inspect.getsourcelines(flow)
        executed = {name: bool(lines & set(range(first, first + len(rows)))) for name, lines in found.items()}
        assert executed == {name: its is flow for name, its in names.items()}


def test_each_scenario_executes_a_function_that_caches(tmp_path: Path) -> None:
    path = tmp_path / "flows.py"
    flow = "@cache\ndef one():\n    return 1\nasync def f(env):\n    await env.store.delete(b'p', b'%d' % one())\n"
    rows = "SCENARIOS = [attrs.evolve(ATOMIC, name=name, clients=[[Call(f)]]) for name in 'ab']\n"
    path.write_text(f"{HEAD}from functools import cache\nfrom lakeproof import Call\n{flow}{rows}")
    work = Reaching(origin=Origin(file=path), names=("a", "b"), files=((str(path), "flows.py"),), seconds=60)
    first, second = (each.lines for each in work.done() if isinstance(each, Reach))
    assert first == second != ()


def test_all_code_of_a_verdict_is_in_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    read, before = set[Path](), Path.read_bytes

    def noting(path: Path) -> bytes:
        read.add(path)
        return before(path)

    monkeypatch.setattr(Path, "read_bytes", noting)
    results._digest_of.cache_clear()  # or another test has read them
    digest_of_code(None)
    rooms = ("", "designs", "languages", "model/invariants", "verify")
    there = {path for room in rooms for path in (package() / room).glob("*.py")}
    assert read >= {*there, *flow_files().values(), *engine_files().values()}


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
