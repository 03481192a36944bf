"""Dump and restore of refs: "dumping a whole repository (branches, commits and tags) and restoring it to a bare
repository".

A dump reads branches first, then tags, then commits: commits are never deleted, so that whatever a branch or tag named
when it was read is among the commits that are read later. Example: main names c1; after the first of three scans a
client commits c2 on it::

    branches, tags, commits    main: c1; none; c1, c2       dumped: main is where it was at the first scan
    commits, branches, tags    c1; main: c2; none           NotDumpable: main names a commit that is not there

Restoring writes the other way round: no ref ever names a commit that is not there, wherever it stops.
Source: graveler-on-kv.md, "Dump/Restore Refs".
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Literal, TypeVar

import attrs

from lakeproof.impl.codec import Undecodable, decode_branch, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import birth_token, is_tombstone
from lakeproof.impl.refs.dump_format import (
    MalformedDump,
    Refs,
    StoredCommit,
    decode_manifest,
    decode_part,
    decode_refs,
    dump_address,
    encode_manifest,
    encode_refs,
    object_id,
    problems,
    whole_histories,
    with_generations,
    without_tokens,
)
from lakeproof.impl.refs.errors import GravelerError
from lakeproof.impl.refs.iterators import BATCH_SIZE, check_batch_size, decode
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv, objects
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.records import Branch, Commit, Repository, Tag, name_of

T = TypeVar("T")
V = TypeVar("V")
R = TypeVar("R", Branch, Commit, Tag)

Order = Literal["branches-first", "commits-first"]
"""What a dump reads first; ``commits-first`` is broken, and here to be refuted."""
Last = Literal["by-name", "default-branch"]
"""Which branch a restore writes last: that with the last name, or the default branch. Then a repository that has its
default branch is restored."""


@attrs.frozen
class RefsDump:
    """What a restore asks for: the id of the dump's manifest, in the repository's storage namespace."""

    manifest_id: str


class NotDumpable(GravelerError):
    """The refs that were read do not make up a repository; or the repository went away while they were read."""


class NotBare(GravelerError):
    """The repository to restore to is not bare, or has refs that are not those of the dump."""


async def dump_refs(
    env: Env,
    repository: Repository,
    *,
    order: Order = "branches-first",
    checks: bool = True,
    batch_size: int = BATCH_SIZE,
) -> RefsDump:
    """Write branches, tags and commits to the object store. Equal refs give equal dumps, byte by byte.

    Three scans and 4 puts, the manifest last. Memory: all refs. Staged changes and staging tokens are no part of a
    dump; neither are commits that no ref leads to and whose ancestors are not all there.

    checks: whether to refuse to write what could not be restored.

    Raises:
        NotDumpable, before anything is written; Undecodable.
    """
    # A commit that was made during the scan may be in it without its parent. No ref that was read needs it.
    refs = whole_histories(await _read(env, repository, order, batch_size))
    if checks:
        for problem in _problems(repository, refs):
            raise NotDumpable(f"{repository.repository_id}: {problem}; mend the repository, and dump again")
    ids = {part: await _put(env, repository, content) for part, content in encode_refs(refs).items()}
    # Last: without it there is no dump, so one that broke off is only garbage.
    return RefsDump(await _put(env, repository, encode_manifest(ids)))


async def restore_refs(
    env: Env, repository: Repository, dump: RefsDump, *, last: Last = "by-name", batch_size: int = BATCH_SIZE
) -> None:
    """Write a dump's commits, then its tags, then its branches, into a bare repository. Idempotent: a restore that
    stopped half-way is finished by another one.

    4 gets of objects, three scans, 1 effect for each record that is not there yet. Memory: all refs. Branches get
    fresh staging tokens. Commits without a generation get theirs. The repository stays marked as bare.

    It finds the dump in its own storage namespace, where the metaranges must be that its commits name.

    Raises:
        MalformedDump, NotBare: nothing was written, but if another client creates a ref meanwhile.
    """
    if not repository.bare:
        raise NotBare(f"{repository.repository_id}: the repository is not bare; restore to one created as bare")
    refs = await read_dump(env, repository.storage_namespace, dump)
    rows = _rows(attrs.evolve(refs, commits=with_generations(refs.commits)))
    default = keys.branch_key(repository.default_branch_id)
    # Taken out and put back: a dictionary keeps the order of insertion, and this key is the last now.
    if last == "default-branch" and default in rows:
        rows[default] = rows.pop(default)
    there = {key: value async for key, value in _stored_rows(env, repository, batch_size)}
    # All of them before the first write: a repository with other refs stays as it is.
    for key, value in there.items():
        _check_same(repository, key, value, rows.get(key))
    for key, value in rows.items():
        if key not in there:
            await _write_once(env, repository, key, value)


async def read_dump(env: Env, storage_namespace: StorageNamespace, dump: RefsDump) -> Refs:
    """The refs of a dump. 4 gets of objects. Raises MalformedDump."""
    address = dump_address(storage_namespace, dump.manifest_id)
    values = {}
    for part, part_id in _blaming(address, decode_manifest, await _get(env, address, dump.manifest_id)).items():
        part_address = dump_address(storage_namespace, part_id)
        content = await _get(env, part_address, part_id)
        values[part] = _blaming(part_address, partial(decode_part, part), content)
    return _blaming(address, decode_refs, values)


async def _read(env: Env, repository: Repository, order: Order, batch_size: int) -> Refs:
    """All refs, one kind after the other; commits, whose number only grows, last, unless the order is the other one."""
    early = await _read_commits(env, repository, batch_size) if order == "commits-first" else ()
    branches = [branch async for _, branch in _scan(env, repository, keys.BRANCHES_PREFIX, Branch, batch_size)]
    tags = [tag async for _, tag in _scan(env, repository, keys.TAGS_PREFIX, Tag, batch_size)]
    return Refs(
        branches=tuple(without_tokens(branch) for branch in branches if not is_tombstone(branch)),
        tags=tuple(tags),
        commits=early if order == "commits-first" else await _read_commits(env, repository, batch_size),
    )


async def _read_commits(env: Env, repository: Repository, batch_size: int) -> tuple[StoredCommit, ...]:
    found = _scan(env, repository, keys.COMMITS_PREFIX, Commit, batch_size)
    return tuple([StoredCommit(commit, value) async for value, commit in found])


async def _scan(
    env: Env, repository: Repository, prefix: bytes, kind: type[R], batch_size: int
) -> AsyncIterator[tuple[bytes, R]]:
    """Values and records. Raises Undecodable, also for a record that stands at another one's address."""
    partition = uid_partition(repository)
    async for entry in env.store.scan(partition, batch_size=check_batch_size(batch_size), prefix=prefix):
        record = decode(partition, entry, kind)
        # The record would be restored under its own name, and so at another address than it was read at.
        if prefix + name_of(record) != entry.key:
            name = name_of(record).decode()
            raise Undecodable(f"{partition!r} {entry.key!r}: holds the record of {name!r}; delete or move it")
        yield entry.value, record


