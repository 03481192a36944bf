"""The offline solution: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "Motivation", 1., and of lakeFS' garbage collection of
uncommitted objects; what helps against copies is ours. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl import staging
from lakeproof.impl.catalog.objects import Grant, change, put_data
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import offline
from lakeproof.impl.hard_delete.offline import Reading
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.commits import get_commit
from lakeproof.model.identifiers import StagingToken, TagID
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

HOUR: Final = 3_600_000_000
UNTIL: Final = REPOSITORY.creation_date + HOUR
A1: Final = f"{NAMESPACE}/data/a1"


async def put_aside(env: Env, repository: Repository) -> None:
    """An object that no entry refers to, and one that is no user's."""
    await env.objects.put(A1, b"1")
    await env.objects.put(f"{NAMESPACE}/other/o", b"1")


async def go_back(env: Env, repository: Repository) -> None:
    """The branch b moves to the first parent of its head."""
    head = await get_commit(env, repository, (await branches.get_branch(env, repository, BRANCH)).commit_id)
    await branches.update_branch(env, repository, BRANCH, head.parents[0])


async def write_late(env: Env, repository: Repository) -> None:
    """A slow writer stages an entry under the token that b had first."""
    await staging.stage(env, StagingToken("r-b:u.b2.0"), change(X, await put_data(env, repository, b"late")))


OFFLINE: Final = {
    **words_of(
        offline.FLOWS,
        backwards=Reading(order=("committed", "uncommitted", "objects")),
        now=Reading(min_age=0),
        margin=Reading(margin=HOUR),
        late=Reading(cutoff="listing"),
        late_last=Reading(cutoff="listing", order=("uncommitted", "committed", "objects")),
        whole=Reading(prefix="", min_age=0),
        bare=Reading(prefix="", spares=(), min_age=0),
        shown=Reading(entries="shown", min_age=0),
        reachable=Reading(commits="reachable", min_age=0),
        full=Reading(copies="full"),
        tracked=Reading(copies="tracked", records="first"),
        tracked_last=Reading(copies="tracked", records="last"),
        verified=Reading(copies="verified", records="last"),
        apart=Reading(copies="verified apart", records="last", min_age=0),
        looks=Reading(looks_again=True),
        looks_once=Reading(looks_again=True, commit_tries=1),
        outside=Reading(inside=False),
        lived=Reading(lifetime=HOUR),
        mended=offline.MENDED,
    ),
    "aside": Call(put_aside, REPOSITORY),
    "go_back": Call(go_back, REPOSITORY),
    "late": Call(write_late, REPOSITORY),
    "tag_main": Call(tags.create_tag, REPOSITORY, TagID("a"), MAIN),
    "tag": Call(tags.create_tag, REPOSITORY, TagID("t"), BRANCH),
    "link_a1": Call(offline.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, expires=UNTIL), b"1"),
    "link_ever": Call(offline.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1), b"1"),
    "job_shown_paged": Call(
        offline.background_job, REPOSITORY, reading=Reading(entries="shown", min_age=0), batch_size=1
    ),
    "job_reachable_paged": Call(
        offline.background_job, REPOSITORY, reading=Reading(commits="reachable", min_age=0), batch_size=1
    ),
    "job_apart_paged": Call(
        offline.background_job,
        REPOSITORY,
        reading=Reading(copies="verified apart", records="last", min_age=0),
        batch_size=1,
    ),
    "branch_main": Call(branches.create_branch, REPOSITORY, "a", MAIN),
}
