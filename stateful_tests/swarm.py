"""Swarm testing of a design: each run draws a small race, a budget of faults and a schedule in bursts, and judges it.

Where a scenario fixes a race and tries every schedule, a `Swarm` draws both. A run draws two to four words of the
design's, two or three clients that say them, what happened before, which faults are possible, and who moves next for
how many effects. Few words and long bursts are the point: a run that may do everything seldom does anything twice.
The race is one in the language of the catalogue: `Design.invariants` says what is at stake in it, and the referee of
the search judges each step. So a failure is a scenario that can be verified.

A run is a function of its seed and its number alone. A failure says both, and the command that finds it again.

Example: ``python -m stateful_tests repositories/kv3 --ask active-is-complete``, an invariant that is refuted. Run 0.11:

    before      create                                  the repository r, life s1
    client a    create.create                           few words are drawn, and are used again and again
    client b    retry_delete.create.retry_delete
    faults      none
    schedule    a a b b b b b b                         in bursts; delta debugging leaves out the steps of a

The last step: "r (active, instance b1) is accessible and lacks its default branch main".

Source: A. Groce, C. Zhang, E. Eide, Y. Chen, J. Regehr, Swarm testing, 2012. Bursts: S. Burckhardt et al., A
randomized scheduler with probabilistic guarantees of finding bugs, 2010: few preemptions find most bugs.
"""

from random import Random
from typing import Final

import attrs

from lakeproof.designs import modules
from lakeproof.designs.designs import AnyDesign, Change, Row, as_it_is
from lakeproof.designs.races import Race, op
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Aftermath, Faults, Scenario
from lakeproof.search.faults import Mode, Move
from lakeproof.search.minimise import minimise
from lakeproof.search.referee import Referee, Verdicts
from lakeproof.search.setup import Setting, prepare
from lakeproof.search.world import World

BURSTS: Final = (1, 1, 2, 3, 4, 6, 10, 100)
"""How many effects a client may perform on end."""
FAULT_RATES: Final = (0.0, 0.05, 0.15, 0.4)
"""How often a step is a fault where one is possible; drawn for each run."""
SETTLING: Final = 300
"""After so many steps clients run to their ends, one after the other."""
RACES_SHOWN: Final = 100
"""So many races are drawn to see which invariants there are."""
STEPS_MAX: Final = 2_000
"""A run that is longer does not end."""


@attrs.frozen(kw_only=True)
class Ground:
    """Where the races of a design take place: what there is before they begin, and how the scenario is adapted."""

    design: AnyDesign
    before: tuple[str, ...] = ()
    more: tuple[Aftermath, ...] = ()
    adapt: Change = as_it_is
    paged: int = 0


@attrs.frozen(kw_only=True)
class Failure:
    """A run that violated an invariant."""

    swarm: str
    seed: str
    """Of the run: what `Swarm.run` needs to make it again."""
    number: int
    """How many runs of its kind came before it."""
    scenario: Scenario
    moves: tuple[Move, ...]
    invariant: str
    evidence: str

    def __str__(self) -> str:
        return (
            f"{self.scenario.name}: {self.invariant}: {self.evidence}; {len(self.moves)} steps, run {self.number}\n"
            f"again: python -m stateful_tests '{self.swarm}' --run {self.seed}"
        )

    def smaller(self) -> "Failure":
        """The same violation by as few preemptions and steps as delta debugging leads to. Cost: seconds."""
        return attrs.evolve(self, moves=minimise(self.scenario, self.moves, self.invariant))


