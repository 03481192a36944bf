"""Parts of HTML pages that need nothing but a browser: no script, nothing loaded, everything from the data escaped.

Tables have captions, and heads that say of what they are. On a narrow screen text wraps, and a table that is still
wider scrolls by itself; the page does not.
"""

import html
from collections.abc import Iterable, Sequence
from typing import Final, Literal

import attrs

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #fff; --line: #d4d4d4; --quiet: #5c5c5c; --bad: #a40000;
        --warn: #7a5200; --info: #00527a; --band: #f5f5f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #161616; --line: #3a3a3a; --quiet: #a0a0a0;
        --bad: #ff7b72; --warn: #e3b341; --info: #79c0ff; --band: #202020; } }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem; color: var(--ink);
       background: var(--paper); overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; font-family: ui-monospace, monospace; }
p, dl { margin: .4rem 0; } a { color: inherit; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt { color: var(--quiet); } dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .3rem 0; }
caption { text-align: left; color: var(--quiet); padding: .2rem 0; }
th, td { text-align: left; padding: .35rem .8rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top;
         font-weight: inherit; }
thead th { color: var(--quiet); } tbody tr:hover { background: var(--band); }
th:last-child, td:last-child { padding-right: 0; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide { min-width: 11rem; } .kind { white-space: nowrap; }
table.narrow { width: auto; } table.narrow .n { padding-left: 3rem; }
code { font: 13px/1.45 ui-monospace, monospace; }
small { display: block; color: var(--quiet); font-size: 13px; }
.violation, .marked { color: var(--bad); font-weight: 600; }
.garbage { color: var(--warn); } .note { color: var(--info); }
.none { color: var(--quiet); }
@media (max-width: 30rem) { body { margin: 1rem auto; padding: 0 .8rem; } dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .4rem; } th, td { padding-right: .5rem; }
  table.stack, .stack caption, .stack tbody, .stack tr, .stack th, .stack td { display: block; padding: 0; border: 0; }
  .stack thead { display: none; } .stack tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  .stack td { display: inline-block; margin-right: 1rem; } .stack td:empty { display: none; }
  .stack td::before { content: attr(data-head) " "; color: var(--quiet); font-weight: 400; } }
"""

Style = Literal["", "narrow", "stack"]
"""Of a table: as wide as the page; as its text; or on a narrow screen the cells of a row beneath each other."""


@attrs.frozen
class Head:
    """Of a column. ``kind``: whether it holds numbers, text that needs room, or a word that is not to be broken."""

    name: str
    kind: Literal["", "n", "wide", "kind"] = ""


@attrs.frozen
class Cell:
    """``inner`` is HTML: see `text`, `code`. ``style``: a class of `STYLE`. ``head``: it says what its row is of."""

    inner: str
    style: str = ""
    head: bool = False


def text(value: object) -> str:
    """Anything as HTML."""
    return html.escape(str(value))


def code(value: object) -> str:
    """Names, addresses."""
    return f"<code>{text(value)}</code>"


def link(inner: str, where: str) -> str:
    """``where``: relative, or ``#id``."""
    return f'<a href="{text(where)}">{inner}</a>'


def paragraph(inner: str) -> str:
    return f"<p>{inner}</p>\n"


def heading(level: Literal[2, 3], inner: str, id_: str = "") -> str:
    name = f' id="{text(id_)}"' if id_ else ""
    return f"<h{level}{name}>{inner}</h{level}>\n"


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is called how, and HTML of what it is."""
    return "<dl>\n" + "".join(f"<dt>{text(name)}</dt><dd>{inner}</dd>\n" for name, inner in pairs) + "</dl>\n"


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[Cell]], style: Style = "") -> str:
    """Every row has a cell for each head. Its roles are said, because styles that stack it take them away."""
    top = "".join(f'<th scope="col" role="columnheader"{_class(head.kind)}>{text(head.name)}</th>' for head in heads)
    body = "".join(f'<tr role="row">{"".join(_cells(row, heads))}</tr>\n' for row in rows)
    named = text(caption)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{named}">\n<table role="table"{_class(style)}>\n'
        f'<caption>{named}</caption>\n<thead role="rowgroup"><tr role="row">{top}</tr></thead>\n'
        f'<tbody role="rowgroup">\n{body}</tbody>\n</table>\n</div>\n'
    )


def _cells(row: Sequence[Cell], heads: Sequence[Head]) -> Iterable[str]:
    for cell, head in zip(row, heads, strict=True):
        classes = _class(" ".join(each for each in (head.kind, cell.style) if each))
        if cell.head:
            yield f'<th scope="row" role="rowheader"{classes}>{cell.inner}</th>'
        else:
            yield f'<td role="cell" data-head="{text(head.name)}"{classes}>{cell.inner}</td>'


def _class(names: str) -> str:
    return f' class="{text(names)}"' if names else ""


def document(title: str, parts: Iterable[str]) -> str:
    """A page. ``title``: text; the parts are HTML."""
    shown = text(title)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{shown}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{shown}</h1>\n"
        f"{''.join(parts)}</main>\n</body>\n</html>\n"
    )


def rows_read(rows: Iterable[tuple[str, int]]) -> str:
    """Of how much a page speaks."""
    cells = ([Cell(code(name), head=True), Cell(f"{count:,}")] for name, count in rows)
    return table("Rows of each table", (Head("table"), Head("rows", "n")), cells, "narrow")
