"""Stores in which dumps and restores move by hand, effect by effect."""

from collections.abc import Mapping
from typing import Final

import attrs

from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.refs.dump import RefsDump, dump_refs, restore_refs
from lakeproof.impl.refs.dump_format import without_tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
from lakeproof.model.identifiers import InstanceUID, RepositoryID
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Repository
from lakeproof.search.semantics import Cells
from tests.impl.hand import Hand
from tests.impl.records import REPOSITORY

TARGET: Final = attrs.evolve(
    REPOSITORY, repository_id=RepositoryID("copy"), instance_uid=InstanceUID("v"), bare=True
)  # fmt: skip


@attrs.define
class Bench(Hand):
    """A hand that dumps and restores refs."""

    @property
    def store(self) -> dict[kv.Address, bytes]:
        """By address; what is stored in it afterwards is not in the bench."""
        return {(cell[1], cell[2]): value for cell, value in self.cells.items() if cell[0] == "kv"}  # type: ignore[misc]

    @store.setter
    def store(self, contents: Mapping[kv.Address, bytes]) -> None:
        self.cells = {**self._part("object"), **{("kv", *at): value for at, value in contents.items()}}

    @property
    def lake(self) -> dict[str, StoredObject]:
        return {str(cell[1]): value for cell, value in self.cells.items() if isinstance(value, StoredObject)}

    @lake.setter
    def lake(self, contents: Mapping[str, StoredObject]) -> None:
        self.cells = {**self._part("kv"), **{("object", at): value for at, value in contents.items()}}

    def _part(self, kind: str) -> Cells:
        return {cell: value for cell, value in self.cells.items() if cell[0] == kind}

    def dump(self, repository: Repository = REPOSITORY, **options: object) -> RefsDump:
        return self.do(dump_refs(self.env, repository, **options))  # type: ignore[arg-type]

    def restore(self, dump: RefsDump, **options: object) -> None:
        self.do(restore_refs(self.env, TARGET, dump, **options))  # type: ignore[arg-type]

    def refs(self, repository: Repository) -> dict[bytes, bytes]:
        """All values of a repository's partition by key, branches without tokens."""
        found = {key: value for (partition, key), value in self.store.items() if partition == uid_partition(repository)}
        return {
            key: encode(without_tokens(decode_branch(value))) if key.startswith(b"branches/") else value
            for key, value in found.items()
        }


bench = Bench.holding
