"""States that differ by the names of fresh identifiers alone, each represented by one of them: as `Symmetry` does it
for clients. See `lakeproof.search.fresh_names` for when that is sound.

In a state, the identifiers are numbered by first reference: from the store, in order of keys, and channels; then from
the clients, one after the other; then from the late write. What nothing refers to has no name, and so no state has
more names than are referred to at once. A client's next identifier has a name that no state has; it is numbered in the
state that follows.

Example: one client takes an identifier in each round, and writes it over that of the round before. Without renaming the
key holds a1, a2, a3, ...; with it, there is one state in which the key holds the first identifier.
"""

import dis
import gc
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import _lru_cache_wrapper
from itertools import accumulate
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Final, cast

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.model.identity import identity
from lakeproof.model.invariants import Always, Eventually, Liveness, OnStep
from lakeproof.scenario import Scenario
from lakeproof.search.automaton import Automaton
from lakeproof.search.expansion import Expansion
from lakeproof.search.fresh_names import NotOpaque, Spelling, is_spelled, names_in, renaming
from lakeproof.search.packing import Column, Words
from lakeproof.search.program import LABELS
from lakeproof.search.semantics import WATCHED, Cells
from lakeproof.search.space import Relayout, Space
from lakeproof.search.symmetry import Symmetry

Numbers = tuple[int, ...]
_OBJECT: Final = "object"
_LIBRARY: Final = str(Path(os.__file__).parent)
_ENGINE: Final = ("lakeproof.search", "lakeproof.verify", "lakeproof.testing")
_BY_TEXT: Final = frozenset({"getattr", "attrgetter", "methodcaller", "globals", "vars", "__dict__"})
_BY_NAME: Final = frozenset({"__import__", "import_module", "modules"})
_ANNOTATE: Final = frozenset({"__annotate__", "__annotate_func__"})
"""From Python 3.14 on they make ``__annotations__``, when these are read."""


def obstacle(scenario: Scenario, cells: Cells) -> str:
    """Why identifiers of a scenario cannot be renamed; empty: they may be."""
    if any(not isinstance(each, Always | OnStep | Eventually | Liveness) for each in scenario.invariants):
        return "a monitor remembers them"
    if scenario.aftermath:
        return "an aftermath may look at them"
    if scenario.faults.restarts:
        return "clients restart"
    if any(isinstance(each, Liveness) and each.fairness == "strong" for each in scenario.invariants):
        return "strong fairness tells the steps of a client apart by them"
    # A token that the setup has written was not minted by a client: to rename it would change what is stored.
    if names_in(identity(tuple(cells.items()))):
        return "the setup writes what looks like one"
    # A constant "a1" in the code may be meant as the identifier of that name: then its spelling matters.
    labels = LABELS[: len(scenario.clients)]
    calls = [(call.name, (call.flow, call.args, call.options)) for calls in scenario.clients for call in calls]
    for name, each in [*calls, *((invariant.id, invariant) for invariant in scenario.invariants)]:
        for text in _texts(each):
            if is_spelled(text, labels):
                return f"{name} holds {text!r}, which may be one"
    return ""


def _texts(value: object) -> Iterator[str]:
    """All that code may compare with: its constants, what it holds, and what it names in its modules, in classes and in
    their instances, wherever such a name leads. Not what a cache holds, nor what the standard library has."""
    seen: dict[int, object] = {}  # by address: what refers to itself would not end, and some of it is unhashable
    names, namespaces = set[str](), dict[int, Mapping[str, object]]()
    waiting = [value]
    while waiting:
        at = waiting.pop()
        if id(at) not in seen:
            seen[id(at)] = at
            if _is_disguised(at):
                waiting += (type(at), *gc.get_referents(at))
                continue
            code = at.__code__ if isinstance(at, FunctionType) and not _is_standard(at) else at
            if isinstance(code, CodeType):
                names |= _names_in(code)
                waiting += _imported_by(code)
            for where in _namespaces_of(at):
                if id(where) not in namespaces:
                    namespaces[id(where)], seen[id(where)] = _content_of(where), where
                    waiting += _special_methods(where)
            yield from _text_of(at)
            waiting += (type(at), *_parts_of(at))
        if not waiting:
            # Any name in any namespace: which of them an attribute is looked up in cannot be seen.
            found = (content[name] for content in namespaces.values() for name in content.keys() & names)
            waiting += [each for each in found if id(each) not in seen]


def _is_disguised(value: object) -> bool:
    """Whether `isinstance` would run code of the user's, and may be given another class, as of a mock."""
    return any("__class__" in vars(owner) for owner in type(value).__mro__[:-1])


