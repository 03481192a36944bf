"""Proposal 5: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "5. No Copies"; a whole repository is deleted as
graveler-on-kv.md has it. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _one_entry as one_entry
from lakeproof.impl.hard_delete import no_copies, no_copies_repositories
from lakeproof.impl.hard_delete.no_copies import Reading
from lakeproof.impl.refs.branches import get_branch
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

LEASE: Final = 60
A1: Final = f"{NAMESPACE}/data/a1.{one_entry.signature(REPOSITORY, BRANCH, X, 'a1')}"


async def lock(env: Env, repository: Repository, lease: int = 0) -> None:
    """Another client holds the entry at x, and does not come back."""
    token = (await get_branch(env, repository, BRANCH)).staging_token
    await one_entry.hold(env, token, X, lease=lease)


NO_COPIES: Final = {
    **words_of(
        no_copies.FLOWS,
        checks=Reading(upload_locks=False, delete_locks=False, move_locks=False),
        blind=no_copies.UPLOAD_ANY_TOKEN,
        tokens=Reading(upload_of="tokens", delete_of="tokens"),
        copies=no_copies.RESET_COPIES,
        exchanges=Reading(exchanges=True),
        fresh=Reading(fresh=True),
        any=no_copies.DELETE_ANY,
        any_checks=Reading(delete_of="any", delete_locks=False),
        any_leased=Reading(delete_of="any", lease=LEASE * 1_000_000),
        same=no_copies.MOVE_SAME_TOKEN,
        rereads=Reading(delete_checks_token=True),
        claims=Reading(claims=True),
        claims_leased=Reading(claims=True, lease=LEASE * 1_000_000),
        tombstone=Reading(by_tombstone=True),
        leased=no_copies.LEASED,
        careful=no_copies.CAREFUL,
    ),
    "lock": Call(lock, REPOSITORY),
    "lock_leased": Call(lock, REPOSITORY, LEASE * 1_000_000),
    "stage_a1": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, A1, b"1"),
    "stage_a1@fresh": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, A1, b"1", reading=Reading(fresh=True)),
    "stage_out@fresh": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, OUTSIDE, b"o", reading=Reading(fresh=True)),
    "stage_elsewhere": Call(no_copies.stage_object, REPOSITORY, BRANCH, Y, A1, b"1"),
    "link_elsewhere": Call(no_copies.link_physical_address, REPOSITORY, BRANCH, Y, Grant(A1), b"1"),
    "link_out": Call(no_copies.link_physical_address, REPOSITORY, BRANCH, X, Grant(OUTSIDE), b"o"),
    "reset_paged": Call(no_copies.reset_branch, REPOSITORY, BRANCH, batch_size=1),
    "erase": Call(no_copies_repositories.delete_repository, REPOSITORY.repository_id),
    "erase_paged": Call(no_copies_repositories.delete_repository, REPOSITORY.repository_id, batch_size=1),
    "erase_all": Call(
        no_copies_repositories.delete_repository, REPOSITORY.repository_id, reading=no_copies_repositories.ALL_ENTRIES
    ),
}
UPLOADS_TABLE: Final = """\
: up_x
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x.no_x: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
: up_x, refused at 1
    answers Refused
    by get branch b
: up_x, refused at o1
    answers Refused
    by get branch b; get u.b2.0/x; put a1.e55ac275
: up_x, refused at 3
    answers Refused
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x
    leaves +object a1.e55ac275 = 1
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
bring.stage_out: up_x
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x.lock: up_x2
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock: up_x2@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock: up_x2@leased
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock_leased: up_x2@leased
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 59 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 60 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 61 s later
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; now; now; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b;
        delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x.lock_leased: up_x2, 61 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x: up_x2@leased
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; now; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
: up_x@leased
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2@checks
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2, met by lock at 3
    answers EntryLocked; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true
