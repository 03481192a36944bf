"""Proposal 1: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "1. Write staged data directly to object store on a defined
path". How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _staging_area as area
from lakeproof.impl.hard_delete import object_path
from lakeproof.impl.hard_delete.object_path import Reading
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

TOKEN: Final = "r-b:u.b2.0"  # noqa: S105  # no password
HOME: Final = Grant(f"{NAMESPACE}/data/b/{TOKEN}/x", TOKEN)


async def listed(env: Env, repository: Repository, *, batch_size: int = 0) -> tuple[str, ...]:
    """The paths of the branch, with the addresses of their objects."""
    found = await area.list_objects(env, repository, BRANCH, batch_size=batch_size)
    return tuple(f"{path.decode()}={entry.address.replace('r-b:', '')}" for path, entry in found)


OBJECT_PATH: Final = {
    **words_of(
        object_path.FLOWS,
        single=object_path.SINGLE_READ,
        once=Reading(overwrites=False),
        unmarked=object_path.DELETES_OBJECT,
        all=Reading(drops_all=True),
        open=Reading(resets_all=False),
        compares=Reading(compares=True),
        refuses=Reading(ingests="refuse"),
        aside=Reading(issues="aside"),
        tidies=Reading(tidies=True),
        immutable=object_path.IMMUTABLE,
    ),
    "list": Call(listed, REPOSITORY),
    "list_paged": Call(listed, REPOSITORY, batch_size=1),
    "up_slash": Call(object_path.upload_object, REPOSITORY, BRANCH, b"x/y z", b"1"),
    "stage_wrong": Call(object_path.stage_object, REPOSITORY, BRANCH, X, OUTSIDE, b"other"),
    "stage_wrong@once": Call(
        object_path.stage_object, REPOSITORY, BRANCH, X, OUTSIDE, b"other", reading=Reading(overwrites=False)
    ),
    "link_home": Call(object_path.link_physical_address, REPOSITORY, BRANCH, X, HOME, b"1"),
    "link_elsewhere": Call(object_path.link_physical_address, REPOSITORY, BRANCH, Y, HOME, b"1"),
    "commit_tidy_paged": Call(
        object_path.commit, REPOSITORY, BRANCH, "one", reading=Reading(tidies=True), batch_size=1
    ),
    "reset_paged": Call(object_path.reset_branch, REPOSITORY, BRANCH, batch_size=1),
}
