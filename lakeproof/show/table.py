"""Verdicts for people: a row a scenario, or, for many scenarios, a paragraph a variant; on request, a matrix of
invariants and variants. What is expected to be violated is not red.

Example: ``refs/blind/two-commits``, ``refs/careful/two-commits`` and ``refs/careful/commit-and-delete``, as they are
shown by `by_scenario` (two of them), `by_design`, `matrix` and `summary`, without the lines between rows.

    refs                                          | states | seconds | holds
    blind/two-commits                             |  1,204 |    0.20 |     1
      violated: no-lost-commit                    |        |         |
    careful/commit-and-delete                     | 21,970 |    1.90 |     1
      violated: no-lost-commit (expected: holds)  |        |         |

    refs
      blind: 1 scenario, 1 of 2 invariants hold
          violated as expected: no-lost-commit
      careful: 2 scenarios, 1 of 2 invariants hold
          violated instead of holds: no-lost-commit

    refs                     blind  careful
    no-lost-commit           x 1/1  ! x 1/2       violated in 1 of 1; in 1 of 2, and not as expected
    no-unhandled-exception     + 1      + 2

    1 surprise in 3 scenarios: 4 hold, 1 violated, 1 violated as expected, 26,555 states in 2.50 s
"""

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from rich import box
from rich.table import Table
from rich.text import Text

from lakeproof.verify.tasks import Outcome, Verdict
from lakeproof.words import plural, seconds

STYLES: Final = {"holds": "green", "violated": "red", "inconclusive": "yellow"}
MARKS: Final = {"holds": "✓", "violated": "✗", "inconclusive": "?"}
ASCII_MARKS: Final = {"holds": "+", "violated": "x", "inconclusive": "?"}

NUMBERS: Final = 55
"""So many columns take the numbers of a scenario, all of them."""


def variant(name: str) -> str:
    """What comes before the last parts of a scenario's name: ``design/variant``."""
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0] if len(parts) == 2 else ""


def by_scenario(outcomes: Sequence[Outcome], width: int, *, ascii_only: bool = False) -> Table:
    """A row a scenario: what is violated or inconclusive is named, the rest is counted. Where that does not fit beside
    the scenario, it is below it, and some numbers are left out."""
    # What all names begin with goes into the head of the column, and leaves room in every row.
    common = _common_folder([outcome.scenario for outcome in outcomes])
    named = max((len(outcome.scenario) for outcome in outcomes), default=0) - len(common)
    words = max((line.cell_len for outcome in outcomes for line in _not_holding(outcome)), default=0)
    wide = width >= named + words + NUMBERS
    numbers = ["states", "transitions", "depth", "seconds"] if wide else ["states", "seconds"]
    table = Table(box=_box(ascii_only=ascii_only), pad_edge=False, padding=(0, 1))
    table.add_column(Text(common.rstrip("/") or "scenario", "bold"), overflow="fold")
    for name in (*numbers, "holds"):
        table.add_column(name, justify="right", no_wrap=True)
    if wide:
        table.add_column("not holding", overflow="fold")
    for outcome in outcomes:
        shown = {
            "states": f"{outcome.states:,}" if outcome.states else "-",
            "transitions": f"{outcome.transitions:,}",
            "depth": str(outcome.depth) if outcome.states else "-",
            "seconds": seconds(outcome.seconds),
        }
        name = outcome.scenario.removeprefix(common)
        holds = sum(verdict.verdict == "holds" for verdict in outcome.verdicts)
        cells = [shown[number] for number in numbers] + [str(holds)]
        rest = list(_not_holding(outcome))
        if wide:
            table.add_row(name, *cells, Text("\n").join(rest))
        else:
            table.add_row(Text("\n  ").join([Text(name), *rest]), *cells)
    return table


def _common_folder(names: Sequence[str]) -> str:
    """``design/variant/`` if all names begin so; empty if they have nothing in common."""
    common = ""
    # The last part is left out: a name must not become empty.
    for parts in zip(*(name.split("/")[:-1] for name in names), strict=False):
        if len(set(parts)) > 1:
            break
        common += f"{parts[0]}/"
    return common


