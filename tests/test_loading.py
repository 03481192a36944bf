"""Loading: scenarios from files and by patterns; whatever is wrong is named with its file, its place and the repair."""

from pathlib import Path

import pytest

from lakeproof.designs import _can_match, modules, scenarios_of
from lakeproof.verify.loader import LoadError, Source, choose, load_file
from tests import racing

HEAD = "from lakeproof import *\nfrom tests.racing import *\n"


def refusal(path: Path) -> str:
    with pytest.raises(LoadError) as caught:
        load_file(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "mine.py"


def test_a_module_beside_the_file_can_be_imported(path: Path) -> None:
    (path.parent / "beside_the_file.py").write_text("NAME = 'from/beside'\n")
    path.write_text(
        HEAD + "import attrs, beside_the_file\nSCENARIOS = [attrs.evolve(KNOWN, name=beside_the_file.NAME)]\n"
    )
    assert load_file(path)[0].name == "from/beside"


def test_a_file_in_a_package_imports_by_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "own_designs" / "races"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    (folder.parent / "flows.py").write_text("NAME = 'from/package'\n")
    (folder / "mine.py").write_text(
        HEAD + "import attrs\nfrom own_designs import flows\nSCENARIOS = [attrs.evolve(KNOWN, name=flows.NAME)]\n"
    )
    assert load_file(folder / "mine.py")[0].name == "from/package"


def test_a_call_that_only_a_recovery_makes_may_be_promised_to_end(path: Path) -> None:
    client = "Client([Call(increment)], recover=Call(clear))"
    fields = "faults=Faults(restarts=1), invariants=[Terminates(clear)]"
    path.write_text(f"{HEAD}SCENARIOS = [Scenario(name='r', clients=[{client}], {fields})]\n")
    assert [scenario.name for scenario in load_file(path)] == ["r"]


def test_what_a_file_prints_does_not_get_into_the_results(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path.write_text(HEAD + "print('loading')\nSCENARIOS = [KNOWN]\n")
    load_file(path)
    assert capsys.readouterr() == ("", "loading\n")


def test_two_files_of_one_name_do_not_mix(tmp_path: Path) -> None:
    for folder, scenario in (("a", "KNOWN"), ("b", "ATOMIC")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "same.py").write_text(f"{HEAD}SCENARIOS = [{scenario}]\n")
    loaded = [load_file(tmp_path / folder / "same.py")[0].name for folder in "aba"]
    assert loaded == ["counters/known", "counters/atomic", "counters/known"]


class TestRefused:
    @pytest.mark.parametrize(
        ("source", "place", "problem"),
        [
            ("x = [\n", ":1:5", "not Python: '[' was never closed; correct the syntax"),
            ("x = 1\0\n", "", "not Python: "),
            ("x = 1\n\ny = 1 / 0\n", ":3", "ZeroDivisionError: division by zero"),
            ("import no_such_module_here\n", ":1", "ModuleNotFoundError: No module named 'no_such_module_here'"),
            ("def f():\n    raise KeyError('deep')\nf()\n", ":2", "KeyError: 'deep'"),
            ("import sys\nsys.exit(3)\n", ":2", "SystemExit: 3"),
            ("from lakeproof.words import Unusable\nraise Unusable('x')\n", ":2", "Unusable: x"),
            ("raise ValueError('two\\nlines')\n", ":1", "ValueError: two lines"),
            ("", "", "defines no SCENARIOS; add SCENARIOS = [Scenario(...)]"),
            ("SCENARIOS = 3\n", "", "SCENARIOS is 3 (int); make it a list of Scenario"),
            ("SCENARIOS = []\n", "", "SCENARIOS is empty; put a Scenario into it"),
            (HEAD + "SCENARIOS = [KNOWN, 3]\n", "", "SCENARIOS[1] is 3 (int); make it a Scenario"),
            (
                HEAD + "SCENARIOS = [KNOWN, KNOWN]\n",
                "",
                "SCENARIOS[1].name: 'counters/known' is also that of SCENARIOS[0]",
            ),
        ],
    )
    def test_a_file_that_is_no_scenario_file(self, source: str, place: str, problem: str, path: Path) -> None:
        path.write_text(source)
        assert refusal(path).startswith(f"{path}{place}: {problem}")


class TestParts:
    """A pattern loads the modules that can match it, and no verdict is left out by that."""

    def test_no_module_with_a_scenario_that_a_pattern_matches_is_left_out(self) -> None:
        for module in modules():
            name = module.__name__.rpartition(".")[2]
            for scenario in scenarios_of(module):
                assert not set("*?[]") & set(scenario.name)  # else a glob could be a part of it
                for end in range(len(scenario.name)):
                    assert _can_match(name, [f"{scenario.name[:end]}*"])
                assert _can_match(name, [scenario.name])

    @pytest.mark.parametrize(
        ("pattern", "few"),
        [("tags/*", True), ("tags/plain/tag-tag", True), ("plain/tag-tag", False), ("*/tag-tag", False), ("t", False)],
    )
    def test_what_is_chosen_is_the_same(self, pattern: str, few: bool) -> None:
        some, all_ = Source().load([pattern]), Source().load()
        assert (len(some) < len(all_) / 4) is few
        assert choose(some, [pattern]) == choose(all_, [pattern])


class TestPatterns:
    scenarios = (racing.LOST_UPDATE, racing.KNOWN, racing.ATOMIC)

    @pytest.mark.parametrize(
        ("patterns", "names"),
        [
            ([], ["lost-update", "known", "atomic"]),
            (["counters/known"], ["known"]),
            (["known", "lost"], ["lost-update", "known"]),
            (["counters/*o*"], ["lost-update", "known", "atomic"]),
            (["*/[ak]*"], ["known", "atomic"]),
            (["counters/*", "known"], ["lost-update", "known", "atomic"]),
        ],
    )
    def test_what_a_pattern_chooses(self, patterns: list[str], names: list[str]) -> None:
        chosen = choose(self.scenarios, patterns)
        assert [scenario.name for scenario in chosen] == [f"counters/{name}" for name in names]

    @pytest.mark.parametrize(
        ("pattern", "hint"),
        [
            ("counters/lost-updat3", "did you mean counters/lost-update?"),
            ("zebra", "`lakeproof scenarios [--from FILE]` lists them all"),
        ],
    )
    def test_a_pattern_that_chooses_none(self, pattern: str, hint: str) -> None:
        with pytest.raises(LoadError) as caught:
            choose(self.scenarios, ["known", pattern])
        assert str(caught.value) == f"no scenario matches {pattern!r}; {hint}"
