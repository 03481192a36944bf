"""The lines of the protocol ``flow:``: each effect is read as it was meant, and what has no meaning is named."""

import json
from typing import get_args

import pytest

from lakeproof.impl.effects import Deadline, Effect, Expiry, Local, Now, Sleep, Wake
from lakeproof.impl.parallel import CutOff, Unanswered, Withdrawn
from lakeproof.impl.wellformed import exact
from lakeproof.languages.protocol import (
    STORE_ERRORS,
    Asks,
    Mints,
    Nonsense,
    Raises,
    Returns,
    Unfit,
    effect_reply,
    error_reply,
)
from lakeproof.languages.reader import read_acknowledgement, read_greeting, read_message
from lakeproof.model import channels, kv, objects, watches

AT = {"partition": "cA==", "key": "aw=="}
METADATA = {"metadata": {"b": "2", "a": "1"}}
PAIRS = (("a", "1"), ("b", "2"))

EFFECTS: list[tuple[dict[str, object], Effect]] = [
    ({"op": "get", **AT}, kv.Get(b"p", b"k")),
    ({"op": "get", "partition": "", "key": ""}, kv.Get(b"", b"")),
    ({"op": "set", **AT, "value": ""}, kv.Set(b"p", b"k", b"")),
    ({"op": "set", **AT, "value": None}, kv.Set(b"p", b"k", None)),  # type: ignore[arg-type]  # the store refuses it
    ({"op": "set_if", **AT, "value": "dg==", "predicate": None}, kv.SetIf(b"p", b"k", b"v", None)),
    ({"op": "set_if", **AT, "value": "dg==", "predicate": {"exists": True}}, kv.SetIf(b"p", b"k", b"v", kv.EXISTS)),
    ({"op": "set_if", **AT, "value": "dg==", "predicate": {"value": "dw=="}}, kv.SetIf(b"p", b"k", b"v", b"w")),
    ({"op": "delete", **AT}, kv.Delete(b"p", b"k")),
    ({"op": "delete_if", **AT, "predicate": {"value": "dw=="}}, kv.DeleteIf(b"p", b"k", b"w")),
    ({"op": "scan", "partition": "cA=="}, kv.ScanBatch(b"p")),
    ({"op": "scan", "partition": "cA==", "start": "aw==", "limit": 2}, kv.ScanBatch(b"p", b"k", 2)),
    ({"op": "now"}, Now()),
    ({"op": "sleep", "microseconds": 5}, Sleep("", 5)),
    ({"op": "put_object", "address": "x", "content": ""}, objects.Put("x", b"")),
    (
        {"op": "put_object", "address": "x", "content": "", **METADATA, "if_absent": True, "not_after": 5},
        objects.Put("x", b"", PAIRS, if_absent=True, not_after=5),
    ),
    ({"op": "get_object", "address": "x"}, objects.GetObject("x")),
    ({"op": "head_object", "address": "x"}, objects.HeadObject("x")),
    ({"op": "copy_object", "source": "x", "destination": "y"}, objects.Copy("x", "y")),
    (
        {"op": "copy_object", "source": "x", "destination": "y", "if_absent": True, "if_destination_match": "e"},
        objects.Copy("x", "y", if_absent=True, if_destination_match="e"),
    ),
    (
        {"op": "copy_object", "source": "x", "destination": "y", **METADATA, "if_match": "e", "not_after": None},
        objects.Copy("x", "y", PAIRS, "e"),
    ),
    ({"op": "set_metadata", "address": "x", **METADATA, "if_version": "v"}, objects.SetMetadata("x", PAIRS, None, "v")),
    ({"op": "delete_object", "address": "x"}, objects.DeleteObject("x")),
    ({"op": "delete_object", "address": "x", "if_match": "e"}, objects.DeleteObject("x", "e")),
    ({"op": "list_objects"}, objects.ListObjects()),
    ({"op": "list_objects", "prefix": "p", "after": "a", "limit": 1}, objects.ListObjects("p", "a", 1)),
]


