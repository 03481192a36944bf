"""Minimisation of counterexamples found by sampling: fewest preemptions first, then fewest steps.

A schedule that switches seldom is the one that a reader can follow. Every candidate is executed on the real flows;
moves that have become impossible are left out of it.
"""

from collections.abc import Iterator, Sequence

from lakeproof.explore.faults import Move
from lakeproof.explore.plain import Referee, Verdicts
from lakeproof.explore.setting import prepare
from lakeproof.explore.world import World
from lakeproof.scenario import Scenario

Score = tuple[int, int]
"""Preemptions, steps."""


def minimise(scenario: Scenario, invariant_id: str, moves: Sequence[Move]) -> tuple[Move, ...]:
    """A schedule that violates the invariant and that no single change below makes better.

    Changes: leave out a run of moves; let a block of one client's moves change places with the block before it.
    Deterministic. Cost: quadratic in the number of moves, each an execution.
    """
    best = _attempt(scenario, invariant_id, moves)
    assert best is not None, f"{scenario.name}: these moves do not violate {invariant_id}"
    improved = True
    while improved:
        improved = False
        for candidate in _candidates(best[1]):
            found = _attempt(scenario, invariant_id, candidate)
            if found is not None and found[0] < best[0]:
                best, improved = found, True
                break
    return best[1]


def _attempt(scenario: Scenario, invariant_id: str, moves: Sequence[Move]) -> tuple[Score, tuple[Move, ...]] | None:
    """Execute what is possible of these moves, up to the violation. None if there is none."""
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    world, monitors = World(prepare(scenario)), referee.start()
    done: list[Move] = []
    preemptions = 0
    try:
        for move in moves:
            if move not in world.moves():
                continue
            if done and done[-1].client not in (move.client, -1) and world.alive(done[-1].client):
                preemptions += 1
            before = world.cells
            monitors = referee.step(world, world.step(move), before, monitors)
            referee.state(world)
            done.append(move)
            if invariant_id in verdicts.violations:
                return (preemptions, len(done)), tuple(done)
    finally:
        world.close()
    return None


def _candidates(moves: tuple[Move, ...]) -> Iterator[tuple[Move, ...]]:
    length = len(moves) // 2
    while length:
        for at in range(len(moves) - length + 1):
            yield moves[:at] + moves[at + length :]
        length //= 2
    blocks = _blocks(moves)
    for at in range(1, len(blocks)):
        swapped = [*blocks[: at - 1], blocks[at], blocks[at - 1], *blocks[at + 1 :]]
        yield tuple(move for block in swapped for move in block)
    for at in range(len(blocks)):  # a block joins the next one of its client
        later = next((i for i in range(at + 1, len(blocks)) if blocks[i][0].client == blocks[at][0].client), None)
        if later is not None:
            joined = [*blocks[:at], *blocks[at + 1 : later], blocks[at], *blocks[later:]]
            yield tuple(move for block in joined for move in block)


def _blocks(moves: tuple[Move, ...]) -> list[tuple[Move, ...]]:
    """Runs of moves of one client."""
    blocks: list[tuple[Move, ...]] = []
    for move in moves:
        if blocks and blocks[-1][0].client == move.client:
            blocks[-1] = (*blocks[-1], move)
        else:
            blocks.append((move,))
    return blocks
