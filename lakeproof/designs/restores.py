"""Refs are restored into a bare repository, beside another restore and users who cannot wait."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY, X
from lakeproof.designs.designs import HOLDS, Design, Word, rows
from lakeproof.designs.races import CRASH, FAULTS, NONE, Before, Race, Refuted
from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.graveler import writes
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.commits import new_commit
from lakeproof.impl.refs.dump import NotBare, RefsDump, restore_refs
from lakeproof.impl.refs.dump_format import (
    Refs,
    StoredCommit,
    dump_address,
    encode_manifest,
    encode_refs,
    object_id,
    without_tokens,
)
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.contents import branch_named, content_of_branch
from lakeproof.model.identifiers import BranchID, MetaRangeID, StagingToken, TagID
from lakeproof.model.invariants import Invariant, outcomes, refs
from lakeproof.model.invariants.alone import Problems, alone_is_exact
from lakeproof.model.invariants.restores import (
    RESTORE_CAN_BE_FINISHED,
    deleted_branch_stays_deleted,
    restore_can_be_finished,
    restore_is_effective,
)
from lakeproof.model.records import Branch, Commit, Repository, Tag
from lakeproof.model.snapshot import CallView, Snapshot
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
HEADS: Final = {branch.branch_id: branch.commit_id for branch in DUMPED.branches}
TAGGED: Final = attrs.evolve(DUMPED, tags=(Tag(tag_id=TagID("t"), commit_id=HEAD.commit_id),))


def manifest_of(refs: Refs) -> bytes:
    """The manifest of a dump."""
    return encode_manifest({part: object_id(content) for part, content in encode_refs(refs).items()})


DUMP: Final = RefsDump(object_id(manifest_of(DUMPED)))


async def found_bare(env: Env, repository: Repository, dumped: Refs) -> None:
    """A repository without refs, and a dump in its namespace."""
    for content in (*encode_refs(dumped).values(), manifest_of(dumped)):
        await env.objects.put(dump_address(repository.storage_namespace, object_id(content)), content)
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(repository))


OTHER: Final = new_commit([], MetaRangeID(""), committer="another", message="Repository created", creation_date=0)


async def bring(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """A branch that is not the dump's, with its commit, unless there is one of the name."""
    partition = uid_partition(repository)
    branch = Branch(branch_id=branch_id, commit_id=OTHER.commit_id, staging_token=StagingToken("other"))
    await env.store.set(partition, keys.commit_key(OTHER.commit_id), encode(OTHER))
    await env.store.try_set_if(partition, keys.branch_key(branch_id), encode(branch), None)


async def take_back(env: Env, repository: Repository, branch_id: BranchID) -> None:
    """What `bring` has brought goes: its commit, and the branch if it names that."""
    partition, key = uid_partition(repository), keys.branch_key(branch_id)
    await env.store.delete(partition, keys.commit_key(OTHER.commit_id))
    found = await env.store.find(partition, key)
    if found is not None and decode_branch(found.value).commit_id == OTHER.commit_id:
        await env.store.delete(partition, key)


WORDS: Final[Mapping[str, Word[Flow]]] = {
    "restore": Word(lambda _: restore_refs, DUMP),
    # From the first that a restore writes, to the name of the last.
    "create_branch": Word(lambda _: branches.create_branch, MAIN, BRANCH),
    "delete": Word(lambda delete: delete, BRANCH),
    "bring": Word(lambda _: bring, BranchID("c")),
    "bring_main": Word(lambda _: bring, MAIN),
    "take_back": Word(lambda _: take_back, MAIN),
    "write": Word(lambda _: writes.set_entry, BRANCH, X, b"s"),
}


