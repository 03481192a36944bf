"""Branch and tag operations, as far as they can witness what becomes of a repository.

Each starts with the variant's own `get_repository`, and works in the partition that it leads to.
Source: repository-operations-error-handling.md, "Other Operations During Repository Creation/Deletion".
"""

from collections.abc import Callable, Coroutine, Hashable

import attrs

from lakeproof.impl.codec import decode_branch, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories._records import new_branch
from lakeproof.impl.repositories.errors import BranchExists, BranchNotFound, DefaultBranch, TagExists
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, TagID
from lakeproof.model.records import Branch, Repository, Tag

Partition = Callable[[Repository], bytes]
"""Where the entities of a repository are, as can be reconstructed from its record."""
GetRepository = Callable[..., Coroutine[object, object, Repository]]  # type: ignore[explicit-any]
"""A variant's way to the repository, which all other operations start with: (env, repository id, its options)."""


@attrs.frozen
class EntityFlows:  # type: ignore[explicit-any]
    """Branch and tag operations of one variant."""

    create_branch: Callable[..., Coroutine[object, object, Branch]]  # type: ignore[explicit-any]  # flows, as Call takes them
    get_branch: Callable[..., Coroutine[object, object, Branch]]  # type: ignore[explicit-any]
    delete_branch: Callable[..., Coroutine[object, object, None]]  # type: ignore[explicit-any]
    create_tag: Callable[..., Coroutine[object, object, Tag]]  # type: ignore[explicit-any]


def entity_flows(
    get_repository: GetRepository, partition_of: Partition, *, knows_its_own: bool = False
) -> EntityFlows:
    """The operations over a variant's `get_repository` and its partitions.

    Options of `get_repository` (``reading``) are passed on to it. knows_its_own: a create of a branch whose predicate
    failed looks whether the record is its own; then the write was applied. The texts do not say so.
    """

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
        """Create a branch at a commit; without one, at the head of the default branch. 2 or 3 effects, and 1 where a
        predicate fails and the variant looks why.

        Raises:
            BranchExists, BranchNotFound (no default branch), and what `get_repository` raises.
        """
        repository = await get_repository(env, repository_id, **reading)
        partition = partition_of(repository)
        if commit_id is None:
            commit_id = (await _read_branch(env, partition, repository.default_branch_id)).commit_id
        branch = new_branch(env, repository, branch_id, commit_id)
        try:
            await env.store.set_if(partition, keys.branch_key(branch_id), encode(branch), None)
        except kv.PredicateFailed:
            if not knows_its_own or not await _holds(env, partition, branch):
                raise BranchExists(branch_id) from None
        return branch

    async def _holds(env: Env, partition: bytes, branch: Branch) -> bool:
        """Whether the record is this one. Its own write may have taken place: errors are indefinite."""
        try:
            return await _read_branch(env, partition, branch.branch_id) == branch
        except BranchNotFound:
            return False
        except kv.KVError as error:
            raise kv.OutcomeUnknown from error

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
            raise DefaultBranch(branch_id)
        await env.store.delete(partition_of(repository), keys.branch_key(branch_id))

    async def create_tag(env: Env, repository_id: RepositoryID, tag_id: TagID, **reading: Hashable) -> Tag:
        """Create a tag at the head of the default branch. 3 effects.

        Raises:
            TagExists, BranchNotFound (no default branch), and what `get_repository` raises.
        """
        repository = await get_repository(env, repository_id, **reading)
        partition = partition_of(repository)
        head = await _read_branch(env, partition, repository.default_branch_id)
        tag = Tag(tag_id=tag_id, commit_id=head.commit_id)
        try:
            await env.store.set_if(partition, keys.tag_key(tag_id), encode(tag), None)
        except kv.PredicateFailed:
            raise TagExists(tag_id) from None
        return tag

    return EntityFlows(create_branch, get_branch, delete_branch, create_tag)


def uid_partition(repository: Repository) -> bytes:
    """The partition of one instance."""
    return keys.repository_partition(repository.repository_id, repository.instance_uid)


def timestamp_partition(repository: Repository) -> bytes:
    """The partition of a repository whose identifier is "a combination of `RepositoryID` and creation timestamp". Two
    instances that were created in the same microsecond, by the clocks of their creators, share it."""
    return keys.repository_partition(repository.repository_id, InstanceUID(str(repository.creation_date)))
