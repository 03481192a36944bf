"""A counterexample as a picture: static lanes in SVG, for a README, a slide or a chat.

The picture has no script, loads nothing, and follows the reader's choice of light or dark. Text that is too long for
its column is cut; its tooltip has all of it.
"""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from lakeproof.search.execution import label
from lakeproof.search.faults import OF_CLIENTS, Mode
from lakeproof.search.trace import Trace
from lakeproof.show.pages.html import colour
from lakeproof.show.pages.markup import text
from lakeproof.show.pages.trace_view import Followed, follow_trace
from lakeproof.show.story import content_of, intent_text, no_change
from lakeproof.words import plural

WIDTH_MIN: Final = 760
"""In pixels, as all lengths here."""
MARGIN: Final = 20
NUMBER: Final = 44
LANE: Final = 92
ROW: Final = 46
CHARACTER: Final = 7.3
"""How wide a character of the text is, at most: fonts differ."""
STORE: Final = 470
"""How wide the column of the store is."""

_STYLE: Final = """
.ground{fill:#fff}.text{fill:#1b2026}.dim{fill:#57606b}.bad{fill:#b01e12}.warn{fill:#7a4700}.row{stroke:#d5dbe2}
.seen{stroke:#57606b;fill:none;stroke-width:1.5;stroke-dasharray:5 4}.tip{fill:#57606b}.on{fill:#fff}
.c0{fill:#0b63a8;stroke:#0b63a8}.c1{fill:#98206f;stroke:#98206f}.c2{fill:#1a6b34;stroke:#1a6b34}
.c3{fill:#6238b5;stroke:#6238b5}.c4{fill:#8a4d00;stroke:#8a4d00}.c5{fill:#0a6868;stroke:#0a6868}
text{font:13px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;stroke:none}
.title{font:600 17px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}.small{font-size:12px}.strong{font-weight:600}
.late{stroke-dasharray:4 3;fill-opacity:.75}.end{fill:#b01e12;stroke:#b01e12}
@media (prefers-color-scheme:dark){.ground{fill:#0e1217}.text{fill:#e7ecf2}.dim,.tip{fill:#a3adb9}.bad{fill:#ff9a8f}
.warn{fill:#f3c05e}.row{stroke:#323b47}.seen{stroke:#a3adb9}.on{fill:#0e1217}.end{fill:#ff9a8f;stroke:#ff9a8f}
.c0{fill:#79b8ff;stroke:#79b8ff}.c1{fill:#f59bd6;stroke:#f59bd6}.c2{fill:#7fdf9f;stroke:#7fdf9f}
.c3{fill:#c4adff;stroke:#c4adff}.c4{fill:#f0b65c;stroke:#f0b65c}.c5{fill:#64d6d6;stroke:#64d6d6}}
"""


def picture(trace: Trace) -> str:
    """All of the picture. Equal traces give equal bytes. Cost: linear in the trace."""
    steps = follow_trace(trace)
    lanes = len(trace.clients)
    # Two lines of title, a line for each client's program, and the labels of the lanes.
    top = 66 + 22 * lanes + 34
    width = max(WIDTH_MIN, 2 * MARGIN + NUMBER + LANE * lanes + STORE)
    height = top + ROW * len(steps) + 62  # and two lines for the violation
    title = f"{trace.invariant} is violated in {trace.scenario}, {plural(len(steps), 'step')}"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title about">',
        f'<title id="title">{text(title)}</title>',
        f'<desc id="about">{text(". ".join(_sentences(steps)))}</desc>',
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="10"/>',
        *_heading(trace, width),
        *_lifelines(steps, lanes, top),
    ]
    # All rows first: SVG paints in order, and arrows must lie over the chips.
    for each in steps:
        parts += _row(each, lanes, top, width)
    for each in steps:
        parts += _arrows(each, steps, top)
    bottom = top + ROW * len(steps) + 26
    parts.append(_text(MARGIN, bottom, f"violated: {trace.invariant}", "bad strong", width - 2 * MARGIN))
    parts.append(_text(MARGIN, bottom + 20, trace.evidence, "text small", width - 2 * MARGIN))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _sentences(steps: tuple[Followed, ...]) -> Iterator[str]:
    for each in steps:
        yield f"Step {each.number}: {each.sentence}"


def _heading(trace: Trace, width: int) -> Iterator[str]:
    room = width - 2 * MARGIN
    yield _text(MARGIN, 32, f"{trace.invariant} is violated", "bad title", room)
    yield _text(MARGIN, 52, f"in {trace.scenario}", "dim small", room)
    for client, program in enumerate(trace.programs):
        at = 66 + 22 * client + 12
        yield f'<circle class="{colour(client)}" cx="{MARGIN + 9}" cy="{at - 4}" r="9"/>'
        yield f'<text class="on small strong" x="{MARGIN + 9}" y="{at}" text-anchor="middle">{label(client)}</text>'
        yield _text(MARGIN + 28, at, program, "text", room - 28)


