"""Proposal 3: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "3. Tracking references in staging manager". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _reference_states as states
from lakeproof.impl.hard_delete import reference_tracking
from lakeproof.impl.hard_delete._reference_states import State
from lakeproof.impl.hard_delete.reference_tracking import Reading
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_objects import FOUND, NAMESPACE, words_of
from lakeproof.scenarios.designs import built

A1: Final = f"{NAMESPACE}/data/a1"
UNTIL: Final = REPOSITORY.creation_date + reference_tracking.VALIDITY
TOKEN: Final = StagingToken("r-b:u.b2.0")


async def mark(env: Env, repository: Repository, state: State, token: StagingToken = TOKEN) -> bool:
    """Bring a reference to the object a1 into a state."""
    return await states.mark(env, repository, A1, token, state)


async def drop(env: Env, repository: Repository) -> None:
    """Forget the reference to the object a1 under the first token of b."""
    await states.forget(env, repository, A1, TOKEN)


async def flip(env: Env, repository: Repository) -> None:
    """Bring the reference to the object a1 into another state than it has."""
    found = [each async for keyed in states.references(env, repository, A1) for each in keyed]
    other = State.STAGED if found and found[-1].reference.state is State.DELETED else State.DELETED
    await states.mark(env, repository, A1, found[-1].token if found else TOKEN, other)


def _mark(state: State, token: str = TOKEN) -> Call:
    return Call(mark, REPOSITORY, state, StagingToken(token))


TRACKING: Final = {
    **words_of(
        reference_tracking.FLOWS,
        once=reference_tracking.FIRST_TOKEN,
        exchanges=reference_tracking.EXCHANGES,
        first=reference_tracking.DELETE_MARKS_FIRST,
        creates=reference_tracking.MARKS_CREATE,
        first_creates=Reading(marks_first=True, creates=True),
        sealed=reference_tracking.COMMIT_MARKS_SEALED,
        last=reference_tracking.COMMIT_MARKS_LAST,
        removes=reference_tracking.TOMBSTONES_REMOVE,
        tombstone=reference_tracking.BRANCH_TOMBSTONES,
        newest=reference_tracking.NEWEST,
        backwards=reference_tracking.COMMITTED_FIRST,
        keeps=reference_tracking.KEEPS_COMMITTED,
        rereads=reference_tracking.JOB_REREADS,
        keys_first=reference_tracking.KEYS_FIRST,
    ),
    "staged": _mark(State.STAGED),
    "deleted": _mark(State.DELETED),
    "committed": _mark(State.COMMITTED),
    "deleted_too": _mark(State.DELETED, "r-c:u.t"),
    "staged_too": _mark(State.STAGED, "r-c:u.t"),
    "committed_too": _mark(State.COMMITTED, "r-a:u.t"),
    "flip": Call(flip, REPOSITORY),
    "unmark": Call(drop, REPOSITORY),
    "copy_c": Call(reference_tracking.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "link_a1": Call(
        reference_tracking.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, expires=UNTIL), b"1"
    ),
}
UPLOADS_TABLE: Final = """\
: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
up_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
up_x.unmark: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
up_x.committed: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
up_x.seal: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.s1; now; set_if
        references/mem://r/data/a2/r-b:u.b2.s1; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = a2 3B +0s; +references/mem://r/data/a2/r-b:u.b2.s1 = staged +0s; +object a2 = two
up_x: up_x2, met by staged at 7
    answers a2 3B +0s; True
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
up_x: up_x2, met by staged.deleted at 7
    answers a2 3B +0s; True; True
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
bring.stage_out: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
up_x.no_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
: up_x, refused at o1
    answers Refused
    by put a1
: up_x, refused at 1
    answers Refused
    by put a1; now; get branch b
    leaves +object a1 = 1
: up_x, refused at 3
    answers Refused
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0
    leaves +object a1 = 1
: up_x, false at 3
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x, lost at 3
    answers OutcomeUnknown?
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0
    leaves +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x, met by staged at 3
    answers a1 1B +0s; True
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x, met by deleted at 3
    answers a1 1B +0s; True
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x, met by committed at 3
    answers a1 1B +0s; True
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; +object a1 = 1
: up_x, met by committed at 2
    answers a1 1B +0s; True
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch
        b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; +object a1 = 1
: up_x, met by seal at 4
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.s1; now; set_if references/mem://r/data/a1/r-b:u.b2.s1; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a1/r-b:u.b2.s1 = staged +0s;
        +object a1 = 1
