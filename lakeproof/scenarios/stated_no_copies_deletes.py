"""Proposal 5: moves and deletes.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_no_copies`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_no_copies import NO_COPIES
from lakeproof.scenarios.designs import built

DELETED_TABLE: Final = """\
up_x: move
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x.commit: move
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.s1/y; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; +u.b2.s1/y = a2.da241866 1B +0s; +object a2.da241866 = 1
bring.stage_out: move
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = ext://brought/o in full 1B
up_x.up_y: move
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; ~u.b2.0/y = a1.e55ac275 1B +0s
up_x.lock: move
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x.lock: move@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
marked: move
    answers a1.e55ac275 1B a=1 z=2
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B a=1 z=2
marked.lock: move
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x: move@checks
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/y; get branch
        b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x: move@leased
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; now; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x.lock_leased: move@leased, 61 s later
    answers a1.e55ac275 1B -61s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; now; now; set_if u.b2.0/x; get branch
        b; set u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B -61s
up_x: move, met by seal at 7
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.s1/y; get branch b; get branch b; set u.b2.s1/x; get branch b; set_if u.b2.s1/y
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; +u.b2.s1/y = a1.e55ac275 1B +0s; ~branch b
        = c1 u.b2.s1 u.b2.0
up_x: move, met by restage_y at 13
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2 4B +0s; +object a2 = late
up_x: move, met by up_y at 13
    answers a1.e55ac275 1B +0s; EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x: move, met by up_y at 8
    answers a1.e55ac275 1B +0s; a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/y; get branch b; get branch b; set u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s; +object a2.da241866 = 1
up_x: move@same
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b; set_if u.b2.0/y
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s
up_x: move@same, met by seal at 9
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s locked=true; ~branch b = c1 u.b2.s1 u.b2.0
up_x: move@same, met by seal at 7
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/y; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1.e55ac275 1B +0s locked=true; ~branch b = c1 u.b2.s1 u.b2.0
up_x: move, met by no_x at 4
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: move, met by no_x at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x: no_x, met by no_x at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x@checks, met by no_x@checks at 5
    answers PathNotFound; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
bring.stage_out: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x.lock: no_x
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x.lock: no_x@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x
up_x: no_x@checks
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x, met by seal at 8
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x: no_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x: no_x@rereads, met by seal at 8
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
up_x.seal: no_x
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; -object a1.e55ac275
up_x.seal.up_x2: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = gone; -object a2.ac1f7402
up_x.commit: no_x@tokens
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.commit: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x; get branch b; set u.b2.s1/x; get branch b; delete
        a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any_checks
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any_leased
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; now; set_if u.b2.s1/x; get branch b; set u.b2.s1/x; get branch b;
        delete a1.e55ac275
    leaves +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit: no_x@any, met by up_x2 at 10
    answers EntryLocked; a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; get
        u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x: no_x@any
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; set
        u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = gone; -object a1.e55ac275
up_x.seal: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; set u.b2.s1/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = gone; -object a1.e55ac275
up_x.commit.up_x2: no_x@any
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = gone; -object a2.ac1f7402
"""
ROWS = [stated("no-copies-deletes", NO_COPIES, DELETED_TABLE, "hard-delete-uncommitted-data.md, 5.", first=(FOUND,))]

SCENARIOS = built(ROWS)
