"""Formats: what each says, that they say the same, and that what is damaged is named by its line."""

import json
import os
from collections.abc import Hashable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.histories import TooLarge, Unreadable, detect, edn, read
from lakeproof.histories.edn_splitter import forms
from lakeproof.model.linearizability.history import History, Operation
from lakeproof.model.linearizability.specifications import EXISTS
from lakeproof.model.linearizability.values import Atom, freeze
from lakeproof.model.snapshot import Status
from tests.histories.mangling import Event, as_edn


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "history"


def told(file: Path, content: str | bytes, independent: bool = False) -> list[Operation]:
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(operations(read(file, memory=1 << 28, independent=independent)))


def operations(history: History) -> Iterator[Operation]:
    return map(history.operation, range(len(history)))


def line(process: int | str, type_: str, f: str, value: object = None, **more: object) -> str:
    return json.dumps({"process": process, "type": type_, "f": f, "value": value, **more}) + "\n"


def edn_map(process: int, type_: str, f: str, value: object) -> str:
    return as_edn(Event(process, type_, f, None, value)).rstrip()


@pytest.mark.parametrize("apart", ["\t", " ", " \t "])
@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ('"a  b"', "a  b"),
        ('"a\tb"', "a\tb"),
        ('":ok :read 1"', ":ok :read 1"),
        ('"a b" "c"', None),
        ("[1 2]", (1, 2)),
        ("[ 1,  2\t]", (1, 2)),
        ('["a ] b" nil]', ("a ] b", None)),
        ("[1 [2]]", (1, (2,))),
        ('["\\n" {:a 1}]', ("\n", Atom("map", frozenset({(Atom("keyword", ":a"), 1)})))),
        ("1 2", None),
        ("[1 2", None),
        ("[1 2] ]", None),
        ('"a', None),
        ("[12]3", None),
        ("1 :timed-out", None),
    ],
)
def test_a_value_of_a_log_may_hold_blanks_and_is_one_value(file: Path, value: str, meant: object, apart: str) -> None:
    content = apart.join(["INFO  jepsen.util - 0", ":invoke", ":write", value]) + "\n"
    if meant is None:
        with pytest.raises(Unreadable, match=r"^line 1: value .*; expected one value in EDN"):
            told(file, content)
    else:
        [op] = told(file, content)
        assert op.argument == meant


def test_json_lines_have_keys_conditions_scans_and_times(file: Path) -> None:
    ops = told(
        file,
        line("a", "invoke", "set_if", {"value": 1, "predicate": None}, key="k", time=5)
        + line("a", "ok", "set_if", time=6)
        + line("a", "invoke", "set_if", {"value": 2, "predicate": {"exists": True}}, key="k", extra=[])
        + line("a", "fail", "set_if")
        + "\n"
        + line("a", "invoke", "set_if", {"value": 2, "predicate": {"value": [1]}}, key=["k", 1])
        + line("a", "info", "set_if", key=["k", 1])
        + line("a", "invoke", "scan", {"start": "b", "limit": 3})
        + line("a", "ok", "scan", [["b", 1]])
        + line("a", "invoke", "get", key="k"),
    )
    assert [op.argument for op in ops] == [(None, 1), (EXISTS, 2), ((1,), 2), ("b", 3), None]
    assert [op.key for op in ops] == ["k", "k", ("k", 1), None, "k"]
    assert [op.status for op in ops] == [Status.OK, Status.FAIL, Status.INFO, Status.OK, Status.INFO]
    assert ops[3].result == (("b", 1),)
    assert [op.lines for op in ops] == [(1, 2), (3, 4), (6, 7), (8, 9), (10, 0)]


def test_independent_keys_are_the_first_of_two(file: Path) -> None:
    reads = edn_map(0, "invoke", "read", ["x", None]) + edn_map(0, "ok", "read", ["x", 1])
    content = reads + "".join(edn_map(0, type_, "cas", [7, [1, 2]]) for type_ in ("invoke", "info"))
    ops = told(file, content, independent=True)
    assert [(op.key, op.argument, op.result) for op in ops if op.status is Status.OK] == [("x", None, 1)]
    assert (ops[1].key, ops[1].argument) == (7, (1, 2))
    with pytest.raises(Unreadable, match=r"line 1: value 3; expected \[KEY VALUE\]"):
        told(file, edn_map(0, "invoke", "write", 3), independent=True)


