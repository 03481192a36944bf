"""A counterexample in the Informal Trace Format, which Apalache, Quint and their viewers read.

State 0 is the store at first; state n is what step n has left, with the step's own words beside it. Values are text, as
they are in the trace; a key that holds nothing is not in the map. What the format has no variable for, and a replay
needs, is metadata, which other readers skip: `lakeproof.pages.itf_reading` makes the same trace of it again.

Source: https://apalache-mc.org/docs/adr/015adr-trace.html.
"""

import json
from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.explore.describe import printable
from lakeproof.explore.trace import Trace, TraceStep
from lakeproof.pages.followed import followed, store_at_end

VARIABLES: Final = ("step", "client", "call", "effect", "key", "value", "condition", "reply", "fault", "store", "ended")
OURS: Final = "lakeproof"
"""Where our metadata is, in that of the file and of each state."""
_WORDS: Final = ("client", "call", "effect", "key", "value", "condition", "reply", "fault")
_TYPES: Final = {"step": "Int", "store": "Str -> Str", "ended": "Seq(Str)"}


def informal_trace(trace: Trace) -> str:
    """The trace as JSON: one line a state. Cost: steps times keys."""
    steps = followed(trace)
    stores = [*(each.store for each in steps), store_at_end(trace)]
    meta = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": printable(trace.scenario),
        "status": "violation",
        "description": printable(f"{trace.invariant} is violated: {trace.evidence}"),
        "varTypes": {name: _TYPES.get(name, "Str") for name in VARIABLES},
        OURS: _head(trace),
    }
    states = [_state(0, dict.fromkeys(_WORDS, ""), stores[0], ())]
    for each in steps:
        words = {name: printable(getattr(each.step, name)) for name in _WORDS if name != "fault"}
        state = _state(each.number, {**words, "fault": each.fault}, stores[each.number], each.step.returned)
        states.append({**state, "#meta": {"index": each.number, OURS: _rest(each.step)}})
    lines = ",\n".join("  " + json.dumps(state, ensure_ascii=False) for state in states)
    return (
        f'{{\n "#meta": {json.dumps(meta, ensure_ascii=False)},\n "params": [],\n "vars": {json.dumps(VARIABLES)},\n'
        f' "states": [\n{lines}\n ]\n}}\n'
    )


def _head(trace: Trace) -> dict[str, object]:
    """The fields of a trace that are no state of it."""
    texts = {name: printable(getattr(trace, name)) for name in ("lakeproof", "invariant", "meaning", "evidence")}
    return {
        **texts,
        "file": None if trace.file is None else printable(trace.file),
        "bounds": attrs.asdict(trace.faults),
        "clients": [list(map(printable, calls)) for calls in trace.clients],
        "initially": [[printable(key), printable(held)] for key, held in trace.initially],
        "afterwards": list(map(printable, trace.afterwards)),
    }


def _rest(step: TraceStep) -> dict[str, object]:
    """The fields of a step that are no variables: all of them, whatever a step will have one day."""
    own = {"mode", "changes", "returned", *_WORDS}
    words = {
        field.name: printable(getattr(step, field.name)) for field in attrs.fields(TraceStep) if field.name not in own
    }
    return {
        **words,
        "mode": step.mode.value,
        "changes": [
            [printable(c.key), *(None if held is None else printable(held) for held in (c.before, c.after))]
            for c in step.changes
        ],
    }


def _state(
    number: int, words: Mapping[str, str], store: Mapping[str, str], ended: tuple[str, ...]
) -> dict[str, object]:
    entries = [[printable(key), printable(held)] for key, held in sorted(store.items())]
    return {
        "#meta": {"index": number},
        "step": {"#bigint": str(number)},
        **words,
        "store": {"#map": entries},
        "ended": list(map(printable, ended)),
    }
