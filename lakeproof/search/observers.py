"""What observers of invariants are shown of a call's effects, and whose observers they are."""

from collections.abc import Sequence
from types import CellType, FunctionType

from lakeproof.impl.codec import decode_at
from lakeproof.impl.effects import Effect
from lakeproof.model import kv
from lakeproof.model.identity import identity
from lakeproof.model.invariants import Invariant, Observer
from lakeproof.model.snapshot import Observed
from lakeproof.scenario import ScenarioError


def observe_effect(op: Effect, reply: object) -> Observed:
    """An effect with its reply, decoded."""
    read = written = None
    if isinstance(op, kv.Get) and isinstance(reply, kv.ValueWithPredicate):
        read = decode_at(op.partition, op.key, reply.value)
    # Whatever the reply: an observer sees what was requested, and the reply says what came of it.
    elif isinstance(op, kv.Set | kv.SetIf):
        written = decode_at(op.partition, op.key, op.value)
    return Observed(op, reply, read, written)


def _same_code(one: object, other: object) -> bool:
    """Whether two functions are one, or were made by one factory of the same parts."""
    # Two invariants made by one factory have two functions of the same code: that is no clash of names. Globals
    # count by reference: the same code in another module may call other functions.
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        return one.__globals__ is other.__globals__ and identity(_made_of(one)) == identity(_made_of(other))
    # A callable object: by its value.
    return identity(one) == identity(other)


def _made_of(function: FunctionType) -> tuple[object, ...]:
    cells = [_cell_content(cell) for cell in function.__closure__ or ()]
    return function.__code__, cells, function.__defaults__, function.__kwdefaults__


def _cell_content(cell: CellType) -> tuple[object, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()  # a variable that is not assigned yet


def collect_observers(invariants: Sequence[Invariant]) -> tuple[Observer, ...]:
    """All observers of invariants, each once, by name.

    Raises:
        ScenarioError: two that differ have one name; an invariant would be shown what another one's observer made.
    """
    by_name: dict[str, tuple[Observer, str]] = {}
    for invariant in invariants:
        for observer in invariant.observers:
            # The values of observers are found by name (`CallView.observed`), so one name must mean one function.
            known, owner = by_name.setdefault(observer.name, (observer, invariant.id))
            if not _same_code(known.fold, observer.fold):
                raise ScenarioError(
                    f"observer {observer.name!r} of {invariant.id!r} folds otherwise than that of {owner!r}; rename one"
                )
    return tuple(observer for observer, _ in by_name.values())
