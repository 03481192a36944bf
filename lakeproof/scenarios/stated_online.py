"""Our online hard delete: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of docs/online-hard-delete.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _journal as journal
from lakeproof.impl.hard_delete import online
from lakeproof.impl.hard_delete._reaping import CAUTIONS
from lakeproof.impl.hard_delete.online import Reading
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

HOUR: Final = 3_600_000_000
TOKEN: Final = StagingToken("r-b:u.b2.0")
HOME: Final = Grant(f"{NAMESPACE}/data/{TOKEN}/a1", "a1")
NO_HOME: Final = Grant(f"{NAMESPACE}/data/a1")


async def put_home(env: Env, repository: Repository) -> None:
    """What a user does with the first address that was issued under the first token of b."""
    await env.objects.put(HOME.address, b"1")


async def promise(env: Env, repository: Repository, commit: str) -> None:
    """A commit that did not come true would take the first token of b."""
    await journal.promise(env, repository, TOKEN, CommitID(commit))


async def forget(env: Env, repository: Repository) -> None:
    """Another job has dealt with the address a1."""
    await journal.forget(env, repository, TOKEN, "a1")


def blind(caution: str) -> Reading:
    """A job that does not take care of this."""
    return Reading(lifetime=0, cautions=tuple(each for each in CAUTIONS if each != caution))


ONLINE: Final = {
    **words_of(
        online.FLOWS,
        untimed=online.UNTIMED,
        skewed=Reading(skew=60_000_000),
        full=Reading(copies="in full"),
        insists=Reading(insists=True),
        no_head=blind("head after branch"),
        no_promise=blind("promises before address"),
        no_staged=blind("staged before branch"),
    ),
    "put_home": Call(put_home, REPOSITORY),
    "promise": Call(promise, REPOSITORY, "0"),
    "forget": Call(forget, REPOSITORY),
    "today": Call(catalog.upload_object, REPOSITORY, BRANCH, X, b"today"),
    "copy_c": Call(online.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "merge": Call(online.merge, REPOSITORY, MAIN, BRANCH, "merged"),
    "up_c": Call(online.upload_object, REPOSITORY, "c", X, b"1"),
    "link_home": Call(online.link_physical_address, REPOSITORY, BRANCH, X, HOME, b"1"),
    "link_path": Call(online.link_physical_address, REPOSITORY, BRANCH, Y, HOME, b"1"),
    "link_main": Call(online.link_physical_address, REPOSITORY, MAIN, X, HOME, b"1"),
    "link_no_home": Call(online.link_physical_address, REPOSITORY, BRANCH, X, NO_HOME, b"1"),
    "stage_known": Call(online.stage_known, REPOSITORY, BRANCH, catalog.change(X, catalog.entry_at(REPOSITORY, "o", b"o"))),
    "delete_branch_paged": Call(online.delete_branch, REPOSITORY, BRANCH, batch_size=1),
    "job_untimed_paged": Call(online.background_job, REPOSITORY, reading=online.UNTIMED, batch_size=1),
}
CALLS_TABLE: Final = """\
: up_x
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
up_x: up_x2
    answers u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s x; +object
        u.b2.0/a2 = two
today: up_x2
    answers u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; +r-b:u.b2.0/a2 = used +3600s x; +object u.b2.0/a2 = two
up_x.no_x: up_x2
    answers u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; +r-b:u.b2.0/a2 = used +3600s x; +object u.b2.0/a2 = two
up_x.seal: up_x2
    answers u.b2.s1/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.s1/a2; put u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = u.b2.s1/a2 3B +0s; +r-b:u.b2.s1/a2 = used +3600s x; +object u.b2.s1/a2 = two
bring.stage_out: up_x
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
: up_x@untimed
    answers u.b2.0/a1 1B +0s
    by now; get branch b; set r-b:u.b2.0/a1; put u.b2.0/a1; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used - x; +object u.b2.0/a1 = 1
up_x: up_x2@untimed
    answers u.b2.0/a2 3B +0s
    by now; get branch b; set r-b:u.b2.0/a2; put u.b2.0/a2; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used - x; +object u.b2.0/a2
        = two
: up_x, refused at 1
    answers Refused
    by now; get branch b
: up_x, refused at 2
    answers Refused
    by now; get branch b; now; set r-b:u.b2.0/a1
: up_x, refused at o1
    answers Refused
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s
    leaves +r-b:u.b2.0/a1 = used +3600s x
: up_x, refused at 4
    answers Refused
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x
    leaves +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
