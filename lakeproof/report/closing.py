"""What a run prints at its end: tables, stories, what is not as expected, where the traces are, the verdict."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

from lakeproof.report.style import is_ascii, plural
from lakeproof.report.table import by_scenario, legend, matrix, summary, unexpected
from lakeproof.running.loading import Source
from lakeproof.running.outputs import TraceFiles
from lakeproof.running.tasks import Outcome, Verdict

ROWS_MAX: Final = 40
"""More scenarios than this are shown as a matrix of invariants and variants."""

STORIES_MAX: Final = 5
"""More stories than this are not told at once: those of what was not expected come first."""


def tables(
    outcomes: Sequence[Outcome],
    traces: Mapping[tuple[str, str], Path],
    source: Source,
    console: Console,
    *,
    full: bool,
) -> None:
    """The table, and the stories of what is violated."""
    ascii_only = is_ascii(console)
    if full or len(outcomes) <= ROWS_MAX:
        console.print(by_scenario(outcomes, console.width, ascii_only=ascii_only))
    else:
        for table in matrix(outcomes, console.width, ascii_only=ascii_only):
            console.print(table)
        console.print(legend(ascii_only=ascii_only), soft_wrap=True)
    _stories(outcomes, traces, source, console)


def _stories(
    outcomes: Sequence[Outcome], traces: Mapping[tuple[str, str], Path], source: Source, console: Console
) -> None:
    stories: dict[object, list[tuple[Verdict, Path]]] = {}
    for outcome in outcomes:
        for verdict in outcome.verdicts:
            if verdict.trace is not None:
                path = traces[outcome.scenario, verdict.invariant]
                stories.setdefault((outcome.scenario, verdict.trace.schedule), []).append((verdict, path))
    if not stories:
        return
    from lakeproof.report.story import story

    told = list(stories.values())
    if len(told) > STORIES_MAX:
        told = [pairs for pairs in told if any(verdict.unexpected for verdict, _ in pairs)]
    for pairs in told[:STORIES_MAX]:
        console.print()
        shared = [verdict.trace for verdict, _ in pairs if verdict.trace is not None]
        console.print(story(shared, [replay_command(path, source) for _, path in pairs]), soft_wrap=True)
    left = len(told) - STORIES_MAX
    if left > 0:
        console.print(
            f"\nand {plural(left, 'more story', 'more stories')}: `lakeproof replay TRACE` prints each of them"
        )


def replay_command(trace: Path, source: Source) -> str:
    """The line that replays a trace."""
    words = ["lakeproof", "replay", str(trace), *(["--from", str(source.file)] if source.file else [])]
    return shlex.join(words)


def close(outcomes: Sequence[Outcome], files: TraceFiles, elapsed_seconds: float, console: Console) -> None:
    """What is not as expected, in full; where the traces are; and last the verdict."""
    console.print()
    surprises = list(unexpected(outcomes, files.written))
    for line in surprises:
        console.print(line, soft_wrap=True)
    if surprises:
        console.print()
    collision = sum(outcome.collision for outcome in outcomes)
    if collision:
        console.print(f"a state was counted twice with a probability of at most {collision:.1e}")
    if files.written:
        console.print(Text(f"{plural(len(files.written), 'trace')} in {files.folder}"), soft_wrap=True)
    console.print(summary(outcomes, elapsed_seconds), soft_wrap=True)
