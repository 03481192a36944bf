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
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

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
CALLS_TABLE: Final = """\
up_x: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: copy@full
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1
up_x: copy@tracked
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1
bring.stage_out: copy@tracked
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x: copy@verified
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; get u.b2.0/x; get
        branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1
up_x: copy@apart
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1/c1; get branch b; get u.b2.0/x; get
        branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s; +copies/mem://r/data/a1/c1 = +0s mem://r/data/a1
bring.stage_out: copy@apart
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x: copy@apart, met by up_x2 at 5
    answers a2 3B +0s; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1/c1; get branch b; get u.b2.0/x; get
        branch b; now; set copies/mem://r/data/a2/c2; get branch b; get u.b2.0/x; get branch b; get branch b; set
        u.b2.0/y; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +u.b2.0/y = a2 3B +0s; +copies/mem://r/data/a1/c1 = +0s mem://r/data/a1;
        +copies/mem://r/data/a2/c2 = +0s mem://r/data/a2; +object a2 = two
up_x: copy@apart, met by no_x at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1/c1; get branch b; get u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = gone; +copies/mem://r/data/a1/c1 = +0s mem://r/data/a1
up_x: copy@verified, met by up_x2 at 5
    answers a2 3B +0s; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; get u.b2.0/x; get
        branch b; now; set copies/mem://r/data/a2; get branch b; get u.b2.0/x; get branch b; get branch b; set
        u.b2.0/y; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +u.b2.0/y = a2 3B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1;
        +copies/mem://r/data/a2 = +0s mem://r/data/a2; +object a2 = two
up_x: copy@verified, met by up_x2 at 5, 9
    answers a3 3B +0s; a2 3B +0s; a3 3B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; get u.b2.0/x; get
        branch b; now; set copies/mem://r/data/a2; get branch b; get u.b2.0/x; get branch b; now; set
        copies/mem://r/data/a3; get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves ~u.b2.0/x = a3 3B +0s; +u.b2.0/y = a3 3B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1;
        +copies/mem://r/data/a2 = +0s mem://r/data/a2; +copies/mem://r/data/a3 = +0s mem://r/data/a3; +object a2 =
        two; +object a3 = two
up_x: copy@verified, met by up_x2 at 5, 9, 13
    answers ObjectBusy; a2 3B +0s; a3 3B +0s; a4 3B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; get u.b2.0/x; get
        branch b; now; set copies/mem://r/data/a2; get branch b; get u.b2.0/x; get branch b; now; set
        copies/mem://r/data/a3; get branch b; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a4 3B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1; +copies/mem://r/data/a2 = +0s
        mem://r/data/a2; +copies/mem://r/data/a3 = +0s mem://r/data/a3; +object a2 = two; +object a3 = two; +object
        a4 = two
up_x: copy@verified, met by up_x at 5, 6 s later
    answers a2 1B +0s; a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1; get branch b; get u.b2.0/x; get
        branch b; now; set copies/mem://r/data/a2; get branch b; get u.b2.0/x; get branch b; get branch b; set
        u.b2.0/y; get branch b
    leaves ~u.b2.0/x = a2 1B +0s; +u.b2.0/y = a2 1B +0s; +copies/mem://r/data/a1 = +0s mem://r/data/a1;
        +copies/mem://r/data/a2 = +0s mem://r/data/a2; +object a2 = 1
up_x: copy@apart, refused at 4
    answers Refused
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1/c1
up_x: move
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b; get branch b; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: move@apart
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; now; set copies/mem://r/data/a1/c1; get branch b; get u.b2.0/x; get
        branch b; get branch b; set u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s; +copies/mem://r/data/a1/c1 = +0s mem://r/data/a1
up_x: stage_in
    answers a1 1B
    by get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B
up_x: stage_in@outside
    answers AddressNotAllowed
: stage_out@outside
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: issue
    answers grant of a1
: issue@lived
    answers grant of a1 until +3600s
    by now
: link_x
    answers a1 1B
    by put a1; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1
: link_x@lived
    answers a1 1B
    by now; put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1
: link_far
    answers AddressNotAllowed
: link_ever
    answers a1 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
: link_a1
    answers a1 1B
    by now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
: link_a1, 3599 s later
    answers a1 1B
    by now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
: link_a1, 3600 s later
    answers a1 1B
    by now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
: link_a1, 3601 s later
    answers GrantExpired
    by now
: link_ever, 3601 s later
    answers a1 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
up_x: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y: commit@looks, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit_paged@looks, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: commit@looks, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit@looks, met by up_x2 at 5, then head
    answers c2 of c1 'one'; a2 3B +0s; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/x = a2 3B +0s; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object a2 = two
up_x: commit@looks, met by no_x at 5, then head
    answers c2 of c1 'one'; done; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit@looks, met by up_x2 at 3, then head
    answers c2 of c1 'one'; a2 3B +0s; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/x = a2 3B +0s; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object a2 = two
up_x: commit@looks_once, met by seal.up_x2 at 5, then head
    answers BranchBusy; done; a2 3B +0s; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; get branch b
    leaves +u.b2.s2/x = a2 3B +0s; ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'; +object a2 = two
up_x: commit@looks, met by commit at 8, then head
    answers c3 of c2 'one'; c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; get branch b; get commit c2; now; set commit c3; get commit c2; set_if branch b
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c2 'one'
up_x: commit@looks, met by late at 6, then head
    answers c3 of c1 'one'; done; (x=a2 4B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; set_if branch b; scan u.b2.s1/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; +object a2 = late
up_x: commit@looks, met by late at 6, 13, then head
    answers c4 of c1 'one'; done; done; (x=a3 4B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get
        commit c1; now; set commit c4; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get commit c1; set_if branch b;
        scan u.b2.s2/; scan u.b2.s1/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s3; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; +commit c4 = of c1
        'one'; +object a2 = late; +object a3 = late
up_x: commit@looks, met by late at 6, 13, 20, then head
    answers BranchBusy; done; done; done; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get
        commit c1; now; set commit c4; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get commit c1
    leaves ~u.b2.0/x = a4 4B +0s; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'; +commit
        c3 = of c1 'one'; +commit c4 = of c1 'one'; +object a2 = late; +object a3 = late; +object a4 = late
up_x: commit@looks_once, met by late at 6, then head
    answers BranchBusy; done; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1
    leaves ~u.b2.0/x = a2 4B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'; +object a2 = late
up_x: commit_paged@looks, met by late at 6, then head
    answers c3 of c1 'one'; done; (x=a2 4B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; set_if branch b; scan u.b2.s1/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; +object a2 = late
up_x: commit@looks, met by late at 8, then head
    answers c2 of c1 'one'; done; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object a2 = late
: commit@looks, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
"""
JOBS_TABLE: Final = """\
: job
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x: job
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job, 86401 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@margin, 86401 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@margin, 90000 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@late, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@late, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@late_last, 86400 s later
    answers (mem://r/data/a1)
    by scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; now; list data; delete a1
    leaves -object a1
up_x.no_x: job@backwards, 86400 s later
    answers (mem://r/data/a1)
    by now; scan commit; scan branch; scan u.b2.0/; scan u.b1.0/; list data; delete a1
    leaves -object a1
up_x: job@backwards, 86400 s later
    answers ()
    by now; scan commit; scan branch; scan u.b2.0/; scan u.b1.0/; list data
up_x.commit: job@backwards, 86400 s later
    answers ()
    by now; scan commit; scan branch; scan u.b2.s1/; scan u.b1.0/; list data
up_x.no_x.up_y.no_y: job_paged, 86400 s later
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; list data; scan branch; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; scan u.b1.0/;
        scan past branch main; scan commit; delete a1; delete a2
    leaves -object a1; -object a2
up_x.commit.up_x2.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.commit.no_x.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.up_y.commit.no_x.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.commit.reset: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
bring.stage_out.up_y: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
bring.stage_out.commit.up_y.no_y: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.up_x2: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.seal.up_x2: job@shown
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.no_x.up_y: job@shown
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.up_x2.up_y: job_shown_paged
    answers (mem://r/data/a1)
    by now; list data; list data; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan past u.b2.s1/x; scan
        past branch b; scan u.b1.0/; scan past branch main; scan commit; delete a1
    leaves -object a1
up_x.up_y.up_main: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.up_y.up_main: job@shown
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.up_y.up_main: job@now, met by up_x2 at 2
    answers (mem://r/data/a1); a4 3B +0s
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves ~u.b2.0/x = a4 3B +0s; -object a1; +object a4 = two
aside: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
aside: job@whole
    answers (mem://r/data/a1, mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete mem://r/other/o
    leaves -object a1; -object mem://r/other/o
aside: job@bare
    answers (mem://r/data/a1, mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete mem://r/other/o
    leaves -object a1; -object mem://r/other/o
up_x.commit: job@bare
    answers (mem://r/_lakefs/c3, mem://r/_lakefs/c4)
    by now; list mem://r/; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit
aside.up_x.commit: job@whole
    answers (mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; delete mem://r/other/o
    leaves -object mem://r/other/o
up_x.commit.up_x2.commit_again: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; get commit
        c3; get commit c2
up_x.commit.up_x2.commit_again.go_back: job@reachable
    answers (mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; get commit
        c2; delete a2
    leaves -object a2
up_x.commit.up_x2.commit_again.go_back.go_back: job@reachable
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; delete a1;
        delete a2
    leaves -object a1; -object a2
up_x.commit.tag.go_back: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan branch; scan tag; get commit c2; get commit c1
up_x.commit.tag.up_x2.commit_again.go_back.go_back: job@reachable
    answers (mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c2; get commit
        c1; delete a2
    leaves -object a2
up_x.commit.create_c.go_back: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b3.0/; scan u.b1.0/; scan branch; scan tag; get commit c1;
        get commit c2
up_x.commit.create_c.go_back.branch_main: job_reachable_paged
    answers ()
    by now; list data; scan branch; scan u.b4.0/; scan past branch a; scan u.b2.s1/; scan past branch b; scan
        u.b3.0/; scan past branch c; scan u.b1.0/; scan past branch main; scan branch; scan past branch a; scan past
        branch b; scan past branch c; scan past branch main; scan tag; get commit c1; get commit c2
up_x.up_y.commit.create_c.up_x2.commit_again: job_reachable_paged
    answers ()
    by now; list data; list data; list data; scan branch; scan u.b2.s2/; scan past branch b; scan u.b3.0/; scan past
        branch c; scan u.b1.0/; scan past branch main; scan branch; scan past branch b; scan past branch c; scan
        past branch main; scan tag; get commit c1; get commit c2; get commit c3
up_x.copy@tracked.no_x.no_y: job@tracked, 86400 s later
    answers (mem://r/data/a1)
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete
        copies/mem://r/data/a1
    leaves -copies/mem://r/data/a1; -object a1
up_x.copy@tracked.no_x.no_y: job@tracked_last, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1
    leaves -copies/mem://r/data/a1; -object a1
up_x.copy@tracked.no_x.no_y: job@tracked_last, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.no_x: job@tracked, met by aside at 1, 86400 s later
    answers (mem://r/data/a1); done
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1; +object mem://r/other/o = 1
up_x.copy@apart.no_x.no_y: job@tracked_last
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@apart
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves -copies/mem://r/data/a1/c1; -object a1
up_x.copy@apart.no_x.no_y: job@mended
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@mended, 1 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@apart, 1 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves -copies/mem://r/data/a1/c1; -object a1
up_x.copy@apart.no_x.up_x.copy@apart: job_apart_paged, 1 s later
    answers (mem://r/data/a1)
    by now; list data; list data; scan branch; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; scan u.b1.0/;
        scan past branch main; scan commit; scan past commit c1; scan copies/; scan past copies/mem://r/data/a1/c1;
        delete a1; delete copies/mem://r/data/a1/c1; delete copies/mem://r/data/a2/c2
    leaves -copies/mem://r/data/a1/c1; -copies/mem://r/data/a2/c2; -object a1
up_x: job@apart, met by copy@apart.no_x.no_y at 2, 86400 s later
    answers (mem://r/data/a1); a1 1B -86400s; done; done
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = gone; -object a1
up_x: job@tracked, met by copy@tracked.no_x.no_y at 2, 86400 s later
    answers (mem://r/data/a1); a1 1B -86400s; done; done
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = gone; +copies/mem://r/data/a1 = +0s mem://r/data/a1; -object a1
up_x.commit.lose: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit
up_x.no_x: job@now, refused at 3
    answers Refused
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/
"""
SOURCE: Final = "hard-delete-uncommitted-data.md, Motivation"
ROWS = [
    stated("offline", OFFLINE, CALLS_TABLE, SOURCE, first=(FOUND,)),
    stated("offline-jobs", OFFLINE, JOBS_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
