"""What the fake does with reverts, cherry-picks, resets, tags, imports, pull requests and metadata; its bug there."""

import uuid
from contextlib import suppress

import attrs

from lakeproof.impl.committed import apply_changes, read_entries
from lakeproof.impl.committed import merge as merge_committed
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import merges, reads, resets, writes
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.branches import read_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.refs.errors import BranchBusy, DirtyBranch, EntryChanged, NoParent, RefChanged
from lakeproof.impl.refs.resolution import resolve
from lakeproof.model import kv
from lakeproof.model.committed import Entry, change_to
from lakeproof.model.identifiers import BranchID, MetaRangeID, TagID
from lakeproof.model.records import Branch, Commit, Repository, Tag
from tests.fake_lakefs.lake import MARKED, TRIES, WRITING, Lake
from tests.fake_lakefs.records import IMPORTABLE, Pull


async def reset_paths(lake: Lake, name: str, branch: str, path: str, *, exact: bool) -> None:
    """Forget what is staged at a path, or at all paths with a prefix."""
    reset = resets.reset_entry if exact else resets.reset_prefix
    await lake.at(name, lambda env, at: reset(env, at, BranchID(branch), path.encode(), tries=TRIES))


async def revert(lake: Lake, name: str, branch: str, ref: str, message: str) -> Commit:
    return await lake.at(name, lambda env, at: merges.revert(env, at, BranchID(branch), ref, message))


async def cherry_pick(lake: Lake, name: str, branch: str, ref: str, message: str) -> Commit:
    return await lake.at(name, lambda env, at: _picked(env, at, BranchID(branch), ref, message))


async def _picked(env: Env, repository: Repository, branch_id: BranchID, ref: str, message: str) -> Commit:
    """A commit on a branch of what another one changed against its first parent."""
    branch, predicate = await read_branch(env, repository, branch_id)
    async for _ in changes(env, branch.tokens):
        raise DirtyBranch(branch_id)
    head = await get_commit(env, repository, branch.commit_id)
    picked = await get_commit(env, repository, await resolve(env, repository, ref))
    if not picked.parents:
        raise NoParent(picked.commit_id)
    parent = await get_commit(env, repository, picked.parents[0])
    meta_range_id = await merge_committed(
        env,
        repository.storage_namespace,
        base=parent.meta_range_id,
        source=picked.meta_range_id,
        destination=head.meta_range_id,
    )
    return await committed(env, repository, (branch, predicate), head, meta_range_id, message)


async def committed(
    env: Env,
    repository: Repository,
    read: tuple[Branch, kv.Predicate],
    head: Commit,
    meta_range_id: MetaRangeID,
    message: str,
) -> Commit:
    """A commit on a branch, unless the branch is another than was read."""
    branch, predicate = read
    date = await env.clock.now()
    made = new_commit([head], meta_range_id, committer="fake", message=message, creation_date=date)
    await add_commit(env, repository, made)
    try:
        await replace_branch(env, repository, attrs.evolve(branch, commit_id=made.commit_id), predicate)
    except kv.PredicateFailed:
        raise RefChanged(branch.branch_id) from None
    return made


async def hard_reset(lake: Lake, name: str, branch: str, ref: str) -> None:
    """Let a branch that has no uncommitted changes name another commit."""
    which = BranchID(branch)

    async def flow(env: Env, repository: Repository) -> None:
        async for _ in changes(env, (await branches.get_branch(env, repository, which)).tokens):
            raise DirtyBranch(which)
        await branches.update_branch(env, repository, which, ref)

    await lake.at(name, flow)


async def create_tag(lake: Lake, name: str, tag: str, ref: str) -> Tag:
    return await lake.at(name, lambda env, at: tags.create_tag(env, at, TagID(tag), ref, doubts=True))


async def get_tag(lake: Lake, name: str, tag: str) -> Tag:
    return await lake.at(name, lambda env, at: tags.get_tag(env, at, TagID(tag)))


async def delete_tag(lake: Lake, name: str, tag: str) -> None:
    await lake.at(name, lambda env, at: tags.delete_tag(env, at, TagID(tag)))


class PullNotFound(Exception):
    """There is no pull request of this id."""


class NotOpen(Exception):
    """A pull request is closed, or merged."""


async def update_metadata(lake: Lake, name: str, branch: str, path: str, mark: str) -> None:
    """Give an entry other metadata, and leave it as it is otherwise."""
    which, key = BranchID(branch), path.encode()

    async def flow(env: Env, repository: Repository) -> None:
        for _ in range(TRIES):
            before = (await reads.get_entry(env, repository, which, key, tries=TRIES)).identity
            if lake.chance("lost-update", 0.5):
                return
            after = before.partition(MARKED)[0] + MARKED + mark.encode()
            with suppress(EntryChanged):
                await writes.replace_entry(env, repository, which, key, after, before, reading=WRITING)
                return
        raise BranchBusy(which)

    await lake.at(name, flow)


async def import_objects(lake: Lake, name: str, branch: str, paths: tuple[str, str], message: str) -> str:
    """Put what lies at a source in the place of what lies under a prefix. paths: source and prefix.

    Returns the id of the import. It has ended by then: `Lake.imports` has what came of it.
    """
    which, number = BranchID(branch), uuid.uuid4().hex
    await lake.branch(name, branch)
    source, prefix = paths
    brought = [
        Entry(path=f"{prefix}{path}".encode(), identity=f"{source}{path}".encode(), data=b"")
        for path in IMPORTABLE.get(source, ())
    ]

    async def flow(env: Env, repository: Repository) -> Commit:
        before, predicate = await read_branch(env, repository, which)
        async for _ in changes(env, before.tokens):
            raise DirtyBranch(which)
        head = await get_commit(env, repository, before.commit_id)
        there = read_entries(env, repository.storage_namespace, head.meta_range_id)
        kept = [each async for each in there if not each.path.startswith(prefix.encode())]
        whole = sorted([*kept, *brought], key=lambda entry: entry.path)
        meta_range_id = await apply_changes(
            env, repository.storage_namespace, MetaRangeID(""), [change_to(each.path, each) for each in whole]
        )
        return await committed(env, repository, (before, predicate), head, meta_range_id, message)

    try:
        lake.imports[number] = await lake.at(name, flow)
    except (DirtyBranch, RefChanged) as error:
        lake.imports[number] = error
    return number


async def create_pull(lake: Lake, name: str, pull: Pull) -> str:
    await lake.branch(name, pull.source)
    await lake.branch(name, pull.destination)
    lake.pulls[name, pull.number] = pull
    return pull.number


async def get_pull(lake: Lake, name: str, number: str) -> Pull:
    await lake.repository(name)
    if (name, number) not in lake.pulls:
        raise PullNotFound(number)
    return lake.pulls[name, number]


async def update_pull(lake: Lake, name: str, number: str, *, title: str = "", status: str = "") -> None:
    """Change what is given."""
    pull = await get_pull(lake, name, number)
    async with pull.changing:
        pull.title, pull.status = title or pull.title, status or pull.status


async def merge_pull(lake: Lake, name: str, number: str) -> Commit:
    pull = await get_pull(lake, name, number)
    async with pull.changing:
        if pull.status != "open":
            raise NotOpen(number)
        made = await lake.merge(name, pull.destination, pull.source, f"pull request {number}")
        pull.status, pull.commit = "merged", made.commit_id
    return made
