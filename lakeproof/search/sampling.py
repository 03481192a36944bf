"""Sampling for what cannot be exhausted: seeded random walks and PCT, thousands of walkers at a time.

The walkers move over the same compiled tables as the exhaustive search, in lockstep: at each step the kernel
gives every walker all its moves, and a strategy picks one. Sampling proves nothing: what is not violated is
inconclusive.

Source of PCT: S. Burckhardt et al., A randomized scheduler with probabilistic guarantees of finding bugs, 2010,
section 3: random priorities, and d - 1 random points at which the client whose turn it is drops to the lowest one. We
depart from it in two things: k, the number of steps, is measured by a first round of plain random walks; and a client
drops before its step, not after it, so that even one with a single effect can be made to wait for one that has dropped.
"""

from typing import Final, Literal

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.model.invariants import Monitor
from lakeproof.scenario import Scenario, ScenarioError
from lakeproof.search.automaton import Automaton
from lakeproof.search.behaviour import Behaviour, Disagreement
from lakeproof.search.faults import Mode, Move
from lakeproof.search.fence import Undecided
from lakeproof.search.growth import LoopFinder, Loops
from lakeproof.search.judge import Judge
from lakeproof.search.kernel import Kernel
from lakeproof.search.packing import Words, repack, take
from lakeproof.search.search import Counterexample
from lakeproof.search.setup import prepare
from lakeproof.search.space import Relayout, share_behaviours
from lakeproof.search.trie import Trie

Offer = tuple[int, tuple[Move, npt.NDArray[np.intp], Words]]
"""The number of a move, the move, the walkers that can make it, and where it would lead them."""

Strategy = Literal["random", "pct"]

WALKERS: Final = 4096
"""How many executions move in lockstep."""

FAULT_WEIGHT: Final = 0.05
"""The weight of a fault against 1 for a normal move, so that faults are spread over an execution."""


@attrs.frozen(kw_only=True)
class Sample:
    """What sampling has found. ``violations`` by invariant id; an id that is missing is inconclusive."""

    scenario: Scenario
    strategy: str
    seed: int
    executions: int
    steps: int
    violations: dict[str, Counterexample]
    cut: int
    """Executions that were ended by ``depth``, not by themselves."""
    stopped: str = ""
    """Why no more executions were made: what a flow did that allows no verdict."""


def sample(
    scenario: Scenario,
    *,
    strategy: Strategy = "random",
    executions: int = 10_000,
    seed: int = 0,
    depth: int = 3,
    steps_max: int = 2_000,
) -> Sample:
    """Run many executions with random schedules.

    ``depth`` is PCT's d: a bug that needs d ordering constraints is found by one execution with probability at
    least 1 / (n k^(d-1)), n clients and k steps; which of a client's open effects moves is left to chance. Equal
    arguments give equal results.

    Raises:
        ScenarioError: an argument is out of range, or the scenario cannot be run.
        NondeterministicFlow, NotAnEffect: as the exhaustive search.
        Undecided: its setup runs on without an effect, or a program in it failed.
    """
    if executions < 1 or depth < 1 or steps_max < 1:
        raise ScenarioError(f"executions={executions}, depth={depth}, steps_max={steps_max}: each is at least 1")
    if strategy not in ("random", "pct"):
        raise ScenarioError(f"strategy={strategy!r}: expected 'random' or 'pct'")
    setting = prepare(scenario)
    # Without symmetry: a walker's moves are reported as they were made, by the clients that made them.
    behaviours = share_behaviours(setting, _looking_for_loops, symmetry=False)
    # A wrong merge was found (`Behaviour`). The trie has learned, so the second attempt gets further; the seed is the
    # same, so the result depends on the arguments alone.
    while True:
        try:
            return _Sampling(scenario, Kernel(setting, behaviours, _monitors(scenario)), strategy, seed, depth).run(
                executions, steps_max
            )
        except Disagreement:
            for behaviour in behaviours:
                Behaviour.reset(behaviour)
        # A walker may go round a loop until `steps_max`: as histories, each round would be run from its beginning.
        except Loops:
            behaviours = share_behaviours(setting, Automaton, symmetry=False)


