"""Lanes: what is printed is pinned, at several widths, and in plain ASCII."""

import io

import attrs
import pytest
from rich.console import Console

from lakeproof.explore.trace import Trace
from lakeproof.report.lanes import show
from tests.report.traces import AFTERMATH, CRASH, RACE, TROUBLE


def shown(trace: Trace, width: int, encoding: str = "utf-8") -> str:
    """What ``show`` prints, without the blanks at the end of lines."""
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    show(trace, Console(file=file, width=width, markup=False, highlight=False, emoji=False))
    file.seek(0)
    return "\n".join(line.rstrip() for line in file.read().splitlines())


def test_every_kind_of_trouble() -> None:
    assert (
        shown(TROUBLE, 70)
        == """\
stays-cleared is violated in counters/faulty, 6 steps

  a  increment(), then clear()
  b  increment()
  at first, counters/n: 1


 step   a        b       key          what is read, or how it changes
 ────────────────────────────────────────────────────────────────────
    1   get              counters/n   refused
                                      => increment() fails: Refused()
    2            get     counters/n   1
    3            │                    the clock jumps by 1 s
    4            set     counters/n   1 -> 2
                                      applied, answer lost, will be
                                      applied again
                                      => increment() has an unknown
                                      outcome: OutcomeUnknown()
    5   delete           counters/n   2 -> nothing
                                      => clear() succeeds
    6            (set)   counters/n   nothing -> 2
                                      late write arrives


race:     double apply: the write of b to counters/n at step 4 takes
effect again at step 6
violated: stays-cleared
meaning:  what is cleared stays so
evidence: the counter is back"""
    )


def test_a_crash_ends_the_bar_of_its_client() -> None:
    assert (
        "\n".join(shown(CRASH, 80).split("\n")[7:20])
        == """\

 step   a      b      c       key          what is read, or how it changes
 ─────────────────────────────────────────────────────────────────────────
    1                 get     counters/n   not found
    2   get           │       counters/n   not found
    3   │      get    │       counters/n   not found
    4   │      │      crash                crashes
    5   set    │              counters/n   nothing -> 1
                                           => increment() returns 1
    6          set            counters/n   no change
                                           => increment() returns 1

"""
    )


def test_a_terminal_without_unicode() -> None:
    assert (
        "\n".join(shown(RACE, 80, "ascii").split("\n")[6:15])
        == """\
+-----+------+------+------------+--------------------------------+
|step | a    | b    | key        | what is read, or how it changes|
+=====+======+======+============+================================+
|   1 | get  |      | counters/n | not found                      |
|   2 | |    | get  | counters/n | not found                      |
|   3 | set  | |    | counters/n | nothing -> 1                   |
|     |      |      |            | => increment() returns 1       |
|   4 |      | set  | counters/n | no change                      |
|     |      |      |            | => increment() returns 1       |"""
    )


def test_an_aftermath_is_told_below() -> None:
    assert "\nafterwards, alone: increment() returns 2\n" in shown(AFTERMATH, 80)


@pytest.mark.parametrize("width", [50, 80, 120, 200])
@pytest.mark.parametrize("trace", [RACE, TROUBLE, CRASH], ids=["race", "trouble", "crash"])
def test_the_table_fits_and_nothing_is_lost(trace: Trace, width: int) -> None:
    lines = shown(trace, width).split("\n")
    table = lines[lines.index("") + 1 :]
    assert all(len(line) <= width for line in table if "─" in line or line.startswith("    "))
    for step in range(1, len(trace.schedule) + 1):
        assert any(line.strip().startswith(f"{step} ") for line in table)


def test_a_condition_that_failed_is_shown_with_what_was_wanted() -> None:
    step = attrs.evolve(
        RACE.schedule[3], effect="set_if", condition="if absent", reply="predicate failed", changes=(), returned=()
    )
    assert "1, if absent: predicate failed" in shown(attrs.evolve(RACE, schedule=(step,)), 100)
