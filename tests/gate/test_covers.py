"""What `gate run` says of the schedules that it has run: all, all within a bound, or some; in words and in JSON."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.commands import lakeproof

NASTY = Path(__file__).parent / "nasty.py"
COUNTER = Path(__file__).parents[2] / "examples" / "gate" / "counter.py"


def gate(file: Path, name: str, *words: str) -> Result:
    return lakeproof("gate", "run", str(file), name, *words)


def run(tmp_path: Path, name: str, *words: str, file: Path = COUNTER) -> tuple[int, dict[str, object]]:
    result = gate(file, name, "--json", "--out", str(tmp_path), *words)
    return result.exit_code, json.loads(result.stdout)


@pytest.mark.parametrize(
    ("name", "words", "code", "expected"),
    [
        ("counter/careful", (), 0, {"verdict": "holds", "all": True, "covers": "all", "parallel": True, "left": None}),
        ("counter/careful", ("--strategy", "random", "--schedules", "1"), 3, {"all": False, "covers": "some"}),
        # One client after the other, in two orders. What is left begins with a read of each.
        ("counter/blind", ("--preemptions", "0"), 3, {"covers": "at most 0 preemptions", "schedules": 2, "left": 2}),
        (
            "counter/blind",
            ("--preemptions", "1"),
            0,
            {"verdict": "violated", "schedules": 4, "violating": 2, "left": 0},
        ),
        ("counter/careful", ("--preemptions", "9"), 3, {"verdict": "inconclusive", "all": False, "left": 0}),
        ("counter/careful", ("--preemptions", "2", "--schedules", "1"), 3, {"covers": "some", "left": None}),
    ],
)
def test_a_verdict_covers_what_was_run_and_no_more(
    tmp_path: Path, name: str, words: tuple[str, ...], code: int, expected: dict[str, object]
) -> None:
    found, row = run(tmp_path, name, *words)
    assert (found, {each: row[each] for each in expected}) == (code, expected)


def test_with_one_order_in_each_client_all_is_false_and_the_json_says_what_was_run(tmp_path: Path) -> None:
    edited = tmp_path / "counter.py"
    edited.write_text(COUNTER.read_text().replace("setup=[call(create)]", "setup=[call(create)], parallel=False"))
    code, row = run(tmp_path, "counter/careful", file=edited)
    assert (code, row["verdict"]) == (0, "holds")
    assert (row["all"], row["covers"], row["parallel"]) == (False, "one order in each client", False)


def test_crashes_are_spent_within_a_bound_as_without_one(tmp_path: Path) -> None:
    code, row = run(tmp_path, "crash", "--preemptions", "0", file=NASTY)
    assert (row["verdict"], row["schedules"], row["violating"]) == ("violated", 5, 2)
    assert (code, row["all"], row["left"]) == (1, False, 0)


@pytest.mark.parametrize("name", ["fixed", "minted"])
def test_keys_that_are_new_in_every_run_have_the_classes_of_fixed_ones_within_a_bound(
    tmp_path: Path, name: str
) -> None:
    _, row = run(tmp_path, name, "--preemptions", "3", file=NASTY.parent / "minting.py")
    assert (row["verdict"], row["schedules"], row["violating"], row["left"]) == ("violated", 3, 1, 0)


@pytest.mark.parametrize("name", ["erratic", "cached"])
def test_a_bounded_run_of_a_program_that_does_not_repeat_itself_covers_nothing(tmp_path: Path, name: str) -> None:
    code, row = run(tmp_path, name, "--preemptions", "1", file=NASTY)
    assert (code, row["verdict"], row["covers"], row["left"]) == (3, "inconclusive", "some", None)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--strategy", "pct", "--preemptions", "1"), "--preemptions bounds the search of all schedules, no sample"),
        (("--preemptions", "-1"), "--preemptions"),
    ],
)
def test_a_bound_that_bounds_nothing_is_refused(tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    result = gate(COUNTER, "counter/blind", "--out", str(tmp_path), *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
