"""What a deleted repository leaves behind: staged entries, staging tokens and objects, beside users who were at work.

Every operation starts with a "fetch of the repository entry", and goes on when the repository is deleted under it.

Example: ``staged/upload-delete.clean``: x was uploaded to main, whose token is t, and is uploaded once more::

    upload    fetch r; put the object a1; read main: t
    delete    the entry of r is a tombstone
    clean     hardened: delete main and its commit         reclaiming: also what is staged under t, and data/s1/
    upload    stage x: a1 under t; read main: it is gone, BranchNotFound
    left      x, both objects; nothing names t             x; a note names t: the next run deletes x

"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs._circumstances import damage
from lakeproof.designs._hard_delete import OUTSIDE
from lakeproof.designs.branch_designs import AT, BRANCH, MAIN, X
from lakeproof.designs.designs import HOLDS, Caller, Design, Row, Word, rows
from lakeproof.designs.races import (
    CRASH,
    FALSE,
    LATE_WRITE,
    NONE,
    PAGED,
    REFUSED,
    SCAN_FAILURE,
    Before,
    Race,
    Refuted,
    branch_of,
)
from lakeproof.designs.repository_designs import JUMP
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow, ObjectFlows, RepositoryFlows, bind_reading
from lakeproof.impl.hard_delete import no_copies
from lakeproof.impl.hard_delete import no_copies_repositories as deleting
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened, kv3, reclaiming, step1, step2
from lakeproof.impl.repositories.revival import reviving
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.invariants import Invariant, data, deleted, jobs, lifecycle, repositories, restores
from lakeproof.scenario import Aftermath

RECLAIMABLE: Final = deleted.deleted_data_is_reclaimable.id
RECLAIMED: Final = deleted.DELETED_DATA_IS_RECLAIMED.id


@attrs.frozen(kw_only=True)
class Whole:
    """Repositories, and the objects on their branches."""

    repositories: RepositoryFlows
    objects: ObjectFlows = catalog.FLOWS
    notes: bool = False
    """Whether operations note tokens, and name the instance in addresses."""

    def within(self, flow: Flow | None) -> Flow | None:
        """A flow on a repository record as one on an id."""
        if flow is None:
            return None
        found = by_id(self.repositories.get_repository, flow)
        return reclaiming.noting(found) if self.notes else found

    def reviving(self) -> Flow:
        """Dump, delete, create bare, restore."""
        found = reviving(self.repositories)
        return reclaiming.noting(found) if self.notes else found


NAMESPACE: Final = StorageNamespace("mem://r")
"""Of all instances of r."""


async def _bring(env: Env) -> None:
    """Objects that are not lakeFS' own: far away, and under a name that begins as the storage namespace does."""
    await env.objects.put(OUTSIDE, b"o")
    await env.objects.put(f"{NAMESPACE}-beside/data/o", b"beside")


ON: Final = branch_of(MAIN, BRANCH)
WORDS: Final[Mapping[str, Word[Whole]]] = {
    "create": Word(lambda flows: flows.repositories.create_repository, "r"),
    "tag": Word(lambda flows: flows.repositories.create_tag, "r", "t"),
    "revive": Word(lambda flows: flows.reviving(), "r"),
    "delete": Word(lambda flows: flows.repositories.delete_repository, "r"),
    "clean": Word(lambda flows: flows.repositories.clean),
    "upload": Word(lambda flows: flows.within(flows.objects.upload_object), "r", ON, AT, Caller.BYTES),
    "bring": Word(lambda _: _bring),
    "damage": Word(lambda flows: flows.within(damage), "r", MAIN),
    "stage": Word(lambda flows: flows.within(flows.objects.stage_object), "r", MAIN, X, OUTSIDE, b"o"),
    "commit": Word(lambda flows: flows.within(flows.objects.commit), "r", ON, Caller.TEXT),
    "reset": Word(lambda flows: flows.within(flows.objects.reset_branch), "r", ON),
    "create_branch": Word(lambda flows: flows.within(branches.create_branch), "r", BRANCH, MAIN),
    "delete_branch": Word(lambda flows: flows.within(flows.objects.delete_branch), "r", BRANCH),
}


