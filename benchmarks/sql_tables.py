"""The figures of `benchmarks.sql`, and as Markdown. The divisor is the first SQL variant of each database."""

from collections.abc import Iterable, Sequence
from typing import Final

import attrs

KV: Final = "lock-free"
"""The variant that is no SQL."""
ALONE: Final = "store | operation | variant | median ms | / sql's"
LONG: Final = (
    "store | variant | commit ms | / sql's | staged meanwhile | p50 ms | p99 | longest | longest / sql's | refused | "
)
PARALLEL: Final = "store | committers | variant | commits/s | / sql's | p99 ms | refused per commit | "


@attrs.frozen(kw_only=True)
class Alone:
    """One operation, by one client who is alone: the median."""

    store: str
    variant: str
    operation: str
    ms: float


@attrs.frozen(kw_only=True)
class Long:
    """A long commit while clients stage."""

    store: str
    variant: str
    commit_ms: float
    staged: int
    p50: float
    p99: float
    longest: float
    refused: int
    ended: bool
    """Whether the commit was done by itself, or was stopped."""


@attrs.frozen(kw_only=True)
class Parallel:
    """Committers that write and commit, side by side."""

    store: str
    variant: str
    committers: int
    commits_per_second: float
    p99: float
    refused_per_commit: float
    ended: bool


def alone_table(rows: Sequence[Alone]) -> str:
    """One client."""
    sql = {(row.store, row.operation): row.ms for row in reversed(rows) if row.variant != KV}
    operations = dict.fromkeys((row.store, row.operation) for row in rows)
    return _table(
        ALONE,
        (
            (store, f"`{operation}`", row.variant, f"{row.ms:.2f}", f"{row.ms / sql[store, operation]:.1f}")
            for store, operation in operations
            for row in rows
            if (row.store, row.operation) == (store, operation)
        ),
    )


def long_table(rows: Sequence[Long]) -> str:
    """A long commit."""
    sql = {row.store: row for row in reversed(rows) if row.variant != KV}
    return _table(
        LONG,
        (
            (
                row.store,
                row.variant,
                f"{row.commit_ms:,.0f}",
                f"{row.commit_ms / sql[row.store].commit_ms:.2f}",
                f"{row.staged:,}",
                f"{row.p50:.1f}",
                f"{row.p99:.1f}",
                f"{row.longest:,.0f}",
                f"{row.longest / sql[row.store].longest:.2f}",
                f"{row.refused:,}",
                "" if row.ended else "the commit was stopped",
            )
            for row in rows
        ),
    )


def parallel_table(rows: Sequence[Parallel]) -> str:
    """Parallel commits."""
    sql = {(row.store, row.committers): row.commits_per_second for row in reversed(rows) if row.variant != KV}
    return _table(
        PARALLEL,
        (
            (
                row.store,
                str(row.committers),
                row.variant,
                f"{row.commits_per_second:,.1f}",
                f"{row.commits_per_second / sql[row.store, row.committers]:.2f}",
                f"{row.p99:.1f}",
                f"{row.refused_per_commit:.2f}",
                "" if row.ended else "stopped",
            )
            for row in rows
        ),
    )


def _table(heads: str, rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {heads} |", "|---" * (heads.count(" | ") + 1) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines)
