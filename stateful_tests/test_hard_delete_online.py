"""Online hard delete under uploads, copies, moves, links, deletes, commits, merges, resets and jobs: hundreds of steps.

Whatever Hypothesis starts and whoever steps: what is committed or staged is there and unchanged, what was acknowledged
is kept; and whenever nobody is under way, the job finds all garbage.
"""

from collections.abc import Hashable, Sequence
from typing import ClassVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from lakeproof import Call, Faults
from lakeproof.explore.faults import Mode
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.graveler import founding, lock_free
from lakeproof.impl.hard_delete import online
from lakeproof.impl.refs import branches
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import Invariant, data, refs
from lakeproof.scenario import Aftermath, Flow
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from stateful_tests.machine import ConcurrentMachine, hold, refute

MAIN, OTHER = REPOSITORY.default_branch_id, BranchID("c")
LATER = online.AS_WRITTEN.lifetime + 1
CONTENT = b"?"
SAFE: tuple[Invariant, ...] = (
    data.committed_data_is_kept,
    data.committed_data_is_unchanged,
    data.staged_data_is_kept,
    refs.head_exists,
    refs.token_has_one_owner,
)


def call(flow: Flow, *args: Hashable, **options: Hashable) -> Call:
    return Call(flow, REPOSITORY, *args, **options)  # type: ignore[arg-type]  # none of them is ``attempts``


def reclaimed(*before: Call) -> Aftermath:
    """The job finds all garbage, after these calls, whatever becomes of them."""
    return Aftermath(
        id=data.GARBAGE_IS_RECLAIMED,
        meaning=data.GARBAGE_IS_RECLAIMED_MEANING,
        calls=[*before, call(online.background_job)],
        check=lambda outcomes, snapshot: tuple(data.garbage_is_reclaimed(outcomes[len(before) :], snapshot)),
        clock_advance=LATER,
    )


class Online(ConcurrentMachine):
    """No faults but the passing of time."""

    setup = (call(founding.found), call(branches.create_branch, BRANCH, MAIN))
    menu = (
        *[call(online.upload_object, branch, path, CONTENT) for branch in (BRANCH, MAIN) for path in (X, Y)],
        call(online.copy_object, BRANCH, Y, BRANCH, X),
        call(online.copy_object, MAIN, X, BRANCH, X),
        call(online.move_object, BRANCH, X, Y),
        call(online.delete_object, BRANCH, X),
        call(
            catalog.upload_and_link,
            BRANCH,
            X,
            CONTENT,
            through=catalog.Linking(online.get_physical_address, online.link_physical_address, signed=True),
        ),
        call(online.commit, BRANCH, "m"),
        call(online.commit, MAIN, "m"),
        call(online.merge, MAIN, BRANCH, "m"),
        call(online.FLOWS.reset_branch, BRANCH),
        call(online.delete_branch, OTHER),
        call(branches.create_branch, OTHER, BRANCH, tombstones=True),
        call(online.background_job, batch_size=2),
        call(online.background_job),
    )
    invariants_checked = (*SAFE, data.acknowledged_upload_is_kept)
    aftermath: ClassVar[Sequence[Aftermath]] = (reclaimed(),)
    faults = Faults(clock_jumps=(LATER,) * 4)
    clients_max = 5

    @precondition(lambda self: sum(map(self.world.alive, range(len(self.world.clients)))) < self.clients_max)
    @rule(data=st.data())
    def start(self, data: st.DataObject) -> None:
        chosen: Call = data.draw(st.sampled_from(list(self.menu)), label="operation")
        content = b"%d" % len(self.world.clients)
        args = tuple(content if arg == CONTENT else arg for arg in chosen.args)
        self.world.start(Call(chosen.flow, *args, **dict(chosen.options)))  # type: ignore[arg-type]
        self._check()

    @precondition(lambda self: not self.world.quiescent)
    @rule(data=st.data(), steps=st.integers(2, 12))
    def go_on(self, data: st.DataObject, steps: int) -> None:
        """Some client performs several effects on end."""
        alive = [at for at in range(len(self.world.clients)) if self.world.alive(at)]
        client = data.draw(st.sampled_from(alive), label="client")
        for _ in range(steps):
            moves = [move for move in self._moves(normal=True) if move.client == client]
            if not moves:
                return
            self._move(moves[0])

    @precondition(lambda self: not self.world.quiescent)
    @rule()
    def settle(self) -> None:
        """One after the other, they run to their ends."""
        while not self.world.quiescent:
            self._move(next(move for move in self._moves(normal=True) if move.mode is Mode.NORMAL))


class Faulty(Online):
    """Clients crash, answers get lost: then garbage waits until the fate of its token is decided.

    No scan fails: a reset whose clearing breaks off has a definite error, and took place (docs/findings-branches.md).
    """

    faults = Faults(crashes=2, lost_answers=2, false_predicates=2, clock_jumps=(LATER,) * 4)
    aftermath = (reclaimed(*(call(online.FLOWS.reset_branch, branch_id) for branch_id in (BRANCH, MAIN, OTHER))),)


class Untimed(Online):
    """Without any clock, no job ever waits: what is safe is safe all the same."""

    menu = tuple(
        Call(each.flow, *each.args, reading=online.UNTIMED)
        if each.flow in (online.upload_object, online.copy_object, online.move_object)
        else each
        for each in Online.menu
    )
    aftermath = ()
    faults = Faults(crashes=1, lost_answers=1, false_predicates=1)


@pytest.mark.parametrize("machine", [Online, Faulty, Untimed])
def test_it_holds_whatever_is_started_and_whoever_steps(machine: type[ConcurrentMachine], run_seed: int) -> None:
    hold(machine, run_seed, runs=3, steps=150)


@pytest.mark.deep
@pytest.mark.parametrize("machine", [Online, Faulty, Untimed])
def test_it_holds_over_hundreds_of_long_runs(machine: type[ConcurrentMachine], run_seed: int) -> None:
    hold(machine, run_seed, runs=300, steps=300)


class Unpromised(Untimed):
    """A negative control: commits that do not write down beforehand which tokens they take."""

    menu = (
        call(online.upload_object, BRANCH, X, CONTENT, reading=online.UNTIMED),
        call(lock_free.commit, BRANCH, "m"),
        call(online.background_job),
    )
    invariants_checked = SAFE
    faults = Faults()


def test_commits_that_promise_nothing_lose_data() -> None:
    with pytest.raises(AssertionError, match="committed-data-is-kept"):
        refute(Unpromised, runs=500, steps=60)
