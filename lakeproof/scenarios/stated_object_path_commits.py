"""Proposal 1: reads, listings, commits, resets, and deletions of branches.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_object_path`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_object_path import OBJECT_PATH
from lakeproof.scenarios.designs import built

COMMITS_TABLE: Final = """\
up_x: x
    answers 1
    by get branch b; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.no_x: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get branch b
up_x.seal.up_x2: x
    answers two
    by get branch b; head b/u.b2.s1/x; get branch b; get b/u.b2.s1/x
up_x.seal: x
    answers 1
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
up_x.commit: x
    answers 1
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get b/u.b2.0/x
up_x.lose: x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x: x, met by seal at 2
    answers 1; done
    by get branch b; head b/u.b2.0/x; get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x: x, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get b/u.b2.0/x
    leaves -object b/u.b2.0/x
: list
    answers ()
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x.up_y: list
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x.up_y: list_paged
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.0/; list b/u.b2.0/; get commit c1; get branch b
up_x.commit.up_y: list
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.s1/y)
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_x.seal.up_x2: list
    answers (x=data/b/u.b2.s1/x)
    by get branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; get branch b
up_x.commit.no_x: list
    answers ()
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_slash: list
    answers (x/y z=data/b/u.b2.0/x/y%20z)
    by get branch b; list b/u.b2.0/; get commit c1; get branch b
up_x: list, met by seal at 2
    answers (x=data/b/u.b2.0/x); done
    by get branch b; list b/u.b2.0/; get commit c1; get branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1;
        get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y: commit_paged, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s, y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.0/; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_y.seal.up_x: commit, then head
    answers c2 of c1 'one'; (x=b/u.b2.s1/x 1B +0s, y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
up_y.seal.up_x: list
    answers (x=data/b/u.b2.s1/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; get branch b
up_y.commit.up_x: list
    answers (x=data/b/u.b2.s1/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_x.up_y.commit: list
    answers (x=data/b/u.b2.0/x, y=data/b/u.b2.0/y)
    by get branch b; list b/u.b2.s1/; get commit c2; get branch b
up_x.up_y: commit@tidies
    answers c2 of c1 'one'
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; list
        b/u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_slash: commit, then head
    answers c2 of c1 'one'; (x/y z=b/u.b2.0/x/y%20z 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.seal.up_x2: commit, then head
    answers c2 of c1 'one'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
up_x.commit.no_x: commit_again, then head
    answers c3 of c2 'two'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
up_x.commit.up_x2: commit_again, then head
    answers c3 of c2 'two'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
up_x: commit, met by up_y at 2, then head
    answers c2 of c1 'one'; b/u.b2.0/y 1B; (x=b/u.b2.0/x 1B +0s, y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object b/u.b2.0/y = 1
up_x: commit, met by up_y at 3, then head
    answers c2 of c1 'one'; b/u.b2.s1/y 1B; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +object b/u.b2.s1/y = 1
up_x: commit, met by reset at 3, then head
    answers c3 of c1 'one'; done; ()
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c1; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; -object b/u.b2.0/x
up_x: commit, met by reset at 4, then head
    answers c3 of c1 'one'; done; ()
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c1; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; -object b/u.b2.0/x
up_x: commit, met by reset at 5, then head
    answers c3 of c1 'one'; done; ()
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c1; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; -object b/u.b2.0/x
up_x: commit@tidies, then head
    answers c2 of c1 'one'; (x=b/u.b2.0/x 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; get commit c1; now; set commit c2; set_if branch b; list
        b/u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x.up_y.commit.no_x: commit_tidy_paged, then head
    answers c3 of c2 'one'; (y=b/u.b2.0/y 1B +0s)
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; list
        b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x
up_x.up_y.commit.no_x.no_y: commit_tidy_paged, then head
    answers c3 of c2 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if
        branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.s1/; delete b/u.b2.s1/y
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x; -object b/u.b2.s1/y
up_x.seal.up_x2: commit@tidies, then head
    answers c2 of c1 'one'; (x=b/u.b2.s1/x 3B +0s)
    by get branch b; set_if branch b; list b/u.b2.0/; list b/u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b; list b/u.b2.s1/; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; -object b/u.b2.0/x
up_x.commit.up_x2.no_x: commit@tidies, then head
    answers c3 of c2 'one'; ()
    by get branch b; set_if branch b; list b/u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; list
        b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; -object b/u.b2.s1/x
: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x; delete b/u.b2.0/y
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x.up_y: reset_paged
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x; list b/u.b2.0/; delete b/u.b2.0/y
    leaves ~branch b = c1 u.b2.s1; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s2; -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x.seal.up_x2: reset@open
    answers done
    by get branch b; set_if branch b; list b/u.b2.s1/; delete b/u.b2.s1/x
    leaves ~branch b = c1 u.b2.s2; -object b/u.b2.s1/x
: reset_x
    answers done
    by get branch b; delete b/u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; delete b/u.b2.0/x; get branch b
    leaves -object b/u.b2.0/x
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; delete b/u.b2.s1/x; get branch b
    leaves -object b/u.b2.s1/x
up_x.seal: reset_x
    answers done
    by get branch b; head b/u.b2.0/x; get commit c1; put b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = deleted
up_x.seal.seal: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get commit c1; put b/u.b2.s2/x; get branch b
    leaves +object b/u.b2.s2/x = deleted
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x; get branch b
    leaves +object b/u.b2.s2/x = 1
up_x.commit.up_x2.seal.up_x2: reset_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x; get branch b
    leaves ~object b/u.b2.s2/x = 1
up_x.commit.up_x2.seal: reset_x, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.s1/x; get commit c2; copy b/u.b2.0/x to b/u.b2.s2/x
    leaves -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x: reset_x, met by seal at 2
    answers done; done
    by get branch b; delete b/u.b2.0/x; get branch b; head b/u.b2.0/x; delete b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; -object b/u.b2.0/x
up_x: reset_x, met by commit at 2
    answers done; c2 of c1 'one'
    by get branch b; delete b/u.b2.0/x; get branch b; delete b/u.b2.s1/x; get branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; -object b/u.b2.0/x
up_x: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves -branch b; -object b/u.b2.0/x
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.s1/; delete b/u.b2.s1/x
    leaves -branch b; -object b/u.b2.s1/x
up_x.seal.up_x2: delete_branch@all
    answers done
    by get branch b; delete branch b; list b/u.b2.s1/; delete b/u.b2.s1/x; list b/u.b2.0/; delete b/u.b2.0/x
    leaves -branch b; -object b/u.b2.0/x; -object b/u.b2.s1/x
up_x.up_y: delete_branch
    answers done
    by get branch b; delete branch b; list b/u.b2.0/; delete b/u.b2.0/x; delete b/u.b2.0/y
    leaves -branch b; -object b/u.b2.0/x; -object b/u.b2.0/y
up_x: delete_branch@compares
    answers done
    by get branch b; set_if branch b; list b/u.b2.0/; delete b/u.b2.0/x
    leaves ~branch b = none u.b2.0; -object b/u.b2.0/x
up_x: delete_branch@compares, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
"""
ROWS = [
    stated("object-path-commits", OBJECT_PATH, COMMITS_TABLE, "hard-delete-uncommitted-data.md, 1.", first=(FOUND,))
]

SCENARIOS = built(ROWS)
