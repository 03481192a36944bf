"""Our online hard delete: uploads, deletes, copies and moves.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_online`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_online import ONLINE
from lakeproof.scenarios.designs import built

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
: up_x@insists
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
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
up_x.commit.copy: up_y
    answers u.b2.s1/a2 1B +0s
    by now; get branch b; now; set r-b:u.b2.s1/a2; put u.b2.s1/a2 until +3600s; get u.b2.s1/y; set_if u.b2.s1/y; get
        branch b
    leaves ~u.b2.s1/y = u.b2.s1/a2 1B +0s; +r-b:u.b2.s1/a2 = used +3600s y; +object u.b2.s1/a2 = 1
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
"""
ROWS = [stated("online", ONLINE, CALLS_TABLE, "docs/online-hard-delete.md", first=(FOUND,))]

SCENARIOS = built(ROWS)
