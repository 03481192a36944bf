"""An effect has exactly the types of the contract; subclasses become those types; the rest is named with its repair."""

import enum
from collections.abc import Mapping

import attrs
import pytest
import trio

from lakeproof import Call
from lakeproof.impl.effects import Effect, Env, Local, perform
from lakeproof.impl.live import live_env, run
from lakeproof.impl.parallel import CutOff, Unanswered, Withdrawn
from lakeproof.impl.stores.memory import MemoryStore
from lakeproof.impl.wellformed import exact
from lakeproof.model import kv, objects
from lakeproof.search.execution import Execution, Program

P, K = b"p", b"k"


class Where(enum.StrEnum):
    HERE = "here"


class Size(enum.IntEnum):
    TEN = 10


class Raw(bytes):
    pass


KINDS = [kind for kind in Effect.__args__ if kind not in (Local, Withdrawn, CutOff, Unanswered)]
OURS = {"at", "name", "timer"}
"""Fields that no flow fills."""
WRITES, CHECKS = ((P, K, b"1"), (P, K, None)), ((P, K, kv.EXISTS),)
FITTING: Mapping[object, tuple[object, ...]] = {
    bytes: (b"1",),
    str: ("a",),
    int: (5,),
    bool: (True, False),
    int | None: (5, None),
    str | None: ("a", None),
    kv.Predicate: (b"1", None, kv.EXISTS),
    objects.Metadata: ((), (("k", "v"),)),
    objects.Metadata | None: ((), (("k", "v"),), None),
    tuple[tuple[bytes, bytes, kv.Predicate], ...]: ((), WRITES, CHECKS),
    tuple[tuple[bytes, bytes, bytes | None], ...]: ((), WRITES),
}
"""By the type of a field: values that are right as they are."""
STRANGE: tuple[object, ...] = (
    1.5,
    1 << 63,
    bytearray(b"1"),
    memoryview(b"1"),
    [],
    {"k": "v"},
    (("k", 1),),
    (["k", "v"],),
    ((P, "k", None),),
)
VALUES = (*(value for values in FITTING.values() for value in values), *STRANGE)


def fits(field: "attrs.Attribute[object]", value: object) -> bool:
    """A value that is None is the store's own error."""
    if field.name == "value" and value is None:
        return True
    return any(type(value) is type(each) and value == each for each in FITTING[field.type])


@pytest.mark.parametrize("kind", KINDS)
def test_an_effect_is_handed_on_as_it_is_just_where_its_fields_have_their_types(
    kind: type[attrs.AttrsInstance],
) -> None:
    fields = attrs.fields(kind)
    right = kind(**{field.name: FITTING[field.type][0] for field in fields})
    assert exact(right) is right
    for field in (field for field in fields if field.name not in OURS):
        for value in VALUES:
            effect = attrs.evolve(right, **{field.name: value})  # type: ignore[misc]  # that is the point
            if fits(field, value):
                assert exact(effect) is effect
            else:
                with pytest.raises(TypeError, match=f"{kind.__name__}: {field.name} is .*: expected .*, found .*; "):
                    exact(effect)


WRONG = [
    (kv.Get(P, 7), "Get: key is 7: expected bytes, found int; encode it"),  # type: ignore[arg-type]
    (objects.Put(b"a", b"1"), "Put: address is b'a': expected str, found bytes; decode it"),  # type: ignore[arg-type]
    (kv.SetIf(P, K, b"1", "no"), "SetIf: predicate is 'no': expected bytes, None or EXISTS, found str"),  # type: ignore[arg-type]
    (kv.ScanBatch(P, batch_size=True), "batch_size is True: expected int, found bool; give a whole number"),
    (objects.Put("a", b"1", {"k": "v"}), "Put: metadata is {'k': 'v'}: expected pairs of str, found dict"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", if_absent=1), "Put: if_absent is 1: expected bool, found int; give True or False"),  # type: ignore[arg-type]
    (Local(kv.Get(P, 7)), "Get: key is 7: expected bytes, found int; encode it"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("effect", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_field_of_another_type_is_named_with_what_was_expected_and_the_repair(effect: Effect, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        exact(effect)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_long_value_is_cut() -> None:
    with pytest.raises(TypeError, match=r"value is 'x{36}\.\.\.: expected bytes"):
        exact(kv.Set(P, K, "x" * 100))  # type: ignore[arg-type]  # that is the point


def test_subclasses_become_the_types_of_the_contract() -> None:
    taken = exact(objects.Put(Where.HERE, Raw(b"1"), not_after=Size.TEN))
    assert isinstance(taken, objects.Put)
    assert [type(part) for part in (taken.address, taken.content, taken.not_after)] == [str, bytes, int]
    assert (taken.address, taken.content, taken.not_after) == ("here", b"1", 10)


def test_a_missing_value_is_the_stores_own_error() -> None:
    effect = kv.Set(P, K, None)  # type: ignore[arg-type]  # that is the point
    assert exact(effect) is effect
    assert type(kv.step({}, effect)[1]) is kv.MissingValue


def test_a_flow_is_refused_where_it_asks_and_nothing_is_handed_on() -> None:
    async def flow(env: Env) -> str:
        try:
            await perform(kv.Get(P, 7))  # type: ignore[arg-type]  # that is the point
        except TypeError:
            return "refused"
        return "performed"

    [call] = Execution(Program("a", (Call(flow),))).finished
    assert call.value == "refused"
    store = MemoryStore()
    assert trio.run(run, flow(live_env()), store) == "refused"
    assert store.contents() == {}
