"""One way to plant a fault in this process: something in a module is replaced, and what held is violated."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Final, Protocol

import attrs
import pytest
from _pytest.mark.structures import ParameterSet

from lakeproof.designs.designs import AnyDesign, rows
from lakeproof.designs.races import Before, fault
from lakeproof.scenario import Faults, Scenario
from lakeproof.search.search import Limits, search

NO_FAULT: Final = Faults()


@attrs.frozen(kw_only=True)
class Planted:
    """A fault, and the invariant of a scenario that is there for it."""

    where: object
    """A module or a class."""
    name: str
    """What is replaced there; or, by another text, a text of the module."""
    instead: object
    scenario: Scenario
    invariant: str

    def __str__(self) -> str:
        return f"{self.name}-{getattr(self.instead, '__name__', '')}-{self.scenario.name}"

    def is_found(self, monkeypatch: pytest.MonkeyPatch) -> bool:
        """Whether what holds, or is not put to the test, is violated with the fault."""
        asked = asking(self.scenario, self.invariant)
        assert verdicts(asked)[self.invariant] in ("holds", "inconclusive")
        if isinstance(self.instead, str) and isinstance(self.where, ModuleType):
            replaced(monkeypatch, self.where, self.name, self.instead)
        else:
            monkeypatch.setattr(self.where, self.name, self.instead)
        return verdicts(asked)[self.invariant] == "violated"


async def nothing(*_: object, **__: object) -> None:
    """Do nothing, or find nothing."""


async def yes(*_: object, **__: object) -> bool:
    """Say yes."""
    return True


async def no(*_: object, **__: object) -> bool:
    """Say no."""
    return False


class OfInvariant(Protocol):
    """A fault, with the invariant that finds it."""

    @property
    def invariant(self) -> str: ...


def tiered(faults: Sequence[OfInvariant]) -> list[ParameterSet]:
    """As parameters of a test: the first of each invariant in the default tier, the others deep."""
    met: set[str] = set()
    found = []
    for each in faults:
        marks = [pytest.mark.deep] if each.invariant in met else []
        met.add(each.invariant)
        found.append(pytest.param(each, marks=marks, id=str(each)))
    return found


def race(design: AnyDesign, words: str, before: str = "", faults: Faults = NO_FAULT) -> Scenario:
    """The scenario of one race of a design."""
    (row,) = rows(design, words, fault("", faults), Before("", before))
    return row.scenario()


def asking(scenario: Scenario, invariant_id: str) -> Scenario:
    """The scenario with one of its invariants: a search ends with the shortest violation of it."""
    return attrs.evolve(
        scenario,
        invariants=[each for each in scenario.invariants if each.id == invariant_id],
        aftermath=[each for each in scenario.aftermath if each.id == invariant_id],
        expect={invariant_id: "violated"},
    )


def verdicts(scenario: Scenario) -> Mapping[str, str]:
    """By id."""
    return {found.id: found.verdict for found in search(scenario, Limits(seconds_max=120)).findings}


def replaced(monkeypatch: pytest.MonkeyPatch, module: ModuleType, before: str, after: str) -> None:
    """Plant a change of a module's text in the functions that are there: whoever has bound one of them runs the changed
    code.

    Raises AssertionError: the text is not there once, or no function of the module changes.
    """
    source = inspect.getsource(module)
    assert source.count(before) == 1, f"{module.__name__}: {before!r} is there {source.count(before)} times"
    changed = {code.co_qualname: code for code in _codes(_compiled(module, source.replace(before, after)))}
    planted = [each for each in _functions(module) if _told(changed[each.__code__.co_qualname]) != _told(each.__code__)]
    assert planted, f"{module.__name__}: {before!r}: no function is another one"
    for each in planted:
        monkeypatch.setattr(each, "__code__", changed[each.__code__.co_qualname])


def text_fault(module: ModuleType, before: str, after: str) -> Callable[[pytest.MonkeyPatch], None]:
    """What plants such a change."""
    return partial(replaced, module=module, before=before, after=after)


def _compiled(module: ModuleType, source: str) -> CodeType:
    assert module.__file__ is not None
    return compile(source, module.__file__, "exec", dont_inherit=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def _told(code: CodeType) -> object:
    """What code says, without the lines where it stands."""
    consts = tuple(_told(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.co_code, code.co_names, consts


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods that a module defines."""
    for value in vars(module).values():
        members = vars(value).values() if isinstance(value, type) and value.__module__ == module.__name__ else [value]
        for each in members:
            if isinstance(each, FunctionType) and each.__code__.co_filename == module.__file__:
                yield each
