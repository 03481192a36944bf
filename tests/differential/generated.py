"""Random flow sets, each made from a seed: the same ones on every run."""

from collections.abc import Hashable, Sequence
from random import Random
from typing import Final, Literal, TypeVar

import attrs

from lakeproof import Call, Client, Faults, Scenario
from tests.differential import programs as ast
from tests.differential.demands import (
    After,
    Demand,
    Distinct,
    Ends,
    Glance,
    Holds,
    NoneRaised,
    NoneReturned,
    NotAhead,
    NotAt,
    NotWhile,
    Order,
    Steps,
)
from tests.differential.interpreter import run_option, run_program
from tests.differential.programs import Const, Instruction, Program, Source
from tests.differential.values import FAMILIES, PLAIN

T = TypeVar("T")

ODD_VALUES, ODD_MONITORS, CLOCKED_STEPS, EXCEPTIONS, CLEANUPS, RESTARTS = FEATURES = (
    "values that are equal and not the same",
    "monitors whose states are such values",
    "steps that look at the clock",
    "flows that raise what is no answer",
    "flows that clean up in finally",
    "clients that restart",
)
"""What a set may have beyond the classical part."""

BYTES: Final = (b"x", b"y", b"0")


@attrs.frozen
class CallOf:
    """A call of `run_program`. ``named``: its argument is given by name. ``shown``: its program is an argument as well,
    and so a part of each view of the call, and not an option."""

    program: Program
    given: Hashable = None
    named: bool = False
    attempts: int = 1
    shown: bool = False

    def build(self) -> Call:
        args = () if self.named else (self.given,)
        options = {"given": self.given} if self.named else {}
        if self.shown:
            return Call(run_program, self.program, *args, attempts=self.attempts, **options)
        return Call(run_option, *args, attempts=self.attempts, program=self.program, **options)


@attrs.frozen
class FlowSet:
    """Clients, faults and invariants, as a value that is printed when searches disagree."""

    seed: int
    clients: tuple[tuple[CallOf, ...], ...]
    setup: tuple[Instruction, ...]
    faults: Faults
    demands: tuple[Demand, ...]
    aftermath: After | None
    recover: tuple[tuple[CallOf, ...], ...] = ()
    """By client; empty: none restarts."""

    def scenario(self) -> Scenario:
        return Scenario(
            name=f"generated/{self.seed}",
            setup=[Call(run_program, Program(self.setup))] if self.setup else [],
            clients=[self.client(at) for at in range(len(self.clients))],
            faults=self.faults,
            invariants=[demand.build(f"{at}-{type(demand).__name__}") for at, demand in enumerate(self.demands)],
            aftermath=[self.aftermath.build("after")] if self.aftermath else [],
        )

    def client(self, at: int) -> Sequence[Call]:
        calls = [call.build() for call in self.clients[at]]
        recover = self.recover[at] if self.recover else ()
        return Client(calls, recover=[call.build() for call in recover]) if recover else calls


def flow_set(seed: int, features: Sequence[str] = FEATURES) -> FlowSet:
    """The set of a seed. Each feature is used by some sets only."""
    random = Random(f"{seed} {' '.join(features)}")
    used = {feature for feature in features if random.random() < 0.7}
    return Maker(random, used).make(seed)


SHAPES: Final = {1: (3, 6), 2: (2, 4), 3: (1, 2)}
RESTARTING: Final = {1: (2, 5), 2: (1, 3)}
"""Clients, and the fewest and most instructions of each of their programs; the same where they restart."""


