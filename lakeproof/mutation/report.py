"""What is printed of judged mutants: Markdown, a row for each file, and a line for each mutant that was not killed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.mutation.campaign import UNREACHED, JudgedMutant
from lakeproof.mutation.equivalent import key_of
from lakeproof.mutation.results import describe_mutant
from lakeproof.mutation.work import KILLED, KINDS, SURVIVED, TIMED_OUT, UNUSABLE
from lakeproof.words import plural

HEAD: Final = "| file | mutants | killed | survived | timed out | equivalent | unusable | unreached | score |"


@attrs.frozen(kw_only=True)
class Score:
    """The counts of some mutants. Equivalent ones count as nothing else; unusable and unreached ones have no score."""

    killed: int
    survived: int
    timed_out: int
    equivalent: int
    unusable: int
    unreached: int

    @classmethod
    def of(cls, judged: Sequence[JudgedMutant]) -> "Score":
        def count(fate: str) -> int:
            # An equivalent mutant that was killed counts as killed: its row in the table is wrong.
            return sum(each.verdict.fate == fate and not (each.equivalent and fate != KILLED) for each in judged)

        return cls(
            killed=count(KILLED),
            survived=count(SURVIVED),
            timed_out=count(TIMED_OUT),
            equivalent=sum(bool(each.equivalent) and each.verdict.fate != KILLED for each in judged),
            unusable=count(UNUSABLE),
            unreached=count(UNREACHED),
        )

    @property
    def share(self) -> float | None:
        """Killed of those that could be killed; None where there is none."""
        at_stake = self.killed + self.survived + self.timed_out  # what a scenario could have killed
        return self.killed / at_stake if at_stake else None

    def row(self, name: str) -> str:
        counts = (self.killed, self.survived, self.timed_out, self.equivalent, self.unusable, self.unreached)
        shown = "-" if self.share is None else f"{100 * self.share:.1f} %"
        cells = (name, sum(counts), *counts, shown)
        return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in cells) + " |"


def table(judged: Sequence[JudgedMutant], *, whole: bool) -> Iterator[str]:
    """Scores by file, and of all. Without ``whole``: only of the files that the scenarios execute."""
    yield HEAD
    yield "| --- " + "| ---: " * 8 + "|"
    by: dict[str, list[JudgedMutant]] = {}
    # A choice of scenarios leaves much unreached.
    shown = judged if whole else [each for each in judged if each.verdict.fate != UNREACHED]
    for each in shown:
        by.setdefault(each.mutant.file, []).append(each)
    for name, those in sorted(by.items()):
        yield Score.of(those).row(f"`{name}`")
    yield Score.of(shown).row("all")


def by_design(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """Scores by design: of the mutants that a scenario of the design executes."""
    designs = sorted({name for each in judged for name in each.designs})
    if len(designs) < 2:  # it would be the table above once more
        return
    yield ""
    yield HEAD.replace("file", "design")
    yield "| --- " + "| ---: " * 8 + "|"
    for name in designs:
        yield Score.of([each for each in judged if name in each.designs]).row(f"`{name}`")


def by_kind(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """Which share of the killed ones each kind of killer has killed, and each invariant."""
    killed = [each for each in judged if each.verdict.fate == KILLED]
    if not killed:
        return
    yield ""
    yield "| killer | kills | share |"
    yield "| --- | ---: | ---: |"
    for kind in KINDS:
        # A set for each mutant: an invariant that several scenarios violate has one kill.
        found = [{killer.invariant for killer in each.verdict.killers if killer.kind == kind} for each in killed]
        count = sum(map(bool, found))
        if count:
            yield f"| {kind} | {count:,} | {100 * count / len(killed):.1f} % |"
        names = Counter(name for those in found for name in those)
        for name, times in sorted(names.items(), key=lambda each: (-each[1], each[0])):
            yield f"| {kind} `{name}` | {times:,} | {100 * times / len(killed):.1f} % |"


def line(judged: JudgedMutant) -> str:
    """One mutant, with what is known of it."""
    verdict = judged.verdict
    why = verdict.why
    if verdict.fate == SURVIVED and not why:
        why = f"{plural(verdict.ran, 'scenario')} ran"
    elif verdict.scenario:
        why = f"{verdict.scenario}: {why}"
    mutant = judged.mutant
    # Without a text, the statement is left out.
    change = f"`{mutant.before}` -> `{mutant.after}`" if mutant.after else f"without `{mutant.before}`"
    return f"- `{mutant.place}` `{mutant.function}` {mutant.operator}: {change} ({judged.equivalent or why})"


def report(judged: Sequence[JudgedMutant], *, whole: bool) -> Iterator[str]:
    """The whole text: scores, then by fate what was not killed. whole: all scenarios were chosen; then the text
    also names the functions that none of them executes."""
    yield from table(judged, whole=whole)
    yield from by_design(judged)
    yield from by_kind(judged)
    ordered = sorted(judged, key=lambda each: (each.mutant.file, each.mutant.lines, key_of(each.mutant)))
    sections = {
        "Survived": [each for each in ordered if each.verdict.fate == SURVIVED and not each.equivalent],
        "Timed out": [each for each in ordered if each.verdict.fate == TIMED_OUT and not each.equivalent],
        "Equivalent": [each for each in ordered if each.equivalent and each.verdict.fate != KILLED],
        "Unusable": [each for each in ordered if each.verdict.fate == UNUSABLE and not each.equivalent],
        "Stale: listed as equivalent, but killed": [
            each for each in ordered if each.equivalent and each.verdict.fate == KILLED
        ],
    }
    for title, those in sections.items():
        if those:
            yield ""
            yield f"## {title}"
            yield ""
            yield from map(line, those)
    alone = dict.fromkeys(
        f"{each.mutant.file}:{each.mutant.function}" for each in ordered if each.verdict.fate == UNREACHED
    )
    if alone and whole:
        yield ""
        yield "## Functions that no scenario executes"
        yield ""
        yield ", ".join(f"`{name}`" for name in alone)


def as_object(judged: JudgedMutant) -> dict[str, object]:
    """One mutant and its verdict, for programs."""
    return {
        **describe_mutant(judged.mutant),
        **attrs.asdict(judged.verdict),
        "designs": judged.designs,
        "equivalent": judged.equivalent,
    }