def line(told: object) -> bytes:
    return json.dumps(told).encode()


def ask(**fields: object) -> bytes:
    return line({"flow": 7, "effect": 2, **fields})


@pytest.mark.parametrize(("told", "effect"), EFFECTS, ids=[f"{number}" for number in range(len(EFFECTS))])
def test_an_effect_is_read_as_it_was_meant(told: dict[str, object], effect: Effect) -> None:
    found = read_message(ask(**told), 7, 2)
    assert found == Asks(2, effect, "")
    assert isinstance(found, Asks)
    assert exact(found.effect) is found.effect, "its fields have the types that every store takes"


def test_every_effect_has_a_word() -> None:
    python_alone = {Withdrawn, CutOff, Unanswered, kv.Transact, Local, Wake, Deadline, Expiry}
    python_alone |= {channels.Send, channels.Receive, channels.TryReceive, kv.ExpiringSet, kv.ExpiringSetIf}
    python_alone |= {watches.StartWatch, watches.NextChanges, watches.EndWatch}
    assert {type(effect) for _, effect in EFFECTS} == set(get_args(Effect)) - python_alone


def test_the_other_lines_of_a_flow() -> None:
    assert read_message(ask(op="unique", kind="k", at="a b.go:3"), 7, 2) == Mints(2, "k", "a b.go:3")
    assert read_message(line({"flow": 7, "returns": {"b": [1, None], "a": "x"}}), 7, 2) == Returns(
        (("a", "x"), ("b", (1, None)))
    )
    assert read_message(line({"flow": 7, "raises": {"kind": "k", "message": "m"}}), 7, 2) == Raises("k", None, "m", "")


WRONG = [
    (b"", "is no JSON"),
    (b"\xff", "is no JSON"),
    (b"[" * 100_000, "nested too deeply"),
    # So deep that the reader of JSON takes it, and what makes a value of it does not.
    (b'{"flow": 7, "returns": ' + b"[" * 900 + b"]" * 900 + b"}", "nested too deeply"),
    (b'{"flow": 7, "flow": 7}', "a name occurs twice"),
    (b"7", "expected one object a line"),
    (line({"effect": 2, "op": "now"}), 'expected "flow": 7'),
    (line({"flow": 7, "op": "now"}), 'expected "effect": 2'),
    (line({"flow": 7}), 'expected one of "op", "opens", "returns" and "raises"'),
    (line({"flow": 7, "returns": 1, "raises": {"kind": "k"}}), "expected one of"),
    (line({"flow": 7, "raises": "k"}), "\"raises\" is 'k'; expected"),
    (line({"flow": 7, "raises": {"kind": "k", "definite": 1}}), '"definite" is 1; expected true, false, or null'),
    (line({"flow": 7, "raises": {"kind": "k", "message": 1}}), '"message": 1; expected text'),
    (ask(op=["get"]), r"effect \['get'\]; expected one of get, set, set_if"),
    (ask(op="get", partition="cA=="), '"key": None; expected Base64'),
    (ask(op="get", partition="cA", key=""), "\"partition\": 'cA'; expected Base64"),
    (ask(op="set", **AT), '"value": None; expected Base64'),
    (ask(op="set", **AT, value="", ttl=9), "field 'ttl'; set has partition, key, value"),
    (ask(op="put_object", address="x", content="", if_abscent=True), "field 'if_abscent'; put_object has .* if_absent"),
    (ask(op="now", key=""), "field 'key'; now has none"),
    (ask(op="set_if", **AT, value=""), '"predicate": None; expected null'),
    (ask(op="set_if", **AT, value="", predicate={"exists": False}), '"predicate": .*; expected null'),
    (ask(op="set_if", **AT, value="", predicate="dg=="), '"predicate": .*; expected null'),
    (ask(op="delete_if", **AT, predicate=None), '"predicate": None; expected .*what get returned'),
    (ask(op="scan", partition="cA==", limit=-1), '"limit": -1; expected 0'),
    (ask(op="scan", partition="cA==", limit=True), '"limit": True; expected a whole number'),
    (ask(op="scan", partition="cA==", limit=2**63), "of at most 63 bits"),
    (ask(op="put_object", address="x", content="", if_absent=1), '"if_absent": 1; expected true or false'),
    (ask(op="put_object", address="x", content="", metadata={"a": 1}), "expected an object of texts"),
    (ask(op="put_object", address="x", content="", metadata=None), "expected an object of texts"),
    (ask(op="get_object", address="\ud800"), "expected text that has a UTF-8"),
    (ask(op="unique"), '"kind": None; expected text'),
    (ask(op="now", at="somewhere"), "expected FILE:LINE"),
    (ask(op="now", at="a\nb:3"), "expected FILE:LINE"),
]