: up_x, met by seal at 6
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.s1; now; set_if references/mem://r/data/a1/r-b:u.b2.s1; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a1/r-b:u.b2.s1 = staged +0s;
        +object a1 = 1
: up_x@once, met by seal at 6
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; set
        u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x@exchanges
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
up_x: up_x2@exchanges
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
up_x: up_x2@exchanges, met by up_x2 at 5
    answers a2 3B +0s; a3 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get
        branch b; get references/mem://r/data/a3/r-b:u.b2.0; now; set_if references/mem://r/data/a3/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a3/r-b:u.b2.0 = deleted +0s;
        +object a2 = two; +object a3 = two
up_x: up_x2, met by up_x2 at 5
    answers a2 3B +0s; a3 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = a2 3B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a3/r-b:u.b2.0 = staged +0s;
        +object a2 = two; +object a3 = two
: stage_in
    answers a1 1B
    by get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
up_x: stage_in
    answers a1 1B
    by get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B
: issue
    answers grant of a1 until +1800s
    by get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0;
        now
    leaves +references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
: issue, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
: issue, met by committed at 3
    answers grant of a1 until +1800s; True
    by get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0;
        get references/mem://r/data/a1/r-b:u.b2.0; now
    leaves +references/mem://r/data/a1/r-b:u.b2.0 = committed +0s
: link_x
    answers a1 1B
    by get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0;
        now; put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: link_far
    answers AddressNotAllowed
: link_a1
    answers a1 1B
    by now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
issue: link_a1
    answers a1 1B
    by now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
issue: link_a1, 1799 s later
    answers a1 1B
    by now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
issue: link_a1, 1800 s later
    answers a1 1B
    by now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
issue: link_a1, 1801 s later
    answers GrantExpired
    by now
issue.committed: link_a1
    answers a1 1B
    by now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
up_x: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
bring.stage_out: copy
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x.create_c: copy_c
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1/r-c:u.b3.0; now;
        set_if references/mem://r/data/a1/r-c:u.b3.0; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; +references/mem://r/data/a1/r-c:u.b3.0 = staged +0s
up_x.committed: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
up_x: copy, met by staged at 6
    answers a1 1B +0s; True
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
up_x: copy, met by staged at 6, 8
    answers a1 1B +0s; True; True
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
up_x: copy, met by deleted at 6, 8, 10, 1 s later
    answers a1 1B -1s; True; True; True
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B -1s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: move
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b; get branch b; get u.b2.0/x; get
        branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get references/mem://r/data/a1/r-b:u.b2.0;
        now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: move, met by no_x at 8
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b; get branch b; get u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.unmark: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone
up_x.committed: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
bring.stage_out: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x: no_x, met by up_x2 at 5
    answers done; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a2/r-b:u.b2.0; now; set_if references/mem://r/data/a2/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        +references/mem://r/data/a2/r-b:u.b2.0 = deleted +0s; +object a2 = two
up_x: no_x, met by seal at 7
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
up_x.unmark: no_x@creates
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; +references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: no_x@first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = gone; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.unmark: no_x@first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x.unmark: no_x@first_creates
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = gone; +references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.commit: no_x@first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x: no_x@first, met by seal at 9
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/x; get
        branch b; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0;
        ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
"""
JOBS_TABLE: Final = """\
: up_x, met by flip at 3, 5, 7
    answers ObjectBusy; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0
    leaves +references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s; +object a1 = 1
: up_x, met by flip at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
: up_x, met by seal at 6, false at 8
    answers a1 1B +0s; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.s1; now; set_if references/mem://r/data/a1/r-b:u.b2.s1; get
        references/mem://r/data/a1/r-b:u.b2.s1; now; set_if references/mem://r/data/a1/r-b:u.b2.s1; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0;
        +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a1/r-b:u.b2.s1 = staged +0s;
        +object a1 = 1
up_x: copy, met by deleted at 6
    answers a1 1B +0s; True
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
up_x: copy, met by flip at 6, 8, 10
    answers ObjectBusy; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now;
        set_if references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.create_c: copy_c, met by seal at 7
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1/r-c:u.b3.0; now;
        set_if references/mem://r/data/a1/r-c:u.b3.0; set u.b3.0/y; get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +references/mem://r/data/a1/r-c:u.b3.0 = staged +0s
