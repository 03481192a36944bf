"""Proposal 2: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "2. Reference Counter on Object Metadata". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _counters as counters
from lakeproof.impl.hard_delete import reference_counter
from lakeproof.impl.hard_delete.reference_counter import Reading
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

A1: Final = f"{NAMESPACE}/data/a1"


async def count(env: Env, repository: Repository) -> None:
    """One more refers to the object a1."""
    await counters.increment(env, A1, "gcs", accepts="all")


async def count_off(env: Env, repository: Repository) -> None:
    """One fewer refers to the object a1."""
    await counters.decrement(env, A1, "gcs")


async def uncount(env: Env, repository: Repository) -> None:
    """The object a1 is there again, and without a counter."""
    await env.objects.put(A1, b"1")


async def replace(env: Env, repository: Repository) -> None:
    """The object a1 is another one."""
    await env.objects.put(A1, b"another", counters.ONE)


COUNTER: Final = {
    **words_of(
        reference_counter.FLOWS,
        s3=reference_counter.S3,
        azure=reference_counter.AZURE,
        releases=reference_counter.RELEASES,
        exchange=Reading(overwrites="exchange"),
        follows=Reading(follows=True),
        definite=Reading(full=False, rollback="definite"),
        never=Reading(full=False, rollback="never"),
        refuses=Reading(revives=False),
        shallow=reference_counter.SHALLOW,
        carries=reference_counter.CARRIES,
        staged=reference_counter.DELETES_STAGED,
        settled=reference_counter.DELETES_SETTLED,
        first=reference_counter.COUNTER_FIRST,
        job=reference_counter.JOB,
        claims=Reading(claims=True),
        job_claims=reference_counter.JOB_CLAIMS,
        restores=Reading(counts_restored=True),
        tombstone=Reading(by_tombstone=True),
        staged_first=Reading(deletes="staged", counter_first=True),
        settled_first=Reading(deletes="settled", counter_first=True),
        careful=reference_counter.CAREFUL,
    ),
    "count": Call(count, REPOSITORY),
    "count_off": Call(count_off, REPOSITORY),
    "uncount": Call(uncount, REPOSITORY),
    "replace": Call(replace, REPOSITORY),
    "link_a1": Call(reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1), b"1"),
    "link_a1@refuses": Call(
        reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1), b"1", reading=Reading(revives=False)
    ),
    "link_out": Call(reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(OUTSIDE), b"o"),
}
STAGED_TABLE: Final = """\
: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
up_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@releases
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x: up_x2@exchange
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x.stage_in: up_x2@releases
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration
    leaves ~u.b2.0/x = a2 3B +0s; ~object a1 = 1 references=1; +object a2 = two references=1
up_x: up_x2@exchange, met by no_x at 3
    answers a2 3B +0s; done
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x: up_x2@exchange, met by up_x2 at 3
    answers a2 3B +0s; a3 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; head
        a3; set_metadata a3 if_metageneration; delete a3
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@exchange, false at 3
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@exchange, met by up_y.up_x2 at 3, 5, 7
    answers WriteNotSettled?; a3 1B +0s; a4 3B +0s; a5 1B +0s; a6 3B +0s; a7 1B +0s; a8 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x
    leaves ~u.b2.0/x = a8 3B +0s; +u.b2.0/y = a7 1B +0s; +object a2 = two references=1; +object a3 = 1 references=1;
        +object a4 = two references=1; +object a5 = 1 references=1; +object a6 = two references=1; +object a7 = 1
        references=1; +object a8 = two references=1
bring.stage_out: up_x@releases
    answers a1 1B +0s
    by put a1; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: up_x, met by seal at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=1
: up_x@follows
    answers a1 1B +0s
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: up_x@follows, met by seal at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; set
        u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=2
: up_x@follows, met by seal.lose at 3
    answers AddressDeleted; done; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; head a1
    leaves +u.b2.0/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0
: up_x@releases, met by seal at 4
    answers a1 1B +0s; done
    by put a1; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x; get branch
        b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=1
: up_x, refused at o1
    answers Refused
    by put a1
: up_x, refused at 1
    answers Refused
    by put a1; now; get branch b
    leaves +object a1 = 1 references=1
: up_x, refused at 3
    answers Refused
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_out@follows, met by seal at 3
    answers ext://brought/o in full 1B; done
    by get branch b; set u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B; +u.b2.s1/x = ext://brought/o in full 1B; ~branch b = c1 u.b2.s1
        u.b2.0
: stage_out, refused at 2
    answers Refused
    by get branch b; set u.b2.0/x
: stage_in
    answers AddressDeleted
    by head a1
up_x: stage_in
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x.count_off: stage_in
    answers AddressDeleted
    by head a1
up_x.uncount: stage_in
    answers AddressDeleted
    by head a1
