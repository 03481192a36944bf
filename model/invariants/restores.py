"""What a restore of refs promises: all refs of the dump, and nothing that was deleted since.

Source: graveler-on-kv.md, "Dump/Restore Refs"; the "refs" rows in docs/reference/invariants.md.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.contents import branch_named
from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.invariants._base import (
    STORE_AND_CLIENTS,
    Afterwards,
    Eventually,
    Finding,
    Monitor,
    Reached,
    Violation,
    eventually,
)
from lakeproof.model.invariants.changes import BRANCH_DELETES, CallID
from lakeproof.model.records import Branch, Commit, Tag
from lakeproof.model.snapshot import Event, Invoked, Outcome, Snapshot, Status

CREATES: Final = frozenset({calls.CREATE_BRANCH, calls.RESTORE_REFS})


@attrs.frozen(cache_hash=True)
class _Deleted:
    """Branches whose deletion was acknowledged, and that no call begun since then may bring back."""

    names: frozenset[str] = frozenset()
    creating: frozenset[tuple[CallID, str]] = frozenset()
    """Creations of branches under way or in doubt: they may come after the delete. A restore may not."""


def _advance(state: Hashable, event: Event) -> tuple[Hashable, tuple[Finding, ...]]:
    assert isinstance(state, _Deleted)
    made = (event.client, event.index)
    if isinstance(event, Invoked):
        if event.kind not in CREATES:
            return state, ()
        name = event.arguments.branch_id
        # A restore that begins after the delete may bring back any branch of its dump.
        gone = state.names if event.kind is calls.RESTORE_REFS else frozenset({name})
        creating = state.creating | ({(made, name)} if event.kind is calls.CREATE_BRANCH else frozenset())
        return _Deleted(state.names - gone, creating), ()
    call, name = event.call, event.call.arguments.branch_id
    # A creation in doubt stays: it may come after the delete.
    if call.kind is calls.CREATE_BRANCH and call.status in (Status.OK, Status.FAIL):
        return attrs.evolve(state, creating=state.creating - {(made, name)}), ()
    # A creation that overlaps the delete may come after it: then the branch may be there.
    if call.kind in BRANCH_DELETES and call.status is Status.OK and name not in {each for _, each in state.creating}:
        return attrs.evolve(state, names=state.names | {name}), ()
    return state, ()


def _stays_deleted(state: Hashable, snapshot: Snapshot) -> Iterator[Finding]:
    assert isinstance(state, _Deleted)
    for name in sorted(state.names):
        found = branch_named(snapshot, name)
        if found is None or not found.commit_id:
            yield Reached(f"{name} was deleted, and is gone")
        else:
            yield Violation(
                "deleted-branch-stays-deleted",
                f"the deletion of {name} was acknowledged, nothing has begun since that creates it, and it is there",
            )


deleted_branch_stays_deleted: Final = Monitor(
    id="deleted-branch-stays-deleted",
    meaning="a branch whose deletion was acknowledged is not brought back by a restore that began before",
    initial=_Deleted(),
    advance=_advance,
    at_end=_stays_deleted,
)


def _judge_restores(invariant_id: str, snapshot: Snapshot, branches: Mapping[BranchID, CommitID]) -> Iterator[Finding]:
    commits = {record.commit_id for record in snapshot.store.values() if isinstance(record, Commit)}
    for name, commit_id in sorted(branches.items()):
        found = branch_named(snapshot, name)
        if found is not None and found.commit_id == commit_id in commits:
            yield Reached(f"{name} is restored, with its commit")
        else:
            yield Violation(invariant_id, f"a restore succeeded, and {name} is not there, or its commit")


RESTORE_CAN_BE_FINISHED: Final = Afterwards(
    "restore-can-be-finished", "whatever stopped a restore, the next one finishes it"
)


def restore_can_be_finished(
    branches: Mapping[BranchID, CommitID],
) -> Callable[[tuple[Outcome, ...], Snapshot], list[Finding]]:
    """The check of an aftermath of one restore. branches: those of the dump, each with the commit that it names."""

    def check(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
        if outcomes[-1].status is not Status.OK:
            evidence = f"the next restore failed with {outcomes[-1].error!r}"
            return [Violation(RESTORE_CAN_BE_FINISHED.id, evidence)]
        return list(_judge_restores(RESTORE_CAN_BE_FINISHED.id, snapshot, branches))

    return check


def restore_is_effective(branches: Mapping[BranchID, CommitID]) -> Eventually:
    """branches: those of the dump, each with the commit that it names."""

    def check(snapshot: Snapshot) -> Iterator[Finding]:
        # A delete in doubt excuses, before the restore or after it.
        deleted = {
            call.arguments.branch_id for call in snapshot.calls(*BRANCH_DELETES) if call.status is not Status.FAIL
        }
        if any(call.status is Status.OK for call in snapshot.calls(calls.RESTORE_REFS)):
            left = {name: commit_id for name, commit_id in branches.items() if name not in deleted}
            yield from _judge_restores("restore-is-effective", snapshot, left)

    return Eventually(
        id="restore-is-effective",
        meaning="at quiescence, after an acknowledged restore, each branch of the dump is there, with its commit, "
        "unless it was deleted",
        check=check,
        reads=STORE_AND_CLIENTS,
    )


@eventually("at quiescence, a repository that was dumped, deleted and restored has all commits, tags and branches")
def revival_is_whole(snapshot: Snapshot) -> Iterator[Finding]:
    refs: dict[bytes, set[tuple[bytes, str]]] = {}
    for (partition, key), record in snapshot.store.items():
        if isinstance(record, Branch | Commit | Tag):
            refs.setdefault(partition, set()).add((key, record.commit_id))
    found = [sorted(each) for each in refs.values()]
    # By keys and commits, and not by records: the new instance has tokens of its own.
    whole = len(found) == 2 and found[0] == found[1]
    if any(call.status is Status.OK for call in snapshot.calls("revive_repository")):
        yield Reached("both have the same") if whole else Violation("revival-is-whole", f"the instances have {found}")
