"""Verdicts as SARIF 2.1.0, which code scanning of GitHub and editors read: a result for what is not as expected.

A counterexample is a thread flow: a location for each step, on the line of the flow that performs it.
Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", 3.27 and 3.36 to 3.38.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Final
from urllib.parse import quote

from lakeproof.impl.printable import printable
from lakeproof.search.trace import Trace
from lakeproof.show.formats.common import SourceLine, Written, place_at, place_of, surprises, verdict_line
from lakeproof.show.pages.trace_view import follow_trace
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.version import version

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(outcomes: Sequence[Outcome], traces: Written, source: Source) -> str:
    """All of the log. What is as expected has no result: an alert would stay open for ever. Each invariant of a
    scenario that could not be run has one."""
    troubles = [outcome for outcome in outcomes if outcome.trouble]
    # Code scanning shows no notification, and closes every alert without a result: what could not be run would pass.
    found = [*surprises(outcomes), *((outcome, verdict) for outcome in troubles for verdict in outcome.verdicts)]
    meanings = {
        verdict.invariant: verdict.trace.meaning
        for outcome in outcomes
        for verdict in outcome.verdicts
        if verdict.trace is not None
    }
    # Sorted, since `ruleIndex` refers to a position, and equal runs give equal logs.
    rules = sorted({verdict.invariant for _, verdict in found})
    run = {
        "tool": {
            "driver": {
                "name": "lakeproof",
                "version": version(),
                "rules": [
                    {"id": printable(rule), "shortDescription": {"text": printable(meanings.get(rule, rule))}}
                    for rule in rules
                ],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not troubles,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": printable(outcome.trouble)}} for outcome in troubles
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(outcome, verdict, rules, traces, source) for outcome, verdict in found],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _result(
    outcome: Outcome, verdict: Verdict, rules: Sequence[str], traces: Written, source: Source
) -> dict[str, object]:
    place = place_of(verdict.trace, source)
    result: dict[str, object] = {
        "ruleId": printable(verdict.invariant),
        "ruleIndex": rules.index(verdict.invariant),
        "level": "warning" if verdict.verdict == "inconclusive" and not outcome.trouble else "error",
        "message": {"text": verdict_line(outcome, verdict)},
        "locations": [] if place is None else [_location(place)],
        "partialFingerprints": {"scenarioAndInvariant/v1": _fingerprint(outcome, verdict)},
    }
    if verdict.trace is not None:
        if verdict.trace.schedule:  # a flow without a location makes the log invalid
            result["codeFlows"] = [{"threadFlows": [{"locations": _flow(verdict.trace, source)}]}]
        result["properties"] = {"trace": printable(str(traces[outcome.scenario, verdict.invariant]))}
    return result


def _fingerprint(outcome: Outcome, verdict: Verdict) -> str:
    """Of what is violated where, not of how: an alert stays the same while the code moves."""
    both = f"{outcome.scenario}\0{verdict.invariant}"
    return sha256(both.encode("utf-8", "backslashreplace")).hexdigest()


def _flow(trace: Trace, source: Source) -> list[object]:
    found: list[object] = []
    for each in follow_trace(trace):
        place = place_at(each.step.at, source)
        location = {} if place is None else _location(place)
        location["message"] = {"text": printable(f"{each.number}. {each.sentence}")}
        found.append({"location": location, "executionOrder": each.number})
    return found


def _location(place: SourceLine) -> dict[str, object]:
    # A uri-reference (RFC 3986): blanks and other characters must be percent-encoded.
    physical: dict[str, object] = {"artifactLocation": {"uri": quote(printable(place.file))}}
    if place.line:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}
