"""Optional operations of the frontier: calls whose outcome is unknown, which may take effect late or never.

Operations of one kind (guard, its value, what is written) are exchangeable: a configuration counts those that took
effect.
"""

import attrs

from lakeproof.model.linearizability.history import NEVER
from lakeproof.model.linearizability.problem import Register

Kind = tuple[int, int, int]
"""Guard, its value, what is written."""


@attrs.define(eq=False)
class Optional:
    """All operations of one kind that may take effect at any time after their calls, or never."""

    kind: Kind
    total: int
    shift: int
    """Where its field begins, in which a configuration counts those that took effect."""
    one: int
    """1 in that field."""
    mask: int
    ranks: list[int] = attrs.field(factory=list, init=False)
    """Of those called so far: how many optional operations had been called before."""


def available(optional: Optional, spent: int, ranks: int) -> bool:
    """Whether one of this kind is left that was called early enough."""
    # Alike ones are used in the order of their calls: the count is the index of the next one.
    count = spent >> optional.shift & optional.mask
    return count < len(optional.ranks) and optional.ranks[count] < ranks


def optionals(problem: Register) -> tuple[dict[Kind, Optional], int]:
    """The kinds of optional operations, each with its field, and the highest bit of all fields, which stays 0."""
    kinds: dict[Kind, int] = {}
    for guard, value, write, returned in zip(
        problem.guards, problem.values, problem.writes, problem.returns, strict=True
    ):
        if returned == NEVER:
            kinds[guard, value, write] = kinds.get((guard, value, write), 0) + 1
    made, shift, guards_of_fields = {}, 0, 0
    for kind, count in kinds.items():
        width = count.bit_length()
        made[kind] = Optional(kind, count, shift, one=1 << shift, mask=(1 << width) - 1)
        guards_of_fields |= 1 << (shift + width)
        shift += width + 1  # the bit between two fields lets `dominates` compare all of them at once
    return made, guards_of_fields
