"""What a ref leads to: a branch's head, a tag's commit, or the commit itself, in this order, as in lakeFS."""

from contextlib import suppress

from lakeproof.impl.codec import decode_branch, decode_tag
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import RefNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, TagID
from lakeproof.model.records import Repository

Ref = str
"""The name of a branch, a tag or a commit."""


async def resolve(env: Env, repository: Repository, ref: Ref) -> CommitID:
    """The commit that a ref names. 1 to 3 effects. Raises RefNotFound, also for what can be no name."""
    partition = uid_partition(repository)
    with suppress(kv.NotFound, keys.InvalidName):  # what can be no branch may still be a tag or a commit
        head = decode_branch((await env.store.get(partition, keys.branch_key(BranchID(ref)))).value).commit_id
        if head:  # a tombstone names no commit: as if there were no branch
            return head
    with suppress(kv.NotFound, keys.InvalidName):
        return decode_tag((await env.store.get(partition, keys.tag_key(TagID(ref)))).value).commit_id
    with suppress(kv.NotFound, keys.InvalidName):
        # Its value is not needed: a commit id stands for itself.
        await env.store.get(partition, keys.commit_key(CommitID(ref)))
        return CommitID(ref)
    raise RefNotFound(ref)
