"""What sweeps have made of a run: every row of it in one account, and the report of that."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import attrs

from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.engine.runs import REPORT, Mismatch
from lakeproof.spark_checks.sweep.journal import CHANGED, NO_ANSWER, SWEPT, End, Entry
from lakeproof.spark_checks.sweep.marks import Mark
from lakeproof.spark_checks.sweep.second_look import MEANINGS, YOUNGER

EXAMPLES: Final = 3

LISTED_TWICE: Final = "listed-twice"
REFERRED: Final = "referred-to"
ELSEWHERE: Final = "elsewhere"
UNNAMEABLE: Final = "unnameable"

REASONS: Final = MEANINGS | {
    LISTED_TWICE: "the listing has it several times, and not the same",
    REFERRED: "something refers to it now",
    ELSEWHERE: "lies in no part of what --objects names",
    UNNAMEABLE: "the store can have no object of this name",
    CHANGED: "was put again while it was swept",
}
"""Why an object is kept."""

Key = tuple[End, str]
Fields = dict[str, object]


@attrs.define
class Tally:
    """Rows, their bytes as they were listed, and the first few."""

    objects: int = 0
    bytes: int = 0
    examples: list[tuple[str, str]] = attrs.Factory(list)


@attrs.define
class Account:
    """All rows of a run, by what became of them. ``new``: how many rows this sweep has deleted, and their bytes.
    ``before``: rows that were settled before it."""

    tallies: dict[Key, Tally] = attrs.Factory(dict)
    new: Tally = attrs.Factory(Tally)
    before: int = 0

    def add(self, marks: Sequence[Mark], entries: Sequence[Entry], earlier: Sequence[Entry]) -> None:
        """A batch: as it is, and as it was before this sweep."""
        for mark, entry, old in zip(marks, entries, earlier, strict=True):
            # Where a store says why it failed, each has its own words.
            reason = "" if entry.end == End.FAILED else entry.reason
            tally = self.tallies.setdefault((entry.end, reason), Tally())
            _count(tally, mark, entry.detail or entry.reason)
            self.before += old.settled  # a bool counts as 0 or 1
            # What an earlier sweep has deleted is no work of this one.
            if entry.end == End.DELETED and old.end != End.DELETED:
                _count(self.new, mark, "")

    def of(self, end: End, reason: str | None = None) -> Tally:
        """The sum over all reasons, or of one."""
        found = [each for (at, why), each in self.tallies.items() if at == end and reason in {None, why}]
        return Tally(sum(each.objects for each in found), sum(each.bytes for each in found))

    @property
    def total(self) -> Tally:
        every = self.tallies.values()
        return Tally(sum(each.objects for each in every), sum(each.bytes for each in every))

    @property
    def open(self) -> int:
        """Rows that should have gone, and are there or in doubt."""
        # A row that was cut short and is not there can never be decided: it must not keep the sweep from ending well.
        return self.of(End.FAILED).objects + self.of(End.PERHAPS, NO_ANSWER).objects

    def demand(self, marked: int) -> None:
        """Raises Mismatch: not every row that was marked is in it."""
        if self.total.objects != marked:
            raise Mismatch(f"{self.total.objects} objects are accounted for, and the run has marked {marked}")

    def all_are_younger(self) -> bool:
        """Whether all that is there is younger than its mark: a copy, or a listing in coarse units."""
        # What is not there says nothing about times.
        there = {*self.tallies} - {(End.GONE, ""), (End.REPEATED, "")}
        return there == {(End.KEPT, YOUNGER)}


def _count(tally: Tally, mark: Mark, detail: str) -> None:
    tally.objects += 1
    tally.bytes += mark.size_bytes or 0
    if len(tally.examples) < EXAMPLES:
        tally.examples.append((mark.address, detail))


COPIED: Final = (
    "note: all that is there is younger than its mark: the objects were copied since they were listed, or were listed "
    "in coarser units than the store has; list them once more and mark anew"
)


def lines(account: Account) -> list[str]:
    """For people: a line for each account, with examples of what is not simply done."""
    width = max((len(_title(key)) for key in account.tallies), default=0)
    found = []
    # In the order of the enumeration, from done to not looked at.
    for key in sorted(account.tallies, key=lambda key: ([*End].index(key[0]), key[1])):
        tally = account.tallies[key]
        meaning = f"  {REASONS[key[1]]}" if key[1] in REASONS else ""
        found.append(f"{_title(key):<{width}}  {tally.objects:>12,}  {tally.bytes:>20,} bytes{meaning}")
        if key[0] in {End.KEPT, End.FAILED, End.PERHAPS}:
            # Escaped, because an address may have characters that control a terminal.
            found += [f"  {address!a}{detail and ': '}{detail}" for address, detail in tally.examples]
    return [*found, COPIED] if account.all_are_younger() else found


def _title(key: Key) -> str:
    return f"{key[0].value}{key[1] and ': '}{key[1]}"


def write(folder: Folder, sweep: str, account: Account | None, more: Mapping[str, object]) -> None:
    """``swept/report.json``. No account: the sweep has begun, and not ended. Raises Unusable."""
    # Null until the end: so a reader knows a sweep that was killed.
    fields: Fields = {"run": folder.name, "sweep": sweep, "ended": None, **more}
    if account is not None:
        fields |= {
            "ended": datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="seconds"),
            "marked": _sums(account.total),
            "accounts": [
                {"outcome": end.value, "reason": reason, **_sums(tally), "examples": tally.examples}
                for (end, reason), tally in account.tallies.items()
            ],
            "deleted_by_this_sweep": _sums(account.new),
        }
    folder.write(f"{SWEPT}/{REPORT}", (json.dumps(fields, indent=2) + "\n").encode())


def _sums(tally: Tally) -> dict[str, int]:
    return {"objects": tally.objects, "bytes": tally.bytes}