@attrs.frozen(kw_only=True)
class DeletedData(Design[Whole]):
    """A variant of the repository flows, and what users do in a repository."""

    source: str = "graveler-on-kv.md, Deleting a Repository"
    empties: bool = False
    """Whether its cleaner, or its delete, removes data."""

    vocabulary: ClassVar = WORDS

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        words = race.ops
        # Without a cleaner it is the delete that removes data.
        cleans = "clean" in words or self.flows.repositories.clean is None
        # The id has a repository again, and its data is none of a deleted one.
        lives = [word for word in words if word in ("create", "revive")]
        arises: list[tuple[Invariant, object]] = [
            (deleted.deleted_data_is_reclaimable, not lives),
            *((each, not lives and RECLAIMABLE in refuted) for each in deleted.OF_A_KIND.values()),
            (deleted.deletion_spares_live_data, self.empties and cleans),
            (repositories.delete_is_effective, "delete" in words),
            # All instances share the namespace: the cleaner of one must spare the objects of the next.
            (data.staged_data_is_kept, "create" in words and "upload" in words),
            (data.committed_data_is_kept, "revive" in words),
            # It compares the refs of both instances, and a cleaner would take those of the first.
            (restores.revival_is_whole, race.words == ("revive",)),
            (jobs.deletion_spares_foreign_data(NAMESPACE), "bring" in race.before),
        ]
        return [invariant for invariant, does in arises if does]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """One run of the cleaner."""
        if self.flows.repositories.clean is None or "revive" in race.ops:
            return []
        what, check = deleted.DELETED_DATA_IS_RECLAIMED, deleted.deleted_data_is_reclaimed
        return [self.after(what, ["clean"], check, paged=race.paged, clock_advance=JUMP)]


UPLOADED: Final = Before("staged/", "create.upload")
COMMITTED: Final = Before("committed/", "create.upload.commit")
TAGGED: Final = Before("tagged/", "create.create_branch.tag")
LIVED_IN: Final = Before("lived-in/", "create.create_branch.tag.upload.upload:y")
DAMAGED: Final = Before("damaged/", "create.upload.commit.damage")
FOREIGN: Final = Before("foreign/", "bring.create.stage")


def _of(name: str, flows: Whole, refuted: Mapping[str, Refuted], *, empties: bool = False) -> DeletedData:
    return DeletedData(name=f"deleted-data/{name}", flows=flows, refuted=refuted, empties=empties)


def _by_kind(left: Refuted, *, staged: str, objects: str = "") -> dict[str, Refuted]:
    """That what is left cannot be reclaimed, and in which races that is true of entries, and of objects."""
    kinds = {"staged-entries-are-reclaimable": staged, "objects-are-reclaimable": objects}
    return {RECLAIMABLE: left, **{name: Refuted(left.reason, races) for name, races in kinds.items() if races}}


def _life(flows: RepositoryFlows) -> Whole:
    return Whole(repositories=flows)


def _with_notes(flows: RepositoryFlows, objects: ObjectFlows = catalog.FLOWS) -> Whole:
    return Whole(repositories=flows, objects=objects, notes=True)


GONE: Final = (
    "the records that named the staging tokens, and the entries that named the objects, are deleted, and nothing else "
    "names them"
)
LATE: Final = "an operation that was under way stages an entry, or puts an object, after everything else was deleted"
# The entry goes first in the text: "then delete the repository entry [...], thus making it inaccessible".
LOST_STEPS: Final = "a delete that stops half-way cannot be repeated: its entry is gone"
LEFT: Final = _by_kind(
    Refuted(f"{GONE}; {LATE}", "staged/delete* staged/upload-delete* committed/delete*"), staged="staged/*", objects="*"
)


def as_it_is(name: str, flows: RepositoryFlows) -> DeletedData:
    """A life cycle that knows nothing of data."""
    return _of(name, _life(flows), LEFT)