def _text_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield str.__str__(value)
    elif isinstance(value, bytes | bytearray):
        yield value.decode("latin-1")


def _parts_of(value: object) -> Iterable[object]:
    match value:
        case CodeType():
            return value.co_consts  # with the code of functions within it
        case FunctionType():
            # The docstring is compared with nothing.
            consts = [const for const in value.__code__.co_consts if const is not value.__doc__]
            parts = (value.__closure__, value.__defaults__, value.__kwdefaults__, vars(value))
            return () if _is_standard(value) else (*consts, *parts)
        # Not the answers of a cache, which may hold identifiers of earlier runs; nor what is a copy of the docstring.
        case _lru_cache_wrapper() | classmethod() | staticmethod():
            return (value.__wrapped__,)
        case property():
            return (value.fget, value.fset, value.fdel)
        case dict():
            return (*dict.keys(value), *dict.values(value))  # the collector does not show keys that are text
        # A class or a module would lead to all that is loaded: only what is named is looked up in them.
        case type() | ModuleType():
            return ()
    return gc.get_referents(value)  # slots, patterns, read-only mappings: whatever holds what


def _names_in(code: CodeType) -> set[str]:
    """The names that code uses; those in texts where it looks something up by text."""
    texts = [const for const in code.co_consts if isinstance(const, str)] if _BY_TEXT & {*code.co_names} else []
    names = {*code.co_names, *(name for text in texts for name in text.split("."))} - {"__doc__"}
    return names | _ANNOTATE if "__annotations__" in names else names


def _imported_by(code: CodeType) -> list[ModuleType]:
    """What a function imports when it runs; it need not be in any namespace."""
    names, files = set[str](), set[str]()
    if _BY_NAME & {*code.co_names}:
        names |= {const for const in code.co_consts if isinstance(const, str)}
    elif dis.opmap["IMPORT_NAME"] not in code.co_code[::2]:
        return []
    steps = [each for each in dis.get_instructions(code) if each.opname != "EXTENDED_ARG"]
    for level, _, each in zip(steps, steps[1:], steps[2:], strict=False):  # level, what is imported from it, the import
        if each.opname == "IMPORT_NAME" and level.argval:
            # Text all the way: code that was made by exec has a file that is none.
            parts = (code.co_filename, *[".."] * level.argval, *each.argval.split("."))
            found = Path(os.path.normpath("/".join(parts)))
            files |= {f"{found}.py", *(str(found / f"{name}.py") for name in ("__init__", *code.co_names))}
        elif each.opname == "IMPORT_NAME":
            names |= {*accumulate(each.argval.split("."), "{}.{}".format)}  # ``import a.b`` binds a
    loaded: dict[str, object] = {**sys.modules}  # whatever a program has put there
    modules = [(name, module) for name, module in loaded.items() if isinstance(module, ModuleType)]
    return [module for name, module in modules if name in names or vars(module).get("__file__") in files]


def _namespaces_of(value: object) -> Sequence[dict[str, object] | type | ModuleType]:
    """Where the names that code uses may be found, if it reaches a value. Each class by itself: ``super()`` finds what
    another one hides."""
    if isinstance(value, FunctionType):
        return () if _is_standard(value) else (value.__globals__,)
    if not isinstance(value, type | ModuleType):
        return ()
    owners = value.__mro__ if isinstance(value, type) else (value,)
    return [owner for owner in owners if not _is_standard(owner)]


def _content_of(namespace: dict[str, object] | type | ModuleType) -> Mapping[str, object]:
    """Without asking it: a property or a ``__getattr__`` is code of the flow."""
    return namespace if isinstance(namespace, dict) else cast("dict[str, object]", dict(vars(namespace)))


def _special_methods(namespace: dict[str, object] | type | ModuleType) -> list[object]:
    """What Python calls without its name: operators, ``__init__``, a module's ``__getattr__``, an enumeration's
    ``_missing_``; and the members of an enumeration."""
    if isinstance(namespace, dict):
        return []
    named = {name: each for name, each in vars(namespace).items() if name not in _ANNOTATE}
    special = [each for name, each in named.items() if name.startswith("_") and name.endswith("_")]
    is_enum = isinstance(namespace, type) and issubclass(namespace, Enum)
    members = cast("type[Enum]", namespace)._member_map_.values() if is_enum else ()
    # In Python 3.13, `attrs.evolve` is a method of each class of attrs. It leads to all of attrs, and compares nothing.
    methods = (each for each in special if each is not attrs.evolve)
    return [*(each for each in methods if callable(each) or isinstance(each, classmethod)), *members]


