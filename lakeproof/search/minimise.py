"""Making schedules that a reader can follow: as few preemptions and as few steps as can be.

Delta debugging over moves: a candidate is a schedule from which something was left out or moved together; it counts
if its execution in a `World` still violates the invariant. Every candidate is tried in a fixed order, so equal
schedules have equal results. The result is a local minimum: no single change below improves it.

Source: A. Zeller, R. Hildebrandt, Simplifying and isolating failure-inducing input, 2002; and M. Musuvathi,
S. Qadeer, Iterative context bounding, 2007, for preemptions as what makes a schedule hard to follow.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise

import attrs

from lakeproof.scenario import Scenario
from lakeproof.search.faults import OF_CLIENTS, Mode, Move
from lakeproof.search.fence import Undecided
from lakeproof.search.replay import IMPURE, JudgedRun, NotReproduced, with_one_invariant
from lakeproof.search.replies import name_of
from lakeproof.search.setup import prepare

Moves = tuple[Move, ...]
Cost = tuple[int, ...]


def preemptions(moves: Sequence[Move]) -> int:
    """How often a client, or a task of it, is interrupted: another one runs, although the first has still something to
    do."""
    # The network and the clock interrupt no one: their moves take no turn from a client.
    tasks = [thread(move) for move in moves if move.client >= 0]
    return sum(one != other and one in tasks[at:] for at, (one, other) in enumerate(pairwise(tasks), start=1))


def thread(move: Move) -> tuple[int, str]:
    """Who moves: a client, or one of its tasks."""
    # Without the suffix: that a write is withdrawn, or its answer late, is a turn of the same task.
    return move.client, name_of(move.task)


def minimise(scenario: Scenario, moves: Sequence[Move], invariant_id: str) -> Moves:
    """Fewest preemptions first, then fewest steps, then fewest faults: for schedules found by sampling.

    Raises:
        NotReproduced: the moves do not violate the invariant to begin with.
    Cost: an execution per candidate; their number grows with the square of the number of moves.
    """
    minimiser = _Minimiser(scenario, invariant_id, _easiest)
    found = minimiser.violating(tuple(moves))
    if found is None:
        raise NotReproduced(f"{invariant_id} was violated in the search, and is not when its moves are made; {IMPURE}")
    return minimiser.run(found, _all_candidates)


def reduce_preemptions(scenario: Scenario, moves: Sequence[Move], invariant_id: str) -> Moves:
    """As few preemptions as a schedule of no more steps can have, then as few faults: for shortest schedules, which
    `record` makes then. Moves that violate nothing come back as they are, or shorter."""
    return _Minimiser(scenario, invariant_id, _shortest).run(tuple(moves), _of_one_length)


def _easiest(moves: Moves) -> Cost:
    # Compared in this order: a schedule that is longer and has a preemption less is the easier one.
    return preemptions(moves), len(moves), _faults(moves), _switches(moves)


def _shortest(moves: Moves) -> Cost:
    # The number of steps comes first: a shortest schedule must stay one, whatever it takes.
    return len(moves), preemptions(moves), _faults(moves), _switches(moves)


def _faults(moves: Moves) -> int:
    return sum(move.mode is not Mode.NORMAL for move in moves)


def _switches(moves: Moves) -> int:
    return sum(thread(one) != thread(other) for one, other in pairwise(moves))


class _Minimiser:
    def __init__(self, scenario: Scenario, invariant_id: str, cost: Callable[[Moves], Cost]) -> None:
        self.setting = prepare(scenario)
        self.scenario = with_one_invariant(scenario, invariant_id)
        self.id = invariant_id
        self.cost = cost
        # Rounds overlap: after a success the candidates of the new schedule repeat many of the old one.
        self.tried: set[Moves] = set()

    def run(self, best: Moves, candidates: Callable[[Moves], Iterator[Moves]]) -> Moves:
        # Each round lowers the cost, a tuple of natural numbers, so there is an end.
        while (better := self._better(best, candidates)) is not None:
            best = better
        return best

    def _better(self, best: Moves, candidates: Callable[[Moves], Iterator[Moves]]) -> Moves | None:
        for candidate in candidates(best):
            # Cutting a candidate at its violation can only lower its cost; leaving moves out can add a preemption.
            if candidate in self.tried or (len(candidate) == len(best) and self.cost(candidate) >= self.cost(best)):
                continue
            self.tried.add(candidate)
            try:
                found = self.violating(candidate)
            except Undecided:  # a flow runs on here, or its program fails: no schedule to show
                continue
            if found is not None and self.cost(found) < self.cost(best):
                return found
        return None

    def violating(self, moves: Moves) -> Moves | None:
        """The moves up to the violation; None if they are not possible or violate nothing."""
        # From the start each time: coroutines cannot be copied, so there is no state to go back to.
        run = JudgedRun(self.scenario, self.setting)
        done = 0
        while run.violation(self.id) is None and done < len(moves) and run.possible(moves[done]):
            run.advance(moves[done])
            done += 1
        violated = run.violation(self.id) is not None
        run.close()
        return moves[:done] if violated else None


def _all_candidates(moves: Moves) -> Iterator[Moves]:
    # What removes most comes first: each success makes all later candidates shorter, and an execution cheaper.
    yield from _without_clients(moves)
    yield from _merge_runs(moves)
    yield from _without_chunks(moves)
    yield from _without_faults(moves)
    yield from _move_runs(moves)


def _of_one_length(moves: Moves) -> Iterator[Moves]:
    yield from _merge_runs(moves)
    yield from _without_faults(moves)


def _without_clients(moves: Moves) -> Iterator[Moves]:
    """Each client left out altogether; -1 stands for the network and the clock."""
    for client in sorted({move.client for move in moves}, reverse=True):  # -1 last
        yield tuple(move for move in moves if move.client != client)


def _without_chunks(moves: Moves) -> Iterator[Moves]:
    """Consecutive moves left out: large pieces first."""
    # As delta debugging does it: halves, then quarters, down to single moves. Pieces overlap by half, so that what
    # lies across the border of two of them is tried as well.
    size = len(moves) // 2
    while size:
        for at in range(0, len(moves) - size + 1, max(1, size // 2)):
            yield moves[:at] + moves[at + size :]
        size //= 2


def _without_faults(moves: Moves) -> Iterator[Moves]:
    """Each fault of a client turned into a normal move; crashes and restarts are left out."""
    for at, move in enumerate(moves):
        if move.mode is not Mode.NORMAL and move.client >= 0:
            # A crash has no normal form: without it the client goes on.
            instead = () if move.mode in OF_CLIENTS else (attrs.evolve(move, mode=Mode.NORMAL),)
            yield moves[:at] + instead + moves[at + 1 :]


def _merge_runs(moves: Moves) -> Iterator[Moves]:
    """Each run of a client, or of a task, moved next to another run of the same one, before or after."""
    for whose in _threads(moves):
        runs = [tuple(group) for _, group in groupby(moves, key=whose)]
        for at, run in enumerate(runs):
            for other in range(len(runs)):
                if other != at and whose(runs[other][0]) == whose(run[0]):
                    rest = runs[:at] + runs[at + 1 :]
                    # ``rest`` lacks the run itself, so all behind it have moved down by one: either way it comes to lie
                    # beside the other.
                    place = other + 1 if other < at else other
                    yield tuple(move for part in (*rest[:place], run, *rest[place:]) for move in part)
                    yield from _parts_merged(runs, at, other)


def _threads(moves: Moves) -> list[Callable[[Move], object]]:
    """By what moves are taken together: by client, and by task where clients have several."""
    clients: list[Callable[[Move], object]] = [lambda move: move.client]
    return [*clients, thread] if any(move.task for move in moves) else clients


def _parts_merged(runs: list[Moves], at: int, other: int) -> Iterator[Moves]:
    """A part of a run moved to another run of its client: the beginning to an earlier one, the end to a later one."""
    run = runs[at]
    for cut in range(1, len(run)):
        pieces = list(runs)
        if other < at:
            # The order of the client's own moves stays: a beginning can only move back, and an end can only move on.
            pieces[other], pieces[at] = runs[other] + run[:cut], run[cut:]
        else:
            pieces[other], pieces[at] = run[cut:] + runs[other], run[:cut]
        yield tuple(move for piece in pieces for move in piece)


def _move_runs(moves: Moves) -> Iterator[Moves]:
    """Each run moved to any other place: what separates two runs of another client goes out of their way."""
    for whose in _threads(moves):
        runs = [tuple(group) for _, group in groupby(moves, key=whose)]
        for at, run in enumerate(runs):
            rest = runs[:at] + runs[at + 1 :]
            for place in range(len(runs)):
                if place != at:
                    yield tuple(move for part in (*rest[:place], run, *rest[place:]) for move in part)