def leaving(design: DeletedData, only: str) -> Iterator[Row]:
    """The races of a variant that leaves data behind. only: the ids that are checked of what was committed."""
    yield from rows(design, "delete upload-delete", NONE | CRASH, UPLOADED)
    yield from rows(design, "delete", NONE, COMMITTED, only=only)


BY_RECORDS: Final = "the cleaner deletes the records of a partition, and with them the only way to tokens and objects"
CLEANED_AWAY: Final = {
    **_by_kind(
        Refuted(BY_RECORDS, "*/*delete.clean staged/upload-delete*"), staged="staged/*delete.clean", objects="*"
    ),
    RECLAIMED: Refuted(BY_RECORDS, "*"),
}
STEP2: Final = _of("step2", _life(step2.FLOWS), CLEANED_AWAY)
HARDENED: Final = _of("hardened", _life(hardened.FLOWS), CLEANED_AWAY)
UNNAMED: Final = Refuted(
    "an object that no entry names yet, or no longer, cannot be followed; and a token that a commit or a reset has "
    "taken from its branch is in no branch when the cleaner comes, while entries are under it",
    "staged/upload-delete.clean staged/reset-delete.clean staged/commit-delete.clean/*",
)
FOLLOWING: Final = _of(
    "hardened-following",
    _life(reclaiming.FOLLOWING),
    {**_by_kind(UNNAMED, staged="staged/commit-*", objects="staged/reset-* staged/upload-*"), RECLAIMED: UNNAMED},
    empties=True,
)
LOST: Final = Refuted("what a lost metarange named cannot be followed: the instance is skipped", "damaged/delete.clean")
REUSED: Final = Refuted(
    "the commits that were restored name objects of the deleted repository, and those are deleted with it",
    "committed/revive*",
)
RECLAIMING: Final = _of(
    "reclaiming",
    _with_notes(reclaiming.FLOWS),
    {data.committed_data_is_kept.id: REUSED, deleted.deletion_spares_live_data.id: REUSED},
    empties=True,
)
FORGOTTEN: Final = "what is staged late, under a token whose note has gone, is never found"
FORGETTING: Final = _of(
    "reclaiming-forgets",
    _with_notes(reclaiming.FORGETTING),
    {
        **_by_kind(Refuted(FORGOTTEN, "staged/upload-delete.clean*"), staged="staged/upload-*"),
        RECLAIMED: Refuted(
            f"{FORGOTTEN}; and without a note nothing tells the namespace, if a run stops before its listing",
            "staged/upload-delete.clean* staged/delete.clean/crash",
        ),
    },
    empties=True,
)
SHARED: Final = Refuted("all instances of an id share its namespace", "staged/*create*")
NAMESPACES: Final = _of(
    "reclaiming-namespace",
    _with_notes(reclaiming.EMPTYING_NAMESPACES),
    {data.staged_data_is_kept.id: SHARED, deleted.deletion_spares_live_data.id: SHARED},
    empties=True,
)
BY_TEXT: Final = Whole(repositories=deleting.FLOWS, objects=no_copies.FLOWS)
ALL_ENTRIES: Final = _of(
    "no_copies-all-entries",
    attrs.evolve(BY_TEXT, repositories=bind_reading(deleting.FLOWS, reading=deleting.ALL_ENTRIES)),
    _by_kind(Refuted(f"{LATE}; {LOST_STEPS}", "staged/upload-delete* staged/delete/crash"), staged="*", objects="*"),
    empties=True,
)
NO_COPIES: Final = _of(
    "no_copies",
    BY_TEXT,
    _by_kind(
        Refuted(
            f"{LATE}; {LOST_STEPS}; and the objects of committed entries stay",
            "staged/upload-delete* staged/delete/crash committed/delete",
        ),
        staged="staged/*",
        objects="*",
    ),
    empties=True,
)
MENDED: Final = _of(
    "no_copies-reclaiming",
    _with_notes(reclaiming.FLOWS, bind_reading(no_copies.FLOWS, reading=no_copies.CAREFUL)),
    HOLDS,
    empties=True,
)

