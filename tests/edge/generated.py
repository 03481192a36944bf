"""A grammar of user code that behaves oddly: scenario files made at random, from parts that real files are made of too.

A *part* is text. Statements of a flow and of a check are drawn and nested by a random generator, so that equal seeds
give equal files.
"""

import warnings
from contextlib import suppress
from random import Random
from typing import Final

import attrs

from tests.edge.odd_parts import (
    BLOCKS,
    CHECKS,
    FAULTS,
    ODD,
    RAISES,
    RARE,
    RARE_CHECKS,
    STATEMENTS,
    UNHASHABLE,
    USES,
    VALUES,
)


@attrs.frozen
class Generated:
    """A scenario: what must stand before it in its file, the expression, and the ids that it names."""

    before: str
    expression: str
    ids: tuple[str, ...]


def generated(random: Random, number: int, *, endless: bool = True) -> Generated:
    """One more scenario. ``number`` keeps its names apart from those of others; ``endless``: with loops and exits."""
    while True:
        made = _Maker(random, number, endless).scenario()
        with suppress(SyntaxError), warnings.catch_warnings(action="ignore"):  # such as a return inside an except*
            compile(made.before, "made", "exec")
            return made


class _Maker:
    def __init__(self, random: Random, number: int, endless: bool) -> None:
        self.random = random
        self.number = number
        self.endless = endless
        self.before: list[str] = []
        self.count = 0

    def scenario(self) -> Generated:
        flows = [self.flow() for _ in range(self.random.choice((1, 1, 2)))]
        clients = [self.calls(flows) for _ in range(self.random.choice((1, 1, 2, 2, 3)))]
        if self.random.random() < 0.2:  # the same program twice
            clients[-1:] = [clients[-1]] * 2
        invariants = [self.invariant(f"i{at}") for at in range(self.random.choice((1, 1, 2)))]
        fields = [
            f'name="g{self.number}"',
            f"clients=[{', '.join(clients)}]",
            f"invariants=[{', '.join(invariants)}]",
            f"faults=Faults({self.random.choice(FAULTS)})",
        ]
        if self.random.random() < 0.1:
            fields.append(f"setup={self.calls(flows)}")
        ids = tuple(f"i{at}" for at in range(len(invariants)))
        return Generated("\n".join(self.before), f"Scenario({', '.join(fields)})", ids)

    def calls(self, flows: list[str]) -> str:
        return f"[{', '.join(self.call(flows) for _ in range(self.random.choice((1, 1, 2))))}]"

    def call(self, flows: list[str]) -> str:
        flow = self.random.choice(flows)
        args = [flow]
        if self.random.random() < 0.3:
            args.append(self.random.choice(VALUES))
        if self.random.random() < 0.1:
            args.append(f"option={self.random.choice(VALUES)}")
        if self.random.random() < 0.1:
            args.append("attempts=2")
        if self.random.random() < 0.05:
            args[0] = f"functools.partial({flow})"
        return f"Call({', '.join(args)})"

    def flow(self) -> str:
        name = self.name("flow")
        body = self.body(self.random.randint(1, 4), 2)
        kind = self.random.random()
        if kind < 0.03:
            body += "\n    yield 5"  # an asynchronous generator is no flow
        elif kind < 0.25:
            body += f"\n    return {self.random.choice(VALUES + UNHASHABLE)}"
        word = "def" if kind > 0.98 and "await" not in body and "async" not in body else "async def"
        self.before.append(f"{word} {name}(env, *args, **options):\n{body}")
        return name

    def body(self, statements: int, depth: int) -> str:
        return "\n".join(self.statement(depth) for _ in range(statements))

    def statement(self, depth: int) -> str:
        draw = self.random.random()
        if draw < 0.25 and depth:
            parts = [self.body(self.random.choice((1, 1, 2)), depth - 1) for _ in range(2)]
            block = self.random.choice(BLOCKS)
            text = block.replace("{0i}", _indented(parts[0])).replace("{1i}", _indented(parts[1]))
            text = text.replace("{0}", parts[0]).replace("{1}", parts[1])
            return _indented(text.replace("{{", "{").replace("}}", "}"))
        if draw < 0.35:
            return _indented(f"raise {self.random.choice(RAISES)}")
        if draw < 0.36 and self.endless:
            return _indented(self.random.choice(RARE))
        if draw < 0.45:
            value = self.random.choice(VALUES + UNHASHABLE)
            return _indented(self.random.choice(USES).format(value))
        return _indented(self.random.choice(STATEMENTS[:8] if draw < 0.75 else STATEMENTS))

    def invariant(self, name: str) -> str:
        kind = self.random.choice(("Always", "Eventually"))
        reads = self.random.choice(("", ", reads=BOTH", ", reads=frozenset(Reads)", ", reads=frozenset()"))
        return f'{kind}(id="{name}", meaning="", check={self.check()}{reads})'

    def check(self) -> str:
        rare = self.endless and self.random.random() < 0.01
        body = self.random.choice(RARE_CHECKS if rare else CHECKS[:6] if self.random.random() < 0.5 else CHECKS)
        body = body.replace("{value}", self.random.choice(VALUES + UNHASHABLE))
        name = self.name("check")
        self.before.append(
            f"def {name}(snapshot):\n{_indented(body.replace('{raises}', self.random.choice(RAISES)))}"
        )
        return name

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.number}_{self.count}"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


SOUND: Final = 'Scenario(name="sound", clients=[[Call(touch)], [Call(touch)]], invariants=[SEEN])'
BROKEN: Final = 'Scenario(name="broken", clients=[[Call(touch)], [Call(touch)]], invariants=[NEVER])'
PLANTED: Final = """
def seen(snapshot):
    if (P, K) in snapshot.store: yield Reached("the write")
def never(snapshot):
    yield Violation("never", "written") if (P, K) in snapshot.store else Reached("before it")
SEEN = Always(id="seen", meaning="", check=seen)
NEVER = Always(id="never", meaning="", check=never)
"""


def file_of(scenarios: list[Generated]) -> str:
    """A file with these scenarios, and two whose verdicts are known: one before them and one after them."""
    before = "\n".join(scenario.before for scenario in scenarios)
    listed = ",\n    ".join((SOUND, *(scenario.expression for scenario in scenarios), BROKEN))
    return f"{ODD}{PLANTED}{before}\nSCENARIOS = [\n    {listed},\n]\n"