def _problems(repository: Repository, refs: Refs) -> Iterator[str]:
    yield from problems(refs)
    default = repository.default_branch_id
    if not repository.bare and default not in [branch.branch_id for branch in refs.branches]:
        yield f"default branch {default!r} is not there"


def _rows(refs: Refs) -> dict[bytes, bytes]:
    """Keys and values in the order in which they are restored; branches without tokens."""
    commits = {keys.commit_key(stored.commit.commit_id): stored.value for stored in refs.commits}
    tags = {keys.tag_key(tag.tag_id): encode(tag) for tag in refs.tags}
    # In this order: a commit is there before any ref names it.
    return commits | tags | {keys.branch_key(branch.branch_id): encode(branch) for branch in refs.branches}


async def _stored_rows(env: Env, repository: Repository, batch_size: int) -> AsyncIterator[tuple[bytes, bytes]]:
    for prefix in (keys.BRANCHES_PREFIX, keys.TAGS_PREFIX, keys.COMMITS_PREFIX):
        found = env.store.scan(uid_partition(repository), batch_size=check_batch_size(batch_size), prefix=prefix)
        async for entry in found:
            yield entry.key, entry.value


async def _write_once(env: Env, repository: Repository, key: bytes, row: bytes) -> None:
    """Write a row unless it is there. 1 effect; 2 if another client was there first. Raises NotBare."""
    value = row
    if key.startswith(keys.BRANCHES_PREFIX):
        branch = decode_branch(row)
        # Staged entries of the dumped repository lie under its tokens, and must not show up here.
        value = encode(attrs.evolve(branch, staging_token=birth_token(env, repository, branch.branch_id)))
    try:
        await env.store.set_if(uid_partition(repository), key, value, None)
    except kv.PredicateFailed:
        try:
            # Perhaps another restore of the same dump, or an own write that was reported as failed.
            found = (await env.store.get(uid_partition(repository), key)).value
        except kv.NotFound:
            raise NotBare(f"{repository.repository_id}: {key!r} came and went; keep others away") from None
        _check_same(repository, key, found, row)


def _check_same(repository: Repository, key: bytes, found: bytes, row: bytes | None) -> None:
    """Raises NotBare unless what was found is what is to be restored, whatever a branch's tokens."""
    # What cannot be decoded is compared as it is, and differs.
    with suppress(Undecodable):
        if key.startswith(keys.BRANCHES_PREFIX):
            found = encode(without_tokens(decode_branch(found)))
    if found != row:
        raise NotBare(
            f"{repository.repository_id}: {key!r} is there and not the dump's; restore to a repository without refs"
        )


async def _put(env: Env, repository: Repository, content: bytes) -> str:
    """Write an object under its content's id. Idempotent. 1 effect."""
    await env.objects.put(dump_address(repository.storage_namespace, object_id(content)), content)
    return object_id(content)


async def _get(env: Env, address: str, expected_id: str) -> bytes:
    try:
        content = await env.objects.get(address)
    except objects.ObjectNotFound:
        raise MalformedDump(
            f"{address}: is not there; restore to the storage namespace of the repository that was dumped"
        ) from None
    if object_id(content) != expected_id:
        raise MalformedDump(f"{address}: its content has SHA-256 {object_id(content)}; fetch the object again")
    return content


def _blaming(address: str, decode_content: Callable[[V], T], content: V) -> T:
    try:
        return decode_content(content)
    except MalformedDump as error:
        raise MalformedDump(f"{address}: {error}") from error
