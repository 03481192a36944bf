"""Our online hard delete: links, commits, merges, and deletions of branches.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_online`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_online import ONLINE
from lakeproof.scenarios.designs import built

LINKS_TABLE: Final = """\
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
: link_signed@untimed
    answers u.b2.0/a1 1B
    by get branch b; set r-b:u.b2.0/a1; put u.b2.0/a1; get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get
        branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +r-b:u.b2.0/a1 = used - x; +object u.b2.0/a1 = 1
: link_x@untimed
    answers u.b2.0/a1 1B
    by get branch b; set r-b:u.b2.0/a1; put u.b2.0/a1; get r-b:u.b2.0/a1; set_if r-b:u.b2.0/a1; head u.b2.0/a1; get
        branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B; +r-b:u.b2.0/a1 = used - x; +object u.b2.0/a1 = 1
: link_far
    answers AddressNotAllowed
: link_ext
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
ROWS = [stated("online-links", ONLINE, LINKS_TABLE, "docs/online-hard-delete.md", first=(FOUND,))]

SCENARIOS = built(ROWS)
