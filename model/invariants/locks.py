"""What locks and background jobs leave to those who come later: aftermaths of few calls.

Source: graveler-on-kv.md, "Tables", for locks; hard-delete-uncommitted-data.md, "KV drop async functionality".
"""

from collections.abc import Callable
from typing import Final

from lakeproof.model import keys
from lakeproof.model.contents import branches
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants._base import Afterwards, Finding, Reached, Violation
from lakeproof.model.records import StagedEntry
from lakeproof.model.snapshot import Outcome, Snapshot, Status

LEASE_IS_RESPECTED: Final = Afterwards(
    "lease-is-respected",
    "a lock that was left behind is taken over from the end of its lease on, and not before; one without a lease, "
    "never",
)
SPARES_OTHERS: Final = Afterwards(
    "crash-spares-other-branches", "whatever stopped on one branch, a commit can be made on another one afterwards"
)
DROPPED_IN_THE_END: Final = Afterwards(
    "committed-is-dropped-in-the-end",
    "whatever stopped before, one more run of the job leaves no staged entry that no branch names, and answers how "
    "many tokens it has dropped; the run after it finds none",
)


def taken_over(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """All calls succeed, and no lock is left."""
    failed = next((each.error for each in outcomes if each.status is not Status.OK), None)
    # Locks are no records of the key schema.
    left = [key for (_, key), record in snapshot.store.items() if isinstance(record, bytes)]
    if failed is not None or left:
        evidence = f"the lease is over, and a call answers {failed!r}; left are {left}"
        return [Violation(LEASE_IS_RESPECTED.id, evidence)]
    return [Reached("the lock was taken over after its lease, and is gone")]


def still_locked(error: type[FlowError]) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """All calls answer this error, and the lock is left as it was."""

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
        others = [each.error for each in outcomes if not isinstance(each.error, error)]
        left = [record for record in snapshot.store.values() if isinstance(record, bytes)]
        if others or len(left) != 1:
            evidence = f"the lock is held, and a call answers {others[:1]!r}; left are {left!r}"
            return [Violation(LEASE_IS_RESPECTED.id, evidence)]
        return [Reached("the lock is held, and all calls are refused")]

    return check


def spares_others(outcomes: tuple[Outcome, ...], _: Snapshot) -> list[Finding]:
    """The call succeeds."""
    if outcomes[-1].status is not Status.OK:
        return [Violation(SPARES_OTHERS.id, f"a commit on another branch answers {outcomes[-1].error!r}")]
    return [Reached("a commit was made on another branch")]


def dropped_in_the_end(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """After two runs of the job."""
    # Staged under a branch's own token is not committed: the job must leave it.
    named = {keys.staging_partition(token) for branch in branches(snapshot).values() for token in branch.tokens}
    for (partition, _), record in snapshot.store.items():
        if isinstance(record, StagedEntry) and partition not in named:
            evidence = f"a change of {record.key!r} is left, and no branch names its token"
            return [Violation(DROPPED_IN_THE_END.id, evidence)]
    # The last run must find nothing: a job that counts but does not drop would answer the same number again.
    if any(each.status is not Status.OK for each in outcomes) or outcomes[-1].value != 0:
        answers = [each.value if each.error is None else each.error for each in outcomes]
        return [Violation(DROPPED_IN_THE_END.id, f"the runs answered {answers!r}, expected a number, and 0")]
    return [Reached("no staged entry is left")]


def dropped_once(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    """The same, where the first run has one token to drop."""
    first, *_ = outcomes
    if first.value != 1:
        return [Violation(DROPPED_IN_THE_END.id, f"the run answered {first.value!r}, and one token was committed")]
    return dropped_in_the_end(outcomes, snapshot)
