"""The offline solution: copies, moves, links and commits.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_offline`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_offline import OFFLINE
from lakeproof.scenarios.designs import built

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
up_x.up_y.up_z: commit@looks, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s, z=a3 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete u.b2.0/z
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.0/z; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y.seal.up_x2.up_y: commit_paged@looks, then head
    answers c2 of c1 'one'; (x=a3 3B +0s, y=a4 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; scan past u.b2.s1/x; scan past
        u.b2.0/x; now; set commit c2; scan u.b2.0/; scan u.b2.s1/; get commit c1; scan past u.b2.s1/x; scan past
        u.b2.0/x; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; scan past u.b2.s1/x; delete u.b2.s1/y; scan
        u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; -u.b2.s1/y; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
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
ROWS = [stated("offline", OFFLINE, CALLS_TABLE, "hard-delete-uncommitted-data.md, Motivation", first=(FOUND,))]

SCENARIOS = built(ROWS)
