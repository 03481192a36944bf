"""``naive``: what becomes of the SQL flows without their transaction. Most of it is refuted, as the text says."""

from lakeproof.designs.races import Refuted
from lakeproof.designs.repository_designs import (
    FAILED,
    RETURNS,
    UNSURE,
    UNSURE_CREATES,
    UNSURE_OPERATIONS,
    UNSURE_READS,
    UNSURE_TAGS,
    RepositoryDesign,
    by_kind,
    everything,
)
from lakeproof.impl.repositories import naive

NAIVE = RepositoryDesign(
    name="repositories/naive",
    flows=naive.FLOWS,
    source="repository-operations-error-handling.md, Challenges",
    blind_create=True,
    refuted={
        "active-is-complete": Refuted(
            "the entry is visible before branch and commit are, and stays visible while they are deleted",
            "delete-* absent/* retry_delete-create*",
        ),
        "no-reachable-zombie": Refuted(
            "entities are keyed by the repository id alone: a late one appears in the next repository of that id",
            "delete-create-create_branch* delete-create-tag* delete-create_bare-create_branch* delete-delete-*create-* "
            "absent/create-create-delete*",
        ),
        "delete-spares-successor": Refuted(
            "the entry is deleted whatever it says by then",
            "delete-delete-create* delete-delete-delete-* retry_delete-create* delete-create/late-write",
        ),
        "create-is-effective": Refuted(
            "a late delete of the entry takes the new repository away",
            "delete-delete-create* delete-delete-delete-* retry_delete-create* delete-create/late-write",
        ),
        "delete-is-effective": RETURNS,
        **by_kind(
            Refuted(
                "no record leads to the partition once the entry is gone",
                "delete-create_branch* delete-create/late-write retry_delete-create* delete-delete-* "
                "delete-create-create_branch* delete-create-tag* delete-create_bare-create_branch* "
                "absent/create-delete* absent/create-create-delete*",
            ),
            branches="absent* delete-delete-* delete-create_branch* delete-create_bare-* delete-create-create_branch* "
            "*-write retry_delete-*",
            commits="absent* delete-delete-* *-write retry_delete-*",
            tags="delete-create-tag*",
        ),
        FAILED: Refuted(
            f"a create finds a default branch that was left behind and fails, when its entry is there; {UNSURE}",
            f"absent/create-create-delete* {UNSURE_CREATES}",
        ),
        "linearizable": Refuted(UNSURE, f"{UNSURE_READS} {UNSURE_OPERATIONS} {UNSURE_TAGS}"),
        "id-becomes-reusable": Refuted(
            "a default branch that was left behind makes the next create fail, and its entry stays",
            "delete-delete-* delete-create/late-write retry_delete-create* absent/create-delete* "
            "absent/create-create-delete*",
        ),
    },
)

ROWS = [*everything(NAIVE)]
