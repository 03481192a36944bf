"""Proposal 3: uploads, links, copies, moves and deletes.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reference_tracking`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_reference_tracking import TRACKING
from lakeproof.scenarios.designs import built

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
ROWS = [stated("reference-tracking", TRACKING, UPLOADS_TABLE, "hard-delete-uncommitted-data.md, 3.", first=(FOUND,))]

SCENARIOS = built(ROWS)
