"""Equivalent mutants of the flows of retention and its pins."""

from collections.abc import Sequence
from typing import Final

from lakeproof.mutation.equivalents._row import Change, Equivalent, of

ROWS: Final[Sequence[Equivalent]] = (
    *of(
        "impl/retention/runs.py:World.heads",
        "every order of a reading has the branches",
        Change(
            "drop-term",
            "self.branches or {}",
            "self.branches",
        ),
    ),
    *of(
        "impl/retention/runs.py:World.heads",
        "each branch keeps what it keeps, whichever comes first",
        Change(
            "wrong-order",
            "(self.branches or {}).items()",
            "reversed(tuple((self.branches or {}).items()))",
        ),
    ),
    *of(
        "impl/retention/runs.py:World.expired",
        "every order of a reading has the commits",
        Change(
            "drop-term",
            "self.known or frozenset()",
            "self.known",
        ),
    ),
    *of(
        "impl/retention/runs.py:look",
        "of several heads that are missing, the error names one",
        Change(
            "wrong-order",
            "seen.heads.items()",
            "reversed(tuple(seen.heads.items()))",
        ),
    ),
    *of(
        "impl/retention/runs.py:read_staged",
        "the addresses are a set",
        Change(
            "wrong-order",
            "entries",
            "reversed(tuple(entries))",
        ),
    ),
    *of(
        "impl/retention/runs.py:only_in",
        "a metarange never changes: read again, it is the same",
        Change(
            "always",
            "commit.meta_range_id not in by_meta_range",
            "True",
        ),
    ),
    *of(
        "impl/retention/runs.py:only_in",
        "all are read, and what they refer to is sorted in the end",
        Change(
            "wrong-order",
            "sorted(seen.commits.items())",
            "seen.commits.items()",
        ),
    ),
    *of(
        "impl/retention/runs.py:_addresses",
        "the addresses are a set",
        Change(
            "wrong-order",
            "entries",
            "reversed(tuple(entries))",
        ),
    ),
    *of(
        "impl/retention/pins.py:mark",
        "they are sorted afterwards",
        Change(
            "wrong-order",
            "seen.expired(rules)",
            "reversed(tuple(seen.expired(rules)))",
        ),
    ),
    *of(
        "impl/retention/pins.py:holding",
        "the first row raises",
        Change(
            "only-first",
            "env.store.scan(partition, batch_size=1, prefix=CONDEMNED + f'{commit_id}/'.encode())",
            "only_first(env.store.scan(partition, batch_size=1, prefix=CONDEMNED + f'{commit_id}/'.encode()))",
        ),
    ),
)
