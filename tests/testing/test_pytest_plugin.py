"""Scenarios as items of pytest: what passes, what fails and how it reads, what is replayed, and what is refused."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

# Loaded once, here: the runs of pytest within these tests forget what they have imported.
import lakeproof.show.pages.html
import lakeproof.testing.check  # noqa: F401

pytest_plugins = "pytester"
PAGE = Path(__file__).parents[2] / "docs" / "ci.md"

COUNTER = """
import attrs
from lakeproof import Call
from tests.racing import ATOMIC, increment as blind, increment_if as careful


def scenario(name, flow):
    return attrs.evolve(ATOMIC, name=name, clients=[[Call(flow)], [Call(flow)]])


SCENARIOS = [scenario("sale/blind", blind), scenario("sale/careful", careful)]
"""
WRONG = "sale/blind: increments-count is violated, expected holds"


@pytest.fixture(autouse=True)
def only_our_plugin(pytester: pytest.Pytester) -> None:
    """Plugins of others take most of the time of a run of pytest, and none of them is under test."""
    pytester.makeini("[pytest]\naddopts = -p no:hypothesispytest -p no:zarr")


@pytest.fixture
def file(pytester: pytest.Pytester) -> Path:
    return pytester.makepyfile(test_sale=COUNTER)


@pytest.mark.usefixtures("file")
class TestItems:
    def test_each_scenario_is_an_item_and_the_story_is_the_failure(self, pytester: pytest.Pytester) -> None:
        result = pytester.runpytest("-p", "no:randomly")
        result.assert_outcomes(passed=1, failed=1)
        text = result.stdout.str()
        assert WRONG in text
        assert "increments-count is violated in sale/blind, 4 steps" in text
        assert "violated: increments-count" in text
        assert "verifying.py" not in text, "no stack of lakeproof's own functions"

    def test_they_run_in_other_processes(self, pytester: pytest.Pytester) -> None:
        pytester.runpytest("-n", "2").assert_outcomes(passed=1, failed=1)

    def test_the_trace_and_the_page_are_named_in_the_xml_and_can_be_read(self, pytester: pytest.Pytester) -> None:
        from lakeproof.search.trace import read

        pytester.runpytest("--junitxml", "out.xml")
        found = ET.parse(pytester.path / "out.xml").iter("property")  # noqa: S314  # pytest has just written it
        files = {each.attrib["name"]: Path(each.attrib["value"]) for each in found}
        assert read(files.pop("lakeproof_trace")).invariant == "increments-count"
        assert "increments-count is violated in sale/blind" in files.pop("lakeproof_page").read_text()
        assert not files

    def test_a_counterexample_is_replayed_before_anything_is_searched(self, pytester: pytest.Pytester) -> None:
        pytester.runpytest()
        again = pytester.runpytest("-k", "blind")
        again.assert_outcomes(failed=1, deselected=1)
        again.stdout.fnmatch_lines([f"*{WRONG}: the code still follows an earlier counterexample"])

    def test_one_that_the_code_no_longer_follows_is_forgotten(self, pytester: pytest.Pytester, file: Path) -> None:
        pytester.runpytest()
        file.write_text(COUNTER.replace('scenario("sale/blind", blind)', 'scenario("sale/blind", careful)'))
        pytester.runpytest().assert_outcomes(passed=2)
        assert list((pytester.path / ".pytest_cache" / "d" / "lakeproof").iterdir()) == []

    def test_a_cache_that_cannot_be_written_costs_no_verdict(self, pytester: pytest.Pytester) -> None:
        result = pytester.runpytest("-o", "cache_dir=/dev/null/x", "-W", "ignore::pytest.PytestCacheWarning")
        result.assert_outcomes(passed=1, failed=1)
        assert WRONG in result.stdout.str()


def test_a_project_without_scenarios_gets_no_folder_of_lakeproof(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_other(): pass")
    pytester.runpytest().assert_outcomes(passed=1)
    assert not (pytester.path / ".pytest_cache" / "d" / "lakeproof").exists()


@pytest.mark.parametrize(
    ("name", "id_", "kept"),
    [("sale", "either/or", True), ("\N{HIRAGANA LETTER A}" * 60, "\N{HIRAGANA LETTER A}" * 60, False)],
    ids=["a slash", "too long for a file"],
)
def test_what_an_id_may_hold_costs_no_verdict(name: str, id_: str, kept: bool, pytester: pytest.Pytester) -> None:
    invariant = f"attrs.evolve(ATOMIC.invariants[0], id={id_!r}, check=lambda _: [Violation({id_!r}, 'always')])"
    changed = f"from lakeproof import Violation\nSCENARIOS = [scenario({name!r}, blind)]\n"
    changed += f"SCENARIOS = [attrs.evolve(SCENARIOS[0], invariants=[{invariant}])]\n"
    pytester.makepyfile(test_sale=COUNTER + changed)
    for again in (False, True):
        result = pytester.runpytest()
        result.assert_outcomes(failed=1)
        text = result.stdout.str()
        assert f"{name}: {id_} is violated, expected holds" in text
        assert "kept.py" not in text
        assert ("the code still follows an earlier counterexample" in text) is (kept and again)


@pytest.mark.parametrize(
    ("flow", "reason"),
    [
        ("import asyncio\nasync def increment(env): await asyncio.sleep(0)", "the flow awaits asyncio.sleep"),
        ("def increment(env): return 3", "expected a coroutine, found int"),
    ],
    ids=["it awaits something else", "it is no coroutine"],
)
def test_a_flow_that_can_no_longer_be_run_is_refused_in_a_line_also_where_a_trace_of_it_is_kept(
    flow: str, reason: str, file: Path, pytester: pytest.Pytester
) -> None:
    pytester.runpytest("-k", "blind").assert_outcomes(failed=1, deselected=1)
    file.write_text(COUNTER.replace("SCENARIOS =", f"{flow}\nblind = increment\nSCENARIOS ="))
    for _ in range(2):
        result = pytester.runpytest("-k", "blind")
        result.assert_outcomes(failed=1, deselected=1)
        assert reason in result.stdout.str()
        assert "replay.py" not in result.stdout.str()


DECORATED = (
    COUNTER.replace("SCENARIOS = ", "NONE = ")
    + """
