"""Hard delete, proposal 1: staged objects on a path of branch and token, as the text says it, and what can be mended.

What is staged is a listing of objects, and nothing on the KV. So the invariants look through `as_staged`, which adds to
the store the staged entries that those listings stand for. `staged-data-is-kept` says nothing then: a staged entry *is*
its object.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final
from urllib.parse import unquote_to_bytes

import attrs

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.hard_delete import object_path
from lakeproof.impl.hard_delete._staging_area import staged_change, staging_prefix
from lakeproof.model import keys
from lakeproof.model.invariants import Always, Invariant, Monitor
from lakeproof.model.objects import listed
from lakeproof.model.records import StagedEntry
from lakeproof.model.references import RepositoryView, repositories
from lakeproof.model.snapshot import Snapshot
from lakeproof.scenario import Aftermath, Call, Faults, Scenario
from lakeproof.scenarios._branch_data import BRANCH
from lakeproof.scenarios._hard_delete import FAULTS, PAGED, Variant, scenario, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "hard-delete-uncommitted-data.md, 1. Write staged data directly to object store on a defined path"
ALONE: Final = {"": Faults()}
FAULTY: Final = {suffix: faults for suffix, faults in FAULTS.items() if suffix}
LATE: Final = {"/delayed-duplicate": Faults(lost_answers=1, duplicates=1)}


def as_staged(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a staged entry for each object under a token of a branch, and without tombstone objects."""
    store = dict(snapshot.store)
    found = dict(snapshot.objects)
    for view in repositories(snapshot):
        for address, partition, change in _staged(view):
            store[partition, keys.staged_key(change.key)] = change
            if change.data is None:
                del found[address]
    return attrs.evolve(snapshot, store=store, objects=found)


def _staged(view: RepositoryView) -> Iterator[tuple[str, bytes, StagedEntry]]:
    for branch in view.branches.values():
        for token in (branch.staging_token, *branch.sealed_tokens):
            prefix = f"{view.namespace}/{staging_prefix(branch.branch_id, token)}"
            for address, stored in view.objects.items():
                if address.startswith(prefix):
                    path = unquote_to_bytes(address.removeprefix(prefix))
                    change = staged_change(branch.branch_id, token, path, listed(address, stored))
                    yield address, keys.staging_partition(token), change


def through_listings(given: Scenario) -> Scenario:
    """The scenario with invariants that see what is staged."""
    return attrs.evolve(
        given,
        invariants=[_seeing(each) for each in given.invariants if each.id != "staged-data-is-kept"],
        aftermath=[_seeing_after(each) for each in given.aftermath],
    )


def _seeing(invariant: Invariant) -> Invariant:
    if isinstance(invariant, Always):
        check = invariant.check
        return attrs.evolve(invariant, check=lambda snapshot: check(as_staged(snapshot)))
    if isinstance(invariant, Monitor) and invariant.at_end is not None:
        at_end = invariant.at_end
        return attrs.evolve(invariant, at_end=lambda state, snapshot: at_end(state, as_staged(snapshot)))
    return invariant


def _seeing_after(aftermath: Aftermath) -> Aftermath:
    check = aftermath.check
    return attrs.evolve(aftermath, check=lambda outcomes, snapshot: check(outcomes, as_staged(snapshot)))


def aside(given: Scenario) -> Scenario:
    """The scenario with addresses that are issued outside the staging area."""
    return attrs.evolve(given, clients=[[_aside(call) for call in client] for client in given.clients])


def _aside(call: Call) -> Call:
    if call.name != "upload_and_link":
        return call
    flow = partial(catalog.upload_and_link, get_address=object_path.get_address_aside, link=object_path.link_from_aside)
    return Call(flow, *call.args)


UNCHANGED: Final = "committed-data-is-unchanged"
KEPT: Final = "committed-data-is-kept"
WRITTEN: Final = "acknowledged-write-is-kept"
GARBAGE: Final = "garbage-is-reclaimed"

IN_PLACE: Final = Refuted(
    "what is staged at a path lies where it will be committed: whoever has read the branch writes there, however late",
    (
        "write-during-commit",
        "upload-upload-commit",
        "upload.upload-commit",
        "staged/move-commit",
        "staged/delete-commit",
        "staged/link-commit",
        "upload.upload.commit/delayed-duplicate",
    ),
)
DELETED_LATE: Final = Refuted(
    "the branch is deleted whatever has become of it since it was read: the token that it had is committed, and a "
    "branch leads to that commit",
    ("staged/commit.branch-drop",),
)
TAKEN_BACK: Final = Refuted(
    "a put whose answer was lost comes once more, over what its writer has put and committed after it",
    ("upload.upload.commit/delayed-duplicate",),
)
LEFT_BEHIND: Final = Refuted(
    "an object is put under a token after it was listed, or a tombstone under one that is committed: nobody will look "
    "there again",
    (
        "upload-commit*",
        "upload-reset*",
        "upload-drop*",
        "link-commit",
        "upload-upload-commit",
        "upload.upload-commit",
        "upload.commit/delayed-duplicate",
        "staged/copy-commit*",
        "staged/move-commit",
        "staged/delete-commit",
        "staged/commit-drop/crash",
        "sealed/drop",
    ),
)
HALF_WAY: Final = Refuted(
    "who deletes the branch stops before its objects: nothing tells that they are there", ("staged/commit-drop/crash",)
)

PATH: Final = Variant(
    name="hard-delete/object_path",
    flows=object_path,
    source=SOURCE,
    words={"branch": ("create_branch", ("c", BRANCH)), "seal": ("seal", (BRANCH,))},
    options={"drop": {"which": "current"}},
    refuted={UNCHANGED: IN_PLACE, KEPT: DELETED_LATE, WRITTEN: TAKEN_BACK, GARBAGE: LEFT_BEHIND},
)