up_x: up_x2, met by no_x at 3
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@checks, met by up_x at 3
    answers a2.ac1f7402 3B +0s; a3.841a9b59 1B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two; +object a3.841a9b59 = 1
up_x: up_x2, false at 3
    answers EntryLocked
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true
up_x: up_x2, met by up_x at 3
    answers a3.841a9b59 3B +0s; a2.ac1f7402 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; put a3.841a9b59; now; set
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.0/x = a3.841a9b59 3B +0s; -object a1.e55ac275; +object a3.841a9b59 = two
up_x: up_x2, met by up_x at 3, 5
    answers a4.13ee4b24 3B +0s; a2.ac1f7402 1B +0s; a3.841a9b59 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x;
        put a4.13ee4b24; now; set u.b2.0/x; get branch b; delete a3.841a9b59
    leaves ~u.b2.0/x = a4.13ee4b24 3B +0s; -object a1.e55ac275; +object a4.13ee4b24 = two
up_x: up_x2, met by up_x at 3, 5, 7
    answers EntryLocked; a2.ac1f7402 1B +0s; a3.841a9b59 1B +0s; a4.13ee4b24 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = a4.13ee4b24 1B +0s; -object a1.e55ac275; +object a4.13ee4b24 = 1
up_x: up_x2, met by seal at 5
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = two
up_x: up_x2@blind, met by seal at 5
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; -object
        a1.e55ac275; +object a2.ac1f7402 = two
: up_x, met by seal at 4
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x;
        get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a1.e55ac275 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a1.e55ac275 = 1
: up_x@fresh, met by seal at 4
    answers a2.ac1f7402 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; put a2.ac1f7402;
        now; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a1.e55ac275 = 1; +object a2.ac1f7402 = 1
: up_x, met by seal at 4, 7, 10
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x;
        get branch b; get u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a1.e55ac275 1B +0s; +u.b2.s2/x = a1.e55ac275 1B +0s; ~branch
        b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object a1.e55ac275 = 1
: up_x@fresh, met by seal at 4, 7, 10
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; put a2.ac1f7402;
        now; set u.b2.s1/x; get branch b; get u.b2.s2/x; put a3.841a9b59; now; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s; +u.b2.s2/x = a3.841a9b59 1B +0s; ~branch
        b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object a1.e55ac275 = 1; +object a2.ac1f7402 = 1; +object a3.841a9b59
        = 1
up_x: up_x2, met by seal.lock at 5
    answers a2.ac1f7402 3B +0s; done; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = two
: up_x, met by seal.up_x.lock at 4
    answers WriteNotSettled?; done; a2.ac1f7402 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s locked=true; ~branch b = c1 u.b2.s1
        u.b2.0; +object a1.e55ac275 = 1; +object a2.ac1f7402 = 1
: up_x@exchanges
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2 at 3
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2@exchanges
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@exchanges, met by no_x@checks at 4
    answers a2.ac1f7402 3B +0s; EntryLocked
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@exchanges, false at 4
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
: up_x@exchanges, false at 3
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2 at 3, 5, 7
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; a3.841a9b59 3B +0s; a4.13ee4b24 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get
        u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if u.b2.0/x; get branch b; delete a4.13ee4b24
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2.no_x at 3, 5, 7
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; done; a3.841a9b59 3B +0s; done; a4.13ee4b24 3B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch
        b
    leaves +u.b2.0/x = gone
: up_x@exchanges, met by up_x2 at 3, 6, 9
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; EntryLocked; a3.841a9b59 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves +u.b2.0/x = a3.841a9b59 3B +0s; +object a3.841a9b59 = two
up_x.seal: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x.seal: up_x2@tokens
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch
        b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object
        a2.ac1f7402 = two
up_x.seal.up_x2.seal: up_x@tokens
    answers a3.841a9b59 1B +0s
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; set_if u.b2.s1/x; put a3.841a9b59; now; set u.b2.s2/x; get branch
        b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = a2.ac1f7402 3B +0s locked=true; +u.b2.s2/x = a3.841a9b59 1B +0s; -object a2.ac1f7402;
        +object a3.841a9b59 = 1
