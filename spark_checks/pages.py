"""Parts of HTML pages that need nothing but a browser: no script, nothing loaded, everything from the data escaped.

Tables have captions, and heads that say of what they are. A table that is wider than the screen scrolls by itself.
"""

import html
import re
from collections.abc import Iterable, Sequence
from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --quiet: #5c5c5c; --bad: #a40000; --warn: #7a5200; --info: #00527a; --line: #d4d4d4; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a0a0a0; --bad: #ff7b72; --warn: #e3b341; --info: #79c0ff;
        --line: #3a3a3a; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
       overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; } a { color: inherit; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dd { margin: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } caption { text-align: left; }
th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
         font-weight: inherit; }
th:first-child { min-width: 11rem; } .n { text-align: right; white-space: nowrap; }
code { font: 13px/1.45 ui-monospace, monospace; } small { display: block; font-size: 13px; }
small, dt, caption, thead { color: var(--quiet); }
.violation, .marked { color: var(--bad); font-weight: 600; }
.garbage { color: var(--warn); } .note { color: var(--info); }
"""

_NUMBER: Final = re.compile(r"[\d,.?-]+( %)?")


def text(value: object) -> str:
    """Anything as HTML."""
    return html.escape(str(value))


def code(value: object) -> str:
    """Names, addresses."""
    return f"<code>{text(value)}</code>"


def styled(inner: str, style: str) -> str:
    """``style``: a class of `STYLE`; "": none."""
    return f'<span class="{text(style)}">{inner}</span>' if style else inner


def link(inner: str, where: str) -> str:
    """``where``: relative, or ``#id``."""
    return f'<a href="{text(where)}">{inner}</a>'


def paragraph(inner: str) -> str:
    return f"<p>{inner}</p>\n"


def heading(level: int, inner: str, id_: str = "") -> str:
    name = f' id="{text(id_)}"' if id_ else ""
    return f"<h{level}{name}>{inner}</h{level}>\n"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is called how, and HTML of what it is."""
    return "<dl>\n" + "".join(f"<dt>{text(name)}</dt><dd>{inner}</dd>\n" for name, inner in pairs) + "</dl>\n"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are HTML; the first of a row says what the row is of. Every row has a cell for each head."""
    top = "".join(f'<th scope="col">{text(head)}</th>' for head in heads)
    body = "".join(f"<tr>{_row(row)}</tr>\n" for row in rows)
    named = text(caption)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{named}">\n<table>\n<caption>{named}</caption>\n'
        f"<thead><tr>{top}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def _row(cells: Sequence[str]) -> str:
    kinds = (' class="n"' if _NUMBER.fullmatch(re.sub("<[^>]*>", "", each)) else "" for each in cells[1:])
    rest = "".join(f"<td{kind}>{each}</td>" for kind, each in zip(kinds, cells[1:], strict=True))
    return f'<th scope="row">{cells[0]}</th>{rest}'


def document(title: str, parts: Iterable[str]) -> str:
    """A page. ``title``: text; the parts are HTML."""
    shown = text(title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{shown}</h1>\n"
        f"{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def read(rows: Iterable[tuple[str, int]], notes: Iterable[str]) -> str:
    """Of how much a page speaks, and what is to be said of the dataset."""
    said = "".join(paragraph(styled(text(note), "garbage")) for note in notes)
    cells = ((code(name), f"{count:,}") for name, count in rows)
    return heading(2, "What was read") + said + table("Rows of each table", ("table", "rows"), cells)
