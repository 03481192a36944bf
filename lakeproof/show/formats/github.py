"""Verdicts as annotations of GitHub Actions: workflow commands, one line each.

Source: "Workflow commands for GitHub Actions", setting an error message. Percent signs are escaped as the runner's own
toolkit does it, in properties colons and commas, too, and line ends do not occur: no text of a scenario is a command.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from lakeproof.impl.printable import printable
from lakeproof.show.formats.common import SourceLine, place_of, surprises, verdict_line
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome
from lakeproof.words import plural


def annotations(outcomes: Sequence[Outcome], source: Source) -> str:
    """An error for each verdict that is not as expected, on the line of the flow, and a notice with the counts."""
    return "".join(f"{line}\n" for line in _lines(outcomes, source))


def _lines(outcomes: Sequence[Outcome], source: Source) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.trouble:
            yield _command("error", "could not be run", outcome.trouble, place_of(None, source))
    for outcome, verdict in surprises(outcomes):
        title = f"{verdict.invariant} is {verdict.verdict}"
        yield _command("error", title, verdict_line(outcome, verdict), place_of(verdict.trace, source))
    counts = Counter(verdict.verdict for outcome in outcomes for verdict in outcome.verdicts)
    verdicts = ", ".join(f"{counts[word]:,} {word}" for word in ("holds", "violated", "inconclusive") if counts[word])
    yield _command("notice", "lakeproof", f"{plural(len(outcomes), 'scenario')}: {verdicts or 'no verdicts'}", None)


def _command(kind: str, title: str, message: str, place: SourceLine | None) -> str:
    properties = {"title": title}
    if place is not None:
        properties = {"file": place.file, **({"line": str(place.line)} if place.line else {}), **properties}
    shown = ",".join(f"{name}={_property(content)}" for name, content in properties.items())
    return f"::{kind} {shown}::{_message(message)}"


def _message(content: str) -> str:
    return printable(content).replace("%", "%25")


def _property(content: str) -> str:
    # The percent sign was escaped first, else these escapes would be escaped again.
    return _message(content).replace(":", "%3A").replace(",", "%2C")
