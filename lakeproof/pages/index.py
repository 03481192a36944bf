"""The pages of a run: one for each violation, and an index of all verdicts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from lakeproof.pages.html import page
from lakeproof.pages.markup import document, text
from lakeproof.pages.what_if import of_scenario
from lakeproof.report.closing import replay_command
from lakeproof.report.formats.common import Written
from lakeproof.report.style import plural
from lakeproof.report.table import MARKS
from lakeproof.running.loading import Source
from lakeproof.running.outputs import unwritable
from lakeproof.running.tasks import Outcome, Verdict
from lakeproof.scenario import Scenario
from lakeproof.version import version

INDEX: Final = "index.html"


def write(
    outcomes: Sequence[Outcome], traces: Written, scenarios: Sequence[Scenario], source: Source, folder: Path
) -> None:
    """Write all pages. Those of an earlier run are overwritten, never removed. Runs the scenarios' code, fenced.

    Raises:
        Unusable: they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        by_name = {scenario.name: scenario for scenario in scenarios}
        for outcome in outcomes:
            for verdict in outcome.verdicts:
                if verdict.trace is not None:
                    path = traces[outcome.scenario, verdict.invariant]
                    others = of_scenario(verdict.trace, by_name[outcome.scenario], source)
                    shown = page(verdict.trace, replay_command(path, source), others)
                    (folder / page_name(path)).write_text(shown, encoding="utf-8")
        (folder / INDEX).write_text(index(outcomes, traces), encoding="utf-8")
    except OSError as error:
        raise unwritable(folder, error.strerror or str(error), "--html") from error


def page_name(trace: Path) -> str:
    """The name of the page of a trace: that of the trace, so that equal runs give equal names."""
    return f"{trace.stem}.html"


def index(outcomes: Sequence[Outcome], traces: Written) -> str:
    """The page with all verdicts: a row a scenario, what does not hold by name, with links. Cost: linear."""
    parts = [*_top(outcomes), *_filter(), *_table(outcomes, traces), "</main></div>"]
    return document("lakeproof: verdicts", "\n".join(parts), "index.js")


def _top(outcomes: Sequence[Outcome]) -> Iterator[str]:
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    counts = Counter(verdict.verdict for verdict in verdicts)
    surprises = sum(verdict.unexpected for verdict in verdicts)
    troubles = sum(bool(outcome.trouble) for outcome in outcomes)
    yield '<div class="page">\n<header class="top">'
    yield f'<p class="brand">lakeproof {text(version())} · verdicts</p>'
    yield f"<h1>{plural(len(outcomes), 'scenario')}, {plural(len(verdicts), 'verdict')}</h1>"
    yield '<ul class="counts">'
    for word in MARKS:
        yield f'<li><span class="is-{word}">{MARKS[word]} {counts[word]:,}</span> {word}</li>'
    yield "</ul>"
    if surprises or troubles:
        told = [f"{plural(surprises, 'verdict is', 'verdicts are')} not as expected"] if surprises else []
        told += [f"{plural(troubles, 'scenario')} could not be run"] if troubles else []
        yield f'<div class="evidence"><p><strong>{"; ".join(told)}</strong></p></div>'
    else:
        yield "<p>All as expected.</p>"
    yield "</header>\n<main>"


def _filter() -> Iterator[str]:
    yield '<div class="filter" id="filter" role="search" hidden>'
    yield '<label for="sought">Filter</label>'
    yield '<input type="search" id="sought" placeholder="scenario or invariant" autocomplete="off">'
    yield '<label><input type="checkbox" id="surprises"> only what is not as expected</label>'
    yield '<output id="shown" for="sought surprises"></output></div>'


def _table(outcomes: Sequence[Outcome], traces: Written) -> Iterator[str]:
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Verdicts"><table class="verdicts">'
    yield '<caption class="hidden">A row for each scenario, and what does not hold in it</caption>'
    yield '<thead><tr><th scope="col">scenario</th><th scope="col" class="count">states</th>'
    yield '<th scope="col" class="count">hold</th><th scope="col">not holding</th></tr></thead><tbody>'
    for outcome in outcomes:
        surprise = bool(outcome.trouble) or any(verdict.unexpected for verdict in outcome.verdicts)
        holds = sum(verdict.verdict == "holds" for verdict in outcome.verdicts)
        yield f'<tr class="outcome{" surprise" if surprise else ""}">'
        yield f'<th scope="row" class="mono">{text(outcome.scenario)}</th>'
        yield f'<td class="count">{outcome.states:,}</td><td class="count">{holds}</td><td><ul>'
        if outcome.trouble:
            yield f'<li class="is-violated">could not be run: {text(outcome.trouble)}</li>'
        for verdict in outcome.verdicts:
            if verdict.verdict != "holds" or verdict.unexpected:
                yield f"<li>{_verdict(outcome, verdict, traces)}</li>"
        yield "</ul></td></tr>"
    yield "</tbody></table></div>"


def _verdict(outcome: Outcome, verdict: Verdict, traces: Written) -> str:
    told = text(verdict.invariant)
    if verdict.trace is not None:
        name = page_name(traces[outcome.scenario, verdict.invariant])
        steps = plural(len(verdict.trace.schedule), "step")
        told = f'<a href="{text(name)}">{told}</a>, {steps}: {text(verdict.trace.evidence)}'
    elif verdict.why:
        told = f"{told}: {text(verdict.why)}"
    expected = f" <strong>(expected: {text(verdict.expected)})</strong>" if verdict.unexpected else ""
    return f'<span class="is-{verdict.verdict}">{MARKS[verdict.verdict]} {verdict.verdict}</span> {told}{expected}'
