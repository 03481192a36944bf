"""A counterexample as lanes: a column a client, a row a step, and what it changed."""

from rich import box
from rich.table import Table
from rich.text import Text

from lakeproof.explore.execution import label
from lakeproof.explore.faults import Mode
from lakeproof.explore.trace import Execution, Trace
from lakeproof.explore.world import Step
from lakeproof.report import words
from lakeproof.scenario import Scenario


def lanes(trace: Trace, scenario: Scenario, execution: Execution) -> Table:
    """The interleaving. Faults stand out; the last column tells which key changed, and how."""
    table = Table(box=box.SIMPLE_HEAD, title=f"{trace.scenario}: {trace.invariant}", title_justify="left")
    table.add_column("", justify="right", style="dim")
    clients = sorted({step.move.client for step in execution.steps if step.move.client >= 0})
    for client in clients:
        names = ", ".join(call.name for call in scenario.clients[client])
        table.add_column(f"{label(client)}: {names}", overflow="fold")
    table.add_column("what changed", overflow="fold")
    for number, step in enumerate(execution.steps, 1):
        cells = [_cell(step) if step.move.client == client else Text() for client in clients]
        changed = "\n".join(words.change(step))
        if step.move.client < 0:
            changed = f"({words.who(step)}) " + (changed or words.reply(step))
        table.add_row(str(number), *cells, Text(changed))
    table.caption = f"evidence: {trace.evidence}"
    table.caption_justify = "left"
    return table


def _cell(step: Step) -> Text:
    normal = step.move.mode is Mode.NORMAL
    text = Text(", ".join(part for part in (words.effect(step.op), words.reply(step)) if part))
    if not normal:
        text.stylize("bold red")
    ended = words.outcome(step)
    if ended:
        text.append(f"\n{ended}", style="bold")
    return text
