"""Branch and tag operations, as far as they can witness what becomes of a repository.

Each starts with the variant's own `get_repository`, and works in the partition that it leads to.
Source: repository-operations-error-handling.md, "Other Operations During Repository Creation/Deletion".
"""

from collections.abc import Callable, Coroutine, Hashable
from typing import TypedDict

from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import Flow
from lakeproof.impl.repositories.errors import (
    BranchExists,
    BranchNotFound,
    DefaultBranch,
    RepositoryNotFound,
    TagExists,
)
from lakeproof.impl.repositories.records import new_branch
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, TagID
from lakeproof.model.records import Branch, Repository, Tag

Partition = Callable[[Repository], bytes]
"""Where the entities of a repository are, as can be reconstructed from its record."""
GetRepository = Callable[..., Coroutine[object, object, Repository]]  # type: ignore[explicit-any]
"""A variant's way to the repository, which all other operations start with: (env, repository id, its options)."""


class EntityFlows(TypedDict):
    """Branch and tag operations of one variant: fields of `RepositoryFlows`."""

    create_branch: Flow
    get_branch: Flow
    delete_branch: Flow
    create_tag: Flow


def entity_flows(get_repository: GetRepository, partition_of: Partition, *, doubts: bool = False) -> EntityFlows:
    """The operations over a variant's `get_repository` and its partitions.

    Options of `get_repository` (``reading``) are passed on to it. doubts: a create of a branch or a tag looks whether
    the name is taken before it writes; a predicate that fails later denies nothing. And one whose record is there looks
    whether the repository still is: a cleaner may have emptied the partition before the write. The texts say neither.
    """

    async def _still_there(env: Env, repository: Repository, **reading: Hashable) -> None:
        """1 effect. An instance that is deleted does not come back, so it was there at the write if it is now. If it is
        not, the write may have come before the deletion or after it: errors are indefinite."""
        try:
            found = await get_repository(env, repository.repository_id, **reading)
        except (RepositoryNotFound, kv.KVError) as error:
            raise kv.OutcomeUnknown from error
        # The id belongs to another instance: this one was deleted before the write, or after it.
        if found.instance_uid != repository.instance_uid:
            raise kv.OutcomeUnknown

    async def _read_branch(env: Env, partition: bytes, branch_id: BranchID) -> Branch:
        try:
            found = await env.store.get(partition, keys.branch_key(branch_id))
        except kv.NotFound:
            raise BranchNotFound(branch_id) from None
        return decode_branch(found.value)

    async def create_branch(
        env: Env,
        repository_id: RepositoryID,
        branch_id: BranchID,
        *,
        commit_id: CommitID | None = None,
        **reading: Hashable,
    ) -> Branch:
        """Create a branch at a commit; without one, at the head of the default branch. 2 or 3 effects; where the
        variant doubts, 2 more, and 1 more where a predicate fails.

        Raises:
            BranchExists, BranchNotFound (no default branch), and what `get_repository` raises. OutcomeUnknown, where
                the variant doubts: the name was free, the predicate failed, and the branch of this call is not there:
                it may have been, and deleted since. Or the repository is gone since; or something cannot be read.
        """
        repository = await get_repository(env, repository_id, **reading)
        partition, key = partition_of(repository), keys.branch_key(branch_id)
        if commit_id is None:
            commit_id = (await _read_branch(env, partition, repository.default_branch_id)).commit_id
        branch = new_branch(env, repository, branch_id, commit_id)
        # Before the write: later another branch may have taken the place of this call's.
        if doubts and await env.store.find(partition, key) is not None:
            raise BranchExists(branch_id)
        try:
            await env.store.set_if(partition, key, encode(branch), None)
        except kv.PredicateFailed:
            if not doubts:
                raise BranchExists(branch_id) from None
            # Its staging token is unique, so an equal record is this call's.
            if not await _holds(env, partition, key, encode(branch)):
                raise kv.OutcomeUnknown from None
        if doubts:
            await _still_there(env, repository, **reading)
        return branch

    async def _holds(env: Env, partition: bytes, key: bytes, value: bytes) -> bool:
        """Whether a record is this one. Its write may have taken place: errors are indefinite."""
        try:
            found = await env.store.find(partition, key)
        except kv.KVError as error:
            raise kv.OutcomeUnknown from error
        return found is not None and found.value == value

    async def get_branch(env: Env, repository_id: RepositoryID, branch_id: BranchID, **reading: Hashable) -> Branch:
        """Read a branch. 2 effects.

        Raises:
            BranchNotFound, and what `get_repository` raises.
        """
        repository = await get_repository(env, repository_id, **reading)
        return await _read_branch(env, partition_of(repository), branch_id)

    async def delete_branch(env: Env, repository_id: RepositoryID, branch_id: BranchID, **reading: Hashable) -> None:
        """Delete a branch; an absent one is no error. 2 effects.

        Raises:
            DefaultBranch, and what `get_repository` raises.
        """
        repository = await get_repository(env, repository_id, **reading)
        if branch_id == repository.default_branch_id:
            # Other instances may have another default branch; the record that was read decides.
            raise DefaultBranch(branch_id)
        await env.store.delete(partition_of(repository), keys.branch_key(branch_id))

    async def create_tag(env: Env, repository_id: RepositoryID, tag_id: TagID, **reading: Hashable) -> Tag:
        """Create a tag at the head of the default branch. 3 effects; where the variant doubts, 1 more before the write
        and 1 after it.

        Raises:
            TagExists, BranchNotFound (no default branch), and what `get_repository` raises.
            OutcomeUnknown: where the variant doubts, the name was free, and the predicate failed. A tag says nothing of
                its creator: this call has made it, or another one. Or the repository is gone since the write.
        """
        repository = await get_repository(env, repository_id, **reading)
        partition, key = partition_of(repository), keys.tag_key(tag_id)
        head = await _read_branch(env, partition, repository.default_branch_id)
        tag = encode(Tag(tag_id=tag_id, commit_id=head.commit_id))
        # Before the write: later a tag of the same commit could be this call's own.
        if doubts and await env.store.find(partition, key) is not None:
            raise TagExists(tag_id)
        try:
            await env.store.set_if(partition, key, tag, None)
        except kv.PredicateFailed:
            raise (kv.OutcomeUnknown() if doubts else TagExists(tag_id)) from None
        if doubts:
            await _still_there(env, repository, **reading)
        return Tag(tag_id=tag_id, commit_id=head.commit_id)

    return EntityFlows(
        create_branch=create_branch, get_branch=get_branch, delete_branch=delete_branch, create_tag=create_tag
    )


def uid_partition(repository: Repository) -> bytes:
    """The partition of one instance."""
    return keys.repository_partition(repository.repository_id, repository.instance_uid)


def timestamp_partition(repository: Repository) -> bytes:
    """The partition of a repository whose identifier is "a combination of `RepositoryID` and creation timestamp". Two
    instances that were created in the same microsecond, by the clocks of their creators, share it."""
    return keys.repository_partition(repository.repository_id, InstanceUID(str(repository.creation_date)))
