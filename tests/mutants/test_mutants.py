"""Faults planted in the engine, each in a process of its own: the test that is named for each one fails.

`tests/explore/test_planted_faults.py` plants faults too, in one process, and asks the comparison of searches for them.
Here single lines of the source are changed, and a small test of one property must say so.
"""

import py_compile
from collections import Counter
from pathlib import Path

import attrs
import pytest

from tests.mutants import following, judging, moving, programs, searching, valuing
from tests.mutants.planted import ROOT, Fate, Mutant, run

MUTANTS = (
    *searching.MUTANTS,
    *moving.MUTANTS,
    *following.MUTANTS,
    *judging.MUTANTS,
    *valuing.MUTANTS,
    *programs.MUTANTS,
)

SURVIVOR = Mutant(
    name="nothing is changed but a docstring",
    file="model/kv.py",
    old="The sequential specification of the key-value store",
    new="A specification of the key-value store",
    caught_by="tests/model/test_kv.py::TestGet",
)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_is_caught_by_its_test(mutant: Mutant, tmp_path: Path) -> None:
    ran = run([mutant.caught_by], tmp_path, mutant)
    assert ran.fate is Fate.CAUGHT, f"{mutant.caught_by}: {ran.fate.value}\n{ran.said}"


def test_without_a_mutant_all_these_tests_pass(tmp_path: Path) -> None:
    ran = run(sorted({mutant.caught_by for mutant in MUTANTS}), tmp_path)
    assert ran.fate is Fate.SURVIVED, ran.said


class TestTable:
    @pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
    def test_the_old_text_occurs_once_and_the_new_one_compiles(self, mutant: Mutant) -> None:
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert text.count(mutant.old) == 1
        compile(text.replace(mutant.old, mutant.new), mutant.file, "exec", dont_inherit=True)

    def test_each_mutant_is_another_one(self) -> None:
        for key in (lambda m: m.name, lambda m: (m.file, m.old, m.new)):
            assert [found for found, count in Counter(map(key, MUTANTS)).items() if count > 1] == []

    def test_there_are_many_and_no_part_of_the_engine_is_left_out(self) -> None:
        assert len(MUTANTS) >= 150
        explored = {Path(mutant.file).stem for mutant in MUTANTS if mutant.file.startswith("lakeproof/explore/")}
        assert explored >= {
            *("asking", "behaviour", "execution", "expansion", "faults", "fence", "judge", "kernel", "semantics"),
            *("minimise", "packing", "paths", "replay", "sampling", "search", "setting", "shown", "space"),
            *("symmetry", "tables", "trie", "world"),
        }
        others = {mutant.file for mutant in MUTANTS} - {f"lakeproof/explore/{name}.py" for name in explored}
        assert others == {
            *("impl/frames.py", "impl/wellformed.py"),
            *(f"lakeproof/foreign/{name}.py" for name in ("child", "hearing", "pool", "program", "protocol")),
            *("lakeproof/cli.py", "lakeproof/running/processes.py", "lakeproof/running/tasks.py"),
            *("model/identity.py", "model/kv.py", "model/objects.py", "model/snapshot.py"),
        }


class TestHarness:
    """A mutant counts as caught only if the named test ran the changed line and failed."""

    def test_a_mutant_that_nothing_notices_survives(self, tmp_path: Path) -> None:
        assert run([SURVIVOR.caught_by], tmp_path, SURVIVOR).fate is Fate.SURVIVED

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"old": "no such text"}, "once, found it 0 times; bring the mutant up to date"),
            ({"old": "store"}, "expected 'store' once, found it"),
            ({"new": 'A """ specification'}, "SyntaxError"),
            ({"caught_by": "tests/model/test_kv.py::test_that_is_gone"}, "not found"),
            ({"caught_by": "tests/model/test_gone.py"}, "not found"),
            ({"file": "impl/frames.py", "old": "_CHAIN_MAX: Final = 200"}, "lakeproof.impl.frames was never loaded"),
        ],
        ids=["no old text", "two of them", "no Python", "no such test", "no such file", "another module"],
    )
    def test_one_that_cannot_be_planted_or_run_is_not_caught(
        self, changes: dict[str, str], said: str, tmp_path: Path
    ) -> None:
        ran = run([changes.get("caught_by", SURVIVOR.caught_by)], tmp_path, attrs.evolve(SURVIVOR, **changes))
        assert ran.fate is Fate.BROKEN
        assert said in ran.said

    def test_a_mutant_is_never_taken_from_bytecode_and_leaves_none(self, tmp_path: Path) -> None:
        mutant = next(mutant for mutant in MUTANTS if mutant.file == "model/kv.py")
        source = ROOT / mutant.file
        cached = Path(py_compile.compile(str(source), doraise=True) or "")
        before = (source.read_bytes(), cached.read_bytes())
        assert run([mutant.caught_by], tmp_path, mutant).fate is Fate.CAUGHT
        assert (source.read_bytes(), cached.read_bytes()) == before
