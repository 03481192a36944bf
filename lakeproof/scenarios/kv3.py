"""``kv3``: a partition for each instance, the entry deleted first. Zombies are gone; the rest is not."""

from lakeproof.impl.repositories import kv3
from lakeproof.scenarios._life_cycle import RETURNS, Refuted, Variant, scenarios

SOURCE = "graveler-on-kv.md, Deleting a Repository"

COMPLETE = Refuted(
    "the entry alone says that a repository exists, and it is written first",
    ("*create*",),
)
SUCCESSOR = Refuted(
    "the entry is deleted by its id: two deletes that have read the same instance delete two",
    ("delete-delete-create*", "delete-delete-delete-*", "retry-create*", "delete-create/late-write"),
)
UNDONE = Refuted("a late delete of the entry takes the new repository away", SUCCESSOR.races)
STRANDED = (
    "delete-branch*",
    "delete-delete-*",
    "delete-create-branch*",
    "delete-create-tag*",
    "delete-bare-branch*",
    "delete-*crash",
    "delete-*scan-failure",
    "delete-*/lost-answer",
    "delete-create/late-write",
    "retry-create*",
    "absent/create-delete*",
    "absent/create-create-delete*",
)
LEFT = "with the entry gone nothing leads to the partition; the list of partitions to delete is out of KV3's scope"

KV3 = Variant(
    name="kv3",
    flows=kv3,
    source=SOURCE,
    blind_create=True,
    refuted={
        "active-is-complete": COMPLETE,
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": UNDONE,
        "delete-is-effective": RETURNS,
        "garbage-is-reclaimable": Refuted(LEFT, STRANDED),
    },
)

ENTRY_LAST = Variant(
    name="kv3-entry-last",
    flows=kv3,
    source=SOURCE,
    blind_create=True,
    options={"create_repository": {"entry_last": True}},
    refuted={
        "delete-spares-successor": SUCCESSOR,
        "create-is-effective": UNDONE,
        "delete-is-effective": RETURNS,
        "garbage-is-reclaimable": Refuted(
            f"{LEFT}; nor does anything lead to what a create wrote that never came to its entry", ("delete-*",)
        ),
    },
)

SCENARIOS = [
    *scenarios(KV3),
    *scenarios(
        ENTRY_LAST, races=["delete-create", "delete-create-branch", "delete-create-create", "delete-delete-create"]
    ),
]
