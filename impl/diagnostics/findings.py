"""What diagnostics find: rows for what there is, findings for what is wrong with it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast

import attrs

FindingKind = Literal[
    "damaged",
    "undecodable",
    "misplaced",
    "bad-name",
    "dangling",
    "no-default-branch",
    "shared-token",
    "unreadable",
    "stray",
    "unknown-key",
    "unowned-token",
    "changed-meanwhile",
    "left-over",
    "bare",
    "part",
    "version",
]
UNJUDGED: Final = frozenset({"part", "version"})
NOTES: Final = UNJUDGED | {"unknown-key", "unowned-token", "changed-meanwhile", "left-over", "bare"}
"""Findings that say nothing bad: keys of no known entity, entries that a commit or a reset has left to be dropped,
repositories that changed while they were read; and of lakeFS what a deleted repository has left, a repository that was
created bare, that there is but a part of a store, and that the records may mean something else (`UNJUDGED`)."""


@attrs.frozen
class Diagnosis:
    """Something worth a look, and where it is. An empty key means the whole partition, and an empty partition the
    whole store."""

    kind: FindingKind
    partition: bytes
    key: bytes
    message: str


Row = Mapping[str, object]
"""A record as diagnostics show it, ready for JSON."""
TABLES: Final = ("repositories", "branches", "commits", "tags", "staging", "cleanup")
"""The kinds of entities."""


@attrs.frozen(kw_only=True)
class Collected:
    """All that was found, each kind in the order of its keys."""

    collected_at: int  # microseconds since 1970
    tables: Mapping[str, Sequence[Row]]
    """By name, of `TABLES`."""
    findings: tuple[Diagnosis, ...]

    def numbers(self, table: str, field: str) -> list[int]:
        """A field that is a number, of each row."""
        return [cast("int", row[field]) for row in self.tables[table]]

    @property
    def complete(self) -> bool:
        """Whether everything could be read."""
        # Of a part of a store, or of an unknown version, the rest may mean something else.
        return not any(finding.kind in {"unreadable", *UNJUDGED} for finding in self.findings)

    @property
    def sound(self) -> bool:
        """Whether nothing bad was found, as far as everything could be read."""
        # What was not read is neither good nor bad, see `complete`.
        return all(finding.kind == "unreadable" or finding.kind in NOTES for finding in self.findings)

    @property
    def summary(self) -> dict[str, object]:
        """Counts, ready for JSON."""
        return {
            "format": "lakeproof diagnostics",
            "version": 1,
            "collected_at": self.collected_at,
            "complete": self.complete,
            "rows": {name: len(rows) for name, rows in self.tables.items()},
            "staged_entries": sum(self.numbers("staging", "entries")),
            "repository_states": dict(
                sorted(Counter(str(row["state"]) for row in self.tables["repositories"]).items())
            ),
            "findings": dict(sorted(Counter(finding.kind for finding in self.findings).items())),
        }
