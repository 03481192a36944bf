"""Which algorithm answers for a key, and when the next one is tried."""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import partial
from typing import Final

import attrs

from lakeproof.model.linearizability.frontier import frontier
from lakeproof.model.linearizability.history import NEVER, BrokenHistory, History
from lakeproof.model.linearizability.problem import Budget, KeyResult, Register, Stepped, Verdict, make_steps, register
from lakeproof.model.linearizability.search import search
from lakeproof.model.linearizability.specifications import Specification, initial
from lakeproof.model.linearizability.values import shorten_value
from lakeproof.model.linearizability.zones import zones
from lakeproof.model.snapshot import Status

ALGORITHMS: Final = ("zones", "frontier", "search")
ZONES_CANNOT_TELL: Final = (
    "an observed value has several possible writers, or one that was surely hidden several possible hiders"
)

CONFIGURATION_BYTES: Final = 360
"""What a configuration or place takes, its share of tables included, when it tells few optional operations apart."""

# A narrow beam is one cheap pass, and often finds an order where there is one.
_BEAMS: Final = (8, 64)
_FIRST_CONFIGURATIONS: Final = 256
_FIRST_STEPS_A_STEP: Final = 20


Numbers = Collection[int]
"""The operations of a part, by their numbers in the history, in the order of their calls."""


@attrs.frozen(kw_only=True)
class Limits:
    """When to give up: inconclusive then, never wrong.

    memory: bytes that an algorithm may hold at once, besides the history itself; an estimate of ours.
    expired: polled; True: time is up. The model has no clock of its own.
    """

    memory: int = 1 << 30
    expired: Callable[[], bool] = attrs.field(default=lambda: False)


@attrs.frozen(kw_only=True)
class KeyVerdict:
    """What was found out of one key (None: of all of them together, where the specification needs that)."""

    key: Hashable
    verdict: Verdict
    algorithm: str
    operations: int
    why: str = ""
    """Of an inconclusive one."""
    at: int = -1
    """Of a violated one: see `KeyResult`."""


def check(
    specification: Specification,
    history: History,
    limits: Limits | None = None,
    *,
    algorithm: str | None = None,
) -> Iterator[KeyVerdict]:
    """A verdict for each key, in the order in which the keys were first met.

    algorithm: one of ALGORITHMS, to compare them; else the one that suits the key. Raises BrokenHistory for operations
    that the specification does not have, or not with such arguments: at the first verdict, before there is any.
    """
    limits = limits or Limits()
    specification_has(specification, history)
    arguments_fit(specification, history)
    for key, numbers in parts(specification, history):
        answer, by = decide_key(specification, history, numbers, limits, algorithm)
        yield KeyVerdict(
            key=key, verdict=answer.verdict, algorithm=by, operations=len(numbers), why=answer.why, at=answer.at
        )


def parts(specification: Specification, history: History) -> Iterable[tuple[Hashable, Numbers]]:
    """The operations to be judged together: those of each key, or all of them."""
    if specification.by_key:
        return history.keys.items()
    # Numbers are in the order of the file; with ``order="time"`` that is not the order of calls.
    call = history.columns()["call"]
    return [(None, sorted(range(len(history)), key=call.__getitem__))] if len(history) else []