def _lifelines(steps: tuple[Followed, ...], lanes: int, top: int) -> Iterator[str]:
    """A line in each lane while a call is under way."""
    for client in range(lanes):
        yield (
            f'<text class="dim strong" x="{_centre(client)}" y="{top - 10}" text-anchor="middle">{label(client)}</text>'
        )
        # Each row draws its own half of the line above its chip, and the half below it if the call goes on.
        for each, after in zip_longest(steps, steps[1:]):
            begins = each.lane == client and each.step.mode is not Mode.DELIVER
            ended = begins and (each.step.returned or each.step.mode in OF_CLIENTS)
            goes_on = after.busy[client] if after else (each.busy[client] or begins) and not ended
            start = _middle(each.number, top) - (ROW / 2 if each.busy[client] else 0)
            stop = _middle(each.number, top) + (ROW / 2 if goes_on else 0)
            if stop > start and (each.busy[client] or begins):
                x = _centre(client)
                yield f'<path class="{colour(client)}" d="M{x} {start:g}V{stop:g}" stroke-width="2" opacity=".55"/>'


def _row(each: Followed, lanes: int, top: int, width: int) -> Iterator[str]:
    middle, edge = _middle(each.number, top), top + ROW * (each.number - 1)
    yield f'<path class="row" d="M{MARGIN} {edge}H{width - MARGIN}"/>'
    yield f'<text class="dim" x="{MARGIN + 24}" y="{middle + 4:g}" text-anchor="end">{each.number}</text>'
    if each.lane is not None:
        yield from _chip(each, middle)
    x = MARGIN + NUMBER + LANE * lanes + 8
    room = width - MARGIN - x
    yield _text(x, middle - 5, each.step.key, "text strong", room)
    yield _text(x, middle + 13, _what(each), "warn small" if each.fault else "text small", room)


def _chip(each: Followed, middle: float) -> Iterator[str]:
    assert each.lane is not None
    kind = {Mode.DELIVER: " late", Mode.CRASH: " end", Mode.RESTART: " end"}.get(each.step.mode, "")
    # The picture cannot measure text, so widths are estimated from the number of characters.
    shown = _cut(each.effect, LANE - 14)
    wide = len(shown) * CHARACTER + 18
    round_ = 5 if each.step.changes or each.step.effect.startswith(("set", "put", "delete", "copy")) else 12
    x = _centre(each.lane) - wide / 2
    yield (
        f'<rect class="{colour(each.lane)}{kind}" x="{x:g}" y="{middle - 12:g}" width="{wide:g}" height="24"'
        f' rx="{round_}"/>'
    )
    yield (
        f'<text class="on small strong" x="{_centre(each.lane)}" y="{middle + 4:g}" text-anchor="middle">'
        f"{text(shown)}</text>"
    )


def _what(each: Followed) -> str:
    step = each.step
    if step.mode is Mode.TICK:
        return f"the clock jumps by {step.value}"
    changes = [
        (f"{change.key} " if change.key != step.key else "")
        + f"{content_of(change.before)} → {content_of(change.after)}"
        for change in step.changes
    ]
    ended = [f"⇒ {how}" for how in step.returned]
    if each.fault:
        return "; ".join([*changes, each.fault, *ended])
    read = f"{intent_text(step)}: {step.reply}" if intent_text(step) and step.reply != "ok" else step.reply
    return "; ".join([*(changes or [read if read != "ok" else no_change(step)]), *ended])


def _arrows(each: Followed, steps: tuple[Followed, ...], top: int) -> Iterator[str]:
    for number in each.seen:
        writer = steps[number - 1]
        if writer.lane is None or each.lane is None:
            continue
        y1, y2 = _middle(number, top), _middle(each.number, top)
        # The arrow leaves the writer towards the reader, and reaches the reader on the side that faces the writer. In
        # one lane both ends are on the right.
        side = 1 if each.lane >= writer.lane else -1
        tip = 1 if each.lane == writer.lane else -side
        x1 = _centre(writer.lane) + side * _half(writer)
        x2 = _centre(each.lane) + tip * (_half(each) + 7)
        bend = 22 if each.lane == writer.lane else max(18, abs(x2 - x1) / 2)
        bends = f"{x1 + side * bend:g} {y1:g} {x2 + tip * bend:g} {y2:g}"
        yield (
            f'<path class="seen" d="M{x1:g} {y1:g}C{bends} {x2:g} {y2:g}"/>'
            f'<path class="tip" d="M{x2 - tip * 7:g} {y2:g}L{x2:g} {y2 - 4:g}V{y2 + 4:g}Z"/>'
        )


def _half(each: Followed) -> float:
    return (len(_cut(each.effect, LANE - 14)) * CHARACTER + 18) / 2


def _text(x: float, y: float, content: str, style: str, room: float) -> str:
    """A line of text, cut to its room; the tooltip of one that is cut has all of it."""
    shown = _cut(content, room)
    all_of_it = f"<title>{text(content)}</title>" if shown != content else ""
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{text(shown)}{all_of_it}</text>'


def _cut(content: str, room: float) -> str:
    length = int(room / CHARACTER)
    return content if len(content) <= length else content[: max(1, length - 1)] + "…"


def _centre(client: int) -> int:
    return MARGIN + NUMBER + LANE * client + LANE // 2


def _middle(number: int, top: int) -> float:
    return top + ROW * (number - 1) + ROW / 2
