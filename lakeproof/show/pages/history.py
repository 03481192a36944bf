"""A checked history as a page: operations as bars on a time line, and the sub-histories that no order explains.

Only what is seen is drawn, so that a million operations open at once. Time is the order of events by which the history
was judged.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.histories.evidence import story, value
from lakeproof.impl.printable import printable
from lakeproof.model.linearizability.checker import KeyVerdict
from lakeproof.model.linearizability.evidence import Evidence
from lakeproof.model.linearizability.history import History
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.show.pages.columns import pack
from lakeproof.show.pages.markup import document, embed_json, text
from lakeproof.version import version

LISTED_MAX: Final = 100
"""Keys that are not linearizable, or of which that is not known, beyond these are only counted."""
KEYS_OFFERED_MAX: Final = 200


@attrs.frozen(kw_only=True)
class Checked:
    """What `check` has found out about a history."""

    parameters: str
    verdict: Verdict
    summary: str
    undecided: Sequence[KeyVerdict]
    """The keys that are not linearizable, or not known to be."""
    evidence: Sequence[Evidence]
    hints: Sequence[str] = ()
    """What may be meant, where values do not fit."""


def history_page(history: History, checked: Checked) -> str:
    """The whole page. Cost: some microseconds an operation; some bytes an operation of file."""
    packed = pack(history)
    # The same numbering as in the column of keys.
    numbers = {key: at for at, key in enumerate(history.keys)}
    found = [
        {
            "key": numbers.get(each.key, -1),
            "operations": [packed.order[op.call] for op in each.operations],
            "failed": -1 if each.failed is None else packed.order[each.failed.call],
        }
        for each in checked.evidence
    ]
    body = "\n".join([*_top(checked), *_evidence(checked), *_timeline(history), "</main></div>"])
    data = f'<script type="application/json" id="layout">{embed_json({**packed.layout, "evidence": found})}</script>'
    columns = f'<script type="text/plain" id="columns">{packed.data}</script>'
    return document("lakeproof: history", f'<div class="page history">\n{body}\n{data}\n{columns}', "history.js")


def _top(checked: Checked) -> Iterator[str]:
    word = checked.verdict.value
    yield '<header class="top">'
    yield f'<p class="brand">lakeproof {text(version())} · history</p>'
    yield f'<h1><span class="verdict is-{text(word)}">{text(word)}</span> {text(checked.summary)}</h1>'
    yield f'<p class="where">{text(checked.parameters)}</p>'
    yield from (f'<p class="where">{text(hint)}</p>' for hint in checked.hints)
    yield "</header>\n<main>"


def _evidence(checked: Checked) -> Iterator[str]:
    for number, each in enumerate(checked.evidence):
        yield '<section class="evidence">'
        yield '<pre role="region" tabindex="0" aria-label="Evidence">'
        yield f"{chr(10).join(text(line) for line in story(each))}</pre>"
        if each.operations:
            yield f'<button type="button" class="jump" data-evidence="{number}">Show it on the time line</button>'
        yield "</section>"
    # Keys with evidence have sections of their own above.
    shown = {each.key for each in checked.evidence}
    left = [each for each in checked.undecided if each.key not in shown]
    if left:
        yield "<h2>Other keys that are not linearizable, or not known to be</h2><ul>"
        for verdict in left[:LISTED_MAX]:
            why = f": {text(verdict.why)}" if verdict.why else ""
            name = "all operations" if verdict.key is None else f"<code>{text(value(verdict.key))}</code>"
            yield f"<li>{name}, {verdict.operations:,} operations: {text(verdict.verdict.value)}{why}</li>"
        if left[LISTED_MAX:]:
            yield f"<li>and {len(left) - LISTED_MAX:,} more</li>"
        yield "</ul>"


def _timeline(history: History) -> Iterator[str]:
    yield '<section aria-labelledby="line-heading"><h2 id="line-heading">Time line</h2>'
    yield '<p class="read">A lane for each process. Time is the order of events. Blue reads, green writes, grey is'
    yield "refused; a dashed bar has an unknown outcome, red is what no order explains.</p>"
    yield '<div class="filter" id="controls" hidden>'
    yield '<label for="key">Key</label>'
    yield '<input type="search" id="key" list="keys" placeholder="all keys" autocomplete="off"><datalist id="keys">'
    # The first argument ends the loop, without a list of all keys, of which there may be millions.
    for _, key in zip(range(KEYS_OFFERED_MAX), history.keys, strict=False):
        yield f'<option value="{text(printable(value(key)))}"></option>'
    yield '</datalist><div class="moves">'
    for name, called, sign in (
        ("earlier", "Earlier", "←"), ("later", "Later", "→"), ("closer", "Zoom in", "+"), ("wider", "Zoom out", "-"),
        ("above", "Lanes above", "↑"), ("below", "Lanes below", "↓"), ("everything", "Show everything", "All"),
    ):  # fmt: skip
        yield f'<button type="button" id="{name}" aria-label="{called}">{sign}</button>'
    yield "</div></div>"
    yield '<div class="canvas" id="area" tabindex="0" role="group"'
    yield 'aria-label="Time line; arrow keys move, plus and minus zoom">'
    yield '<canvas id="drawing" role="img" aria-label="Operations as bars; the table below lists them"></canvas></div>'
    yield '<p id="place" role="status">The time line needs scripts.</p>'
    yield "<h3>Operations in view</h3>"
    yield '<p class="read" id="count"></p>'
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Operations in view"><table class="verdicts">'
    yield '<thead><tr><th scope="col">line</th><th scope="col">process</th><th scope="col">key</th>'
    yield '<th scope="col">operation</th><th scope="col">events</th></tr></thead>'
    yield '<tbody id="listed"></tbody></table></div>'
    yield "</section>"
