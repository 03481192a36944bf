"""Proposal 5, "Delete - repo": "delete the physical address after entry no longer exists", for a whole repository.

The text has this one line for "repo/branch/object". The repository is deleted as graveler-on-kv.md has it (`kv3`): its
entry first, for "the existence/inexistence of a repository entry [...] solely determines if a repository exists or
not". From then on no entry of the repository exists; the flow goes through its branches, and drops what is staged on
each as the deletion of a branch does: the entry, and then the object, unless the entry is locked.
Source: hard-delete-uncommitted-data.md, "5. No Copies"; graveler-on-kv.md, "Deleting a Repository".
"""

from typing import Final, Literal

import attrs

from lakeproof.impl.committed.reader import Reader
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.hard_delete import no_copies
from lakeproof.impl.refs.iterators import branch_iterator, commit_ordered_iterator
from lakeproof.impl.repositories import kv3
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.repositories.records import delete_all, delete_entry
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.identifiers import RepositoryID


@attrs.frozen(kw_only=True)
class Reading:
    """Which entries no longer exist when a repository is deleted."""

    entries: Literal["staged", "all"] = "staged"
    """"When no two entries in stage will point to the same physical object we will enable delete [...] in the
    following". With ``"all"`` the objects of committed entries, too: their commits go with the repository."""


AS_WRITTEN: Final = Reading()
ALL_ENTRIES: Final = Reading(entries="all")


async def delete_repository(
    env: Env, repository_id: RepositoryID, *, reading: Reading = AS_WRITTEN, batch_size: int = 0
) -> None:
    """Delete the entry; then what is staged on each branch, with the objects; then all records of the partition.

    2 effects, the scans, those of `no_copies.drop_tokens`, and 1 for each record. A delete that stops after its second
    effect cannot be repeated: nothing names the partition any more. Raises RepositoryNotFound.
    """
    repository = await kv3.get_repository(env, repository_id)
    await delete_entry(env, repository_id)  # first: from here on no read finds the repository
    async for branch in branch_iterator(env, repository, batch_size=batch_size):
        await no_copies.drop_tokens(env, repository, branch.tokens, no_copies.AS_WRITTEN, batch_size)
    if reading.entries == "all":
        reader = Reader(env, repository.storage_namespace)
        async for commit in commit_ordered_iterator(env, repository, batch_size=batch_size):
            # Objects that several commits share are deleted several times, which is no error.
            async for entry in reader.entries(await reader.meta_range(commit.meta_range_id)):
                await no_copies.hard_delete(env, repository, decode_object_entry(entry.data))
    # Last: the branches in it name the tokens, and the commits the objects.
    await delete_all(env, uid_partition(repository), batch_size)


FLOWS: Final[RepositoryFlows] = attrs.evolve(kv3.FLOWS, delete_repository=delete_repository)