: up_x, false at 4
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; set_if
        r-b:u.b2.0/a1; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = settled - x; +object u.b2.0/a1 = 1
: up_x, met by up_x2 at 4
    answers u.b2.0/a1 1B +0s; u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; set_if
        r-b:u.b2.0/a1; get branch b
    leaves +u.b2.0/x = u.b2.0/a2 3B +0s; +r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s x; +object
        u.b2.0/a1 = 1; +object u.b2.0/a2 = two
up_x: up_x2, met by no_x at 4
    answers u.b2.0/a2 3B +0s; done
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; set_if r-b:u.b2.0/a2; get branch b
    leaves ~u.b2.0/x = gone; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = settled - x; +object u.b2.0/a2 = two
up_x: up_x2, met by up_x at 5
    answers u.b2.0/a2 3B +0s; u.b2.0/a3 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; set_if r-b:u.b2.0/a2; get branch b
    leaves ~u.b2.0/x = u.b2.0/a3 1B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = settled - x; +r-b:u.b2.0/a3
        = used +3600s x; +object u.b2.0/a2 = two; +object u.b2.0/a3 = 1
up_x: up_x2, false at 5
    answers u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; set_if r-b:u.b2.0/a2; get branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = settled - x; +object
        u.b2.0/a2 = two
: up_x@insists, met by up_x2 at 4
    answers u.b2.0/a1 1B +0s; u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        u.b2.0/x; set_if r-b:u.b2.0/a2; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.0/a2 = settled - x; +object
        u.b2.0/a1 = 1; +object u.b2.0/a2 = two
: up_x@insists, false at 4
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = settled - x; +object u.b2.0/a1 = 1
: up_x, met by seal at 5
    answers u.b2.s1/a2 1B +0s; done
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; now; set r-b:u.b2.s1/a2; put u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get branch
        b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +u.b2.s1/x = u.b2.s1/a2 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.s1/a2 = used +3600s x; +object u.b2.0/a1 = 1; +object u.b2.s1/a2 =
        1
: up_x, met by seal at 4
    answers u.b2.s1/a2 1B +0s; done
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; now; set r-b:u.b2.s1/a2; put u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get branch
        b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +u.b2.s1/x = u.b2.s1/a2 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.s1/a2 = used +3600s x; +object u.b2.0/a1 = 1; +object u.b2.s1/a2 =
        1
: up_x, met by seal at 5, 9, 13
    answers WriteNotSettled?; done; done; done
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; now; set r-b:u.b2.s1/a2; put u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get branch
        b; now; set r-b:u.b2.s2/a3; put u.b2.s2/a3 until +3600s; get u.b2.s2/x; set_if u.b2.s2/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +u.b2.s1/x = u.b2.s1/a2 1B +0s; +u.b2.s2/x = u.b2.s2/a3 1B +0s; ~branch b =
        c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.s1/a2 = used +3600s x;
        +r-b:u.b2.s2/a3 = used +3600s x; +object u.b2.0/a1 = 1; +object u.b2.s1/a2 = 1; +object u.b2.s2/a3 = 1
: up_x, met by delete_branch at 2
    answers BranchNotFound; done
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; ~branch b = none u.b2.0; +r-b:u.b2.0/a1 = used +3600s x; +c1 = 1; +object
        u.b2.0/a1 = 1
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x;
        get branch b
    leaves ~u.b2.0/x = gone; ~r-b:u.b2.0/a1 = settled - x
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x: no_x, met by seal at 7
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x;
        get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; ~r-b:u.b2.0/a1 = settled - x
up_x: no_x, met by up_x2 at 6
    answers done; u.b2.0/a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x;
        get branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s x; +object
        u.b2.0/a2 = two
: stage_in
    answers AddressNotAllowed
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_known
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = o in full 1B
up_x: stage_known
    answers done
    by get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = o in full 1B; ~r-b:u.b2.0/a1 = settled - x
up_x: copy
    answers u.b2.0/a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2
        until +3600s; get u.b2.0/y; set_if u.b2.0/y; get branch b
    leaves +u.b2.0/y = u.b2.0/a2 1B +0s; +r-b:u.b2.0/a2 = used +3600s y; +object u.b2.0/a2 = 1
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x.commit: copy
    answers u.b2.0/a1 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/y; set_if u.b2.s1/y; get
        branch b
    leaves +u.b2.s1/y = u.b2.0/a1 1B +0s
up_x.commit: copy@full
    answers u.b2.s1/a2 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; now; set r-b:u.b2.s1/a2; copy
        u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/y; set_if u.b2.s1/y; get branch b
    leaves +u.b2.s1/y = u.b2.s1/a2 1B +0s; +r-b:u.b2.s1/a2 = used +3600s y; +object u.b2.s1/a2 = 1