def _box(*, ascii_only: bool) -> box.Box:
    return box.ASCII_DOUBLE_HEAD if ascii_only else box.SIMPLE_HEAD


def _not_holding(outcome: Outcome) -> Iterator[Text]:
    """What does not hold, or should not; what is inconclusive for one reason is counted."""
    # A search that was stopped leaves dozens of invariants open, for one and the same reason.
    silent = [verdict for verdict in outcome.verdicts if verdict.verdict == "inconclusive"]
    for verdict in outcome.verdicts:
        if (verdict.verdict == "holds" and not verdict.unexpected) or (verdict in silent and len(silent) > 1):
            continue
        steps = f" in {plural(len(verdict.trace.schedule), 'step')}" if verdict.trace else ""
        shown = Text.assemble((verdict.verdict, _style(verdict)), f": {verdict.invariant}{steps}")
        if verdict.unexpected:
            shown.append(f" (expected: {verdict.expected})", "bold")
        yield shown
    if len(silent) > 1:
        yield Text.assemble(("inconclusive", STYLES["inconclusive"]), f": {plural(len(silent), 'invariant')}")


def _style(verdict: Verdict) -> str:
    """A violation that is expected is no alarm."""
    return STYLES[verdict.verdict] if verdict.unexpected or verdict.verdict != "violated" else ""


def by_design(outcomes: Sequence[Outcome], width: int) -> Iterator[Text]:
    """By design, its variants: how many invariants hold in each of a variant's scenarios, and which do not."""
    for design in dict.fromkeys(_design(outcome) for outcome in outcomes):
        yield Text(f"\n{design}" if design else "", "bold")
        group = [outcome for outcome in outcomes if _design(outcome) == design]
        for name in dict.fromkeys(variant(outcome.scenario) for outcome in group):
            of_variant = [outcome for outcome in group if variant(outcome.scenario) == name]
            verdicts = [verdict for outcome in of_variant for verdict in outcome.verdicts]
            every = {verdict.invariant for verdict in verdicts}
            # An invariant holds of a variant if it holds in each of its scenarios.
            holding = every - {verdict.invariant for verdict in verdicts if verdict.verdict != "holds"}
            hold = f"{len(holding)} of {plural(len(every), 'invariant holds', 'invariants hold')}"
            counts = f"{plural(len(of_variant), 'scenario')}, {hold}"
            yield from _wrap_line(f"{name.rpartition('/')[2] or 'without a design'}: {counts}", "", 2, width)
            for line, style in _in_words(verdicts):
                yield from _wrap_line(line, style, 6, width)


def _wrap_line(line: str, style: str, indent: int, width: int) -> Iterator[Text]:
    """A line, broken between words."""
    for part in textwrap.wrap(line, max(width - indent, 20), break_on_hyphens=False, break_long_words=False):
        yield Text(" " * indent + part, style)


def _in_words(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, str]]:
    """What does not hold, or should not, each line with its style: what was not expected comes first."""
    kinds: dict[tuple[bool, str], dict[str, None]] = {}
    for verdict in verdicts:
        if verdict.unexpected or verdict.verdict != "holds":
            words = verdict.verdict
            if verdict.unexpected and words != "inconclusive":
                words += f" instead of {verdict.expected}"
            elif not verdict.unexpected:
                words += " as expected"
            # The dictionary is an ordered set.
            kinds.setdefault((not verdict.unexpected, words), {})[verdict.invariant] = None
    for (expected, words), names in sorted(kinds.items()):  # surprises first, as False sorts before True
        style = "" if expected else f"bold {STYLES[words.split()[0]]}"
        yield f"{words}: {', '.join(names)}", style


def matrix(outcomes: Sequence[Outcome], width: int, *, ascii_only: bool = False) -> Iterator[Table]:
    """A row an invariant, a column a variant: in how many scenarios it holds, or in how many of them it does not.
    A table for each design; what does not fit side by side is split."""
    for design in dict.fromkeys(_design(outcome) for outcome in outcomes):
        yield from _matrices([each for each in outcomes if _design(each) == design], width, ascii_only=ascii_only)


