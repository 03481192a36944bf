"""Verdicts as JUnit XML, which continuous integration shows as tests: a suite a scenario, a case an invariant.

Source: the schema of Apache Ant's JUnit task, as Jenkins and GitLab read it.
"""

from collections.abc import Iterator, Sequence
from itertools import chain
from xml.sax.saxutils import escape, quoteattr

from lakeproof.impl.printable import printable
from lakeproof.show.formats.common import Written, verdict_line
from lakeproof.show.story import story
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.words import replay_command


def junit_xml(outcomes: Sequence[Outcome], traces: Written, source: Source) -> str:
    """All of the file. A violation that is expected passes, with its story as output; what is inconclusive, as
    expected, is skipped; all cases of a scenario that could not be run are errors."""
    suites = [list(_cases(outcome, traces, source)) for outcome in outcomes]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<testsuites name="lakeproof" {_counts(list(chain(*suites)))}>']
    for outcome, cases in zip(outcomes, suites, strict=True):
        seconds = f'time="{outcome.seconds:.3f}"'
        lines.append(f" <testsuite name={_attribute(outcome.scenario)} {_counts(cases)} {seconds}>")
        lines += [f"  {case}" for case in cases]
        lines.append(" </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _counts(cases: Sequence[str]) -> str:
    # Text of scenarios is escaped in the cases, so that `<failure ` can only be an element of ours.
    failures, errors, skipped = (sum(f"<{kind} " in case for case in cases) for kind in ("failure", "error", "skipped"))
    return f'tests="{len(cases)}" failures="{failures}" errors="{errors}" skipped="{skipped}"'


def _cases(outcome: Outcome, traces: Written, source: Source) -> Iterator[str]:
    if outcome.trouble:
        # A suite without any case would pass unnoticed.
        for name in [verdict.invariant for verdict in outcome.verdicts] or ["runs"]:
            problem = f"<error {_because(outcome.trouble, 'unusable')}>{_text(outcome.details)}</error>"
            yield _case(outcome, name, problem)
        return
    for verdict in outcome.verdicts:
        yield _case(outcome, verdict.invariant, _result(outcome, verdict, traces, source))


def _case(outcome: Outcome, name: str, result: str) -> str:
    head = f"testcase classname={_attribute(outcome.scenario)} name={_attribute(name)}"
    return f"<{head}>{result}</testcase>" if result else f"<{head}/>"


def _result(outcome: Outcome, verdict: Verdict, traces: Written, source: Source) -> str:
    shown = ""
    if verdict.trace is not None:
        path = traces[outcome.scenario, verdict.invariant]
        shown = story([verdict.trace], [replay_command(path, source.file)]).plain
    because = _because(verdict_line(outcome, verdict), verdict.verdict)
    if verdict.unexpected:
        return f"<failure {because}>{_text(shown)}</failure>"
    if verdict.verdict == "inconclusive":
        return f"<skipped {because}/>"  # expected, but no test that has passed
    return f"<system-out>{_text(shown)}</system-out>" if shown else ""


def _because(message: str, kind: str) -> str:
    return f"message={_attribute(message)} type={_attribute(kind)}"


def _attribute(content: str) -> str:
    return quoteattr(printable(content))


def _text(content: str) -> str:
    """Text of several lines. XML has no place for control characters, not even escaped."""
    return escape(printable(content, "\n"))