up_x.lose: stage_in
    answers AddressDeleted
    by head a1
up_x.count.count: stage_in
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=4
up_x: stage_in@s3
    answers a1 1B
    by head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@azure
    answers a1 1B
    by head a1; set_metadata a1 if_version; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in, met by count at o2
    answers a1 1B; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=3
up_x: stage_in@azure, met by count at o2
    answers a1 1B; done
    by head a1; set_metadata a1 if_version; head a1; set_metadata a1 if_version; get branch b; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=3
up_x: stage_in@s3, met by count at o2
    answers a1 1B; done
    by head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@s3, met by replace at o2
    answers a1 1B; done
    by head a1; copy a1 to a1 if_match; head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = another references=2
up_x: stage_in, met by lose at o2
    answers AddressDeleted; done
    by head a1; set_metadata a1 if_metageneration
    leaves -object a1
up_x: stage_in, met by count at o2, o4
    answers a1 1B; done; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata
        a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=4
up_x: stage_in, met by count at o2, o4, o6
    answers ObjectBusy; done; done; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata
        a1 if_metageneration
    leaves ~object a1 = 1 references=4
up_x: stage_in, refused at 1
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; head a1; set_metadata a1 if_metageneration
up_x: stage_in, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
up_x: stage_in, refused at 3
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b; head a1; set_metadata
        a1 if_metageneration
    leaves +u.b2.0/y = a1 1B
up_x: stage_in, lost at 2
    answers OutcomeUnknown?
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
    leaves +u.b2.0/y = a1 1B
up_x: stage_in@definite, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
up_x: stage_in@definite, lost at 2
    answers OutcomeUnknown?
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@never, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y
    leaves ~object a1 = 1 references=2
up_x: stage_in, met by delete_branch at 1
    answers BranchNotFound; done
    by head a1; set_metadata a1 if_metageneration; get branch b; head a1; set_metadata a1 if_metageneration
    leaves -u.b2.0/x; -branch b; ~object a1 = 1 references=0
: link_x
    answers a1 1B
    by put a1; head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1 references=1
: link_far
    answers AddressNotAllowed
: link_out
    answers AddressNotAllowed
: link_a1
    answers AddressDeleted
    by head a1
up_x: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=2
up_x.count_off: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x.count_off: link_a1@refuses
    answers AddressDeleted
    by head a1
up_x.uncount: link_a1@refuses
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x.uncount: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x: link_a1, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x
    leaves ~object a1 = 1 references=2
: link_x@s3
    answers a1 1B
    by put a1; head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1 references=1
up_x: copy
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=1
up_x: copy@carries
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=1
up_x.count: copy@carries
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=2
up_x: copy@shallow
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s; ~object a1 = 1 references=2
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
bring.stage_out: copy@shallow
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x: copy, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2
    leaves -object a1
up_x: copy@shallow, refused at 5
    answers Refused
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; head a1; set_metadata a1 if_metageneration
up_x: move
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b; get branch
        b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2 1B +0s; -object a1; +object a2 = 1 references=1
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: move@shallow
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b; get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b;
        head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
up_x: move, met by no_x at 6
    answers a2 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b; get branch
        b; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2 1B +0s; -object a1; +object a2 = 1 references=1
"""
DELETED_TABLE: Final = """\
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x.count: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration
    leaves ~u.b2.0/x = gone; ~object a1 = 1 references=1
up_x.uncount: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1
    leaves ~u.b2.0/x = gone
up_x.lose: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1
    leaves ~u.b2.0/x = gone
up_x.count_off: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
bring.stage_out: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; set u.b2.s1/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves +u.b2.s1/x = gone; -object a1
up_x: no_x, met by count at o2
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone
up_x: no_x, met by count at o2, o4, o6
    answers done; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone; ~object a1 = 1 references=4
up_x: no_x@azure, met by count at o2
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_version; head a1; set_metadata a1 if_version
    leaves ~u.b2.0/x = gone
up_x: no_x@first
    answers done
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; delete a1; get branch
        b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; head a1; set_metadata a1 if_metageneration; delete
        a1; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; -object a1
up_x: no_x@staged
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b; head a1; set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get
        branch b; set u.b2.s1/x; get branch b; head a1; set_metadata a1 if_metageneration; delete a1
    leaves +u.b2.s1/x = gone; -object a1
up_x.commit.up_x2: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set u.b2.s1/x; get
        branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.s1/x = gone; -object a2
up_x.seal.up_x2: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set u.b2.s1/x; get
        branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.s1/x = gone; -object a2
up_x.stage_in.reset_x: no_x@staged
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: no_x@staged, met by no_x at 4
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1
up_x.seal: no_x@staged, met by commit at 5
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s2/x; get branch b; set
        u.b2.s2/x; get branch b
    leaves -u.b2.0/x; +u.b2.s2/x = gone; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