@attrs.frozen(kw_only=True)
class RestoreDesign(Design[Flow]):
    """A way to delete branches, and what a restore finds and leaves; all else is the same."""

    source: str = "graveler-on-kv.md, Dump/Restore Refs"
    dumped: Refs = DUMPED
    finishes: tuple[str, ...] = ("restore",)
    """After these words the restore is whole, whatever stopped it or refused it."""
    problems: Problems | None = None
    """What is wrong with a restore alone, which is judged by nothing else."""
    subject: ClassVar = (BARE,)
    vocabulary: ClassVar = WORDS

    def founding(self, race: Race) -> Sequence[Call]:
        return [Call(found_bare, *self.subject, self.dumped)]

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        if self.problems is not None:
            return [alone_is_exact(self.problems)]
        kept: list[Invariant] = [refs.head_exists, refs.token_has_one_owner, restore_is_effective(HEADS)]
        # A branch that another client has made meanwhile stays that client's, with its token.
        created = [outcomes.branch_create_is_effective] if "create_branch" in race.words else []
        return [*kept, *created, *([deleted_branch_stays_deleted] if "delete" in race.words else [])]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """Another restore finishes what one that stopped has left. A branch that was deleted is not the dump's."""
        if "delete" in race.words or self.problems is not None:
            return []
        return [self.after(RESTORE_CAN_BE_FINISHED, self.finishes, restore_can_be_finished(HEADS))]


@attrs.frozen(kw_only=True)
class RestoreNotBareDesign(RestoreDesign):
    """The same of a repository that is not bare."""

    subject: ClassVar = (REPOSITORY,)


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


def not_refused(made: tuple[CallView, ...], snapshot: Snapshot) -> Iterator[str]:
    """What is wrong with a restore into a repository that is not bare, or has other refs."""
    for call in made:
        if not isinstance(call.error, NotBare):
            yield f"the repository may not be restored to, and restore_refs: {call.error!r}, {call.value!r}"
    for (_, key), record in sorted(snapshot.store.items()):
        if isinstance(record, Branch | Commit) and record.commit_id == HEAD.commit_id:
            yield f"restore_refs had to be refused, and has written {key!r}"


def not_anew(made: tuple[CallView, ...], snapshot: Snapshot) -> Iterator[str]:
    """What is wrong with a restore of a branch that was deleted with changes."""
    branch = branch_named(snapshot, BRANCH)
    if branch is None or branch.commit_id != HEAD.commit_id:
        yield f"{BRANCH} was restored, and is {branch!r}"
    elif shown := content_of_branch(snapshot, branch):  # the commit of the dump has no entries
        yield f"{BRANCH} was deleted with its changes, and shows {shown!r}"


REFUSED: Final = attrs.evolve(PLAIN, name="restores/refused", refuted=HOLDS, problems=not_refused)
NOT_BARE: Final = RestoreNotBareDesign(
    name="restores/not-bare", flows=branches.delete_branch, refuted=HOLDS, problems=not_refused
)
BROUGHT: Final = attrs.evolve(PLAIN, name="restores/brought", refuted=HOLDS, finishes=("take_back", "restore"))
"""Beside a client that brings a branch of the dump, with another commit: also where the restore was refused."""
WITH_TAG: Final = attrs.evolve(
    PLAIN,
    name="restores/tagged",
    refuted=HOLDS,
    dumped=TAGGED,
    words={"restore": Word(lambda _: restore_refs, RefsDump(object_id(manifest_of(TAGGED))))},
)
AGAIN: Final = attrs.evolve(PLAIN, name="restores/again", refuted=HOLDS, problems=not_anew)

ROWS = [
    *rows(PLAIN, "restore restore-restore", FAULTS),
    *rows(PLAIN, "restore-delete restore-create_branch restore-restore-delete restore-restore.delete", NONE | CRASH),
    *rows(TOMBSTONE, "restore-delete restore-restore-delete restore-restore.delete", NONE | CRASH),
    *rows(REFUSED, "restore", NONE, Before("further-branch/", "bring")),
    *rows(REFUSED, "restore", NONE, Before("another-main/", "bring_main")),
    *rows(NOT_BARE, "restore", NONE),
    *rows(BROUGHT, "restore-bring_main", NONE),
    *rows(BROUGHT, "restore-bring_main.take_back", NONE, only="restore-is-effective"),
    *rows(WITH_TAG, "restore", NONE | CRASH),
    *rows(AGAIN, "restore", NONE, Before("deleted/", "restore.write.delete")),
]
