"""An effect has exactly the types of the contract; subclasses become those types; the rest is named with its repair."""

import enum

import pytest
import trio

from lakeproof import Call
from lakeproof.impl.effects import Deadline, Effect, Env, Expiry, Local, Now, Sleep, Wake, perform
from lakeproof.impl.live import live_env, run
from lakeproof.impl.parallel import CutOff, Unanswered, Withdrawn
from lakeproof.impl.stores.memory import MemoryStore
from lakeproof.impl.wellformed import exact
from lakeproof.model import channels, kv, objects, watches
from lakeproof.search.execution import Execution, Program

P, K = b"p", b"k"


class Where(enum.StrEnum):
    HERE = "here"


class Size(enum.IntEnum):
    TEN = 10


class Raw(bytes):
    pass


FINE: tuple[Effect, ...] = (
    kv.Get(P, K),
    kv.Set(P, K, b"1"),
    kv.SetIf(P, K, b"1", None),
    kv.SetIf(P, K, b"1", b"0"),
    kv.SetIf(P, K, b"1", kv.EXISTS),
    kv.ExpiringSet(P, K, b"1", 5),
    kv.ExpiringSetIf(P, K, b"1", None, 5),
    kv.Delete(P, K),
    kv.DeleteIf(P, K, b"1"),
    kv.ScanBatch(P),
    objects.Put("a", b"1", (("k", "v"),), True, "etag", 5),
    objects.Put("a", b"1"),
    objects.GetObject("a"),
    objects.HeadObject("a"),
    objects.Copy("a", "b", (), "etag", 5),
    objects.Copy("a", "b"),
    objects.SetMetadata("a", (), 1, "v"),
    objects.SetMetadata("a", ()),
    objects.DeleteObject("a"),
    objects.DeleteObject("a", "etag"),
    objects.ListObjects("a", "b", 1),
    Now(),
    kv.Transact(((P, K, b"1"), (P, b"l", None)), ((P, K, b"2"), (P, b"l", None))),
    Local(kv.Get(P, K)),
    Sleep("a", 1),
    Wake("a"),
    Deadline("a", 1),
    Expiry("a", 1),
    channels.Send("c", b"1"),
    channels.Send("c", b"1", 2),
    channels.Receive("c"),
    channels.TryReceive("c"),
    watches.StartWatch("a#1", P, K),
    watches.NextChanges("a#1", P, K),
    watches.EndWatch("a#1", P, K),
)


@pytest.mark.parametrize("effect", FINE, ids=repr)
def test_an_effect_of_the_right_types_is_handed_on_as_it_is(effect: Effect) -> None:
    assert exact(effect) is effect


def test_every_kind_of_effect_is_looked_at() -> None:
    assert {type(effect) for effect in FINE} == set(Effect.__args__) - {Withdrawn, CutOff, Unanswered}


WRONG = [
    (kv.Get("p", K), "Get: partition is 'p': expected bytes, found str; encode it"),  # type: ignore[arg-type]
    (Sleep("a", 0.5), "Sleep: microseconds is 0.5: expected int, found float"),  # type: ignore[arg-type]
    (channels.Send("c", "1"), "Send: message is '1': expected bytes, found str; encode it"),  # type: ignore[arg-type]
    (channels.Send("c", b"1", 1.5), "Send: capacity is 1.5: expected int"),  # type: ignore[arg-type]
    (channels.Receive(b"c"), "Receive: channel is b'c': expected str, found bytes; decode it"),  # type: ignore[arg-type]
    (watches.StartWatch("a", P, "k"), "StartWatch: prefix is 'k': expected bytes, found str; encode it"),  # type: ignore[arg-type]
    (kv.Get(P, 7), "Get: key is 7: expected bytes, found int; encode it"),  # type: ignore[arg-type]
    (kv.Get(P, None), "Get: key is None: expected bytes, found NoneType"),  # type: ignore[arg-type]
    (kv.Set(P, K, bytearray(b"x")), "Set: value is bytearray(b'x'): expected bytes, found bytearray"),  # type: ignore[arg-type]
    (kv.Set(P, K, memoryview(b"x")), "expected bytes, found memoryview"),  # type: ignore[arg-type]
    (kv.SetIf(P, K, b"1", "no"), "SetIf: predicate is 'no': expected bytes, None or EXISTS, found str"),  # type: ignore[arg-type]
    (kv.ExpiringSet(P, K, b"1", 1.5), "ExpiringSet: ttl is 1.5: expected int, found float"),  # type: ignore[arg-type]
    (kv.SetIf(P, K, b"1", False), "expected bytes, None or EXISTS, found bool"),  # type: ignore[arg-type]
    (kv.DeleteIf(P, K, None), "DeleteIf: predicate is None: expected bytes"),  # type: ignore[arg-type]
    (kv.ScanBatch(P, batch_size="9"), "ScanBatch: batch_size is '9': expected int"),  # type: ignore[arg-type]
    (kv.ScanBatch(P, batch_size=True), "batch_size is True: expected int, found bool; give a whole number"),
    (kv.ScanBatch(P, batch_size=1.0), "expected int, found float"),  # type: ignore[arg-type]
    (objects.Put(b"a", b"1"), "Put: address is b'a': expected str, found bytes; decode it"),  # type: ignore[arg-type]
    (objects.Put("a", "1"), "Put: content is '1': expected bytes"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", {"k": "v"}), "Put: metadata is {'k': 'v'}: expected pairs of str, found dict"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", (("k", 1),)), "expected pairs of str"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", (["k", "v"],)), "expected pairs of str"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", if_absent=1), "Put: if_absent is 1: expected bool, found int; give True or False"),  # type: ignore[arg-type]
    (objects.Put("a", b"1", if_match=b"e"), "Put: if_match is b'e': expected str"),  # type: ignore[arg-type]
    (objects.Copy("a", "b", not_after=1.5), "Copy: not_after is 1.5: expected int"),  # type: ignore[arg-type]
    (objects.SetMetadata("a", (), True), "SetMetadata: if_metageneration is True: expected int, found bool"),
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
