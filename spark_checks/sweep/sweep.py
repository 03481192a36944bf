"""A sweep: batch by batch it looks at what a run has marked, says what it is about to delete, deletes it, and says what
came of it.

Nothing is deleted that differs from its mark when it is looked at, a moment before. What is put between the look and
the delete is safe where the store has a condition for that (`lakeproof.spark_checks.sweep.s3`), and lost where it has
none. A sweep may be repeated at any time: it looks again at what was kept, failed or is in doubt, and at what was not
yet looked at. Two at once do no harm to the objects; their reports may contradict each other.
"""

from collections.abc import Mapping, Sequence

import attrs

from lakeproof.spark_checks.sweep import account as accounts
from lakeproof.spark_checks.sweep import second_look
from lakeproof.spark_checks.sweep.account import ELSEWHERE, LISTED_TWICE, REFERRED, UNNAMEABLE, Account
from lakeproof.spark_checks.sweep.journal import NO_ANSWER, UNVISITED, VANISHED, End, Entry, Journal
from lakeproof.spark_checks.sweep.marks import Doubles, Hashes, Mark, Marked, batches
from lakeproof.spark_checks.sweep.second_look import Found
from lakeproof.spark_checks.sweep.targets import Elsewhere, Look, Target, Trouble, Unnameable


@attrs.frozen
class Again:
    """What a second look for references has found. ``spared``: what is not marked any more. ``kept``: the accounts of
    that look, by reason: how many objects. ``rows``: read, by table. ``notes``: what a reader should know of it."""

    dataset: str
    spared: Hashes
    kept: Mapping[str, int]
    rows: Mapping[str, int] = attrs.field(factory=dict)
    notes: tuple[str, ...] = ()

    def describe(self) -> dict[str, object]:
        """For a report."""
        kept, rows = dict(self.kept), dict(self.rows)
        return {"dataset": self.dataset, "references": kept, "rows": rows, "notes": self.notes}


@attrs.frozen
class Swept:
    """``stopped``: why it ended before it had looked at all."""

    account: Account
    stopped: str | None

    @property
    def done(self) -> bool:
        """Whether all that could go went, or in a dry run would."""
        return self.stopped is None and not self.account.open


def sweep(run: Marked, target: Target | None, *, delete: bool, again: Again | None = None) -> Swept:
    """Look at all that a run has marked, and with ``delete`` delete it. No target: only count.

    Raises:
        Unusable: the store cannot be reached, or the journal not be written. What was done until then is in it.
        Mismatch: the rows do not add up.
    """
    journal = Journal(run.folder)
    facts: dict[str, object] = {} if again is None else again.describe()
    if delete:
        # The report says that a sweep is under way before the first object goes.
        accounts.write(run.folder, journal.sweep, None, facts)
    doubles = Doubles(run.folder, run.files)
    found, stopped = Account(), None
    for number, marks in enumerate(batches(run.folder, run.files)):
        # `met` remembers, so that it must see every row once, in order, also of batches that are not swept any more.
        batch = _Batch(number, marks, journal.state(number, marks), [doubles.met(mark) for mark in marks])
        entries = list(batch.earlier)  # a copy: the account compares both
        if target is not None and stopped is None:
            entries = _swept(batch, target, doubles, again, journal if delete else None)
            stopped = _stop(entries, batch.earlier)
        # Batches after a stop are counted as they were: the account has every row of the run.
        found.add(marks, entries, batch.earlier)
    found.demand(run.marked)
    if delete:
        accounts.write(run.folder, journal.sweep, found, {**facts, "stopped": stopped})
    return Swept(found, stopped)


@attrs.frozen
class _Batch:
    """``repeated``: whether an earlier row of the run has the same object."""

    number: int
    marks: Sequence[Mark]
    earlier: Sequence[Entry]
    repeated: Sequence[bool]


def _swept(
    batch: _Batch, target: Target, doubles: Doubles, again: Again | None, journal: Journal | None
) -> list[Entry]:
    """What becomes of a batch. No journal: a dry run."""
    entries = [
        # The first row of an object decides about it. Another look would find it gone, and say so.
        Entry(End.REPEATED) if repeated and not old.settled else old
        for old, repeated in zip(batch.earlier, batch.repeated, strict=True)
    ]
    # By row; rows that are settled, or have no name in this store, are not in it.
    names = _name_rows(batch, entries, target)
    going: dict[int, Found] = {}
    for row, look in zip(names, target.look([*names.values()]), strict=True):
        entry = _judge(batch.marks[row], look, entries[row], target.unit, doubles, again)
        if entry.end == End.WOULD:
            assert isinstance(look, Found)
            going[row] = look
        entries[row] = entry
    # A dry run ends here, with what a delete would begin with.
    if journal is None:
        return entries
    if going:
        # Before the first delete: what a killed process leaves without an outcome is then known to be in doubt.
        journal.intend(batch.number, batch.marks, [*going])
        ends = target.delete([(names[row], found) for row, found in going.items()])
        for row, entry in zip(going, ends, strict=True):
            entries[row] = entry
    # A batch in which nothing is new has its outcome already.
    if going or entries != batch.earlier:
        journal.settle(batch.number, batch.marks, entries)
    return entries


def _name_rows(batch: _Batch, entries: list[Entry], target: Target) -> dict[int, str]:
    """What the store calls the rows that are to be looked at; the entries of those that it cannot name are changed."""
    names = {}
    for row, mark in enumerate(batch.marks):
        if entries[row].settled:
            continue
        try:
            names[row] = target.name(mark.address)
        except (Elsewhere, Unnameable) as error:
            if entries[row].end != End.PERHAPS:  # no look will tell
                entries[row] = Entry(End.KEPT, ELSEWHERE if isinstance(error, Elsewhere) else UNNAMEABLE)
    return names


def _judge(mark: Mark, look: Look, old: Entry, unit: int, doubles: Doubles, again: Again | None) -> Entry:
    referred = again is not None and mark.address in again.spared
    # A doubt stays: that the store does not answer now says nothing about the delete before.
    if isinstance(look, Trouble):
        return old if old.end == End.PERHAPS else Entry(End.FAILED, look.why)
    if look is None:
        # Either the sweep before has deleted it, or another process: no look can tell.
        if old.end == End.PERHAPS:
            return VANISHED
        return Entry(End.GONE, REFERRED if referred else "")
    # Before the comparison: one of the rows may agree with the object by chance.
    if doubles.differ(mark):
        return Entry(End.KEPT, LISTED_TWICE)
    if referred:
        return Entry(End.KEPT, REFERRED)
    why = second_look.difference(mark, look, unit)
    return Entry(End.WOULD) if why is None else Entry(End.KEPT, why, second_look.describe(mark, look))


def _stop(entries: Sequence[Entry], earlier: Sequence[Entry]) -> str | None:
    """Why the next batch need not be tried: in this one nothing worked, and most of it failed."""
    # Rows that were settled before say nothing about the store now.
    new = [entry for entry, old in zip(entries, earlier, strict=True) if not old.settled and entry != UNVISITED]
    bad = [entry for entry in new if entry.end == End.FAILED or entry.reason == NO_ANSWER]
    worked = any(entry.end in {End.DELETED, End.WOULD} for entry in new)
    # One failure in a batch may be the object's own; a batch in which nothing works is the store's.
    return None if worked or 2 * len(bad) < len(new) or not bad else bad[0].detail or bad[0].reason
