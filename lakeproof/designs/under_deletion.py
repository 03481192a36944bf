"""A repository that is deleted while a client works in it: branch, tag, write, read, commit or merge.

Every operation starts with a "fetch of the repository entry", and then takes many steps in the partition that it led
to.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import X
from lakeproof.designs.designs import HOLDS, Caller, Design, Word, rows
from lakeproof.designs.races import CRASH, FALSE, NONE, Before, Race, Refuted
from lakeproof.designs.repository_designs import EXISTS
from lakeproof.impl.flows import Flow, RepositoryFlows
from lakeproof.impl.graveler import lock_free, merges, reads, writes
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened, kv3
from lakeproof.model.invariants import Invariant, outcomes
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.linearizable import linearizable
from lakeproof.model.repository import repository

OPERATIONS: Final[Mapping[str, tuple[Flow, tuple[Hashable, ...]]]] = {
    "create_branch": (branches.create_branch, ("b", "main")),
    "tag": (tags.create_tag, ("t", "main")),
    "get_tag": (tags.get_tag, ("t",)),
    "update_tag": (tags.update_tag, ("t", "main")),
    "delete_tag": (tags.delete_tag, ("t",)),
    "write": (writes.set_entry, ("main", X, Caller.BYTES)),
    "read": (reads.get_entry, ("main", X)),
    "commit": (lock_free.commit, ("main", Caller.TEXT)),
    "merge": (merges.merge, ("main", "main", Caller.TEXT)),  # into itself: there is no other branch
}
"""The operation, with what follows the repository among its arguments."""


def _within(flow: Flow, args: tuple[Hashable, ...]) -> Word[RepositoryFlows]:
    return Word(lambda flows: by_id(flows.get_repository, flow), *args)


WORDS: Final[Mapping[str, Word[RepositoryFlows]]] = {
    "create": Word(lambda flows: flows.create_repository),
    "delete": Word(lambda flows: flows.delete_repository),
    **{word: _within(*operation) for word, operation in OPERATIONS.items()},
}


@attrs.frozen(kw_only=True)
class UnderDeletion(Design[RepositoryFlows]):
    """A variant of the repository flows, and what users do in a repository."""

    source: str = "graveler-on-kv.md, Deleting a Repository"
    subject: ClassVar = ("r",)
    vocabulary: ClassVar = WORDS

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [
            invariants.no_reachable_zombie,
            invariants.deleted_is_inaccessible,
            invariants.delete_is_effective,
            outcomes.failed_call_changed_nothing,
            linearizable(repository(exists=True)),
        ]


DESIGNS: Final = (
    UnderDeletion(name="under-deletion/kv3", flows=kv3.FLOWS, refuted=HOLDS),
    UnderDeletion(name="under-deletion/hardened", flows=hardened.FLOWS, refuted=HOLDS),
)

OF_TAGS: Final = "get_tag update_tag delete_tag"
FOUND: Final = {"read": Before("", "create.write")}
"""What is there before: a read that finds nothing anyway would not show that it reached a deleted repository."""
IN_DOUBT: Final = {
    "linearizable": Refuted(
        "a `SetIf` that was applied and reported as failed answers `TagExists` or `RefChanged`: a definite no for what "
        "has happened",
        "tag-*/false-predicate",
    )
}

ROWS = [
    *(
        row
        for design in DESIGNS
        for word in OPERATIONS
        if word not in OF_TAGS.split()
        for row in rows(design, f"{word}-delete {word}-delete-create", NONE | CRASH, FOUND.get(word, EXISTS))
    ),
    *(
        row
        for design in DESIGNS
        for word in OF_TAGS.split()
        for row in rows(design, f"tag.{word}-delete tag.{word}-delete-create", NONE | CRASH, EXISTS)
    ),
    *rows([attrs.evolve(design, refuted=IN_DOUBT) for design in DESIGNS], "tag-get_tag-delete", FALSE, EXISTS),
]