def _design(outcome: Outcome) -> str:
    return variant(outcome.scenario).rpartition("/")[0]


def _matrices(outcomes: Sequence[Outcome], width: int, *, ascii_only: bool) -> Iterator[Table]:
    cells: dict[tuple[str, str], list[Verdict]] = {}
    for outcome in outcomes:
        for verdict in outcome.verdicts:
            cells.setdefault((verdict.invariant, variant(outcome.scenario)), []).append(verdict)
    invariants = list(dict.fromkeys(invariant for invariant, _ in cells))
    marks = ASCII_MARKS if ascii_only else MARKS
    columns: list[tuple[str, list[Text]]] = []
    for name in dict.fromkeys(variant(outcome.scenario) for outcome in outcomes):
        group = [outcome for outcome in outcomes if variant(outcome.scenario) == name]
        column = [_cell(cells.get((invariant, name), []), marks) for invariant in invariants]
        counts = [f"{len(group):,}", f"{sum(o.states for o in group):,}", seconds(sum(o.seconds for o in group))]
        columns.append((name, [*column, *map(Text, counts)]))
    labels = [*invariants, *COUNTS]
    # Labels are never split; the columns of a block share what they leave.
    room = width - max(map(len, labels)) - 2
    for block in _blocks(columns, room):
        yield _matrix(labels, block, ascii_only=ascii_only)


COUNTS: Final = ("scenarios", "states", "seconds")


def _blocks(columns: Sequence[tuple[str, list[Text]]], room: int) -> Iterator[list[tuple[str, list[Text]]]]:
    """Columns that fit side by side."""
    block: list[tuple[str, list[Text]]] = []
    left = room
    for name, column in columns:
        needs = max(cell.cell_len for cell in (*column, *map(Text, _heading(name).split("\n")))) + 2
        # A column that is too wide for any block gets one of its own, and is cut by rich.
        if block and needs > left:
            yield block
            block, left = [], room
        block.append((name, column))
        left -= needs
    yield block


