"""Objects as they are today, without any hard delete: what is committed and staged is safe, and garbage stays."""

from typing import Final

from lakeproof.impl.catalog import objects
from lakeproof.scenarios._hard_delete import Variant, scenarios
from lakeproof.scenarios._life_cycle import Refuted

TODAY: Final = Variant(
    name="hard-delete/today",
    flows=objects,
    source="hard-delete-uncommitted-data.md, Motivation",
    refuted={
        "garbage-is-reclaimed": Refuted(
            "uncommitted data which is no longer referenced is not being deleted",
            (
                "upload-reset*",
                "copy-delete.reset*",
                "upload-drop*",
                "upload.upload*",
                "upload-commit/crash",
                "upload-commit/lost-answer",
            ),
        ),
    },
)

SCENARIOS = [
    *scenarios(TODAY, ["upload-commit", "upload-reset", "upload-drop"]),
    *scenarios(TODAY, ["copy-delete.reset", "move-commit", "copy-commit"], initially=["upload"]),
]
