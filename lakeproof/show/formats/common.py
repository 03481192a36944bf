"""What the formats have in common: the line about a verdict, and where in the code it belongs."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from lakeproof.impl.printable import printable
from lakeproof.search.trace import Trace
from lakeproof.verify.loader import Source, users_files
from lakeproof.verify.tasks import Outcome, Verdict

Written = Mapping[tuple[str, str], Path]
"""Where the trace of each violation was written, by scenario and invariant."""


@attrs.frozen
class SourceLine:
    """A line of a file; line 0: the file as a whole."""

    file: str
    line: int = 0


def verdict_line(outcome: Outcome, verdict: Verdict) -> str:
    """One line: which invariant of which scenario, the verdict, what was expected, and why or with what evidence."""
    line = f"{outcome.scenario}: {verdict.invariant} is {verdict.verdict}"
    if verdict.unexpected:
        line += f", expected {verdict.expected}"
    details = verdict.trace.evidence if verdict.trace else verdict.why
    return printable(f"{line}: {details}" if details else line)


def place_of(trace: Trace | None, source: Source) -> SourceLine | None:
    """The line of the last step of a counterexample that has one; else the scenario's file; None: the catalogue."""
    # The last step is the one that violates; a tick of the clock or a late write has no line.
    for step in reversed(trace.schedule if trace else ()):
        place = place_at(step.at, source)
        if place is not None:
            return place
    return None if source.file is None else SourceLine(str(source.file))


def place_at(at: str, source: Source) -> SourceLine | None:
    """What a step says of its line, ``FILE:LINE``; None where it says nothing. Steps have the names of the user's file
    and of those that it imports, and annotations need paths."""
    file, _, line = at.rpartition(":")  # from the right: a path may have colons
    if not (file and line.isascii() and line.isdigit()):
        return None
    if source.file is not None:
        paths = [source.file] if file == source.file.name else [each for each in users_files() if each.name == file]
        if len(paths) == 1:  # else two modules of one name
            file = Path(os.path.relpath(paths[0])).as_posix()
    return SourceLine(file, int(line))


def surprises(outcomes: Sequence[Outcome]) -> Iterator[tuple[Outcome, Verdict]]:
    """What is not as expected, but for scenarios that could not be run: those have a word of their own."""
    for outcome in outcomes:
        if not outcome.trouble:
            yield from ((outcome, verdict) for verdict in outcome.verdicts if verdict.unexpected)
