"""Verdicts as Markdown: the summary of a job, or a comment. Counterexamples are folded, each with a diagram."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from lakeproof.impl.printable import printable
from lakeproof.show.formats.common import Written, surprises
from lakeproof.show.pages.mermaid import diagram
from lakeproof.show.story import story
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.words import plural, replay_command

SIGNS: Final = {"holds": "✅", "violated": "❌", "inconclusive": "❔"}
STORIES_MAX: Final = 20
"""So many counterexamples are in full: a summary of GitHub has at most a mebibyte."""

# Also $, between which GitHub sets mathematics, and |, which would end a cell.
_MARKED: Final = re.compile(r"([\\`*_{}\[\]()#|~$])")


def render_markdown(outcomes: Sequence[Outcome], traces: Written, source: Source) -> str:
    """All of the page: the counts, a row for each verdict that is not as expected, and its counterexample."""
    return "\n".join(_lines(outcomes, traces, source)) + "\n"


def _lines(outcomes: Sequence[Outcome], traces: Written, source: Source) -> Iterator[str]:
    counts = Counter(verdict.verdict for outcome in outcomes for verdict in outcome.verdicts)
    found = list(surprises(outcomes))
    troubles = [outcome for outcome in outcomes if outcome.trouble]
    yield f"## lakeproof: {'not as expected' if found or troubles else 'all as expected'}"
    yield ""
    verdicts = ", ".join(f"{SIGNS[word]} {counts[word]:,} {word}" for word in SIGNS if counts[word])
    yield f"{plural(len(outcomes), 'scenario')}: {verdicts or 'no verdicts'}"
    for outcome in troubles:
        yield ""
        yield f"**Could not be run**: {escape_text(outcome.trouble)}"
    if not found:
        return
    yield ""
    yield "| scenario | invariant | verdict | expected | evidence |"
    yield "| --- | --- | --- | --- | --- |"
    for outcome, verdict in found:
        evidence = verdict.trace.evidence if verdict.trace else verdict.why
        cells = [outcome.scenario, verdict.invariant, verdict.verdict, verdict.expected, evidence]
        yield f"| {' | '.join(map(escape_text, cells))} |"
    shown = [(outcome, verdict) for outcome, verdict in found if verdict.trace is not None]
    for outcome, verdict in shown[:STORIES_MAX]:
        yield from _story(outcome, verdict, traces, source)
    if len(shown) > STORIES_MAX:
        yield ""
        yield f"And {plural(len(shown) - STORIES_MAX, 'more counterexample')}."


def _story(outcome: Outcome, verdict: Verdict, traces: Written, source: Source) -> Iterator[str]:
    assert verdict.trace is not None
    command = replay_command(traces[outcome.scenario, verdict.invariant], source.file)
    yield ""
    title = escape(printable(f"{verdict.invariant} in {outcome.scenario}"))
    # A block of HTML ends at a blank line (CommonMark, 4.6): without the one below, the fence would be plain text.
    yield f"<details><summary>{title}, {plural(len(verdict.trace.schedule), 'step')}</summary>"
    yield ""
    yield from _fence_lines("text", story([verdict.trace], [command]).plain)
    yield ""
    yield from _fence_lines("mermaid", diagram(verdict.trace))
    yield ""
    yield "</details>"


def _fence_lines(language: str, content: str) -> Iterator[str]:
    """A block that its content cannot end: its fence is longer than any run of backticks inside."""
    content = printable(content, "\n")  # the command in a story may name a file in bytes that are no text
    longest = max(map(len, re.findall("`+", content)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield content.rstrip("\n")
    yield fence


def escape_text(content: str) -> str:
    """Text on one line, as it is, whatever Markdown, HTML or mention it resembles."""
    # An @ would notify the user of that name. It is replaced last, as a backslash before the # would spoil the
    # reference.
    return _MARKED.sub(r"\\\1", escape(printable(content), quote=False)).replace("@", "&#64;")