up_x.seal.up_x2: up_x@tokens
    answers a3.841a9b59 1B +0s
    by get branch b; get u.b2.s1/x; set_if u.b2.s1/x; put a3.841a9b59; now; set u.b2.s1/x; get branch b; delete
        a2.ac1f7402
    leaves ~u.b2.s1/x = a3.841a9b59 1B +0s; -object a2.ac1f7402; +object a3.841a9b59 = 1
up_x.no_x.seal: up_x2@tokens
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x.lock.seal: up_x2@tokens
    answers EntryLocked
    by get branch b; get u.b2.s1/x; get u.b2.0/x
up_x: up_x@careful, met by seal at 5
    answers a3.841a9b59 1B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; get
        u.b2.s1/x; put a3.841a9b59; now; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 1B +0s; +u.b2.s1/x = a3.841a9b59 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = 1; +object a3.841a9b59 = 1
: stage_in
    answers AddressNotAllowed
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_out@fresh, met by seal at 4
    answers ext://brought/o in full 1B; done
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B; +u.b2.s1/x = ext://brought/o in full 1B; ~branch b = c1 u.b2.s1
        u.b2.0
up_x: stage_a1
    answers a1.e55ac275 1B
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1.e55ac275 1B
: stage_a1
    answers a1.e55ac275 1B
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B
: stage_a1@fresh, met by seal at 4
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; copy a1.e55ac275 to a1.e55ac275
    leaves +u.b2.0/x = a1.e55ac275 1B; ~branch b = c1 u.b2.s1 u.b2.0
: stage_elsewhere
    answers AddressNotAllowed
: issue
    answers grant of a1.e55ac275
: link_x
    answers a1.e55ac275 1B
    by put a1.e55ac275; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B; +object a1.e55ac275 = 1
: link_out
    answers AddressNotAllowed
: link_far
    answers AddressNotAllowed
: link_elsewhere
    answers AddressNotAllowed
up_x: link_x
    answers a2.ac1f7402 1B
    by put a2.ac1f7402; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 1B; -object a1.e55ac275; +object a2.ac1f7402 = 1
up_x: copy
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; +object a2.da241866 = 1
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
bring.stage_out: copy
    answers a1.c5df630d 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy ext://brought/o to a1.c5df630d;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1.c5df630d 1B; +object a1.c5df630d = o
up_x.up_y: copy
    answers a3.2fe9b617 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; set_if u.b2.0/y; copy a1.e55ac275 to
        a3.2fe9b617; set u.b2.0/y; get branch b; delete a2.da241866
    leaves ~u.b2.0/y = a3.2fe9b617 1B +0s; -object a2.da241866; +object a3.2fe9b617 = 1
up_x.lock: copy
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; +object a2.da241866 = 1
up_x: copy, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866
    leaves -object a1.e55ac275
up_x: copy@fresh, met by seal at 8
    answers a2.da241866 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a2.da241866 = 1
up_x: copy@fresh, met by seal.lose at 8
    answers a2.da241866 1B +0s; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x.up_main: copy_main
    answers a3.2fe9b617 1B +0s
    by get branch main; get u.b1.0/m; get branch main; get branch b; get u.b2.0/y; copy a2.f9951388 to a3.2fe9b617;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a3.2fe9b617 1B +0s; +object a3.2fe9b617 = 1
"""
DELETED_TABLE: Final = """\
up_x: move
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x.commit: move
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.s1/y; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; +u.b2.s1/y = a2.da241866 1B +0s; +object a2.da241866 = 1
bring.stage_out: move
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = ext://brought/o in full 1B
up_x.up_y: move
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; ~u.b2.0/y = a1.e55ac275 1B +0s
up_x.lock: move
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x.lock: move@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x: move@checks
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/y; get branch
        b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x: move@leased
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; now; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x.lock_leased: move@leased, 61 s later
    answers a1.e55ac275 1B -61s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; now; now; set_if u.b2.0/x; get branch
        b; set u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B -61s
