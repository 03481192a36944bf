"""Repositories as lakeFS has them today, and the smallest repair: an entry that is never deleted."""

from collections.abc import Iterator
from typing import Final

from lakefs_today import repositories
from lakeproof.designs.designs import Row, rows
from lakeproof.designs.races import CRASH, LATE_WRITE, LOST, NONE, Refuted
from lakeproof.designs.repository_designs import (
    ABSENT,
    BESIDE,
    CREATED,
    EXISTING,
    EXISTS,
    IN_PAGES,
    ONE_FAULT,
    PAGED_FAULTS,
    TWO_BRANCHES,
    RepositoryDesign,
    by_kind,
)

SOURCE: Final = "lakeFS pkg/graveler/ref/manager.go, DeleteRepository and CreateRepository"

HANGING: Final = Refuted(
    "what a refused or failed create has written, or a branch that comes while the repository is being deleted, is "
    "left where no entry leads",
    "delete-create* delete-delete-create* delete-create_bare-create_branch* absent/create-delete/crash "
    "absent/create-delete/lost-answer absent/create-delete/false-predicate absent/create-delete-get/false-predicate "
    "absent/create-create-delete* absent/create-delete-get/crash absent/create-delete-get/lost-answer "
    "absent/create-delete-create_branch/crash absent/create-delete-create_branch/lost-answer "
    "absent/create-delete/late-write retry_delete-create*",
)

SOME: Final = Refuted(
    "each of two deletes misses a branch that the other one has deleted, ends with: not found, and leaves the entry",
    "two_branches/delete-delete",
)
BLOCKED: Final = (
    "while it is being deleted a repository is gone to readers, and its id is taken to creators; a listing in pages is "
    "no snapshot"
)
UPSTREAM: Final = RepositoryDesign(
    name="repositories/upstream",
    flows=repositories.FLOWS,
    source=SOURCE,
    refuted={
        "delete-spares-successor": Refuted(
            "the last step of a delete removes the entry by its key, and the state is a blind Set: the slower of two "
            "deletes, or a late write of it, removes or hides the repository that was created after the faster one",
            "delete-delete-create* retry_delete-create* delete-create/late-write",
        ),
        "create-is-effective": Refuted(
            "a late delete, or a late write of its state, takes the new repository away",
            "delete-delete-create* retry_delete-create* delete-create/late-write",
        ),
        "active-is-complete": Refuted(
            "an unacknowledged claim that arrives after the delete brings the entry back, without its entities",
            "absent/create-delete/late-write",
        ),
        "delete-is-effective": Refuted(
            "an unacknowledged claim that arrives after the delete brings the entry back",
            "absent/create-delete/late-write",
        ),
        "failed-call-changed-nothing": Refuted(
            "a SetIf that was applied and reported as failed is answered with: not unique; and a delete that fails on "
            "its way, because another was faster or a scan broke, has hidden the repository",
            "*/paged-scan-failure absent/*/false-predicate delete-create/false-predicate delete-delete* "
            "two_branches/* delete-create-*/false-predicate delete-create_bare-create_branch/false-predicate",
        ),
        "some-delete-succeeds": SOME,
        "linearizable": Refuted(
            BLOCKED,
            "absent/create-create-delete/false-predicate absent/create-create_branch/false-predicate "
            "absent/create-get/false-predicate absent/create-delete-*/false-predicate delete-create-create_branch* "
            "delete-create-get* delete-create-list* delete-create-tag* delete-create_bare* "
            "delete-create_branch/paged-scan-failure tag-tag/false-predicate",
        ),
        **by_kind(
            HANGING.but(
                also="delete-create_branch* absent/create-delete-create_branch* absent/create-create "
                "absent/create-create/* absent/create-create_bare* absent/create-create_branch/crash "
                "absent/create-create_branch/lost-answer absent/create-create_branch/false-predicate "
                "absent/create-get/crash absent/create-get/lost-answer absent/create-get/false-predicate"
            ),
            branches="delete-* absent* *-answer",
            commits="delete-create-* delete-create/* delete-delete-* absent/create-create-* absent/create-delete/* "
            "absent/create-delete-get* *-create retry_delete-* *-delete-create_branch/crash "
            "*-delete-create_branch/lost-answer *-delete-create_branch/false-predicate absent/create-create/* "
            "absent/create-create_bare* "
            "absent/create-create_branch/* absent/create-get/*",
            tags="delete-create-tag*",
        ),
    },
    blind_create=True,
)
MENDED: Final = RepositoryDesign(
    name="repositories/upstream-tombstone",
    flows=repositories.WITH_TOMBSTONES,
    source=SOURCE + " (ours: a deleted repository leaves an entry, which is only ever replaced by SetIf)",
    refuted={
        **by_kind(
            HANGING.but(also="absent/create-create absent/create-create/*"),
            branches="delete-* absent* *-answer",
            commits="delete-* absent* *-answer",
        ),
        "failed-call-changed-nothing": Refuted(
            "a SetIf that was applied, and reported as failed, or comes late, is answered with a conflict, or: not "
            "unique; and a delete whose scan broke has hidden the repository",
            "*/late-write */paged-scan-failure absent/*/false-predicate absent/*-delete*/lost-answer "
            "two_branches/delete-delete/lost-answer "
            "delete-*/lost-answer delete-create*/false-predicate delete-delete-create/false-predicate",
        ),
        "linearizable": Refuted(
            BLOCKED,
            "delete-get/lost-answer absent/create-delete-create_branch/lost-answer delete-create-* "
            "absent/create-create-delete/false-predicate absent/create-delete-create_branch/false-predicate",
        ),
    },
    blind_create=True,
)


