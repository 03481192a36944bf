"""Refs are restored into a bare repository, beside another restore and users who cannot wait."""

from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY
from lakeproof.designs.designs import HOLDS, Design, Word, rows
from lakeproof.designs.races import CRASH, FAULTS, NONE, Race, Refuted
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import new_commit
from lakeproof.impl.refs.dump import RefsDump, restore_refs
from lakeproof.impl.refs.dump_format import (
    Manifest,
    Refs,
    StoredCommit,
    dump_address,
    encode_manifest,
    encode_refs,
    object_id,
    without_tokens,
)
from lakeproof.model import keys
from lakeproof.model.identifiers import MetaRangeID, StagingToken
from lakeproof.model.invariants import Invariant, refs
from lakeproof.model.invariants.restores import (
    RESTORE_CAN_BE_FINISHED,
    deleted_branch_stays_deleted,
    restore_can_be_finished,
    restore_is_effective,
)
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Aftermath, Call

BARE: Final = attrs.evolve(REPOSITORY, bare=True)
HEAD: Final = new_commit([], MetaRangeID(""), committer="lakeproof", message="Repository created", creation_date=0)
DUMPED: Final = Refs(
    branches=tuple(
        # As a dump has it: a restore gives each branch a token of its own.
        without_tokens(Branch(branch_id=name, commit_id=HEAD.commit_id, staging_token=StagingToken("")))
        for name in (BRANCH, MAIN)
    ),
    commits=(StoredCommit(HEAD, encode(HEAD)),),
    tags=(),
)
"""Two branches, one commit."""
PARTS: Final = encode_refs(DUMPED)
MANIFEST: Final = encode_manifest(Manifest(**{part: object_id(content) for part, content in PARTS.items()}))
DUMP: Final = RefsDump(object_id(MANIFEST))


async def found_bare(env: Env, repository: Repository) -> None:
    """A bare repository, and the dump in its namespace."""
    for content in (*PARTS.values(), MANIFEST):
        await env.objects.put(dump_address(repository.storage_namespace, object_id(content)), content)
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))


WORDS: Final[Mapping[str, Word[Flow]]] = {
    "restore": Word(lambda _: restore_refs, DUMP),
    "create_branch": Word(lambda _: branches.create_branch, BRANCH, MAIN),
    "delete": Word(lambda delete: delete, BRANCH),
}


@attrs.frozen(kw_only=True)
class RestoreDesign(Design[Flow]):
    """A way to delete branches; all else is the same."""

    source: str = "graveler-on-kv.md, Dump/Restore Refs"
    subject: ClassVar = (BARE,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar = [Call(found_bare, BARE)]

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        restored = restore_is_effective([BRANCH, MAIN])
        kept: list[Invariant] = [refs.head_exists, refs.token_has_one_owner, restored]
        return [*kept, deleted_branch_stays_deleted] if "delete" in race.words else kept

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """Another restore finishes what one that stopped has left. A branch that was deleted is not the dump's."""
        if "delete" in race.words:
            return []
        return [self.after(RESTORE_CAN_BE_FINISHED, ["restore"], restore_can_be_finished([BRANCH, MAIN]))]


PLAIN: Final = RestoreDesign(
    name="restores/plain",
    flows=branches.delete_branch,
    refuted={
        "deleted-branch-stays-deleted": Refuted(
            "a restore that has seen the branch absent writes it where it is absent: to its `SetIf` nil, a branch that "
            "the other restore has written and a user has deleted was never there",
            "restore-restore*delete*",
        )
    },
)
TOMBSTONE: Final = RestoreDesign(name="restores/tombstone", flows=branches.delete_branch_by_tombstone, refuted=HOLDS)
"""A deletion that leaves a record: the late `SetIf` finds it."""

ROWS = [
    *rows(PLAIN, "restore restore-restore", FAULTS),
    *rows(PLAIN, "restore-delete restore-create_branch restore-restore-delete restore-restore.delete", NONE | CRASH),
    *rows(TOMBSTONE, "restore-delete restore-restore-delete restore-restore.delete", NONE | CRASH),
]
