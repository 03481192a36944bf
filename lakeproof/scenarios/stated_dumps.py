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
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, MetaRangeID, StagingToken, TagID
from lakeproof.model.records import Branch, Commit, Repository, Tag
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import seal
from lakeproof.scenarios.designs import built

BARE: Final = attrs.evolve(REPOSITORY, bare=True)
FIRST: Final = commits.new_commit([], MetaRangeID(""), committer="a", message="first", creation_date=1)
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
    return described(found) if isinstance(found, Refs) else str(found)


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


async def spoil_branch(env: Env, repository: Repository) -> None:
    """What stands where a branch belongs is none."""
    await env.store.set(uid_partition(repository), keys.tag_key(TagID("t")), encode(_tag("t", NEXT)))


DUMP: Final = _objects(REFS)[1]
WORDS: Final = {
    "found": Call(founding.found, REPOSITORY),
    "branch": Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
    "seal": Call(seal, REPOSITORY, BRANCH),
    "tag": Call(tags.create_tag, REPOSITORY, TagID("t"), MAIN),
    "bury": Call(branches.delete_branch_by_tombstone, REPOSITORY, BRANCH),
    "drop_main": Call(branches.delete_branch_by_tombstone, attrs.evolve(REPOSITORY, default_branch_id="x"), MAIN),
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
    "restore_elsewhere": Call(restore, attrs.evolve(BARE, default_branch_id="x"), DUMP, "default-branch"),
    "restore_old": Call(restore, BARE, _objects(OLD)[1]),
    "restore_some_old": Call(restore, BARE, _objects(SOME_OLD)[1]),
    "restore_full": Call(restore, REPOSITORY, DUMP),
    "wrong_tag": Call(spoil_branch, REPOSITORY),
    "extra_tag": Call(write_refs, REPOSITORY, Refs(branches=(), commits=(), tags=(_tag("u", NEXT),))),
    "branch_a": Call(write_refs, REPOSITORY, Refs(branches=(_branch("a", NEXT, "tok"),), commits=(), tags=())),
    "branch_a_moved": Call(write_refs, REPOSITORY, Refs(branches=(_branch("a", SIDE),), commits=(), tags=())),
    "drop_a": Call(branches.delete_branch, REPOSITORY, BranchID("a")),
}
DUMPS_TABLE: Final = """\
found: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found: dump_paged
    answers main at c1; Repository created c1 1
    by scan branch; scan past branch main; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1;
        get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.seal.tag: dump
    answers b at c1; main at c1; tag t at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.tag: dump_paged
    answers b at c1; main at c1; tag t at c1; Repository created c1 1
    by scan branch; scan past branch b; scan past branch main; scan tag; scan commit; scan past commit c1; put p1;
        put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.bury: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.refs: dump
    answers a at c5; main at c2; z at c4; tag t at c3; tag v at c5; joint c2 3; side c3 2; Repository created c1 1;
        first c4 1; next c5 2
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.refs: dump_commits_first
    answers a at c5; main at c2; z at c4; tag t at c3; tag v at c5; joint c2 3; side c3 2; Repository created c1 1;
        first c4 1; next c5 2
    by scan commit; scan branch; scan tag; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn.refs: dump
    answers a at c6; main at c3; z at c5; tag t at c4; tag v at c6; joint c3 3; side c4 2; lone c2 4; Repository
        created c1 1; first c5 1; next c6 2
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn: dump_unchecked
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn_branch: dump
    answers NotDumpable: r: branch 'l' names commit 'c2', which is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
found.torn_branch: dump_unchecked
    answers MalformedDump: c2: branch 'l' names commit 'c3', which is not there; dump again
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.drop_main: dump
    answers NotDumpable: r: default branch 'main' is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
found.drop_main: dump_bare
    answers Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
: dump
    answers NotDumpable: r: default branch 'main' is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
: dump_bare
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.misplace: dump
    answers Undecodable: b'r-u' b'branches/y': holds the record of 'b'; delete or move it
    by scan branch
found: dump, met by branch.tag at 2
    answers main at c1; tag t at c1; Repository created c1 1; b c1 u.b2.0; t c1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +branch b = c1 u.b2.0; +tag t = c1; +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs:
        commits 1; +object p3 = lakeproof refs: tags 1; +object p4 = {
found.refs: dump, met by torn.torn_branch at 3
    answers a at c5; main at c2; z at c4; tag t at c3; tag v at c5; joint c2 3; side c3 2; lone c6 4; Repository
        created c1 1; first c4 1; next c5 2; done; done
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +branch l = c6 ; +commit c6 = of c2 'lone' -1699999999999995us; +object p1 = lakeproof refs: branches 1;
        +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof refs: tags 1; +object p4 = {
found.refs: dump_commits_first, met by torn.torn_branch at 2
    answers NotDumpable: r: branch 'l' names commit 'c6', which is not there; mend the repository, and dump again;
        done; done
    by scan commit; scan branch; scan tag
    leaves +branch l = c6 ; +commit c6 = of c2 'lone' -1699999999999995us
found: dump, refused at o2
    answers Refused
    by scan branch; scan tag; scan commit; put p1; put p2
    leaves +object p1 = lakeproof refs: branches 1
found: dump, refused at o4
    answers Refused
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1
put: read
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
    by get p4; get p1; get p2; get p3
: read
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p1
put.lose: read
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p4; get p1; get p2; get p3
put.spoil: read
    answers MalformedDump: c1: its content has SHA-256 c2; fetch the object again
    by get p4; get p1; get p2
put: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore_paged
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore_default
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch z; set_if
        branch main
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b3.0; +branch z = c3 u.b2.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore_elsewhere
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore_full
    answers NotBare: r: the repository is not bare; restore to one created as bare
put.restore: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.lose: restore
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p4; get p1; get p2; get p3
put.spoil: restore
    answers MalformedDump: c1: its content has SHA-256 c2; fetch the object again
    by get p4; get p1; get p2
put_old: restore_old
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put_some_old: restore_some_old
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put.wrong_tag: restore
    answers NotBare: r: b'tags/t' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.extra_tag: restore
    answers NotBare: r: b'tags/u' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.branch_a: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch main; set_if branch z
    leaves +branch main = c1 u.b1.0; +branch z = c3 u.b2.0; +commit c1 = of c4, c2 'joint' -1699999999999996us;
        +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first' -1699999999999999us; +commit c4
        = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put.branch_a_moved: restore
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put: restore, met by branch_a at 10
    answers restored; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a; set_if branch
        main; set_if branch z
    leaves +branch a = c4 tok; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore, met by branch_a_moved at 10
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a
    leaves +branch a = c2 ; +commit c1 = of c4, c2 'joint' -1699999999999996us; +commit c2 = of c3 'side'
        -1699999999999997us; +commit c3 = of none 'first' -1699999999999999us; +commit c4 = of c3 'next'
        -1699999999999998us; +tag t = c2; +tag v = c4
put: restore, met by wrong_tag at 8
    answers NotBare: r: b'tags/t' is there and not the dump's; restore to a repository without refs; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; get tag t
    leaves +commit c1 = of c4, c2 'joint' -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us;
        +commit c3 = of none 'first' -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c4
put: restore, met by restore at 6
    answers restored; restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; get commit c3; set_if commit c4; get commit c4; set_if tag t; get tag t; set_if tag v; get
        tag v; set_if branch a; get branch a; set_if branch main; get branch main; set_if branch z; get branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore, false at 10
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a; set_if branch
        main; set_if branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
put: restore, met by drop_a at 11, false at 10
    answers NotBare: r: b'branches/a' came and went; keep others away; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a
    leaves +commit c1 = of c4, c2 'joint' -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us;
        +commit c3 = of none 'first' -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t =
        c2; +tag v = c4
put: restore, refused at 6
    answers Refused
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3
    leaves +commit c1 = of c4, c2 'joint' -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us
put: restore, lost at 6
    answers OutcomeUnknown?
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3
    leaves +commit c1 = of c4, c2 'joint' -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us;
        +commit c3 = of none 'first' -1699999999999999us
put: restore, met by restore.drop_a at 4
    answers restored; restored; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; get commit c1; set_if
        commit c2; get commit c2; set_if commit c3; get commit c3; set_if commit c4; get commit c4; set_if tag t;
        get tag t; set_if tag v; get tag v; set_if branch a; set_if branch main; get branch main; set_if branch z;
        get branch z
    leaves +branch a = c4 u.b4.0; +branch main = c1 u.b2.0; +branch z = c3 u.b3.0; +commit c1 = of c4, c2 'joint'
        -1699999999999996us; +commit c2 = of c3 'side' -1699999999999997us; +commit c3 = of none 'first'
        -1699999999999999us; +commit c4 = of c3 'next' -1699999999999998us; +tag t = c2; +tag v = c4
"""


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
    "refs_problem": _form(lambda: form.decode_refs({"branches": (encode(_branch("b", NEXT)),), "commits": (), "tags": ()})),
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
    "cycle": _problems(Refs(branches=(), commits=CYCLE, tags=())),
    "without_tokens": _form(
        lambda: form.without_tokens(attrs.evolve(_branch("a", NEXT, "token"), sealed_tokens=(StagingToken("s"),)))
        == _branch("a", NEXT)
    ),
    "generations": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(REFS.commits)))),
    "generations_old": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(OLD.commits)))),
    "generations_some": _form(lambda: described(attrs.evolve(REFS, commits=form.with_generations(SOME_OLD.commits)))),
    "generations_none": _form(lambda: form.with_generations(())),
    "whole": _whole(REFS),
    "whole_torn": _whole(attrs.evolve(REFS, commits=_stored(FIRST, NEXT, SIDE, LONE))),
    "whole_torn_far": _whole(Refs(branches=(_branch("a", FIRST),), commits=_stored(FIRST, JOINT, LONE), tags=())),
    "whole_reached": _whole(Refs(branches=(_branch("a", LONE),), commits=_stored(FIRST, LONE), tags=())),
    "whole_tagged": _whole(Refs(branches=(), commits=_stored(FIRST, LONE), tags=(_tag("t", LONE),))),
    "whole_unnamed": _whole(Refs(branches=(), commits=_stored(FIRST, NEXT), tags=())),
}
FORMAT_TABLE: Final = r"""
: manifest
    answers Manifest(branches='b', commits='c', tags='t')
: manifest_bytes
    answers {  "branches": "b",  "commits": "c",  "format": "lakeproof refs",  "tags": "t",  "version": 1 }
: manifest_no_json
    answers MalformedDump: no JSON; name the manifest of a dump
: manifest_deep
    answers MalformedDump: no JSON; name the manifest of a dump
: manifest_list
    answers MalformedDump: no field format='lakeproof refs'; name the manifest of a dump
: manifest_other
    answers MalformedDump: no field format='lakeproof refs'; name the manifest of a dump
: manifest_version
    answers MalformedDump: version 2: expected 1; restore with the program that dumped
: manifest_few
    answers MalformedDump: {'branches': 'b', 'commits': 'c', 'tags': None}: expected three ids; dump again
: manifest_number
    answers MalformedDump: {'branches': 1, 'commits': 'c', 'tags': 't'}: expected three ids; dump again
: part
    answers ['ab', 'c']
: part_empty
    answers []
: part_no_bytes
    answers ['']
: part_other
    answers MalformedDump: begins with b'lakeproof refs: commits', expected b'lakeproof refs: tags 1\n'; dump again
: part_cut
    answers MalformedDump: cut off in record 1; dump again
: part_cut_in_length
    answers MalformedDump: cut off in record 0; dump again
: parts
    answers {'branches': b'lakeproof refs: branche', 'commits': b'lakeproof refs: commits', 'tags': b'lakeproof
        refs: tags 1\n'}
: refs
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
: refs_undecodable
    answers MalformedDump: tags: record 0: b'\xff' is no TagData; dump again
: refs_problem
    answers MalformedDump: branch 'b' names commit 'c1', which is not there; dump again
: fine
    answers none
: no_refs
    answers none
: unnamed
    answers branch id '': expected a name without NUL that is not empty; leave the NUL out | tag id '': expected a
        name without NUL that is not empty; leave the NUL out
: twice
    answers branch 'a' stands behind b'a'; expected each once, in order
: unordered
    answers tag 't' stands behind b'v'; expected each once, in order
: unordered_commits
    answers commit 'c1' stands behind b'c2'; expected each once, in order | commit 'c3' stands behind b'c1';
        expected each once, in order | commit 'c4' stands behind b'c3'; expected each once, in order
: with_token
    answers branch 'a' has staging tokens; expected none in a dump
: with_sealed
    answers branch 'a' has staging tokens; expected none in a dump
: missing
    answers branch 'z' names commit 'c1', which is not there | tag 't' names commit 'c2', which is not there |
        commit 'c3' names commit 'c2', which is not there | commit 'c4' names commit 'c1', which is not there
: cycle
    answers commits are their own ancestors: 'c1' < 'c2' < 'c1'
: without_tokens
    answers True
: generations
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
: generations_old
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
: generations_some
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
: generations_none
    answers ()
: whole
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; side c4 2; first c3 1; next c1 2
: whole_torn
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; side c4 2; first c3 1; next c1 2
: whole_torn_far
    answers a at c1; first c1 1
: whole_reached
    answers a at c1; lone c1 4; first c2 1
: whole_tagged
    answers tag t at c1; lone c1 4; first c2 1
: whole_unnamed
    answers first c1 1; next c2 2
"""
SOURCE: Final = "graveler-on-kv.md, Dump/Restore Refs"
ROWS = [
    stated("dumps", WORDS, DUMPS_TABLE, SOURCE),
    stated("dump-format", FORMAT, FORMAT_TABLE, SOURCE),
]

SCENARIOS = built(ROWS)
