"""A repository that is deleted while somebody works in it: branch, tag, write, read, commit or merge.

Every operation starts with "a fetch of the repository entry", and then takes many steps in the partition that it led
to.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.impl.flows import Flow, RepositoryFlows
from lakeproof.impl.graveler import lock_free, merging, reading, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.by_id import by_id
from lakeproof.impl.repositories import hardened, kv3
from lakeproof.model.invariants import Invariant, outcomes
from lakeproof.model.invariants import repositories as invariants
from lakeproof.model.linearizable import linearizable
from lakeproof.model.repository import repository
from lakeproof.scenarios._branch_data import X
from lakeproof.scenarios._repositories import EXISTS
from lakeproof.scenarios.designs import HOLDS, Design, Word, built, rows
from lakeproof.scenarios.races import CRASH, NONE, Race

OPERATIONS: Final[Mapping[str, tuple[Flow, tuple[str | bytes, ...]]]] = {
    "create_branch": (branches.create_branch, ("b", "main")),
    "tag": (tags.create_tag, ("t", "main")),
    "write": (writing.set_entry, ("main", X, b"a0")),
    "read": (reading.get_entry, ("main", X)),
    "commit": (lock_free.commit, ("main", "a0")),
    "merge": (merging.merge, ("main", "main", "a0")),
}
"""The operation, with what follows the repository among its arguments."""


def _within(flow: Flow, args: tuple[str | bytes, ...]) -> Word[RepositoryFlows]:
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

    def vocabulary(self) -> Mapping[str, Word[RepositoryFlows]]:
        return WORDS

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

ROWS = [
    row
    for design in DESIGNS
    for word in OPERATIONS
    for row in rows(design, f"{word}-delete {word}-delete-create", NONE | CRASH, EXISTS)
]

SCENARIOS = built(ROWS)
