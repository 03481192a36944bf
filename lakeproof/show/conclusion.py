"""What a run prints at its end: the verdict; what is not as expected, with its stories; a table; the verdict again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from lakeproof.search.faults import BUDGETS
from lakeproof.show.style import is_ascii
from lakeproof.show.table import by_design, by_scenario, headline, legend, matrix, summary, unexpected_verdicts
from lakeproof.verify.loader import Source
from lakeproof.verify.outputs import TraceFiles
from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.words import plural, program, replay_command

ROWS_MAX: Final = 40
"""More scenarios than this are shown by variant."""

STORIES_MAX: Final = 5
"""No more stories than this are printed. If there are more, what was expected has none."""


def show(
    outcomes: Sequence[Outcome],
    traces: Mapping[tuple[str, str], Path],
    source: Source,
    console: Console,
    table: str | None,
) -> None:
    """The answer first, then what surprises, then a table: designs, matrix or scenarios; None: what suits."""
    stories = _stories(outcomes)
    surprising = [pairs for pairs in stories if any(verdict.unexpected for _, verdict in pairs)]
    console.print(headline(outcomes), soft_wrap=True)
    _surprises(outcomes, traces, console)
    _print_stories(surprising, traces, source, console)
    _print_table(outcomes, console, table or ("scenarios" if len(outcomes) <= ROWS_MAX else "designs"))
    # Expected violations come after the table: they are of interest only if there are few.
    if len(stories) <= STORIES_MAX:
        _print_stories([pairs for pairs in stories if pairs not in surprising], traces, source, console)
    console.print()


def _print_table(outcomes: Sequence[Outcome], console: Console, table: str) -> None:
    ascii_only = is_ascii(console)
    if table == "scenarios":
        console.print(by_scenario(outcomes, console.width, ascii_only=ascii_only))
        return
    if table == "designs":
        for line in by_design(outcomes, console.width):
            console.print(line, soft_wrap=True)
        return
    for each in matrix(outcomes, console.width, ascii_only=ascii_only):
        console.print(each)
    console.print(legend(ascii_only=ascii_only), soft_wrap=True)


Story = list[tuple[Outcome, Verdict]]
"""The verdicts that one schedule of one scenario violates."""


def _stories(outcomes: Sequence[Outcome]) -> list[Story]:
    stories: dict[object, Story] = {}
    for outcome in outcomes:
        for verdict in outcome.verdicts:
            if verdict.trace is not None:
                # One schedule may violate several invariants: its story is printed once, with all of them.
                stories.setdefault((outcome.scenario, verdict.trace.schedule), []).append((outcome, verdict))
    return list(stories.values())


def _print_stories(
    stories: Sequence[Story], traces: Mapping[tuple[str, str], Path], source: Source, console: Console
) -> None:
    if not stories:
        return
    # Loaded only for a violation, for the import takes time.
    from lakeproof.show.story import story

    for pairs in stories[:STORIES_MAX]:
        console.print()
        paths = [traces[outcome.scenario, verdict.invariant] for outcome, verdict in pairs]
        shared = [verdict.trace for _, verdict in pairs if verdict.trace is not None]
        console.print(story(shared, [replay_command(path, source.file, program()) for path in paths]), soft_wrap=True)
    left = len(stories) - STORIES_MAX
    if left > 0:
        more = plural(left, "more story", "more stories")
        console.print(f"\nand {more}: `{program()} replay TRACE` prints each of them", soft_wrap=True)


def _surprises(outcomes: Sequence[Outcome], traces: Mapping[tuple[str, str], Path], console: Console) -> None:
    """Every verdict that is not as expected, in full."""
    lines = list(unexpected_verdicts(outcomes, traces))
    for line in [Text(), *lines] if lines else []:
        console.print(line, soft_wrap=True)


def close(outcomes: Sequence[Outcome], files: TraceFiles, elapsed_seconds: float, console: Console) -> None:
    """Faults that cannot happen, where the traces are, and last the verdict."""
    for kind in BUDGETS:
        names = [outcome.scenario for outcome in outcomes if kind in outcome.unspent]
        if names:
            more = f" and {plural(len(names) - 1, 'more scenario')}" if names[1:] else ""
            console.print(Text(f"no schedule spends the {kind} of {names[0]}{more}"), soft_wrap=True)
    # States are compared by hashes. The probabilities of a collision add up (union bound).
    collision = sum(outcome.collision for outcome in outcomes)
    if collision:
        console.print(f"a state was counted twice with a probability of at most {collision:.1e}")
    if files.written:
        console.print(Text(f"{plural(len(files.written), 'trace')} in {files.folder}"), soft_wrap=True)
    console.print(summary(outcomes, elapsed_seconds), soft_wrap=True)


def close_quietly(outcomes: Sequence[Outcome], files: TraceFiles, elapsed_seconds: float, console: Console) -> None:
    """The same beside verdicts for programs, which are on stdout: with what is not as expected."""
    _surprises(outcomes, files.written, console)
    close(outcomes, files, elapsed_seconds, console)
