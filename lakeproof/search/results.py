"""What a search is given, and what it establishes: plain values."""

from typing import Final

import attrs

from lakeproof.model.identity import Exact
from lakeproof.model.invariants import Violation
from lakeproof.scenario import Scenario
from lakeproof.search.faults import Move

STEPS_MAX: Final = 2_000
"""A schedule that is longer than this has, as a rule, no end."""


@attrs.frozen(kw_only=True)
class Limits:
    """When to give up. None: never."""

    states_max: int | None = None
    seconds_max: float | None = None
    memory_bytes_max: int | None = None
    steps_max: int | None = STEPS_MAX


@attrs.frozen(kw_only=True)
class Options:
    """How to search. The verdicts do not depend on it, the number of states does."""

    merge: bool | None = None  # None: when the search is no longer small
    symmetry: bool = True
    ranked: bool | None = None  # None: when the search has grown large
    keep_finals: bool = False  # as flows made them: fresh identifiers are not renamed then


@attrs.frozen
class Counterexample:
    """A violation and the moves that lead to it from the start."""

    violation: Violation
    moves: tuple[Move, ...]
    loop: int | None = None
    """How many moves lead to the loop that the others repeat for ever; None: there is no loop."""


@attrs.frozen(kw_only=True)
class Finding:
    """The verdict on one invariant."""

    id: str
    verdict: str  # holds, violated, inconclusive
    why: str = ""  # for inconclusive: what is missing
    reached: int = 0  # distinct situations in which it was tested
    example: str = ""  # one of them
    counterexample: Counterexample | None = None


@attrs.frozen(kw_only=True)
class Result:
    """What a search has established. Counts are of distinct states and of transitions."""

    scenario: Scenario
    findings: tuple[Finding, ...]
    states: int
    transitions: int
    depth: int
    """Every schedule was covered up to this many steps."""
    complete: bool
    """Nothing is left to explore."""
    seconds: float
    reruns: int
    restarts: int
    final_states: int
    widest: int
    """The largest number of states of one level."""
    stopped: str = ""
    unspent: tuple[str, ...] = ()
    """Budgets of faults that no schedule has; of a search that is complete."""
    finals: frozenset[Exact] = frozenset()
    """On request: the final states, each as an `Exact` pair of cells and, by client, its calls."""
    symmetric: bool = False
    """Whether a state stood for all that differ from it by an exchange of clients with the same program."""
    collision: float = 0.0
    """Bound on the probability that a state was counted twice."""
