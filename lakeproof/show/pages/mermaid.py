"""A counterexample as a Mermaid sequence diagram, as GitHub draws it in a Markdown block.

Source: https://mermaid.js.org/syntax/sequenceDiagram.html, "Entity codes to escape characters" and "Notes".
"""

from collections.abc import Iterator
from typing import Final

from lakeproof.search.describe import printable
from lakeproof.search.execution import label
from lakeproof.search.faults import OF_CLIENTS, Mode
from lakeproof.search.trace import Trace
from lakeproof.show.pages.trace_view import Followed, follow_trace
from lakeproof.show.story import content_of, intent_text

_SPECIAL: Final = frozenset('#;%<>{}"&\\`$|')
"""What Mermaid, or the HTML that it makes, might read as something else than text."""


def diagram(trace: Trace) -> str:
    """The diagram, without the fence of a Markdown block. Cost: linear in the trace."""
    lines = ["sequenceDiagram"]
    for client, program in enumerate(trace.programs):
        lines.append(f"    participant {label(client)} as {label(client)}: {words(program)}")
    lines.append("    participant store")
    lines += [f"    Note over store: at first, {words(key)}: {words(content)}" for key, content in trace.initially]
    for each in follow_trace(trace):
        lines += ["    loop for ever"] if each.number - 1 == trace.loop else []
        lines += [f"    {line}" for line in _step(each)]
    lines += [] if trace.loop is None else ["    end"]
    last = label(max(0, len(trace.clients) - 1))
    over = f"{label(0)},store" if trace.clients else "store"
    lines += [f"    Note over {last}: afterwards, {words(ended)}" for ended in trace.afterwards]
    lines.append(f"    Note over {over}: violated: {words(trace.invariant)}<br/>{words(trace.evidence)}")
    return "\n".join(lines) + "\n"


def words(content: str) -> str:
    """Text that Mermaid shows as it is. An empty text is a blank: a message must not be empty."""
    # Mermaid writes character references with # in place of &#; a bare semicolon would end the statement.
    shown = "".join(f"#{ord(one)};" if one in _SPECIAL else one for one in printable(content))
    return shown or "#8203;"


def _step(each: Followed) -> Iterator[str]:
    step = each.step
    if each.lane is None:
        yield f"Note over store: {each.number}. {words(each.sentence)}"
        return
    client = label(each.lane)
    if step.mode in OF_CLIENTS:
        yield f"Note over {client}: {each.number}. {each.fault}"
        return
    if step.mode is Mode.DELIVER:
        # An open arrow, as nothing waits for the answer.
        yield f"{client}-)store: {each.number}. late {words(step.effect)} {words(step.key)}"
    else:
        effect = " ".join(part for part in (f"{step.task}:" if step.task else "", step.effect, step.key) if part)
        yield f"{client}->>store: {each.number}. {words(' = '.join(filter(None, (effect, intent_text(step)))))}"
    for change in step.changes:
        before, after = (words(content_of(content)) for content in (change.before, change.after))
        yield f"Note right of store: {words(change.key)}: {before} → {after}"
    if step.mode is Mode.NORMAL:
        yield f"store-->>{client}: {words(step.reply)}"
    elif step.mode is not Mode.DELIVER:
        # A cross at the end: the answer does not arrive, or is not what happened.
        yield f"store--x{client}: {words(each.fault)}"
    for ended in step.returned:
        yield f"Note over {client}: {words(ended)}"
