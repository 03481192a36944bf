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
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

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
UPLOADS_TABLE: Final = """\
: up_x
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
up_x: up_x2
    answers b/u.b2.0/x 3B
    by get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = two
: up_slash
    answers b/u.b2.0/x/y%20z 1B
    by get branch b; put b/u.b2.0/x/y%20z; get branch b
    leaves +object b/u.b2.0/x/y%20z = 1
: up_x, refused at 1
    answers Refused
    by get branch b
: up_x, refused at o1
    answers Refused
    by get branch b; put b/u.b2.0/x
: up_x, refused at 2
    answers Refused
    by get branch b; put b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
: up_x, met by seal at 2
    answers b/u.b2.s1/x 1B; done
    by get branch b; put b/u.b2.0/x; get branch b; put b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = 1
: up_x, met by seal at 2, 3, 4
    answers WriteNotSettled?; done; done; done
    by get branch b; put b/u.b2.0/x; get branch b; put b/u.b2.s1/x; get branch b; put b/u.b2.s2/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = 1; +object
        b/u.b2.s2/x = 1
: up_x, met by delete_branch at 2
    answers BranchNotFound; done
    by get branch b; put b/u.b2.0/x; get branch b
    leaves -branch b
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
: up_x@single
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x
    leaves +object b/u.b2.0/x = 1
: up_x@single, met by seal at o1
    answers b/u.b2.0/x 1B; done
    by get branch b; put b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1
: up_x@once
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b
    leaves +object b/u.b2.0/x = 1
up_x: up_x2@once
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, false at 3
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.s1/x
        if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, met by seal at 2
    answers b/u.b2.s1/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, met by seal at 3
    answers b/u.b2.s2/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.s2/x
        if_absent; get branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0; +object b/u.b2.s2/x = two
up_x: up_x2@once, met by delete_branch at 3
    answers BranchNotFound; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b
    leaves -branch b; -object b/u.b2.0/x
up_x: up_x2@once, met by hide at 3
    answers b/u.b2.s2/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.0/x
        if_absent; get branch b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b
    leaves ~branch b = c1 hidden u.b2.s2 u.b2.0; +object b/u.b2.s2/x = two
up_x.seal: up_x2@once
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves +object b/u.b2.s1/x = two
up_x: up_x2@once, met by up_x@once at o2
    answers b/u.b2.s2/x 3B; b/u.b2.s1/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1; +object b/u.b2.s2/x = two
up_x: up_x2@once, met by up_x@once at o2, o3
    answers WriteNotSettled?; b/u.b2.s1/x 1B; b/u.b2.s2/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1; +object b/u.b2.s2/x = 1
: stage_out
    answers DataGone
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match
bring: stage_out
    answers b/u.b2.0/x 1B
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match; get branch b
    leaves +object b/u.b2.0/x = o
bring: stage_out@once
    answers b/u.b2.0/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b
    leaves +object b/u.b2.0/x = o
: stage_out@once
    answers DataGone
    by get branch b; get ext://brought/o
bring.up_x: stage_out@once
    answers b/u.b2.s1/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get
        ext://brought/o; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = o
bring: stage_wrong
    answers DataGone
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match
bring: stage_wrong@once
    answers DataGone
    by get branch b; get ext://brought/o
bring: stage_out@refuses
    answers AddressNotAllowed
bring: stage_out@once, met by up_x at o2
    answers b/u.b2.s1/x 1B; b/u.b2.0/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get
        ext://brought/o; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = o
up_x: stage_y
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: copy
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b
    leaves +object b/u.b2.0/y = 1
: copy
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.commit: copy
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/y;
        get branch b
    leaves +object b/u.b2.s1/y = 1
up_x.seal: copy
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/y;
        get branch b
    leaves +object b/u.b2.s1/y = 1
up_x: copy, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y
    leaves -object b/u.b2.0/x
up_x: copy@once
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b
    leaves +object b/u.b2.0/y = 1
up_x.up_y: copy@once
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b; set_if branch b; get b/u.b2.0/x; put b/u.b2.s1/y if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/y = 1
up_x: copy@once, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x: copy, met by seal at 4
    answers b/u.b2.s1/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; copy
        b/u.b2.0/x to b/u.b2.s1/y; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/y = 1; +object b/u.b2.s1/y = 1
up_x: move
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
: move
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x: move@once
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b; get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x if_absent; get branch b;
        set_if branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/y = 1; +object b/u.b2.s1/x = deleted
up_x: move@unmarked
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
up_x: move, met by no_x at 5
    answers b/u.b2.0/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
up_x: move, met by no_x@unmarked at 5
    answers b/u.b2.0/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get commit c1; get branch b
    leaves -object b/u.b2.0/x; +object b/u.b2.0/y = 1
up_x: no_x
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted
: no_x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get branch b
up_x.commit: no_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; put b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = deleted
up_x: no_x@once
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x if_absent; get branch b; set_if
        branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = deleted
up_x.commit: no_x@once
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; put b/u.b2.s1/x if_absent; get
        branch b
    leaves +object b/u.b2.s1/x = deleted
up_x: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; delete b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.commit: no_x@unmarked
    answers PathNotFound
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b
up_x.seal: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get branch b; delete b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.seal.up_x2: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.s1/x; get branch b; get branch b; delete b/u.b2.s1/x
    leaves -object b/u.b2.s1/x
: no_x@unmarked
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
: issue
    answers grant of b/u.b2.0/x r-b:u.b2.0
    by get branch b
: issue@aside
    answers grant of a1
: link_x
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x; head b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
: link_x@aside
    answers b/u.b2.0/x 1B
    by put a1; get branch b; copy a1 to b/u.b2.0/x; get branch b; delete a1
    leaves +object b/u.b2.0/x = 1
: link_home
    answers DataGone
    by head b/u.b2.0/x
up_x: link_home
    answers b/u.b2.0/x 1B
    by head b/u.b2.0/x; get branch b
: link_elsewhere
    answers AddressNotAllowed
: link_far
    answers AddressNotAllowed
up_x: link_home, met by lose at o1
    answers DataGone; done
    by head b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.seal: link_home
    answers b/u.b2.s1/x 1B
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = 1
up_x: link_home, met by seal at 1
    answers b/u.b2.s1/x 1B; done
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1
up_x.seal: link_home, met by lose at o2
    answers DataGone; done
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x
    leaves -object b/u.b2.0/x
"""
COMMITS_TABLE: Final = """\
up_x: x
    answers 1
    by get branch b; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.no_x: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get branch b
up_x.seal.up_x2: x
    answers two
    by get branch b; head b/u.b2.s1/x; get branch b; get b/u.b2.s1/x
up_x.seal: x
    answers 1
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
up_x.commit: x
    answers 1
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get b/u.b2.0/x
up_x.lose: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x: x, met by seal at 2
    answers 1; done
    by get branch b; head b/u.b2.0/x; get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x: x, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
    leaves -object b/u.b2.0/x
: list
    answers ()
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x.up_y: list
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x.up_y: list_paged
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.0/; list b/u.b2.0/; get commit c1; get branch b
up_x.commit.up_y: list
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.s1/y)
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_x.seal.up_x2: list
    answers (x=data/b/u.b2.s1/x)
    by get branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; get branch b
up_x.commit.no_x: list
    answers ()
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_slash: list
    answers (x/y z=data/b/u.b2.0/x/y%20z)
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x: list, met by seal at 2
    answers (x=data/b/u.b2.0/x); done
    by get branch b; list b/u.b2.0/; get commit c1; get branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1;
        get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y: commit_paged, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s, y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.0/; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_slash: commit, then head
    answers c2 of c1 'one'; (x/y z=b/u.b2.0/x/y%20z 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.seal.up_x2: commit, then head
    answers c2 of c1 'one'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
up_x.commit.no_x: commit_again, then head
    answers c3 of c2 'two'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
up_x.commit.up_x2: commit_again, then head
    answers c3 of c2 'two'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
up_x: commit, met by up_y at 2, then head
    answers c2 of c1 'one'; b/u.b2.0/y 1B; (x=b/u.b2.0/x 1B +0s, y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object b/u.b2.0/y = 1
up_x: commit, met by up_y at 3, then head
    answers c2 of c1 'one'; b/u.b2.s1/y 1B; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object b/u.b2.s1/y = 1
up_x: commit@tidies, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; list
        b/u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y.commit.no_x: commit_tidy_paged, then head
    answers c3 of c2 'one'; (y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; list
        b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x
up_x.up_y.commit.no_x.no_y: commit_tidy_paged, then head
    answers c3 of c2 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if
        branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.s1/; delete b/u.b2.s1/y
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x; -object b/u.b2.s1/y
up_x.seal.up_x2: commit@tidies, then head
    answers c2 of c1 'one'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b; list b/u.b2.s1/; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; -object b/u.b2.0/x
up_x.commit.up_x2.no_x: commit@tidies, then head
    answers c3 of c2 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; list
        b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x
: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x; delete b/u.b2.0/y
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x.up_y: reset_paged
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x; list b/u.b2.0/; delete b/u.b2.0/y
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s2; -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x.seal.up_x2: reset@open
    answers done
    by get branch b; set_if branch b; list b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c1 u.b2.s2; -object b/u.b2.s1/x
: reset_x
    answers done
    by get branch b; delete b/u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; delete b/u.b2.0/x; get branch b
    leaves -object b/u.b2.0/x
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; delete b/u.b2.s1/x; get branch b
    leaves -object b/u.b2.s1/x
up_x.seal: reset_x
    answers done
    by get branch b; head b/u.b2.0/x; get commit c1; put b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = deleted
up_x.seal.seal: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get commit c1; put b/u.b2.s2/x; get branch b
    leaves +object b/u.b2.s2/x = deleted
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x; get branch b
    leaves +object b/u.b2.s2/x = 1
up_x.commit.up_x2.seal.up_x2: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x; get branch b
    leaves ~object b/u.b2.s2/x = 1
up_x.commit.up_x2.seal: reset_x, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x
    leaves -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x: reset_x, met by seal at 2
    answers done; done
    by get branch b; delete b/u.b2.0/x; get branch b; head b/u.b2.0/x; delete b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; -object b/u.b2.0/x
up_x: reset_x, met by commit at 2
    answers done; c2 of c1 'one'
    by get branch b; delete b/u.b2.0/x; get branch b; delete b/u.b2.s1/x; get branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; -object b/u.b2.0/x
up_x: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves -branch b; -object b/u.b2.0/x
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.s1/; delete b/u.b2.s1/x
    leaves -branch b; -object b/u.b2.s1/x
up_x.seal.up_x2: delete_branch@all
    answers done
    by get branch b; delete branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.0/; delete b/u.b2.0/x
    leaves -branch b; -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x.up_y: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.0/; delete b/u.b2.0/x; delete b/u.b2.0/y
    leaves -branch b; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x: delete_branch@compares
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = none u.b2.0; -object b/u.b2.0/x
up_x: delete_branch@compares, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
"""
SOURCE: Final = "hard-delete-uncommitted-data.md, 1. Write staged data directly to object store"
ROWS = [
    stated("object-path", OBJECT_PATH, UPLOADS_TABLE, SOURCE, first=(FOUND,)),
    stated("object-path-commits", OBJECT_PATH, COMMITS_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
