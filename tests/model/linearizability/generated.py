"""Small histories, valid and not, and what brute force says of them."""

import random
from collections.abc import Hashable, Sequence
from typing import Final

from lakeproof.model.linearizability.history import NEVER, History, Operation, Settings, history
from lakeproof.model.linearizability.problem import Step, Stepped, make_steps
from lakeproof.model.linearizability.specifications import CAS_REGISTER, EXISTS, KV, MUTEX, REGISTER, Specification
from lakeproof.model.linearizability.values import REFUSED, UNKNOWN
from lakeproof.model.snapshot import Status

REGISTERS: Final = (REGISTER, CAS_REGISTER, CAS_REGISTER, KV, KV, MUTEX)


def brute_force(specification: Specification, told: History) -> bool:
    """Every order of the operations, one by one: the definition, and no more."""
    return in_some_order(make_steps(specification, told, range(len(told))))


def in_some_order(problem: Stepped) -> bool:
    return _some_order(problem, frozenset(range(len(problem.steps))), problem.initial)


def _some_order(problem: Stepped, left: frozenset[int], state: Hashable) -> bool:
    steps: Sequence[Step] = problem.steps
    musts = [steps[i].returned for i in left if steps[i].returned != NEVER]
    if not musts:
        return True
    for i in left:
        if steps[i].call < min(musts):
            after, result = problem.specification.step(state, steps[i].f, steps[i].argument)
            fits = steps[i].observed is UNKNOWN or problem.specification.equal(result, steps[i].observed)
            if fits and _some_order(problem, left - {i}, after):
                return True
    return False


def simulated(
    rng: random.Random, specification: Specification, *, most: int, spoiled: float, crowded: bool = False
) -> list[Operation]:
    """Operations of a simulated object; some results are then replaced, each with that probability.

    One in four histories has distinct values throughout, so that zones apply. Crowded: of five processes, and each
    condition is one that many values meet.
    """
    count, processes = rng.randint(1, most), 5 if crowded else rng.randint(1, 5)
    fs = sorted(specification.fs) + (["get", "set_if"] if crowded else [])
    values = rng.choice((2, 3, 1_000))
    unknown = rng.choice((0.0, 0.0, 0.2, 0.5))
    state, time, value = specification.initial, 0, 0
    met: list[Hashable] = [None]
    open_: list[int] = []
    rows: list[list[Hashable]] = []
    done: set[int] = set()
    while count or open_:
        dice = rng.randrange(3)
        if dice == 0 and count and len(open_) < processes:
            f = rng.choice(fs)
            value = value + 1 if values > 100 else rng.randrange(values)
            argument: Hashable = None
            if f in ("write", "set"):
                argument = value
            elif f in ("cas", "set_if"):
                expected = EXISTS if crowded else rng.choice((*met[-3:], state, EXISTS if f == "set_if" else state))
                argument = (expected, value)
            met.append(value)
            open_.append(len(rows))
            rows.append([f, argument, None, Status.OK, time, NEVER])
            time, count = time + 1, count - 1
        elif dice == 1 and open_:
            i = rng.choice(open_)
            if i not in done:
                done.add(i)
                after, result = specification.step(state, str(rows[i][0]), rows[i][1])
                if rows[i][0] in specification.observers:
                    rows[i][2] = result
                elif result is REFUSED:
                    rows[i][3] = Status.FAIL
                state = after if rng.random() > spoiled / 2 else state
        elif dice == 2 and open_:
            i = rng.choice(open_)
            if i in done or unknown > rng.random():
                open_.remove(i)
                if i not in done or unknown > rng.random():
                    rows[i][3] = Status.INFO
                else:
                    rows[i][5] = time
                    time += 1
    for row in rows:
        if rng.random() < spoiled:
            if row[0] in specification.observers:
                row[2] = rng.choice(met)
            elif row[0] in specification.conditional and row[3] is not Status.INFO:
                row[3] = rng.choice((Status.OK, Status.FAIL))
    return [
        Operation(process=i, f=str(f), argument=a, result=r, status=s, call=c, returned=e)  # type: ignore[arg-type]
        for i, (f, a, r, s, c, e) in enumerate(rows)
    ]


def small(seed: int, *, most: int = 8) -> tuple[Specification, History]:
    """The history with a number: half of them are as simulated, half are spoiled."""
    rng = random.Random(seed)
    specification = rng.choice(REGISTERS)
    operations = simulated(rng, specification, most=most, spoiled=rng.choice((0.0, 0.3)))
    fail = rng.choice(("did-not-happen", "predicate-false", "predicate-false"))
    settings = Settings(fail="predicate-false" if fail == "predicate-false" else "did-not-happen")
    return specification, history(operations, settings)


def crowded(seed: int) -> tuple[Specification, History]:
    """Few operations of many processes: a value may come from a conditional write that follows on any other write."""
    rng = random.Random(seed)
    operations = simulated(rng, KV, most=7, spoiled=rng.choice((0.0, 0.0, 0.3)), crowded=True)
    return KV, history(operations, Settings(fail="predicate-false" if seed % 2 else "did-not-happen"))