up_x: move, met by seal at 7
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.s1/y; get branch b; get branch b; set u.b2.s1/x; get branch b; set_if u.b2.s1/y
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; +u.b2.s1/y = a1.e55ac275 1B +0s; ~branch b
        = c1 u.b2.s1 u.b2.0
up_x: move, met by no_y at 14
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = gone; -object a1.e55ac275
up_x: move, met by up_y at 14
    answers a1.e55ac275 1B +0s; a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2.da241866 1B +0s; -object a1.e55ac275; +object a2.da241866 = 1
up_x: move, met by up_y at 8
    answers a1.e55ac275 1B +0s; a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s; +object a2.da241866 = 1
up_x: move@same
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x: move@same, met by seal at 9
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s locked=true; ~branch b = c1 u.b2.s1 u.b2.0
up_x: move@same, met by seal at 7
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s locked=true; ~branch b = c1 u.b2.s1 u.b2.0
up_x: move, met by no_x at 4
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: move, met by no_x at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x: no_x, met by no_x at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x@checks, met by no_x@checks at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
bring.stage_out: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x.lock: no_x
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x.lock: no_x@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x: no_x@checks
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x, met by seal at 8
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x: no_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x@rereads, met by seal at 8
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
up_x.seal: no_x
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; -object a1.e55ac275
up_x.seal.up_x2: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = gone; -object a2.ac1f7402
up_x.commit: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.commit: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x; get branch b; set u.b2.s1/x; get branch b; delete
        a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any_checks
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any_leased
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; now; set_if u.b2.s1/x; get branch b; set u.b2.s1/x; get branch b;
        delete a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any, met by up_x2 at 10
    answers EntryLocked; a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x: no_x@any
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x.seal: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit.up_x2: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = gone; -object a2.ac1f7402
: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; delete u.b2.0/y; delete
        a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.up_y: reset_paged
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan past u.b2.0/x; delete u.b2.0/x; delete a1.e55ac275; delete
        u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b2.0/; delete
        u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c1 u.b2.s2; -object a1.e55ac275; -object a2.ac1f7402
up_x.no_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
bring.stage_out: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.up_y.lock: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a2.da241866
up_x.up_y.lock: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y;
        delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a2.da241866
up_x.up_y: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275; get u.b2.0/y; set_if u.b2.0/y; delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.no_x: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.lock_leased: reset@leased
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; now; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.lock_leased: reset@leased, 61 s later
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; now; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x.lock_leased: reset@claims_leased, 61 s later
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; now; now; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: reset@claims, met by lose at 3
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: reset, met by move at 4
    answers done; PathNotFound
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -branch b; -object a1.e55ac275
up_x.seal.up_y.lock: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.s1/; delete u.b2.s1/y; delete a2.da241866; scan u.b2.0/; delete
        u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -u.b2.s1/y; -branch b; -object a1.e55ac275; -object a2.da241866
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = none u.b2.0; -object a1.e55ac275
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.no_x: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x.up_y: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.lock: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x: reset_x@claims
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.lock: reset_x@claims
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x: reset_x, met by seal at 6
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get branch b; delete u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves -u.b2.s1/x; -object a2.ac1f7402
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a1.e55ac275 1B +0s
up_x.commit.up_x2.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; copy a1.e55ac275 to a3.841a9b59; set
        u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a3.841a9b59 1B +0s; +object a3.841a9b59 = 1
up_x.commit.up_x2.seal.lose: reset_x@copies
    answers DataGone
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; copy a1.e55ac275 to a3.841a9b59
bring.stage_out.commit.up_x.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = ext://brought/o in full 1B
up_x.seal: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x: reset_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x: reset_x@rereads, met by seal at 4
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get u.b2.0/x; delete u.b2.s1/x; get
        branch b; get branch b
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0
up_x: reset_x@rereads, met by seal at 6
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get branch b
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0
: reset_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
: reset_all
    answers done
    by get branch b; scan u.b2.0/
