"""A command that waits without a timeout is judged in exactly the outcomes that a Redis has."""

import random
import socket
from collections.abc import Callable
from contextlib import ExitStack

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lakeproof.gate.classes import Classes
from lakeproof.gate.fronts.footprints import Touch
from lakeproof.gate.fronts.redis.front import RedisFront
from lakeproof.gate.fronts.redis.lua import sha_of
from lakeproof.gate.preemptions import Bounded
from lakeproof.gate.run import Chooser
from lakeproof.gate.server import CRASHED, CRASHED_APPLIED, NORMAL, Gate
from lakeproof.gate.strategies import Sampled
from tests.gate.redis_requests import Real, sent, words
from tests.gate.waiting import Misjudged, Program, Server, by_gate, by_redis, encoded, programs

WORKER, PUSH = (("BLPOP a 0",),), (("RPUSH a x",),)
TAKEN_AT_ONCE = (("RPUSH a x;LPOP a",),)
SEVERAL = (("RPUSH b x;RPUSH a y",),)
BOTH, MOVE = (("BLPOP a b 0",),), (("BLMOVE b a LEFT LEFT 0",),)
BOTH_TIMED, MOVE_TIMED = (("BLPOP a b 5",),), (("BLMOVE b a LEFT LEFT 5",),)


def no_bound(program: Program) -> Bounded:
    ways = (NORMAL, CRASHED, CRASHED_APPLIED)
    return Bounded(99, lambda spent: ways if sum(mode != NORMAL for mode in spent) < program[1] else ways[:1])


SEARCHES: dict[str, Callable[[Program], Chooser]] = {
    "classes": lambda program: Classes(),
    "threads": lambda program: Classes(threads=True),
    "preemptions": no_bound,
}


@pytest.mark.parametrize("search", SEARCHES)
@settings(max_examples=40)
@given(programs(lines_max=6))
@example(((WORKER, WORKER, PUSH), 0))
@example(((WORKER, TAKEN_AT_ONCE, PUSH), 0))
@example(((WORKER, MOVE, (("RPUSH b x",),)), 0))
@example((((("BLPOP a 0",), ("RPUSH a x",)), PUSH), 1))
def test_the_schedules_that_are_judged_have_the_outcomes_of_redis(search: str, program: Program) -> None:
    if search == "threads":
        program = (program[0], 0)  # with them the gate refuses crashes
    try:
        found, _ = by_gate(program, SEARCHES[search](program))
    except Misjudged:
        assume(False)
    assert found == by_redis(program)


@pytest.mark.parametrize("program", [((WORKER, PUSH), 0), ((WORKER, WORKER, PUSH), 0)], ids=["one", "two"])
def test_a_search_that_judges_all_or_misses_a_race_has_other_outcomes(
    monkeypatch: pytest.MonkeyPatch, program: Program
) -> None:
    stable = Gate._stable
    with monkeypatch.context() as patch:
        patch.setattr(RedisFront, "awaited", lambda *_: 0)
        assert by_gate(program, Classes())[0] > by_redis(program), "a worker waits though an element is there"
    monkeypatch.setattr(
        Gate, "_stable", lambda *of: tuple(each for each in stable(*of) if each.touch is not Touch.READ)
    )
    assert by_gate(program, Classes())[0] < by_redis(program)


@pytest.mark.parametrize(
    "program",
    [
        *(((both, SEVERAL), 0) for both in (BOTH, BOTH_TIMED)),
        *(((*waits, (("RPUSH b x y",),)), 0) for waits in ((MOVE, BOTH), (MOVE, BOTH_TIMED), (MOVE_TIMED, BOTH_TIMED))),
    ],
)
def test_which_of_several_lists_that_are_filled_at_once_ends_a_wait_is_not_known(program: Program) -> None:
    """By a transaction; or by a push, and by a move that has waited for it."""
    with pytest.raises(Misjudged, match="which of several keys ends a wait"):
        by_gate(program, Classes())


def test_lists_that_are_filled_one_after_the_other_are_judged() -> None:
    program: Program = ((BOTH, (("RPUSH a x",),), (("RPUSH b x",),)), 0)
    assert by_gate(program, Classes())[0] == by_redis(program)
    # No Misjudged: two calls in turn, as of a worker that looks again.
    by_gate(((BOTH_TIMED, (("RPUSH a x", "RPUSH b x"),)), 0), Classes())
    by_gate((((("BLPOP a b 5", "BLPOP a b 5"),), (("RPUSH b x", "RPUSH a x"),)), 0), Classes())