up_x: no_x@staged_first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; head a1; set_metadata a1
        if_metageneration; delete a1; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@staged_first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x: no_x@settled
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x: no_x@settled_first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@settled
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x.commit: no_x@settled_first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x: no_x@settled, met by seal at 7
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
up_x: no_x@settled, met by up_x2 at 6
    answers done; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.0/x = gone
up_x: no_x@settled, met by no_x at 5
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1; -object a2
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration; delete a2; delete
        u.b2.s1/x; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c1 u.b2.s2; -object a1; -object a2
up_x.copy@shallow: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete u.b2.0/x;
        head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1
up_x.no_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
bring.stage_out: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset, met by up_y at 4
    answers done; a2 1B +0s
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/y = a2 1B +0s; ~branch b = c1 u.b2.s1; -object a1; +object a2 = 1 references=1
up_x.up_y: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1
        if_metageneration; delete a1; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y; head a2; set_metadata a2
        if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1; -object a2
up_x.no_x: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by up_x2 at 2
    answers done; a2 3B +0s
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a2; set_metadata a2
        if_metageneration; delete a2; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by lose at o1
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1
up_x.seal: reset@claims, met by commit at 4
    answers done; c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.s1/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1;
        set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'; -object a1
up_x.up_y: reset@job
    answers done
    by get branch b; set_if branch b; set dropped/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +dropped/r-b:u.b2.0 = dropped
up_x.seal.up_x2: reset@job
    answers done
    by get branch b; set_if branch b; set dropped/r-b:u.b2.s1; set dropped/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s2; +dropped/r-b:u.b2.0 = dropped; +dropped/r-b:u.b2.s1 = dropped
up_x.up_y: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -branch b; -object a1; -object a2
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = none u.b2.0; -object a1
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x.up_y: delete_branch@job
    answers done
    by get branch b; delete branch b; set dropped/r-b:u.b2.0
    leaves -branch b; +dropped/r-b:u.b2.0 = dropped
: delete_main
    answers DefaultBranch
: job
    answers 0
    by scan dropped/
up_x.reset@job: job
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.up_y.reset@job: job_paged
    answers 1
    by scan dropped/; scan u.b2.0/; scan past u.b2.0/x; head a1; set_metadata a1 if_metageneration; delete a1;
        delete u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -u.b2.0/y; -dropped/r-b:u.b2.0; -object a1; -object a2
up_x.seal.up_x2.reset@job: job
    answers 2
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.s1/x;
        delete dropped/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.s1/x; -dropped/r-b:u.b2.0; -dropped/r-b:u.b2.s1; -object a1; -object a2
up_x.seal.up_x2.reset@job: job_paged
    answers 2
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0; scan past dropped/r-b:u.b2.0; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration;
        delete a2; delete u.b2.s1/x; delete dropped/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.s1/x; -dropped/r-b:u.b2.0; -dropped/r-b:u.b2.s1; -object a1; -object a2
up_x.reset@job: job_paged@job_claims
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1 if_metageneration;
        delete a1; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.up_y.reset@job: job@claims
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1 if_metageneration;
        delete a1; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y; head a2; set_metadata a2 if_metageneration;
        delete a2; delete u.b2.0/y; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -u.b2.0/y; -dropped/r-b:u.b2.0; -object a1; -object a2
up_x.reset@job: job@claims, met by job@claims at 3
    answers 1; 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@claims, met by job@claims at 4
    answers 1; 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@claims, false at 4
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0
up_x.reset@job: job@azure
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_version; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@s3
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; copy a1 to a1 if_match; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
: reset_x
    answers done
    by get branch b; delete u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; delete u.b2.s1/x; get branch b
    leaves -u.b2.s1/x
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a1 1B +0s
up_x.commit.up_x2.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; head a1; set_metadata a1 if_metageneration; set u.b2.s2/x; get
        branch b
    leaves +u.b2.s2/x = a1 1B +0s; ~object a1 = 1 references=2
up_x.commit.no_x.seal: reset_x@restores
    answers AddressDeleted
    by get branch b; get u.b2.s1/x; get commit c2; head a1
up_x.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
bring.stage_out.commit.up_x2.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = ext://brought/o in full 1B
up_x.commit.up_x2.seal.lose: reset_x@restores
    answers AddressDeleted
    by get branch b; get u.b2.s1/x; get commit c2; head a1
"""
SOURCE: Final = "hard-delete-uncommitted-data.md, 2. Reference Counter on Object Metadata"
ROWS = [
    stated("reference-counter", COUNTER, STAGED_TABLE, SOURCE, first=(FOUND,)),
    stated("reference-counter-deletes", COUNTER, DELETED_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
