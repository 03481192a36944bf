"""Proposal 4: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "4. Staging Token States". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _token_lists as lists
from lakeproof.impl.hard_delete import token_states
from lakeproof.impl.hard_delete.token_states import Reading
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

A1: Final = f"{NAMESPACE}/data/a1"


async def touch(env: Env, repository: Repository) -> None:
    """Another token refers to the object a1."""
    await lists.add_reference(
        env, repository, A1, StagingToken(env.ids.unique("other")), issued=True, checked=False
    )


async def empty(env: Env, repository: Repository) -> None:
    """The job is about to delete the object a1: no token refers to it."""
    await env.store.set(uid_partition(repository), lists.reference_key(A1), b"")


async def unlist(env: Env, repository: Repository) -> None:
    """The job has found the object a1 committed: it has no list."""
    await env.store.delete(uid_partition(repository), lists.reference_key(A1))


TOKEN_STATES: Final = {
    **words_of(
        token_states.FLOWS,
        careful=Reading(careful=True),
        once=Reading(once=True),
        tombstone=Reading(by_tombstone=True),
        by_address=token_states.BY_ADDRESS,
        by_commit=token_states.BY_COMMIT,
        entries=token_states.ENTRIES,
        spared=token_states.ENTRIES_SPARED,
        keeps=Reading(keeps_empty=True),
        forgets=token_states.FORGETS_DELETED,
    ),
    "touch": Call(touch, REPOSITORY),
    "empty": Call(empty, REPOSITORY),
    "unlist": Call(unlist, REPOSITORY),
    "copy_c": Call(token_states.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "link_a1": Call(token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, "a2"), b"1"),
    "link_a1@once": Call(
        token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, "a2"), b"1", reading=Reading(once=True)
    ),
    "link_other": Call(
        token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(f"{NAMESPACE}/data/a3", "a2"), b"1"
    ),
}
UPLOADS_TABLE: Final = """\
: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
up_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2; set_if references/mem://r/data/a2; set u.b2.0/x;
        get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +references/mem://r/data/a2 = r-b:u.b2.0; +object a2 = two
: up_x, refused at o1
    answers Refused
    by put a1
: up_x, refused at 1
    answers Refused
    by put a1; now; get branch b
    leaves +object a1 = 1
: up_x, refused at 3
    answers Refused
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1
    leaves +object a1 = 1
: up_x, false at 3
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
: up_x, lost at 3
    answers OutcomeUnknown?
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1
    leaves +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by put a1; now; get branch b
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing; +object a1 = 1
: up_x, met by touch at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1 = o1 r-b:u.b2.0; +object a1 = 1
: up_x, met by touch at 3, 5
    answers a1 1B +0s; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1 = o1 o2 r-b:u.b2.0; +object a1 = 1
: up_x, met by touch at 3, 5, 7
    answers ObjectBusy; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1
    leaves +references/mem://r/data/a1 = o1 o2 o3; +object a1 = 1
: up_x, met by seal at 4
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal at 5
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal.empty at 5
    answers a1 1B +0s; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal.unlist at 5
    answers a1 1B +0s; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal.touch at 5
    answers a1 1B +0s; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 o1 r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal at 5, 9, 13
    answers WriteNotSettled?; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch
        b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; +u.b2.s2/x = a1 1B +0s; ~branch b = c1 u.b2.s3 u.b2.s2
        u.b2.s1 u.b2.0; +references/mem://r/data/a1 = r-b:u.b2.0 r-b:u.b2.s1 r-b:u.b2.s2; +object a1 = 1
: up_x@careful
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
: up_x@careful, met by seal at 5
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 r-b:u.b2.s1; +object a1 = 1
: up_x@careful, met by seal.empty at 5
    answers AddressDeleted; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1
    leaves +u.b2.0/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1 = nothing; +object a1 =
        1
: up_x@careful, met by seal.unlist at 5
    answers a1 1B +0s; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1
