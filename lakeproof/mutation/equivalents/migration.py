"""Equivalent mutants of the flows of the migration."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/migration/checking.py:problems",
        "what becomes of it is a set",
        Change(
            "wrong-order",
            "(branches, commits)",
            "reversed(tuple((branches, commits)))",
        ),
        Change(
            "wrong-order",
            "known",
            "reversed(tuple(known))",
        ),
    ),
    *of(
        "impl/migration/extracting.py:extract",
        "what is no record makes no row there either",
        Change(
            "one-branch",
            "None if record is None else _row(record, owners[partition].repository_id)",
            "_row(record, owners[partition].repository_id)",
        ),
    ),
    *of(
        "impl/migration/migrating.py:_refuse_used",
        "the first row raises",
        Change(
            "only-first",
            "env.store.scan(keys.GRAVELER, batch_size=1)",
            "only_first(env.store.scan(keys.GRAVELER, batch_size=1))",
        ),
    ),
    *of(
        "impl/migration/migrating.py:_make_sure",
        "there is one at most",
        Change(
            "wrong-order",
            "list(uids.items())[:1]",
            "reversed(tuple(list(uids.items())[:1]))",
        ),
    ),
    *of(
        "impl/migration/rows.py:MemoryTables.rows",
        "they are sorted, and two rows of one key are refused",
        Change(
            "wrong-order",
            "self.held",
            "reversed(tuple(self.held))",
        ),
    ),
)
