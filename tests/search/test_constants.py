"""A flow may compare an identifier with a constant: then its spelling matters, and it is not renamed."""

import copy
import importlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator
from enum import Enum
from functools import lru_cache, update_wrapper
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Final
from unittest.mock import Mock

import attrs
import pytest

from lakeproof import Always, Call, Env, Finding, LeadsTo, OnStep, Reached, Scenario, Snapshot, Violation, check
from lakeproof.model import kv
from lakeproof.search.by_level import Plan
from lakeproof.search.canonical_names import obstacle
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.search import Limits, Options, Result, search
from lakeproof.search.setup import prepare

HEAD: Final = (b"p", b"head")
FIFTH: Final = "a30"


class Held:
    """A constant in a class, in an object, behind its methods."""

    constant = FIFTH

    def __init__(self) -> None:
        self.held = FIFTH

    @property
    def shown(self) -> str:
        return FIFTH

    def equals(self, name: str) -> bool:
        return name == FIFTH


class Fifth(Enum):
    NAME = FIFTH


class Base:
    """Nothing but `Derived` leads to it."""

    def equals(self, name: str) -> bool:
        return name == FIFTH


class Derived(Base):
    def equals(self, name: str) -> bool:
        return super().equals(name)


@attrs.frozen
class Slotted:
    name: str


class Special:
    """Python calls these methods without their names."""

    def __init__(self, name: str) -> None:
        self.made_of_it = name == FIFTH

    def __eq__(self, other: object) -> bool:
        return other == FIFTH

    __hash__ = None  # type: ignore[assignment]  # it equals a text

    def __contains__(self, name: str) -> bool:
        return name == FIFTH

    def __call__(self, name: str) -> bool:
        return name == FIFTH


class Open:
    """Has whatever it is asked for."""

    def __getattr__(self, name: str) -> object:
        return Open() if name != "code" else {"code": FIFTH}[name]


def is_a_member(name: str) -> bool:
    try:
        Fifth(name)
    except ValueError:
        return False
    return True


class Meta(type):
    def __contains__(cls, name: str) -> bool:
        return name == FIFTH


