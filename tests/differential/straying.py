"""Invariants that do not declare what they read: which parts of a state they look at depends on what they find."""

from collections.abc import Iterator
from random import Random
from typing import Final, Literal

import attrs

from lakeproof.model.invariants import Always, Eventually, Finding, Invariant
from lakeproof.model.snapshot import Snapshot
from tests.differential.demands import Holds, NotAhead, all_calls, ok, verdict
from tests.differential.generated import FlowSet, flow_set
from tests.differential.programs import ADDRESSES, KEYS, START
from tests.differential.values import PLAIN


@attrs.frozen
class Look:
    """A question about one part of a state. ``number``: which key, address, microsecond, count or client."""

    part: Literal["key", "object", "time", "ended", "ahead", "returned"]
    number: int
    expected: bool

    def __call__(self, seen: Snapshot) -> bool:
        return self._answer(seen) is self.expected

    def _answer(self, seen: Snapshot) -> bool:
        match self.part:
            case "key":
                return KEYS[self.number % len(KEYS)] in seen.store
            case "object":
                return ADDRESSES[self.number % len(ADDRESSES)] in seen.objects
            case "time":
                return seen.now - START == self.number
            case "ended":
                return sum(call.done for call in all_calls(seen)) > self.number
            case "ahead":
                own = seen.clients[self.number % len(seen.clients)]
                return any(call.done for call in own) and not all(seen.clients)
            case "returned":
                return any(ok(call, PLAIN[self.number % len(PLAIN)]) for call in all_calls(seen))


@attrs.frozen
class Strays:
    """Not all of these are true. One after the other is looked at, up to the first that is not; what a look raises
    passes for a no, as in a check that catches every exception."""

    looks: tuple[Look, ...]
    catches: bool = False
    kind: type[Always] | type[Eventually] = Always

    def build(self, name: str) -> Invariant:
        return self.kind(id=name, meaning="not all at once", check=lambda seen: self._check(name, seen))

    def _check(self, name: str, seen: Snapshot) -> Iterator[Finding]:
        yield from verdict(name, all(self._look(look, seen) for look in self.looks), True)

    def _look(self, look: Look, seen: Snapshot) -> bool:
        try:
            return look(seen)
        except Exception:
            if not self.catches:
                raise
            return False


FIRST: Final = ("key", "key", "object")
THEN: Final = ("key", "object", "time", "ended", "ended", "ahead", "returned")


def straying(seed: int) -> FlowSet:
    """The set of a seed, with other demands."""
    random = Random(f"straying {seed}")

    def strays() -> Strays:
        parts = [random.choice(FIRST), *(random.choice(THEN) for _ in range(random.randint(0, 3)))]
        looks = [Look(part, random.randrange(3), random.random() < 0.7) for part in parts]  # type: ignore[arg-type]
        return Strays(tuple(looks), random.random() < 0.5, random.choice((Always, Always, Always, Eventually)))

    made = flow_set(seed, ())
    kept = [each for each in made.demands if not isinstance(each, NotAhead)]
    return attrs.evolve(made, demands=(Holds(), *kept[1:2], *(strays() for _ in range(4))))  # type: ignore[arg-type]
