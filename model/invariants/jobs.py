"""What background jobs and sweeps answer: what they have deleted, no more and no less.

Source: docs/designs/hard-delete.md; each job's docstring says whether it returns addresses or how many.
"""

from collections.abc import Hashable, Iterator
from typing import Final

from lakeproof.model import calls
from lakeproof.model.catalog import is_inside
from lakeproof.model.errors import NoResult
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.invariants._base import (
    Eventually,
    Finding,
    Observer,
    Reached,
    Reads,
    Violation,
    always,
    eventually,
)
from lakeproof.model.objects import DeleteObject
from lakeproof.model.references import living
from lakeproof.model.snapshot import Observed, Snapshot, Status

ID: Final = "job-tells-what-it-deleted"


def _deleted_addresses(seen: tuple[Observed, ...]) -> Hashable:
    """The addresses that a call has deleted so far, or may have, in order."""
    return tuple(
        each.op.address
        for each in seen
        # What answers with a definite error was not done.
        if isinstance(each.op, DeleteObject) and not (isinstance(each.reply, NoResult) and each.reply.definite)
    )


DELETED: Final = Observer("deleted", _deleted_addresses)


def _matches_deleted(answer: Hashable, deleted: tuple[str, ...]) -> bool:
    if isinstance(answer, tuple):
        # Some jobs answer with addresses relative to the namespace.
        return len(answer) == len(deleted) and all(
            f"/{done}".endswith(f"/{each}") for each, done in zip(answer, deleted, strict=True)
        )
    # Other jobs answer with a number.
    return answer == len(deleted)


@always(
    "a job answers with what it has deleted, or with how many objects that were",
    reads=frozenset({Reads.CLIENTS}),
    observers=(DELETED,),
)
def job_tells_what_it_deleted(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls(calls.BACKGROUND_JOB, calls.SWEEP):
        if call.status is not Status.OK:
            continue
        deleted = call.saw(DELETED.name)
        assert isinstance(deleted, tuple)
        if _matches_deleted(call.value, deleted):
            yield Reached(f"{call.name} named {len(deleted)} objects")
        else:
            yield Violation(ID, f"{call.name} answered {call.value!r}, and has deleted {list(deleted)}")


UNREADABLE: Final = "unreadable-stops-the-job"


@eventually(
    "while a reachable commit cannot be read, a job deletes no object: what that commit holds is not known",
    reads=frozenset({Reads.STORE, Reads.OBJECTS, Reads.CLIENTS}),
    observers=(DELETED,),
)
def unreadable_stops_the_job(snapshot: Snapshot) -> Iterator[Finding]:
    lost = [
        commit_id[:8]
        for view in living(snapshot)
        for commit_id in sorted(view.reachable())
        if view.committed(commit_id) is None
    ]
    for call in snapshot.calls(calls.BACKGROUND_JOB, calls.SWEEP):
        deleted = call.saw(DELETED.name)
        # No flow makes a lost commit readable again, so that the end of a run shows it.
        if not lost or not call.done:
            continue
        if deleted != ():
            yield Violation(UNREADABLE, f"commit {lost[0]} cannot be read, and {call.name} has deleted {deleted!r}")
        else:
            yield Reached(f"commit {lost[0]} cannot be read, and {call.name} has deleted nothing")


FOREIGN: Final = "deletion-spares-foreign-data"


def deletion_spares_foreign_data(namespace: StorageNamespace) -> Eventually:
    """No call deletes an object outside the storage namespace of all repositories that there are or were."""

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        foreign = [at for at in snapshot.objects if not is_inside(namespace, at)]
        for call in snapshot.calls():
            deleted = call.saw(DELETED.name)
            assert isinstance(deleted, tuple)
            strange = [address for address in deleted if not is_inside(namespace, address)]
            if strange:
                yield Violation(FOREIGN, f"{call.name} has deleted {strange[0]}, which is not in {namespace}")
            elif foreign and call.done:
                yield Reached(f"{call.name} has left {foreign[0]} alone")

    return Eventually(
        id=FOREIGN,
        meaning="no call deletes an object outside the storage namespace of its repository, whatever refers to it",
        check=check,
        observers=(DELETED,),
    )
