"""The protocol ``exec:``: requests and answers as documented, and nonsense that is told from them."""

import json
import re
import shlex
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
import trio
from hypothesis import example, given
from hypothesis import strategies as st

from lakeproof.model import kv
from lakeproof.stores.child import ChildStore, child_store
from lakeproof.stores.protocol import Nonsense, Reply, answer, parse, request
from tests.commands import lakeproof

PAGE = Path(__file__).parents[2] / "docs" / "targets.md"
OPS: tuple[kv.Op, ...] = (
    kv.Get(b"p", b"k"),
    kv.Set(b"p", b"k", b"v"),
    kv.SetIf(b"p", b"k", b"v", json.dumps("1").encode()),
    kv.Delete(b"p", b"k"),
    kv.ScanBatch(b"p", b"", 100),
)
doubles = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), doubles, st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
WORDS = "id|ok|error|kind|message|value|predicate|entries|key|not_found|unknown|dg==|!"
words = st.sampled_from(re.split("[|]", WORDS))
likely = st.recursive(
    st.one_of(st.none(), st.integers(0, 2), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=12,
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def test_requests_are_those_of_the_documentation() -> None:
    documented = [json.loads(line) for line in blocks("json")[0].splitlines()]
    assert [json.loads(request(number, op)) for number, op in enumerate(OPS, 1)] == documented


def test_answers_are_understood_as_in_the_documentation() -> None:
    replies = [parse(line.encode()) for line in blocks("json")[1].splitlines()]
    by_id = {reply.id: reply for reply in replies}
    assert answer(OPS[0], by_id[1]) == kv.ValueWithPredicate(b"v", b"7")
    assert answer(OPS[1], by_id[2]) is None
    assert answer(OPS[4], by_id[5]) == kv.Batch((kv.Entry(b"k", b"v"),), more=False)
    with pytest.raises(kv.PredicateFailed):
        answer(OPS[2], by_id[3])


def test_the_documentation_names_every_kind_of_error() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|.*\| .* \|$", PAGE.read_text(), re.MULTILINE)) >= kv.ERRORS.keys()


@example(2.0**-24)  # of its two spellings with as many digits, Python's own is the one that rounds a tie up
@given(json_values.filter(lambda value: value is not None))
def test_any_token_comes_back_as_it_was_given(token: object) -> None:
    line = json.dumps({"id": 1, "ok": {"value": "", "predicate": token}}).encode()
    found = answer(OPS[0], parse(line))
    assert isinstance(found, kv.ValueWithPredicate)
    sent = json.loads(request(2, kv.SetIf(b"p", b"k", b"", found.predicate)))
    assert json.dumps(sent["predicate"]) == json.dumps({"value": token})


def test_any_bytes_arrive_as_they_were_sent() -> None:
    every = bytes(range(256))
    for value in (b"", *map(bytes, zip(every)), every[1:], every, every + every):  # Base64 has three kinds of ends
        sent = json.loads(request(1, kv.Set(b"p", value, value)))
        reply = Reply(1, {"entries": [{"key": sent["key"], "value": sent["value"]}]}, None)
        assert answer(kv.ScanBatch(b"p"), reply) == kv.Batch((kv.Entry(value, value),), more=False)


def test_what_the_protocol_cannot_say_is_refused() -> None:
    with pytest.raises(kv.Refused, match="no such operation"):
        request(1, kv.DeleteIf(b"p", b"k", b"v"))
    with pytest.raises(kv.Refused, match="no token that get gave"):
        request(1, kv.SetIf(b"p", b"k", b"v", b"value"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"hello", "is no JSON"),
        (b'{"id": 1, "ok": {', "is no JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"\xff\xfe\xfd", "is no JSON"),
        (b'{"id": ' + b"9" * 5000 + b"}", "a number of more than 4,300 digits"),
        (b'{"id": 1, "ok": {"value": "", "predicate": NaN}}', "NaN is no JSON number"),
        (b'{"id": 1, "ok": {"value": "", "predicate": 1e400}}', "does not fit into a double"),
        (b'{"id": 1, "ok": {}, "id": 2}', "a name occurs twice"),
        ('{"id": 1, "ok": {}}'.encode("utf-16"), "is no JSON"),
        (b"7", "expected an object"),
        (b'{"ok": {}}', 'expected an object with "id"'),
        (b'{"id": "1", "ok": {}}', 'expected an object with "id"'),
        (b'{"id": true, "ok": {}}', 'expected an object with "id"'),
        (b'{"id": 1.0, "ok": {}}', 'expected an object with "id"'),
    ],
)
def test_a_line_that_is_no_answer_is_named(line: bytes, says: str) -> None:
    with pytest.raises(Nonsense, match=says) as caught:
        parse(line)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("op", "told", "says"),
    [
        (0, {}, 'either "ok" or "error"'),
        (0, {"ok": {}, "error": {}}, 'either "ok" or "error"'),
        (0, {"ok": []}, 'either "ok" or "error"'),
        (0, {"ok": {"value": "dg=="}}, 'no "predicate"'),
        (0, {"ok": {"value": "dg==", "predicate": None}}, 'no "predicate"'),
        (0, {"ok": {"value": "v", "predicate": 1}}, "'v'; expected Base64"),
        (0, {"ok": {"value": "d g==", "predicate": 1}}, "expected Base64"),
        (0, {"ok": {"value": "é", "predicate": 1}}, "expected Base64"),
        (0, {"ok": {"value": 7, "predicate": 1}}, "7; expected Base64"),
        (0, {"ok": {"predicate": 1}}, "None; expected Base64"),
        (0, {"error": {}}, "error of kind None; expected one of not_found"),
        (0, {"error": {"kind": "lost"}}, "error of kind 'lost'"),
        (0, {"error": {"kind": ["lost"]}}, "error of kind"),
        (0, {"error": {"kind": "predicate_failed"}}, "get answered predicate_failed; expected one of"),
        (1, {"error": {"kind": "predicate_failed"}}, "set answered predicate_failed"),
        (3, {"error": {"kind": "not_found"}}, "delete answered not_found"),
        (4, {"error": {"kind": "missing_key"}}, "scan answered missing_key"),
        (4, {"ok": {}}, "None; expected a list"),
        (4, {"ok": {"entries": {}}}, "expected a list"),
        (4, {"ok": {"entries": ["a"]}}, "entry 'a'; expected"),
        (4, {"ok": {"entries": [{"key": "aw=="}]}}, '"value": None; expected Base64'),
        (4, {"ok": {"entries": [{"key": "aw==", "value": ""}] * 101}}, "limit 100 answered 101 entries"),
    ],
)
def test_an_answer_of_the_wrong_form_is_named(op: int, told: Mapping[str, object], says: str) -> None:
    with pytest.raises(Nonsense) as caught:
        answer(OPS[op], parse(json.dumps({"id": 1, **told}).encode()))
    assert says in str(caught.value)


told = st.one_of(json_values, likely, st.fixed_dictionaries({"id": st.just(1), "ok": likely}))


@given(told.map(lambda each: json.dumps(each).encode()), st.sampled_from(OPS))
def test_whatever_is_on_a_line_is_an_answer_an_error_or_nonsense(line: bytes, op: kv.Op) -> None:
    with suppress(kv.KVError, Nonsense):
        answer(op, parse(line))


def test_so_is_any_answer_in_which_one_byte_is_another() -> None:
    for line in blocks("json")[1].replace('""', '"lost"').encode().splitlines():
        op = OPS[parse(line).id - 1]
        for at, byte in product(range(len(line)), range(256)):
            with suppress(kv.KVError, Nonsense):
                answer(op, parse(line[:at] + bytes([byte]) + line[at + 1 :]))


def run_with(program: str, use: Callable[[ChildStore], Awaitable[None]], seconds: float = 60.0) -> None:
    async def main() -> None:
        async with child_store([sys.executable, "-c", program], seconds) as store:
            await use(store)

    trio.run(main)


ECHO = "import json, sys\nfor line in sys.stdin:\n    request = json.loads(line)\n    "


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "it ended with signal 15"),
        ("import sys; sys.exit(3)", "it ended with exit code 3"),
        ("import os, sys; os.close(1); sys.stdin.read()", "it closed its stdout"),
        ("import sys; sys.stdin.read()  # seconds", "no answer within 0.5 s"),
        ("print('Welcome!', flush=True); input(); input()", "nonsense: b'Welcome!' is no JSON"),
        (ECHO + "print(json.dumps({'id': 77, 'ok': {}}), flush=True)", "an answer to 77, without a request"),
        (ECHO + "print(json.dumps({'id': request['id']}), flush=True)", 'nonsense: expected either "ok" or'),
        (ECHO + "sys.stdout.write('{\"id\"'); break", "the output ends within a line"),
        (ECHO + "print(json.dumps({'id': request['id'], 'error': {'kind': 'unknown', 'message': 'lost'}}), "
         "flush=True)", "lost"),
    ],
)  # fmt: skip
def test_of_a_child_that_is_no_store_the_outcome_is_unknown_and_the_message_says_why(program: str, says: str) -> None:
    async def use(store: ChildStore) -> None:
        with pytest.raises(kv.OutcomeUnknown) as caught:
            await store.set(b"p", b"k", b"v")
        assert says in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1

    run_with(program, use, 0.5 if "seconds" in program else 60.0)


