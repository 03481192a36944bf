"""Whatever is in a file: a history, or one line that says what is wrong. Never a traceback."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakeproof.history import FORMATS
from tests.commands import complaint, lakeproof

LINES = [
    '{"process": 0, "type": "invoke", "f": "write", "key": "k", "value": 1, "time": 5}\n',
    '{"process": 0, "type": "ok", "f": "write", "key": "k", "value": 1, "time": 6}\n',
    '{"process": 1, "type": "invoke", "f": "read", "key": "k"}\n',
    '{"process": 1, "type": "ok", "f": "read", "key": "k", "value": 1}\n',
]
MAPS = [
    "{:process 0, :type :invoke, :f :write, :value 1}\n",
    "{:process 0, :type :ok, :f :write, :value 1, :time 7}\n",
    '{:process 1 :type :invoke :f :cas :value [1 "a\\n"]}\n',
    '#jepsen.history.Op{:process 1 :type :fail :f :cas :value [1 "a\\n"] :error {:a #{1}}}\n',
]
LOG = [
    "INFO  jepsen.util - 0\t:invoke\t:write\t1\n",
    "INFO  jepsen.util - 0\t:ok\t:write\t1\n",
    "INFO  jepsen.util - 1\t:invoke\t:cas\t[1 2]\n",
    "INFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n",
]
ODD = [
    b"\xff\xfe",
    b"\x00",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[" * 3_000,
    b"9" * 5_000,
    b":",
    b"#",
    b"nil",
    b"1e999",
    b"-",
    b";",
    b"\r",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def damaged(draw: Callable[[st.SearchStrategy[object]], object]) -> bytes:
    """Lines of a format, cut, repeated, mixed, and with odd bytes in them."""
    lines = draw(st.sampled_from([LINES, MAPS, LOG]))
    assert isinstance(lines, list)
    picked = draw(st.lists(st.sampled_from([*lines, *LINES[:1], *MAPS[:1]]), min_size=1, max_size=6))
    assert isinstance(picked, list)
    text = "".join([*(lines if draw(st.booleans()) else []), *picked]).encode()
    for _ in range(int(str(draw(st.integers(0, 3))))):
        at = int(str(draw(st.integers(0, len(text)))))
        odd = draw(st.sampled_from([b"", *ODD]) | st.binary(max_size=3))
        assert isinstance(odd, bytes)
        text = text[:at] + odd + text[at + int(str(draw(st.integers(0, 5)))) :]
    return text[: int(str(draw(st.integers(0, len(text)))))] if draw(st.booleans()) else text


def judged(content: bytes, folder: Path, *options: str) -> None:
    path = folder / "history"
    path.write_bytes(content)
    result = lakeproof("check", str(path), "--max-seconds", "5", *options)
    if result.exit_code == 2:
        assert complaint(result)
        assert result.stdout == ""
    else:
        assert result.exit_code in (0, 1, 3)
        assert result.stdout.splitlines()[-1].split(":")[0] in ("HOLDS", "VIOLATED", "INCONCLUSIVE")


RELAXED = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@RELAXED
@given(damaged(), st.sampled_from([None, *FORMATS]))
def test_damaged_files_are_refused_in_one_line_or_judged(tmp_path: Path, content: bytes, name: str | None) -> None:
    judged(content, tmp_path, *([] if name is None else ["--format", name]))


@RELAXED
@given(st.lists(st.fixed_dictionaries({}, optional={
    "process": st.integers(0, 2) | JSON, "type": st.sampled_from(["invoke", "ok", "fail", "info"]) | JSON,
    "f": st.sampled_from(["read", "write", "cas", "get", "set_if", "txn", "append", "scan", "acquire"]) | JSON,
    "key": JSON, "value": JSON, "time": st.integers() | JSON,
}), min_size=1, max_size=6))  # fmt: skip
def test_json_of_wrong_types_is_refused_in_one_line_or_judged(tmp_path: Path, events: list[object]) -> None:
    judged("".join(json.dumps(event) + "\n" for event in events).encode(), tmp_path)


@pytest.mark.deep
def test_random_bytes_are_refused_in_one_line(tmp_path: Path) -> None:
    for size in (1, 10, 1_000, 100_000):
        for _ in range(200):
            judged(os.urandom(size), tmp_path)
