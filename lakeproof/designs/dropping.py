"""Commits whose tokens a background job drops; and commits under one lock for all branches."""

from functools import partial
from typing import Final

import attrs

from lakeproof.designs.branch_designs import NOBODYS_PROGRESS, WRITTEN, BranchDesign
from lakeproof.designs.commits import LOCKED
from lakeproof.designs.designs import Word, rows, variant
from lakeproof.designs.races import CRASH, FAULTS, FAULTY, NONE, Refuted
from lakeproof.impl.graveler import dropping, locked

LATER: Final = BranchDesign(
    name="commits/lock-free-drops-later",
    flows=dropping.FLOWS,
    source="graveler-on-kv.md, Update Commits, staging and lock-free (ours: who drops what was committed)",
    words={"job": Word(lambda _: dropping.drop_committed)},
    refuted={"commit-makes-progress": NOBODYS_PROGRESS},
)
BLIND: Final = attrs.evolve(
    LATER,
    name="commits/lock-free-drops-later-blind",
    words={"job": Word(lambda _: partial(dropping.drop_committed, reading=dropping.BLIND))},
    refuted={
        "acknowledged-write-is-kept": Refuted(
            "a committer notes its tokens and stops before the branch changes: they are still named, and dropped",
            "write.commit-job/crash",
        )
    },
)

TABLE: Final = variant(LOCKED, "table", LOCKED.refuted, reading=locked.TABLE)

ROWS = [
    *rows(LATER, "write-commit.job", FAULTS),
    *rows(LATER, "write.commit.job-commit", NONE),
    *rows(LATER, "write.commit.job-commit", FAULTY, deep=True),
    *rows(LATER, "commit-job-read", NONE | CRASH, WRITTEN),
    *rows(BLIND, "write.commit-job", NONE | CRASH),
    *rows(TABLE, "commit-commit write-commit", FAULTS),
]
