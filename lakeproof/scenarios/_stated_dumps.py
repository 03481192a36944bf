"""Dumps of refs and restores: what each call answers, its effects on both stores, and what it leaves; and what makes a
dump malformed.

The steps are those of graveler-on-kv.md, "Dump/Restore Refs"; the format is ours. How a row is read:
`lakeproof.scenarios._stated`.
"""

import re
from collections.abc import Callable
from typing import Final

import attrs

from lakeproof.impl.codec import Undecodable, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import founding
from lakeproof.impl.refs import branches, commits, tags
from lakeproof.impl.refs import dump as dumps
from lakeproof.impl.refs import dump_format as form
from lakeproof.impl.refs.dump import RefsDump
from lakeproof.impl.refs.dump_format import MalformedDump, Manifest, Refs, StoredCommit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken, TagID
from lakeproof.model.records import Branch, Commit, Repository, Tag
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated_branches import seal

BARE: Final = attrs.evolve(REPOSITORY, bare=True)
FIRST: Final = commits.new_commit([], MetaRangeID(""), committer="a", message="first", creation_date=0)
NEXT: Final = commits.new_commit([FIRST], MetaRangeID(""), committer="a", message="next", creation_date=2)
SIDE: Final = commits.new_commit([FIRST], MetaRangeID(""), committer="a", message="side", creation_date=3)
JOINT: Final = commits.new_commit([NEXT, SIDE], MetaRangeID(""), committer="a", message="joint", creation_date=4)
LONE: Final = commits.new_commit([JOINT], MetaRangeID(""), committer="a", message="lone", creation_date=5)


def _stored(*given: Commit, old: tuple[Commit, ...] = ()) -> tuple[StoredCommit, ...]:
    """Commits as they are stored, in order; old ones without a generation."""
    both = (*given, *(attrs.evolve(each, generation=0) for each in old))
    return tuple(StoredCommit(each, encode(each)) for each in sorted(both, key=lambda each: each.commit_id))


def _branch(name: str, commit: Commit, token: str = "") -> Branch:
    return Branch(branch_id=BranchID(name), commit_id=commit.commit_id, staging_token=StagingToken(token))


def _tag(name: str, commit: Commit) -> Tag:
    return Tag(tag_id=TagID(name), commit_id=commit.commit_id)


def described(refs: Refs) -> str:
    """All that refs hold."""
    named = [f"{each.branch_id} at {each.commit_id}" for each in refs.branches]
    named += [f"tag {each.tag_id} at {each.commit_id}" for each in refs.tags]
    made = [f"{each.commit.message} {each.commit.commit_id} {each.commit.generation}" for each in refs.commits]
    kept = "" if all(each.value == encode(each.commit) for each in refs.commits) else "; another value"
    return "; ".join((*named, *made)) + kept


async def _said(work: Callable[[], object]) -> str:
    try:
        found = work()
    except MalformedDump as error:
        return re.sub("no JSON: .*;", "no JSON;", f"MalformedDump: {error}")  # Python's own words change
    return described(found) if isinstance(found, Refs) else " ".join(str(found).split())


async def read(env: Env, repository: Repository, dump: RefsDump) -> str:
    """What a dump holds, or why not."""
    try:
        return described(await dumps.read_dump(env, repository.storage_namespace, dump))
    except MalformedDump as error:
        return f"MalformedDump: {error}".replace("mem://r/_lakefs/refs/", "")


async def dump(env: Env, repository: Repository, order: dumps.Order = "branches-first", *, checks: bool = True) -> str:
    """Dump refs: what the dump holds, or why not."""
    return await _dump(env, repository, order, 100, checks=checks)


async def dump_paged(env: Env, repository: Repository) -> str:
    """Dump refs, in pages of one record."""
    return await _dump(env, repository, "branches-first", 1, checks=True)


async def _dump(env: Env, repository: Repository, order: dumps.Order, batch_size: int, *, checks: bool) -> str:
    try:
        found = await dumps.dump_refs(env, repository, order=order, checks=checks, batch_size=batch_size)
    except (dumps.NotDumpable, Undecodable) as error:
        return f"{type(error).__name__}: {error}"
    return await read(env, repository, found)


