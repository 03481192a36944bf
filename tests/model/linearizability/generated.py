"""Small histories, valid and not, and what brute force says of them."""

import random
from collections.abc import Hashable, Sequence
from typing import Final

import attrs

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


def simulated(rng: random.Random, specification: Specification, *, most: int, spoiled: float) -> list[Operation]:
    """Operations of a simulated object; some results are then replaced, each with that probability.

    One in four histories has distinct values throughout, so that zones apply.
    """
    count, processes = rng.randint(1, most), rng.randint(1, 5)
    fs = sorted(specification.fs)
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
                argument = (rng.choice((*met[-3:], state, EXISTS if f == "set_if" else state)), value)
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


def drawn(seed: int) -> tuple[Specification, History]:
    """Seven operations at most that nothing has simulated: each met any recent value, or says that it was not there.

    Three in ten conditions are met by any value.
    """
    rng = random.Random(seed)
    distinct, processes = rng.random() < 0.6, rng.randint(2, 5)
    unknown, refused = rng.choice((0.0, 0.3, 0.5)), rng.choice((0.3, 0.6, 0.9))
    values: list[Hashable] = [None]
    made: list[Operation] = []
    open_: list[int] = []
    count, time = rng.randint(2, 7), 0
    while len(made) < count or open_:
        if len(made) < count and len(open_) < processes and (not open_ or rng.random() < 0.5):
            met, new = rng.choice(values[-4:]), len(values) if distinct else rng.randrange(3)
            condition = "set_if", (EXISTS if rng.random() < 0.3 else met, new)
            f, argument = rng.choice((("get", None), ("set", new), condition, condition))
            status = Status.FAIL if f == "set_if" and rng.random() < refused else Status.OK
            result = met if f == "get" else None
            if f != "get" and status is Status.OK:
                values.append(new)
            open_.append(len(made))
            made.append(Operation(process=len(made), f=f, argument=argument, result=result, status=status, call=time))
        else:
            i = open_.pop(rng.randrange(len(open_)))
            lost, returned = attrs.evolve(made[i], status=Status.INFO), attrs.evolve(made[i], returned=time)
            made[i] = lost if rng.random() < unknown else returned
        time += 1
    return KV, history(made, Settings(fail="predicate-false"))
