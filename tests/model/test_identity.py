"""Identity: two values share a key if, and only if, they have the same type and bits, all the way down."""

import copy
import datetime as dt
import decimal
import enum
import functools
import io
import math
import re
import struct
from collections import Counter, OrderedDict, deque
from pathlib import PurePosixPath
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model import kv
from lakeproof.model.identity import DEPTH_MAX, Exact, NoIdentity, identity
from tests.differential.values import Alike, Colour, Number, Tagged, Versioned
from tests.model.odd_values import HIDING, Cached, Derived, Distinct, Lazy, Name, Odd, Pair, Refusal


def nan(payload: int) -> float:
    found: float
    [found] = struct.unpack(">d", struct.pack(">Q", 0x7FF8_0000_0000_0000 | payload))
    return found


class Money(decimal.Decimal):
    @functools.cached_property
    def twice(self) -> decimal.Decimal:
        return self * 2


class SlottedMoney(decimal.Decimal):
    __slots__ = ("currency",)


class Day(dt.date): ...


class Queue(deque[int]): ...


class Page(io.BytesIO): ...


class Rights(enum.IntFlag):
    READ = 4


class Code(enum.IntEnum):
    """Unknown codes have one name, as in many libraries of protocols."""

    OK = 0

    @classmethod
    def _missing_(cls, value: object) -> "Code":
        assert isinstance(value, int)
        made = int.__new__(cls, value)
        made._name_, made._value_ = "UNKNOWN", value
        return made


class Labelled(enum.Enum):
    ONE = 1
    TWO = 2

    @property
    def name(self) -> str:
        return "a label"


def with_note(value: object) -> object:
    vars(value)["note"] = 1
    return value


