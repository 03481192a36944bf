"""What came of a run of `stress` or `service`: lines, one JSON object, the files of a violation, a page.

A round that could not be judged may have violated anything: then no invariant holds, and only a violation that another
round shows is a verdict.

>>> report = Report(judged_ids=("read-is-legal", "commit-is-kept"))
>>> def after(*judged: Judged, unread: str = "") -> str:
...     report.add(Round(judged=list(judged), unread=unread))
...     return report.closing(seed=7)
>>> after(("read-is-legal", Reached("a read")))
'INCONCLUSIVE: not put to the test: commit-is-kept (seed 7)'
>>> after(("commit-is-kept", Reached("a commit")))
'HOLDS: 2 invariants (seed 7)'
>>> after(unread="the log cannot be read")
'INCONCLUSIVE: 1 of 3 rounds not judged (seed 7)'
>>> after(("read-is-legal", Violation("read-is-legal", "a read found nothing")))
'VIOLATED: read-is-legal (seed 7)'
>>> report.verdict("commit-is-kept")
'inconclusive'
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Final

import attrs
import click

from lakeproof.files import write_whole
from lakeproof.histories.evidence import HISTORIES
from lakeproof.impl.printable import printable
from lakeproof.live.recorder import Tally
from lakeproof.model.invariants import Finding, Reached, Violation
from lakeproof.show.pages.runs import HOW, of_answers
from lakeproof.show.pages.summary import write_summary
from lakeproof.verify.outputs import unwritable
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, plural, seconds

EVIDENCE_SHOWN_MAX: Final = 5
VERDICTS: Final = {AS_EXPECTED: "holds", VIOLATED: "violated", INCONCLUSIVE: "inconclusive"}
"""By exit code."""


@attrs.frozen
class Suppressed:
    """A violation that a known issue explains, and that is not reported."""

    cause: str
    evidence: str


@attrs.frozen
class NotJudged:
    """Why an invariant could not be judged in a round: then the round is inconclusive."""

    why: str


Judged = tuple[str, Finding | Suppressed | NotJudged]
"""An invariant's id, and what was found of it."""


@attrs.define(kw_only=True)
class Round:
    """One round of calls. unread: why it could not be judged at all. files: by name, the lines that show what it did;
    written if it violates something."""

    number: int = 0
    seconds: float = 0.0
    calls: int = 0
    judged: list[Judged] = attrs.field(factory=list)
    unread: str = ""
    files: Mapping[str, Iterable[str]] = attrs.field(factory=dict)

    @property
    def violations(self) -> list[Violation]:
        return [attrs.evolve(each, invariant=name) for name, each in self.judged if isinstance(each, Violation)]

    @property
    def open(self) -> str:
        """Why it does not show that all holds; empty: it does, or it shows a violation."""
        return self.unread or next((each.why for _, each in self.judged if isinstance(each, NotJudged)), "")


