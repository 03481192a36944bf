"""Stories: what is printed is pinned, for a plain race and for every kind of trouble."""

import re

import attrs
import pytest

from lakeproof.explore.faults import Mode
from lakeproof.explore.trace import TraceStep
from lakeproof.report.story import story
from tests.report.traces import AFTERMATH, CRASH, RACE, TROUBLE


def without_lines(told: str) -> str:
    """A story without the line of the flow behind each step."""
    return re.sub(r"  tests/racing\.py:\d+$", "", told, flags=re.MULTILINE)


def test_every_step_says_which_line_asked_for_it() -> None:
    steps = [line for line in story([RACE]).plain.split("\n") if re.match(r" +\d+  ", line)]
    assert len(steps) == len(RACE.schedule)
    for line, step in zip(steps, RACE.schedule, strict=True):
        assert line.endswith(f"  {step.at}")
        assert re.fullmatch(r"tests/racing\.py:\d+", step.at)


def test_a_race() -> None:
    assert (
        without_lines(story([RACE], ["lakeproof replay out/a.json"]).plain)
        == """\
increments-count is violated in counters/lost-update, 4 steps

  a  increment()
  b  increment()
  at first, nothing

  1  a increment  reads counters/n: not found
  2  b increment  reads counters/n: not found
  3  a increment  sets counters/n: nothing -> 1
                  => increment() returns 1
  4  b increment  sets counters/n to 1: unchanged
                  => increment() returns 1

race:     lost update: at step 4 b overwrites counters/n, which it read at step 2 and a wrote at step 3
violated: increments-count
meaning:  every acknowledged increment is counted
evidence: 2 increments, and the counter says 1
replay:   lakeproof replay out/a.json"""
    )


def test_refusals_lost_answers_late_writes_and_the_clock() -> None:
    assert (
        without_lines(story([TROUBLE]).plain)
        == """\
stays-cleared is violated in counters/faulty, 6 steps

  a  increment(), then clear()
  b  increment()
  at first, counters/n: 1

  1  a increment  reads counters/n; the store refuses: nothing happens, and a gets a definite error
                  => increment() fails: Refused()
  2  b increment  reads counters/n: 1
  3               the clock jumps by 1 s
  4  b increment  sets counters/n: 1 -> 2; it happens, the answer is lost, and it will happen once more
                  => increment() has an unknown outcome: OutcomeUnknown()
  5  a clear      deletes counters/n: 2 -> nothing
                  => clear() succeeds
  6               the late write of b arrives: sets counters/n: nothing -> 2

race:     double apply: the write of b to counters/n at step 4 takes effect again at step 6
violated: stays-cleared
meaning:  what is cleared stays so
evidence: the counter is back"""
    )


def test_an_aftermath() -> None:
    assert without_lines(story([AFTERMATH]).plain).split("\n\n")[-3:] == [
        """\
  1  b clear      deletes counters/n: it is absent
                  => clear() succeeds
  2  a increment  reads counters/n: not found
  3  a increment  sets counters/n: nothing -> 1
                  => increment() returns 1""",
        "  Afterwards, alone and without faults:\n  => increment() returns 2",
        """\
violated: stays-small
meaning:  one more increment does not make it 2
evidence: one more increment made it 2""",
    ]


def test_a_crash() -> None:
    assert "  4  c increment  crashes: it never moves again\n" in without_lines(story([CRASH]).plain)


def test_traces_of_one_schedule_share_a_story() -> None:
    others = [attrs.evolve(RACE, invariant=name, meaning=f"{name} counts") for name in ("second", "third")]
    told = story([RACE, *others], ["replay one", "replay two", "replay three"]).plain
    assert told.startswith("increments-count, second and third are violated in counters/lost-update, 4 steps\n")
    assert told.count("reads counters/n") == 2
    assert told.endswith("""
violated: third
meaning:  third counts
evidence: 2 increments, and the counter says 1
replay:   replay three""")


def test_traces_of_two_schedules_do_not() -> None:
    with pytest.raises(AssertionError, match="several stories"):
        story([RACE, CRASH])


STEP = TraceStep(
    client="a", call="f('x')", mode=Mode.NORMAL, effect="set_if", key="k", value="2", condition="if absent"
)


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (attrs.evolve(STEP, reply="predicate failed"), "sets k to 2, if absent: predicate failed, it is old"),
        (
            attrs.evolve(STEP, reply="predicate failed", condition="if still 1", key="gone"),
            "sets gone to 2, if still 1: predicate failed, it is absent",
        ),
        (
            attrs.evolve(STEP, mode=Mode.LOST_DROPPED),
            "sets k to 2, if absent; it does not happen, and no answer comes: a cannot know",
        ),
        (
            attrs.evolve(STEP, mode=Mode.REPEATED_DROPPED),
            "sets k to 2, if absent; no answer comes, and it will happen later",
        ),
        (
            attrs.evolve(STEP, effect="scan", key="p/", value="", condition="at most 2", reply="a, b; and more"),
            "scans p/, at most 2: a, b; and more",
        ),
        (
            attrs.evolve(STEP, effect="scan", key="p/", value="", condition="from b", mode=Mode.SCAN_FAILURE),
            "scans p/, from b; the scan breaks off",
        ),
        (
            attrs.evolve(STEP, effect="now", key="", value="", condition="", reply="the start"),
            "reads the clock: the start",
        ),
        (
            attrs.evolve(STEP, effect="put", key="object o", value="data", condition="", reply="ok"),
            "writes object o with data: unchanged",
        ),
        (
            attrs.evolve(STEP, effect="copy", key="object o", value="that of p", condition="", reply="not found"),
            "writes object o with that of p: not found",
        ),
    ],
)
def test_what_else_a_step_can_be(step: TraceStep, told: str) -> None:
    trace = attrs.evolve(RACE, schedule=(step,), initially=(("k", "old"),))
    assert story([trace]).plain.split("\n")[6] == f"  1  a f  {told}"


def test_a_false_predicate_failure_tells_what_happened_and_what_is_reported() -> None:
    step = attrs.evolve(RACE.schedule[2], mode=Mode.FALSE_PREDICATE, reply="predicate failed")
    told = story([attrs.evolve(RACE, schedule=(step,))]).plain
    assert (
        "sets counters/n: nothing -> 1; it happens, but the client library tries again and so reports that the "
        "predicate failed" in told
    )


def test_a_large_store_is_not_shown_in_full() -> None:
    trace = attrs.evolve(RACE, initially=tuple((f"k{number:02}", "1") for number in range(14)))
    told = story([trace]).plain
    assert "            k11: 1\n            and 2 more keys\n" in told
    assert "k12" not in told


def test_a_trace_from_somebody_else_cannot_play_with_the_terminal() -> None:
    evil = "\x1b[2J\n"
    step = attrs.evolve(RACE.schedule[2], call=f"{evil}()", key=evil, value=evil, returned=(evil,))
    trace = attrs.evolve(
        RACE,
        scenario=evil,
        invariant=evil,
        meaning=evil,
        evidence=evil,
        clients=((evil,),),
        initially=((evil, evil),),
        afterwards=(evil,),
        schedule=(step,),
    )
    told = story([trace]).plain
    assert "\x1b" not in told
    assert len(told.split("\n")) == len(story([attrs.evolve(trace, evidence="x")]).plain.split("\n"))