def test_kinds_of_values_are_kept_apart_in_edn(file: Path) -> None:
    values = [
        "1",
        '"1"',
        ":a",
        "a",
        "1.0",
        "1M",
        f"1.{'0' * 40}1M",
        "1/2",
        "\\a",
        '"a\\nb"',
        "true",
        "[1]",
        "{:a 1}",
        "#{1}",
        "nil",
        "2N",
    ]
    maps = [f"{{:process {p} :type :invoke :f :write :value {value}}}" for p, value in enumerate(values)]
    found = [op.argument for op in told(file, "\n".join(maps))]
    assert len(set(found)) == len(values)
    assert found[:3] == [1, "1", Atom("keyword", ":a")]
    assert found[-1] == 2


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
    st.sampled_from(["x y", '"', "\\", ":a", ";", "{", "\ud83d\ude00"]),
    st.sampled_from([Atom("keyword", ":a/b"), Atom("symbol", "-x"), Atom("character", "{"), Atom("fraction", "1/2")]),
)
VALUES = st.recursive(
    PLAIN.map(freeze),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(tuple),
        st.frozensets(inner, max_size=3).map(lambda parts: Atom("set", parts)),
        st.dictionaries(inner, inner, max_size=3).map(lambda held: Atom("map", frozenset(held.items()))),
    ),
    max_leaves=8,
)
ESCAPES = {
    **{ord(letter): f"\\{name}" for letter, name in zip('\n\t\r"\\', 'ntr"\\', strict=True)},
    0: "\\0",
    1: "\\001",
}


def in_edn(value: object) -> str:
    """A value that is frozen, as Clojure writes it: here the writer is not the reader turned round."""
    match value:
        case None:
            return "nil"
        case str():
            return f'"{value.translate(ESCAPES)}"'
        case tuple():
            return f"[{' '.join(map(in_edn, value))}]"
        case Atom("set", frozenset() as parts):
            return f"#{{{' '.join(map(in_edn, parts))}}}"
        case Atom("map", frozenset() as pairs):
            return f"{{{', '.join(f'{in_edn(name)} {in_edn(held)}' for name, held in pairs)}}}"
        case Atom("character"):
            return f"\\{value}"
    return str(value)


