"""Tags: fixed names for commits. Source: graveler-on-kv.md, "Tag"."""

import attrs

from lakeproof.impl.codec import decode_tag, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.errors import RefChanged, TagExists, TagNotFound
from lakeproof.impl.refs.resolution import Ref, resolve
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import TagID
from lakeproof.model.records import Repository, Tag


async def create_tag(env: Env, repository: Repository, tag_id: TagID, source: Ref, *, doubts: bool = False) -> Tag:
    """Name the commit that a branch, tag or commit id leads to. 2 to 4 effects.

    doubts: look whether the tag is there before it is written; 1 effect.

    Raises:
        TagExists, RefNotFound.
        OutcomeUnknown: with ``doubts``, the tag was not there, and the predicate failed. Whatever is there now, a tag
            says nothing of its creator or its past: this call may have made it, and another one moved it.
    """
    tag = Tag(tag_id=tag_id, commit_id=await resolve(env, repository, source))
    # A tag that is there before the write is none of this call, so the refusal is definite.
    if doubts and await env.store.find(uid_partition(repository), keys.tag_key(tag_id)) is not None:
        raise TagExists(tag_id)
    try:
        await env.store.set_if(uid_partition(repository), keys.tag_key(tag_id), encode(tag), None)
    except kv.PredicateFailed:
        raise (kv.OutcomeUnknown() if doubts else TagExists(tag_id)) from None
    return tag


async def get_tag(env: Env, repository: Repository, tag_id: TagID) -> Tag:
    """Read a tag. 1 effect. Raises TagNotFound."""
    tag, _ = await _read_tag(env, repository, tag_id)
    return tag


async def _read_tag(env: Env, repository: Repository, tag_id: TagID) -> tuple[Tag, bytes]:
    try:
        found = await env.store.get(uid_partition(repository), keys.tag_key(tag_id))
    except kv.NotFound:
        raise TagNotFound(tag_id) from None
    return decode_tag(found.value), found.predicate


async def update_tag(env: Env, repository: Repository, tag_id: TagID, target: Ref, *, doubts: bool = False) -> Tag:
    """Let a tag name another commit. 3 to 5 effects. Raises TagNotFound, RefNotFound; RefChanged: nothing was moved.

    doubts: a failed predicate raises OutcomeUnknown instead: the tag may have been moved by this call, and again since.

    A tag record holds nothing but its commit, so that one that moved away and came back passes for unchanged.
    """
    tag, predicate = await _read_tag(env, repository, tag_id)
    moved = attrs.evolve(tag, commit_id=await resolve(env, repository, target))
    try:
        await env.store.set_if(uid_partition(repository), keys.tag_key(tag_id), encode(moved), predicate)
    except kv.PredicateFailed:
        raise (kv.OutcomeUnknown() if doubts else RefChanged(tag_id)) from None
    return moved


async def delete_tag(env: Env, repository: Repository, tag_id: TagID) -> None:
    """Delete a tag: look that it is there, then delete its record, whichever tag it is by then. 2 effects.

    Raises TagNotFound.
    """
    await _read_tag(env, repository, tag_id)
    # A tag that was created since the read is deleted instead: the store has no conditional delete.
    await env.store.delete(uid_partition(repository), keys.tag_key(tag_id))
