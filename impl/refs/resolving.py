"""What a ref leads to: a branch's head, a tag's commit, or the commit itself, in this order, as in lakeFS."""

from impl.codec import decode_branch, decode_tag
from impl.effects import Env
from impl.refs.errors import RefNotFound
from impl.repositories.entities import uid_partition
from model import keys, kv
from model.identifiers import BranchID, CommitID, TagID
from model.records import Repository

Ref = str
"""The name of a branch, a tag or a commit."""


async def resolve(env: Env, repository: Repository, ref: Ref) -> CommitID:
    """The commit that a ref names. 1 to 3 effects. Raises RefNotFound; InvalidName for what can be no name."""
    partition = uid_partition(repository)
    try:
        head = decode_branch((await env.store.get(partition, keys.branch_key(BranchID(ref)))).value).commit_id
        if head:
            return head
    except kv.NotFound:
        pass
    try:
        return decode_tag((await env.store.get(partition, keys.tag_key(TagID(ref)))).value).commit_id
    except kv.NotFound:
        pass
    try:
        await env.store.get(partition, keys.commit_key(CommitID(ref)))
    except kv.NotFound:
        raise RefNotFound(ref) from None
    return CommitID(ref)