@given(VALUES)
def test_any_value_is_read_as_it_was_written(value: Hashable) -> None:
    assert freeze(edn.value(in_edn(value), 1)) == value


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["{:a 1}", '{:a "}"}', "{:a {:b [1]}}", "{:a \\}}", "{:c\n#{1 2}}", '{:s "\\"{"}'])),
    st.sampled_from(["\n", " ", ",\n", " ; }{\n"]),
    st.sampled_from([("", ""), ("[", "]"), (" ( ", ")\n")]),
)
def test_maps_are_split_where_they_end(maps: list[str], between: str, around: tuple[str, str]) -> None:
    text = around[0] + between.join(maps) + around[1]
    lines = list(enumerate(text.splitlines(keepends=True), start=1))
    assert [form.text for form in forms(lines)] == maps


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no events"),
        ("process,type\n", "line 1: 'process,type' begins no format of ours"),
        (line(0, "invoke", "read") + '{"process": 0,\n', "line 2: .* is no JSON"),
        ('{"process": 0, "type": "ok"}\n', "line 1: .*expected an object with process, type, f"),
        ('{"process": 0, "type": "invoke", "f": "read", "f": "write"}', "line 1: .*occurs twice"),
        (line(0, "begin", "read"), "line 1: type 'begin'; expected invoke, ok, fail, info"),
        ('{"process": null, "type": "invoke", "f": "read"}', "line 1: process nil; expected"),
        ('{"process": 0, "type": "invoke", "f": 1}', "line 1: f 1; expected"),
        ('{"process": 0, "type": "invoke", "f": "write", "value": NaN}', "line 1: .*NaN is no JSON number"),
        ('{"process": ' + "9" * 5_000 + ', "type": "invoke", "f": "read"}', "line 1: .*is no JSON"),
        (line(0, "invoke", "read", time=1.5), "line 1: time 1.5; expected nanoseconds"),
        (line(0, "ok", "read"), "line 1: process 0 returned .* no operation open"),
        (line(0, "invoke", "read") * 2, "line 2: process 0 invoked, but its read is open since line 1"),
        (line(0, "invoke", "read") + line(0, "ok", "write"), "line 2: .*returned from 'write'; expected 'read'"),
        (line(0, "invoke", "get", key="a") + line(0, "ok", "get", key="b"), "line 2: key 'b'; expected 'a'"),
        (line(0, "invoke", "cas", [1, 2]) + line(0, "ok", "cas", False), "line 2: cas returned ok with false"),
        (line(0, "invoke", "set_if", 1), "line 1: set_if of 1; expected value and predicate"),
        (line(0, "invoke", "set_if", {"value": 1, "predicate": 2}), "line 1: predicate 2; expected nothing, exists"),
        (line(0, "invoke", "scan", {"from": 1}), "line 1: scan of .*expected start and limit"),
        (
            line(0, "invoke", "scan") + line(0, "ok", "scan", {"a": 1}),
            r"line 2: scan of .*expected a list of \[KEY, VALUE\]",
        ),
        (
            '{"process": 0, "type": "invoke", "f": "w", "value": ' + "[" * 200 + "]" * 200 + "}",
            "line 1: .*nested more than 100 deep",
        ),
        (line(0, "invoke", "read").encode() + b'{"\xff', "line 2: .* is not UTF-8"),
        ("[" + line(0, "invoke", "read") + "; garbage\n]", "line 2: ';' between events; expected an object"),
        ("[" + line(0, "invoke", "read") + ",\n#x " + line(1, "invoke", "read") + "]", "line 3: ', *#x'; expected an"),
        ("[" + line(0, "invoke", "read") + line(1, "invoke", "read") + "]", "line 2: no comma between two events"),
        ("[" + line(0, "invoke", "read") + ",,\n" + line(1, "invoke", "read") + "]", "line 2: ',,'; expected an"),
        ("[" + line(0, "invoke", "read") + ",\n]", "line 3: ']' between events"),
        ("[" + line(0, "invoke", "read") + "],", "line 2: ','; expected an event"),
        ('[{"process": 0, ; garbage\n"type": "invoke", "f": "read"}]', "line 1: .* is no JSON"),
        (edn_map(0, "invoke", "read", None) + "\n{:process 0", "line 2: the map that begins here does not end"),
        (edn_map(0, "invoke", "read", None) + "\n}", "line 2: '}' between events"),
        ("[" + edn_map(0, "invoke", "read", None), "the file ends inside of"),
        (edn_map(0, "invoke", "read", None) + "\n#tag", "the file ends with '#tag'"),
        ("{:process 0, :type :invoke}", "line 1: an event without :f"),
        ("{:process 0, :type :invoke, :f :read, :f :write}", "line 1: .*is in a map or set twice"),
        ("{:process 0, :type :invoke, :f [:read)}", r"line 1: '\)' closes what it did not open"),
        ("{:process 007, :type :start, :f :read}", "line 1: .*is no EDN map .'007' is no value"),
        ('{:process 0, "type" :invoke, :f :read}', "line 1: .*expected names that are keywords"),
        ('{:process "a", :type :invoke, :f :read}', "line 1: :process 'a'; expected a number"),
        ("{:process 0, :type :invoke, :f :read, :value #odd 1}", "line 1: .*is no EDN map"),
        ("{:process 0, :type :invoke, :f :read, :value " + "9" * 5_000 + "}", "line 1: .*is no EDN map"),
        ("INFO  jepsen.util - 0\t:invoke\t:read\n", "line 1: .*parted by tabs or blanks"),
        ("INFO  jepsen.util - x\t:invoke\t:read\tnil\n", "line 1: process 'x'; expected a number"),
        ("0\t:invoke\t:read\tnil\n:c1\t:invoke\t:read\tnil\n", "line 2: process ':c1'; expected a number, or :nemesis"),
        ("{:process :c1, :type :invoke, :f :read}", "line 1: :process .*:c1.*; expected a number, or :nemesis"),
        ("INFO  jepsen.util - 0\t:invoke\t:read\t{1}\n", r"line 1: value '\{1\}' .*; expected one value"),
    ],
)
def test_a_damaged_line_is_named_with_what_was_expected(file: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        told(file, content)


def test_nothing_of_a_pipe_is_lost_if_its_format_is_given() -> None:
    reader, writer = os.pipe()
    os.write(writer, (line(0, "invoke", "write", 1) + line(0, "ok", "write")).encode())
    os.close(writer)
    history = read(Path(f"/dev/fd/{reader}"), "jsonl", memory=1 << 20)
    os.close(reader)
    assert [op.argument for op in operations(history)] == [1]


def test_what_does_not_fit_into_memory_is_not_read_on(file: Path) -> None:
    file.write_text("".join(line(p, "invoke", "write", "x" * 100 + str(p)) for p in range(20_000)))
    with pytest.raises(TooLarge, match="more than 1 MiB after"):
        read(file, memory=1 << 20)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{ "process": 0}', "jsonl"),
        ("{:process 0}", "edn"),
        ("[{:process 0}", "edn"),
        ("; c\n\n ( #a.b.C{ :process 0}", "edn"),
        ("INFO  jepsen.util - 0\t", "jepsen-log"),
        ('[\n{"process": 0}', "json"),
        ('{\n "process": 0}', "json"),
        ("0\t:invoke\t:read\tnil", "jepsen-text"),
        (":nemesis\t:info\t:kill\t{}", "jepsen-text"),
        ("INFO [2026-02-26 23:39:01,300] jepsen worker 0 - jepsen.util 0\t", "jepsen-text"),
        ("2026-02-26 23:39:01,300{GMT}\tWARN\t[main] jepsen.cli: Test", "jepsen-text"),
        ("INFO  jepsen.core - Running", "jepsen-text"),
    ],
)
def test_the_format_is_told_by_the_beginning(file: Path, content: str, name: str) -> None:
    file.write_text(content)
    with file.open("rb") as opened:
        assert detect(opened) == name
        assert opened.tell() == 0