def _looking_for_loops(trie: Trie) -> Behaviour:
    behaviour = Behaviour(trie)
    behaviour.loops = LoopFinder(trie.program)
    return behaviour


def _monitors(scenario: Scenario) -> list[Monitor]:
    return [invariant for invariant in scenario.invariants if isinstance(invariant, Monitor)]


class _Sampling:
    def __init__(self, scenario: Scenario, kernel: Kernel, strategy: str, seed: int, depth: int) -> None:
        self.scenario = scenario
        self.kernel = kernel
        self.judge = Judge(scenario, kernel)
        self.strategy = strategy
        self.seed = seed
        self.random = np.random.default_rng(seed)
        self.depth = depth
        self.violations: dict[str, Counterexample] = {}
        self.moves: dict[Move, int] = {}
        """Those that were offered so far, numbered."""
        self.steps = self.cut = 0

    def run(self, executions: int, steps_max: int) -> Sample:
        left, length, stopped = executions, 0, ""
        while left and not stopped and not self.judge.decided:
            walkers = min(left, WALKERS)
            pct = self.strategy == "pct" and length > 0
            if self.strategy == "pct" and not pct:
                walkers = min(walkers, 256)  # the round that measures k
            try:
                length = max(length, self._round(walkers, steps_max, length if pct else 0))
            except Undecided as error:  # what was found before stays
                stopped = str(error)
            else:
                left -= walkers
        return Sample(
            scenario=self.scenario,
            strategy=self.strategy,
            seed=self.seed,
            executions=executions - left,
            steps=self.steps,
            violations=self.violations,
            cut=self.cut,
            stopped=stopped,
        )

    def _round(self, walkers: int, steps_max: int, pct_length: int) -> int:
        """One execution of each walker. Returns the length of the longest."""
        # In the form of a level, with a row for each walker: equal rows are not merged, and the kernel need not know.
        words = [np.repeat(word, walkers) for word in self.kernel.first()]
        picker = _Pct(self.random, walkers, len(self.kernel.tables) + 1, self.depth, pct_length) if pct_length else None
        history: list[npt.NDArray[np.int16]] = []  # by step, which move each walker has made; -1: none
        self._judge(words, history, 0)
        for step in range(steps_max):
            words, chosen = self._step(words, history, step, picker)
            # All walkers have come to their end; those that did earlier have waited there.
            if not (chosen >= 0).any():
                return step
            self.steps += int((chosen >= 0).sum())
            history.append(chosen)
            self._judge(words, history, step + 1)
            if self.judge.decided:
                return step + 1
        self.cut += int(self.kernel.alive(words).sum())
        return steps_max

    def _step(
        self, words: Words, history: list[npt.NDArray[np.int16]], step: int, picker: "_Pct | None"
    ) -> tuple[Words, npt.NDArray[np.int16]]:
        words, offers = self._offers_under_any_layout(words, step)
        # Monitors advance during the expansion of the states before the step, whichever move is chosen after.
        self.judge.monitors(step)
        self._collect(words, history, step)
        if picker is not None:
            picker.change(step, [(move, rows) for _, (move, rows, _) in offers])
        chosen = np.full(len(words[0]), -1, np.int16)
        best = np.full(len(words[0]), -np.inf)
        after = [word.copy() for word in words]
        for index, (move, rows, following) in offers:
            weight = 1.0 if move.mode is Mode.NORMAL else FAULT_WEIGHT
            # Source: P. Efraimidis, P. Spirakis, Weighted random sampling with a reservoir, 2006.
            score = np.log(self.random.random(len(rows))) / weight  # the largest wins with chances by weight
            if picker is not None:
                score = picker.score(move, rows, score)
            # The offers of one walker are spread over all moves, so the best so far is kept for each.
            better = score > best[rows]
            winners = rows[better]
            best[winners], chosen[winners] = score[better], index
            for target, source in zip(after, following, strict=True):
                target[winners] = source[better]
        return after, chosen

    def _offers_under_any_layout(self, words: Words, step: int) -> tuple[Words, list[Offer]]:
        while True:
            try:
                return words, self._offers(words, step)
            except Relayout:
                # Nothing was chosen yet: the walkers are packed anew, and all offers made again.
                old = self.kernel.relayout()
                words = repack(words, old, self.kernel.layout)

    def _offers(self, words: Words, step: int) -> list[Offer]:
        offers: list[Offer] = []

        def sink(move: Move, rows: npt.NDArray[np.intp], after: Words) -> None:
            # All moves that are offered, not only the chosen one: each of them ends an execution that is possible.
            if self.judge.watches_moves:
                self.judge.transitions(move, take(words, rows), step)
            offers.append((self.moves.setdefault(move, len(self.moves)), (move, rows, after)))

        self.kernel.expand(words, sink)
        return offers

    def _judge(self, words: Words, history: list[npt.NDArray[np.int16]], step: int) -> None:
        self.judge.level(words, step)
        self._collect(words, history, step)

    def _collect(self, words: Words, history: list[npt.NDArray[np.int16]], step: int) -> None:
        """Turn what the judge has just found into counterexamples: the moves of a walker that stands there."""
        for record in self.judge.records.values():
            if record.violation is None or record.id in self.violations:
                continue
            place = record.place
            assert place is not None
            # The place is in numbers, since the layout may have changed after it was noted.
            target = self.kernel.layout.pack(place.numbers)
            same = np.logical_and.reduce([word == np.uint64(part) for word, part in zip(words, target, strict=True)])
            walker = int(np.flatnonzero(same)[0])
            # A violation on the way is found at the step at which it is met, so the history ends there.
            known = list(self.moves)
            moves = tuple(known[int(taken[walker])] for taken in history[:step] if taken[walker] >= 0)
            last = () if place.move is None else (place.move,)
            self.violations[record.id] = Counterexample(record.violation, (*moves, *last))