@pytest.mark.parametrize(("said", "why"), WRONG, ids=[str(number) for number in range(len(WRONG))])
def test_a_line_without_a_meaning_is_named(said: bytes, why: str) -> None:
    with pytest.raises(Nonsense, match=why):
        read_message(said, 7, 2)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({}, "as its first line"),
        ({"protocol": "exec:", "version": 1}, "as its first line"),
        ({"protocol": "flow:", "version": "1"}, "as its first line"),
        ({"protocol": "flow:", "version": 2}, "version 2 of the protocol flow:; expected 1"),
        ({"protocol": "flow:", "version": 1, "resets": 0}, '"resets" is 0; expected true or false'),
    ],
)
def test_a_greeting_of_another_protocol_is_named(said: object, why: str) -> None:
    with pytest.raises(Nonsense, match=why):
        read_greeting(line(said))


def test_a_reset_is_acknowledged_by_its_number() -> None:
    read_acknowledgement(line({"reset": 7}), 7)
    for wrong in ({"reset": 6}, {}, {"flow": 7, "returns": None}):
        with pytest.raises(Nonsense, match=r'expected \{"reset": 7\}'):
            read_acknowledgement(line(wrong), 7)


REPLIES: list[tuple[Effect, object, object]] = [
    (kv.Get(b"p", b"k"), kv.ValueWithPredicate(b"v", b"w"), {"value": "dg==", "predicate": "dw=="}),
    (kv.Set(b"p", b"k", b"v"), None, {}),
    (
        kv.ScanBatch(b"p"),
        kv.Batch((kv.Entry(b"k", b"v"),), more=True),
        {"entries": [{"key": "aw==", "value": "dg=="}], "more": True},
    ),
    (objects.GetObject("x"), b"v", {"content": "dg=="}),
    (objects.Put("x", b""), None, {}),
    (Now(), 5, {"now": 5}),
]


@pytest.mark.parametrize(("effect", "reply", "ok"), REPLIES, ids=lambda part: type(part).__name__)
def test_a_reply_is_said_in_its_terms(effect: Effect, reply: object, ok: object) -> None:
    assert json.loads(f"{{{effect_reply(effect, reply)}}}") == {"ok": ok}


@pytest.mark.parametrize(
    ("effect", "reply"),
    [(effect, reply) for effect, _, _ in REPLIES for other, reply, _ in REPLIES if type(effect) is not type(other)],
)
def test_a_reply_that_no_store_gives_is_unfit(effect: Effect, reply: object) -> None:
    if reply is None and isinstance(effect, kv.Set | objects.Put):
        assert effect_reply(effect, reply) == '"ok":{}'
    else:
        with pytest.raises(Unfit):
            effect_reply(effect, reply)


@pytest.mark.parametrize(
    ("error", "kind"), [*((error, kind) for kind, error in STORE_ERRORS.items()), (objects.Refused, "refused")]
)
def test_every_error_of_the_stores_has_a_kind_and_says_whether_it_is_definite(
    error: type[kv.KVError], kind: str
) -> None:
    assert json.loads(f"{{{error_reply(error())}}}") == {"error": {"kind": kind, "definite": error.definite}}