def _matrix(labels: Sequence[str], columns: Sequence[tuple[str, list[Text]]], *, ascii_only: bool) -> Table:
    table = Table(box=_box(ascii_only=ascii_only), pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(columns[0][0].rpartition("/")[0], no_wrap=True, vertical="bottom")
    for name, _ in columns:
        table.add_column(Text(_heading(name), "bold"), justify="right", no_wrap=True, vertical="bottom")
    for number, label in enumerate(labels):
        if number == len(labels) - len(COUNTS):
            table.add_section()
        row = [column[number] for _, column in columns]
        if any(row):  # an invariant that no variant of this block has
            table.add_row(label, *row)
    return table


def _heading(name: str) -> str:
    """The last part of a variant's name, in short lines."""
    lines: list[str] = []
    for word in name.rpartition("/")[2].split("-"):
        if lines and len(lines[-1]) + 1 + len(word) <= 9:  # as wide as a cell such as `! x 12/34`
            lines[-1] += f"-{word}"
        else:
            lines.append(word)
    return "-\n".join(lines)


def _cell(verdicts: Sequence[Verdict], marks: Mapping[str, str]) -> Text:
    if not verdicts:
        return Text("")
    worst = next(name for name in ("violated", "inconclusive", "holds") if any(v.verdict == name for v in verdicts))
    count = sum(verdict.verdict == worst for verdict in verdicts)
    shown = f"{marks[worst]} {count}" if worst == "holds" else f"{marks[worst]} {count}/{len(verdicts)}"
    surprise = any(verdict.unexpected for verdict in verdicts)
    if surprise:
        return Text(f"! {shown}", f"bold {STYLES[worst]}")
    return Text(shown, "" if worst == "violated" else STYLES[worst])


def legend(*, ascii_only: bool = False) -> Text:
    """What the marks of the matrix mean."""
    marks = ASCII_MARKS if ascii_only else MARKS
    return Text(
        f"{marks['holds']} holds in so many scenarios   {marks['violated']} violated in so many of them   "
        f"{marks['inconclusive']} inconclusive   ! not as expected",
        "dim",
    )


def unexpected_verdicts(outcomes: Sequence[Outcome], traces: Mapping[tuple[str, str], Path]) -> Iterator[Text]:
    """Every verdict that differs from what is expected, in full. What is missing for one reason shares a line."""
    for outcome in outcomes:
        if outcome.trouble:
            yield Text.assemble(("UNUSABLE", f"bold {STYLES['violated']}"), f": {outcome.trouble}")
            continue
        missing: dict[str, list[str]] = {}
        for verdict in outcome.verdicts:
            if verdict.unexpected and verdict.verdict == "inconclusive":
                missing.setdefault(verdict.why, []).append(verdict.invariant)
            elif verdict.unexpected:
                yield _surprise(outcome, verdict, traces.get((outcome.scenario, verdict.invariant)))
        for why, names in missing.items():
            line = Text.assemble(("inconclusive", f"bold {STYLES['inconclusive']}"), f": {', '.join(names)}")
            line.append(f" in {outcome.scenario}: {why}")
            if outcome.stopped:
                line.append(f"; every schedule was covered up to {plural(outcome.depth, 'step')}")
            yield line


def _surprise(outcome: Outcome, verdict: Verdict, trace: Path | None) -> Text:
    line = Text.assemble(
        (verdict.verdict, f"bold {STYLES[verdict.verdict]}"),
        f" instead of {verdict.expected}: {verdict.invariant} in {outcome.scenario}",
    )
    if verdict.trace is not None:
        line.append(f": {verdict.trace.evidence}")
    if trace is not None:
        line.append(f"; trace: {trace}")
    return line


def headline(outcomes: Sequence[Outcome]) -> Text:
    """The verdict on all verdicts."""
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    surprises = [verdict for verdict in verdicts if verdict.unexpected]
    troubled = sum(bool(outcome.trouble) for outcome in outcomes)
    scenarios = plural(len(outcomes), "scenario")
    if not surprises and not troubled:
        violated = any(each.verdict == "violated" for each in verdicts)
        # As in the exit code: a sample without a violation is no answer at all.
        if not violated and any(each.sampled for each in verdicts):
            return Text.assemble(("INCONCLUSIVE", "bold yellow"), f": no sample violates anything in {scenarios}")
        new = "nothing new is violated" if violated else "nothing is violated"
        return Text.assemble(f"{scenarios}, ", ("all as expected", "bold green"), f"; {new}")
    # A wrong verdict weighs more than a missing one, as in the exit code.
    if any(verdict.verdict != "inconclusive" for verdict in surprises):
        return Text.assemble((plural(len(surprises), "surprise"), "bold red"), f" in {scenarios}")
    if troubled:
        return Text.assemble((f"{troubled:,} UNUSABLE", "bold red"), f" of {scenarios}")
    return Text.assemble(
        ("INCONCLUSIVE", "bold yellow"), f": {plural(len(surprises), 'verdict')} missing in {scenarios}"
    )


def summary(outcomes: Sequence[Outcome], elapsed_seconds: float) -> Text:
    """The verdict on all verdicts, and how many there are of each kind, in one line."""
    verdicts = [verdict for outcome in outcomes for verdict in outcome.verdicts]
    known = sum(each.verdict == "violated" and not each.unexpected for each in verdicts)
    found = Counter(each.verdict for each in verdicts)
    # What holds or is open is one number, expected or not: what surprises of it, the headline counts.
    kinds = (
        (found["holds"], "hold"),
        (found["violated"] - known, "violated"),
        (known, "violated as expected"),
        (found["inconclusive"], "inconclusive"),
    )
    counts = [f"{count:,} {words}" for count, words in kinds if count]
    states = sum(outcome.states for outcome in outcomes)
    counts.append((f"{plural(states, 'state')} in " if states else "") + f"{seconds(elapsed_seconds)} s")
    return headline(outcomes).append(f": {', '.join(counts)}")
