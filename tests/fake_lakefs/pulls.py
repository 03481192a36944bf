"""What the fake does with imports, pull requests and metadata of objects; and its bug there."""

import uuid
from contextlib import suppress

from lakeproof.impl.committed import read_entries, write_metarange
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import reads, writes
from lakeproof.impl.graveler.layers import changes
from lakeproof.impl.refs.branches import read_branch
from lakeproof.impl.refs.commits import get_commit
from lakeproof.impl.refs.errors import BranchBusy, DirtyBranch, EntryChanged, RefChanged
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Commit, Repository
from tests.fake_lakefs.lake import MARKED, TRIES, WRITING, Lake
from tests.fake_lakefs.moves import committed
from tests.fake_lakefs.records import IMPORTABLE, Pull


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
        meta_range_id = await write_metarange(env, repository.storage_namespace, iter(whole))
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
