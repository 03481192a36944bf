"""Verdicts in the formats of other tools: JUnit XML, annotations of GitHub, SARIF, Markdown.

Each format says the same: a verdict that is not the expected one is a failure, so is an inconclusive one that was not
expected, and a scenario that could not be run is an error. None of them changes the exit code.
"""

from collections.abc import Sequence

from lakeproof.show.formats.common import Written
from lakeproof.show.formats.github import annotations
from lakeproof.show.formats.junit import junit_xml
from lakeproof.show.formats.markdown import render_markdown
from lakeproof.show.formats.sarif import sarif_log
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome


def render_verdicts(format_: str, outcomes: Sequence[Outcome], traces: Written, source: Source) -> str:
    """The verdicts of a run in a format: ``junit``, ``github``, ``sarif`` or ``markdown``. Ends with a line feed."""
    match format_:
        case "junit":
            return junit_xml(outcomes, traces, source)
        case "github":
            return annotations(outcomes, source)
        case "sarif":
            return sarif_log(outcomes, traces, source)
        case "markdown":
            return render_markdown(outcomes, traces, source)
    raise AssertionError(f"{format_}: no format of verdicts")
