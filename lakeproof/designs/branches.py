"""Branches and tags as records: created, deleted and created anew."""

from collections.abc import Collection, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import AHEAD, BRANCH, NOBODYS_PROGRESS, REPOSITORY, BranchDesign
from lakeproof.designs.designs import HOLDS, Word, recast, rows
from lakeproof.designs.races import FALSE, FAULTS, NONE, Before, Race, Refuted
from lakeproof.designs.tags import FIRST, HEADS, SECOND
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches, commits
from lakeproof.impl.retention import heads
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.alone import answers_in_its_terms
from lakeproof.model.linearizable import linearizable
from lakeproof.model.ref import ref
from lakeproof.scenario import Aftermath, Call

SOURCE: Final = "graveler-on-kv.md, Branch"

# ``[cu]*``: beside a commit or another update. A delete leaves no branch that could show the denied move.
UNSURE: Final = Refuted(
    "a `SetIf` that was applied and reported as failed answers `BranchExists` or `RefChanged`: a definite no for what "
    "has happened",
    "create_branch-*/false-predicate delete_branch*/false-predicate write-*/false-predicate "
    "update_branch-[cu]*/false-predicate write.read-update_branch/false-predicate",
)
BOTH: Final = "both find the branch and delete it: both say that it was they"
BY_NAME: Final = Refuted(
    "there is no conditional delete: the branch is deleted by its name, whichever branch it is by then",
    "delete_branch-delete_branch-create_branch*",
)

PLAIN: Final = BranchDesign(
    name="branches/plain",
    flows=FLOWS,
    source=SOURCE,
    refuted={
        "branch-delete-spares-successor": BY_NAME,
        "branch-create-is-effective": BY_NAME,
        "failed-call-changed-nothing": UNSURE,
        "commit-makes-progress": NOBODYS_PROGRESS,
        "commit-is-effective": Refuted(
            f"{UNSURE.reason}; and the move that it denies takes the commit off the branch",
            "update_branch-commit/false-predicate",
        ),
        "linearizable": Refuted(
            f"{BOTH}; {UNSURE.reason}",
            "delete_branch-delete_branch-create_branch* create_branch-delete_branch/false-predicate",
        ),
    },
)

TOMBSTONE: Final = BranchDesign(
    name="branches/tombstone",
    flows=attrs.evolve(FLOWS, delete_branch=branches.delete_branch_by_tombstone),
    source=SOURCE + " (ours: a deleted branch leaves a record that names no commit)",
    refuted={
        "failed-call-changed-nothing": UNSURE,
        "commit-makes-progress": NOBODYS_PROGRESS,
        "linearizable": Refuted(
            f"{BOTH}; {UNSURE.reason}",
            "delete_branch-delete_branch-create_branch* delete_branch.create_branch-delete_branch* "
            "create_branch-delete_branch/false-predicate",
        ),
    },
    options={"create_branch": {"tombstones": True}},
)

OWN: Final = BranchDesign(
    name="branches/knows-its-own",
    flows=TOMBSTONE.flows,
    source=TOMBSTONE.source + "; a predicate that fails denies nothing: who is refused looks whether it was done",
    refuted={"commit-makes-progress": NOBODYS_PROGRESS},
    options={
        "create_branch": {"tombstones": True, "doubts": True},
        "update_branch": {"doubts": True},
    },
)


@attrs.frozen(kw_only=True)
class NamedDesign(BranchDesign):
    """A branch as a name for a commit, whose reads are compared with what moves have answered."""

    vocabulary: ClassVar = {
        "update_branch": BranchDesign.vocabulary["update_branch"],
        # As the other one in doubt, and with a record of the head that it leaves.
        "move_branch": Word(lambda _: heads.update_branch, BRANCH, SECOND.commit_id),
        "get_branch": Word(lambda _: branches.get_branch, BRANCH),
    }
    founded: ClassVar = (*BranchDesign.founded, Call(commits.add_commit, REPOSITORY, SECOND))

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [linearizable(ref(HEADS, FIRST.commit_id)), answers_in_its_terms]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return ()


NAMED: Final = recast(OWN, NamedDesign, "-named", refuted=HOLDS, options={"update_branch": {"doubts": True}})

RETURNS: Final = Refuted(
    "the record returns to a value that it has had, and what was staged under its token comes back with it",
    "write-delete_branch.create_branch",
)

REUSED: Final = BranchDesign(
    name="branches/reused-token",
    flows=FLOWS,
    source=SOURCE + " (negative control: a branch created anew has the token of the old one)",
    options={"create_branch": {"fresh_token": False}},
    refuted={
        "branch-starts-clean": RETURNS,
        "branch-delete-is-effective": Refuted(
            "the branch that was created anew cannot be distinguished from the one that was deleted",
            "write-delete_branch.create_branch",
        ),
    },
)

GONE: Final = Before("gone/", "delete_branch")
MOVES: Final = "update_branch-commit update_branch-delete_branch write.read-update_branch"
"""Main is ahead of the branch."""

RACES: Final = (
    "create_branch-delete_branch delete_branch-delete_branch-create_branch write-delete_branch-create_branch "
    "write-delete_branch.create_branch delete_branch-create_branch-commit"
)

ROWS = [
    *rows(PLAIN, RACES, FAULTS),
    *rows(PLAIN, "write_several-delete_branch-create_branch", NONE),
    *rows(TOMBSTONE, RACES + " delete_branch.create_branch-delete_branch", FAULTS),
    *rows(PLAIN, MOVES + " update_branch-update_branch", NONE | FALSE, AHEAD),
    *rows(OWN, "update_branch-commit", FAULTS, AHEAD, only="branch-update-is-effective commit-is-effective"),
    *rows(OWN, "update_branch-delete_branch write.read-update_branch", FAULTS, AHEAD),
    *rows(OWN, "create_branch-delete_branch", FAULTS),
    # A branch that was created though its `SetIf` failed has a commit, or was deleted, and another has its name.
    *rows(OWN, "create_branch-commit create_branch-delete_branch.create_branch", FALSE, GONE),
    # What was moved though its `SetIf` failed is seen, and moved on before its caller looks.
    *rows(NAMED, "move_branch-update_branch-get_branch", FALSE),
    *rows(OWN, "write-commit-update_branch", NONE, AHEAD, deep=True),
    # The branch of the foundation has a fresh token. The one of the setup has the token that each creation
    # gives it here.
    *rows(REUSED, "write-delete_branch.create_branch", NONE, Before("", "delete_branch.create_branch")),
]