async def restore(
    env: Env, repository: Repository, made: RefsDump, last: dumps.Last = "by-name", batch_size: int = 100
) -> str:
    """Restore a dump; why not, in its words."""
    try:
        await dumps.restore_refs(env, repository, made, last=last, batch_size=batch_size)
    except (dumps.NotBare, MalformedDump) as error:
        return f"{type(error).__name__}: {error}".replace("mem://r/_lakefs/refs/", "")
    return "restored"


REFS: Final = Refs(
    branches=(_branch("a", NEXT), _branch("main", JOINT), _branch("z", FIRST)),
    commits=_stored(FIRST, NEXT, SIDE, JOINT),
    tags=(_tag("t", SIDE), _tag("v", NEXT)),
)
OLD: Final = attrs.evolve(REFS, commits=_stored(old=(FIRST, NEXT, SIDE, JOINT)))
SOME_OLD: Final = attrs.evolve(REFS, commits=_stored(FIRST, SIDE, old=(NEXT, JOINT)))


def _objects(refs: Refs) -> tuple[dict[str, bytes], RefsDump]:
    """The objects of a dump by id, and the dump."""
    parts = form.encode_refs(refs)
    manifest = form.encode_manifest(Manifest(**{part: form.object_id(content) for part, content in parts.items()}))
    held = {form.object_id(content): content for content in (*parts.values(), manifest)}
    return held, RefsDump(form.object_id(manifest))


async def put(env: Env, repository: Repository, refs: Refs) -> None:
    """A dump lies in the namespace."""
    for part_id, content in _objects(refs)[0].items():
        await env.objects.put(form.dump_address(repository.storage_namespace, part_id), content)


async def lose(env: Env, repository: Repository, refs: Refs, part: str) -> None:
    """A part of a dump is gone."""
    part_id = form.object_id(form.encode_refs(refs)[part])
    await env.objects.delete(form.dump_address(repository.storage_namespace, part_id))


async def spoil(env: Env, repository: Repository, refs: Refs, part: str) -> None:
    """A part of a dump is not what it was."""
    part_id = form.object_id(form.encode_refs(refs)[part])
    await env.objects.put(form.dump_address(repository.storage_namespace, part_id), b"other")


async def write_refs(env: Env, repository: Repository, refs: Refs) -> None:
    """A repository has these refs."""
    partition = uid_partition(repository)
    for branch in refs.branches:
        await env.store.set(partition, keys.branch_key(branch.branch_id), encode(branch))
    for tag in refs.tags:
        await env.store.set(partition, keys.tag_key(tag.tag_id), encode(tag))
    for stored in refs.commits:
        await env.store.set(partition, keys.commit_key(stored.commit.commit_id), stored.value)


async def misplace(env: Env, repository: Repository) -> None:
    """The record of a branch stands where another one belongs."""
    await env.store.set(uid_partition(repository), keys.branch_key(BranchID("y")), encode(_branch("b", FIRST)))


async def write_junk(env: Env, repository: Repository) -> None:
    """What stands where the branch a belongs is no record."""
    await env.store.set(uid_partition(repository), keys.branch_key(BranchID("a")), b"\xff")


async def wrong_tag(env: Env, repository: Repository) -> None:
    """A tag is there, and not that of the dump."""
    await env.store.set(uid_partition(repository), keys.tag_key(TagID("t")), encode(_tag("t", NEXT)))