def decide_key(
    specification: Specification,
    history: History,
    numbers: Numbers,
    limits: Limits,
    algorithm: str | None = None,
    until: int = NEVER,
) -> tuple[KeyResult, str]:
    """The verdict on the operations with these numbers, and the algorithm that gave it. Arguments and results are those
    that `arguments_fit` lets pass.

    until: the last event to look at; what is open then may take effect at any later time or never.
    """
    if specification.guarded is None or algorithm == "search":
        places = Budget(configurations=limits.memory // CONFIGURATION_BYTES, expired=limits.expired)
        return search(make_steps(specification, history, numbers, until), places), "search"
    problem = register(specification, history, numbers, until)
    # Zones first: O(n log n), and where they answer the verdict is final.
    if algorithm != "frontier":
        answer = zones(problem)
        if answer is not None:
            return answer, "zones"
        if algorithm == "zones":
            return KeyResult(Verdict.INCONCLUSIVE, ZONES_CANNOT_TELL), "zones"
    # The memory limit becomes a number of configurations: an estimate, since Python does not measure objects cheaply.
    most = limits.memory // _bytes(problem)
    if algorithm == "frontier":
        return frontier(problem, Budget(configurations=most, expired=limits.expired)), "frontier"
    return _by_turns(problem, lambda: make_steps(specification, history, numbers, until), most, limits)


def _by_turns(problem: Register, stepped: Callable[[], Stepped], most: int, limits: Limits) -> tuple[KeyResult, str]:
    """Frontier and search by turns, each time with more: what one cannot do, the other often can."""
    expired = limits.expired
    words: Stepped | None = None
    answer, by = KeyResult(Verdict.INCONCLUSIVE), "frontier"
    if NEVER not in problem.returns:  # hardly more than the beam is ever open then
        answer, by = _beam(problem, Budget(configurations=most, expired=expired), _BEAMS[-1])
    configurations, steps = _FIRST_CONFIGURATIONS, _FIRST_STEPS_A_STEP * (len(problem) + 10)
    attempts: list[Callable[[], tuple[KeyResult, str]]] = []
    while answer.verdict is Verdict.INCONCLUSIVE and (not answer.why or not expired()):
        if not attempts:
            if configurations > most:
                too_few = f"the memory is for {most:,} configurations: too few to begin"
                answer = answer if answer.why else KeyResult(Verdict.INCONCLUSIVE, too_few)
                break
            if words is None:
                words = stepped()
                continue  # which has taken its time
            attempts = _attempts(problem, words, min(configurations, most), most, steps, expired)
            # Geometric growth: all attempts that were in vain cost a constant factor of the last one.
            configurations, steps = configurations * 4, steps * 8
        answer, by = attempts.pop(0)()
    return answer, by


def _attempts(
    problem: Register, words: Stepped, configurations: int, most: int, steps: int, expired: Callable[[], bool]
) -> list[Callable[[], tuple[KeyResult, str]]]:
    """What to try with a budget, one after the other: the cheap ones first."""
    within = Budget(configurations=configurations, expired=expired)
    # No later attempt has more memory, so that steps need no limit any more.
    last = configurations * 4 > most
    places = Budget(configurations=most, steps=(1 << 62) if last else steps, expired=expired)
    # Depth first: where orders exist, one is often found long before all places have been met.
    made: list[Callable[[], tuple[KeyResult, str]]] = [lambda: (search(words, places), "search")]
    if NEVER in problem.returns and configurations == _FIRST_CONFIGURATIONS:
        freely = Budget(configurations=most, expired=expired)
        made += [partial(_beam, problem, freely, beam) for beam in _BEAMS]
    made.append(lambda: (frontier(problem, within), "frontier"))
    return made


def _beam(problem: Register, budget: Budget, beam: int) -> tuple[KeyResult, str]:
    return frontier(problem, budget, beam=beam), "frontier"


def _bytes(problem: Register) -> int:
    # Counts of optional operations are fields of one integer, up to two bits for each operation where all kinds differ.
    return CONFIGURATION_BYTES + sum(returned == NEVER for returned in problem.returns) // 4


def arguments_fit(specification: Specification, history: History) -> None:
    """Raises BrokenHistory for an operation that cannot have its argument or its result, happened or not."""
    unasking = specification.unasking
    begin, step = initial(specification, history), specification.step
    for number, (f, key, argument) in enumerate(history.invocations()):
        # These take any argument, so that a trial step could not fail; and there may be millions of them.
        if f in unasking:
            continue
        answering = f in specification.answering
        try:
            _, result = step(begin, f, argument if specification.by_key or answering else (key, argument))
            if answering:
                op = history.operation(number)
                specification.equal(result, op.result if op.status is Status.OK else result)
        except ValueError as error:
            raise BrokenHistory(str(error), history.operation(number).lines[0]) from error


def specification_has(specification: Specification, history: History) -> None:
    """Raises BrokenHistory if the history has operations that the specification does not."""
    foreign = sorted(history.fs - specification.fs)
    if foreign:
        raise BrokenHistory(
            f"operation {shorten_value(foreign[0])} is not one of {specification.name}; "
            f"expected {', '.join(sorted(specification.fs))}, or another model (--model)"
        )
