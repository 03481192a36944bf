"""Compactions of staging: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' design/open/staging-compaction.md, "Compactor" and "Branch Read Flow". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import compaction, flows
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

COMPACTIONS: Final = words_of(
    flows.FLOWS,
    compact=Call(compaction.compact, REPOSITORY, BRANCH),
    read=Call(compaction.get_entry, REPOSITORY, BRANCH, b"x"),
    read_again=Call(compaction.get_entry, REPOSITORY, BRANCH, b"x", rereads=True),
    remove=Call(compaction.delete_entry, REPOSITORY, BRANCH, b"x"),
    remove_careful=Call(compaction.delete_entry, REPOSITORY, BRANCH, b"x", careful=True),
)
COMPACTIONS_TABLE: Final = """\
: compact
    answers done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1 compacted.
x1.y1: compact, then read
    answers done; x=1
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1 compacted.m1
x1.seal.x2: compact, then read
    answers done; x=2
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; set_if branch b;
        set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2 compacted.m1
x1.compact.x2: compact, then read
    answers done; x=2
    by get branch b; set_if branch b; get branch b; scan u.b2.s1/; set_if branch b; set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2 compacted.m1
x1.commit.x2: compact, then read
    answers done; x=2
    by get branch b; set_if branch b; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; set
        r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2 compacted.m1
x1.commit.no_x: compact, then read
    answers done; PathNotFound
    by get branch b; set_if branch b; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; set
        r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2 compacted.
x1: compact, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
x1: compact, met by y1.seal at 3, then read
    answers done; done; done; x=1
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; set_if branch b;
        set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +u.b2.s1/y = 1; ~branch b = c1 u.b2.s2
        compacted.m1
x1: compact, met by seal at 5
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0
x1: compact, met by compact at 3
    answers done; done
    by get branch b; set_if branch b; get branch b; set_if branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2 compacted.m1
x1: compact, met by compact at 5
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; set_if branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2 compacted.m1
x1: compact, false at 2
    answers RefChanged
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: read
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1
x1: read
    answers x=1
    by get branch b; get u.b2.0/x
x1.commit: read
    answers x=1
    by get branch b; get u.b2.s1/x; get commit c2
x1.no_x: read
    answers PathNotFound
    by get branch b; get u.b2.0/x
x1.compact: read
    answers x=1
    by get branch b; get u.b2.s1/x
x1.compact.x2: read
    answers x=2
    by get branch b; get u.b2.s1/x
x1.compact.no_x: read
    answers x=1
    by get branch b; get u.b2.s1/x
x1.compact.seal: read
    answers x=1
    by get branch b; get u.b2.s2/x; get u.b2.s1/x
x1.compact.seal.x2.seal: read
    answers x=2
    by get branch b; get u.b2.s3/x; get u.b2.s2/x
x1: read, met by compact at 2
    answers x=1; done
    by get branch b; get u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1 compacted.m1
x1: read_again, met by compact at 2
    answers x=1; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1 compacted.m1
x1: read_again, met by compact at 3
    answers x=1; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c1 u.b2.s1 compacted.m1
x1: read_again
    answers x=1
    by get branch b; get u.b2.0/x; get branch b
: read_again
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
x1: read_again, met by seal at 3, 5, 7
    answers BranchBusy; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get u.b2.s2/x; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: remove
    answers done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
x1: remove
    answers done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
x1.commit: remove
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.compact: remove
    answers done
    by get branch b; set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.compact.no_x: remove
    answers done
    by get branch b; set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.compact.no_x.compact: remove
    answers done
    by get branch b; set_if u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = gone
x1.compact.no_x.seal: remove
    answers done
    by get branch b; set_if u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = gone
x1.seal.no_x.seal: remove
    answers done
    by get branch b; set_if u.b2.s2/x; get commit c1; get u.b2.s2/x; get u.b2.s1/x; get branch b
x1.seal.no_x.seal: remove_careful
    answers done
    by get branch b; set_if u.b2.s2/x; get commit c1; get u.b2.s2/x; get u.b2.s1/x; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = gone
x1.seal: remove
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c1; get u.b2.s1/x; get u.b2.0/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.compact.x2.seal: remove
    answers done
    by get branch b; set_if u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = gone
: remove, met by x1 at 2
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = gone
: remove, met by x1 at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = gone
x1: remove, met by compact at 2
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 compacted.m1
x1: remove, met by compact at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; get u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 compacted.
: remove_careful, met by x1.compact at 4
    answers done; done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 compacted.m1
: remove, met by x1.compact at 4
    answers done; done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 compacted.m1
"""
FIRST: Final = (FOUND,)

ROWS = [stated("compaction", COMPACTIONS, COMPACTIONS_TABLE, "lakeFS design/open/staging-compaction.md", FIRST)]

SCENARIOS = built(ROWS)
