"""Whatever is in a file: a verdict on what a recorder can have written, or one line that says what is wrong."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.histories import FORMATS as NAMES
from tests.commands import complaint, lakeproof
from tests.histories.mangling import (
    FORMATS,
    Draw,
    Event,
    Format,
    as_json,
    from_json,
    from_log,
    histories,
    mangled,
    recordable,
)

ODD = [
    b"\xff\xfe", b"\x00", b'"', b"\\", b"{", b"}", b"[" * 3_000, b"9" * 5_000, b"0x" + b"F" * 5_000, b":", b"#", b"nil",
    b"1e999", b"-", b";", b"\r", b"\xe2\x80\xa8", b"\xef\xbb\xbf", b"\x1c", b"^", b"#_", b"\\u", b" ", b",",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FS = ["read", "write", "cas", "get", "set", "set_if", "delete", "txn", "put", "append", "scan", "acquire", "release"]


def judged(content: bytes, folder: Path, *options: str) -> bool:
    """Whether there was a verdict; if not, one line said why, and nothing else did."""
    path = folder / "history"
    path.write_bytes(content)
    result = lakeproof("check", str(path), "--max-seconds", "5", *options)
    if result.exit_code == 2:
        assert len(complaint(result)) < 1_000
        assert result.stdout == ""
        return False
    assert result.exit_code in (0, 1, 3)
    told = result.stderr if "--json" in options else result.stdout
    assert told.splitlines()[-1].split(":")[0] in ("HOLDS", "VIOLATED", "INCONCLUSIVE")
    return True


def around(form: Format, pieces: list[str]) -> bytes:
    return (form.around[0] + "".join(pieces) + form.around[1]).encode()


def model_of(form: Format) -> list[str]:
    return ["--format", form.name, "--model", {"register": "cas-register"}.get(form.model, form.model)]


def events(form: Format, data: st.DataObject, folder: Path) -> None:
    """Events that are repeated, lost, swapped or of two files: a verdict iff a recorder can have written them."""
    draw: Draw = data.draw
    made, other = (data.draw(histories(form.model)) for _ in range(2))
    made = mangled(draw, made, other)
    content = around(form, form.pieces(made))
    if data.draw(st.booleans()):
        content = content.replace(b"\n", b"\r\n")
    options = [*model_of(form), *data.draw(st.sampled_from([[], ["--json"]]))]
    alone = not made and b"nemesis" in content  # a history still, without an operation of a client
    assert judged(content, folder, *options) is (alone or recordable(made)), content


def cuts(form: Format, data: st.DataObject, folder: Path) -> None:
    """A file that ends early: a verdict iff the cut is between events, and nothing around them is missing."""
    pieces = form.pieces(data.draw(histories(form.model)))
    content = around(form, pieces)
    at = data.draw(st.integers(0, len(content)))
    ends, end = set(), 0
    for piece in pieces:
        end += len(piece.encode())
        ends |= {end} if form.whole else {end, end - 1}
    if form.around[1]:
        ends = {len(content), len(content) - 1}
    assert judged(content[:at], folder, *model_of(form)) is (at in ends), content[:at]


def odd_bytes(form: Format, data: st.DataObject, folder: Path) -> None:
    """Bytes that are lost, changed or put in. What comes of it may be a history still."""
    text = around(form, form.pieces(data.draw(histories(form.model))))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        odd = data.draw(st.sampled_from([b"", *ODD]) | st.binary(max_size=3))
        text = text[:at] + odd + text[at + data.draw(st.integers(0, 5)) :]
    name = data.draw(st.sampled_from([None, *NAMES]))
    verdict = judged(text, folder, *([] if name is None else ["--format", name]))
    if verdict:
        assert b"\0" not in text
        read = {"jsonl": from_json, "jepsen-log": from_log}.get(name or form.name)
        assert read is None or recordable([read(line) for line in text.decode().split("\n") if line.strip()]), text


EVENTS = st.lists(st.builds(
    Event, st.integers(0, 2) | JSON, st.sampled_from(["invoke", "ok", "fail", "info"]) | st.text(max_size=3),
    st.sampled_from(FS) | st.text(max_size=3), st.none() | JSON, JSON | st.fixed_dictionaries(
        {}, optional={"start": JSON, "limit": JSON, "value": JSON, "predicate": JSON}
    ) | st.lists(st.tuples(st.sampled_from("rw"), JSON, JSON).map(list), max_size=2),
), min_size=1, max_size=6)  # fmt: skip


def types(form: Format, data: st.DataObject, folder: Path) -> None:
    """Fields of any type: never a traceback, and nothing but one line on what is no history."""
    made = [e for e in data.draw(EVENTS) if not e.type.startswith("x")]
    if data.draw(st.booleans()):
        same = data.draw(st.sampled_from(FS))
        made = [Event(n, "invoke", same, e.key, e.value) for n, e in enumerate(made)]
        made += [Event(e.process, data.draw(st.sampled_from(["ok", "fail"])), same, None, e.value) for e in made]
    options = data.draw(
        st.sampled_from([[], ["--json"], ["--independent"], ["--order", "time"]])
        | JSON.map(lambda value: ["--initial", json.dumps(value)])
    )
    judged("".join(map(form.written, made)).encode("utf-8", "surrogatepass"), folder, *options)


Law = Callable[[Format, st.DataObject, Path], None]
WRITTEN_APART = ("json-lines", "edn-maps", "porcupine-etcd")
each_law = pytest.mark.parametrize(
    ("law", "form"),
    [
        *((law, form) for law in (events, cuts, odd_bytes) for form in FORMATS.values()),
        *((types, FORMATS[name]) for name in WRITTEN_APART),
    ],
    ids=[*(f"{law}-{name}" for law in ("events", "cuts", "bytes") for name in FORMATS), *WRITTEN_APART],
)


@each_law
@settings(max_examples=10)
@given(st.data())
def test_laws_of_files(tmp_path: Path, law: Law, form: Format, data: st.DataObject) -> None:
    law(form, data, tmp_path)


@pytest.mark.deep
@each_law
@settings(max_examples=25)
@given(st.data())
def test_laws_of_many_files(tmp_path: Path, law: Law, form: Format, data: st.DataObject) -> None:
    law(form, data, tmp_path)


def written(value: str, read: str = "") -> dict[str, str]:
    """A write of a value and a read of the same or another one, by format."""
    read = read or value
    events = [("invoke", "write", value), ("ok", "write", value), ("invoke", "read", ""), ("ok", "read", read)]
    null = {"jsonl": "null", "edn": "nil"}
    made = {
        "jsonl": '{{"process": 0, "type": "{}", "f": "{}", "value": {}}}\n',
        "edn": "{{:process 0 :type :{} :f :{} :value {}}}\n",
    }
    return {name: "".join(line.format(t, f, v or null[name]) for t, f, v in events) for name, line in made.items()}


@pytest.mark.parametrize(
    ("format_", "value", "read"),
    [
        ("jsonl", "1e400", "1e500"),  # both were infinity, and so the same
        ("jsonl", "1e-400", "0.0"),
        ("jsonl", "0.1000000000000000000001", "0.1"),
        ("jsonl", "9007199254740993.0", "9007199254740992.0"),  # of 17 digits or fewer, and one double
        ("jsonl", "9" * 5_000, ""),
        ("jsonl", "[" * 100_000 + "]" * 100_000, ""),
        ("jsonl", '{"a": 1, "a": 2}', ""),
        ("jsonl", '"\0"', ""),
        ("edn", "1e400", "1e500"),
        ("edn", "1700000000.1234566", "1700000000.1234567"),
        ("edn", '#inst "2020-01-01T00:00:00.123456111Z"', '#inst "2020-01-01T00:00:00.123456222Z"'),
        ("edn", "##Inf", ""),
        ("edn", "1e-400", "0.0"),
        ("edn", "9" * 5_000, ""),
        ("edn", "0x" + "F" * 5_000, ""),  # could not be shown
        ("edn", "1/0", ""),
        ("edn", "[" * 100_000 + "]" * 100_000, ""),
        ("edn", "{:a 1 :a 2}", "{:a 2}"),  # the last one counted
        ("edn", "#{1 1}", "#{1}"),
        ("edn", '"\\q"', '"\\\\q"'),  # an escape that nobody knows was left as it was
        ("edn", '"\0"', ""),
        ("edn", "1 :x 0:y 1", ""),
        ("edn", "#_ 2 3", ""),
        ("edn", "^:a 3", ""),
        ("edn", "3 :index x", ""),
        ("edn", '#inst "0001-01-01T00:00:00+05:00"', ""),  # a year before the first
        ("edn", "1e99999999999999999999M", ""),
    ],
    ids=range(27),
)
def test_a_value_that_would_not_be_read_as_it_was_written_is_refused(
    format_: str, value: str, read: str, tmp_path: Path
) -> None:
    assert not judged(written(value, read)[format_].encode(), tmp_path, "--format", format_)


@pytest.mark.parametrize(
    ("value", "read", "verdict"),
    [
        (str(1 << 70), "", "HOLDS"),
        ("9" * 4_000, "", "HOLDS"),
        ("1.5", "1.50", "HOLDS"),
        ("4.9E-324", "5e-324", "HOLDS"),  # as Java writes it
        ("0.10000000000000001", "0.10000000000000002", "VIOLATED"),
        ("1", "1.0", "VIOLATED"),
        ("[" * 90 + "]" * 90, "", "HOLDS"),
        ('"\\ud800"', "", "HOLDS"),
        (f'"{"x" * 1_000_000}"', "", "HOLDS"),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("format_", ["jsonl", "edn"])
def test_odd_values_that_are_whole_are_judged(
    format_: str, value: str, read: str, verdict: str, tmp_path: Path
) -> None:
    path = tmp_path / "history"
    path.write_text(written(value, read)[format_])
    assert lakeproof("check", str(path)).stdout.splitlines()[-1].startswith(verdict)


WHOLE = written("7")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"\n \n", b"\0" * 1_000, gzip.compress(WHOLE["jsonl"].encode())[:-9], b"\x7fELF\2\1\1\0",
        bytes(range(256)),
        gzip.compress(WHOLE["jsonl"].encode()) + b"\0x", b"\x1f\x8b" + WHOLE["edn"].encode(),
        WHOLE["jsonl"].encode("utf-16"), b"x" * (17 << 20), b'{"' + b"x" * (17 << 20), b"{:a " * 100_000,
        WHOLE["jsonl"].encode() + b"\x1c\n", WHOLE["jsonl"].encode() + b"\0",
        WHOLE["edn"].encode() + b"\0", WHOLE["edn"].replace(":process 0", ":process 0 :index 3").encode(),
        WHOLE["edn"].replace(":process 0", ":process 0 :index 3.5").encode(),
        WHOLE["jsonl"].replace('"process": 0', '"process": 0, "index": 3').encode(),
    ],
    ids=range(18),
)  # fmt: skip
@pytest.mark.parametrize("name", [None, *NAMES])
def test_a_file_that_is_something_else_is_refused_in_one_line(content: bytes, name: str | None, tmp_path: Path) -> None:
    assert not judged(content, tmp_path, *([] if name is None else ["--format", name]))


@pytest.mark.parametrize(
    "events",
    [
        [(0, "invoke", "cas", "a", [1, 2]), (1, "invoke", "cas", "b", 1)],  # of a later key, after the first verdict
        [(0, "invoke", "scan", None, {"start": "a", "limit": "x"})],  # open, and so never done
        [(0, "invoke", "scan", None, {"start": 5}), (0, "fail", "scan", None, None)],
        [(0, "invoke", "append", "a", 5), (0, "fail", "append", "a", 5)],
        [(0, "invoke", "set", "a", None), (0, "fail", "set", "a", None)],
        [(0, "invoke", "set_if", "a", {"value": None, "predicate": {"value": 1}})],
        [(0, "invoke", "txn", None, [["x", 1, 2]])],
        [(0, "invoke", "write", None, [["r", "x", None]]), (0, "ok", "write", None, [["r", "x", 7]])],
    ],
    ids=range(8),
)
def test_an_argument_of_the_wrong_form_is_refused_whether_it_took_effect_or_not(
    events: list[tuple[int, str, str, str | None, object]], tmp_path: Path
) -> None:
    model = {"append": "append", "write": "multi-register"}.get(events[0][2])
    options = ["--model", model] if model else []
    assert not judged("".join(as_json(Event(*event)) for event in events).encode(), tmp_path, *options)


@pytest.mark.parametrize("format_", ["jsonl", "edn"])
@pytest.mark.parametrize("name", ["write", "read", "process", "value"])
def test_what_is_wrong_is_shown_shortened(format_: str, name: str, tmp_path: Path) -> None:
    """A message of one line may have been a message of thousands of characters."""
    long = "x" * 10_000
    damaged = {"process": ":process 0", "value": ":value 7"} if format_ == "edn" else {}
    damaged |= {"process": '"process": 0', "value": '"value": 7'} if format_ == "jsonl" else {}
    as_before = damaged.get(name, name)
    text = WHOLE[format_].replace(as_before, f"{as_before} {long}" if name in damaged else long, 1)
    assert not judged(text.encode(), tmp_path, "--format", format_)
    cas = WHOLE[format_].replace("write", "cas").replace("7", json.dumps(long))
    assert not judged(cas.encode(), tmp_path, "--format", format_)


def test_a_folder_is_refused_in_one_line(tmp_path: Path) -> None:
    assert "is a directory" in complaint(lakeproof("check", str(tmp_path)))
