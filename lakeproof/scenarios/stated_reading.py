"""Readers of a branch: each call's answer and effects, where a commit or another committer's seal comes in its midst.

The steps are those of lakeFS metadata_kv/index.md, "Reading": through the tokens, then the head, then the branch once
more. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

READING: Final = words_of(
    FLOWS,
    x_data=Call(FLOWS.set_entry, REPOSITORY, BRANCH, b"x", b"4", b"data"),
    list_x=Call(FLOWS.list_entries, REPOSITORY, BRANCH, b"x"),
    list_y=Call(FLOWS.list_entries, REPOSITORY, BRANCH, b"y"),
)
READING_TABLE: Final = """\
: x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
x1: x
    answers x=1
    by get branch b; get u.b2.0/x; get branch b
x1.commit: x
    answers x=1
    by get branch b; get u.b2.s1/x; get commit c2; get branch b
x1.commit.no_x: x
    answers PathNotFound
    by get branch b; get u.b2.s1/x; get branch b
x1.seal.x2: x
    answers x=2
    by get branch b; get u.b2.s1/x; get branch b
x1.seal.no_x: x
    answers PathNotFound
    by get branch b; get u.b2.s1/x; get branch b
x1: x, met by commit at 2
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get commit c1; get branch b; get u.b2.s1/x; get commit c2; get branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: x, met by commit at 3
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get commit c2; get branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: x, met by seal at 3, 5, 7
    answers BranchBusy; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get u.b2.s2/x; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
x1.y1.commit: list_x
    answers (x=1)
    by get branch b; scan u.b2.s1/x; get commit c2; get branch b
x1.y1.z1.commit: list_y
    answers (y=1)
    by get branch b; scan u.b2.s1/y; get commit c2; get branch b
x1.y1.commit.z1.x2: list_x
    answers (x=2)
    by get branch b; scan u.b2.s1/x; get commit c2; get branch b
: list
    answers ()
    by get branch b; scan u.b2.0/; get commit c1; get branch b
x1.y1.commit.no_x.seal.z1: list
    answers (y=1, z=1)
    by get branch b; scan u.b2.s1/; scan u.b2.s2/; get commit c2; get branch b
x1.y1: list, met by commit at 2
    answers (x=1, y=1); c2 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1; get branch b; scan u.b2.s1/; get commit c2; get branch b
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1: list, met by commit at 3
    answers (x=1, y=1); c2 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1; get branch b; scan u.b2.s1/; get commit c2; get branch b
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1: list, met by seal at 4, 8, 13
    answers BranchBusy; done; done; done
    by get branch b; scan u.b2.0/; get commit c1; get branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; get
        branch b; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get commit c1; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
x1.commit: create_x
    answers PathExists
    by get branch b; get u.b2.s1/x; get commit c2; get branch b
x1.seal.no_x: create_x
    answers done
    by get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = 3
x_data: x
    answers x=4:data
    by get branch b; get u.b2.0/x; get branch b
x_data.commit: x
    answers x=4:data
    by get branch b; get u.b2.s1/x; get commit c2; get branch b
x_data.commit: list
    answers (x=4:data)
    by get branch b; scan u.b2.s1/; get commit c2; get branch b
x_data: list
    answers (x=4:data)
    by get branch b; scan u.b2.0/; get commit c1; get branch b
"""
FIRST: Final = (FOUND,)

ROWS = [stated("reading", READING, READING_TABLE, "lakeFS metadata_kv/index.md, Reading", FIRST)]

SCENARIOS = built(ROWS)
