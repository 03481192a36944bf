"""A trace from a file: in our own format, or in the Informal Trace Format as `lakeproof.pages.itf` writes it.

What comes back is the trace that was exported: exporting it again must give the same states, so that a file that was
edited is refused, and never replayed as something else.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from lakeproof.explore import trace as traces
from lakeproof.explore.describe import brief
from lakeproof.explore.trace import Trace, TraceError, _Reader
from lakeproof.pages.itf import OURS, informal_trace

_FROM_STATES: Final = ("client", "call", "effect", "key", "value", "condition", "reply")


def read(path: Path) -> Trace:
    """Read a trace in either format.

    Raises:
        TraceError: there is no such file, it is neither, or an informal trace that cannot be replayed.
    """
    data = _informal(path)
    return traces.read(path) if data is None else _trace(path, data)


def _informal(path: Path) -> Mapping[str, object] | None:
    """The file, if it is in the Informal Trace Format; whatever else it is, our own reader names what is wrong."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if isinstance(data, dict) and "trace" not in data and "states" in data and "vars" in data:
        return cast("dict[str, object]", data)
    return None


def _trace(path: Path, data: Mapping[str, object]) -> Trace:
    meta = data.get("#meta")
    head = meta.get(OURS) if isinstance(meta, dict) else None
    if not isinstance(meta, dict) or not isinstance(head, dict):
        raise TraceError(
            f"{path}: an informal trace that lakeproof has not written: its states do not say which client moves, nor "
            f"how; walk the same schedule with `lakeproof explore SCENARIO --path a,b,...`"
        )
    states = data["states"]
    if not isinstance(states, list) or not states:
        raise TraceError(f"{path}: states: {brief(states)}: expected a list of states; {_AGAIN}")
    plain = {
        **head,
        "trace": traces.FORMAT,
        "scenario": meta.get("source"),
        "schedule": [_step(path, number, state) for number, state in enumerate(states[1:], start=1)],
    }
    found = _Reader(path).trace(plain)  # names what is wrong as it does in our own format
    again = json.loads(informal_trace(found))
    if again["states"] != states:
        at = next((n for n, (one, other) in enumerate(zip(again["states"], states, strict=False)) if one != other), 0)
        raise TraceError(f"{path}: states[{at}]: it is not what the steps before it leave; {_AGAIN}")
    return found


_AGAIN: Final = "export it again with `lakeproof show TRACE --format itf`"


def _step(path: Path, number: int, state: object) -> dict[str, object]:
    meta = state.get("#meta") if isinstance(state, dict) else None
    rest = meta.get(OURS) if isinstance(meta, dict) else None
    if not isinstance(state, dict) or not isinstance(rest, dict):
        raise TraceError(f"{path}: states[{number}].#meta.{OURS}: missing: how the step turned out; {_AGAIN}")
    words = {name: state[name] for name in _FROM_STATES if name in state}
    return {**rest, **words, "returned": state.get("ended")}
