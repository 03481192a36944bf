"""The swarm machines: what holds of them is found to hold, from a new seed each time; what is refuted is found.

A run of a machine with less than its budget proves nothing: its budget is what finds the planted bugs. So each run of
the default tier takes an eighth of the machines, by its seed, through their whole budget; ``deep`` takes all.

A failure names the run and the command that makes it again. A design that holds, holds whatever the seed: a failure is
a finding, never bad luck.
"""

import os
from random import Random

import pytest

from lakeproof.model.calls import KINDS
from lakeproof.search.minimise import preemptions
from lakeproof.search.search import search
from lakeproof.search.setup import prepare
from stateful_tests.__main__ import main
from stateful_tests.machines import BY_HAND, PLANS, machine

NAMES = (*PLANS, *BY_HAND)
TURNS = 8


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "whose_turn" in metafunc.fixturenames:
        metafunc.parametrize("whose_turn", NAMES[int(os.environ["LAKEPROOF_SEED"]) % TURNS :: TURNS])


def test_it_holds_over_its_budget_from_a_new_seed(whose_turn: str, run_seed: int) -> None:
    found = machine(whose_turn).seek(run_seed)
    assert found is None, str(found)


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_it_holds_over_its_budget_out_of_turn(name: str, run_seed: int) -> None:
    found = machine(name).seek(run_seed)
    assert found is None, str(found)


CHANGE_NO_ENTRY = frozenset(
    {"create_branch_at", "delete_instance", "get_commit", "get_physical_address", "migrate", "put", "seal"}
)
"""Flows that are no `Kind`, and that no bookkeeping of changes has to know: they leave what a branch shows alone."""


@pytest.mark.parametrize("name", PLANS)
def test_what_it_says_is_known_to_the_invariants_as_a_call(name: str) -> None:
    swarm = machine(name)
    said = {call.name for seed in range(60) for client in swarm.draw(Random(seed)).clients for call in client}
    assert said - KINDS.keys() - CHANGE_NO_ENTRY == set()


RUNS_THAT_WERE_FALSE_ALARMS = {
    "hard-delete/token_states-mended": "1997583494.0",  # a link overwrites what was uploaded before
    "hard-delete/token_states": "47734121.20",
}


@pytest.mark.parametrize("name", RUNS_THAT_WERE_FALSE_ALARMS)
def test_a_link_overwrites_what_was_acknowledged_before(name: str) -> None:
    assert machine(name).run(RUNS_THAT_WERE_FALSE_ALARMS[name]) is None


def test_equal_seeds_are_equal_runs_and_other_seeds_others() -> None:
    swarm = machine("commits/lock-free")
    drawn = [str(swarm.draw(Random(seed)).clients) for seed in ("1.0", "1.0", "1.1")]
    assert drawn[0] == drawn[1] != drawn[2]


UNSEALED = "commits/optimistic-unsealed"
KEPT = "acknowledged-write-is-kept"


def test_a_failure_says_the_run_that_makes_it_again() -> None:
    swarm = machine(UNSEALED, only=KEPT)
    found = swarm.seek("known")
    assert found is not None
    assert f"again: python -m stateful_tests '{UNSEALED}' --run {found.seed}" in str(found)
    again = swarm.run(found.seed)
    assert again is not None
    assert (again.moves, again.evidence) == (found.moves, found.evidence)


def test_a_failure_shrinks_to_the_length_that_the_search_finds() -> None:
    found = machine(UNSEALED, only=KEPT).seek("known")
    assert found is not None
    small = found.smaller()
    assert preemptions(small.moves) <= preemptions(found.moves)
    assert len(small.moves) <= len(found.moves)
    (there,) = (each for each in search(small.scenario).findings if each.id == KEPT)
    assert there.counterexample is not None
    assert len(there.counterexample.moves) <= len(small.moves) <= len(there.counterexample.moves) + 4


def test_every_run_begins_where_a_run_of_its_own_would() -> None:
    swarm = machine("merges/by-set-if")
    settings: dict[object, object] = {}
    for number in range(20):
        swarm.run(f"x.{number}", settings)  # type: ignore[arg-type]
    kept = {key: value.cells for key, value in settings.items()}  # type: ignore[attr-defined]
    for number in range(20):
        scenario = swarm.draw(Random(f"x.{number}"))
        assert prepare(scenario).cells == kept[scenario.setup, scenario.start_time]


class TestTheCommand:
    def test_it_finds_what_is_refuted_and_tells_it_step_by_step(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([UNSEALED, "--ask", KEPT, "--seed", "known"]) == 1
        told = capsys.readouterr().out
        assert f"{KEPT} is violated in {UNSEALED}" in told
        assert "again: python -m stateful_tests" in told

    @pytest.mark.parametrize(
        ("design", "why"),
        [
            ("repositories/step9", "no such design; did you mean repositories/step2"),
            ("branches/knows-its-own", "its races make no machine: invariant 'linearizable': raised ValueError"),
        ],
    )
    def test_what_has_no_machine_is_refused_in_one_line(
        self, design: str, why: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as ended:
            main([design, "--seed", "d9"])
        said = capsys.readouterr().err
        assert (ended.value.code, said.count("\n")) == (2, 1)
        assert said.startswith(f"{design}: {why}")

    @pytest.mark.parametrize("runs", ["0", "-5"])
    def test_no_runs_are_refused_for_they_would_find_nothing(
        self, runs: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        with pytest.raises(SystemExit) as ended:
            main([UNSEALED, f"--runs={runs}"])
        assert (ended.value.code, capsys.readouterr().err) == (2, f"--runs {runs}: expected at least 1\n")

    def test_an_invariant_that_no_race_asks_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as ended:
            main([UNSEALED, "--ask", "acknowledged-write-is-lost"])
        assert ended.value.code == 2
        assert "has no such invariant; it has acknowledged-write-is-kept, " in capsys.readouterr().err

    def test_it_says_that_nothing_is_violated(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["tags/plain", "--runs", "5"]) == 0
        assert capsys.readouterr().out == "tags/plain: nothing is violated\n"
