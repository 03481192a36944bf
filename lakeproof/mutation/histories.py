"""Histories that judge the checker of histories: small and made from a seed, each also judged by the definition.

Each is a scenario of one client, so that mutants of the checker are judged as those of the search are. The
definition is written here without the checker's specifications: a key, and an order of the operations.
"""

import random
from collections.abc import Iterator
from typing import Final, cast

from lakeproof.impl.effects import Env
from lakeproof.model.invariants import Always, Finding, Reached, Reads, Violation
from lakeproof.model.snapshot import Snapshot, Status
from lakeproof.scenario import Call, Scenario

AGREES: Final = "checker-agrees"
SEEDS: Final = 60
"""Of each scenario."""
OPERATIONS_MAX: Final = 7
HistoryRow = tuple[str, object, object, Status, int, int]
"""Operation, argument, result, status, and the moments of its call and return; return 0: there is none."""


def _apply_operation(state: object, f: str, argument: object) -> tuple[object, object, Status]:
    """The key afterwards, the result, and whether the predicate was true."""
    if f == "get":
        return state, state, Status.OK
    # A set or a delete: what is written, or nothing, is there afterwards.
    if f != "set_if":
        return argument, None, Status.OK
    expected, value = cast("tuple[object, object]", argument)
    return (value, None, Status.OK) if state == expected else (state, None, Status.FAIL)


def make_history(seed: int) -> list[HistoryRow]:
    """A history of a key as it was in some schedule; in three of four, answers are then exchanged for others."""
    rng = random.Random(seed)
    fresh = rng.random() < 0.6  # each value is written once
    # With fresh values, each has one writer, as zones need it. Several deletes would all write nothing.
    words = ("get", "get", "set", "set_if", "set_if" if fresh else "delete")
    state: object = None
    history: list[HistoryRow] = []
    # Open operations, and whether each takes effect at its return; else at its call. So the history is possible.
    late: dict[int, bool] = {}
    for moment in range(1, 3 * OPERATIONS_MAX):
        # Another operation begins, or an open one goes on.
        if len(history) < OPERATIONS_MAX and (not late or rng.random() < 0.6):
            value = moment if fresh else rng.randrange(1, 3)
            f = rng.choice(words)
            argument = {"set": value, "set_if": (rng.choice((state, None, value)), value)}.get(f)
            late[len(history)] = rng.random() < 0.5
            history.append((f, argument, None, Status.OK, moment, 0))
            number = len(history) - 1
        elif late:
            number = rng.choice(list(late))
        else:
            continue
        f, argument, result, status, called, _ = history[number]
        returns = called < moment
        # Both false: it is the call, and the effect is early. Both true: it is the return, and the effect is late.
        if late[number] is returns:
            state, result, status = _apply_operation(state, f, argument)
        if returns:
            del late[number]
        # One return in ten was not recorded.
        history[number] = f, argument, result, status, called, moment if returns and rng.random() < 0.9 else 0
    gets = [number for number, row in enumerate(history) if row[0] == "get"]
    for number in gets if seed % 4 else ():
        values = [None, *(row[1] for row in history if row[0] == "set")]  # perhaps the right one, so it may still hold
        history[number] = (*history[number][:2], rng.choice(values), *history[number][3:])
    return history


def by_definition(left: list[HistoryRow], state: object = None) -> bool:
    """Whether some order of the operations explains their answers; what has not returned may have no effect."""
    # The first operation must be called before the first return: else the returned one has come too late.
    due = min((row[5] for row in left if row[5]), default=0)
    if not due:
        return True
    for row in left:
        f, argument, result, status, called, returned = row
        if called < due:
            after, found, applied = _apply_operation(state, f, argument)
            # What never returned has no wrong answer. It may also stay in `left` to the end: then it had no effect.
            if (not returned or (found, applied) == (result, status)) and by_definition(
                [other for other in left if other is not row], after
            ):
                return True
    return False


async def compare_checkers(env: Env, first: int) -> tuple[str, ...]:
    """What the checker says of some histories, by each algorithm, that the definition does not."""
    from lakeproof.model.linearizability.checker import ALGORITHMS, check
    from lakeproof.model.linearizability.history import NEVER, Operation, Settings, history
    from lakeproof.model.linearizability.problem import Verdict
    from lakeproof.model.linearizability.specifications import KV

    wrong = []
    for seed in range(first, first + SEEDS):
        rows = make_history(seed)
        row = history(
            [
                Operation(
                    process=number, f=f, argument=argument, result=result, call=called, returned=returned or NEVER,
                    status=status if returned else Status.INFO,
                )
                for number, (f, argument, result, status, called, returned) in enumerate(rows)
            ],
            Settings(fail="predicate-false"),
        )  # fmt: skip
        expected = Verdict.HOLDS if by_definition(rows) else Verdict.VIOLATED
        for algorithm in (None, *ALGORITHMS):
            # Zones cannot judge every history: they may leave it open, but not be wrong.
            allowed = (expected, Verdict.INCONCLUSIVE) if algorithm == "zones" else (expected,)
            found = (each.verdict for each in check(KV, row, algorithm=algorithm))
            wrong += [f"seed {seed}, {algorithm}: {each.name}" for each in found if each not in allowed]
    return tuple(wrong)


def _agrees(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("compare_checkers"):
        if call.status is Status.OK:
            assert isinstance(call.value, tuple)
            yield Violation(AGREES, call.value[0]) if call.value else Reached(f"{SEEDS} histories")


SCENARIOS: Final = [
    Scenario(
        name=f"histories/{number}",
        clients=[[Call(compare_checkers, number * SEEDS)]],
        invariants=[
            Always(
                id=AGREES,
                meaning="the checker of histories says of each what the definition says",
                check=_agrees,
                reads=frozenset({Reads.CLIENTS}),
            )
        ],
    )
    for number in range(8)
]
