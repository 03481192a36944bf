"""What ``stress --flows`` judges: the promises of the operations that it calls, as far as they show in the end.

The ids come from `lakeproof.model.promises`. What a round leaves is one store and what each call has returned, so that
a promise is either judged on these by the invariant of the search, or named in `Group.unjudged` with the reason. A
promise that is in neither place is a KeyError.
"""

from collections.abc import Iterator, Mapping
from typing import Final

import attrs

from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.live.flow_calls import LAKE, TRUNK
from lakeproof.model import calls, keys
from lakeproof.model.calls import Kind
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
from lakeproof.model.promises import promised
from lakeproof.model.records import Branch, Commit
from lakeproof.model.snapshot import Snapshot, Status

Judge = Always | Eventually | Monitor


def _commits_are_kept(snapshot: Snapshot) -> Iterator[Finding]:
    """Of all commits that were acknowledged, each is on the line of first parents of the branch."""
    partition = uid_partition(LAKE)
    branch = snapshot.store.get((partition, keys.branch_key(TRUNK)))
    name = branch.commit_id if isinstance(branch, Branch) else None
    line = set[str]()
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
_AFTERMATH: Final = "needs calls after the end"
_ALONE: Final = "clients are never alone"
_TERMS: Final = "under load a store's own errors come out, and each is counted"
_TOO_LONG: Final = "some hundred calls are too many for the monitor"


@attrs.frozen
class Group:
    """Clients that call some operations. unjudged: what these promise and a round cannot show, with the reason."""

    kinds: tuple[Kind, ...]
    unjudged: Mapping[str, str]

    @property
    def judged(self) -> tuple[Judge, ...]:
        """Raises KeyError for a promise that has no judge and no reason."""
        return tuple(JUDGES[each] for each in promised(*self.kinds) if each not in self.unjudged)


OF_ENTRIES: Final = Group(
    kinds=(
        calls.SET_ENTRY,
        calls.DELETE_ENTRY,
        calls.GET_ENTRY,
        calls.LIST_ENTRIES,
        calls.COMMIT,
        calls.CREATE_BRANCH,
        calls.DELETE_BRANCH_BY_TOMBSTONE,
    ),
    unjudged={
        "refused-write-is-absent": "no write is conditional, so none is refused",
        "acknowledged-reset-is-kept": "nobody resets",
        "branch-starts-clean": "nobody writes to the branches that come and go",
        "branch-delete-spares-successor": _ON_STEP,
        "branch-stays-committable": _AFTERMATH,
        "refused-commit-is-absent": "judged as failed-call-changed-nothing",
        "linearizable": _TOO_LONG,
        "alone-is-exact": _ALONE,
        "answers-in-its-terms": _TERMS,
    },
)
"""Of the repository that stays."""
OF_REPOSITORIES: Final = Group(
    kinds=(
        calls.CREATE_REPOSITORY,
        calls.DELETE_REPOSITORY,
        calls.GET_REPOSITORY,
        calls.LIST_REPOSITORIES,
        calls.CREATE_BRANCH,
        calls.GET_BRANCH,
        calls.DELETE_BRANCH,
        calls.CREATE_TAG,
        calls.CLEAN,
    ),
    unjudged={
        "create-is-unique": _ON_STEP,
        "some-delete-succeeds": "is about deletes alone, and here creates come between",
        "delete-spares-successor": _ON_STEP,
        "branch-delete-spares-successor": _ON_STEP,
        "cleaner-spares-live": _ON_STEP,
        "superseded-is-cleaned": _AFTERMATH,
        "id-becomes-reusable": _AFTERMATH,
        "linearizable": _TOO_LONG,
        "alone-is-exact": _ALONE,
        "answers-in-its-terms": _TERMS,
        "doubt-has-a-reason": "a server may leave any call in doubt",
        "cleaner-goes-on": _ON_STEP,
        "deleted-data-is-reclaimable": "nobody writes entries",
        "deleted-data-is-reclaimed": _AFTERMATH,
        "deletion-spares-foreign-data": "nobody writes objects",
        "staged-entries-are-reclaimable": "nobody writes entries",
        "objects-are-reclaimable": "nobody writes objects",
        "branches-are-reclaimable": "judged as garbage-is-reclaimable",
        "tags-are-reclaimable": "judged as garbage-is-reclaimable",
        "commits-are-reclaimable": "judged as garbage-is-reclaimable",
        "deletion-leaves-a-lead": "judged as garbage-is-reclaimable",
        "claim-lasts-two-minutes": _ON_STEP,
        "name-is-not-blocked": _AFTERMATH,
        "deletion-spares-live-data": _ON_STEP,
        "branch-create-is-effective": "a branch goes with its repository",
        "branch-delete-is-effective": "a branch goes with its repository",
        "branch-starts-clean": "nobody writes entries",
        "head-exists": "what is left of a deleted repository is half cleaned",
        "token-has-one-owner": "what is left of a deleted repository is half cleaned",
    },
)
"""Of repositories that come and go."""


def observers(group: Group) -> tuple[Observer, ...]:
    """What has to be watched of each call."""
    return tuple(dict.fromkeys(each for judge in group.judged for each in judge.observers))
