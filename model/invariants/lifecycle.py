"""What a get of a repository and a run of the cleaner promise.

Source: repository-operations-error-handling.md, "GetRepository", "Trash Cleaner - Nice to Have".
"""

from collections.abc import Iterator
from typing import Final

from lakeproof.model import calls, keys
from lakeproof.model.contents import entries
from lakeproof.model.invariants._base import Afterwards, Finding, Reached, Reads, Violation, always, eventually
from lakeproof.model.invariants.repositories import IN_USE, TARGET, owner_at
from lakeproof.model.records import CleanupRecord, Repository, RepositoryState
from lakeproof.model.snapshot import Outcome, Snapshot, Status


@always("get never shows a repository that is not active", reads=frozenset({Reads.CLIENTS}))
def get_shows_active_only(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.GET_REPOSITORY):
        if call.status is not Status.OK or not isinstance(call.value, Repository):
            continue
        shown = f"get_repository returned instance {call.value.instance_uid}, {call.value.state.name.lower()}"
        if call.value.state is RepositoryState.ACTIVE:
            yield Reached(shown)
        else:
            yield Violation("get-shows-active-only", shown)


SUPERSEDED_IS_CLEANED: Final = Afterwards(
    "superseded-is-cleaned",
    "after one more run of the cleaner nothing is left of an instance that has a record and was deleted or superseded",
)


def superseded_is_cleaned(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """Aftermath of one run of the cleaner, when claims have run out."""
    last = outcomes[-1]
    if last.status is not Status.OK:
        return [Violation(SUPERSEDED_IS_CLEANED.id, f"the cleaner fails with {last.error!r}")]
    # A claim counts as living: its creator may still activate it.
    living = {entry.instance_uid for entry in entries(snapshot) if entry.state in IN_USE}
    began = snapshot if snapshot.before is None else snapshot.before  # the run may have dropped the record
    noted = {record.instance_uid for record in began.store.values() if isinstance(record, CleanupRecord)}
    for address in sorted(snapshot.store):
        whose = None if address[0] in (keys.GRAVELER, keys.DELETED) else owner_at(snapshot, address)
        if whose in noted - living:
            what = f"{address[1].decode()} of instance {whose}, which is dead and had a record"
            return [Violation(SUPERSEDED_IS_CLEANED.id, f"the cleaner left {what}")]
    return [Reached("the cleaner left nothing of a dead instance that has a record")]


@eventually(
    "at quiescence, not all deletes of a repository have answered with a definite error and left it in deletion",
    observers=(TARGET,),
)
def some_delete_succeeds(snapshot: Snapshot) -> Iterator[Finding]:
    deletes = snapshot.calls(calls.DELETE_REPOSITORY)
    if any(view.status is Status.OK for view in deletes):
        yield Reached(f"of {len(deletes)} deletes one has succeeded")
    for entry in entries(snapshot):
        answers = [view for view in deletes if view.saw(TARGET.name) == entry.instance_uid]
        # After a delete in doubt or crashed its user repeats it; a definite error says that nothing has happened.
        failed = bool(answers) and all(view.status is Status.FAIL for view in answers)
        if failed and entry.state is RepositoryState.DELETING:
            errors = ", ".join(repr(view.error) for view in answers)
            evidence = f"{entry.repository_id} is hidden, its id is taken, and all deletes have ended: {errors}"
            yield Violation("some-delete-succeeds", evidence)


ALL: Final = (get_shows_active_only,)
"""Those that judge each design which runs all races: not the aftermath, nor what is for races of deletes alone."""
