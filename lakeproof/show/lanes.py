"""A counterexample as lanes: a column a client, a row a step, the key that is touched and how it changes."""

from collections.abc import Iterator, Mapping
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lakeproof.search.describe import printable
from lakeproof.search.execution import label
from lakeproof.search.faults import OF_CLIENTS, Mode
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.show.story import LOOP, beginning, content_of, intent_text, no_change, race_lines, verdict_lines
from lakeproof.show.style import client_style, is_ascii

FAULTS: Final[Mapping[Mode, str]] = {
    Mode.REFUSED: "refused",
    Mode.LOST_APPLIED: "applied, answer lost",
    Mode.LOST_DROPPED: "not applied, answer lost",
    Mode.REPEATED_APPLIED: "applied, answer lost, will be applied again",
    Mode.REPEATED_DROPPED: "answer lost, will be applied later",
    Mode.FALSE_PREDICATE: "applied, reported as predicate failed",
    Mode.SCAN_FAILURE: "breaks off",
    Mode.CRASH: "crashes",
    Mode.RESTART: "restarts",
    Mode.MESSAGE_LOST: "message lost",
    Mode.MESSAGE_DUPLICATED: "received, will be received again",
    Mode.MESSAGE_OVERTAKEN: "overtaken by the next message",
    Mode.WATCH_LOST: "watch lost",
    Mode.CUT_OFF: "will be applied later",
    Mode.DELIVER: "late write arrives",
    Mode.TICK: "clock",
    Mode.EXPIRE: "the time to live ends",
}
"""What goes wrong in a step, in a few words."""


def show(trace: Trace, console: Console, *, lines: bool = False) -> None:
    """Print a trace as lanes, as wide as the console; ``lines``: with the line of the flow beside each step."""
    console.print(Text("\n").join(beginning([trace])), soft_wrap=True)
    console.print()
    console.print(lanes(trace, ascii_only=is_ascii(console), lines=lines))
    for ended in trace.afterwards:
        console.print(Text(f"afterwards, alone: {printable(ended)}", "italic"), soft_wrap=True)
    console.print()
    for named in race_lines(trace):
        console.print(named)
    console.print(Text("\n").join(verdict_lines(trace)), soft_wrap=True)


def lanes(trace: Trace, *, ascii_only: bool = False, lines: bool = False) -> Table:
    """The lanes of a trace. A bar means that a call of the client is under way; ``2: get`` is an effect of its task
    2, where several are open."""
    table = Table(box=box.ASCII_DOUBLE_HEAD if ascii_only else box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column("step", justify="right", style="dim", no_wrap=True)
    for client in range(len(trace.clients)):
        style = client_style(client)
        table.add_column(Text(label(client), style), style=style, no_wrap=True, min_width=4)
    table.add_column("key", overflow="fold", ratio=2)
    table.add_column("what is read, or how it changes", overflow="fold", ratio=3)
    if lines:
        table.add_column("line", style="dim", overflow="fold")
    busy = busy_clients(trace)
    for number, step in enumerate(trace.schedule):
        bar = "|" if ascii_only else "│"
        cells = [
            _lane(step) if label(client) == step.client else Text(bar if busy[client][number] else "", "dim")
            for client in range(len(trace.clients))
        ]
        line = [printable(step.at)] if lines else []
        if number == trace.loop:
            table.add_row("", *("" for _ in trace.clients), "", Text(LOOP, "bold"), *([""] if lines else []))
        table.add_row(str(number + 1), *cells, printable(step.key), _what(step), *line)
    return table


def _lane(step: TraceStep) -> Text:
    if step.mode is Mode.DELIVER:
        return Text(f"({printable(step.effect)})", "yellow")
    if step.mode in OF_CLIENTS:
        return Text(step.mode.value, "bold red")
    effect = f"{step.task}: {step.effect}" if step.task else step.effect
    return Text(printable(effect), "" if step.mode is Mode.NORMAL else "yellow")


def busy_clients(trace: Trace) -> list[list[bool]]:
    """For each client and step, whether a call of the client is under way: begun before, not ended yet."""
    busy = []
    for client in range(len(trace.clients)):
        now, row = False, []
        for step in trace.schedule:
            row.append(now)
            # A late write is the store's doing: the call that sent it may be long over.
            if step.client == label(client) and step.mode is not Mode.DELIVER:
                now = not step.returned and step.mode not in OF_CLIENTS  # a crash ends the call, too
        busy.append(row)
    return busy


def _what(step: TraceStep) -> Text:
    lines = list(_lines(step))
    lines += [Text(f"=> {printable(ended)}", "italic") for ended in step.returned]
    return Text("\n").join(lines)


def _lines(step: TraceStep) -> Iterator[Text]:
    if step.mode is Mode.TICK:
        yield Text(f"the clock jumps by {printable(step.value)}", "yellow")
        return
    for change in step.changes:
        where = "" if change.key == step.key else f"{change.key} "  # a transaction changes several keys
        yield Text(printable(f"{where}{content_of(change.before)} -> {content_of(change.after)}"), "bold")
    if step.mode is Mode.MESSAGE_DUPLICATED:
        yield Text(printable(step.reply))
    if step.mode is not Mode.NORMAL:
        yield Text(FAULTS[step.mode], "yellow")
    # No fault, and yet no success: what was tried is shown with the refusal.
    elif step.reply != "ok":
        yield Text(printable(f"{intent_text(step)}: {step.reply}" if intent_text(step) else step.reply))
    elif not step.changes:
        yield Text(printable(no_change(step)), "dim")
