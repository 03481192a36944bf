"""A counterexample in the Informal Trace Format, which Apalache, Quint and their viewers read.

State 0 is the store at first; state n is what step n has left, with the step's own words beside it. Values are text, as
they are in the trace; a key that holds nothing is not in the map.

Source: https://apalache-mc.org/docs/adr/015adr-trace.html.
"""

import json
from collections.abc import Mapping
from typing import Final

from lakeproof.explore.describe import printable
from lakeproof.explore.trace import Trace
from lakeproof.pages.followed import followed
from lakeproof.report.races import stores

VARIABLES: Final = ("step", "client", "call", "effect", "key", "value", "condition", "reply", "fault", "store", "ended")
_WORDS: Final = ("client", "call", "effect", "key", "value", "condition", "reply", "fault")
_TYPES: Final = {"step": "Int", "store": "Str -> Str", "ended": "Seq(Str)"}


def informal_trace(trace: Trace) -> str:
    """The trace as JSON: one line a state. Cost: steps times keys."""
    steps = followed(trace)
    contents = stores(trace)
    meta = {
        "format": "ITF",
        "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
        "source": printable(trace.scenario),
        "status": "violation",
        "description": printable(f"{trace.invariant} is violated: {trace.evidence}"),
        "varTypes": {name: _TYPES.get(name, "Str") for name in VARIABLES},
    }
    states = [_state(0, dict.fromkeys(_WORDS, ""), contents[0], ())]
    for each in steps:
        words = {name: printable(getattr(each.step, name)) for name in _WORDS if name != "fault"}
        after = contents[each.number]
        states.append(_state(each.number, {**words, "fault": each.fault}, after, each.step.returned))
    lines = ",\n".join("  " + json.dumps(state, ensure_ascii=False) for state in states)
    return (
        f'{{\n "#meta": {json.dumps(meta, ensure_ascii=False)},\n "params": [],\n "vars": {json.dumps(VARIABLES)},\n'
        f' "states": [\n{lines}\n ]\n}}\n'
    )


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
