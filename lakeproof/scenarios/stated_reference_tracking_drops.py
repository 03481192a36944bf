"""Proposal 3: others in the midst of a call; commits, resets, and deletions of branches.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reference_tracking`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_reference_tracking import TRACKING
from lakeproof.scenarios.designs import built

DROPS_TABLE: Final = """\
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
up_x: commit, met by reset at 6, then head
    answers c2 of c1 'one'; done; ()
    by get branch b; scan u.b2.0/; now; set references/mem://r/data/a1/r-b:u.b2.0; get branch b; set_if branch b;
        scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch b; get commit c1; now; set
        commit c2; set_if branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; ~references/mem://r/data/a1/r-b:u.b2.0 =
        committed +0s
: deleted_known
    answers False
    by get references/mem://r/data/a1/r-b:u.b2.0
up_x: deleted_known
    answers True
    by get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.committed: deleted_known
    answers False
    by get references/mem://r/data/a1/r-b:u.b2.0
up_x.committed: staged
    answers False
    by get references/mem://r/data/a1/r-b:u.b2.0
up_x.deleted: staged
    answers True
    by get references/mem://r/data/a1/r-b:u.b2.0; now; set_if references/mem://r/data/a1/r-b:u.b2.0
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
: up_x@exchanges, false at 5
    answers a1 1B +0s
    by put a1; now; get branch b; get references/mem://r/data/a1/r-b:u.b2.0; now; set_if
        references/mem://r/data/a1/r-b:u.b2.0; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = a1 1B +0s; +references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; +object a1 = 1
up_x: up_x2@exchanges, false at 5
    answers a2 3B +0s
    by put a2; now; get branch b; get references/mem://r/data/a2/r-b:u.b2.0; now; set_if
        references/mem://r/data/a2/r-b:u.b2.0; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves ~u.b2.0/x = a2 3B +0s; +references/mem://r/data/a2/r-b:u.b2.0 = staged +0s; +object a2 = two
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
"""
ROWS = [
    stated("reference-tracking-drops", TRACKING, DROPS_TABLE, "hard-delete-uncommitted-data.md, 3.", first=(FOUND,))
]

SCENARIOS = built(ROWS)
