"""The exhaustive search, level by level over packed states.

Every transition moves one client to a node of a higher rank, or spends a unit of fault or clock budget, so a state
belongs to exactly one level: duplicates arise only inside a level, and no visited set is kept. Where flows loop this is
different: see `lakeproof.search.loops`.

A search has a `Plan`, and ends with its result, or with the reason for which another one is needed. Three exceptions
make it begin anew: they leave from deep within the tables, where a reply is compiled (`Disagreement`, `_Minted`), or
within a judgement (`TellsClientsApart`). After a fourth, `Relayout`, all states are repacked, and only the chunk that
was under way is expanded again.

Example: ``copy`` reads "a", then "b", and copies "a" to "c" if "b" is there; ``write`` sets "a", then "b". Run alone,
``copy`` finds no "b" and ends. So its two pasts, "a" absent and "a" present, look alike: they share a node, and level 2
has three states and not four. When level 3 is expanded, "b" is there for the first time, and the pasts ask for
different writes: `Disagreement`. The search begins anew, keeps them apart, and ends on level 5.

>>> from lakeproof import Call, Scenario, kv
>>> from lakeproof.search.setup import prepare
>>> async def copy(env):
...     found = [entry.value async for entry in env.store.scan(b"a")]
...     if [entry async for entry in env.store.scan(b"b")]:
...         await env.store.set(b"c", b"k", *found or [b"absent"])
>>> async def write(env):
...     await env.store.set(b"a", b"k", b"1")
...     await env.store.set(b"b", b"k", b"1")
>>> clients, states = [[Call(copy)], [Call(write)]], []
>>> scenario = Scenario(name="copy", clients=clients, invariants=[], expect={NO_UNHANDLED_EXCEPTION: "holds"})
>>> result = LevelSearch(Plan(setting=prepare(scenario), progress=lambda *level: states.append(level[2]))).run()
>>> states, result.restarts
([1, 2, 3, 2, 1, 2, 4, 3, 3, 2], 1)
"""

import sys
import time
from collections.abc import Callable, Collection
from enum import Enum, auto
from functools import partial
from operator import itemgetter
from typing import Final

import attrs
import numpy as np

from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Monitor, Reads
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search.behaviour import Behaviour, Disagreement
from lakeproof.search.execution import NondeterministicFlow
from lakeproof.search.faults import BUDGETS, COST, Mode, Move
from lakeproof.search.fence import Undecided
from lakeproof.search.growth import LoopFinder, growth, longest
from lakeproof.search.judge import Judge
from lakeproof.search.kernel import Kernel, Rows
from lakeproof.search.packing import CHUNK, Layout, Words, concatenate, distinct, repack, take
from lakeproof.search.paths import Levels, path_to
from lakeproof.search.results import Counterexample, Finding, Limits, Options, Result
from lakeproof.search.setup import Setting
from lakeproof.search.space import Relayout, share_behaviours
from lakeproof.search.states import FirstReach, Record, TellsClientsApart
from lakeproof.search.symmetry import Symmetry
from lakeproof.search.trie import Trie
from lakeproof.words import Progress

MERGED_RESTARTS_MAX: Final = 8
"""After so many restarts the flows remember too much for merging to pay: every history gets a node of its own."""

MERGED_RERUNS_MAX: Final = 800
"""And so they do if a restart comes after so many re-runs."""

RANKED_RESTARTS_MAX: Final = 200
"""After so many restarts a ranked search gives way to a graded one."""

GROWTH_LEVEL: Final = 64
"""On this level, and each time that the level has doubled, it is looked at what grows in a loop."""

SMALL_STATES_MAX: Final = 200_000
"""A search that has more states is not small: merging may pay."""

SMALL_RERUNS_MAX: Final = 4_000
"""Nor is one that has run its flows more often."""