def all_races(design: RepositoryDesign) -> Iterator[Row]:
    """What `everything` has, but for the largest crowds: a delete of today has twice the effects of `step1`."""
    yield from rows(design, EXISTING, ONE_FAULT, EXISTS)
    yield from rows(design, CREATED, ONE_FAULT, ABSENT)
    yield from rows(design, "delete-create", LATE_WRITE, EXISTS)
    yield from rows(design, "create-delete", LATE_WRITE, ABSENT)
    yield from rows(design, "retry_delete-create", LOST, EXISTS)
    yield from rows(design, IN_PAGES, PAGED_FAULTS, BESIDE, paged=1)
    yield from rows(design, "delete-delete-create-create", NONE, EXISTS)


AT_ONCE: Final = RepositoryDesign(
    name="repositories/upstream-parallel",
    flows=repositories.AT_ONCE,
    source=SOURCE + ", deleteRepository: four goroutines, and one for each entity",
    refuted={
        "delete-spares-successor": Refuted(
            "as one after the other: the slower of two deletes removes the repository that was created after the "
            "faster one",
            "delete-delete-create",
        ),
        "create-is-effective": Refuted("a late delete takes the new repository away", "delete-delete-create"),
        "failed-call-changed-nothing": Refuted(
            "a delete that fails on its way, because another was faster, has hidden the repository",
            "delete-delete-create",
        ),
        **by_kind(
            Refuted(
                "what a refused create has written is left where no entry leads", "delete-create* delete-delete-create"
            ),
            branches="delete-*",
            commits="delete-*",
        ),
    },
    blind_create=True,
)
MENDED_AT_ONCE: Final = RepositoryDesign(
    name="repositories/upstream-parallel-tombstone",
    flows=repositories.AT_ONCE_WITH_TOMBSTONES,
    source=MENDED.source,
    refuted={
        **by_kind(
            Refuted(
                "what a refused create has written is left where no entry leads", "delete-create delete-delete-create"
            ),
            branches="*-create",
            commits="*-create",
        ),
    },
    blind_create=True,
)

ROWS = [
    *all_races(UPSTREAM),
    *rows(UPSTREAM, "delete-delete", NONE, TWO_BRANCHES),
    *rows(UPSTREAM, "delete-delete", NONE, EXISTS),
    *rows(UPSTREAM, "delete.delete-delete", NONE, TWO_BRANCHES),
    *rows(MENDED, "delete-delete", ONE_FAULT, TWO_BRANCHES),
    *rows(MENDED, "delete-create delete-get delete-delete-create delete-create-create_branch", ONE_FAULT, EXISTS),
    *rows(MENDED, "create-create create-create-delete create-delete-create_branch", ONE_FAULT, ABSENT),
    *rows(MENDED, "delete-create delete-delete-create", LATE_WRITE, EXISTS),
    *rows(MENDED, "create-delete", LATE_WRITE, ABSENT),
    *rows(MENDED, "retry_delete-create", LOST, EXISTS),
    *rows(MENDED, "delete-create delete-create-list", PAGED_FAULTS, BESIDE, paged=1),
    *rows(MENDED, "delete-delete-create-create", NONE, EXISTS),
    *rows(AT_ONCE, "delete-create", NONE | CRASH, EXISTS),
    *rows(AT_ONCE, "delete-get delete-delete-create", NONE, EXISTS),
    *rows(AT_ONCE, "create-delete", NONE, ABSENT),
    *rows(MENDED_AT_ONCE, "delete-create", NONE, EXISTS),
    *rows(MENDED_AT_ONCE, "delete-delete-create", NONE, EXISTS, deep=True),
]
