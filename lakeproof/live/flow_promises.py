"""What ``stress --flows`` judges: the promises of the operations that it calls, as far as they show in the end.

What a round leaves is one store and what each call has returned: a promise is judged on these by the invariant of the
search, or `Coverage` has the reason why not.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.live.coverage import Coverage
from lakeproof.live.flow_calls import LAKE, TRUNK
from lakeproof.model import keys
from lakeproof.model.invariants import (
    Always,
    Eventually,
    Finding,
    Monitor,
    Observer,
    Reached,
    Violation,
    entries,
    lifecycle,
    outcomes,
    progress,
    refs,
    repositories,
)
from lakeproof.model.records import Branch, Commit
from lakeproof.model.snapshot import Snapshot, Status

Judge = Always | Eventually | Monitor


def _commits_are_kept(snapshot: Snapshot) -> Iterator[Finding]:
    """Of all commits that were acknowledged, each is on the line of first parents of the branch."""
    partition = uid_partition(LAKE)
    branch = snapshot.store.get((partition, keys.branch_key(TRUNK)))
    name = branch.commit_id if isinstance(branch, Branch) else None
    line = set[str]()
    # A cycle of parents, which a broken store may show, must not keep this going.
    while name is not None and name not in line:
        line.add(name)
        commit = snapshot.store.get((partition, keys.commit_key(name)))
        name = commit.parents[0] if isinstance(commit, Commit) and commit.parents else None
    for call in snapshot.calls("commit"):
        if call.status is Status.OK and isinstance(call.value, Commit):
            shown = f"commit {call.value.commit_id[:8]} was acknowledged"
            if call.value.commit_id in line:
                yield Reached(f"{shown}, and is on the branch")
            else:
                yield Violation(refs.commits_form_one_line.id, f"{shown}, and is not on the branch")


COMMITS_ARE_KEPT: Final = Eventually(
    id=refs.commits_form_one_line.id,
    meaning=refs.commits_form_one_line.meaning,
    check=_commits_are_kept,
)
"""What a *step* invariant of the search says, as far as it shows in the end."""

JUDGES: Final[Mapping[str, Judge]] = {
    judge.id: judge
    for judge in (
        refs.head_exists,
        refs.token_has_one_owner,
        COMMITS_ARE_KEPT,
        refs.commit_makes_progress,
        entries.acknowledged_write_is_kept,
        entries.acknowledged_delete_is_kept,
        entries.commit_is_causal,
        entries.read_is_legal({}, TRUNK),
        outcomes.commit_is_effective,
        outcomes.branch_create_is_effective,
        outcomes.branch_delete_is_effective,
        outcomes.failed_call_changed_nothing,
        progress.call_makes_progress,
        repositories.active_is_complete,
        repositories.no_reachable_zombie,
        repositories.deleted_is_inaccessible,
        repositories.create_is_effective,
        repositories.delete_is_effective,
        repositories.list_shows_active_only,
        repositories.garbage_is_reclaimable,
        lifecycle.get_shows_active_only,
    )
}
"""The invariants that need no more than the store in the end and the calls."""

_ON_STEP: Final = "judged on single writes, and a round shows none"
_TERMS: Final = {"under load a store's own errors come out, and each is counted": "answers-in-its-terms"}


OF_ENTRIES: Final = Coverage(
    kinds="set_entry delete_entry get_entry list_entries commit create_branch delete_branch_by_tombstone",
    reasons={
        **_TERMS,
        "no write is conditional, so none is refused": "refused-write-is-absent",
        "no client resets": "acknowledged-reset-is-kept",
        "no client writes to the branches that come and go": "branch-starts-clean",
        _ON_STEP: "branch-delete-spares-successor",
        "judged as failed-call-changed-nothing": "refused-commit-is-absent",
    },
)
"""Of the repository that stays."""
OF_REPOSITORIES: Final = Coverage(
    kinds="create_repository delete_repository get_repository list_repositories create_branch get_branch "
    "delete_branch create_tag clean",
    reasons={
        **_TERMS,
        _ON_STEP: "create-is-unique delete-spares-successor branch-delete-spares-successor cleaner-spares-live "
        "cleaner-goes-on claim-lasts-two-minutes deletion-spares-live-data",
        "is about deletes alone, and here creates come between": "some-delete-succeeds",
        "needs more calls after the end": "superseded-is-cleaned deleted-data-is-reclaimed",
        "no client writes entries or objects": "deleted-data-is-reclaimable deletion-spares-foreign-data "
        "staged-entries-are-reclaimable objects-are-reclaimable branch-starts-clean",
        "judged as garbage-is-reclaimable": "branches-are-reclaimable tags-are-reclaimable commits-are-reclaimable "
        "deletion-leaves-a-lead",
        "a branch goes with its repository": "branch-create-is-effective branch-delete-is-effective",
        "what is left of a deleted repository is half cleaned": "head-exists token-has-one-owner",
    },
)
"""Of repositories that come and go."""


def judges(coverage: Coverage) -> tuple[Judge, ...]:
    """The invariants that judge. Raises KeyError for a promise that has no judge and no reason."""
    return tuple(JUDGES[each] for each in coverage.ids)


def observers(coverage: Coverage) -> tuple[Observer, ...]:
    """What has to be observed of each call."""
    # Several invariants share an observer. A dictionary keeps the order, and each once.
    return tuple(dict.fromkeys(each for judge in judges(coverage) for each in judge.observers))