up_x: no_x, met by flip at 9
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: no_x, met by flip at 9, 11, 13
    answers done; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: no_x, met by seal at 9
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
: up_x, met by seal at 6, 10, 14
    answers WriteNotSettled?; done; done; done
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set u.b2.0/x; get branch b; get
        references/mem://r/data/a1/r-b:u.b2.s1; now; set_if references/mem://r/data/a1/r-b:u.b2.s1; get u.b2.s1/x;
        set u.b2.s1/x; get branch b; get references/mem://r/data/a1/r-b:u.b2.s2; now; set_if
        references/mem://r/data/a1/r-b:u.b2.s2; get u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; +u.b2.s2/x = a1 1B +0s; ~branch b = c1 u.b2.s3 u.b2.s2
        u.b2.s1 u.b2.0; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +references/mem://r/data/a1/r-b:u.b2.s1
        = staged +0s; +references/mem://r/data/a1/r-b:u.b2.s2 = staged +0s; +object a1 = 1
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; scan u.b2.0/; get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2;
        set_if branch b; scan u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; get branch b; set_if branch b;
        scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; ~references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s
up_x.up_y.no_y: commit_paged, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; scan u.b2.0/; scan past u.b2.0/x; now; set references/mem://r/data/a1/r-b:u.b2.0; get branch b;
        set_if branch b; scan u.b2.0/; get commit c1; scan past u.b2.0/x; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one';
        ~references/mem://r/data/a1/r-b:u.b2.0 = committed +0s
up_x.seal.up_x2: commit, then head
    answers c2 of c1 'one'; (x=a2 3B +0s)
    by get branch b; scan u.b2.s1/; now; set references/mem://r/data/a2/r-b:u.b2.s1; scan u.b2.0/; now; set
        references/mem://r/data/a1/r-b:u.b2.0; get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get
        commit c1; now; set commit c2; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete
        u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one';
        ~references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; ~references/mem://r/data/a2/r-b:u.b2.s1 = committed
        +0s
up_x: commit, met by up_y at 3, then head
    answers c2 of c1 'one'; a2 1B +0s; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; get branch b; set_if branch b;
        scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete
        u.b2.0/y
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; ~references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s; +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = 1
up_x.unmark: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; get branch b; set_if branch b;
        scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s