@attrs.frozen(kw_only=True)
class Swarm:
    """What a run may draw from."""

    name: str
    grounds: tuple[Ground, ...]
    words: tuple[str, ...]
    """The words of clients; a word of several, as ``mark.sweep``, is used as a whole."""
    faults: tuple[Faults, ...] = (Faults(),)
    """Budgets. Half of the runs have the first."""
    spared: frozenset[str] = frozenset()
    """The ids of invariants that are not checked: what is refuted of the design."""
    only: frozenset[str] = frozenset()
    """The ids of those that are; none: all but the spared."""
    clients: tuple[int, ...] = (2, 2, 3)
    calls: tuple[int, ...] = (1, 1, 2, 2, 3)
    """How many words a client says."""
    runs: int = 200
    """The budget of the machine: so many runs find what is planted. See tests of planted bugs."""

    def seek(self, seed: object, runs: int | None = None) -> Failure | None:
        """The first of so many runs that violates an invariant; None: of the machine's budget."""
        # Setups repeat among the runs, so the store after each is made once.
        settings: dict[object, Setting] = {}
        for number in range(self.runs if runs is None else runs):
            found = self.run(f"{seed}.{number}", settings)
            if found is not None:
                return attrs.evolve(found, number=number)
        return None

    def run(self, seed: str, settings: dict[object, Setting] | None = None) -> Failure | None:
        """One run. settings: stores after setups that other runs have made, by what made them."""
        # Text is hashed by SHA-512 here, not by `hash`, so the run is the same in each process.
        random = Random(seed)  # no secret
        scenario = self.draw(random)
        found = _SwarmRun(scenario, random, {} if settings is None else settings).violation()
        if found is None:
            return None
        name, evidence, moves = found
        return Failure(
            swarm=self.name, seed=seed, number=0, scenario=scenario, moves=moves, invariant=name, evidence=evidence
        )

    def draw(self, random: Random) -> Scenario:
        """A race, as a scenario that asks what this machine asks."""
        ground = random.choice(self.grounds)
        # Words of one operation on other paths count as one, so that a drawn race is about few operations.
        ops = sorted({_ops(word) for word in self.words})
        chosen = random.sample(ops, min(len(ops), random.randint(2, 4)))
        words = [word for word in self.words if _ops(word) in chosen]
        texts = [
            ".".join(random.choice(words) for _ in range(random.choice(self.calls)))
            for _ in range(random.choice(self.clients))
        ]
        clients = tuple(tuple(client.split(".")) for client in texts)
        faults = random.choice(self.faults) if random.random() < 0.5 else self.faults[0]
        name = ".".join(ground.before) + "/" + "-".join(texts)
        race = Race(name=name, clients=clients, before=ground.before, faults=faults, paged=ground.paged)
        scenario = Row(design=ground.design, race=race, more=ground.more, adapt=ground.adapt).scenario()
        return attrs.evolve(
            scenario,
            invariants=[each for each in scenario.invariants if self._asks(each.id)],
            aftermath=[each for each in scenario.aftermath if self._asks(each.id)],
            # The expectations of the design are about races of its table, not about this one.
            expect={NO_UNHANDLED_EXCEPTION: "holds"},
        )

    def known_ids(self) -> list[str]:
        """The ids of all that its races have, also of what is refuted, as far as some races show them."""
        everything = attrs.evolve(self, spared=frozenset(), only=frozenset())
        return sorted({name for seed in range(RACES_SHOWN) for name in everything.draw(Random(seed)).named_ids})

    def _asks(self, name: str) -> bool:
        return name in self.only if self.only else name not in self.spared


def _ops(word: str) -> tuple[str, ...]:
    return tuple(map(op, word.split(".")))


