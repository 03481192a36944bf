"""Hard delete, proposal 1: staged objects on a path of branch and token, as the text says it, and what can be mended.

What is staged is a listing of objects, and nothing on the KV. So the invariants look through `as_staged`, which adds to
the store the staged entries that those listings stand for. `staged-data-is-kept` says nothing then: a staged entry *is*
its object.
"""

from typing import Final
from urllib.parse import unquote_to_bytes

import attrs

from lakeproof.designs._hard_delete import (
    COMMITTED,
    GARBAGE,
    KEPT,
    STAGED,
    UNCHANGED,
    UPLOADED,
    WRITTEN,
    ObjectDesign,
    words_of_grant,
)
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X, Y
from lakeproof.designs.designs import HOLDS, rows, variant
from lakeproof.designs.races import CRASH, FALSE, FAULTS, FAULTY, LOST, NONE, PAGED, Before, Refuted, fault, path_of
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.hard_delete import object_path
from lakeproof.impl.hard_delete.staging_area import staged_address, staged_at, staged_change
from lakeproof.model import keys
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.invariants import Always, Invariant, Monitor
from lakeproof.model.objects import listing_head
from lakeproof.model.references import repositories
from lakeproof.model.snapshot import Snapshot
from lakeproof.scenario import Aftermath, Faults, Scenario

LATE: Final = fault("delayed-duplicate", Faults(lost_answers=1, duplicates=1))
AN_UPLOAD: Final = Before("", "upload")