def test_a_wait_for_two_lists_depends_on_the_second_one_also_where_it_takes_from_the_first() -> None:
    """Else no schedule is run in which it takes from the second, after the other client has looked at the first."""
    program: Program = (((("BLPOP b a 0", "LLEN a"),), (("LLEN b", "RPUSH b y"),), (("RPUSH a y",),)), 0)
    assert by_gate(program, Classes())[0] == by_redis(program)


def test_a_script_depends_on_all_its_keys_also_where_it_reads_only_the_first() -> None:
    script = "EVAL return(redis.call('lpop',KEYS[1])or(redis.call('lpop',KEYS[2]))) 2 b a"
    program: Program = ((((script, "LLEN a"),), (("LLEN b", "RPUSH b y"),), (("RPUSH a y",),)), 0)
    assert by_gate(program, Classes())[0] == by_gate(program, no_bound(program))[0]


def test_loads_of_a_script_are_independent_of_what_comes_after_the_first_of_them() -> None:
    load, run = "SCRIPT LOAD return(1)", f"EVALSHA {sha_of(b'return(1)')} 0"
    search = Classes()
    by_gate((tuple(((each,),) for each in (load, load, run, run)), 0), search)
    # Which load is the first, and whether each of the two others comes before or after it: 2 * 2 * 2.
    assert (search.complete, search.rounds) == (8, 1)


def test_two_scripts_are_two_also_if_one_client_is_the_first_to_ask_for_both() -> None:
    exists = f"SCRIPT EXISTS {sha_of(b'return(1)')}"
    program: Program = ((((exists, "EVAL return(2) 0"),), ((exists,),)), 0)
    search = no_bound(program)
    by_gate(program, search)  # no AnsweredOtherwise
    assert search.complete == 1


@pytest.mark.parametrize("changes", [None, 2], ids=["random", "pct"])
def test_each_schedule_of_a_sample_is_judged(changes: int | None) -> None:
    program: Program = ((WORKER, WORKER, (("RPUSH a x", "RPUSH a y"),)), 0)
    found, unreal = by_gate(program, Sampled(20, 0, changes))
    assert not unreal
    assert found == by_redis(program)


def wait_for_blocked(real: Real, count: int) -> None:
    """Until a Redis has so many clients that wait: others have arrived, or are gone."""
    while b"blocked_clients:%d\r\n" % count not in real.ask(0, (b"INFO", b"clients")):
        pass


@settings(max_examples=60)
@given(programs(lines_max=8), st.randoms(use_true_random=False))
@example(((BOTH, SEVERAL), 0), random.Random(1))
@example(((WORKER, MOVE, WORKER, (("RPUSH b x",),)), 0), random.Random(1))
@example(((MOVE, BOTH, (("RPUSH b x y",),)), 0), random.Random(1))
def test_the_oracle_of_these_tests_serves_as_a_real_redis(real: Real, program: Program, chance: random.Random) -> None:
    server = Server((program[0], 0))
    with ExitStack() as open_ones:
        wait_for_blocked(real, 0)
        real.ask(0, (b"FLUSHALL",))
        files = {}
        for where in ((at, number) for at, client in enumerate(program[0]) for number, _ in enumerate(client)):
            connection = open_ones.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(60)
            connection.connect(real.path)
            files[where] = connection, open_ones.enter_context(connection.makefile("rb"))
        while found := list(server.moves()):
            where, at, mode = chance.choice(found)
            before, server = server, server.after(where, at, mode)
            commands = [words(each) for each in program[0][where[0]][where[1]][at].strip("?").split(";")]
            several = [(b"MULTI",), *commands, (b"EXEC",)] if len(commands) > 1 else commands
            connection, file = files[where]
            connection.sendall(b"".join(map(sent, several)))
            for _ in several[1:]:  # OK, and QUEUED
                assert file.readline().startswith(b"+")
            for (client, number), (_, answers) in files.items():
                for answer in server.answers[client][number][len(before.answers[client][number]) :]:
                    expected = encoded(answer)
                    assert answers.read(len(expected)).replace(b"*-1", b"$-1") == expected, (program, answer)
            wait_for_blocked(real, len(server.blocked))
        for key in "ab":
            expected = encoded(tuple(server.lists.get(key, ())))
            assert real.ask(0, (b"LRANGE", key.encode(), b"0", b"-1")) == expected