class _SwarmRun:
    """One execution under a drawn schedule."""

    def __init__(self, scenario: Scenario, random: Random, settings: dict[object, Setting]) -> None:
        self.random = random
        self.scenario = scenario
        self.verdicts = Verdicts()
        self.referee = Referee(scenario, self.verdicts)
        self.world = World(_prepare_setting(scenario, settings))
        self.monitors = self.referee.start()
        self.rate = random.choice(FAULT_RATES)
        self.blind = not any(each.observers for each in scenario.invariants)

    def violation(self) -> tuple[str, str, tuple[Move, ...]] | None:
        """Run to the end; what was violated first, its evidence, and the moves that led to it."""
        try:
            self.referee.state(self.world, self.monitors)
            while not self.verdicts.violations and not self.world.quiescent:
                self._burst()
            for name, (violation, moves) in self.verdicts.violations.items():
                return name, violation.evidence, moves
            return None
        finally:
            self.world.close()

    def _burst(self) -> None:
        alive = [client for client in range(len(self.world.clients)) if self.world.alive(client)]
        client = self.random.choice(alive)
        # Late in a run each burst lasts to the end of its client, or some runs would not end.
        long = len(self.world.history) > SETTLING
        for _ in range(STEPS_MAX if long else self.random.choice(BURSTS)):
            assert len(self.world.history) < STEPS_MAX, f"{self.scenario.name}: a client that does not end"
            self._move(self._chosen(client))
            if self.verdicts.violations or not self.world.alive(client):
                return

    def _chosen(self, client: int) -> Move:
        if self.random.random() < self.rate:
            faults = [
                # -1: of no client, such as a jump of the clock.
                move for move in self.world.moves() if move.client in (client, -1) and move.mode is not Mode.NORMAL
            ]
            if faults:
                return self.random.choice(faults)
        tasks = [task for task, _ in self.world.clients[client].open]
        return Move(client, Mode.NORMAL, tasks[0] if len(tasks) == 1 else self.random.choice(tasks))

    def _move(self, move: Move) -> None:
        before = self.world.cells
        step = self.world.step(move)
        self.monitors = self.referee.step(self.world, step, before, self.monitors)
        # A read that ends nothing changes nothing that an invariant sees.
        if step.changes or step.ended or move.client < 0 or move.mode is Mode.CRASH or not self.blind:
            self.referee.state(self.world, self.monitors)


def _prepare_setting(scenario: Scenario, settings: dict[object, Setting]) -> Setting:
    """The setting, with a store that an equal setup has made before."""
    # Within one machine the store after the setup depends on nothing else: faults and clients come after it.
    key = (scenario.setup, scenario.start_time)
    if key not in settings:
        settings[key] = prepare(scenario)
        return settings[key]
    # Programs and clocks are of this scenario, so they are laid out anew, without the setup.
    bare = prepare(attrs.evolve(scenario, setup=()))
    return attrs.evolve(bare, scenario=scenario, cells=settings[key].cells)


def swarm_of(name: str, *, without: str = "") -> Swarm:
    """The machine of a design of the catalogue: its words, faults and beginnings are those of its rows. What is refuted
    under its faults is not checked.

    without: kinds of faults, fields of `Faults`, of which no run has one.

    Raises:
        KeyError: no such design.
    """
    found = [row for module in modules() for row in module.ROWS if row.design.name == name]
    if not found:
        raise KeyError(name)
    kind = type(found[0].design)  # `alone.py` has rows of the same names, with words of their own
    found = [row for row in found if type(row.design) is kind]
    grounds: list[Ground] = []
    for row in found:
        race = row.race
        ground = Ground(design=row.design, before=race.before, more=row.more, adapt=row.adapt, paged=race.paged)
        if ground not in grounds:
            grounds.append(ground)
    texts = dict.fromkeys(word for row in found for word in row.race.words)
    absent = without.split()
    # The budget without faults comes first: half of the runs have it.
    budgets = {Faults(): None} | {row.race.faults: None for row in found}
    faults = [each for each in budgets if not any(attrs.asdict(each)[kind] for kind in absent)]
    refuted = {
        each
        for row in found
        for each, where in row.design.refuted.items()
        # Only under the faults that remain: what other faults refute is checked.
        if row.race.faults in faults and where.matches(row.race.name)
    }
    return Swarm(
        name=name,
        grounds=tuple(grounds),
        words=tuple(texts),
        faults=tuple(faults),
        spared=frozenset(refuted),
    )
