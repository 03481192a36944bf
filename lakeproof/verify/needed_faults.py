"""Which faults a violation needs: each kind is dropped, and all schedules are searched again.

Example: a scenario allows one crash and one refusal. Without crashes the invariant is still violated; without refusals
all schedules keep it. So the refusal is needed, and the crash is not.
"""

from typing import Final

import attrs

from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Faults, Scenario
from lakeproof.search.observers import collect_observers
from lakeproof.search.search import Limits, search
from lakeproof.words import plural

MEMORY_BYTES_MAX: Final = 1 << 30
ANY: Final = "any fault"


@attrs.frozen(kw_only=True)
class Dropped:
    """What comes of an invariant without one kind of fault."""

    fault: str
    """The kind, in words; `ANY`: without all kinds."""
    verdict: str
    """``needed``: no schedule violates it without; ``not needed``: one does; ``not known``: the search was stopped."""
    why: str


def drop_faults(scenario: Scenario, invariant_id: str, seconds_max: float) -> tuple[Dropped, ...]:
    """Each kind of fault that the scenario allows, dropped; and all of them, if there are several and none of them
    alone is needed. Empty: it allows none. Cost: a search for each, of at most ``seconds_max``.

    Raises:
        As `search`.
    """
    faults = scenario.faults
    kinds = [name for name, budget in attrs.asdict(faults, recurse=False).items() if budget]
    found = [_without(scenario, invariant_id, _words(kind), _drop(faults, kind), seconds_max) for kind in kinds]
    # Each kind can stand in for another one, so none is needed alone; that says nothing of having none at all.
    if len(kinds) > 1 and all(each.verdict == "not needed" for each in found):
        found.append(_without(scenario, invariant_id, ANY, Faults(), seconds_max))
    return tuple(found)


def _drop(faults: Faults, kind: str) -> Faults:
    if kind == "lost_answers":  # only an unacknowledged write is repeated
        return attrs.evolve(faults, lost_answers=0, duplicates=0)
    none: object = () if kind.startswith("clock") else 0
    return attrs.evolve(faults, **{kind: none})  # type: ignore[arg-type]  # each kind has its own type


def _words(kind: str) -> str:
    return kind.replace("_", " ")


def _without(scenario: Scenario, invariant_id: str, name: str, faults: Faults, seconds_max: float) -> Dropped:
    # The calls of each aftermath may raise, so all of them stay for NO_UNHANDLED_EXCEPTION.
    aftermath = [each for each in scenario.aftermath if invariant_id in (each.id, NO_UNHANDLED_EXCEPTION)]
    # What it reads of calls may be what an observer of another invariant makes.
    observers = collect_observers(scenario.invariants)
    reduced = attrs.evolve(
        scenario,
        faults=faults,
        # The others would only delay the answer: a search ends when all that it seeks is violated.
        invariants=[attrs.evolve(each, observers=observers) for each in scenario.invariants if each.id == invariant_id],
        aftermath=aftermath,
        expect={invariant_id: "violated"},
    )
    result = search(reduced, Limits(seconds_max=seconds_max, memory_bytes_max=MEMORY_BYTES_MAX))
    found = next((each for each in result.findings if each.id == invariant_id), None)
    if found is not None and found.counterexample is not None:
        steps = plural(len(found.counterexample.moves), "step")
        return Dropped(fault=name, verdict="not needed", why=f"it is violated without, in {steps}")
    # After the counterexample: a search that has found one need not be complete.
    if result.complete:
        states = plural(result.states, "state")
        return Dropped(fault=name, verdict="needed", why=f"no schedule violates it without; all {states} were searched")
    return Dropped(fault=name, verdict="not known", why=f"the search without was stopped: {result.stopped}")


def in_words(found: tuple[Dropped, ...]) -> tuple[str, ...]:
    """A line each; one that says so if there is nothing to drop."""
    lines = tuple(f"{each.fault}: {each.verdict}; {each.why}" for each in found)
    return lines or ("none: the scenario allows no fault",)
