"""Objects as they are today, without any hard delete: what is committed and staged is safe, and garbage stays."""

from typing import Final

from lakeproof.designs._hard_delete import GARBAGE, ObjectDesign
from lakeproof.designs.designs import rows
from lakeproof.designs.races import FAULTS, Before, Refuted
from lakeproof.impl.catalog import objects

TODAY: Final = ObjectDesign(
    name="hard-delete/today",
    flows=objects.FLOWS,
    source="hard-delete-uncommitted-data.md, Motivation",
    refuted={
        GARBAGE: Refuted(
            "uncommitted data which is no longer referenced is not being deleted",
            "upload-reset* copy-delete.reset* upload-delete_branch* upload-commit/crash upload-commit/lost-answer",
        )
    },
)

ROWS = [
    *rows(TODAY, "upload-commit upload-reset upload-delete_branch", FAULTS),
    *rows(TODAY, "copy-delete.reset move-commit copy-commit", FAULTS, Before("", "upload")),
]
