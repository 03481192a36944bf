"""What a run on a store or a service leaves: lines, one JSON object, the files of a violation, a page."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
import click

from lakeproof.model.invariants import Violation
from lakeproof.show.pages.runs import of_answers
from lakeproof.show.pages.summary import write_summary

EVIDENCE_SHOWN_MAX: Final = 5


@attrs.frozen(kw_only=True)
class Report:
    """told: lines for people. found: what --json prints. files: by name, lines; none without a violation. closing: the
    last line. evidence: that of the page."""

    kind: str
    subject: str
    told: Iterable[str]
    found: Mapping[str, object]
    files: Mapping[str, Iterable[str]]
    closing: str
    evidence: Sequence[str] = ()

    def give(self, out: Path, *, as_json: bool, html: Path | None = None) -> None:
        """Write the files to a folder, and print the rest."""
        if not as_json:
            for line in self.told:
                click.echo(line)
        written = _written(out, self.files) if self.files else []
        found = {**self.found, "written": written}
        if as_json:
            click.echo(json.dumps(found))
        else:
            for path in written:
                click.echo(f"written to {path}")
        if html is not None:
            write_summary(of_answers(self.kind, self.subject, found, self.closing, self.evidence), html)
            click.echo(f"{html}: open it in a browser", err=as_json)
        click.echo(self.closing, err=as_json)


def _written(folder: Path, files: Mapping[str, Iterable[str]]) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [str(folder / name) for name in files]


def evidence(violations: Sequence[Violation], most: int | None = EVIDENCE_SHOWN_MAX) -> Iterator[str]:
    """A line for each violation. most: so many of them; None: all."""
    for violation in violations[:most]:
        yield f"{violation.invariant}: {violation.evidence}"
    if most is not None and len(violations) > most:
        yield f"and {len(violations) - most:,} more"
