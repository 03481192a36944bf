"""Proposal 2: uploads, staged objects, links, copies and moves.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reference_counter`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_reference_counter import COUNTER
from lakeproof.scenarios.designs import built

STAGED_TABLE: Final = """\
: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
up_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@releases
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x: up_x2@exchange
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x.stage_in: up_x2@releases
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration
    leaves ~u.b2.0/x = a2 3B +0s; ~object a1 = 1 references=1; +object a2 = two references=1
up_x: up_x2@exchange, met by no_x at 3
    answers a2 3B +0s; done
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two references=1
up_x: up_x2@exchange, met by up_x2 at 3
    answers a2 3B +0s; a3 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; head
        a3; set_metadata a3 if_metageneration; delete a3
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@exchange, false at 3
    answers a2 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two references=1
up_x: up_x2@exchange, met by up_y.up_x2 at 3, 5, 7
    answers WriteNotSettled?; a3 1B +0s; a4 3B +0s; a5 1B +0s; a6 3B +0s; a7 1B +0s; a8 3B +0s
    by put a2; now; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x
    leaves ~u.b2.0/x = a8 3B +0s; +u.b2.0/y = a7 1B +0s; +object a2 = two references=1; +object a3 = 1 references=1;
        +object a4 = two references=1; +object a5 = 1 references=1; +object a6 = two references=1; +object a7 = 1
        references=1; +object a8 = two references=1
bring.stage_out: up_x@releases
    answers a1 1B +0s
    by put a1; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: up_x, met by seal at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=1
: up_x@follows
    answers a1 1B +0s
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: up_x@follows, met by seal at 3
    answers a1 1B +0s; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; set
        u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=2
: up_x@follows, met by seal.lose at 3
    answers AddressDeleted; done; done
    by put a1; now; get branch b; set u.b2.0/x; get branch b; head a1
    leaves +u.b2.0/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0
: up_x@releases, met by seal at 4
    answers a1 1B +0s; done
    by put a1; now; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x; get branch
        b
    leaves +u.b2.0/x = a1 1B +0s; +u.b2.s1/x = a1 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a1 = 1 references=1
: up_x, refused at o1
    answers Refused
    by put a1
: up_x, refused at 1
    answers Refused
    by put a1; now; get branch b
    leaves +object a1 = 1 references=1
: up_x, refused at 3
    answers Refused
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1 references=1
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_out@follows, met by seal at 3
    answers ext://brought/o in full 1B; done
    by get branch b; set u.b2.0/x; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B; +u.b2.s1/x = ext://brought/o in full 1B; ~branch b = c1 u.b2.s1
        u.b2.0
: stage_out, refused at 2
    answers Refused
    by get branch b; set u.b2.0/x
: stage_in
    answers AddressDeleted
    by head a1
up_x: stage_in
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x.count_off: stage_in
    answers AddressDeleted
    by head a1
up_x.uncount: stage_in
    answers AddressDeleted
    by head a1
up_x.lose: stage_in
    answers AddressDeleted
    by head a1
up_x.count.count: stage_in
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=4
up_x: stage_in@s3
    answers a1 1B
    by head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@azure
    answers a1 1B
    by head a1; set_metadata a1 if_version; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in, met by count at o2
    answers a1 1B; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=3
up_x: stage_in@azure, met by count at o2
    answers a1 1B; done
    by head a1; set_metadata a1 if_version; head a1; set_metadata a1 if_version; get branch b; set u.b2.0/y; get
        branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=3
up_x: stage_in@s3, met by count at o2
    answers a1 1B; done
    by head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@s3, met by replace at o2
    answers a1 1B; done
    by head a1; copy a1 to a1 if_match; head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = another references=2
up_x: stage_in, met by lose at o2
    answers AddressDeleted; done
    by head a1; set_metadata a1 if_metageneration
    leaves -object a1
up_x: stage_in, met by count at o2, o4
    answers a1 1B; done; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata
        a1 if_metageneration; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=4
up_x: stage_in, met by count at o2, o4, o6
    answers ObjectBusy; done; done; done
    by head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata
        a1 if_metageneration
    leaves ~object a1 = 1 references=4
up_x: stage_in, refused at 1
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; head a1; set_metadata a1 if_metageneration
up_x: stage_in, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
up_x: stage_in, refused at 3
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; get branch b; head a1; set_metadata
        a1 if_metageneration
    leaves +u.b2.0/y = a1 1B
up_x: stage_in, lost at 2
    answers OutcomeUnknown?
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
    leaves +u.b2.0/y = a1 1B
up_x: stage_in@definite, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y; head a1; set_metadata a1
        if_metageneration
up_x: stage_in@definite, lost at 2
    answers OutcomeUnknown?
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y
    leaves +u.b2.0/y = a1 1B; ~object a1 = 1 references=2
up_x: stage_in@never, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/y
    leaves ~object a1 = 1 references=2
up_x: stage_in, met by delete_branch at 1
    answers BranchNotFound; done
    by head a1; set_metadata a1 if_metageneration; get branch b; head a1; set_metadata a1 if_metageneration
    leaves -u.b2.0/x; -branch b; ~object a1 = 1 references=0
: link_x
    answers a1 1B
    by put a1; head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1 references=1
: link_far
    answers AddressNotAllowed
: link_out
    answers AddressNotAllowed
: link_a1
    answers AddressDeleted
    by head a1
up_x: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=2
up_x.count_off: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x.count_off: link_a1@refuses
    answers AddressDeleted
    by head a1
up_x.uncount: link_a1@refuses
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x.uncount: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1
up_x.zone: link_a1
    answers a1 1B
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1 1B; ~object a1 = 1 references=1 zone=2
up_x: link_a1, refused at 2
    answers Refused
    by head a1; set_metadata a1 if_metageneration; get branch b; set u.b2.0/x
    leaves ~object a1 = 1 references=2
: link_x@s3
    answers a1 1B
    by put a1; head a1; copy a1 to a1 if_match; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1 references=1
up_x: copy
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=1
up_x.count: copy
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=1
up_x: copy@carries
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=1
up_x.count: copy@carries
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1 references=2
up_x: copy@shallow
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s; ~object a1 = 1 references=2
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
bring.stage_out: copy@shallow
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
up_x: copy, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2
    leaves -object a1
up_x: copy@shallow, refused at 5
    answers Refused
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; head a1; set_metadata a1 if_metageneration
up_x: move
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b; get branch
        b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2 1B +0s; -object a1; +object a2 = 1 references=1
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: move@shallow
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; get branch b; set
        u.b2.0/y; get branch b; get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b;
        head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
up_x: move, met by no_x at 6
    answers a2 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b; get branch
        b; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a2 1B +0s; -object a1; +object a2 = 1 references=1
"""
ROWS = [stated("reference-counter", COUNTER, STAGED_TABLE, "hard-delete-uncommitted-data.md, 2.", first=(FOUND,))]

SCENARIOS = built(ROWS)