@attrs.frozen(kw_only=True)
class Plan:
    """What is searched, and how."""

    setting: Setting
    limits: Limits = attrs.field(factory=Limits)
    options: Options = attrs.field(factory=Options)
    progress: Progress | None = None
    ranked: bool = False
    small: bool = False
    """Nothing is merged, and a search that turns out not to be small gives way."""
    patience: int | None = None
    """After so many states without a violation a graded search gives way to a ranked one; None: it never does."""
    unmerged: "LevelSearch | None" = None
    """A small search that has given way: it goes on where merging turns out not to pay."""
    started: float = attrs.field(factory=time.perf_counter)


class GivesWay(Enum):
    """Why a search ends without a result, for one of the other kind."""

    GROWN = auto()  # a small one: merging may pay
    LARGE = auto()  # a graded one, without a violation: a ranked one may be cheaper
    VIOLATED = auto()  # a ranked one: a graded one must find the way to the violation
    RESTARTS = auto()  # a ranked one: its ranks do not settle, and a graded one needs none


class LevelSearch:
    """A search level by level. Who keeps or expands the levels otherwise extends it."""

    def __init__(self, plan: Plan) -> None:
        self.ranked = plan.ranked
        self.small = plan.small
        self.patience = plan.patience
        self.unmerged = plan.unmerged
        self.setting = plan.setting
        self.scenario = plan.setting.scenario
        self.limits = plan.limits
        self.options = plan.options
        self.progress = plan.progress
        self.started = plan.started
        self.restarts = 0
        self.merge = plan.options.merge is not False and not plan.small
        self.symmetric = plan.options.symmetry
        self.found_out: dict[str, frozenset[Reads]] = {}  # see Judge
        self.behaviours = self._compile_behaviours()

    def run(self) -> Result | GivesWay:
        """Search, as often as it takes until no restart is needed. Raises Loops: `lakeproof.search.loops` is needed."""
        return self._run(self._attempt)

    def resume(self) -> Result | GivesWay:
        """Go on with a small search that has given way because it has grown, however large it is. Raises Loops."""
        self.small = False
        return self._run(self._go_on)

    def _run(self, attempt: Callable[[], Result | GivesWay]) -> Result | GivesWay:
        while True:
            try:
                return attempt()
            except Disagreement:
                self.restarts += 1
                if self.ranked and self.restarts > RANKED_RESTARTS_MAX:
                    return GivesWay.RESTARTS
                if self._merges_too_little():
                    if self.unmerged is not None:
                        return self.unmerged.resume()  # which has kept its levels so far
                    self.merge, self.patience = False, None  # ranks rest on merges: no ranked search can follow
                    self.behaviours = self._compile_behaviours()
                for behaviour in self._distinct_behaviours():
                    behaviour.reset()  # keeps what was learned: experiments, and ranks
            except _Minted:
                self.restarts += 1
                self.behaviours = self._unshared()  # resets those that stay shared
            except TellsClientsApart:
                self.restarts += 1
                self.symmetric = False
                self.behaviours = self._compile_behaviours()
            attempt = self._attempt  # a search that was resumed begins anew, too

    def _merges_too_little(self) -> bool:
        reruns = sum(behaviour.reruns for behaviour in self._distinct_behaviours())
        # A ranked search has a bound of its own: its ranks take many restarts to settle.
        return not self.ranked and (self.restarts > MERGED_RESTARTS_MAX or reruns > MERGED_RERUNS_MAX)

    def _compile_behaviours(self) -> list[Behaviour]:
        return share_behaviours(self.setting, self._make, symmetry=self.symmetric)

    def _make(self, trie: Trie) -> Behaviour:
        behaviour = Behaviour(trie, merge=self.merge, ranked=self.ranked)
        behaviour.loops = LoopFinder(trie.program)
        return behaviour

    def _distinct_behaviours(self) -> list[Behaviour]:
        return list({id(behaviour): behaviour for behaviour in self.behaviours}.values())

    def _unshared(self) -> list[Behaviour]:
        """Give every client whose program mints identifiers a behaviour of its own."""
        taken: set[int] = set()
        found = []
        for client, behaviour in enumerate(self.behaviours):
            if behaviour.minted and id(behaviour) in taken:
                found.append(self._make(self.setting.tries[client]))
            else:
                taken.add(id(behaviour))
                behaviour.reset()
                found.append(behaviour)
        return found

    def _attempt(self) -> Result | GivesWay:
        self._begin()
        return self._go_on()

    def _go_on(self) -> Result | GivesWay:
        level, stopped = -1, ""
        while (levels := self._levels_ahead()) and not stopped and not self.judge.decided:
            # Every successor has a higher rank, so nothing is added to the lowest level any more.
            level = min(levels)
            try:
                stopped = self._advance(level)
            except Undecided as error:
                stopped, self.unexpanded = str(error), True
                self.judge.monitors(level)  # of the steps that were taken before
                if self.small:
                    break  # what a flow does is no matter of size
            if (reason := self._give_way(stopped)) is not None:
                return reason
        complete = not self._levels_ahead() and not stopped and not self.unexpanded
        stopped += self._grown() if stopped else ""
        # In a ranked search a step leads up to `stride` levels on: so many steps are covered, at least.
        return self._result(level if complete else level // self.stride, complete, stopped)

    def _levels_ahead(self) -> Collection[int]:
        """The levels that have states which are not expanded yet."""
        return self.ahead

    def _advance(self, level: int) -> str:
        """Judge and expand a level. Returns why the search must stop there, if it must."""
        # Chunks and clients reach the same states independently of each other: duplicates are merged here.
        return self._level(distinct(concatenate(self.ahead.pop(level), self.kernel.layout.words)), level)

    def _begin(self) -> None:
        monitors = [i for i in self.scenario.invariants if isinstance(i, Monitor)]
        self.kernel = Kernel(self.setting, self.behaviours, monitors)
        # Events name the client, so a monitor's state differs where two clients change places.
        self.symmetry = Symmetry(self.behaviours if self.symmetric and not monitors else [])
        self.judge = Judge(self.scenario, self.kernel, self.symmetry.groups, self.found_out)
        self.levels = Levels()
        self.states = self.transitions = self.widest = 0
        self.stride = 1
        self.ahead: dict[int, list[Words]] = {0: [self.kernel.first()]}
        self.unexpanded = False
        self.modes: set[Mode] = set()  # of all moves so far
        self.growth_at, self.grows = GROWTH_LEVEL, ""

    def _report(self, level: int, width: int) -> None:
        if self.progress:
            if level >= self.growth_at:
                self.growth_at, self.grows = 2 * level, self._grown()
            self.progress(level, self.states, width, self.grows)

    def _level(self, words: Words, level: int) -> str:
        """Judge and expand the states of a level. Returns why the search must stop here, if it must."""
        self.states += len(words[0])
        self.widest = max(self.widest, len(words[0]))
        # Judged before limits are looked at: a level that is not expanded any more still counts.
        self.judge.level(words, level)
        self._report(level, len(words[0]))
        stopped = self._stop() or self._too_large(words) or self._endless(words, level)
        if not self.ranked:  # a ranked search finds no paths, and needs no levels
            self.levels.append(words, self.kernel.layout)
        if not stopped and not self.judge.decided:
            self._expand(words, level)
            self.judge.monitors(level)  # they advance in the kernel, as states move on
        else:
            self.unexpanded = True
        return stopped

    def _give_way(self, stopped: str) -> GivesWay | None:
        """Why a search of another kind should go on."""
        if self.small:
            reruns = sum(behaviour.reruns for behaviour in self._distinct_behaviours())
            grown = self.states > SMALL_STATES_MAX or reruns > SMALL_RERUNS_MAX
            over = not stopped and (not self.ahead or self.judge.decided)
            # Merged, it may keep within its limits; time that has passed is lost.
            return GivesWay.GROWN if (grown or stopped) and not over and not self._late() else None
        if self.ranked and self.judge.violated:
            return GivesWay.VIOLATED
        # Once something is violated, a graded search stays: a ranked one could not show the way to it.
        large = self.patience is not None and self.states > self.patience
        return GivesWay.LARGE if large and not self.judge.violated and not stopped else None

    def _stop(self) -> str:
        limits = self.limits
        if limits.states_max is not None and self.states >= limits.states_max:
            return f"{self.states} states, at most {limits.states_max} were allowed"
        return f"{limits.seconds_max:g} s have passed" if self._late() else ""

    def _late(self) -> bool:
        most = self.limits.seconds_max
        return most is not None and time.perf_counter() - self.started >= most

    def _too_large(self, words: Words) -> str:
        limits = self.limits
        # An estimate: one successor by each table, all of them again when they are sorted, and the level with its copy.
        needed = len(words[0]) * len(words) * 8 * (2 * len(self.kernel.every) + 2)
        if limits.memory_bytes_max is not None and needed > limits.memory_bytes_max:
            return f"the next level needs {needed >> 20} MiB, at most {limits.memory_bytes_max >> 20} were allowed"
        return ""

    def _endless(self, words: Words, level: int) -> str:
        """Whether schedules are so long that some flow must loop; names its line."""
        if self.limits.steps_max is None or level < self.limits.steps_max:
            return ""
        waiting = [
            (table.behaviour.nodes[at].representative.effects, table.behaviour, at)
            for table in self.kernel.tables
            for at in np.unique(table.nodes_of(words)).tolist()
            if table.behaviour.nodes[at].op
        ]
        if not waiting:  # every state has all clients at their ends
            return ""
        _, behaviour, at = max(waiting, key=itemgetter(0))  # others may merely wait for their turn
        call, spot = behaviour.under_way(at)
        return (
            f"{call} still runs after {level:,} steps, at {spot}: a search is exhaustive only where every flow ends, "
            f"or comes back to a state that it was in; bound the number of its tries"
        )

    def _grown(self) -> str:
        """What differs in every round of a loop, where the search stopped and some client seems to loop."""
        histories = [(longest(behaviour.nodes), behaviour) for behaviour in self._distinct_behaviours()]
        waiting = [(raw, behaviour) for raw, behaviour in histories if raw is not None]
        if not waiting:
            return ""
        raw, behaviour = max(waiting, key=lambda pair: pair[0].effects)
        try:
            found = growth(partial(behaviour.start, raw), raw)
        except (NondeterministicFlow, Undecided):
            return ""  # the reason why the search stopped counts more
        return f"; {found}" if found else ""

    def _expand(self, words: Words, level: int) -> None:
        """Put the successors of a level's states into the levels to come."""
        at = 0
        while at < len(words[0]):
            chunk = take(words, slice(at, at + CHUNK))
            fresh: list[tuple[int, Words]] = []
            try:
                self._expand_chunk(chunk, fresh, level)
            except Relayout:
                old = self._lay_out_anew()
                words = repack(words, old, self.kernel.layout)  # the level that was kept has its own layout
                continue  # the same chunk again: `fresh` is incomplete, and in the old layout
            finally:
                # However it ended, a reply may have been compiled that mints; but a restart would swallow Ctrl-C.
                if not isinstance(sys.exception(), KeyboardInterrupt | MemoryError):
                    self._check_sharing()
            for stride, part in fresh:
                self.stride = max(self.stride, stride)
                self.ahead.setdefault(level + stride, []).append(part)
                self.transitions += len(part[0])
            at += CHUNK

    def _lay_out_anew(self) -> Layout:
        """Take a new layout for the levels to come. Returns the old one."""
        old, ahead = self.kernel.relayout(), self.ahead
        self.ahead = {at: [repack(part, old, self.kernel.layout) for part in parts] for at, parts in ahead.items()}
        return old

    def _expand_chunk(self, chunk: Words, fresh: list[tuple[int, Words]], level: int) -> None:
        def sink(move: Move, rows: Rows, after: Words) -> None:
            if len(rows):
                self.modes.add(move.mode)
            # A chunk that is expanded twice is judged once: `Projections.fresh` leaves out what it has met.
            if self.judge.watches_moves:
                self.judge.transitions(move, take(chunk, rows), level)
            strides = self.kernel.by_stride(move, take(chunk, rows), after) if self.ranked else [(1, after)]
            for stride, part in strides:
                fresh.append((stride, self.symmetry.canonical(part, self.kernel)))

        self.kernel.expand(chunk, sink)

    def _check_sharing(self) -> None:
        # Clients share nodes only as long as no value names one of them: see `lakeproof.search.symmetry`.
        shared = [b for b in self._distinct_behaviours() if b.minted and self.behaviours.count(b) > 1]
        if shared:
            raise _Minted

    def _result(self, depth: int, complete: bool, stopped: str) -> Result:
        self.judge.look_again()
        if complete:
            for behaviour in self._distinct_behaviours():
                behaviour.look_again()  # no reply would run an ended history again
            self._count_answers()
        records = [record for record in self.judge.records.values() if complete or stopped or self._is_judged(record)]
        findings = tuple(self._finding(record, complete, stopped) for record in records)
        layout = self.kernel.layout
        return Result(
            scenario=self.scenario,
            findings=findings,
            states=self.states,
            transitions=self.transitions,
            depth=depth,
            complete=complete,
            seconds=time.perf_counter() - self.started,
            reruns=sum(behaviour.reruns for behaviour in self._distinct_behaviours()),
            restarts=self.restarts,
            final_states=len(self.judge.finals),
            widest=self.widest,
            stopped=stopped,
            unspent=self._unspent() if complete else (),
            finals=self._finals() if self.options.keep_finals else frozenset(),
            symmetric=bool(self.symmetry.groups),
            collision=0.0 if layout.words == 1 else self.states**2 / 2.0**65,  # see `packing.distinct`
        )

    def _unspent(self) -> tuple[str, ...]:
        spent = {kind for mode in self.modes for kind in COST.get(mode, ())}
        return tuple(kind for kind in BUDGETS if getattr(self.scenario.faults, kind) and kind not in spent)

    def _is_judged(self, record: Record) -> bool:
        """Whether there is a verdict on it although the search ended early, everything sought being violated."""
        return record.id in self.scenario.sought_ids or record.violation is not None

    def _count_answers(self) -> None:
        """The evidence that calls did return: what no-unhandled-exception rests on."""
        record = self.judge.records[NO_UNHANDLED_EXCEPTION]
        for behaviour in self._distinct_behaviours():
            for node in behaviour.ends():
                record.reached += 1
                record.example = record.example or f"{node.calls[-1].name} was answered"
        if not record.reached:
            record.reached, record.example = 1, "no call ends, and none raises"  # else inconclusive: see `_finding`

    def _finals(self) -> frozenset[Exact]:
        space = self.kernel.space
        found = set()
        for seen in self.judge.finals:
            numbers = (*seen, *(0 for _ in range(len(space.columns) - len(seen))))  # 0s that `trim_zeros` took off
            values = {cell: space.columns[column].values[numbers[column]] for cell, column in space.cells.items()}
            cells = frozenset((cell, value) for cell, value in values.items() if value is not None)
            views = tuple(
                space.behaviours[client].nodes[numbers[column]].calls for client, column in enumerate(space.clients)
            )
            found.add(Exact((cells, views)))
        return frozenset(found)

    def _finding(self, record: Record, complete: bool, stopped: str) -> Finding:
        counterexample = None
        if record.violation is not None:
            assert record.place is not None
            counterexample = Counterexample(record.violation, self._path(record.place))
            verdict, why = "violated", ""
        elif not complete:
            verdict, why = "inconclusive", stopped
        elif not record.reached:  # vacuous: it would hold of any protocol
            verdict, why = "inconclusive", "the situation that it describes never occurred"
        else:
            verdict, why = "holds", ""
        return Finding(
            id=record.id,
            verdict=verdict,
            why=why,
            reached=record.reached,
            example=record.example,
            counterexample=counterexample,
        )

    def _path(self, place: FirstReach) -> tuple[Move, ...]:
        return path_to(self.kernel, self.symmetry, self.levels, place)


class _Minted(Exception):
    """Clients that share a behaviour turned out to mint identifiers: they need one each."""
