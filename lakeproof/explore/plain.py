"""The plain searches: slow, obvious, without tries, tables or packing. They keep the vectorised search honest.

`plain_search` is breadth first over `World` with a visited set; `enumerate_schedules` runs every schedule from the
start, one by one. Both take invariants literally: each is evaluated in every state that it speaks of.
"""

from collections.abc import Hashable, Iterable, Iterator

import attrs

from lakeproof.explore.faults import Mode, Move
from lakeproof.explore.judge import APPLIED
from lakeproof.explore.kernel import advance
from lakeproof.explore.meaning import Cells, apply, patch
from lakeproof.explore.setting import Setting, prepare, run_aftermath, snapshot
from lakeproof.explore.space import DEAD
from lakeproof.explore.world import Step, World
from lakeproof.scenario import Scenario
from model.invariants import Always, Eventually, Finding, Monitor, OnStep, Reached, Violation
from model.snapshot import Transition


@attrs.define
class Verdicts:
    """What has been found of each invariant: its first violation with its moves, or how often it was tested."""

    violations: dict[str, tuple[Violation, tuple[Move, ...]]] = attrs.field(factory=dict)
    reached: dict[str, int] = attrs.field(factory=dict)

    def hear(self, name: str, findings: Iterable[Finding], moves: tuple[Move, ...]) -> None:
        for finding in findings:
            if isinstance(finding, Violation):
                self.violations.setdefault(name, (finding, moves))
            else:
                assert isinstance(finding, Reached)
                self.reached[name] = self.reached.get(name, 0) + 1

    def verdict(self, name: str) -> str:
        """As the search would give it, all schedules being covered."""
        if name in self.violations:
            return "violated"
        return "holds" if self.reached.get(name) else "inconclusive"


@attrs.frozen
class PlainResult:
    """What a plain search has established."""

    verdicts: dict[str, str]
    violations: dict[str, tuple[Violation, tuple[Move, ...]]]
    states: int
    transitions: int
    finals: frozenset[Hashable]
    keys: frozenset[Hashable]


class Referee:
    """Judges one execution of a world, step by step."""

    def __init__(self, scenario: Scenario, verdicts: Verdicts) -> None:
        self.scenario = scenario
        self.verdicts = verdicts
        self.monitors = tuple(i for i in scenario.invariants if isinstance(i, Monitor))

    def start(self) -> tuple[Hashable, ...]:
        """The states of the monitors at the beginning."""
        return tuple(monitor.initial for monitor in self.monitors)

    def state(self, world: World, monitors: tuple[Hashable, ...]) -> None:
        """Judge a state, in which the monitors are in theirs."""
        seen = world.snapshot()
        moves = tuple(world.history)
        for invariant in self.scenario.invariants:
            if isinstance(invariant, Always) or (isinstance(invariant, Eventually) and world.quiescent):
                self.verdicts.hear(invariant.id, invariant.check(seen), moves)
        if world.quiescent:
            final = attrs.evolve(seen, clients=(), now=world.setting.times[0])
            for monitor, state in zip(self.monitors, monitors, strict=True):
                if monitor.at_end is not None and state != DEAD:
                    self.verdicts.hear(monitor.id, monitor.at_end(state, final), moves)
            for aftermath in self.scenario.aftermath:
                now = world.setting.times[world.jumps]
                self.verdicts.hear(aftermath.id, aftermath.check(*run_aftermath(aftermath, world.cells, now)), moves)

    def step(self, world: World, step: Step, before: Cells, monitors: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """Judge a transition that has just been made, and advance the monitors."""
        moves = tuple(world.history)
        if step.call is not None and step.op is not None and step.move.mode in (*APPLIED, Mode.DELIVER):
            for invariant in self.scenario.invariants:
                if isinstance(invariant, OnStep) and invariant.watches(step.call.name, step.op):
                    self.verdicts.hear(invariant.id, invariant.check(_transition(world, step, before)), moves)
        after = []
        for monitor, state in zip(self.monitors, monitors, strict=True):
            state, findings = advance(monitor, state, step.events)
            self.verdicts.hear(monitor.id, findings, moves)
            after.append(state)
        return tuple(after)


def _transition(world: World, step: Step, before: Cells) -> Transition:
    assert step.call is not None
    assert step.op is not None
    now = world.setting.times[0]
    return Transition(
        step.client,
        step.call,
        step.op,
        step.answer,
        snapshot(before, now, ()),
        snapshot(patch(before, apply(before, step.op, now)[1]), now, ()),
    )


def plain_search(scenario: Scenario, states_max: int = 200_000) -> PlainResult:
    """Breadth first over worlds, with a visited set of raw states. Cost: a re-run per transition."""
    setting = prepare(scenario)
    verdicts = Verdicts()
    referee = Referee(scenario, verdicts)
    first = World(setting)
    start = referee.start()
    seen = {(first.key(), start)}
    referee.state(first, start)
    finals = {first.final()} if first.quiescent else set()
    level: list[tuple[World, tuple[Hashable, ...]]] = [(first, start)]
    transitions = 0
    while level:
        following: list[tuple[World, tuple[Hashable, ...]]] = []
        for world, monitors in level:
            for move in world.moves():
                transitions += 1
                twin = world.fork()
                before = twin.cells
                after = referee.step(twin, twin.step(move), before, monitors)
                key = (twin.key(), after)
                if key in seen:
                    twin.close()
                    continue
                assert len(seen) < states_max, f"{scenario.name}: more than {states_max} states: not for this search"
                seen.add(key)
                referee.state(twin, after)
                if twin.quiescent:
                    finals.add(twin.final())
                following.append((twin, after))
            world.close()
        level = following
    return _result(scenario, verdicts, len(seen), transitions, finals, set(seen))


def enumerate_schedules(scenario: Scenario, executions_max: int = 100_000) -> tuple[int, PlainResult]:
    """Every schedule from start to end, one by one. Returns their number and what was found."""
    setting = prepare(scenario)
    verdicts = Verdicts()
    finals: set[Hashable] = set()
    keys: set[Hashable] = set()
    executions = 0
    transitions = 0
    for moves in _schedules(setting):
        executions += 1
        assert executions <= executions_max, f"{scenario.name}: more than {executions_max} schedules"
        referee = Referee(scenario, verdicts)
        world, monitors = World(setting), referee.start()
        referee.state(world, monitors)
        keys.add((world.key(), monitors))
        for move in moves:
            if world.quiescent:
                finals.add(world.final())
            before = world.cells
            monitors = referee.step(world, world.step(move), before, monitors)
            referee.state(world, monitors)
            keys.add((world.key(), monitors))
            transitions += 1
        finals.add(world.final())
        world.close()
    return executions, _result(scenario, verdicts, len(keys), transitions, finals, keys)


def _schedules(setting: Setting, prefix: tuple[Move, ...] = ()) -> Iterator[tuple[Move, ...]]:
    world = World(setting)
    for move in prefix:
        world.step(move)
    moves = world.moves()
    world.close()
    if not moves:
        yield prefix
    for move in moves:
        yield from _schedules(setting, (*prefix, move))


def _result(
    scenario: Scenario,
    verdicts: Verdicts,
    states: int,
    transitions: int,
    finals: set[Hashable],
    keys: set[Hashable],
) -> PlainResult:
    return PlainResult(
        verdicts={name: verdicts.verdict(name) for name in scenario.ids},
        violations=verdicts.violations,
        states=states,
        transitions=transitions,
        finals=frozenset(finals),
        keys=frozenset(keys),
    )
