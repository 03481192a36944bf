"""The other moves of a step, folded under it."""

from lakeproof.pages.markup import text
from lakeproof.pages.what_if import Others
from lakeproof.report.style import plural


def instead(others: Others, number: int) -> str:
    """What was possible instead of a step, as a list that opens; empty if that is not known. 1 is the first step."""
    if number > len(others.steps):
        return ""
    options = others.steps[number - 1]
    if not options:
        return '<p class="saw">nothing else was possible</p>'
    items = []
    for option in options:
        told = text(option.sentence)
        told += "".join(f' <span class="ended">⇒ {text(ended)}</span>' for ended in option.step.returned)
        told += "".join(
            f' <span class="broken">✗ would violate {text(name)}: {text(evidence)}</span>'
            for name, evidence in option.violated
        )
        items.append(f"<li>{told}</li>")
    count = plural(len(options), "other move")
    return f'<details class="instead"><summary>{count}</summary><ul>{"".join(items)}</ul></details>'