bring.stage_out: commit, then head
    answers c2 of c1 'one'; (x=ext://brought/o in full 1B)
    by get branch b; scan u.b2.0/; get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit@sealed, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; scan u.b2.0/;
        get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; ~references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s
up_x.seal.up_x2: commit@sealed, then head
    answers c2 of c1 'one'; (x=a2 3B +0s)
    by get branch b; set_if branch b; scan u.b2.s1/; now; set references/mem://r/data/a2/r-b:u.b2.s1; scan u.b2.0/;
        now; set references/mem://r/data/a1/r-b:u.b2.0; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit
        c2; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one';
        ~references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; ~references/mem://r/data/a2/r-b:u.b2.s1 = committed
        +0s
up_x: commit@sealed, met by up_y at 3, then head
    answers c2 of c1 'one'; a2 1B +0s; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; scan u.b2.0/;
        get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/y = a2 1B +0s; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one';
        ~references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; +references/mem://r/data/a2/r-b:u.b2.s1 = staged
        +0s; +object a2 = 1
up_x: commit@last, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; ~references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s
up_x.seal.up_x2: commit@last, then head
    answers c2 of c1 'one'; (x=a2 3B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch
        b; scan u.b2.s1/; now; set references/mem://r/data/a2/r-b:u.b2.s1; scan u.b2.0/; now; set
        references/mem://r/data/a1/r-b:u.b2.0; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one';
        ~references/mem://r/data/a1/r-b:u.b2.0 = committed +0s; ~references/mem://r/data/a2/r-b:u.b2.s1 = committed
        +0s
: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x; get references/mem://r/data/a2/r-b:u.b2.0; now;
        set_if references/mem://r/data/a2/r-b:u.b2.0; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        ~references/mem://r/data/a2/r-b:u.b2.0 = deleted +0s
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.s1/; get references/mem://r/data/a2/r-b:u.b2.s1; now; set_if
        references/mem://r/data/a2/r-b:u.b2.s1; delete u.b2.s1/x; scan u.b2.0/; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c1 u.b2.s2; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        ~references/mem://r/data/a2/r-b:u.b2.s1 = deleted +0s
up_x.no_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.unmark: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.unmark: reset@creates
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; +references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.committed: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
bring.stage_out: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.no_x: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan references/; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -references/mem://r/data/a1/r-b:u.b2.0
up_x.up_y.no_x: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan references/; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete u.b2.0/x; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -references/mem://r/data/a1/r-b:u.b2.0;
        ~references/mem://r/data/a2/r-b:u.b2.0 = deleted +0s
up_x.up_y.no_y: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x; scan references/; delete
        references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a2/r-b:u.b2.0; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a2/r-b:u.b2.0
up_x.up_x2.no_x.deleted_too: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan references/; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a2/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a2/r-b:u.b2.0
up_x.create_c.copy_c.no_x: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan references/; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -references/mem://r/data/a1/r-b:u.b2.0
up_x: reset@removes
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; -branch b; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.up_y: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x; get references/mem://r/data/a2/r-b:u.b2.0; now;
        set_if references/mem://r/data/a2/r-b:u.b2.0; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -branch b; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        ~references/mem://r/data/a2/r-b:u.b2.0 = deleted +0s
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.s1/; get references/mem://r/data/a2/r-b:u.b2.s1; now; set_if
        references/mem://r/data/a2/r-b:u.b2.s1; delete u.b2.s1/x; scan u.b2.0/; get
        references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; -branch b; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s;
        ~references/mem://r/data/a2/r-b:u.b2.s1 = deleted +0s
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = none u.b2.0; ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
: job
    answers 0
    by scan references/
up_x: job
    answers 0
    by scan references/
up_x.reset: job
    answers 0
    by scan references/; now
up_x.reset: job, 3600 s later
    answers 0
    by scan references/; now
up_x.reset: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job_paged, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.up_y.reset: job_paged, 3601 s later
    answers 2
    by scan references/; scan past references/mem://r/data/a1/r-b:u.b2.0; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0; now; delete a2; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0; -object a1; -object a2
up_x.up_y.no_x: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.deleted.staged_too: job, 3601 s later
    answers 0
    by scan references/
up_x.deleted.deleted_too: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t; -object a1
up_x.commit: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0
up_x.up_y.commit: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0
up_x.commit: job@keeps
    answers 0
    by scan references/
up_x.deleted.deleted_too.committed_too.staged: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job@backwards
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-a:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job@keeps
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t
up_x.commit.up_y.reset: job, 3601 s later
    answers 1
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; now; delete a2; delete
        references/mem://r/data/a2/r-b:u.b2.s1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.s1; -object a2
up_x.up_y.commit.up_x2.reset: job_paged, 3601 s later
    answers 1
    by scan references/; scan past references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-b:u.b2.0; scan past references/mem://r/data/a2/r-b:u.b2.0; delete
        references/mem://r/data/a2/r-b:u.b2.0; now; delete a3; delete references/mem://r/data/a3/r-b:u.b2.s1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0;
        -references/mem://r/data/a3/r-b:u.b2.s1; -object a3
up_x.reset: job@keys_first, 3601 s later
    answers 1
    by scan references/; now; delete references/mem://r/data/a1/r-b:u.b2.0; delete a1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset.committed_too: job@keys_first, 3601 s later
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0
up_x.reset: job@rereads, 3601 s later
    answers 1
    by scan references/; now; scan references/mem://r/data/a1/; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job@rereads, met by staged at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
up_x.reset: job@rereads, met by unmark at 2, 3601 s later
    answers 0; done
    by scan references/; now; scan references/mem://r/data/a1/
    leaves -references/mem://r/data/a1/r-b:u.b2.0
up_x.reset: job@rereads, met by deleted at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/; now
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.reset: job@rereads, met by staged_too at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/
    leaves +references/mem://r/data/a1/r-c:u.t = staged +0s
up_x.up_y.reset: job@rereads, met by staged at 2, 3601 s later
    answers 1; True
    by scan references/; now; scan references/mem://r/data/a1/; now; scan references/mem://r/data/a2/; now; delete
        a2; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; -references/mem://r/data/a2/r-b:u.b2.0; -object a2
up_x.reset: job, met by staged at 2, 3601 s later
    answers 1; True
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
issue: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0
issue: job, 3600 s later
    answers 0
    by scan references/; now
up_x.reset: job, met by deleted_too at 1, 3601 s later
    answers 1; True
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job@newest, met by deleted_too at 1, 3601 s later
    answers 0; True
    by scan references/; now
    leaves +references/mem://r/data/a1/r-c:u.t = deleted +0s
up_x.reset.deleted_too: job@newest, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t; -object a1
"""
SOURCE: Final = "hard-delete-uncommitted-data.md, 3. Tracking references in staging manager"
ROWS = [
    stated("reference-tracking", TRACKING, UPLOADS_TABLE, SOURCE, first=(FOUND,)),
    stated("reference-tracking-jobs", TRACKING, JOBS_TABLE, SOURCE, first=(FOUND,)),
]

SCENARIOS = built(ROWS)
