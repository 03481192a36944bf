"""Other moves: what is listed is what is possible, and each turns out as the world says; names of moves and paths."""

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.search.faults import Mode, Move
from lakeproof.search.replay import ReplayDiverged
from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from lakeproof.show.pages.alternatives import of_scenario, of_trace
from lakeproof.show.pages.walk import ForkableRun, NoSuchMove, move_named, moves_of, name_of, others
from lakeproof.verify.loader import Source
from tests.commands import RACING
from tests.racing import FAULTY, LOST_UPDATE
from tests.show.traces import RACE

A, B = Move(0, Mode.NORMAL), Move(1, Mode.NORMAL)


def random_moves(data: st.DataObject) -> tuple[World, list[Move]]:
    world, moves = World(prepare(FAULTY)), []
    for _ in range(data.draw(st.integers(0, 12))):
        if not world.moves():
            break
        moves.append(data.draw(st.sampled_from(world.moves())))
        world.step(moves[-1])
    return world, moves


class TestPaths:
    @pytest.mark.parametrize("mode", Mode)
    def test_every_mode_has_a_name_of_its_own(self, mode: Mode) -> None:
        move = Move(-1 if mode in (Mode.DELIVER, Mode.TICK, Mode.EXPIRE) else 2, mode)
        assert move_named(name_of(move)) == move

    @pytest.mark.parametrize("task", ["1", "2.13", "1-"])
    def test_a_task_of_a_client_is_named_behind_it(self, task: str) -> None:
        move = Move(1, Mode.LOST_APPLIED, task)
        assert name_of(move) == f"b:{task}.lost-applied"
        assert move_named(name_of(move)) == move
        assert move_named(f"b:{task}") == Move(1, Mode.NORMAL, task)

    @pytest.mark.parametrize(
        "path",
        ["A", "a.", "ab", "a.boom", "a.late-write", ".crash", "a,,b", "clock.crash", "ä", ",", "a:", "a:1.", "a:x"],
    )
    def test_what_names_no_move_is_refused(self, path: str) -> None:
        with pytest.raises(NoSuchMove, match="is no move; expected a client"):
            moves_of(path)


class TestOptions:
    @settings(max_examples=15)
    @given(st.data())
    def test_they_are_the_moves_of_the_world_and_turn_out_as_it_does(self, data: st.DataObject) -> None:
        world, moves = random_moves(data)
        walk = ForkableRun(FAULTY)
        for move in moves:
            walk.advance(move)
        found = list(walk.options())
        assert [option.move for option in found] == world.moves()
        for option in found:
            twin = walk.fork()
            assert twin.describe(option.move) == option.step
            after = world.fork()
            after.step(option.move)
            assert after.key() == twin.world.key()

    def test_a_move_that_would_violate_says_so_and_a_move_that_would_not_does_not(self) -> None:
        walk = ForkableRun(LOST_UPDATE)
        for move in (A, B, A):
            walk.advance(move)
        [last] = walk.options()
        assert last.violated == (("increments-count", "2 increments, and the counter says 1"),)
        honest = ForkableRun(LOST_UPDATE)
        for move in (A, A, B):
            honest.advance(move)
        [last] = honest.options()
        assert last.violated == ()


class TestOthersOfATrace:
    def test_code_that_does_not_follow_the_trace_is_no_source_of_other_moves(self) -> None:
        changed = attrs.evolve(RACE, schedule=(RACE.schedule[0], RACE.schedule[0], *RACE.schedule[2:]))
        with pytest.raises(ReplayDiverged):
            others(changed, LOST_UPDATE)
        told = of_scenario(changed, LOST_UPDATE, Source(RACING))
        assert not told.steps
        assert "no longer follows the trace" in told.why
        assert not told.explore

    def test_without_the_file_of_the_scenario_it_is_asked_for(self) -> None:
        assert (
            of_trace(attrs.evolve(RACE, file="racing.py"), None).why
            == "say where the scenario is, with --from racing.py"
        )

    def test_what_is_cut_off_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lakeproof.show.pages.walk.STEPS_MAX", 6)  # 2 * 1 + 2 * 2, then 2 * 3
        found = of_scenario(RACE, LOST_UPDATE, Source(RACING))
        assert len(found.steps) == 2
        assert found.why.startswith("the moves of the last 2 steps would take more than")
