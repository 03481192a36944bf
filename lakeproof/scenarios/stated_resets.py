"""Resets of today: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' pkg/graveler, Reset, ResetKey and ResetPrefix; the repairs are ours,
docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import flows, resetting
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

RESETS: Final = words_of(
    flows.FLOWS,
    reset_x_waits=Call(resetting.reset_entry, REPOSITORY, BRANCH, b"x", waits=True),
    reset_all_waits=Call(resetting.reset_prefix, REPOSITORY, BRANCH, b"", waits=True),
    reset_y=Call(resetting.reset_prefix, REPOSITORY, BRANCH, b"y"),
    reset_paged=Call(resetting.reset_prefix, REPOSITORY, BRANCH, b"", batch_size=1),
    x_plain=Call(flows.FLOWS.set_entry, REPOSITORY, BRANCH, b"x", b""),
    xx1=Call(flows.FLOWS.set_entry, REPOSITORY, BRANCH, b"xx", b"1"),
)
RESETS_TABLE: Final = """\
: reset
    answers done
    by get branch b; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1
x1.seal.x2: reset
    answers done
    by get branch b; set_if branch b; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2
x1: reset, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
x1: reset, false at 2
    answers RefChanged
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s1
x1: reset, met by commit at 2
    answers RefChanged; c2 of c1 'one'
    by get branch b; set_if branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
: reset_x
    answers done
    by get branch b; get u.b2.0/x
x1: reset_x
    answers done
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.0/x
    leaves ~u.b2.0/x = gone
x1.seal: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get commit c1; set u.b2.s1/x
    leaves +u.b2.s1/x = gone
x1.commit: reset_x
    answers done
    by get branch b; get u.b2.s1/x
x1.commit.x2: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s1/x
    leaves ~u.b2.s1/x = 1
x1.commit.no_x: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s1/x
    leaves ~u.b2.s1/x = 1
x1.commit.x1: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2
x1.commit.x2.seal: reset_x
    answers done
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; set u.b2.s2/x
    leaves +u.b2.s2/x = 1
x1.commit.x2.seal.no_x: reset_x
    answers done
    by get branch b; get u.b2.s2/x; get commit c2; set u.b2.s2/x
    leaves ~u.b2.s2/x = 1
no_x: reset_x
    answers done
    by get branch b; get u.b2.0/x
x1.no_x: reset_x
    answers done
    by get branch b; get u.b2.0/x; get commit c1
x1.seal.no_x: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c1
x1: reset_x, met by x2 at 3
    answers done; done
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.0/x
    leaves ~u.b2.0/x = gone
x1: reset_x, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: reset_x, met by commit at 4
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: reset_x_waits
    answers done
    by get branch b; scan u.b2.0/x; set_if branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1: reset_x_waits
    answers done
    by get branch b; scan u.b2.0/x; get commit c1; set u.b2.s1/x; set_if branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.xx1: reset_x_waits
    answers done
    by get branch b; scan u.b2.0/x; get commit c1; set u.b2.s1/x; set_if branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.y1: reset_x_waits
    answers done
    by get branch b; scan u.b2.0/x; get commit c1; set u.b2.s1/x; set_if branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.commit.x2: reset_x_waits
    answers done
    by get branch b; scan u.b2.s1/x; get commit c2; set u.b2.s2/x; set_if branch b
    leaves +u.b2.s2/x = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.seal: reset_x_waits
    answers CommitInProgress
    by get branch b
x1: reset_x_waits, met by seal at 5
    answers RefChanged; done
    by get branch b; scan u.b2.0/x; get commit c1; set u.b2.s1/x; set_if branch b; get branch b; set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s2 u.b2.0
x1: reset_x_waits, false at 5
    answers done
    by get branch b; scan u.b2.0/x; get commit c1; set u.b2.s1/x; set_if branch b; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
: reset_all
    answers done
    by get branch b; get branch b; scan u.b2.0/; set_if branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1.y1: reset_all, then list
    answers done; ()
    by get branch b; get branch b; scan u.b2.0/; get commit c1; set u.b2.0/x; get commit c1; set u.b2.0/y;
        set_if branch b
    leaves ~u.b2.0/x = gone; ~u.b2.0/y = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.y1.commit.x2.no_y.z1: reset_all, then list
    answers done; (x=1, y=1)
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; get commit c2; set u.b2.s2/y;
        get commit c2; set u.b2.s1/z; set_if branch b
    leaves ~u.b2.s1/z = gone; +u.b2.s2/x = 1; +u.b2.s2/y = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.y1.commit.x2.no_y.z1: reset_paged, then list
    answers done; (x=1, y=1)
    by get branch b; get branch b; scan u.b2.s1/; scan past u.b2.s1/x; scan past u.b2.s1/y; get commit c2; set
        u.b2.s2/x; get commit c2; set u.b2.s2/y; get commit c2; set u.b2.s1/z; set_if branch b
    leaves ~u.b2.s1/z = gone; +u.b2.s2/x = 1; +u.b2.s2/y = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.y1.commit.x2.seal.y2: reset_y, then list
    answers done; (x=2, y=1)
    by get branch b; get branch b; scan u.b2.s1/y; scan u.b2.s2/y; get commit c2; set u.b2.s3/y; set_if branch b
    leaves +u.b2.s3/y = 1; ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1