def named(value: object) -> str:
    """The same on every run: without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


TOLD_APART = [
    (1, True),
    (0, False),
    (1, 1.0),
    (0.0, -0.0),
    (0, 0.0),
    (1.0, complex(1.0)),
    (complex(0.0, 0.0), complex(0.0, -0.0)),
    (math.nan, nan(1)),
    ("a", b"a"),
    (b"a", bytearray(b"a")),
    (None, False),
    ((), []),
    ((1,), (True,)),
    ((1, (0,)), (1, (False,))),
    (frozenset({1}), frozenset({True})),
    (frozenset(), set()),
    ({"a": 1}, {"a": True}),
    ({1: "a"}, {True: "a"}),
    ({}, MappingProxyType({})),
    ({"a": 1}, OrderedDict(a=1)),
    ({1: 1, 2: 2}, {2: 2, 1: 1}),
    (Pair(1, 2), (1, 2)),
    (Pair(1, 2), Pair(True, 2)),
    (Tagged("a", 1), Tagged("a", 2)),
    (Tagged("a", 0), Tagged("a", False)),
    (Versioned("a", 1), Versioned("a", 2)),
    (Distinct(1), Distinct(2)),
    (Alike(1), Alike(2)),
    (Alike(1), 1),
    (Odd(1), Odd(2)),
    (Name("a"), Name("A")),
    (Name("a"), "a"),
    (Number.ONE, 1),
    (Colour.RED, Colour.BLUE),
    (Derived(1, 2), Derived(2, 1)),
    (Lazy(1), Lazy(2)),
    (kv.Refused(1), kv.Refused(True)),
    (kv.Refused(), kv.NotFound()),
    (dt.date(2020, 1, 1), dt.date(2020, 1, 2)),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00")),
    *((kind("1.0"), kind("1.00")) for kind in (Money, SlottedMoney)),
    (Day(2020, 1, 1), Day(2020, 1, 2)),
    (Queue([1]), Queue([2])),
    (Page(b"a"), Page(b"b")),
    (Rights(0), Rights(1)),
    (Rights.READ | Rights(8), Rights.READ),
    (OSError(2, "x", "a"), OSError(2, "x", "b")),
    (PurePosixPath("a"), PurePosixPath("b")),
    (SimpleNamespace(a=1), SimpleNamespace(a=True)),
    (int, float),
    (len, max),
    (object(), object()),
    (functools.partial(max, 1), functools.partial(max, True)),
    (functools.partial(dict, a=1, b=2), functools.partial(dict, b=2, a=1)),
    (functools.partial(max), with_note(functools.partial(max))),
    (Counter("a"), with_note(Counter("a"))),
    (Code(5), Code(6)),
    (Labelled.ONE, Labelled.TWO),
    *HIDING,
]

ALIKE = [
    (lambda: nan(3)),
    (lambda: (1, True, 1.0, -0.0, None, "a", b"a", (), frozenset({1, 2}))),
    (lambda: [{"a": [1, {2}]}, bytearray(b"x")]),
    (lambda: {"a": 1, "b": (True,)}),
    (lambda: Tagged("a", (1, b"x"))),
    (lambda: Versioned("a", -0.0)),
    (lambda: Distinct((Distinct(1),))),
    (lambda: Alike(Alike(1))),
    (lambda: Odd(Odd(1))),
    (lambda: Name("Ab")),
    (lambda: Pair(Pair(1, 2), 3)),
    (lambda: Derived(1, 2)),
    (lambda: Colour.RED),
    (lambda: kv.OutcomeUnknown("x", 1)),
    (lambda: Refusal(1, "a")),
    (lambda: PurePosixPath("a/b")),
    (lambda: dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    (lambda: decimal.Decimal("1.10")),
    (lambda: Money("1.10")),
    (lambda: SlottedMoney("1.10")),
    (lambda: Day(2020, 1, 1)),
    (lambda: Queue([1])),
    (lambda: Page(b"a")),
    (lambda: Rights(5)),
    (lambda: Code(5)),
    (lambda: with_note(Counter("a"))),
    (lambda: OSError(2, "x", "a")),
    (lambda: functools.partial(max, 1, key=len)),
    (lambda: SimpleNamespace(a=1, b=2)),
    (lambda: range(3)),
]


@pytest.mark.parametrize(("one", "other"), TOLD_APART, ids=named)
def test_what_differs_in_type_or_bits_is_told_apart(one: object, other: object) -> None:
    assert identity(one) != identity(other)
    assert identity((one,)) != identity((other,))
    assert identity([{"held": one}]) != identity([{"held": other}])
    assert identity(Tagged("x", one)) != identity(Tagged("x", other))
    assert identity(Alike(one)) != identity(Alike(other))


@pytest.mark.parametrize("build", ALIKE, ids=lambda build: repr(type(build()).__name__))
def test_a_value_that_is_built_again_is_the_same(build: "functools.partial[object]") -> None:
    assert identity(build()) == identity(build())
    assert hash(identity(build())) == hash(identity(build()))


class TestCaches:
    """What a value keeps for speed is no part of it."""

    def test_a_hash_that_is_kept(self) -> None:
        used = Cached(1)
        hash(used)
        assert identity(used) == identity(Cached(1))

    def test_a_property_that_is_kept(self) -> None:
        used = Lazy(1)
        assert used.double == 2
        assert identity(used) == identity(Lazy(1))

    def test_a_property_that_is_kept_beside_the_fields_of_a_type_written_in_c(self) -> None:
        used = Money(1)
        assert used.twice == 2
        assert identity(used) == identity(Money(1))

    def test_slots_that_a_path_fills_when_it_is_used(self) -> None:
        used = PurePosixPath("a/b")
        hash(used)
        assert (str(used), used.parts, used.name) == ("a/b", ("a", "b"), "b")
        assert identity(used) == identity(PurePosixPath("a/b"))


class TestReferences:
    """What consists of nothing that Python shows equals itself only."""

    def test_a_function_is_not_another_one_with_the_same_code(self) -> None:
        def build() -> object:
            return lambda: 1

        one = build()
        assert identity(one) == identity(one)
        assert identity(one) != identity(build())

    def test_a_method_is_its_function_and_its_object(self) -> None:
        one = Lazy(1)
        assert identity(Alike(1).__eq__) == identity(Alike(1).__eq__)
        assert identity(Alike(1).__eq__) != identity(Alike(2).__eq__)
        assert identity(one.__init__) != identity(one.__eq__)  # type: ignore[misc]  # that is the point

    def test_an_iterator_that_has_moved_is_another_one(self) -> None:
        fresh, used = iter([1, 2]), iter([1, 2])
        next(used)
        assert identity(fresh) != identity(used)

    def test_objects_that_compare_equal_are_told_apart_where_only_their_address_tells(self) -> None:
        class Bare:
            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                return True

            def __hash__(self) -> int:
                return 1

        one = Bare()
        assert identity(one) == identity(one) != identity(Bare())


class TestDepth:
    @staticmethod
    def nested(depth: int) -> object:
        value: object = 1
        for _ in range(depth):
            value = (value,)
        return value

    def test_a_deep_value_has_an_identity_and_a_deeper_one_is_refused(self) -> None:
        assert identity(self.nested(DEPTH_MAX)) == identity(self.nested(DEPTH_MAX))
        with pytest.raises(NoIdentity, match=f"a tuple is nested more than {DEPTH_MAX} deep, or holds itself"):
            identity(self.nested(DEPTH_MAX + 2))

    def test_a_value_that_holds_itself_is_refused(self) -> None:
        loop: list[object] = []
        loop.append(loop)
        with pytest.raises(NoIdentity, match="a list is nested more than"):
            identity(loop)


class TestExact:
    def test_a_set_of_exact_values_holds_what_equality_would_merge(self) -> None:
        assert len({Exact(value) for value in (0, False, 0.0, -0.0, Alike(1), Alike(2))}) == 6
        assert Exact((1, "a")) in {Exact((1, "a")), Exact(1)}


def leaves() -> "st.SearchStrategy[Any]":  # type: ignore[explicit-any]  # values of all types
    equal = st.sampled_from([0, False, 0.0, -0.0, 1, True, 1.0, None, "", b"", "a", b"a"])
    return equal | st.integers(-2, 2) | st.floats(width=16) | st.text(max_size=2) | st.binary(max_size=2)


values: "st.SearchStrategy[Any]" = st.recursive(  # type: ignore[explicit-any]  # values of all types
    leaves(),
    lambda inner: st.one_of(
        st.tuples(inner, inner),
        st.lists(inner, max_size=2),
        st.builds(Tagged, st.just("a"), inner),
        st.builds(Versioned, st.just("a"), inner),
        st.builds(Distinct, inner),
        st.dictionaries(st.sampled_from(["a", "b"]), inner, max_size=2),
    ),
    max_leaves=6,
)


def spelled(value: object) -> str:
    """Type and bits in words, written without a look at `identity`."""
    kind = type(value).__name__
    match value:
        case float():
            return f"{kind}:{struct.pack('>d', value).hex()}"
        case tuple() | list():
            return f"{kind}({', '.join(map(spelled, value))})"
        case dict():
            return f"{kind}({', '.join(f'{key}={spelled(held)}' for key, held in value.items())})"
        case Tagged():
            return f"{kind}({spelled(value.kind)}, {spelled(value.note)})"
        case Versioned():
            return f"{kind}({spelled(value.kind)}, {spelled(value.version)})"
        case Distinct():
            return f"{kind}({spelled(value.size)})"
        case _:
            return f"{kind}:{value!r}"


@given(values, values)
def test_two_values_share_a_key_if_and_only_if_they_are_spelled_alike(one: object, other: object) -> None:
    assert (identity(one) == identity(other)) is (spelled(one) == spelled(other))


@given(values)
def test_a_copy_shares_the_key_of_its_original(value: object) -> None:
    assert identity(copy.deepcopy(value)) == identity(value)
    assert hash(identity(copy.deepcopy(value))) == hash(identity(value))