: up_x, met by seal at 5, false at 7
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 r-b:u.b2.s1; +object a1 = 1
: up_x, met by seal.touch at 5, 7, 9, 11
    answers WriteNotSettled?; done; done; done; done; done; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1
    leaves +u.b2.0/x = a1 1B +0s; ~branch b = c1 u.b2.s4 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +references/mem://r/data/a1
        = r-b:u.b2.0 o1 o2 o3 o4; +object a1 = 1
: up_x, met by seal.touch at 5, 7
    answers a1 1B +0s; done; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x;
        get branch b; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s1/x; get branch b; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; +u.b2.s2/x = a1 1B +0s; ~branch b = c1 u.b2.s2 u.b2.s1
        u.b2.0; +references/mem://r/data/a1 = r-b:u.b2.0 o1 o2 r-b:u.b2.s1 r-b:u.b2.s2; +object a1 = 1
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_in
    answers AddressNotAllowed
: issue
    answers grant of a1 a2
    by set staging/issued/a2
    leaves +staging/issued/a2 = mem://r/data/a1
: link_x
    answers a1 1B
    by set staging/issued/a2; put a1; get staging/issued/a2; delete staging/issued/a2; get branch b; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
: link_far
    answers AddressNotAllowed
: link_a1
    answers GrantInvalid
    by get staging/issued/a2
issue: link_a1
    answers a1 1B
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; -staging/issued/a2
issue: link_other
    answers GrantInvalid
    by get staging/issued/a2
issue.link_a1: link_a1
    answers GrantInvalid
    by get staging/issued/a2
issue: link_a1, met by link_a1 at 2
    answers a1 1B; a1 1B
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set u.b2.0/x;
        get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; -staging/issued/a2
issue: link_a1, met by link_a1 at 3
    answers a1 1B; GrantInvalid
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; -staging/issued/a2
issue: link_a1@once
    answers a1 1B
    by get staging/issued/a2; set_if staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; ~staging/issued/a2 = used
issue.link_a1@once: link_a1@once
    answers GrantInvalid
    by get staging/issued/a2
issue: link_a1@once, met by link_a1@once at 3
    answers a1 1B; GrantInvalid
    by get staging/issued/a2; set_if staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; ~staging/issued/a2 = used
issue: link_a1@once, false at 3
    answers a1 1B
    by get staging/issued/a2; set_if staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; ~staging/issued/a2 = used
issue: link_a1, met by seal.empty at 7
    answers a1 1B; done; done
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B; +u.b2.s1/x = a1 1B; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1 =
        r-b:u.b2.s1; -staging/issued/a2
: link_x@careful, met by seal.empty at 8
    answers AddressDeleted; done; done
    by set staging/issued/a2; put a1; get staging/issued/a2; delete staging/issued/a2; get branch b; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1
    leaves +u.b2.0/x = a1 1B; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1 = nothing; +object a1 = 1
: link_x@careful, met by seal.unlist at 8
    answers a1 1B; done; done
    by set staging/issued/a2; put a1; get staging/issued/a2; delete staging/issued/a2; get branch b; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B; +u.b2.s1/x = a1 1B; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1
: link_x@careful
    answers a1 1B
    by set staging/issued/a2; put a1; get staging/issued/a2; delete staging/issued/a2; get branch b; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; +object a1 = 1
up_x: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B +0s
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.unlist: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B +0s
up_x.empty: copy
    answers AddressDeleted
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1
up_x.touch: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B +0s
bring.stage_out: copy
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x.create_c: copy_c
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = r-b:u.b2.0 r-c:u.b3.0
up_x.create_c: copy_c, met by touch at 7
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = r-b:u.b2.0 r-c:u.b3.0 o1
up_x.create_c: copy_c, met by empty at 7
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = nothing
up_x.create_c: copy_c, met by touch at 7, 9, 11
    answers a1 1B +0s; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = r-b:u.b2.0 r-c:u.b3.0 o1 o2 o3
up_x.create_c: copy_c, false at 7
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = r-b:u.b2.0 r-c:u.b3.0
up_x: move
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1; set u.b2.0/y; get
        branch b; get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
