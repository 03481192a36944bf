"""The journal of the sweeps of a run, in ``swept/``: of each object what became of it, or that it is in doubt.

A sweep writes an *intent* before it deletes anything of a batch: the objects that it is about to delete. When it has
the store's answers it writes the *outcome*: a row for each object of the batch. Both are files of their own, written
whole or not at all. So wherever a sweep is killed, an object is

- in no file: nothing was done;
- in an intent that no outcome follows: perhaps deleted;
- in an outcome: what that says, of the latest sweep; but what one sweep has deleted stays deleted.

Example: batch 7 has the objects a, b, c. Sweep 1 finds c younger, writes ``swept/0000007-0001-9f3a.intent.parquet``
(a, b), deletes a, and is killed. The journal says: a and b perhaps, c nothing. Sweep 2 looks at all three: a is not
there (perhaps deleted: that stays unknown), b is deleted, c is kept. Its outcome has a row for each.
"""

import io
import re
import secrets
from collections.abc import Sequence
from enum import Enum
from typing import Final, cast

import attrs
import pyarrow as pa
import pyarrow.parquet as pq

from lakeproof.spark_checks.engine.folders import Folder
from lakeproof.spark_checks.sweep.marks import Mark
from lakeproof.words import Unusable

SWEPT: Final = "swept"
INTENT, OUTCOME = "intent", "outcome"
CUT_SHORT: Final = "cut-short"
"""Why it is in doubt: a sweep had begun to delete it, and did not see the outcome."""
NO_ANSWER: Final = "no-answer"
CHANGED: Final = "changed-meanwhile"
_NAME: Final = re.compile(rf"{SWEPT}/(\d{{7,}})-(\d{{4,}})-([0-9a-f]+)\.({INTENT}|{OUTCOME})\.parquet")


class End(Enum):
    """What became of a row of the run."""

    DELETED = "deleted"
    WOULD = "would-be-deleted"  # of a dry run; in no journal
    KEPT = "kept"
    GONE = "gone"  # it was not there when it was looked at
    PERHAPS = "perhaps-deleted"
    FAILED = "failed"  # the store refused: it is there
    REPEATED = "listed-before"  # another row of the run has the same object
    UNVISITED = "not-looked-at"


@attrs.frozen
class Entry:
    """``reason``: why it was kept, or is in doubt. ``detail``: for a reader."""

    end: End
    reason: str = ""
    detail: str = ""

    @property
    def settled(self) -> bool:
        """Whether no sweep need look again."""
        # What is gone may have been looked for in the wrong place.
        return self.end in {End.DELETED, End.REPEATED}


UNVISITED: Final = Entry(End.UNVISITED)
DELETED: Final = Entry(End.DELETED)
GONE: Final = Entry(End.GONE)
PUT_AGAIN: Final = Entry(End.KEPT, CHANGED)
"""Between the look and the delete: it is there."""
VANISHED: Final = Entry(End.PERHAPS, CUT_SHORT, "is not there")
"""It was there before: another process has deleted it, or this sweep, by a request that its library has repeated."""

_Place = tuple[int, str, str, str]
"""Number of the sweep, its id, which of the two, and the file: sorted as they were written."""


class Journal:
    """The journal as it was when it was opened, and what this sweep adds. ``sweep``: the name of this sweep."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._files: dict[int, list[_Place]] = {}
        latest = 0
        for name, _ in folder.files(SWEPT):
            # Other files stay unread: the sweep's report, and parts of files whose writer was killed.
            if match := _NAME.fullmatch(name):
                batch, number, key, kind = match.groups()
                latest = max(latest, int(number))
                self._files.setdefault(int(batch), []).append((int(number), key, kind, name))
        # Two sweeps at once get the same number. The random part keeps their files apart.
        self.sweep = f"{latest + 1:04}-{secrets.token_hex(2)}"

    def state(self, batch: int, marks: Sequence[Mark]) -> list[Entry]:
        """What earlier sweeps have made of a batch, row by row. Raises Unusable: a file is not of this batch."""
        found = [UNVISITED] * len(marks)
        # By number, then by id; and "intent" is before "outcome", as in time.
        for _, _, kind, name in sorted(self._files.get(batch, [])):
            rows = self._read(name)
            try:
                if kind == INTENT:
                    self._apply_intent(found, marks, rows)
                else:
                    found = self._applied_outcome(found, marks, rows)
            except (KeyError, IndexError, ValueError, TypeError):
                raise self._damaged(name, "is of other objects than the run") from None
        return found

    @staticmethod
    def _apply_intent(found: list[Entry], marks: Sequence[Mark], rows: dict[str, list[object]]) -> None:
        for number, address in zip(cast("list[int]", rows["row"]), rows["address"], strict=True):
            # Row numbers mean the same only as long as the files of the run are the same.
            if marks[number].address != address:
                raise ValueError
            if found[number].end != End.DELETED:  # a later sweep looks no deleted row up again
                found[number] = Entry(End.PERHAPS, CUT_SHORT)

    @staticmethod
    def _applied_outcome(found: list[Entry], marks: Sequence[Mark], rows: dict[str, list[object]]) -> list[Entry]:
        if rows["address"] != [mark.address for mark in marks]:
            raise ValueError
        recorded = [
            Entry(End(end), str(reason), str(detail))
            for end, reason, detail in zip(rows["outcome"], rows["reason"], rows["detail"], strict=True)
        ]
        # Of two sweeps at once, one finds gone what the other has deleted. Deleted is what became of it.
        return [old if old.end == End.DELETED else new for old, new in zip(found, recorded, strict=True)]

    def intend(self, batch: int, marks: Sequence[Mark], rows: Sequence[int]) -> None:
        """Written before any of these rows is deleted. Raises Unusable."""
        table = {
            "row": pa.array(rows, pa.int32()),
            "address": pa.array([marks[row].address for row in rows], pa.string()),
        }
        self._write(batch, INTENT, table)

    def settle(self, batch: int, marks: Sequence[Mark], entries: Sequence[Entry]) -> None:
        """Raises Unusable."""
        table = {
            "address": pa.array([mark.address for mark in marks], pa.string()),
            "outcome": pa.array([entry.end.value for entry in entries], pa.string()),
            "reason": pa.array([entry.reason for entry in entries], pa.string()),
            "detail": pa.array([entry.detail for entry in entries], pa.string()),
            "size_bytes": pa.array([mark.size_bytes for mark in marks], pa.int64()),
        }
        self._write(batch, OUTCOME, table)

    def _write(self, batch: int, kind: str, columns: dict[str, pa.Array]) -> None:
        made = io.BytesIO()
        pq.write_table(pa.table(columns), made, write_page_checksum=True)
        # The write is over before the first delete of an intent begins; a file that is half written has another name.
        self._folder.write(f"{SWEPT}/{batch:07}-{self.sweep}.{kind}.parquet", made.getvalue())

    def _read(self, name: str) -> dict[str, list[object]]:
        content = io.BytesIO(self._folder.read(name))
        try:
            # Without checksums a byte that is another one may be read as another outcome.
            table = pq.read_table(content, page_checksum_verification=True)
            return cast("dict[str, list[object]]", table.to_pydict())
        except (pa.ArrowException, OSError, ValueError) as error:  # Arrow has errors of Parquet as any of these
            raise self._damaged(name, " ".join(str(error).split())[:160]) from None

    def _damaged(self, name: str, why: str) -> Unusable:
        return Unusable(
            f"{self._folder.where}/{name}: cannot be read as a journal of this run ({why}); move it away, and its "
            "objects are looked at once more"
        )