@attrs.define
class Report:
    """The sum of the rounds of a run."""

    judged_ids: tuple[str, ...] = ()
    """The ids of the invariants that are judged."""
    tally: Tally = attrs.field(factory=Tally)
    left: list[str] = attrs.field(factory=list)
    """What could not be removed."""
    rounds: int = 0
    seconds: float = 0.0
    reached: Counter[str] = attrs.field(factory=Counter)
    """How often each invariant was tested."""
    violations: list[Violation] = attrs.field(factory=list)
    unread: list[str] = attrs.field(factory=list)
    """For each round that could not be judged, why."""
    suppressed: Counter[str] = attrs.field(factory=Counter)
    """By known issue, how many names and paths it has explained."""
    causes: frozenset[str] = frozenset()
    """The known issues that are set aside."""
    files: Mapping[str, Iterable[str]] = attrs.field(factory=dict)
    """Those of the first round with a violation."""
    interrupted: Exception | None = None
    """What is raised in the end: Abort after Ctrl-C, Unusable where a run with a violation could not go on."""

    unit: ClassVar[str] = "call"
    left_kind: ClassVar[str] = "repository"
    operations: ClassVar[tuple[str, ...]] = ()
    """What is counted first."""

    def add(self, made: Round) -> None:
        """Take in a round."""
        self.rounds += 1
        self.seconds += max(made.seconds, 0.001)  # a round that took no time must not make a run endless
        for name, each in made.judged:
            if isinstance(each, Suppressed):
                self.suppressed[each.cause] += 1
            elif isinstance(each, Reached):
                self.reached[name] += 1
        # The files show one round. Of several, the first one is what a run without --keep-going would have written.
        if made.violations and not self.violations:
            self.files = made.files
        self.violations += made.violations
        # A round with a violation may be open as well: then no other invariant holds.
        if made.open:
            self.unread.append(made.open)

    @property
    def missing(self) -> list[str]:
        """Invariants that were never tested."""
        return [name for name in self.judged_ids if not self.reached[name]]

    @property
    def broken(self) -> list[str]:
        """The ids of the invariants that are violated, in order."""
        return sorted({violation.invariant for violation in self.violations})

    @property
    def code(self) -> int:
        """The exit code."""
        if self.violations:
            return VIOLATED  # a violation stands, whatever else is unknown
        return INCONCLUSIVE if self.open_questions() else AS_EXPECTED

    def open_questions(self) -> list[str]:
        """Why it is not known whether all holds."""
        found = [f"{len(self.unread):,} of {plural(self.rounds, 'round')} not judged"] if self.unread else []
        return [*found, f"not put to the test: {', '.join(self.missing)}"] if self.missing else found

    def verdict(self, name: str) -> str:
        """Of an invariant."""
        if name in self.broken:
            return "violated"
        # Without a single check the invariant would hold vacuously; a round that was not read may have violated it.
        return "holds" if self.reached[name] and not self.unread else "inconclusive"

    @property
    def _names(self) -> list[str]:
        """The invariants, and those that are violated without being among them: what no flow should meet."""
        return list(dict.fromkeys((*self.judged_ids, *self.broken)))

    def counts(self) -> dict[str, object]:
        """What --json prints of any run."""
        names = dict.fromkeys(name for name, _ in sorted(self.tally.answers))
        return {
            "verdict": VERDICTS[self.code],
            "rounds": self.rounds,
            "seconds": round(self.seconds, 3),
            "answers": {name: {how: self.tally.answers[name, how] for how in HOW} for name in names},
            "faults": dict(sorted(self.tally.faults.items())),
            "troubles": dict(self.tally.troubles.most_common()),
            "left": self.left,
        }

    def as_object(self) -> dict[str, object]:
        """What --json prints."""
        return {
            **self.counts(),
            "calls": self.tally.total,
            "invariants": [
                {
                    "invariant": name,
                    "verdict": self.verdict(name),
                    "checks": self.reached[name],
                    "evidence": [each.evidence for each in self.violations if each.invariant == name],
                }
                for name in self._names
            ],
            "unread": dict(Counter(self.unread).most_common()),
        }

    def lines(self) -> Iterator[str]:
        """What people read, but for the last line."""
        yield f"{plural(self.rounds, 'round')}, {seconds(self.seconds)} s, {plural(self.tally.total, self.unit)}"
        names = list(dict.fromkeys((*self.operations, *(name for name, _ in sorted(self.tally.answers)))))
        width = max([8, *(len(name) + 1 for name in names)])
        for name in names:
            ok, refused, unknown = (self.tally.answers[name, how] for how in HOW)
            if ok + refused + unknown:
                yield f"  {name:<{width}}{ok:>9,} ok{refused:>9,} refused{unknown:>7,} unknown"
        for fault, count in sorted(self.tally.faults.items()):
            yield f"  {fault}: {plural(count, 'time')}"
        for words, count in self.tally.troubles.most_common():
            yield f"  {plural(count, 'time')}: {words}"
        yield from self.findings()
        for name in self.left:
            yield f"  left behind: {self.left_kind} {name}"
        yield from self.evidence()

    def findings(self) -> Iterator[str]:
        """A line for each invariant, for each known issue, and for each reason why a round was not judged."""
        for name in self._names:
            verdict = "not put to the test" if name in self.missing and name not in self.broken else self.verdict(name)
            yield f"  {name:<30}{self.reached[name]:>7,} checks  {verdict}"
        for cause in sorted(self.causes):
            yield f"  set aside, {cause}: {plural(self.suppressed[cause], 'time')}"
        for words, count in Counter(self.unread).most_common():
            yield f"  {plural(count, 'round')} not judged: {words}"

    def evidence(self, most: int | None = EVIDENCE_SHOWN_MAX) -> Iterator[str]:
        """A line for each violation. most: so many of them; None: all."""
        for violation in self.violations[:most]:
            yield f"{violation.invariant}: {violation.evidence}"
        if most is not None and len(self.violations) > most:
            yield f"and {len(self.violations) - most:,} more"

    @property
    def what_holds(self) -> str:
        return plural(len(self.judged_ids), "invariant")

    @property
    def what_is_violated(self) -> str:
        return ", ".join(self.broken)

    def closing(self, seed: int) -> str:
        """The last line."""
        if self.violations:
            return f"VIOLATED: {self.what_is_violated} (seed {seed})"
        if open_ := self.open_questions():
            return f"INCONCLUSIVE: {'; '.join(open_)} (seed {seed})"
        return f"HOLDS: {self.what_holds} (seed {seed})"

    def evidence_files(self) -> Mapping[str, Iterable[str]]:
        """By name, the lines of the files that show a violation."""
        return {"evidence.txt": self.evidence(None), **self.files}

    def publish(
        self, kind: str, subject: str, heads: Mapping[str, object], out: Path, *, as_json: bool, html: Path | None
    ) -> int:
        """Write the files of a violation to a folder, and print the rest. heads: what --json prints first. Returns the
        exit code; raises what has ended the run."""
        if not as_json:
            for line in self.lines():
                click.echo(printable(line))
        unwritten, written = None, list[str]()
        if self.violations:
            try:
                written = _write(out, self.evidence_files())
            except OSError as error:
                unwritten = unwritable(out, error.strerror or str(error))
        found = {**heads, **self.as_object(), "written": written}
        if as_json:
            click.echo(json.dumps(found))
        else:
            for path in written:
                click.echo(f"written to {path}")
        closing = self.closing(int(str(heads["seed"])))
        if html is not None:
            try:
                write_summary(of_answers(kind, subject, found, closing, list(self.evidence())), html)
                click.echo(f"{html}: open it in a browser", err=as_json)  # stdout has one object alone
            except Unusable as error:
                unwritten = error
        click.echo(closing, err=as_json)
        # Only now: what cannot be written takes no verdict from the screen.
        if (ended := unwritten or self.interrupted) is not None:
            raise ended
        return self.code


def _write(folder: Path, files: Mapping[str, Iterable[str]]) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    # As many as there are violated keys: those of an earlier run would pass for this one's. All other names are fixed.
    for path in folder.glob(HISTORIES):
        path.unlink()
    for name, lines in files.items():
        write_whole(folder / name, "".join(f"{printable(line)}\n" for line in lines))
    return [str(folder / name) for name in files]
