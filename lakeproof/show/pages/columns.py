"""A history in columns for its page: numbers as differences, texts once each, deflated, in base64.

Example: calls at events 0, 2, 4 become 0, 2, 2; an operation that returned one event later has span 1. So columns of
regular histories hold few distinct numbers, and a million operations take some megabytes.
"""

import zlib
from base64 import b64encode
from collections.abc import Hashable, Sequence
from typing import Final

import attrs
import numpy as np
import numpy.typing as npt

from lakeproof.histories.evidence import argument_in_words, value
from lakeproof.impl.printable import printable
from lakeproof.model.linearizability.history import NEVER, History

Column = npt.NDArray[np.uint32]

NONE: Final = 0xFFFFFFFF
"""What a column holds where there is nothing: no return, no result."""

_SET_IF: Final = "set_if"
_LEVEL: Final = 6


@attrs.frozen(kw_only=True)
class Packed:
    """The operations of a history in the order of their calls."""

    layout: dict[str, object]
    """What the script needs to take ``data`` apart: counts, names, and the columns' order."""
    data: str
    """Base64 of the deflated columns, each little-endian and 32 bits wide; then the lengths of the texts, then they."""
    order: dict[int, int]
    """Which operation was called at an event."""


COLUMNS: Final = ("call", "span", "process", "f", "status", "key", "argument", "result", "line")


def pack(history: History) -> Packed:
    """All operations. Cost: some microseconds an operation, and fifty bytes while it is at work.

    ``call`` and ``line`` are differences: to the operation before, and to the call.
    """
    raw = history.columns()
    columns = {name: np.asarray(raw[name], np.int64) for name in ("call", "returned", "process", "f", "status", "line")}
    # Ordered by time, calls may come in another order than in the file. The page draws them by call, and only then no
    # difference is negative.
    by_call = np.argsort(columns["call"], kind="stable")
    columns = {name: column[by_call] for name, column in columns.items()}
    call, returned = columns["call"], columns["returned"]
    keys: dict[Hashable, int] = {key: at for at, key in enumerate(history.keys)}
    key = np.zeros(len(history), np.int64)
    for name, numbers in history.keys.items():
        key[np.asarray(numbers, np.int64)] = keys[name]
    argument, result, texts = _texts(history, columns["f"], by_call)
    parts = {
        "call": np.diff(call, prepend=0),
        "span": np.where(returned == NEVER, NONE, returned - call),
        "process": columns["process"],
        "f": columns["f"],
        "status": columns["status"],
        "key": key[by_call],
        "argument": argument,
        "result": np.where(result < 0, NONE, result),
        # May be negative. Modulo 2^32 it fits an unsigned column, and the script adds it in the same arithmetic.
        "line": (columns["line"] - call) & NONE,
    }
    encoded = [
        text.encode("utf-8") for text in (*texts, *map(_cell_text, keys), *map(_cell_text, history.process_names))
    ]
    lengths = np.array([len(each) for each in encoded], np.int64)
    blocks = [*(_bytes(parts[name]) for name in COLUMNS), _bytes(lengths), b"".join(encoded)]
    return Packed(
        layout={
            "operations": len(history),
            "events": history.events,
            "texts": len(texts),
            "keys": len(keys),
            "processes": len(history.process_names),
            "fs": list(history.f_names),
            "columns": list(COLUMNS),
        },
        data=b64encode(zlib.compress(b"".join(blocks), _LEVEL)).decode("ascii"),
        order={int(event): at for at, event in enumerate(call.tolist())},
    )


def _texts(
    history: History, f: npt.NDArray[np.int64], by_call: npt.NDArray[np.intp]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Sequence[str]]:
    """Arguments and results as numbers of texts. Arguments of `set_if` have words of their own."""
    raw = history.columns()
    argument = np.asarray(raw["argument"], np.int64)[by_call]
    result = np.asarray(raw["result"], np.int64)[by_call]
    texts = [_cell_text(each) for each in history.values]
    # As an argument None says nothing, as of a get; as a result it is nil, the value that was read. So nil has a text
    # of its own.
    texts = ["" if each is None else text for each, text in zip(history.values, texts, strict=True)]
    nil = len(texts)
    texts.append("nil")
    nothing = [at for at, each in enumerate(history.values) if each is None]
    # A negative number means that there is no result, which is not the same as nil.
    result = np.where((result >= 0) & np.isin(result, nothing), nil, result)
    if _SET_IF in history.f_names:
        # The pair of a predicate and a value is shown in words, other than the same pair as a value elsewhere.
        own = f == list(history.f_names).index(_SET_IF)
        numbers = np.unique(argument[own])
        place = {int(number): len(texts) + at for at, number in enumerate(numbers.tolist())}
        given = [history.values[int(number)] for number in numbers.tolist()]
        texts += ["" if each is None else printable(argument_in_words(_SET_IF, each)) for each in given]
        argument = argument.copy()
        argument[own] = [place[int(number)] for number in argument[own].tolist()]
    return argument, result, texts


def _cell_text(content: Hashable) -> str:
    return printable(value(content))


def _bytes(column: npt.NDArray[np.int64]) -> bytes:
    # The order of bytes is fixed, so that a page is the same wherever it was made; DataView reads it everywhere.
    return column.astype("<u4").tobytes()