up_x.seal: copy
    answers u.b2.s1/a2 1B +0s
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.s1/a2; copy
        u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/y; set_if u.b2.s1/y; get branch b
    leaves +u.b2.s1/y = u.b2.s1/a2 1B +0s; +r-b:u.b2.s1/a2 = used +3600s y; +object u.b2.s1/a2 = 1
bring.stage_out: copy
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; set_if u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
bring.stage_out.commit: copy@full
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/y; set_if u.b2.s1/y; get
        branch b
    leaves +u.b2.s1/y = ext://brought/o in full 1B
up_x.up_y: copy
    answers u.b2.0/a3 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a3; copy u.b2.0/a1 to u.b2.0/a3
        until +3600s; get u.b2.0/y; set_if r-b:u.b2.0/a2; set_if u.b2.0/y; get branch b
    leaves ~u.b2.0/y = u.b2.0/a3 1B +0s; ~r-b:u.b2.0/a2 = settled - y; +r-b:u.b2.0/a3 = used +3600s y; +object
        u.b2.0/a3 = 1
up_x.create_c: copy_c
    answers r-c:u.b3.0/a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch c; now; set r-c:u.b3.0/a2; copy u.b2.0/a1 to
        r-c:u.b3.0/a2 until +3600s; get u.b3.0/y; set_if u.b3.0/y; get branch c
    leaves +u.b3.0/y = r-c:u.b3.0/a2 1B +0s; +r-c:u.b3.0/a2 = used +3600s y; +object r-c:u.b3.0/a2 = 1
up_x: copy, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2
        until +3600s
    leaves +r-b:u.b2.0/a2 = used +3600s y; -object u.b2.0/a1
up_x: copy, met by seal at 2
    answers u.b2.s1/a2 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; now; set
        r-b:u.b2.s1/a2; copy u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/y; set_if u.b2.s1/y; get branch b
    leaves +u.b2.s1/y = u.b2.s1/a2 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +r-b:u.b2.s1/a2 = used +3600s y; +object
        u.b2.s1/a2 = 1
up_x: copy@untimed
    answers u.b2.0/a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2; get
        u.b2.0/y; set_if u.b2.0/y; get branch b
    leaves +u.b2.0/y = u.b2.0/a2 1B +0s; +r-b:u.b2.0/a2 = used - y; +object u.b2.0/a2 = 1
up_x: move
    answers u.b2.0/a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2
        until +3600s; get u.b2.0/y; set_if u.b2.0/y; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = u.b2.0/a2 1B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used
        +3600s y; +object u.b2.0/a2 = 1
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.commit: move
    answers u.b2.0/a1 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/y; set_if u.b2.s1/y; get
        branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; +u.b2.s1/y = u.b2.0/a1 1B +0s
: issue
    answers grant of u.b2.0/a1 a1 until +3600s
    by get branch b; now; set r-b:u.b2.0/a1
    leaves +r-b:u.b2.0/a1 = open +3600s x
: issue@untimed
    answers grant of u.b2.0/a1 a1
    by get branch b; set r-b:u.b2.0/a1
    leaves +r-b:u.b2.0/a1 = open - x
: link_x
    answers u.b2.0/a1 1B
    by get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1; get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1;
        get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
: link_signed
    answers u.b2.0/a1 1B
    by get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1;
        head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
: link_x@untimed
    answers u.b2.0/a1 1B
    by get branch b; set r-b:u.b2.0/a1; put u.b2.0/a1; get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get
        branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +r-b:u.b2.0/a1 = used - x; +object u.b2.0/a1 = 1
: link_far
    answers AddressNotAllowed
: link_no_home
    answers AddressNotAllowed
: link_main
    answers AddressNotAllowed
: link_home
    answers GrantInvalid
    by get r-b:u.b2.0/a1
issue: link_home
    answers AddressDeleted
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1
    leaves ~r-b:u.b2.0/a1 = used +3600s x
issue: link_path
    answers GrantInvalid
    by get r-b:u.b2.0/a1
issue.put_home: link_home
    answers u.b2.0/a1 1B
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; ~r-b:u.b2.0/a1 = used +3600s x
issue.put_home: link_main
    answers AddressNotAllowed
issue.put_home.link_home: link_home
    answers GrantInvalid
    by get r-b:u.b2.0/a1
up_x: link_home
    answers GrantInvalid
    by get r-b:u.b2.0/a1
