"""Changes, differences and three-way merges of whole sets: what metaranges and branches are compared with."""

from collections.abc import Iterable

from lakeproof.model.committed import Difference, Entry, check_strategy, entry_after, merged_entry, same
from lakeproof.model.records import StagedEntry


def three_way_merge(
    base: Iterable[Entry], source: Iterable[Entry], destination: Iterable[Entry], strategy: str | None = None
) -> tuple[tuple[Entry, ...], tuple[bytes, ...]]:
    """The merged entries, and the paths in conflict, both by path; see `merged_entry`. Raises ValueError."""
    check_strategy(strategy)
    before, ours, theirs = ({entry.path: entry for entry in entries} for entries in (base, source, destination))
    merged: list[Entry] = []
    conflicts: list[bytes] = []
    for path in sorted(before.keys() | ours.keys() | theirs.keys()):
        entry, conflict = merged_entry(before.get(path), ours.get(path), theirs.get(path), strategy)
        if entry is not None:
            merged.append(entry)
        if conflict:
            conflicts.append(path)
    return tuple(merged), tuple(conflicts)


def apply_changes(entries: Iterable[Entry], changes: Iterable[StagedEntry]) -> tuple[Entry, ...]:
    """The entries after changes of distinct paths, by path."""
    found = {entry.path: entry for entry in entries}
    for change in changes:
        # Popped first: a tombstone then leaves nothing.
        after = entry_after(found.pop(change.key, None), change)
        if after is not None:
            found[change.key] = after
    return tuple(found[path] for path in sorted(found))


def differences(left: Iterable[Entry], right: Iterable[Entry]) -> tuple[Difference, ...]:
    """What turns left into right, by path."""
    before, after = ({entry.path: entry for entry in entries} for entries in (left, right))
    return tuple(
        Difference(path=path, before=before.get(path), after=after.get(path))
        for path in sorted(before.keys() | after.keys())
        if not same(before.get(path), after.get(path))
    )