import pytest
from lakeproof.testing import scenario as judged


@pytest.fixture
def flow():
    return careful


@judged
def test_with_a_fixture(flow):
    return scenario("sale/careful", flow)


@pytest.mark.parametrize("given", [blind, careful], ids=["blind", "careful"])
@judged
def test_each(given):
    return scenario("sale/each", given)


class TestSale:
    @judged
    def test_in_a_class(self, flow):
        return scenario("sale/class", flow)
"""
)


DRAWN = """
from hypothesis import given, settings, strategies as st

@settings(deadline=None, max_examples=3, database=None)
@given(st.sampled_from([careful, blind]))
@judged
def test_drawn(flow):
    return scenario("sale/drawn", flow)
"""


class TestDecorated:
    def test_functions_are_items_with_fixtures_and_parameters(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(test_sale=DECORATED)
        result = pytester.runpytest()
        result.assert_outcomes(passed=3, failed=1)
        text = result.stdout.str()
        assert "sale/each: increments-count is violated, expected holds" in text
        assert "increments-count is violated in sale/each, 4 steps" in text
        for internal in ("decorator.py", "kept.py", "verifying.py", "judge(found)"):
            assert internal not in text
        again = pytester.runpytest("-k", "blind")
        again.assert_outcomes(failed=1, deselected=3)
        again.stdout.fnmatch_lines(["*: the code still follows an earlier counterexample"])

    @pytest.mark.parametrize(
        ("made", "told"),
        [
            ("def test_none(): pass", "TypeError: test_none returned None; return a Scenario"),
            ("async def test_none(): pass", "TypeError: test_none returned <coroutine *>; return a Scenario"),
            (
                "def test_none(): return attrs.evolve(SCENARIO, clients=[[Call(careful, [])]])",
                "sale/careful: clients[[]0]*",
            ),
        ],
    )
    def test_what_returns_no_scenario_that_can_be_run_fails(
        self, pytester: pytest.Pytester, made: str, told: str
    ) -> None:
        head = DECORATED.partition("@pytest.fixture")[0]
        head += "import attrs\nSCENARIO = scenario('sale/careful', careful)\n"
        pytester.makepyfile(test_sale=f"{head}\n@judged\n{made}")
        result = pytester.runpytest()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"*{told}*"])

    def test_under_hypothesis_a_failure_is_found_again(self, pytester: pytest.Pytester) -> None:
        pytester.makepyfile(test_sale=DECORATED + DRAWN)
        for earlier in (False, True):
            result = pytester.runpytest("-k", "drawn")
            result.assert_outcomes(failed=1, deselected=4)
            text = result.stdout.str()
            assert "increments-count is violated in sale/drawn, 4 steps" in text
            assert ("follows an earlier counterexample" in text) is earlier
            assert "Flaky" not in text


@pytest.mark.parametrize("given", ["nan", "inf", "0", "-1", "soon"])
def test_a_budget_that_no_clock_passes_is_refused(pytester: pytest.Pytester, given: str) -> None:
    result = pytester.runpytest(f"--lakeproof-budget={given}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'{given}': expected seconds, a number greater than 0 and finite*"])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("SCENARIOS.append(SCENARIOS[0])", "SCENARIOS has two scenarios of the name 'sale/blind'; rename one"),
        ("SCENARIOS.append('sale')", "SCENARIOS has 'sale'; make it a Scenario"),
        ("SCENARIOS = SCENARIOS[0]", "SCENARIOS is a Scenario; make it a list of Scenario"),
        ("SCENARIOS = {each.name: each for each in SCENARIOS}", "SCENARIOS is a dict; make it a list of Scenario"),
        ("SCENARIOS = (each for each in SCENARIOS)", "SCENARIOS is a generator; make it a list of Scenario"),
        (
            "import unittest\nclass Sale(unittest.TestCase):\n SCENARIOS = SCENARIOS\ndel SCENARIOS",
            "Sale is a unittest.TestCase with SCENARIOS; move them out of it",
        ),
    ],
)
def test_a_list_that_is_none_is_an_error_and_not_passed_over(pytester: pytest.Pytester, more: str, told: str) -> None:
    pytester.makepyfile(test_sale=f"{COUNTER}\n{more}")
    result = pytester.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*{told}*"])


def test_a_name_whose_attributes_raise_is_passed_over_and_a_decorated_one_is_not(pytester: pytest.Pytester) -> None:
    raises = "raise RuntimeError('no request')"
    proxy = f"class Proxy:\n def __getattr__(self, name): {raises}\n{{}}request = Proxy()\ndef test_other(): pass"
    unbound = f" @property\n def __class__(self): {raises}\n"
    pytester.makepyfile(test_web=proxy.format(""), test_unbound=proxy.format(unbound))
    pytester.runpytest().assert_outcomes(passed=2)
    head = "from unittest import TestCase\nfrom lakeproof.testing import scenario"
    unnamed = head + "\nclass TestSale({}):\n @{}scenario\n def sale(): return None\n def test(self): pass"
    cases = {"plain": ("", ""), "static": ("", "staticmethod\n @"), "case": ("TestCase", "")}
    for each, given in cases.items():
        pytester.makepyfile(**{f"test_{each}": unnamed.format(*given)})
        result = pytester.runpytest(f"test_{each}.py")
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*sale is decorated with @scenario, and its name is none of a test; *'test'"])


def test_another_list_of_this_name_in_a_test_case_is_none_of_scenarios(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import unittest\nclass Sale(unittest.TestCase):\n SCENARIOS = [1]\n def test(self): pass")
    pytester.runpytest().assert_outcomes(passed=1)


def test_the_examples_of_the_page_run_each_under_its_runner(tmp_path: Path) -> None:
    decorated, checked = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (tmp_path / "test_counter.py").write_text(checked)
    (tmp_path / "test_decorated.py").write_text(decorated)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    for command, end in (
        (["unittest", "discover", "-s", str(tmp_path), "-p", "test_counter.py"], "OK"),
        (["pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_decorated.py")], "2 passed"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=PAGE.parents[1], capture_output=True, text=True, check=False
        )
        assert end in (done.stdout + done.stderr).splitlines()[-1], done.stdout + done.stderr
