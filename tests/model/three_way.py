"""A three-way merge as the merge of three sets: what metaranges and branches are compared with."""

from collections.abc import Iterable

from lakeproof.model.committed import Entry, check_strategy, merged_entry


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