def as_staged(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a staged entry for each object under a token of a branch, and without tombstone objects."""
    store, found = dict(snapshot.store), dict(snapshot.objects)
    for view in repositories(snapshot):
        # What lies under a token that no branch names is not staged: it is garbage, or committed.
        for branch, token in [(each, one) for each in view.branches.values() for one in each.tokens]:
            prefix = f"{view.namespace}/{staged_address(branch.branch_id, token)}"
            for address in [each for each in view.objects if each.startswith(prefix)]:
                path = unquote_to_bytes(address.removeprefix(prefix))  # as `staged_address` has quoted it
                change = staged_change(branch.branch_id, token, path, listing_head(address, view.objects[address]))
                store[keys.staging_partition(token), keys.staged_key(path)] = change
                # While its token is on the branch, a tombstone object is a staged change, and neither data nor garbage.
                if change.data is None:
                    del found[address]
    return attrs.evolve(snapshot, store=store, objects=found)


def _seeing(invariant: Invariant) -> Invariant:
    if isinstance(invariant, Always):
        check = invariant.check
        return attrs.evolve(invariant, check=lambda snapshot: check(as_staged(snapshot)))
    if isinstance(invariant, Monitor) and invariant.at_end is not None:
        # A monitor follows calls, and looks at the store in the end alone.
        at_end = invariant.at_end
        return attrs.evolve(invariant, at_end=lambda state, snapshot: at_end(state, as_staged(snapshot)))
    return invariant


def _seeing_after(aftermath: Aftermath) -> Aftermath:
    check = aftermath.check
    return attrs.evolve(aftermath, check=lambda outcomes, snapshot: check(outcomes, as_staged(snapshot)))


@attrs.frozen(kw_only=True)
class PathDesign(ObjectDesign):
    """The proposal in one reading."""

    def adapt(self, scenario: Scenario) -> Scenario:
        """The scenario with invariants that see what is staged."""
        return attrs.evolve(
            scenario,
            invariants=[_seeing(each) for each in scenario.invariants if each.id != STAGED],
            aftermath=[_seeing_after(each) for each in scenario.aftermath],
        )


# The text's own blocker: "Write to object is completed - changing the data after it was already committed".
IN_PLACE: Final = Refuted(
    "what is staged at a path lies where it will be committed: a reader of the branch writes there, however late",
    "write-during-commit upload-upload-commit upload.upload-commit staged/move-commit staged/delete-commit "
    "staged/link-commit upload.upload.commit/delayed-duplicate",
)
DELETED_LATE: Final = Refuted(
    "the branch is deleted whatever has become of it since it was read: the token that it had is committed, and a "
    "branch leads to that commit",
    "staged/commit.create_branch-delete_branch",
)
TAKEN_BACK: Final = Refuted(
    "a put whose answer was lost comes once more, over what its writer has put and committed after it",
    "upload.upload.commit/delayed-duplicate",
)
LEFT_BEHIND: Final = Refuted(
    "an object is put under a token after it was listed, or a tombstone under one that is committed: no listing looks "
    "there again",
    "upload-commit* upload-reset* upload-delete_branch* link-commit upload-upload-commit upload.upload-commit "
    "upload.commit/delayed-duplicate staged/copy-commit* staged/move-commit staged/delete-commit "
    "staged/commit-delete_branch/crash sealed/delete_branch",
)

TOKEN: Final = StagingToken("r-b:u.s2.0")
ISSUED: Final = Grant(staged_at(REPOSITORY, BRANCH, TOKEN, X), TOKEN)
"""What `object_path.get_physical_address` gives to who asks for x under the first token of the branch."""

PATH: Final = PathDesign(
    name="hard-delete/object_path",
    flows=object_path.FLOWS,
    source="hard-delete-uncommitted-data.md, 1. Write staged data directly to object store on a defined path",
    refuted={UNCHANGED: IN_PLACE, COMMITTED: DELETED_LATE, WRITTEN: TAKEN_BACK, GARBAGE: LEFT_BEHIND},
)
MISSED: Final = Refuted("an object is put under a token that was listed and committed before", "upload-commit")
SINGLE_READ: Final = variant(
    PATH, "single-read", {WRITTEN: MISSED, GARBAGE: LEFT_BEHIND}, reading=object_path.SINGLE_READ
)
LISTED: Final = Refuted("the staged object is deleted after it was listed for a commit", "staged/delete-commit")
STAYS: Final = Refuted("the commit holds the entry of what was deleted", "staged/delete-commit")
DELETES_OBJECT: Final = variant(
    PATH, "deletes-object", {COMMITTED: LISTED, WRITTEN: STAYS}, reading=object_path.DELETES_OBJECT
)
HALF_WAY: Final = Refuted(
    "who deletes the branch stops before its objects: nothing tells that they are there",
    "staged/commit-delete_branch/crash",
)
ALL_TOKENS: Final = variant(
    PATH, "all-tokens", {COMMITTED: DELETED_LATE, GARBAGE: HALF_WAY}, reading=object_path.ALL_TOKENS
)
UNNOTICED: Final = Refuted(
    LEFT_BEHIND.reason,
    "upload-commit upload-reset upload-delete_branch link-commit upload.upload.commit/delayed-duplicate "
    "upload.commit/delayed-duplicate upload-upload-commit staged/upload-commit* staged/copy-commit* "
    "staged/move-commit staged/delete-commit staged/link-commit staged/upload-upload-commit "
    "staged/upload-delete-commit staged/commit-delete_branch/crash",
)
OURS: Final = " (ours: a path is written once under a token)"
IMMUTABLE: Final = variant(PATH, "immutable", {GARBAGE: UNNOTICED}, None, OURS, reading=object_path.IMMUTABLE)

LINKED, IMMUTABLE_LINKED = (
    attrs.evolve(each, name=f"{each.name}-linked", words=words_of_grant(ISSUED, path_of(X, Y)), refuted=HOLDS)
    for each in (PATH, IMMUTABLE)
)

FRESH: Final = "upload-commit upload-upload upload-reset upload-delete_branch link-commit"
OVER: Final = (
    "copy-commit move-commit delete-commit reset-commit link-commit commit.create_branch-delete_branch "
    "commit-delete_branch"
)
SEALED: Final = Before("sealed/", "upload.seal")

ROWS = [
    *rows(PATH, FRESH, NONE),
    *rows(PATH, "upload-commit", NONE, AN_UPLOAD, name="write-during-commit"),
    *rows(PATH, OVER, NONE, UPLOADED),
    # An address that was issued for x, linked at y: that is refused.
    *rows(LINKED, "link:y.link", NONE, Before("issued/", "get_address.put"), only=WRITTEN),
    # What is at the address is committed, and was not issued aside: that is refused.
    *rows(IMMUTABLE_LINKED, "link:y", NONE, KEPT, only=COMMITTED),
    *rows(PATH, "upload-commit", FAULTY),
    *rows(PATH, "upload-upload-commit upload.upload-commit", NONE),
    *rows(PATH, "upload.upload.commit upload.commit", LATE),
    *rows(PATH, "copy-commit", PAGED, UPLOADED, paged=1),
    *rows(PATH, "upload.commit", FAULTS, UPLOADED),
    # "each object under the branch's current staging token can be deleted": what is under a sealed one stays.
    *rows((PATH, ALL_TOKENS), "delete_branch", NONE, SEALED),
    *rows((PATH, ALL_TOKENS, IMMUTABLE), "commit-delete_branch", CRASH, UPLOADED),
    *rows(SINGLE_READ, "upload-commit", NONE),
    *rows(DELETES_OBJECT, "delete-commit", NONE, UPLOADED),
    *rows(ALL_TOKENS, "commit-delete_branch commit.create_branch-delete_branch", NONE, UPLOADED),
    *rows(IMMUTABLE, FRESH, NONE),
    *rows(IMMUTABLE, "upload-commit", NONE | CRASH, UPLOADED),
    *rows(IMMUTABLE, OVER, NONE, UPLOADED),
    *rows(IMMUTABLE, "upload.upload.commit upload.commit", LATE),
    *rows(PATH, "commit-commit", NONE, UPLOADED, deep=True),
    *rows(IMMUTABLE, "upload-upload-commit", NONE, deep=True),
    *rows(IMMUTABLE, "upload-commit", LOST | FALSE, UPLOADED, deep=True),
    *rows(IMMUTABLE, "copy-commit", PAGED, UPLOADED, paged=1),
    *rows(IMMUTABLE, "upload-delete-commit upload-upload-commit commit-commit", NONE, UPLOADED, deep=True),
]
