"""What `verify` writes and prints besides its tables: reports in files, and the expectations of a new design."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, UNUSABLE

if TYPE_CHECKING:
    from lakeproof.verify.loader import Source
    from lakeproof.verify.outputs import TraceFiles
    from lakeproof.verify.tasks import Outcome

Reports = Sequence[tuple[str, Path]]
"""Formats, and the file that each is written to."""


def check_reports(reports: Reports) -> None:
    """Say at the beginning of a long run what would fail at its end. Raises Unusable: a file cannot be written."""
    from lakeproof.verify.outputs import check_writable, unwritable

    for _, path in reports:
        check_writable(path.parent, "--report")
        if path.is_dir():
            raise unwritable(path, "it is a folder", "--report")


def write_reports(
    reports: Reports,
    outcomes: "Sequence[Outcome]",
    files: "TraceFiles",
    source: "Source",
    bounds: Mapping[str, object],
) -> None:
    """Write each report. Raises Unusable: it cannot be written."""
    if not reports:
        return
    from lakeproof.show.formats import render_verdicts
    from lakeproof.show.verdicts import lines
    from lakeproof.verify.outputs import unwritable

    for format_, path in reports:
        if format_ == "json":
            written = files.written
            traces = [{name: at for (of, name), at in written.items() if of == each.scenario} for each in outcomes]
            text = "".join(lines(each, found, bounds) for each, found in zip(outcomes, traces, strict=True))
        else:
            text = render_verdicts(format_, outcomes, files.written, source)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise unwritable(path, error.strerror or str(error), "--report") from error


def propose(outcomes: "Sequence[Outcome]") -> int:
    """Print the expectations that the outcomes speak for."""
    from lakeproof.show.proposal import proposal

    click.echo(proposal(outcomes))
    if any(found.trouble for found in outcomes):
        return UNUSABLE
    undecided = any(each.verdict == "inconclusive" and each.named for found in outcomes for each in found.verdicts)
    return INCONCLUSIVE if undecided else AS_EXPECTED
