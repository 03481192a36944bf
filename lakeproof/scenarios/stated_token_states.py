"""Proposal 4: uploads, links, copies, moves and deletes.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_token_states`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_token_states import TOKEN_STATES
from lakeproof.scenarios.designs import built

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
issue.empty: link_a1@careful
    answers a1 1B
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; ~references/mem://r/data/a1 = r-b:u.b2.0; -staging/issued/a2
issue.unlist: link_a1@careful
    answers a1 1B
    by get staging/issued/a2; delete staging/issued/a2; get branch b; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; -staging/issued/a2
issue: link_a1@once, met by link_a1@once at 2
    answers GrantInvalid; a1 1B
    by get staging/issued/a2; set_if staging/issued/a2
    leaves +u.b2.0/x = a1 1B; +references/mem://r/data/a1 = r-b:u.b2.0; ~staging/issued/a2 = used
issue: link_a1@once, false at 2
    answers GrantInvalid
    by get staging/issued/a2; set_if staging/issued/a2
    leaves ~staging/issued/a2 = used
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
up_x.create_c: copy_c, met by touch at 6
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; set u.b3.0/y;
        get branch c
    leaves +u.b3.0/y = a1 1B +0s; ~references/mem://r/data/a1 = r-b:u.b2.0 o1 r-c:u.b3.0
up_x.create_c: copy_c, met by empty at 6
    answers AddressDeleted; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1
    leaves ~references/mem://r/data/a1 = nothing
up_x.create_c: copy_c, met by touch at 6, 8, 10
    answers ObjectBusy; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1
    leaves ~references/mem://r/data/a1 = r-b:u.b2.0 o1 o2 o3
up_x.create_c: copy_c, false at 6
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch c; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set u.b3.0/y; get branch c
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
ROWS = [stated("token-states", TOKEN_STATES, UPLOADS_TABLE, "hard-delete-uncommitted-data.md, 4.", first=(FOUND,))]

SCENARIOS = built(ROWS)