issue.put_home: link_home, met by link_home at 2
    answers GrantInvalid; u.b2.0/a1 1B
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1
    leaves +u.b2.0/x = u.b2.0/a1 1B; ~r-b:u.b2.0/a1 = used +3600s x
issue.put_home: link_home, met by up_x2 at 5
    answers u.b2.0/a1 1B; u.b2.0/a2 3B +0s
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; set_if
        r-b:u.b2.0/a1; get branch b
    leaves +u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s x; +object
        u.b2.0/a2 = two
issue.put_home: link_home, met by seal at 3
    answers u.b2.s1/a2 1B; done
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get branch b; now; set r-b:u.b2.s1/a2;
        copy u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = u.b2.s1/a2 1B; ~branch b = c1 u.b2.s1 u.b2.0; ~r-b:u.b2.0/a1 = used +3600s x;
        +r-b:u.b2.s1/a2 = used +3600s x; +object u.b2.s1/a2 = 1
issue.put_home: link_home, met by seal at 6
    answers u.b2.s1/a2 1B; done
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; get branch b; now; set r-b:u.b2.s1/a2; copy u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/x;
        set_if u.b2.s1/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +u.b2.s1/x = u.b2.s1/a2 1B; ~branch b = c1 u.b2.s1 u.b2.0; ~r-b:u.b2.0/a1 =
        used +3600s x; +r-b:u.b2.s1/a2 = used +3600s x; +object u.b2.s1/a2 = 1
issue.put_home: link_home, met by seal.lose at 6
    answers AddressDeleted; done; done
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; get branch b; now; set r-b:u.b2.s1/a2; copy u.b2.0/a1 to u.b2.s1/a2 until +3600s
    leaves +u.b2.0/x = u.b2.0/a1 1B; ~branch b = c1 u.b2.s1 u.b2.0; ~r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.s1/a2
        = used +3600s x; -object u.b2.0/a1
issue.put_home.seal: link_home
    answers u.b2.s1/a2 1B
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get branch b; now; set r-b:u.b2.s1/a2;
        copy u.b2.0/a1 to u.b2.s1/a2 until +3600s; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = u.b2.s1/a2 1B; ~r-b:u.b2.0/a1 = used +3600s x; +r-b:u.b2.s1/a2 = used +3600s x; +object
        u.b2.s1/a2 = 1
issue.put_home.up_x2: link_home
    answers u.b2.0/a1 1B
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a2;
        set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = u.b2.0/a1 1B; ~r-b:u.b2.0/a1 = used +3600s x; ~r-b:u.b2.0/a2 = settled - x
