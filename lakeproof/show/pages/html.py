"""A counterexample as one page for a browser: no network, no dependencies, nothing to build.

The page is complete without its script: lanes, store, evidence. The script adds the slider, the store before and after
each step, and the arrows. A policy in the page allows this script and this style sheet by their fingerprints and
nothing else, so that no text of a trace can run, and nothing is loaded from anywhere.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.search.describe import printable
from lakeproof.search.execution import label
from lakeproof.search.faults import OF_CLIENTS, Mode
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.show.pages.alternatives import UNKNOWN, Others
from lakeproof.show.pages.markup import document, embed_json, text
from lakeproof.show.pages.trace_view import Followed, follow_trace, plain
from lakeproof.show.races import races
from lakeproof.show.story import LOOP, intent_text, no_change
from lakeproof.verify.needed_faults import in_words
from lakeproof.words import plural

COLOURS: Final = 6
"""Clients beyond these take the colours again."""

_WRITES: Final = ("set", "set_if", "put", "copy", "delete", "delete_if", "transact", "set metadata")


def page(trace: Trace, replay: str = "", others: Others = UNKNOWN) -> str:
    """All of the page. ``replay``: the command that executes the trace again; empty: none is shown. ``others``: the
    moves that were possible at each step.

    Cost: linear in the trace and the other moves, and some 30 kB.
    """
    steps = follow_trace(trace)
    title = f"{printable(trace.invariant)} is violated in {printable(trace.scenario)}"
    again = _again(replay, others.explore)
    # The bar comes last and outside the page, as it stays at the bottom of the window.
    parts = [*_top(trace, others), *_split(trace, steps, others), *again, *_footer(trace), "</div>", *_bar(steps)]
    body = "\n".join(parts)
    data = f'<script type="application/json" id="trace">{embed_json(plain(trace, replay, others))}</script>'
    return document(title, f'<div class="page">\n{body}\n{data}', "page.js")


def _top(trace: Trace, others: Others) -> Iterator[str]:
    steps, clients = plural(len(trace.schedule), "step"), plural(len(trace.clients), "client")
    yield '<header class="top">'
    yield '<p class="brand">lakeproof · counterexample</p>'
    yield f'<h1><span class="verdict">violated</span> {text(trace.invariant)}</h1>'
    yield f'<p class="where">in <code>{text(trace.scenario)}</code> · {steps} · {clients}</p>'
    yield f'<p class="meaning">{text(trace.meaning)}</p>'
    yield f'<div class="evidence"><p><strong>Evidence:</strong> {text(trace.evidence)}</p></div>'
    for race in races(trace):
        yield f'<p class="race"><strong>{text(race.name.capitalize() if race.name.islower() else race.name)}:</strong>'
        yield f"{text(race.sentence)}.</p>"
    if others.faults is not None:
        faults = "".join(f"<li>{text(line)}</li>" for line in in_words(others.faults))
        yield f'<div class="race"><strong>Which faults it needs:</strong><ul>{faults}</ul></div>'
    yield "</header>"


def _split(trace: Trace, steps: Sequence[Followed], others: Others) -> Iterator[str]:
    yield '<main class="split">'
    yield '<section aria-labelledby="schedule-heading">'
    yield '<h2 id="schedule-heading">Schedule</h2>'
    yield '<ul class="clients">'
    for client, program in enumerate(trace.programs):
        chip = f'<span class="chip {colour(client)}">{label(client)}</span>'
        yield f"<li>{chip} <code>{text(program)}</code></li>"
    yield "</ul>"
    yield '<div class="scroll" id="schedule" role="region" tabindex="0" aria-label="Lanes and store">'
    yield '<svg class="arrows" id="arrows" aria-hidden="true"></svg>'
    yield from _lanes(trace, steps, others)
    yield "</div>"
    if others.why:
        yield f'<p class="read">Other moves are not listed: {text(others.why)}.</p>'
    for ended in trace.afterwards:
        yield f'<p>Afterwards, alone and without faults: <span class="ended">{text(ended)}</span></p>'
    yield "</section>"
    yield from _panel(trace)
    yield "</main>"


def _lanes(trace: Trace, steps: Sequence[Followed], others: Others) -> Iterator[str]:
    clients = range(len(trace.clients))
    yield '<table class="lanes">'
    yield '<caption class="hidden">A row for each step: what moves, and what it does to the store</caption>'
    heads = "".join(
        f'<th scope="col" class="lane"><span class="hidden">client </span>{label(client)}</th>' for client in clients
    )
    yield f'<thead><tr><th scope="col" class="number">step</th>{heads}<th scope="col">store</th></tr></thead>'
    yield "<tbody>"
    for each in steps:
        if each.number - 1 == trace.loop:
            yield f'<tr class="loop"><td colspan="{len(trace.clients) + 2}">↻ {LOOP}</td></tr>'
        cells = "".join(_lane(each, client) for client in clients)
        button = f'<button type="button" class="step-button" aria-label="step {each.number}">{each.number}</button>'
        yield (
            f'<tr class="step" id="row-{each.number}"><td class="number">{button}</td>{cells}'
            f'<td class="store">{_store(each)}{_instead(others, each.number)}</td></tr>'
        )
    columns = len(trace.clients) + 2
    yield f'<tr class="broken"><td colspan="{columns}">✗ {text(trace.invariant)} is violated</td></tr>'
    yield "</tbody></table>"


def _lane(each: Followed, client: int) -> str:
    here = each.lane == client
    # A late write is drawn in the lane of the client that sent it, and neither begins nor ends a call.
    moves = here and each.step.mode is not Mode.DELIVER
    ends = moves and (each.step.returned or each.step.mode in OF_CLIENTS)
    busy = each.busy[client] or (moves and not ends)
    state = [colour(client), *(["busy"] if busy else [])]
    state += ["start"] if moves and not each.busy[client] else []
    state += ["stop"] if ends else []
    return f'<td class="lane {" ".join(state)}">{_chip(each) if here else ""}</td>'


def _chip(each: Followed) -> str:
    kinds = ["chip", *(["write"] if each.step.effect in _WRITES else [])]
    kinds += ["late"] if each.step.mode is Mode.DELIVER else ["end"] if each.step.mode in OF_CLIENTS else []
    return f'<span class="{" ".join(kinds)}">{text(each.effect) or "?"}</span>'


def _store(each: Followed) -> str:
    step = each.step
    # Escaped first: the break is the only markup in it.
    at = f'<code class="at">{text(step.at).replace("/", "/<wbr>")}</code>' if step.at else ""
    parts = [f'<div class="head"><span class="key mono">{text(step.key)}</span>{at}</div>']
    for change in step.changes:
        where = f"{text(change.key)} " if change.key != step.key else ""
        parts.append(f'<div class="mono">{where}{_change(change.before, change.after)}</div>')
    if step.mode is Mode.MESSAGE_DUPLICATED:
        parts.append(f'<div class="mono read">{text(step.reply)}</div>')
    if each.fault:
        shown = f"the clock jumps by {text(step.value)}" if step.mode is Mode.TICK else text(each.fault)
        parts.append(f'<div><span class="badge">⚡ {shown}</span></div>')
    elif step.reply != "ok":
        parts.append(f'<div class="mono read">{_attempt_text(step)}{text(step.reply)}</div>')
    elif not step.changes:
        parts.append(f'<div class="read">{text(no_change(step))}</div>')
    if each.seen:
        seen = ", ".join(map(str, each.seen))
        parts.append(
            f'<span class="saw">has seen the {"write" if len(each.seen) == 1 else "writes"} of step {seen}</span>'
        )
    parts += [f'<span class="ended">⇒ {text(ended)}</span>' for ended in step.returned]
    return "".join(parts)


def _instead(others: Others, number: int) -> str:
    """What was possible instead of a step, as a list that opens; empty if that is not known. 1 is the first step."""
    # The search for other moves ends early on long traces.
    if number > len(others.steps):
        return ""
    options = others.steps[number - 1]
    if not options:
        return '<p class="saw">nothing else was possible</p>'
    items = []
    for option in options:
        parts = [text(option.sentence)]
        parts += [f'<span class="ended">⇒ {text(ended)}</span>' for ended in option.step.returned]
        parts += [
            f'<span class="broken">✗ would violate {text(name)}: {text(evidence)}</span>'
            for name, evidence in option.violated
        ]
        items.append(f"<li>{' '.join(parts)}</li>")
    count = plural(len(options), "other move")
    return f'<details class="instead"><summary>{count}</summary><ul>{"".join(items)}</ul></details>'


def _attempt_text(step: TraceStep) -> str:
    return f"{text(intent_text(step))}: " if intent_text(step) else ""


def _change(before: str | None, after: str | None) -> str:
    gone = '<span class="read">nothing</span>' if before is None else f'<del class="before">{text(before)}</del>'
    new = '<span class="read">nothing</span>' if after is None else f'<ins class="after">{text(after)}</ins>'
    return f'{gone} <span aria-hidden="true">→</span><span class="hidden">becomes</span> {new}'


def _panel(trace: Trace) -> Iterator[str]:
    # Hidden until the script shows it.
    yield '<section class="panel" id="panel" aria-labelledby="heading" tabindex="0" hidden>'
    yield '<h2 id="heading">Step</h2>'
    yield '<p id="sentence"></p>'
    yield '<div class="evidence" id="broken" hidden>'
    yield f"<p><strong>✗ {text(trace.invariant)}</strong> {text(trace.evidence)}</p></div>"
    yield '<dl class="facts" id="facts"></dl>'
    yield '<h3 id="store-heading">Store</h3>'
    yield '<table class="contents" aria-labelledby="store-heading">'
    yield '<thead><tr><th scope="col">key</th><th scope="col" id="is-before">before</th>'
    yield '<th scope="col" id="is-after">after</th></tr></thead>'
    yield '<tbody id="contents"></tbody></table>'
    yield "</section>"
    yield "<noscript><section><h2>Store at first</h2><table><tbody>"
    for key, content in trace.initially:
        yield f'<tr><th scope="row" class="mono">{text(key)}</th><td class="mono">{text(content)}</td></tr>'
    yield "</tbody></table></section></noscript>"


def _again(replay: str, explore: str) -> Iterator[str]:
    # A page that is made outside of the command line may have no command.
    if not replay:
        return
    yield '<section class="again" aria-labelledby="again-heading">'
    yield '<h2 id="again-heading">Replay</h2>'
    yield "<p>This executes the schedule on the flows as they are now, and compares every step.</p>"
    yield f'<div class="line"><pre><code id="replay">{text(replay)}</code></pre>'
    yield '<button type="button" class="copy" id="copy" hidden>Copy</button></div>'
    if explore:
        yield "<p>This opens the same schedule in a page where the other moves can be taken, at any step.</p>"
        yield f'<div class="line"><pre><code id="explore">{text(explore)}</code></pre></div>'
    yield "</section>"


def _footer(trace: Trace) -> Iterator[str]:
    bounds = [
        f"{name.replace('_', ' ')}{' (µs)' if name.startswith('clock') else ''}: {shown}"
        for name, budget in attrs.asdict(trace.faults).items()
        # A budget of 0 is none.
        if (shown := ", ".join(map(str, budget)) if isinstance(budget, (tuple, list)) else budget)
    ]
    faults = "; ".join(bounds) or "none"
    yield "<footer>"
    yield f"<p>Faults that the scenario allows: {text(faults)}. Recorded by lakeproof {text(trace.lakeproof)}.</p>"
    yield "<p>Keys: <kbd>←</kbd> <kbd>→</kbd> or <kbd>k</kbd> <kbd>j</kbd> one step, <kbd>Home</kbd> <kbd>End</kbd>"
    yield "all steps, <kbd>p</kbd> play. An arrow leads from a write to the read that has seen it.</p>"
    yield "</footer>"


def _bar(steps: Sequence[Followed]) -> Iterator[str]:
    moves = [("first", "First", "|<"), ("back", "Back", "<"), ("next", "Next", ">"), ("last", "Last", ">|")]
    buttons = {
        name: f'<button type="button" id="{name}" aria-label="{called} step">{text(sign)}</button>'
        for name, called, sign in moves
    }
    yield '<div class="bar" id="bar" role="region" aria-label="Steps" hidden><div class="inner"><div class="moves">'
    yield buttons["first"] + buttons["back"]
    yield f'<input type="range" id="slider" min="0" max="{len(steps)}" value="{len(steps)}" aria-label="Step">'
    yield buttons["next"] + buttons["last"]
    yield '<button type="button" id="play">Play</button></div>'
    yield '<output class="position" for="slider"><b id="place"></b><span id="step"></span></output>'
    yield "</div></div>"


def colour(client: int) -> str:
    """The class of the style sheet that gives a client its colour."""
    return f"c{client % COLOURS}"