class _Pct:
    """Priorities of clients, per walker; the network and the clock together count as one more client."""

    def __init__(self, random: np.random.Generator, walkers: int, clients: int, depth: int, length: int) -> None:
        self._clients = clients
        # The argsort of random numbers is a random permutation. Drops lead to 0 ... depth - 2, below all of these.
        order = np.argsort(random.random((walkers, clients)), axis=1)
        self._priority = order.astype(np.float64) + depth
        self._changes = random.integers(0, max(length, 1), (walkers, depth - 1))

    def score(self, move: Move, rows: npt.NDArray[np.intp], jitter: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The client's priority decides; how its effect turns out is left to chance."""
        # exp maps the jitter into (0, 1): it orders the modes of one client and never outweighs a priority.
        # -1 % clients is the last row: that of the network and the clock.
        scores: npt.NDArray[np.float64] = self._priority[rows, move.client % self._clients] + np.exp(jitter)
        return scores

    def change(self, step: int, offers: list[tuple[Move, npt.NDArray[np.intp]]]) -> None:
        """Where a change point is due, the client whose turn it is drops below all others."""
        for change in range(self._changes.shape[1]):
            due = self._changes[:, change] == step
            if not due.any():
                continue
            # The client of highest priority among those that can move: it would make this step.
            best = np.full(len(due), -np.inf)
            turn = np.full(len(due), -1)
            for move, rows in offers:
                client = move.client % self._clients
                priority = self._priority[rows, client]
                better = priority > best[rows]
                best[rows[better]], turn[rows[better]] = priority[better], client
            drops = np.flatnonzero(due & (turn >= 0))
            self._priority[drops, turn[drops]] = change