class Maker:
    def __init__(self, random: Random, used: set[str]) -> None:
        self.random = random
        self.used = used
        self.odd = ODD_VALUES in used
        self.families: Sequence[tuple[Hashable, ...]] = (PLAIN,)
        if self.odd:
            self.families = random.sample(FAMILIES, random.choice((1, 1, 2)))
        self.values = [value for family in self.families for value in family]
        self.shown = random.random() < 0.1
        self.timed = random.random() < 0.3
        self.hot = random.choice((0, 0, 1, 2))
        """The key that most instructions are about."""
        self.restarts = False
        self.budget = Faults()
        self.likely: list[Hashable] = [None, b"x", b"y"]
        """What calls may return."""

    def pick(self, *choices: T) -> T:
        return self.random.choice(choices)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self) -> Hashable:
        found = self.random.choice(self.values)
        self.likely.append(found)
        return found

    def seen(self) -> Hashable:
        """A value that a call may well return."""
        return self.random.choice(self.likely) if self.chance(0.6) else self.random.choice(self.values)

    def two(self) -> list[Hashable]:
        """Two values that are easily taken for each other."""
        found = self.random.sample(self.random.choice(self.families), 2)
        self.likely += found
        return found

    def make(self, seed: int) -> FlowSet:
        self.restarts = RESTARTS in self.used and self.chance(0.4)
        number = self.pick(1, 2, 2) if self.restarts else self.pick(1, 2, 2, 2, 3)
        self.budget = self.faults(number)
        shape = RESTARTING[number] if self.restarts else SHAPES[number]
        pool = [self.program(*shape) for _ in range(self.pick(1, 1, 2))]
        clients = tuple(
            tuple(self.call(self.random.choice(pool)) for _ in range(self.pick(1, 1, 2) if number == 1 else 1))
            for _ in range(number)
        )
        setup = self.setup()
        if number > 1 and self.chance(0.3 if self.restarts else 0.6):
            clients, setup = self.racing(clients, setup)
        if self.restarts and self.chance(0.4):
            clients = (clients[0],) * number
        elif number > 1 and self.chance(0.7):  # clients that run one program: interchangeable, or all but
            first = clients[0]
            clients = (first, *(self.pick(first, first, others) for others in clients[1:]))
        recover = self.recovery() if self.restarts else ()
        return FlowSet(
            seed=seed,
            recover=tuple(self.pick(recover, recover, recover, ()) if at else recover for at in range(number)),
            clients=clients,
            setup=tuple(setup),
            faults=self.budget,
            demands=tuple(self.demands(number)),
            aftermath=After(value=self.pick(None, *BYTES), advance=self.pick(0, 3)) if self.chance(0.2) else None,
        )

    def racing(
        self, clients: tuple[tuple[CallOf, ...], ...], setup: list[Instruction]
    ) -> tuple[tuple[tuple[CallOf, ...], ...], list[Instruction]]:
        """The first client returns one of two values, if it meets what the second one does to a key."""
        (first, *_), (second, *_), *others = clients
        key, there = self.key(), self.chance(0.5)
        writes = ast.Delete(key) if there else ast.Set(key, self.source())
        reader, writer = list(first.program.instructions), list(second.program.instructions)
        reader += [ast.Get(key), ast.Keep(*self.two())]
        writer[0:1] = [writes]
        first = attrs.evolve(first, program=attrs.evolve(first.program, instructions=tuple(reader), returns="held"))
        second = attrs.evolve(second, program=attrs.evolve(second.program, instructions=tuple(writer)))
        kept = [one for one in setup if not isinstance(one, ast.Set) or one.key != key]
        return ((first,), (second,), *others), [*kept, *([ast.Set(key, Const(b"x"))] if there else [])]

    def recovery(self) -> tuple[CallOf, ...]:
        """What clients run when they start again: it looks at what they have kept, or does not."""
        own = ast.Own(ast.Get(self.key()))
        body: list[Instruction] = [own, ast.When(self.pick("found", "nothing"), (self.effect(),))]
        body += self.pick([], [self.own()], [self.effect()])
        first = CallOf(Program(tuple(self.pick(body, body[:2], body[1:])), self.returned(), self.chance(0.5)))
        return self.pick((first,), (first,), (first, first))

    def transact(self, key: int) -> ast.Transact:
        other = (key + self.pick(1, 2)) % len(ast.KEYS)
        return ast.Transact(key, self.source(), self.pick("read", "absent", "exists"), other, self.chance(0.5))

    def own(self) -> Instruction:
        kinds = (ast.Get, ast.Set, ast.SetIf, ast.Delete, ast.Scan, ast.Transact)
        return ast.Own(self.pick(*[each for each in self.on_keys() if isinstance(each, kinds)]))

    def setup(self) -> list[Instruction]:
        keys = [ast.Set(key, Const(self.pick(*BYTES))) for key in range(len(ast.KEYS)) if self.chance(0.35)]
        return [
            *keys,
            *(ast.Put(at, Const(self.pick(*BYTES))) for at in range(len(ast.ADDRESSES)) if self.chance(0.35)),
        ]

    def call(self, program: Program) -> CallOf:
        given = self.value() if self.chance(0.8) else None
        return CallOf(program, given, self.chance(0.3), self.pick(1, 1, 1, 2), self.shown)

    def faults(self, clients: int) -> Faults:
        kinds = ["refusals", "lost_answers", "false_predicates", "duplicates", "scan_failures", "crashes"]
        budget = dict.fromkeys(kinds, 0)
        several = self.pick(0, 0, 1) if self.restarts else self.pick(0, 1, 1, 2)
        for kind in self.random.sample([*kinds, "duplicates"], several):
            budget[kind] = self.pick(1, 1, 1, 2)
        budget["restarts"] = self.pick(1, 1, 2) if self.restarts and clients == 1 else int(self.restarts)
        budget["lost_answers"] = max(budget["lost_answers"], int(budget["duplicates"] > 0))
        jumps = self.pick((1,), (2,), (0, 2), (3, 1)) if self.timed else ()
        skew = self.pick((), (), (1,), (0, 2), (2,) * clients)
        return Faults(**budget, clock_jumps=jumps, clock_skew=skew)

    def program(self, fewest: int, most: int) -> Program:
        body = [self.instruction() for _ in range(self.random.randint(fewest, most))]
        if self.odd and self.chance(0.8):
            at = self.random.randint(1, len(body))
            body[at:at] = [*self.pick([], [ast.Get(0)]), ast.Keep(*self.two())]
        elif self.chance(0.2):
            body.insert(self.random.randint(1, len(body)), ast.KeepLast())
        if self.chance(0.2):
            body.append(self.raising())
        if self.chance(0.1):
            body.insert(0, ast.Mint())
        if CLEANUPS in self.used and self.chance(0.4):
            at = self.random.randrange(len(body))
            body[at:] = [ast.Finally(self.key(), tuple(body[at:]))]
        return Program(tuple(body), self.returned(), self.chance(0.5))

    def returned(self) -> Source:
        if self.chance(0.25):
            return Const(self.value())
        sources: list[Source] = ["held", "held", "given", "last", "log", "both"]
        return self.random.choice([*sources, "held", "held", "both", "count", "found"] if self.odd else sources)

    def source(self) -> Source:
        return self.pick(Const(b"x"), Const(b"y"), "last", "held", "given")

    def key(self) -> int:
        return self.pick(self.hot, self.hot, self.hot, 0, 1, 2)

    def address(self) -> int:
        return self.pick(0, 0, 1)

    def raising(self) -> Instruction:
        kinds = ["definite", "indefinite", "own definite", "own indefinite"]
        if EXCEPTIONS in self.used:
            kinds += ["value", "assert", "value"]
        raised = ast.Raise(self.random.choice(kinds), self.pick(Const(self.value()), "held", "last"))  # type: ignore[arg-type]
        return raised if self.chance(0.3) else ast.When(self.condition(), (raised,))

    def condition(self) -> ast.Condition:
        return self.pick("failed", "found", "nothing", Const(self.value()))

    def instruction(self) -> Instruction:
        if self.chance(0.12):
            then = tuple(self.effect() for _ in range(self.pick(1, 1, 2)))
            return ast.When(self.condition(), then, (self.effect(),) if self.chance(0.4) else ())
        if self.chance(0.08):
            return ast.Retry(2, (self.effect(), self.effect()) if self.chance(0.3) else (self.effect(),))
        if EXCEPTIONS in self.used and self.chance(0.04):
            return self.raising()
        return self.effect()

    def effect(self) -> Instruction:
        if RESTARTS in self.used and self.chance(0.4 if self.restarts else 0.1):
            return self.own()
        if self.timed and self.chance(0.3):
            return ast.Clock()
        if self.chance(0.3):
            return self.faulty_effect()
        if self.chance(0.3):
            return self.object_effect()
        return self.random.choice(self.on_keys())

    def on_keys(self) -> list[Instruction]:
        key, partition = self.key(), self.pick(b"p", b"p", b"q")
        return [
            ast.Get(key),
            ast.Get(key),
            ast.Get(key),
            ast.Set(key, self.source()),
            ast.Set(key, self.source()),
            ast.SetIf(key, self.source(), self.pick("read", "absent", "exists", b"x")),
            ast.SetIf(key, self.source(), self.pick("read", "read", "absent", "exists")),
            ast.Delete(key, self.pick(None, None, b"x", b"y")),
            self.transact(key),
            ast.Scan(partition, self.pick(0, 1, 1, 2), self.pick(9, 9, 1, 2)),
            ast.Scan(partition, self.pick(0, 1, 1), start=self.pick(b"", b"a", b"b")),
            ast.Missing(self.pick("partition", "key")) if self.chance(0.2) else ast.Clock(),
        ]

    def faulty_effect(self) -> Instruction:
        """An instruction that the faults of this set are about."""
        key, at = self.key(), self.address()
        choices: list[Instruction] = [ast.Get(key)]
        if self.budget.false_predicates:
            choices += [
                ast.SetIf(key, self.source(), self.pick("read", "absent", "exists")),
                ast.Delete(key, self.pick(b"x", b"y")),
                ast.Put(at, self.source(), self.pick("absent", "match")),
                ast.Mark(at, self.source(), "metageneration"),
                ast.Copy(at, match=True),
            ]
        if self.budget.scan_failures:
            choices += [ast.Scan(b"p", 1), ast.Scan(b"p", 1), ast.Pages(1), ast.Pages(1)]
        if self.budget.lost_answers:
            choices += [ast.Set(self.hot, Const(self.pick(b"x", b"y"))), ast.Delete(self.hot), ast.Unlink(0)]
        return self.random.choice(choices)

    def object_effect(self) -> Instruction:
        at, soon = self.address(), self.pick(None, None, 0, 1, 2)
        destination: Literal["", "absent", "match"] = "absent" if soon == 1 else "match" if soon == 2 else ""
        choices: list[Instruction] = [
            ast.Put(at, self.source(), self.pick("", "absent", "match"), soon),
            ast.Put(at, self.source(), "", soon),
            ast.Fetch(at),
            ast.Head(at, self.pick("metageneration", "last_modified", "size_bytes", "metadata")),
            ast.Copy(at, self.chance(0.3), self.chance(0.3), soon, destination),
            ast.Mark(at, self.source(), self.pick("", "metageneration", "version")),
            ast.Unlink(at, match=soon == 0),
            ast.Pages(self.pick(0, 1, 1)),
        ]
        return self.random.choice(choices)

    def demands(self, clients: int) -> list[Demand]:
        whom = self.pick(None, None, 0, clients - 1)
        glance = Glance("errors", tuple(self.two()))
        candidates: list[Demand] = [
            NoneReturned(self.seen(), whom),
            NoneReturned(self.seen()),
            NotAhead(self.pick(0, clients - 1)) if clients > 1 else Distinct(),
            Distinct(),
            NotWhile(self.key(), self.pick(None, b"x", b"y"), self.seen()),
            NotAt(self.pick(0, 1, 2, 3), self.pick(1, 2)),
            NoneRaised(self.seen(), self.pick(0, 1, 2, 9)),
            NoneRaised(self.seen(), 9),
            Ends(
                self.pick(1, 2, 3, 9),
                self.pick(0, 2, 3, 9, 9),
                self.random.choice(glance.values),
                self.pick(None, glance),
            ),
        ]
        chosen = self.random.sample(candidates, self.pick(2, 3))
        if self.chance(0.6):
            chosen.append(self.steps(whom))
        if self.chance(0.6 if ODD_MONITORS in self.used else 0.3):
            chosen.append(self.order())
        return [Holds(), *chosen]

    def steps(self, whom: int | None) -> Demand:
        """A step invariant; without the clock where that is not asked for."""
        glance = Glance("errors of a step", tuple(self.two()))
        clocked = CLOCKED_STEPS in self.used or not self.timed
        kinds: list[Demand] = [
            Steps("writes", "shrinks", None, whom),
            Steps("writes", "reply", self.pick(None, "PredicateFailed"), whom),
            Steps("reads", "reply", self.pick("NotFound", b"x", "ObjectNotFound"), whom),
            Steps(self.pick("writes", "reads"), "glance", self.random.choice(glance.values), whom, glance),
        ]
        if clocked:
            kinds += [
                Steps(self.pick("writes", "objects", "reads"), "time", self.pick(0, 1, 2, 3), whom),
                Steps("objects", "modified", self.pick(0, 1, 2, 3), whom),
                Steps("objects", "reply", self.pick("Expired", "PreconditionFailed"), whom),
            ]
        if clocked and self.timed:
            kinds += [
                Steps("clock", "time", self.pick(0, 1, 2, 3), whom),
                Steps("clock", "reply", self.pick(0, 1, 2, 3), whom),
                Steps("clock", "shrinks", None),
            ]
        return self.random.choice(kinds)

    def order(self) -> Demand:
        pool = self.values if ODD_MONITORS in self.used else PLAIN
        if ODD_MONITORS in self.used and self.chance(0.4):
            pool = ["dead", "alive", True, 1, *self.two()]
        states = tuple(self.random.sample(pool, 2) if self.chance(0.4) else self.two())
        wrong, bad_end = self.pick(*states, None), self.pick(*states, self.seen())
        if ODD_MONITORS in self.used and self.chance(0.3):
            return Order("value", states, self.seen(), wrong, bad_end, self.key())
        return Order(self.pick("turn", "client"), states, self.seen(), wrong, bad_end, self.key())