SINGLE_READ: Final = attrs.evolve(
    PATH,
    name="hard-delete/object_path-single-read",
    options={**PATH.options, "upload": {"rereads": False}},
    refuted={
        WRITTEN: Refuted("an object is put under a token that was listed and committed before", ("upload-commit",)),
        GARBAGE: LEFT_BEHIND,
    },
)

DELETES_OBJECT: Final = attrs.evolve(
    PATH,
    name="hard-delete/object_path-deletes-object",
    options={**PATH.options, "delete": {"deletes": "object"}},
    refuted={
        KEPT: Refuted("the staged object is deleted after it was listed for a commit", ("staged/delete-commit",)),
        WRITTEN: Refuted("the commit holds the entry of what was deleted", ("staged/delete-commit",)),
    },
)

ALL_TOKENS: Final = attrs.evolve(
    PATH,
    name="hard-delete/object_path-all-tokens",
    options={"drop": {"which": "all"}},
    refuted={KEPT: DELETED_LATE, GARBAGE: HALF_WAY},
)

WRITES: Final = ("upload", "uploady", "uploadmain", "stage", "copy", "copyback", "copymain", "move", "movez", "delete")

IMMUTABLE: Final = attrs.evolve(
    PATH,
    name="hard-delete/object_path-immutable",
    source=f"{SOURCE} (ours: a path is written once under a token)",
    options={
        **{word: {"overwrites": False} for word in WRITES},
        "drop": {"tombstone": True, "which": "all"},
        "commit": {"tidies": True},
    },
    refuted={
        GARBAGE: Refuted(
            LEFT_BEHIND.reason,
            (
                "upload-commit",
                "upload-reset",
                "upload-drop",
                "link-commit",
                "upload.upload.commit/delayed-duplicate",
                "upload.commit/delayed-duplicate",
                "upload-upload-commit",
                "staged/upload-commit*",
                "staged/copy-commit*",
                "staged/move-commit",
                "staged/delete-commit",
                "staged/link-commit",
                "staged/upload-upload-commit",
                "staged/upload-delete-commit",
                *HALF_WAY.races,
            ),
        )
    },
)

FRESH: Final = ("upload-commit", "upload-upload", "upload-reset", "upload-drop", "link-commit")
OVER: Final = (
    "copy-commit",
    "move-commit",
    "delete-commit",
    "reset-commit",
    "link-commit",
    "commit.branch-drop",
    "commit-drop",
)
UNSURE: Final = {suffix: FAULTS[suffix] for suffix in ("/lost-answer", "/false-predicate")}
CRASH: Final = {"/crash": Faults(crashes=1)}

_SCENARIOS: Final = [
    *scenarios(PATH, FRESH, ALONE),
    scenario(PATH, "upload-commit", initially=["upload"], name="write-during-commit"),
    *scenarios(PATH, OVER, ALONE, initially=["upload"], under="staged/"),
    *scenarios(PATH, ["upload-commit"], FAULTY),
    *scenarios(PATH, ["upload-upload-commit", "upload.upload-commit"], ALONE),
    *scenarios(PATH, ["upload.upload.commit", "upload.commit"], LATE),
    *scenarios(PATH, ["copy-commit"], PAGED, paged=1, initially=["upload"], under="staged/"),
    *scenarios(PATH, ["upload.commit"], FAULTS, initially=["upload"], under="staged/"),
    *scenarios(PATH, ["drop"], ALONE, initially=["upload", "seal"], under="sealed/"),
    *scenarios(ALL_TOKENS, ["drop"], ALONE, initially=["upload", "seal"], under="sealed/"),
    *scenarios(PATH, ["commit-drop"], CRASH, initially=["upload"], under="staged/"),
    *scenarios(ALL_TOKENS, ["commit-drop"], CRASH, initially=["upload"], under="staged/"),
    *scenarios(IMMUTABLE, ["commit-drop"], CRASH, initially=["upload"], under="staged/"),
    *scenarios(SINGLE_READ, ["upload-commit"], ALONE),
    *scenarios(DELETES_OBJECT, ["delete-commit"], ALONE, initially=["upload"], under="staged/"),
    *scenarios(ALL_TOKENS, ["commit-drop", "commit.branch-drop"], ALONE, initially=["upload"], under="staged/"),
    *scenarios(IMMUTABLE, FRESH, ALONE),
    *scenarios(IMMUTABLE, ["upload-commit"], {**ALONE, **CRASH}, initially=["upload"], under="staged/"),
    *scenarios(IMMUTABLE, OVER, ALONE, initially=["upload"], under="staged/"),
    *scenarios(IMMUTABLE, ["upload.upload.commit", "upload.commit"], LATE),
    *scenarios(PATH, ["commit-commit"], ALONE, initially=["upload"], under="staged/", deep=True),
    *scenarios(IMMUTABLE, ["upload-upload-commit"], ALONE, deep=True),
    *scenarios(IMMUTABLE, ["upload-commit"], UNSURE, initially=["upload"], under="staged/", deep=True),
    *scenarios(IMMUTABLE, ["copy-commit"], PAGED, paged=1, initially=["upload"], under="staged/"),
    *scenarios(
        IMMUTABLE,
        ["upload-delete-commit", "upload-upload-commit", "commit-commit"],
        ALONE,
        initially=["upload"],
        under="staged/",
        deep=True,
    ),
]

SCENARIOS = [through_listings(aside(each) if each.name.startswith(IMMUTABLE.name) else each) for each in _SCENARIOS]
