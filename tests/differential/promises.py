"""Whether some fair run of a generated set owes for ever, by definition: run by run, or set of states by set."""

from collections.abc import Callable, Hashable, Mapping
from typing import Final

from tests.differential.explicit import Made, State, Step

Mark = Callable[[State], bool]


def unkept(each: Made, owing: Mark, kept: Mark, fairness: str) -> bool | None:
    """Whether some fair run owes for ever, by definition: runs are looked for one by one, or set by set. None: there
    are too many sets."""
    after = {state: list(state.moves(each.machines)) for state in each.states}
    faults = {state: list(state.faults(each.machines)) for state in each.states}  # no loop has any: their budgets end
    open_ = {state for state in each.states if not kept(state)}
    reached, waiting = set[State](), [state for state in open_ if owing(state)]
    while waiting:
        state = waiting.pop()
        if state not in reached:
            reached.add(state)
            waiting += [to for _, _, to in (*after[state], *faults[state]) if to in open_]
    if any(not after[state] for state in reached):
        return True
    if fairness != "strong":
        return any(_round_from(state, after, reached, fairness) for state in reached)
    if len(reached) > SETS_OF_MAX:
        return None
    ordered = sorted(reached, key=repr)
    return any(
        _stays(frozenset(state for at, state in enumerate(ordered) if number >> at & 1), after)
        for number in range(1, 1 << len(ordered))
    )


SETS_OF_MAX: Final = 9
Moves = Mapping[State, list[Step]]


def _round_from(start: State, after: Moves, inside: set[State], fairness: str) -> bool:
    """Whether a run leads from a state to it again, and nobody was left out on the way."""

    def idle(state: State) -> frozenset[int]:
        everyone = frozenset(range(len(state.clients)))
        return everyone if fairness == "none" else everyone - {client for client, _, _ in after[state]}

    seen = set[tuple[State, frozenset[int]]]()
    waiting = [(to, idle(start) | {client}) for client, _, to in after[start] if to in inside]
    while waiting:
        state, moved = waiting.pop()
        moved |= idle(state)
        if (state, moved) in seen:
            continue
        seen.add((state, moved))
        if state == start and len(moved) == len(start.clients):
            return True
        waiting += [(to, moved | {client}) for client, _, to in after[state] if to in inside]
    return False


def _stays(states: frozenset[State], after: Moves) -> bool:
    """Whether a run can visit these states for ever, and no others, and take each step that can be taken in one."""

    def label(state: State, move: Step) -> Hashable:
        client, answer, _ = move
        return client, state.clients[client], answer

    inner = {state: [move for move in after[state] if move[2] in states] for state in states}
    taken = {label(state, move) for state in states for move in inner[state]}
    if not taken or any(label(state, move) not in taken for state in states for move in after[state]):
        return False
    for first in states:
        met, waiting = {first}, [first]
        while waiting:
            fresh = [to for _, _, to in inner[waiting.pop()] if to not in met]
            met.update(fresh)
            waiting += fresh
        if met != states:
            return False
    return True
