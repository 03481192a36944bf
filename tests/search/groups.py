"""Random flow sets with several effects of a client open at once, each made from a seed."""

from random import Random

from lakeproof import Faults
from tests.differential.generated import FlowSet, Maker
from tests.differential.programs import Branch, Fetch, Instruction, Program, Together


def group_set(seed: int) -> FlowSet:
    """One or two clients, at least one of which runs a group."""
    return _Grouping(Random(f"groups {seed}"), set()).grouped(seed)


class _Grouping(Maker):
    def grouped(self, seed: int) -> FlowSet:
        number = self.pick(1, 1, 2)
        self.budget = self.faults(number) if self.chance(0.4) else Faults()
        program = self.around(number)
        clients = [(self.call(program),)]
        if number == 2:
            clients.append((self.call(self.pick(program, self.program(1, 1))),))
        return FlowSet(
            seed=seed,
            clients=tuple(clients),
            setup=tuple(self.setup()),
            faults=self.budget,
            demands=tuple(self.demands(number)),
            aftermath=None,
        )

    def around(self, clients: int) -> Program:
        """A group, with effects before or behind it."""
        before, behind = ([self.effect()] if clients == 1 and self.chance(0.4) else [] for _ in range(2))
        return Program((*before, self.group(), *behind), self.returned(), self.chance(0.5))

    def group(self) -> Instruction:
        """Flat, with a body, with a group in the body, or with one in a branch."""
        shape = self.pick("flat", "flat", "body", "in the body", "in a branch")
        if shape == "in a branch":
            return Together((self.failing(), Branch((self.flat(),), self.chance(0.5))), cancel=self.chance(0.5))
        return self.flat({"body": (self.effect(),), "in the body": (self.flat(),)}.get(shape, ()))

    def flat(self, body: tuple[Instruction, ...] = ()) -> Together:
        branches = (self.branch(), self.pick(self.branch(), self.branch(), self.failing()))
        return Together(branches, body, self.chance(0.7), self.chance(0.5))

    def branch(self) -> Branch:
        body = tuple(self.effect() for _ in range(self.pick(1, 1, 2)))
        return Branch(body, self.chance(0.5), self.pick(None, None, None, 0, 1))

    def failing(self) -> Branch:
        """It cancels the others where there is no object."""
        return Branch((Fetch(self.address()),), apart=True)