BESIDE: Final = "delete.clean upload-delete.clean commit-delete.clean reset-delete.clean create_branch-delete.clean"
REPLACED: Final = "delete.create.upload-clean upload-delete.create-clean"
"""The id has another repository when the cleaner comes."""
CLEANED: Final = RECLAIMING.after(lifecycle.SUPERSEDED_IS_CLEANED, ["clean"], lifecycle.superseded_is_cleaned)
"""Records, which are no data: the notes are all that stays."""
LEAVING: Final = (as_it_is("kv3", kv3.FLOWS), as_it_is("step1", step1.FLOWS), STEP2, HARDENED, NO_COPIES, ALL_ENTRIES)

ROWS = [
    *(row for design in LEAVING for row in leaving(design, f"{RECLAIMABLE} {RECLAIMED}")),
    *rows(STEP2, "delete.clean", NONE, UPLOADED),
    *rows(HARDENED, "delete.clean upload-delete.clean", NONE, UPLOADED),
    *rows(HARDENED, "delete.clean", NONE, COMMITTED),
    *rows(HARDENED, "revive", NONE, TAGGED, only=restores.revival_is_whole.id),
    *rows(FOLLOWING, BESIDE, NONE, UPLOADED),
    *rows(FOLLOWING, "commit-delete.clean", CRASH, UPLOADED),
    *rows(FOLLOWING, "commit-delete.clean", FALSE, UPLOADED, deep=True),
    *rows(FOLLOWING, "delete.clean", CRASH, COMMITTED),
    # A budget of one fault has the executions without any, too; and that of a late write those with a lost answer.
    *rows(RECLAIMING, BESIDE, CRASH | LATE_WRITE, UPLOADED),
    *rows(RECLAIMING, "commit-delete.clean create_branch-delete.clean", FALSE | REFUSED, UPLOADED),
    *rows(RECLAIMING, "delete.clean", CRASH | FALSE | REFUSED | LATE_WRITE, COMMITTED),
    *rows(RECLAIMING, "delete.clean", CRASH, LIVED_IN, more=(CLEANED,)),
    *rows(RECLAIMING, "create_branch.upload@b-delete.clean", CRASH, UPLOADED),
    *rows(RECLAIMING, "create_branch.upload@b-delete.clean", LATE_WRITE, UPLOADED, deep=True),
    *rows(RECLAIMING, "upload-delete.clean", PAGED | SCAN_FAILURE, UPLOADED, paged=1),
    *rows(RECLAIMING, "upload-commit-delete.clean", CRASH, UPLOADED),
    *rows(RECLAIMING, "upload-reset-delete.clean upload-delete.clean-clean", NONE, UPLOADED),
    *rows(RECLAIMING, "upload-commit-delete.clean", LATE_WRITE, UPLOADED, deep=True),
    *rows(RECLAIMING, "upload-reset-delete.clean upload-delete.clean-clean", CRASH | LATE_WRITE, UPLOADED, deep=True),
    *rows(RECLAIMING, REPLACED, CRASH, UPLOADED),
    *rows(RECLAIMING, REPLACED, LATE_WRITE, UPLOADED, deep=True),
    *rows(RECLAIMING, "revive.clean revive-clean", NONE, COMMITTED),
    *rows(FORGETTING, "delete.clean upload-delete.clean", NONE | CRASH, UPLOADED),
    *rows(NAMESPACES, "delete.create.upload-clean", NONE, UPLOADED),
    *rows(MENDED, BESIDE, CRASH, UPLOADED),
    *rows(MENDED, BESIDE, FALSE | LATE_WRITE, UPLOADED, deep=True),
    *rows(MENDED, "delete.clean", CRASH, COMMITTED),
    *rows((FOLLOWING, RECLAIMING, MENDED), "delete.clean", NONE, FOREIGN, only=jobs.FOREIGN),
    *rows((RECLAIMING, MENDED), "delete.clean", NONE, DAMAGED, only=RECLAIMED),
    *rows(attrs.evolve(FOLLOWING, refuted={RECLAIMED: LOST}), "delete.clean", NONE, DAMAGED, only=RECLAIMED),
    *rows((NO_COPIES, ALL_ENTRIES), "delete", NONE, FOREIGN, only=jobs.FOREIGN),
]
