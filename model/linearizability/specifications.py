"""Sequential specifications of what a key holds, and their reduction to a guarded register.

A specification is three pure functions: the initial state, ``step`` and ``equal``. Those of single keys also say what
each operation asks of a register and leaves in it (`Guarded`): the fast algorithms know nothing else.

Example: a compare-and-set of 1 by 2. A register of 1 it writes; in the guarded form, it demands 1 and leaves 2.

>>> CAS_REGISTER.step(1, "cas", (1, 2)), CAS_REGISTER.step(3, "cas", (1, 2))
((2, Atom(kind='answer', text='done')), (3, REFUSED))
>>> CAS_REGISTER.guarded("cas", (1, 2), Status.OK)
(1, 1, True, 2)
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import Final

import attrs

from lakeproof.model.linearizability.history import BrokenHistory, History, Settings
from lakeproof.model.linearizability.values import NOTHING, REFUSED, UNKNOWN, Atom, freeze, render_name, shorten_value
from lakeproof.model.snapshot import Status

DONE: Final = Atom("answer", "done")
EXISTS: Final = Atom("predicate", "exists")
HELD: Final = Atom("mutex", "held")

ANY: Final = 0
IS: Final = 1
IS_NOT: Final = 2
NO_WRITE: Final = -1

Guarded = tuple[int, Hashable, bool, Hashable]
"""Guard (ANY, IS, IS_NOT), its value, whether something is written, what."""

Pairs = tuple[tuple[Hashable, Hashable], ...]
Keys = Callable[[], Iterable[Hashable]]


@attrs.frozen(kw_only=True)
class Specification:
    """What an object does when it is used by one client at a time.

    name: as ``--model`` calls it.
    fs: the names of its operations.
    initial: the state before anything happened.
    step: (state, name, argument) -> (state after, result); REFUSED is the result of what the state did not allow.
        Pure. Raises ValueError for an argument that the operation cannot have.
    equal: whether the result of ``step`` is what was observed. It is not called for unknown results.
    observers: the operations that never change the state.
    conditional: the operations that can be refused by the state.
    answering: the operations that may change the state and give a result that depends on it.
    guarded: (name, argument, status) -> the register form of an operation that is no observer; None: it has none, and
        no single register can stand for the object.
    begins: (what each key holds in the beginning, the keys that the history names) -> the initial state. The keys are
        needed where all of them are one state. Raises ValueError for what no key can hold.
    unasking: the operations whose argument may be anything, and which are not looked at before they are judged.
    by_key: each key is an object of its own (P-compositionality), and a history is linearizable iff each key is.
    absence: a read of nil always says that nothing was there. Else its recorder may have meant: not recorded.
    """

    name: str
    fs: frozenset[str]
    initial: Hashable = NOTHING
    step: Callable[[Hashable, str, Hashable], tuple[Hashable, Hashable]]
    equal: Callable[[Hashable, Hashable], bool] = attrs.field(default=lambda result, observed: result == observed)
    observers: frozenset[str] = frozenset()
    conditional: frozenset[str] = frozenset()
    answering: frozenset[str] = frozenset()
    unasking: frozenset[str] = frozenset({"read", "write", "get", "delete", "acquire", "release"})
    guarded: Callable[[str, Hashable, Status], Guarded] | None = None
    begins: Callable[[Hashable, Keys], Hashable] = attrs.field(default=lambda begin, keys: begin)
    by_key: bool = True
    absence: bool = True


def observation_of(
    specification: Specification, settings: Settings, f: str, status: Status, result: Hashable
) -> Hashable:
    """What an operation says of the state: a result that ``step`` must give, REFUSED, or UNKNOWN (nothing).

    A failed operation that says nothing did not happen.
    """
    if status is Status.FAIL:
        # Only an operation with a predicate can fail because of the state: any other failure is the client's own.
        observed = settings.fail == "predicate-false" and f in specification.conditional
        return REFUSED if observed else UNKNOWN
    if status is Status.INFO or (f in specification.observers and result is None and settings.nil == "unrecorded"):
        return UNKNOWN
    if f in specification.answering and settings.nil == "unrecorded" and isinstance(result, tuple):
        # A transaction stays an observation: only the reads in it whose value is nil are unknown.
        return tuple((*one[:2], UNKNOWN) if isinstance(one, tuple) and one[2:] == (None,) else one for one in result)
    # What a plain write returns is not compared: recorders put the argument there, or nothing.
    return result if f in specification.observers or f in specification.answering else DONE


def _pair(f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    if not isinstance(argument, tuple) or len(argument) != 2:
        raise ValueError(f"{f} of {shorten_value(argument)}; expected two values: what it expects, and what it writes")
    return argument[0], argument[1]


def _value(f: str, value: Hashable) -> Hashable:
    if value is NOTHING:
        raise ValueError(f"{f} of nil; expected a value (delete is what takes one away)")
    return value


def _register_step(state: Hashable, f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    match f:
        case "read" | "get":
            return state, state
        case "write":
            return argument, DONE
        case "set":
            return _value(f, argument), DONE
        case "delete":
            return NOTHING, DONE
        case "cas":
            expected, value = _pair(f, argument)
            return (value, DONE) if state == expected else (state, REFUSED)
        case "set_if":
            expected, value = _pair(f, argument)
            value = _value(f, value)
            # A recorded nil is the expectation "absent", which equals the state NOTHING.
            met = state is not NOTHING if expected == EXISTS else state == expected
            return (value, DONE) if met else (state, REFUSED)
        case _:
            raise ValueError(f"{f}: not an operation of a register")


def _register_guarded(f: str, argument: Hashable, status: Status) -> Guarded:
    match f:
        case "write":
            return ANY, None, True, argument
        case "set":
            return ANY, None, True, _value(f, argument)
        case "delete":
            return ANY, None, True, NOTHING
        case _:
            expected, value = _pair(f, argument)
            exists = f == "set_if" and expected == EXISTS
            if f == "set_if":
                _value(f, value)
            # A refusal observes the opposite of what the operation demands, and writes nothing.
            if status is Status.FAIL:
                return (IS, NOTHING, False, None) if exists else (IS_NOT, expected, False, None)
            return (IS_NOT, NOTHING, True, value) if exists else (IS, expected, True, value)


def _mutex_step(state: Hashable, f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    before, after = (NOTHING, HELD) if f == "acquire" else (HELD, NOTHING)
    return (after, DONE) if state == before else (state, REFUSED)


def _mutex_guarded(f: str, argument: Hashable, status: Status) -> Guarded:
    # A mutex is a register of two values, and acquire is a compare-and-set from one to the other.
    before, after = (NOTHING, HELD) if f == "acquire" else (HELD, NOTHING)
    return (IS_NOT, before, False, None) if status is Status.FAIL else (IS, before, True, after)


def _mutex_begins(begin: Hashable, keys: Keys) -> Hashable:
    if begin in (NOTHING, Atom("boolean", "false"), "free"):
        return NOTHING
    if begin in (Atom("boolean", "true"), "held"):
        return HELD
    raise ValueError(f"a mutex that begins as {shorten_value(begin)}; expected true (it is held) or false (it is free)")


def _append_step(state: Hashable, f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    if f == "get":
        return state, state
    if not isinstance(argument, str) or not isinstance(state, str):
        # A ValueError, since it is the recorded data that are wrong.
        raise ValueError(f"{f} of {shorten_value(argument)} to {shorten_value(state)}; expected strings")  # noqa: TRY004
    return (argument if f == "put" else state + argument), DONE


def _append_begins(begin: Hashable, keys: Keys) -> Hashable:
    if begin is NOTHING:
        return ""
    if not isinstance(begin, str):
        # A ValueError, since it is an option of the command line that is wrong.
        raise ValueError(f"append begins with {shorten_value(begin)}; expected text, in quotes")  # noqa: TRY004
    return begin


def _each(begin: Hashable, keys: Keys) -> dict[Hashable, Hashable]:
    """What each key holds in the beginning: its own value of a map, where the spelling counts (``"1"`` is also the key
    1, and ``"x"`` is also ``:x``); else the same value in all keys that the history names."""
    if not isinstance(begin, Atom) or begin.kind != "map":
        return {} if begin is NOTHING else dict.fromkeys(keys(), begin)
    assert isinstance(begin.text, frozenset)
    # The command line gives keys as text, a history as numbers, bytes or EDN keywords: both have a spelling.
    named = {str(name): value for name, value in begin.text}
    begins = {key: named[_spell_key(key)] for key in keys() if _spell_key(key) in named}
    for name in named.keys() - set(map(_spell_key, begins)):  # keys that no operation names still show in a scan
        begins[name] = named[name]
    return {key: value for key, value in begins.items() if value is not NOTHING}


def _spell_key(key: Hashable) -> str:
    return key.decode("utf-8", "backslashreplace") if isinstance(key, bytes) else str(key).removeprefix(":")


def _sort_pairs(entries: Mapping[Hashable, Hashable]) -> Pairs:
    return tuple(sorted(entries.items(), key=lambda entry: _bytes(entry[0])))


def _bytes(key: Hashable) -> bytes:
    if isinstance(key, bytes):
        return key
    if isinstance(key, str):
        return key.encode("utf-8", "surrogatepass")  # JSON can name lone surrogates; the order is that of bytes
    raise ValueError(f"key {shorten_value(key)}; expected text or bytes, which a scan can order")


def _scan_step(state: Hashable, f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    """The whole store is the state: its entries in ascending order. An argument begins with the key."""
    assert isinstance(state, tuple)
    assert isinstance(argument, tuple)
    key, rest = argument
    if f == "scan":
        start, limit = (None, None) if rest is None else _pair("scan", rest)
        if limit is not None and (not isinstance(limit, int) or limit < 0):
            raise ValueError(f"scan with limit {shorten_value(limit)}; expected a number or nil")
        least = b"" if start is None else _bytes(start)
        return state, tuple(entry for entry in state if _bytes(entry[0]) >= least)[:limit]
    _bytes(key)
    entries = dict(state)
    before = entries.get(key)
    after, result = _register_step(before, f, rest)
    # This covers refused writes, and deletes of absent keys.
    if after == before:
        return state, result
    entries.pop(key, None)
    # A state is compared: its order must be canonical.
    return _sort_pairs(entries if after is NOTHING else {**entries, key: after}), result


def _micro_operations(argument: Hashable) -> list[tuple[str, Hashable, Hashable]]:
    steps: list[tuple[str, Hashable, Hashable]] = []
    for step in argument if isinstance(argument, tuple) else (None,):
        f = step[0] if isinstance(step, tuple) and len(step) == 3 else None
        f = str(f).removeprefix(":") if isinstance(f, str | Atom) else ""
        # Elle's list-append has the same shape, but a register cannot explain it: better no verdict than a wrong one.
        if f == "append":
            raise ValueError(
                f"txn of {shorten_value(argument)}: histories of list-append are judged by no model here, see Elle"
            )
        if not isinstance(step, tuple) or f not in _MICRO:
            raise ValueError(f"txn of {shorten_value(argument)}; expected a list of [r KEY VALUE] and [w KEY VALUE]")
        steps.append((_MICRO[f], step[1], step[2]))
    return steps


_MICRO: Final = {"r": "r", "read": "r", "w": "w", "write": "w"}


def _transaction_step(state: Hashable, f: str, argument: Hashable) -> tuple[Hashable, Hashable]:
    """Reads and writes of several registers at one moment. The state: (register, value) pairs, in no order."""
    assert isinstance(state, frozenset)
    registers = dict(state)
    observed = []
    for kind, register, value in _micro_operations(argument):
        if kind == "r" and f == "write":  # what its return says is not looked at
            raise ValueError(f"write of {shorten_value(argument)}; expected [w KEY VALUE] alone, or a txn")
        if kind == "w":
            registers[register] = value  # a later read in the same transaction sees it
        observed.append((kind, register, registers.get(register)))
    # A register that holds nil and one that was never written are one state: what is equal should be met once.
    after = frozenset((name, value) for name, value in registers.items() if value is not NOTHING)
    # A recorder repeats the writes in the result: an echo that differs from the argument is a violation.
    return after, DONE if f == "write" else tuple(observed)


def _transaction_equal(result: Hashable, observed: Hashable) -> bool:
    if result == observed:
        return True
    assert isinstance(result, tuple)
    found = _micro_operations(observed)
    return len(found) == len(result) and all(
        one[:2] == other[:2] and (other[2] is UNKNOWN or one[2] == other[2])
        for one, other in zip(result, found, strict=True)
    )


REGISTER: Final = Specification(
    name="register",
    fs=frozenset({"read", "write"}),
    step=_register_step,
    observers=frozenset({"read"}),
    guarded=_register_guarded,
    absence=False,
)
CAS_REGISTER: Final = attrs.evolve(
    REGISTER, name="cas-register", fs=frozenset({"read", "write", "cas"}), conditional=frozenset({"cas"})
)
KV: Final = Specification(
    name="kv",
    fs=frozenset({"get", "set", "set_if", "delete"}),
    step=_register_step,
    observers=frozenset({"get"}),
    conditional=frozenset({"set_if"}),
    guarded=_register_guarded,
)
KV_SCAN: Final = attrs.evolve(
    KV,
    begins=lambda begin, keys: _sort_pairs(_each(begin, keys)),
    name="kv-scan",
    fs=KV.fs | {"scan"},
    initial=(),
    step=_scan_step,
    observers=frozenset({"get", "scan"}),
    unasking=frozenset(),
    guarded=None,
    by_key=False,  # a scan reads several keys at one moment: they are one object
)
MUTEX: Final = Specification(
    name="mutex",
    fs=frozenset({"acquire", "release"}),
    step=_mutex_step,
    conditional=frozenset({"acquire", "release"}),
    guarded=_mutex_guarded,
    begins=_mutex_begins,
)
APPEND: Final = Specification(
    name="append",
    fs=frozenset({"get", "put", "append"}),
    initial="",
    step=_append_step,
    # Stores differ in what they call empty.
    equal=lambda result, observed: result == ("" if observed is NOTHING else observed),
    observers=frozenset({"get"}),
    begins=_append_begins,
)
MULTI_REGISTER: Final = Specification(
    name="multi-register",
    fs=frozenset({"txn", "read", "write"}),
    initial=frozenset(),
    step=_transaction_step,
    equal=_transaction_equal,
    answering=frozenset({"txn", "read"}),
    unasking=frozenset(),
    begins=lambda begin, keys: frozenset(_each(begin, keys).items()),
    absence=False,
)

ALL: Final[Mapping[str, Specification]] = {
    specification.name: specification
    for specification in (REGISTER, CAS_REGISTER, KV, KV_SCAN, MUTEX, APPEND, MULTI_REGISTER)
}


_NAMED: Final = 8


def specification_of(fs: frozenset[str]) -> Specification:
    """The one specification, the smallest, that has all these operations.

    Raises BrokenHistory if there is none, or no smallest one.
    """
    fitting = [specification for specification in ALL.values() if fs <= specification.fs]
    # The smallest decides nothing that a larger one would not: they agree on the operations that both have.
    smallest = [s for s in fitting if all(s.fs <= other.fs for other in fitting)]
    if len(smallest) == 1:
        return smallest[0]
    observed = [render_name(f) for f in sorted(fs)]
    names = ", ".join(observed if len(observed) <= _NAMED else [*observed[:_NAMED], "..."])
    if fitting:
        raise BrokenHistory(f"operations {names} could be of {', '.join(s.name for s in fitting)}: name one (--model)")
    known = "; ".join(f"{s.name}: {', '.join(sorted(s.fs))}" for s in ALL.values())
    raise BrokenHistory(f"operations {names}: no model has them all; expected those of one model of {known}")


def initial(specification: Specification, history: History) -> Hashable:
    """The state in the beginning, as settings and specification say."""
    given = history.settings.initial
    if given is UNKNOWN:
        return specification.initial
    try:
        return specification.begins(freeze(given), lambda: dict.fromkeys(_keys(history)))
    except ValueError as error:
        raise BrokenHistory(str(error)) from error


def _keys(history: History) -> Iterator[Hashable]:
    """The keys that operations, transactions and the results of scans name, each perhaps often."""
    for f, key, argument in history.invocations():
        if f in MULTI_REGISTER.fs:
            yield from (key for key, _ in members(argument, 3))
        elif f != "scan":
            yield key
    for _, f, _, result, *_ in history.rows(range(len(history))):
        if f == "scan" and result >= 0:
            yield from (key for key, _ in members(history.values[result], 2))


def members(observed: Hashable, length: int) -> Iterator[tuple[Hashable, Hashable]]:
    """Key and value of each ``[r KEY VALUE]`` or ``[KEY VALUE]`` in a list; other lists are refused elsewhere."""
    for one in observed if isinstance(observed, tuple) else ():
        if isinstance(one, tuple) and len(one) == length:
            yield one[-2], one[-1]