issue.put_home: link_home, false at 5
    answers u.b2.0/a1 1B
    by get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get branch b; get u.b2.0/x; set_if u.b2.0/x; set_if
        r-b:u.b2.0/a1; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; ~r-b:u.b2.0/a1 = settled - x
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set r-b:u.b2.0/c2; set c1;
        set_if branch b; scan u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x: commit, then head
    answers c2 of c1 'one'; (x=u.b2.0/a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set r-b:u.b2.0/c2; set c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x.seal.up_y: commit, then head
    answers c2 of c1 'one'; (x=u.b2.0/a1 1B +0s, y=u.b2.s1/a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set
        r-b:u.b2.s1/c2; set r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.s1/; delete u.b2.s1/y; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/y; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1;
        +r-b:u.b2.s1/c2 = 1; +c1 = 1
up_x.up_y: commit_paged, then head
    answers c2 of c1 'one'; (x=u.b2.0/a1 1B +0s, y=u.b2.0/a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; scan past u.b2.0/x; now; set commit c2; set
        r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x: commit, met by seal at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set r-b:u.b2.0/c2; set c1;
        set_if branch b; get branch b; set r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x.commit: merge
    answers c3 of c1, c2 'merged'
    by get branch main; scan u.b1.0/; get commit c1; get branch b; get commit c2; now; set commit c3; set c1; set_if
        branch main
    leaves ~branch main = c3 u.b1.0; +commit c3 = of c1, c2 'merged'
: merge
    answers c2 of c1, c1 'merged'
    by get branch main; scan u.b1.0/; get commit c1; get branch b; get commit c1; now; set commit c2; set c1; set_if
        branch main
    leaves ~branch main = c2 u.b1.0; +commit c2 = of c1, c1 'merged'; +c1 = 1
up_x: delete_branch
    answers done
    by get branch b; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = none u.b2.0; +c1 = 1
up_x.up_y: delete_branch_paged
    answers done
    by get branch b; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = none u.b2.0; +c1 = 1
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; set c1; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = none u.b2.s1; +c1 = 1
up_x: delete_branch, met by seal at 3
    answers RefChanged; done
    by get branch b; set c1; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +c1 = 1
: delete_main
    answers DefaultBranch
"""
JOBS_TABLE: Final = """\
: job
    answers ()
    by scan r-u/addresses
up_x: job
    answers ()
    by scan r-u/addresses; get branch b
up_x.up_x2: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2: job@untimed
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.no_x: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2.up_y.up_x: job
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get u.b2.0/x; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2.up_y.up_x: job_paged
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; scan past r-b:u.b2.0/a2; scan past r-b:u.b2.0/a3; get u.b2.0/x;
        get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2.up_main: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get branch main
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2.no_x: job@no_staged
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get branch b; get u.b2.0/x; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2: job@no_staged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x: job@no_staged
    answers ()
    by scan r-u/addresses; get branch b
issue.put_home: job
    answers ()
    by scan r-u/addresses; get branch b
issue: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b
up_x.seal: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b
up_x.seal.up_x2: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; get branch b
up_x.up_x2.seal: job
    answers ()
    by scan r-u/addresses; get u.b2.0/x; get branch b
up_x.up_x2: job, met by seal at 3
    answers (); done
    by scan r-u/addresses; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x.up_x2: job@no_staged, met by seal at 3
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves ~branch b = c1 u.b2.s1 u.b2.0; -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit: job
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job, 3600 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job@untimed
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.up_x2.commit: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job, 3600 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3660 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3661 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job_paged, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit
        c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.up_x2@untimed.commit: job@untimed
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.up_x2@untimed.commit: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.no_x.commit: job, 3601 s later
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get u.b2.0/x; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get
        r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; get r-b:u.b2.0/a2; delete u.b2.0/a2;
        delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.commit.up_y.commit_again: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2; get branch b; scan r-b:u.b2.s1/; now; get commit c3;
        delete r-b:u.b2.s1/a2; scan r-b:u.b2.s1/; scan r-b:u.b2.s1/; delete r-b:u.b2.s1/c3
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.s1/a2; -r-b:u.b2.0/c2; -r-b:u.b2.s1/c3
up_x.commit.up_y.commit_again: job@no_head, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2; get branch b; scan r-b:u.b2.s1/;
        now; get commit c3; delete r-b:u.b2.s1/a2; scan r-b:u.b2.s1/; scan r-b:u.b2.s1/; delete r-b:u.b2.s1/c3
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.s1/a2; -r-b:u.b2.0/c2; -r-b:u.b2.s1/c3; -object u.b2.0/a1
up_x.up_y.commit: job@no_head, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; get commit c2;
        delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2
up_x.promise.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/0; -r-b:u.b2.0/c2
up_x.promise.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/0; -object u.b2.0/a1
up_x.promise.up_x2.commit: job_untimed_paged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; scan past
        r-b:u.b2.0/0; get 0; now; get commit c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get
        commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; scan past r-b:u.b2.0/0; delete
        r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/0; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.promise.up_x2@untimed.commit: job_untimed_paged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; scan past
        r-b:u.b2.0/0; get 0; now; get commit c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get
        commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; scan past r-b:u.b2.0/0; delete
        r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/0; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.reset: job
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; scan r-b:u.b2.0/
up_x.reset: job, 3600 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; scan r-b:u.b2.0/
up_x.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_y.reset: job_paged, 3601 s later
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete
        u.b2.0/a1; delete r-b:u.b2.0/a1; get r-b:u.b2.0/a2; delete u.b2.0/a2; delete r-b:u.b2.0/a2; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.delete_branch: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit.delete_branch: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.delete_branch.create_branch: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x@untimed.reset: job@untimed, met by forget at 4
    answers (); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1
up_x@untimed.reset: job@no_promise, met by forget at 4
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x@untimed.reset: job@untimed, met by job@untimed at 4
    answers (); (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x@untimed.up_y@untimed.reset: job@untimed, met by forget at 3
    answers (data/r-b:u.b2.0/a2); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get r-b:u.b2.0/a2; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a2
up_x.create_c.up_c.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; get branch c
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_main.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; get branch main
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit.merge: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.no_x.commit_again: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.no_x.commit_again.reset: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
issue.put_home.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
"""
SOURCE: Final = "docs/online-hard-delete.md"
ROWS = [
    stated("online", ONLINE, CALLS_TABLE, SOURCE, first=(FOUND,)),
    stated("online-jobs", ONLINE, JOBS_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