DUMP: Final = _objects(REFS)[1]
WORDS: Final = {
    "found": Call(founding.found, REPOSITORY),
    "branch": Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
    "seal": Call(seal, REPOSITORY, BRANCH),
    "tag": Call(tags.create_tag, REPOSITORY, TagID("t"), MAIN),
    "bury": Call(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH),
    "drop_main": Call(
        branches.delete_branch_by_tombstone, attrs.evolve(REPOSITORY, default_branch_id=BranchID("x")), MAIN
    ),
    "refs": Call(write_refs, REPOSITORY, REFS),
    "torn": Call(write_refs, REPOSITORY, Refs(branches=(), commits=_stored(LONE), tags=())),
    "torn_branch": Call(write_refs, REPOSITORY, Refs(branches=(_branch("l", LONE),), commits=(), tags=())),
    "dump": Call(dump, REPOSITORY),
    "dump_paged": Call(dump_paged, REPOSITORY),
    "dump_bare": Call(dump, BARE),
    "dump_commits_first": Call(dump, REPOSITORY, "commits-first"),
    "dump_unchecked": Call(dump, REPOSITORY, checks=False),
    "misplace": Call(misplace, REPOSITORY),
    "put": Call(put, REPOSITORY, REFS),
    "put_old": Call(put, REPOSITORY, OLD),
    "put_some_old": Call(put, REPOSITORY, SOME_OLD),
    "lose": Call(lose, REPOSITORY, REFS, "tags"),
    "spoil": Call(spoil, REPOSITORY, REFS, "commits"),
    "read": Call(read, REPOSITORY, DUMP),
    "restore": Call(restore, BARE, DUMP),
    "restore_paged": Call(restore, BARE, DUMP, batch_size=1),
    "restore_default": Call(restore, BARE, DUMP, "default-branch"),
    "restore_elsewhere": Call(restore, attrs.evolve(BARE, default_branch_id=BranchID("x")), DUMP, "default-branch"),
    "restore_old": Call(restore, BARE, _objects(OLD)[1]),
    "restore_some_old": Call(restore, BARE, _objects(SOME_OLD)[1]),
    "restore_full": Call(restore, REPOSITORY, DUMP),
    "wrong_tag": Call(wrong_tag, REPOSITORY),
    "junk": Call(write_junk, REPOSITORY),
    "extra_tag": Call(write_refs, REPOSITORY, Refs(branches=(), commits=(), tags=(_tag("u", NEXT),))),
    "branch_a": Call(write_refs, REPOSITORY, Refs(branches=(_branch("a", NEXT, "tok"),), commits=(), tags=())),
    "branch_a_moved": Call(write_refs, REPOSITORY, Refs(branches=(_branch("a", SIDE),), commits=(), tags=())),
    "drop_a": Call(branches.delete_branch, REPOSITORY, BranchID("a")),
}


def _form(work: Callable[[], object]) -> Call:
    return Call(formed, work)


async def formed(env: Env, work: Callable[[], object]) -> str:
    """A function of the format: what it returns, or how it refuses."""
    return await _said(work)


def _manifest(content: bytes) -> Call:
    return _form(lambda: form.decode_manifest(content))


def _part(content: bytes) -> Call:
    return _form(lambda: [each.decode() for each in form.decode_part("tags", content)])


def _problems(refs: Refs) -> Call:
    return _form(lambda: " | ".join(form.problems(refs)) or "none")


def _whole(refs: Refs) -> Call:
    return _form(lambda: form.whole_histories(refs))


