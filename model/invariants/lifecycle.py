"""What a get of a repository and a run of the cleaner promise.

Source: repository-operations-error-handling.md, "GetRepository", "Trash Cleaner - Nice to Have".
"""

from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model.invariants._base import Always, Finding, Observer, Reached, Reads, Violation
from lakeproof.model.invariants.repositories import USING, accessible, entries, owner
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState
from lakeproof.model.snapshot import Observed, Outcome, Snapshot, Status


def _found(seen: tuple[Observed, ...]) -> Hashable:
    """The state of the repository entry that a call has read last, if it is not active."""
    for each in reversed(seen):
        if isinstance(each.read, Repository):
            return "" if each.read.state is RepositoryState.ACTIVE else each.read.state.name.lower()
    return ""


FOUND: Final = Observer("found", _found)


def _get_shows_active_only(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(*USING):
        if call.status is not Status.OK:
            continue
        found = call.saw(FOUND.name)
        if isinstance(call.value, Repository) and call.value.state is not RepositoryState.ACTIVE:
            found = call.value.state.name.lower()
        if found:
            yield Violation("get-shows-active-only", f"{call.name} succeeded on a repository that was {found}")
        else:
            yield Reached(f"{call.name} succeeded on an active repository")


get_shows_active_only: Final = Always(
    id="get-shows-active-only",
    meaning="get, and any operation in a repository, succeeds only if it has found the repository active",
    check=_get_shows_active_only,
    reads=frozenset({Reads.CLIENTS}),
    observers=(FOUND,),
)

SUPERSEDED_IS_CLEANED: Final = "superseded-is-cleaned"
SUPERSEDED_IS_CLEANED_MEANING: Final = (
    "after one more run of the cleaner nothing is left of an instance that has a record and was deleted or superseded"
)


def superseded_is_cleaned(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of one run of the cleaner, when claims have run out."""
    last = outcomes[-1]
    if last.status is not Status.OK:
        return [Violation(SUPERSEDED_IS_CLEANED, f"the cleaner fails with {last.error!r}")]
    claimed = {entry.instance_uid for entry in entries(snapshot) if entry.state is RepositoryState.INITIAL}
    living = {entry.instance_uid for entry in accessible(snapshot)} | claimed
    noted = {record.instance_uid for record in snapshot.store.values() if isinstance(record, CleanupRecord)}
    for (_, key), record in sorted(snapshot.store.items(), key=lambda each: each[0]):
        whose = None if isinstance(record, Repository | CleanupRecord) else owner(record)
        if whose in noted - living:
            what = f"{key.decode()} of instance {whose}, which is dead and has a record"
            return [Violation(SUPERSEDED_IS_CLEANED, f"the cleaner left {what}")]
    return [Reached("the cleaner left nothing of a dead instance that has a record")]


ALL: Final = (get_shows_active_only,)
"""All invariants of this module but the aftermath."""