x1.commit.x1: reset_all, then list
    answers done; (x=1)
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s2 u.b2.s1
x1.seal: reset_all, then list
    answers done; ()
    by get branch b; get branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; set u.b2.s1/x; set_if branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0
x1: reset_all, met by x2 at 4
    answers done; done
    by get branch b; get branch b; scan u.b2.0/; get commit c1; set u.b2.0/x; set_if branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1: reset_all, met by commit at 3
    answers RefChanged; c2 of c1 'one'
    by get branch b; get branch b; scan u.b2.0/; get commit c1; set u.b2.0/x; set_if branch b; set r-b:u.b2.s1
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~u.b2.0/x = gone; ~branch b = c2 u.b2.s2;
        +commit c2 = of c1 'one'
x1.commit.x2: reset_all, met by commit_again at 2
    answers RefChanged; c3 of c2 'two'
    by get branch b; get branch b; scan u.b2.s3/; set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2
        'two'
x1: reset_all, met by seal at 2
    answers RefChanged; done
    by get branch b; get branch b; scan u.b2.0/; scan u.b2.s2/; get commit c1; set u.b2.0/x; set_if branch b;
        set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~u.b2.0/x = gone; ~branch b = c1 u.b2.s2 u.b2.0
x1.commit.x2: reset_all, met by seal at 6
    answers RefChanged; done
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s3 u.b2.s1
x1.commit.x2: reset_all, met by seal at 5
    answers RefChanged; done
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s3 u.b2.s1
x1.commit.x2: reset_all, false at 6
    answers RefChanged
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s2 u.b2.s1
: reset_all_waits
    answers done
    by get branch b; scan u.b2.0/; set_if branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1.y1.commit.x2.no_y.z1: reset_all_waits, then list
    answers done; (x=1, y=1)
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; get commit c2; set u.b2.s2/y; get commit c2;
        set u.b2.s2/z; set_if branch b
    leaves +u.b2.s2/x = 1; +u.b2.s2/y = 1; +u.b2.s2/z = gone; ~branch b = c2 u.b2.s2 u.b2.s1
x1.seal: reset_all_waits
    answers CommitInProgress
    by get branch b
x1.commit.x2: reset_all_waits, met by seal at 5
    answers RefChanged; done
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s3 u.b2.s1
x1.commit.x2: reset_all_waits, met by seal at 2
    answers RefChanged; done
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s3 u.b2.s1
x1.commit.x2: reset_all_waits, met by commit at 5
    answers RefChanged; c3 of c2 'one'
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c3 u.b2.s3; +commit
        c3 = of c2 'one'
x1.commit.x2: reset_all_waits, false at 5
    answers done
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b
    leaves +u.b2.s2/x = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.commit.x2: reset_all_waits, met by x1 at 3, then list
    answers done; done; (x=1)
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b
    leaves ~u.b2.s1/x = 1; +u.b2.s2/x = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.commit.x2: reset_all_waits, met by delete_branch at 5
    answers BranchNotFound; done
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s2/x = 1; -branch b
x1.commit.x2: reset_all_waits, met by seal at 6, false at 5
    answers done; done
    by get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b; get branch b
    leaves +u.b2.s2/x = 1; ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1
x_plain.commit.no_x: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s1/x
    leaves ~u.b2.s1/x = nothing
x_plain.commit.no_x: reset_all, then list
    answers done; (x=nothing)
    by get branch b; get branch b; scan u.b2.s1/; get commit c2; set u.b2.s2/x; set_if branch b
    leaves +u.b2.s2/x = nothing; ~branch b = c2 u.b2.s2 u.b2.s1
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "lakeFS pkg/graveler/graveler.go, Reset, ResetKey and ResetPrefix"

ROWS = [stated("resets", RESETS, RESETS_TABLE, SOURCE, FIRST)]

SCENARIOS = built(ROWS)