def test_a_child_that_reads_nothing_is_killed_and_started_again() -> None:
    async def use(store: ChildStore) -> None:
        for _ in range(2):
            with pytest.raises(kv.OutcomeUnknown, match=r"no answer within|it read nothing for 0.3 s; killed"):
                await store.set(b"p", b"k", b"v" * 1_000_000)
        assert store.lives == 2
        assert await store.restart() == "the process was down already"

    run_with("import time; time.sleep(60)", use, 0.3)


def test_a_late_answer_is_left_alone() -> None:
    async def use(store: ChildStore) -> None:
        store.seconds = 0.2
        with pytest.raises(kv.OutcomeUnknown, match="no answer within"):
            await store.set(b"p", b"k", b"v")
        store.seconds = 60
        await store.set(b"p", b"k", b"v")
        assert store.lives == 1

    program = (  # answers two requests at once, when it has both
        "import json, sys\nfor line in sys.stdin.readline(), sys.stdin.readline():\n"
        "    print(json.dumps({'id': json.loads(line)['id'], 'ok': {}}), flush=True)\nsys.stdin.read()"
    )
    run_with(program, use)


def test_answers_in_any_order_reach_those_who_asked() -> None:
    found: list[bytes] = []

    async def ask(store: ChildStore, key: bytes) -> None:
        assert (await store.get(b"p", key)).value == key
        found.append(key)

    async def use(store: ChildStore) -> None:
        async with trio.open_nursery() as nursery:
            for number in range(5):
                nursery.start_soon(ask, store, b"%d" % number)

    program = (
        "import base64, json, sys\nheld = []\nfor line in sys.stdin:\n    held.append(json.loads(line))\n"
        "    if len(held) == 5:\n        for request in reversed(held):\n"
        "            ok = {'value': request['key'], 'predicate': 1}\n"
        "            print(json.dumps({'id': request['id'], 'ok': ok}), flush=True)\n        held = []"
    )
    run_with(program, use)
    assert sorted(found) == [b"0", b"1", b"2", b"3", b"4"]


def test_the_worked_adapter_conforms(tmp_path: Path) -> None:
    [program] = blocks("python")
    assert len(program.splitlines()) < 70
    (tmp_path / "store.py").write_text(program)
    result = lakeproof("conform", f"exec:{shlex.join([sys.executable, str(tmp_path / 'store.py')])}")
    assert result.exit_code == 0, result.output