class Unbound:
    """As a proxy of a request where there is none."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise RuntimeError("there is no request")


class OfMeta(metaclass=Meta):
    pass


class Wrapping:
    """A decorator that is a class."""

    def __init__(self, wrapped: Callable[[str], bool], name: str) -> None:
        update_wrapper(self, wrapped)
        self.name = name

    def __call__(self, name: str) -> bool:
        return name == self.name


class Asked(Enum):
    YES = True
    NO = False

    @classmethod
    def _missing_(cls, value: object) -> "Asked":
        return cls.YES if value == FIFTH else cls.NO


class Cached:
    @lru_cache  # noqa: B019  # it is the only one
    def __contains__(self, name: str) -> bool:
        return name == FIFTH


class Replaced:
    def __replace__(self, *, name: str) -> bool:
        return name == FIFTH


def with_attribute(name: str) -> bool:
    return name == with_attribute.magic  # type: ignore[attr-defined, no-any-return]


with_attribute.magic = FIFTH  # type: ignore[attr-defined]


def within(name: str) -> bool:
    def equals() -> bool:
        return name == FIFTH

    return equals()


def within_as_a_constant(name: str) -> bool:
    def equals() -> bool:
        return name == "a30"

    return equals()


IN_LIST, IN_DICT, IN_OBJECT, MODULE = [FIFTH], {FIFTH: 1}, Held(), sys.modules[__name__]
IN_SLOT, SPECIAL, OPEN, DERIVED = Slotted(FIFTH), Special(""), Open(), Derived()
REPLACED = Replaced()
# Python has it since 3.13.
replace = getattr(copy, "replace", lambda value, **changes: value.__replace__(**changes))
CACHED, UNBOUND, MOCKED = Cached(), Unbound(FIFTH), Mock(spec=dict, name_=FIFTH)
IN_DEQUE, IN_VIEW, IN_PATTERN = deque([FIFTH]), MappingProxyType({FIFTH: 1}), re.compile(FIFTH)

COMPARES: dict[str, Callable[[str], bool]] = {
    "within a function": within,
    "in a comprehension": lambda name: any(name == each for each in (FIFTH,)),
    "as a constant within a function": within_as_a_constant,
    "in a list": lambda name: name in IN_LIST,
    "as a key": lambda name: name in IN_DICT,
    "in a class": lambda name: name == Held.constant,
    "in an object": lambda name: name == IN_OBJECT.held,
    "in a property": lambda name: name == IN_OBJECT.shown,
    "in a method": IN_OBJECT.equals,
    "in an enumeration": lambda name: name == Fifth.NAME.value,
    "in a module": lambda name: name == MODULE.FIFTH,
    "in a slot": lambda name: name == IN_SLOT.name,
    "in a deque": lambda name: name in IN_DEQUE,
    "in a view": lambda name: name in IN_VIEW,
    "in a pattern": lambda name: IN_PATTERN.fullmatch(name) is not None,
    "in a method of a base": DERIVED.equals,
    "in a constructor": lambda name: Special(name).made_of_it,
    "in an operator": lambda name: name == SPECIAL,
    "in a test of membership": lambda name: name in SPECIAL,
    "in a call": SPECIAL,
    "as a value of an enumeration": is_a_member,
    "in a metaclass": lambda name: name in OfMeta,
    "in a decorator that is a class": Wrapping(lambda name: not name, FIFTH),
    "where a value is missing in an enumeration": lambda name: Asked(name) is Asked.YES,
    "in a cached operator": lambda name: name in CACHED,
    "by the text of its name": lambda name: name == getattr(MODULE, "FIFTH"),  # noqa: B009
    "in an attribute of a function": with_attribute,
    "in a mock": lambda name: name == MOCKED.name_,
    "in a proxy": lambda name: name == UNBOUND.name,
    "by a getter": lambda name: name == attrgetter("MODULE.FIFTH")(sys.modules[__name__]),
    "in a copy with changes": lambda name: bool(replace(REPLACED, name=name)),
    "behind an object that has every attribute": lambda name: name == OPEN.some.code,  # type: ignore[attr-defined]
}


def test_a_module_of_the_user_may_be_called_like_one_of_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "graphlib.py").write_text("MAGIC = ['a30']\ndef equals(name): return name in MAGIC\n")
    importlib.import_module("graphlib")  # Python's own, which comes back after the test
    monkeypatch.delitem(sys.modules, "graphlib")
    monkeypatch.syspath_prepend(tmp_path)
    equals = vars(importlib.import_module("graphlib"))["equals"]
    where = "in a module of that name"
    monkeypatch.setitem(COMPARES, where, equals)
    test_an_identifier_that_is_compared_with_a_constant_keeps_its_name_wherever_the_constant_is(where)


@pytest.mark.parametrize(
    ("imports", "constant", "of_a_package"),
    [
        ("from .magic import MAGIC", "MAGIC", True),
        ("from imported_late.magic import MAGIC", "MAGIC", True),
        ("import imported_late.magic", "imported_late.OF_PACKAGE", True),
        ("from . import magic", "magic.MAGIC", False),
        ("import importlib", "importlib.import_module('imported_late.magic').MAGIC", False),
        ("import sys", "sys.modules['imported_late.magic'].MAGIC", False),
        ("", "__import__('imported_late.magic').magic.MAGIC", False),
    ],
)
def test_a_function_may_import_a_constant_when_it_runs(
    imports: str, constant: str, of_a_package: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "imported_late"
    package.mkdir()
    if of_a_package:
        (package / "__init__.py").write_text("OF_PACKAGE = 'a30'\n")
    (package / "magic.py").write_text("MAGIC = 'a30'\n")
    (package / "uses.py").write_text(f"def equals(name):\n    {imports}\n    return name == {constant}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("imported_late.magic")
    equals = vars(importlib.import_module("imported_late.uses"))["equals"]
    try:
        monkeypatch.setitem(COMPARES, constant, equals)
        test_an_identifier_that_is_compared_with_a_constant_keeps_its_name_wherever_the_constant_is(constant)
    finally:
        for name in ("imported_late", "imported_late.uses", "imported_late.magic"):
            sys.modules.pop(name, None)


class Documented:
    @property
    def first(self) -> str:
        """Not a1."""
        return ""

    @classmethod
    def second(cls) -> str:
        """Nor a2."""
        return ""

    @staticmethod
    def third() -> str:
        """Nor a3."""
        return ""


def test_a_docstring_is_compared_with_nothing() -> None:
    async def takes(env: Env) -> str:
        """a1."""
        return env.ids.unique("one") + Documented().first + Documented.second() + Documented.third()

    never = Always(id="never", meaning="", check=lambda _: iter([Reached("a state")]))
    assert obstacle(Scenario(name="one", clients=[[Call(takes)]], invariants=[never]), {}) == ""


def test_the_engine_that_the_file_imports_compares_with_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "check", check)  # as a file has it whose tests are scenarios

    async def takes(env: Env) -> None:
        while True:
            await env.store.set(*HEAD, env.ids.unique("one").encode())

    never = Always(id="never", meaning="", check=lambda _: iter([Reached("a state")]))
    found = search(Scenario(name="one", clients=[[Call(takes)]], invariants=[never]), Limits(states_max=100))
    assert found.findings[0].verdict == "holds"


@pytest.mark.parametrize("where", COMPARES)
def test_an_identifier_that_is_compared_with_a_constant_keeps_its_name_wherever_the_constant_is(where: str) -> None:
    equals = COMPARES[where]

    async def compares(env: Env) -> None:
        while True:
            new = env.ids.unique("one")
            await env.store.set(*HEAD, b"the fifth" if equals(new) else new.encode())

    def never_the_fifth(seen: Snapshot) -> Iterator[Finding]:
        yield Violation("never", "") if seen.store.get(HEAD) == b"the fifth" else Reached("a state")

    never = Always(id="never", meaning="", check=never_the_fifth)
    found = search(Scenario(name="one", clients=[[Call(compares)]], invariants=[never]), Limits(states_max=100))
    assert found.findings[0].verdict == "violated"


def _is_low(store: kv.Store) -> bool:
    return b"" < store.get(HEAD, b"") < b"b"


def _low(store: kv.Store) -> Iterator[Finding]:
    yield Violation("low", "it is an a") if _is_low(store) else Reached("another one")


@pytest.mark.parametrize(
    "low",
    [
        Always(id="low", meaning="", check=lambda seen: _low(seen.store)),
        OnStep(id="low", meaning="", check=lambda step: _low(step.after.store), watches=lambda *_: True),
        LeadsTo(lambda seen: _is_low(seen.store), lambda _: False, id="low", meaning=""),
    ],
    ids=lambda low: type(low).__name__,
)
def test_an_identifier_keeps_its_name_where_an_invariant_compares_its_order(low: Always | OnStep | LeadsTo) -> None:
    async def takes(env: Env) -> None:
        for _ in range(2):
            await env.store.set(*HEAD, env.ids.unique("one").encode())

    scenario = Scenario(name="one", clients=[[Call(takes)]], invariants=[low])
    looping = LoopingSearch(Plan(setting=prepare(scenario), options=Options()))
    result = looping.run()
    assert not looping.renames
    assert isinstance(result, Result)
    assert result.findings[0].verdict == "violated"
