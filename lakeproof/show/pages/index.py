"""The pages of a run: one for each violation that was not expected, or for all, and an index of all verdicts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from lakeproof.files import write_whole
from lakeproof.scenario import Scenario
from lakeproof.show.formats.common import Written
from lakeproof.show.pages.alternatives import of_scenario
from lakeproof.show.pages.html import page
from lakeproof.show.pages.markup import document, text
from lakeproof.show.table import MARKS, headline, variant
from lakeproof.verify.loader import Source
from lakeproof.verify.outputs import unwritable
from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.version import version
from lakeproof.words import plural, replay_command

INDEX: Final = "index.html"


def write(
    outcomes: Sequence[Outcome],
    traces: Written,
    scenarios: Sequence[Scenario],
    source: Source,
    folder: Path,
    *,
    everything: bool,
) -> None:
    """Write the index, and pages of surprises or of every violation. Those of an earlier run are overwritten, never
    removed. Runs the scenarios' code, fenced. Cost: some 40 kB a page.

    Raises:
        Unusable: they cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        by_name = {scenario.name: scenario for scenario in scenarios}
        for outcome in outcomes:
            for verdict in outcome.verdicts:
                if verdict.trace is not None and (everything or verdict.unexpected):
                    path = traces[outcome.scenario, verdict.invariant]
                    # The costly part: it executes the scenario's code again, which may fail now. The page then has a
                    # reason in their place.
                    others = of_scenario(verdict.trace, by_name[outcome.scenario], source)
                    shown = page(verdict.trace, replay_command(path, source.file), others)
                    write_whole(folder / page_name(path), shown)
        write_whole(folder / INDEX, index(outcomes, traces, everything=everything))
    except OSError as error:
        raise unwritable(folder, error.strerror or str(error), "--html") from error


def page_name(trace: Path) -> str:
    """The name of the page of a trace: that of the trace, so that equal runs give equal names."""
    return f"{trace.stem}.html"


def index(outcomes: Sequence[Outcome], traces: Written, *, everything: bool) -> str:
    """The page with all verdicts: by variant, a row a scenario, what does not hold by name, with links. Variants whose
    verdicts are all expected are folded. Cost: linear."""
    parts = [*_top(outcomes), *_filter()]
    for name in dict.fromkeys(variant(outcome.scenario) for outcome in outcomes):
        parts += _variant(name, [each for each in outcomes if variant(each.scenario) == name], traces, everything)
    return document("lakeproof: verdicts", "\n".join([*parts, "</main></div>"]), "index.js")


def _top(outcomes: Sequence[Outcome]) -> Iterator[str]:
    counts = Counter(verdict.verdict for outcome in outcomes for verdict in outcome.verdicts)
    troubles = sum(bool(outcome.trouble) for outcome in outcomes)
    yield '<div class="page">\n<header class="top">'
    yield f'<p class="brand">lakeproof {text(version())} · verdicts</p>'
    yield f"<h1>{text(headline(outcomes).plain)}</h1>"
    yield '<ul class="counts">'
    for word in MARKS:
        yield f"<li>{MARKS[word]} {counts[word]:,} {'hold' if word == 'holds' else word}</li>"
    yield "</ul>"
    if troubles:
        troubles_text = f"{plural(troubles, 'scenario')} could not be run"
        yield f'<div class="evidence"><p><strong>{troubles_text}</strong></p></div>'
    yield "</header>\n<main>"


def _is_surprise(outcome: Outcome) -> bool:
    return bool(outcome.trouble) or any(verdict.unexpected for verdict in outcome.verdicts)


def _filter() -> Iterator[str]:
    yield '<div class="filter" id="filter" role="search" hidden>'
    yield '<label for="sought">Filter</label>'
    yield '<input type="search" id="sought" placeholder="scenario or invariant" autocomplete="off">'
    yield '<label><input type="checkbox" id="surprises"> only what is not as expected</label>'
    yield '<output id="shown" for="sought surprises"></output></div>'


def _variant(name: str, outcomes: Sequence[Outcome], traces: Written, everything: bool) -> Iterator[str]:
    surprises = sum(map(_is_surprise, outcomes))
    summary = (
        f"{surprises:,} of {plural(len(outcomes), 'scenario')} not as expected"
        if surprises
        else (f"{plural(len(outcomes), 'scenario')}, all as expected")
    )
    yield f'<details class="variant"{" open" if surprises or len(outcomes) == 1 else ""}>'
    yield f'<summary><span class="mono">{text(name or "scenarios")}</span>: {summary}</summary>'
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="Verdicts of {text(name or "scenarios")}">'
    yield '<table class="verdicts">'
    yield '<thead><tr><th scope="col">scenario</th><th scope="col" class="count">states</th>'
    yield '<th scope="col" class="count">hold</th><th scope="col">not holding</th></tr></thead><tbody>'
    for outcome in outcomes:
        holds = sum(verdict.verdict == "holds" for verdict in outcome.verdicts)
        yield f'<tr class="outcome{" surprise" if _is_surprise(outcome) else ""}">'
        yield f'<th scope="row" class="mono">{text(outcome.scenario)}</th>'
        yield f'<td class="count">{outcome.states:,}</td><td class="count">{holds}</td><td><ul>'
        if outcome.trouble:
            yield f'<li class="is-violated">could not be run: {text(outcome.trouble)}</li>'
        for verdict in outcome.verdicts:
            # What holds although it should not is as surprising as a violation.
            if verdict.verdict != "holds" or verdict.unexpected:
                linked = everything or verdict.unexpected  # only these have pages
                yield f"<li>{_verdict(outcome, verdict, traces, linked=linked)}</li>"
        yield "</ul></td></tr>"
    yield "</tbody></table></div></details>"


def _verdict(outcome: Outcome, verdict: Verdict, traces: Written, *, linked: bool) -> str:
    line = text(verdict.invariant)
    if verdict.trace is not None:
        name = page_name(traces[outcome.scenario, verdict.invariant])
        steps = plural(len(verdict.trace.schedule), "step")
        shown = f'<a href="{text(name)}">{line}</a>' if linked else line
        line = f"{shown}, {steps}: {text(verdict.trace.evidence)}"
    elif verdict.why:
        line = f"{line}: {text(verdict.why)}"
    word = f"{MARKS[verdict.verdict]} {verdict.verdict}"
    if not verdict.unexpected:  # no alarm
        return f"{word} {line}"
    expected = f"<strong>(expected: {text(verdict.expected)})</strong>"
    return f'<span class="is-{verdict.verdict}">{word}</span> {line} {expected}'
