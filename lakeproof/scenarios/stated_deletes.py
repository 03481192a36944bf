"""Deletes of today where the record of the branch changes and its token does not: what was decided counts, or does not.

A repaired delete that has written nothing looks again (docs/lakefs-today.md); one that has written is done, and the
code's own is done in either case. The steps are those of lakeFS' pkg/graveler, Delete and safeBranchWrite, and of
design/open/staging-compaction.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import compaction, entries, flows
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

X: Final = (REPOSITORY, BRANCH, b"x")
DELETES: Final = words_of(
    flows.FLOWS,
    erase_x=Call(entries.delete_entry, *X, no_tombstone=True),
    erase_x_careful=Call(entries.delete_entry, *X, no_tombstone=True, careful=True),
    no_x_careful=Call(entries.delete_entry, *X, careful=True),
    compact=Call(compaction.compact, REPOSITORY, BRANCH),
    remove=Call(compaction.delete_entry, *X),
    remove_careful=Call(compaction.delete_entry, *X, careful=True),
)
DELETES_TABLE: Final = """\
x1: no_x_careful, met by hide at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 hidden u.b2.0
x1.commit: no_x_careful, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c2 hidden u.b2.s1
: no_x_careful, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b; get branch b; set_if u.b2.0/x;
        get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c1 hidden u.b2.0
: no_x, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c1 hidden u.b2.0
x1.commit: no_x, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c2 hidden u.b2.s1
x1: erase_x_careful, met by hide at 4
    answers done; done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 hidden u.b2.0
x1: erase_x_careful, met by hide at 4, 7
    answers done; done; done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
x1.commit: erase_x_careful, met by hide at 4
    answers done; done
    by get branch b; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c2 hidden u.b2.s1
x1: erase_x, met by hide at 4
    answers done; done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x; ~branch b = c1 hidden u.b2.0
x1: remove_careful, met by hide at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 hidden u.b2.0
x1.commit: remove_careful, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c2 hidden u.b2.s1
x1.compact: remove_careful, met by hide at 4
    answers done; done
    by get branch b; set_if u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; ~branch b = c1 hidden u.b2.s1 compacted.m1
: remove_careful, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b; get branch b; set_if u.b2.0/x;
        get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c1 hidden u.b2.0
: remove, met by hide at 5
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c1 hidden u.b2.0
: x1, met by hide at 3
    answers done; done
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = 1; ~branch b = c1 hidden u.b2.0
"""
FIRST: Final = (FOUND,)

ROWS = [stated("deletes", DELETES, DELETES_TABLE, "lakeFS pkg/graveler/graveler.go, Delete and safeBranchWrite", FIRST)]

SCENARIOS = built(ROWS)
