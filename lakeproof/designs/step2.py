"""``step2``: the state ``initial``, the id free at once, and the Cleaner. States written by ``set`` undo each other."""

from lakeproof.designs.designs import rows, variant
from lakeproof.designs.races import Refuted, fault
from lakeproof.designs.repository_designs import (
    ABSENT,
    EXISTS,
    FAILED,
    JUMP,
    ONE_FAULT,
    UNSURE,
    UNSURE_TAGS,
    RepositoryDesign,
    by_kind,
    everything,
)
from lakeproof.impl.repositories import step2
from lakeproof.scenario import Faults

SOURCE = "repository-operations-error-handling.md, Step 2"

SUCCESSOR = Refuted(
    'neither "Set the repository state to `deleting`" nor "Delete the repository entry" asks whose entry it is by then',
    "delete-delete-create* delete-delete-delete-* retry_delete-create* delete-create/late-write",
)
STRANDED = (
    "delete-delete-* delete-create/late-write absent/create-create-delete* delete-clean-create_branch* "
    "delete-create-clean-create_branch* absent/create-delete-clean*"
)
LATE = (
    "an entry that is overwritten or deleted unread leaves no record; and the cleaner drops a record while a writer "
    "that had read the entry before is still to write into the partition"
)

EMPTIED = Refuted(
    "a repository deleted while `initial` has a cleanup record when its creator's `set` makes it active, and the "
    "cleaner checks nothing",
    "absent/create-delete-clean*",
)

STEP2 = RepositoryDesign(
    name="repositories/step2",
    flows=step2.FLOWS,
    source=SOURCE,
    blind_create=True,
    leaves_garbage=True,
    refuted={
        "active-is-complete": EMPTIED,
        "cleaner-spares-live": EMPTIED,
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": Refuted(
            "a late delete, or a get that finds `initial` older than two minutes, overwrites an active entry",
            "delete-delete-* delete-create/late-write retry_delete-create* delete-create-get/clock-jump "
            "delete-create-create_branch/clock-jump delete-create-get_branch/clock-jump delete-create-tag/clock-jump "
            # ``[js]*``: clock-jump and clock-skew.
            "delete-create-clean-create_branch/clock-jump absent/create-get/clock-[js]* "
            "absent/create-create_branch/clock-jump absent/create-create-delete* absent/create-delete-get/clock-jump "
            "absent/create-delete-create_branch/clock-jump",
        ),
        "delete-is-effective": Refuted(
            "the creator's `set` to active brings back an entry that was deleted while it was `initial`",
            "delete-delete-* absent/create-delete* absent/create-create-delete*",
        ),
        "deleted-is-inaccessible": Refuted(
            "the creator's `set` to active brings back an entry that was deleted while it was `initial`",
            "absent/create-delete-get* absent/create-delete-create_branch* delete-delete-create-create_branch-get "
            "delete-delete-delete-create-create-get",
        ),
        "create-is-unique": Refuted(
            "the creator's `set` to active replaces the repository of a faster one",
            "absent/create-create-delete* delete-delete-create-create delete-delete-delete-create-create-get",
        ),
        **by_kind(Refuted(LATE, STRANDED), branches="delete-* absent*", commits="absent* delete-delete-* *-write"),
        FAILED: Refuted(
            UNSURE,
            "delete-create-create_branch/false-predicate delete-create_bare-create_branch/false-predicate "
            "absent/create-create_branch/false-predicate absent/create-create_bare/false-predicate "
            "absent/create-delete-create_branch/false-predicate",
        ),
        "linearizable": Refuted(UNSURE, f"{UNSURE_TAGS} delete-create-tag/false-predicate"),
    },
)

BY_SET_IF = variant(
    STEP2,
    "by-set-if",
    {
        "delete-spares-successor": Refuted(
            '"Delete the repository entry" still does not ask whose', "delete-delete-create*"
        ),
        "create-is-effective": Refuted(
            "a late delete of the entry takes the new repository away", "delete-delete-create*"
        ),
        **by_kind(
            Refuted(LATE, "delete-delete-* *-clean*"), branches="delete-* absent*", commits="absent* delete-delete-*"
        ),
        FAILED: Refuted(
            UNSURE,
            "delete-create/false-predicate delete-create-get/false-predicate delete-delete-create/false-predicate "
            "absent/create-*/false-predicate",
        ),
        "linearizable": Refuted(
            UNSURE,
            "delete-create-get/false-predicate absent/create-get/false-predicate "
            "absent/create-delete-get/false-predicate",
        ),
    },
    {
        "create": {"activate_by_set_if": True},
        "delete": {"state_by_set_if": True},
        "get": {"state_by_set_if": True},
        "create_branch": {"state_by_set_if": True},  # it begins with a get, and hands this on
    },
)

THROUGH_GET = variant(
    STEP2,
    "through-get",
    {
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": Refuted(
            "a late delete, or a get that finds `initial` older than two minutes, takes the repository away",
            "delete-delete-* absent/create-delete-get/clock-jump",
        ),
        "delete-is-effective": Refuted(
            "the creator's `set` to active brings back an entry that was declared failed and then deleted",
            "delete-delete-create/clock-jump absent/create-delete*/clock-jump",
        ),
        "deleted-is-inaccessible": Refuted(
            "the creator's `set` to active brings back an entry that was declared failed and then deleted",
            "absent/create-delete-get/clock-jump",
        ),
        **by_kind(Refuted(LATE, STRANDED), branches="delete-*", commits="delete-*"),
    },
    {"delete": {"through_get": True}},
)

DECLARES_FAILED = variant(
    STEP2,
    "create-declares-failed",
    {
        "create-is-effective": Refuted(
            "another create declares the repository failed by `set` when it is active already",
            "absent/create-create/clock-jump",
        )
    },
    {"create": {"declares_failed": True}},
)

AHEAD = fault("clock-skew", Faults(clock_skew=(0, JUMP)))
"""The clock of the second client is two minutes ahead: what has just begun is old to it."""

ROWS = [
    *everything(STEP2),
    *rows(STEP2, "create-get", AHEAD, ABSENT),
    *rows(BY_SET_IF, "create-get", AHEAD, ABSENT),
    *rows(
        BY_SET_IF,
        "delete-create delete-create-get delete-delete-create delete-create-clean-create_branch",
        ONE_FAULT,
        EXISTS,
    ),
    *rows(
        BY_SET_IF,
        "create-get create-delete create-delete-get create-create-delete create-delete-clean",
        ONE_FAULT,
        ABSENT,
    ),
    *rows(THROUGH_GET, "delete-delete-create", ONE_FAULT, EXISTS),
    *rows(THROUGH_GET, "create-delete create-delete-get", ONE_FAULT, ABSENT),
    *rows(DECLARES_FAILED, "delete-create", ONE_FAULT, EXISTS),
    *rows(DECLARES_FAILED, "create-create", ONE_FAULT, ABSENT),
]