up_x.up_y: reset_all
    answers done
    by get branch b; scan u.b2.0/; get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete
        a1.e55ac275; get branch b; get u.b2.0/y; get branch b; delete u.b2.0/y; get branch b; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; -object a1.e55ac275; -object a2.da241866
up_x.seal.up_y: reset_all
    answers done
    by get branch b; scan u.b2.0/; scan u.b2.s1/; get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get
        commit c1; set u.b2.s1/x; get branch b; get branch b; get u.b2.s1/y; get branch b; get u.b2.0/y; delete
        u.b2.s1/y; get branch b; delete a2.da241866
    leaves +u.b2.s1/x = gone; -u.b2.s1/y; -object a2.da241866
up_x.commit.up_x2.seal: reset_all@copies
    answers done
    by get branch b; scan u.b2.s1/; scan u.b2.s2/; get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get
        commit c2; copy a1.e55ac275 to a3.841a9b59; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a3.841a9b59 1B +0s; +object a3.841a9b59 = 1
up_x: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; scan u.b1.0/;
        scan r-u; delete branch b; delete branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -branch b; -branch main; -commit c1; -object a1.e55ac275
up_x.up_main.up_y: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; delete u.b2.0/y;
        delete a3.2fe9b617; scan u.b1.0/; delete u.b1.0/m; delete a2.f9951388; scan r-u; delete branch b; delete
        branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -u.b2.0/y; -u.b1.0/m; -branch b; -branch main; -commit c1; -object a1.e55ac275;
        -object a2.f9951388; -object a3.2fe9b617
up_x.up_main.up_y: erase_paged
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; scan past u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275; delete u.b2.0/y; delete a3.2fe9b617; scan past branch b; scan u.b1.0/; delete u.b1.0/m; delete
        a2.f9951388; scan past branch main; scan r-u; delete branch b; scan past branch b; delete branch main; scan
        past branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -u.b2.0/y; -u.b1.0/m; -branch b; -branch main; -commit c1; -object a1.e55ac275;
        -object a2.f9951388; -object a3.2fe9b617
up_x.lock: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; scan u.b1.0/; scan r-u; delete
        branch b; delete branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -branch b; -branch main; -commit c1
up_x.commit.up_x2: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b1.0/;
        scan r-u; delete branch b; delete branch main; delete commit c1; delete commit c2
    leaves -entry r; -u.b2.s1/x; -branch b; -branch main; -commit c1; -commit c2; -object a2.ac1f7402
up_x.commit.up_x2: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b1.0/;
        scan commit; delete a1.e55ac275; scan r-u; delete branch b; delete branch main; delete commit c1; delete
        commit c2
    leaves -entry r; -u.b2.s1/x; -branch b; -branch main; -commit c1; -commit c2; -object a1.e55ac275; -object
        a2.ac1f7402
up_x.up_y.commit.no_x.commit_again: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit; delete a2.da241866;
        delete a1.e55ac275; delete a2.da241866; scan r-u; delete branch b; delete branch main; delete commit c1;
        delete commit c3; delete commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c3; -commit c2; -object a1.e55ac275; -object
        a2.da241866
bring.stage_out.commit: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; scan r-u; delete branch
        b; delete branch main; delete commit c1; delete commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c2
erase: erase
    answers RepositoryNotFound
    by get entry r
up_x: erase, refused at 2
    answers Refused
    by get entry r; delete entry r
"""
SOURCE: Final = "hard-delete-uncommitted-data.md, 5. No Copies"
ROWS = [
    stated("no-copies", NO_COPIES, UPLOADS_TABLE, SOURCE, first=(FOUND,)),
    stated("no-copies-deletes", NO_COPIES, DELETED_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
