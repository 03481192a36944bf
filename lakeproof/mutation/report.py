"""What is printed of judged mutants: Markdown, a row for each file, and a line for each mutant that was not killed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.mutation.campaign import UNREACHED, JudgedMutant
from lakeproof.mutation.equivalent import key_of
from lakeproof.mutation.results import describe_mutant
from lakeproof.mutation.work import KILLED, SURVIVED, TIMED_OUT, UNUSABLE
from lakeproof.words import plural

HEAD: Final = "| file | mutants | killed | survived | timed out | equivalent | unusable | unreached | score |"
EQUIVALENT: Final = "equivalent"
FATES: Final = (KILLED, SURVIVED, TIMED_OUT, EQUIVALENT, UNUSABLE, UNREACHED)
"""In the order of the columns of `HEAD`."""


def fate_of(judged: JudgedMutant) -> str:
    """One of `FATES`."""
    # An equivalent mutant that was killed counts as killed: its row in the table is wrong.
    return EQUIVALENT if judged.equivalent and judged.verdict.fate != KILLED else judged.verdict.fate


def share_killed(judged: Sequence[JudgedMutant]) -> float | None:
    """Killed of those that a scenario could have killed; None where there is none."""
    counts = Counter(map(fate_of, judged))
    at_stake = counts[KILLED] + counts[SURVIVED] + counts[TIMED_OUT]
    return counts[KILLED] / at_stake if at_stake else None


def score_row(name: str, judged: Sequence[JudgedMutant]) -> str:
    """The row of some mutants below `HEAD`."""
    counts = Counter(map(fate_of, judged))
    share = share_killed(judged)
    cells = (f"{count:,}" for count in (len(judged), *(counts[fate] for fate in FATES)))
    return f"| {' | '.join((name, *cells, '-' if share is None else f'{100 * share:.1f} %'))} |"


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
        yield score_row(f"`{name}`", those)
    yield score_row("all", shown)


def by_design(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """Scores by design: of the mutants that a scenario of the design executes."""
    designs = sorted({name for each in judged for name in each.designs})
    if len(designs) < 2:  # it would be the table above once more
        return
    yield ""
    yield HEAD.replace("file", "design")
    yield "| --- " + "| ---: " * 8 + "|"
    for name in designs:
        yield score_row(f"`{name}`", [each for each in judged if name in each.designs])


def by_invariant(judged: Sequence[JudgedMutant]) -> Iterator[str]:
    """Which share of the killed ones each invariant has killed."""
    killed = [each for each in judged if each.verdict.fate == KILLED]
    # A set for each mutant: an invariant that several scenarios violate has one kill.
    names = Counter(name for each in killed for name in {killer.invariant for killer in each.verdict.killers})
    if names:
        yield ""
        yield "| invariant | kills | share |"
        yield "| --- | ---: | ---: |"
    for name, times in sorted(names.items(), key=lambda each: (-each[1], each[0])):
        yield f"| `{name}` | {times:,} | {100 * times / len(killed):.1f} % |"


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
    yield from by_invariant(judged)
    ordered = sorted(judged, key=lambda each: (each.mutant.file, each.mutant.lines, key_of(each.mutant)))
    sections = {
        title: [each for each in ordered if fate_of(each) == fate]
        for title, fate in (
            ("Survived", SURVIVED),
            ("Timed out", TIMED_OUT),
            ("Equivalent", EQUIVALENT),
            ("Unusable", UNUSABLE),
        )
    }
    sections["Stale: listed as equivalent, but killed"] = [
        each for each in ordered if each.equivalent and each.verdict.fate == KILLED
    ]
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