up_x: move, met by no_x at 8
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1; set u.b2.0/y; get
        branch b; get branch b; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
"""
JOBS_TABLE: Final = """\
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; set
        staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; set
        staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x.up_y: commit_paged, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; scan past u.b2.0/x; now; set commit c2; set_if
        branch b; set staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x.seal.up_y: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch
        b; set staging/committed/c2
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.s1 r-b:u.b2.0
up_x: commit, met by commit at 3, then head
    answers c3 of c2 'one'; c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c2; now; set commit c3; set_if branch b; set staging/committed/c3
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c2 'one'; +staging/committed/c2 =
        r-b:u.b2.s1 r-b:u.b2.0; +staging/committed/c3 = nothing
up_x.up_y: commit@by_address, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a2; set_if staging/committed/mem://r/data/a2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a1 = r-b:u.b2.0;
        +staging/committed/mem://r/data/a2 = r-b:u.b2.0
up_x.seal.up_x2: commit@by_address, then head
    answers c2 of c1 'one'; (x=a2 3B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch
        b; scan u.b2.0/; scan u.b2.s1/; get staging/committed/mem://r/data/a2; set_if
        staging/committed/mem://r/data/a2
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a2 = r-b:u.b2.s1
        r-b:u.b2.0
up_x.commit@by_address.copy: commit@by_address, then head
    answers c3 of c2 'one'; (x=a1 1B +0s, y=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; scan
        u.b2.s1/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; ~staging/committed/mem://r/data/a1 = r-b:u.b2.s1
        r-b:u.b2.0
bring.stage_out: commit@by_address, then head
    answers c2 of c1 'one'; (x=ext://brought/o in full 1B)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +staging/deleted/r-b:u.b2.0 = nothing
up_x: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s2; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: delete_branch
    answers done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = none u.b2.0; +staging/deleted/r-b:u.b2.0 = nothing
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
up_x: delete_branch, met by seal at 2
    answers done; done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing
: job
    answers 0
    by scan staging/committed/; scan staging/deleted/
up_x: job
    answers 0
    by scan staging/committed/; scan staging/deleted/
up_x.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
up_x.commit: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
up_x.up_y.commit: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan past u.b2.0/x; delete references/mem://r/data/a1; delete
        references/mem://r/data/a2; scan u.b2.0/; scan past u.b2.0/x; get references/mem://r/data/a1; get
        references/mem://r/data/a2; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x;
        delete u.b2.0/y; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2
up_x.up_x2.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a2; scan u.b2.0/; get
        references/mem://r/data/a2; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a2; -staging/committed/c2
up_x.seal.up_x2.commit: job
    answers 1
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1;
        delete a1; delete references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.s1/; delete u.b2.s1/x;
        scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -object a1
up_x.copy.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y;
        scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -staging/committed/c2
bring.stage_out.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.0/; delete staging/committed/c2; scan u.b2.0/; delete
        u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -staging/committed/c2
up_x.no_x.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.0/; delete staging/committed/c2; scan u.b2.0/; delete
        u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -staging/committed/c2
up_x.commit.up_x2.commit_again: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan past
        staging/committed/c2; scan u.b2.s1/; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; delete staging/committed/c3; scan u.b2.s1/; delete u.b2.s1/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -staging/committed/c3
up_x.commit@by_address: job@by_address
    answers 0
    by scan staging/committed/; delete references/mem://r/data/a1; scan u.b2.0/; get references/mem://r/data/a1;
        delete staging/committed/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/mem://r/data/a1
up_x.seal.up_x2.commit@by_address: job@by_address
    answers 1
    by scan staging/committed/; delete references/mem://r/data/a2; scan u.b2.s1/; get references/mem://r/data/a2;
        scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1; delete a1; delete
        references/mem://r/data/a1; delete staging/committed/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x; scan
        u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -staging/committed/mem://r/data/a2; -object a1
up_x.up_y.commit@by_address: job@by_address
    answers 1
    by scan staging/committed/; delete references/mem://r/data/a1; scan u.b2.0/; get references/mem://r/data/a1; get
        references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete references/mem://r/data/a2;
        delete staging/committed/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete
        references/mem://r/data/a2; scan u.b2.0/; delete staging/committed/mem://r/data/a2; scan u.b2.0/; scan
        staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -staging/committed/mem://r/data/a1; -staging/committed/mem://r/data/a2; -object a2
up_x.up_y.commit: job@by_commit
    answers 0
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; delete references/mem://r/data/a2;
        scan u.b2.0/; get references/mem://r/data/a1; get references/mem://r/data/a2; delete staging/committed/c2;
        scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2
up_x.seal.up_x2.commit: job@by_commit
    answers 1
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1;
        delete a1; delete references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.s1/; delete u.b2.s1/x;
        scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -object a1
bring.stage_out.up_y.commit: job@by_commit
    answers 0
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y;
        scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -staging/committed/c2
up_x.commit: job@by_commit, met by lose at 2
    answers 0; done
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; -object a1
up_x.commit: job@entries
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; set staging/deleted/r-b:u.b2.0;
        delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/; scan u.b2.0/; scan
        u.b2.0/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2.commit: job@entries
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; set
        staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0; delete staging/committed/c2; scan u.b2.s1/;
        delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/; scan u.b2.0/; scan u.b2.0/; scan
        u.b2.s1/; scan u.b2.s1/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a2; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 =
        nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x.commit: job@spared
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; set staging/deleted/r-b:u.b2.0;
        delete staging/committed/c2; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2.commit: job@spared
    answers 1
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; set
        staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0; delete staging/committed/c2; scan
        staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1; delete
        a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing; -object a1
up_x.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.up_y.reset: job_paged
    answers 2
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; scan past u.b2.0/x; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1;
        get references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete
        references/mem://r/data/a2; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -object a1; -object a2
up_x.reset: job@forgets
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        delete staging/deleted/r-b:u.b2.0
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/deleted/r-b:u.b2.0; -object a1
up_x.up_y.reset.up_x.delete_branch: job@forgets
    answers 3
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; get references/mem://r/data/a2;
        set_if references/mem://r/data/a2; delete a2; delete references/mem://r/data/a2; scan u.b2.0/; delete
        u.b2.0/x; delete u.b2.0/y; delete staging/deleted/r-b:u.b2.0; scan u.b2.s1/; get references/mem://r/data/a3;
        set_if references/mem://r/data/a3; delete a3; delete references/mem://r/data/a3; scan u.b2.s1/; delete
        u.b2.s1/x; delete staging/deleted/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -references/mem://r/data/a3; -staging/deleted/r-b:u.b2.0; -staging/deleted/r-b:u.b2.s1; -object a1; -object
        a2; -object a3
up_x.reset: job@keeps
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = nothing; -object a1
up_x.seal.up_x2.reset: job
    answers 2
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        scan u.b2.s1/; get references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete
        references/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -object a1; -object a2
up_x.copy.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -object a1
up_x.create_c.copy_c.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = r-c:u.b3.0
up_x.create_c.copy_c.delete_branch: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = r-c:u.b3.0
up_x.unlist.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x
up_x.empty.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; delete a1;
        delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.reset: job, met by touch at 5
    answers 0; done
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = o1
up_x.reset: job, met by touch at 5, 7, 9
    answers ObjectBusy; done; done; done
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1
    leaves ~references/mem://r/data/a1 = r-b:u.b2.0 o1 o2 o3
up_x.reset: job, false at 5
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1;
        scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.commit.reset: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/; scan u.b2.s1/; scan u.b2.s1/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
"""
ROWS = [
    stated(
        "token-states", TOKEN_STATES, UPLOADS_TABLE, "hard-delete-uncommitted-data.md, 4.", first=(FOUND,)
    ),
    stated(
        "token-states-jobs", TOKEN_STATES, JOBS_TABLE, "hard-delete-uncommitted-data.md, 4.", first=(FOUND,)
    ),
]

SCENARIOS = built(ROWS)