HEAD: Final = b"lakeproof refs: tags 1\n"
CYCLE: Final = tuple(
    StoredCommit(attrs.evolve(FIRST, commit_id=CommitID(name), parents=(CommitID(parent),)), b"")
    for name, parent in (("c1", "c2"), ("c2", "c1"))
)
FORMAT: Final = {
    "manifest": _manifest(form.encode_manifest(Manifest(branches="b", commits="c", tags="t"))),
    "manifest_bytes": _form(lambda: form.encode_manifest(Manifest(branches="b", commits="c", tags="t")).decode()),
    "manifest_no_json": _manifest(b"{"),
    "manifest_deep": _manifest(b"[" * 100_000),
    "manifest_list": _manifest(b"[]"),
    "manifest_other": _manifest(b'{"format": "other", "version": 1}'),
    "manifest_version": _manifest(b'{"format": "lakeproof refs", "version": 2, "branches": "b"}'),
    "manifest_few": _manifest(b'{"format": "lakeproof refs", "version": 1, "branches": "b", "commits": "c"}'),
    "manifest_number": _manifest(
        b'{"format": "lakeproof refs", "version": 1, "branches": 1, "commits": "c", "tags": "t"}'
    ),
    "part": _part(HEAD + b"\0\0\0\0\0\0\0\2ab\0\0\0\0\0\0\0\1c"),
    "part_empty": _part(HEAD),
    "part_no_bytes": _part(HEAD + b"\0\0\0\0\0\0\0\0"),
    "part_other": _part(b"lakeproof refs: commits 1\n"),
    "part_cut": _part(HEAD + b"\0\0\0\0\0\0\0\1c\0\0\0\0\0\0\0\2a"),
    "part_cut_in_length": _part(HEAD + b"\0\0\0"),
    "parts": _form(lambda: {part: content[:23] for part, content in form.encode_refs(REFS).items()}),
    "refs": _form(
        lambda: form.decode_refs({part: form.decode_part(part, held) for part, held in form.encode_refs(REFS).items()})
    ),
    "refs_undecodable": _form(lambda: form.decode_refs({"branches": (), "commits": (), "tags": (b"\xff",)})),
    "refs_problem": _form(
        lambda: form.decode_refs({"branches": (encode(_branch("b", NEXT)),), "commits": (), "tags": ()})
    ),
    "refs_problems": _form(
        lambda: form.decode_refs(
            {"branches": (encode(_branch("b", NEXT)),), "commits": (), "tags": (encode(_tag("t", SIDE)),)}
        )
    ),
    "fine": _problems(REFS),
    "no_refs": _problems(Refs(branches=(), commits=(), tags=())),
    "unnamed": _problems(Refs(branches=(_branch("", FIRST),), commits=_stored(FIRST), tags=(_tag("", FIRST),))),
    "twice": _problems(attrs.evolve(REFS, branches=(_branch("a", NEXT), _branch("a", NEXT)))),
    "unordered": _problems(attrs.evolve(REFS, tags=(_tag("v", NEXT), _tag("t", NEXT), _tag("z", NEXT)))),
    "unordered_commits": _problems(attrs.evolve(REFS, commits=tuple(reversed(REFS.commits)))),
    "with_token": _problems(attrs.evolve(REFS, branches=(_branch("a", NEXT, "token"),))),
    "with_sealed": _problems(
        attrs.evolve(REFS, branches=(attrs.evolve(_branch("a", NEXT), sealed_tokens=(StagingToken("s"),)),))
    ),
    "missing": _problems(attrs.evolve(REFS, commits=_stored(NEXT, JOINT))),
    "many": _problems(
        Refs(
            branches=(_branch("a", NEXT, "t1"), _branch("b", SIDE, "t2")),
            commits=_stored(JOINT),
            tags=(_tag("t", NEXT), _tag("v", SIDE)),
        )
    ),
    "cycle_and_missing": _problems(Refs(branches=(_branch("a", NEXT),), commits=CYCLE, tags=())),
    "cycle": _problems(Refs(branches=(), commits=CYCLE, tags=())),
    "without_tokens": _form(
        lambda: (
            form.without_tokens(attrs.evolve(_branch("a", NEXT, "token"), sealed_tokens=(StagingToken("s"),)))
            == _branch("a", NEXT)
        )
    ),
    "generations": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(REFS.commits)))),
    "generations_old": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(OLD.commits)))),
    "generations_some": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(SOME_OLD.commits)))),
    "generations_given": _form(
        lambda: described(
            Refs(
                branches=(),
                commits=form.with_generations(_stored(attrs.evolve(FIRST, generation=5), old=(NEXT,))),
                tags=(),
            )
        )
    ),
    "generations_none": _form(lambda: form.with_generations(())),
    "whole": _whole(REFS),
    "whole_torn": _whole(attrs.evolve(REFS, commits=_stored(FIRST, NEXT, SIDE, LONE))),
    "whole_torn_far": _whole(Refs(branches=(_branch("a", FIRST),), commits=_stored(FIRST, JOINT, LONE), tags=())),
    "whole_reached": _whole(Refs(branches=(_branch("a", LONE),), commits=_stored(FIRST, LONE), tags=())),
    "whole_tagged": _whole(Refs(branches=(), commits=_stored(FIRST, LONE), tags=(_tag("t", LONE),))),
    "whole_unnamed": _whole(Refs(branches=(), commits=_stored(FIRST, NEXT), tags=())),
}
