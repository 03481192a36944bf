"""``kv3``: a partition for each instance, the entry deleted first. Zombies are gone; the rest is not."""

from lakeproof.designs.designs import rows, variant
from lakeproof.designs.races import Refuted
from lakeproof.designs.repository_designs import (
    BROKEN_SCAN,
    BROKEN_SCANS,
    EXISTS,
    FAILED,
    ONE_FAULT,
    RETURNS,
    SEEN_SCANS,
    UNSURE,
    UNSURE_CREATES,
    UNSURE_READS,
    UNSURE_TAGS,
    RepositoryDesign,
    by_kind,
    everything,
)
from lakeproof.impl.repositories import kv3

SOURCE = "graveler-on-kv.md, Deleting a Repository"

# The globs mean the op ``create`` alone: a bare repository has nothing to lack.
COMPLETE = Refuted("the entry alone says that a repository exists, and it is written first", "*create *create[-/]*")
SUCCESSOR = Refuted(
    "the entry is deleted by its id: two deletes that have read the same instance delete two",
    "delete-delete-create* delete-delete-delete-* retry_delete-create* delete-create/late-write",
)
UNDONE = Refuted("a late delete of the entry takes the new repository away", SUCCESSOR.races)
STRANDED = (
    "delete-create_branch* delete-delete-* delete-create-create_branch* delete-create-tag* "
    "delete-create_bare-create_branch* delete-*crash delete-*scan-failure delete-*/lost-answer "
    "delete-create/late-write retry_delete-create* absent/create-delete* absent/create-create-delete*"
)
LEFT = "with the entry gone nothing leads to the partition; the list of partitions to delete is out of KV3's scope"

KV3 = RepositoryDesign(
    name="repositories/kv3",
    flows=kv3.FLOWS,
    source=SOURCE,
    blind_create=True,
    refuted={
        "active-is-complete": COMPLETE,
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": UNDONE,
        "delete-is-effective": RETURNS,
        **by_kind(
            Refuted(LEFT, STRANDED),
            branches="absent* *-answer */crash delete-delete-* delete-create_branch* delete-create_bare-* "
            "delete-create-create* *-crash *-write",
            commits="absent* *-answer */crash delete-delete-* *-crash *-failure *-write",
            tags="delete-create-tag*",
        ),
        FAILED: Refuted(f"{UNSURE}; {BROKEN_SCAN}", f"{UNSURE_CREATES} {BROKEN_SCANS}"),
        "linearizable": Refuted(
            f"{UNSURE}; {BROKEN_SCAN}",
            f"{UNSURE_READS} {UNSURE_TAGS} delete-create-tag/false-predicate {SEEN_SCANS}",
        ),
    },
)

ENTRY_LAST = variant(
    KV3,
    "entry-last",
    {
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": UNDONE,
        "delete-is-effective": RETURNS,
        **by_kind(
            Refuted(f"{LEFT}; nor does anything lead to what a create wrote that never came to its entry", "delete-*"),
            branches="delete-*",
            commits="delete-*",
        ),
        FAILED: Refuted(UNSURE, "delete-*create*/false-predicate"),
        "linearizable": Refuted(UNSURE, "delete-create-create_branch/false-predicate"),
    },
    {"create": {"entry_last": True}},
)

ROWS = [
    *everything(KV3),
    *rows(
        ENTRY_LAST,
        "delete-create delete-create-create_branch delete-create-create delete-delete-create",
        ONE_FAULT,
        EXISTS,
    ),
]