def _is_standard(value: FunctionType | type | ModuleType) -> bool:
    """Whether it belongs to Python, which compares with no identifier, or to the engine, whose caches hold some."""
    name = value.__name__ if isinstance(value, ModuleType) else str(value.__module__)
    if name.startswith(_ENGINE):
        return True
    root = name.partition(".")[0]
    # A file of the user's may have such a name, too, and stand before Python's own.
    origin = getattr(sys.modules.get(root), "__file__", None)
    return root in sys.stdlib_module_names - {"__main__"} and (origin is None or origin.startswith(_LIBRARY))


class Renaming(Symmetry):
    """Renames the identifiers of states. No clients are interchangeable."""

    permutes = False

    def __init__(self, space: Space) -> None:
        # No behaviours, so no groups: clients keep their places, and only names are exchanged.
        super().__init__([])
        self._space = space
        self._names: dict[int, list[list[str]]] = {}
        self._known: dict[Numbers, Numbers] = {}

    def canonical(self, words: Words, kernel: Expansion) -> Words:
        """The same states, each with its identifiers numbered by first reference.

        Raises:
            NotOpaque: it cannot be seen what the names of the identifiers matter for.
            Relayout: a column outgrew its bits.
        """
        columns = self._columns()
        holding = np.zeros(len(words[0]), np.bool_)
        for column in columns:
            # A column that came after the layout was made is 0 in all of these states.
            if column < len(kernel.layout.places):
                numbers = kernel.layout.field(words, column)
                holding |= self._holding(column)[numbers.astype(np.intp)]
        # Only states that refer to an identifier are renamed: that is done row by row, and slow.
        rows = np.flatnonzero(holding).tolist()
        packed = [kernel.layout.pack(self._renamed(columns, self._unpacked(words, row, kernel))) for row in rows]
        if rows:
            words = [word.copy() for word in words]  # the caller's arrays stay as they are
            for at, word in enumerate(words):
                word[rows] = np.array([row[at] for row in packed], np.uint64)
        return words

    def _unpacked(self, words: Words, row: int, kernel: Expansion) -> Numbers:
        return kernel.layout.unpack([int(word[row]) for word in words])

    def _columns(self) -> Sequence[int]:
        """Those that may hold identifiers, in the order in which these are numbered."""
        cells = self._space.cells
        for cell in cells:
            if cell[0] == WATCHED:
                raise NotOpaque("a client watches keys")
            # Another name would be another column: which key is read would depend on the renaming.
            if names_in(identity(cell)):
                raise NotOpaque("one is in the name of a key, or in the address of an object")
        return (*[cells[cell] for cell in sorted(cells)], *self._space.clients, self._space.late)

    def _holding(self, column: int) -> npt.NDArray[np.bool_]:
        return np.array([bool(names) for names in self._names_of(column)], np.bool_)

    def _names_of(self, column: int) -> list[list[str]]:
        """By number of the column: the identifiers in what it stands for."""
        known = self._names.setdefault(column, [])
        if column in self._space.clients:
            nodes = self._behaviour(column).nodes
            # Columns only grow: what is new since the last call is looked at, and no more.
            known += [names_in(node.key) for node in nodes[len(known) :]]
            return known
        at: Column = self._space.columns[column]
        known += [names_in(identity(value)) for value in at.values[len(known) :]]
        if type(at.name) is tuple and at.name[0] == _OBJECT and any(known):
            raise NotOpaque("one is in the content of an object, whose ETag depends on it")
        return known

    def _behaviour(self, column: int) -> Automaton:
        return cast("Automaton", self._space.behaviours[self._space.clients.index(column)])

    def _renamed(self, columns: Sequence[int], numbers: Numbers) -> Numbers:
        found = self._known.get(numbers)
        if found is None:
            within = [column for column in columns if column < len(numbers)]
            # In the order of the columns, which is what "first reference" means; a dictionary keeps it.
            names = {name: None for column in within for name in self._names_of(column)[numbers[column]]}
            spelling = renaming([*names])
            changed = [*numbers]
            for column in within:
                if self._names_of(column)[numbers[column]]:
                    changed[column] = self._respelled(column, numbers[column], spelling)
            # Before it is kept: the numbers may not fit into the present layout, and the caller packs them at once.
            if self._space.needs_relayout:
                raise Relayout
            found = self._known[numbers] = tuple(changed)
        return found

    def _respelled(self, column: int, number: int, spelling: Spelling) -> int:
        if column in self._space.clients:
            return self._behaviour(column).renamed(number, spelling)
        at = self._space.columns[column]
        return at.number(spelling.value(at.values[number]))
