"""Online hard delete with five KV operations and a plain object store: our proposal, and what it does not do without."""

from typing import Final

from impl.hard_delete import online
from lakeproof.scenarios._hard_delete import FAULTS, Variant, scenarios

SOURCE: Final = "docs/online-hard-delete.md"

UNTIMED: Final = {word: {"lifetime": 0} for word in ("upload", "uploady", "uploadmain", "copy", "copyback", "copymain")}

ONLINE: Final = Variant(name="hard-delete/online", flows=online, source=SOURCE, options=UNTIMED)

NONE: Final = {"": FAULTS[""]}

SCENARIOS = [
    *scenarios(
        ONLINE, ["upload-job", "upload-commit", "upload-upload", "upload-delete", "upload-reset", "upload-drop"]
    ),
    *scenarios(ONLINE, ["upload-commit-job", "upload-upload-job", "upload-reset-job"], NONE),
    *scenarios(
        ONLINE,
        ["copy-job", "move-job", "delete-job", "commit-job", "reset-job", "drop-job"],
        initially=["upload"],
        under="staged/",
    ),
    *scenarios(
        ONLINE,
        ["upload-commit-job", "delete-commit-job", "reset-commit-job", "job-job-commit", "drop-commit-job"],
        NONE,
        initially=["upload"],
        under="staged/",
    ),
    *scenarios(
        ONLINE,
        ["copy-commit-job", "move-commit-job", "copymain-reset-job", "copymain-commit-reset"],
        NONE,
        initially=["upload"],
        under="staged/",
    ),
    *scenarios(
        ONLINE,
        ["job-job", "upload-job-job", "reset-job-job", "copy-reset-job", "drop-job-job", "delete-reset-job"],
        NONE,
        initially=["upload", "commit"],
        under="committed/",
    ),
]
