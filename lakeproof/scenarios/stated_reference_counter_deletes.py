"""Proposal 2: deletes, resets, deletions of branches, and the job.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reference_counter`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_reference_counter import COUNTER
from lakeproof.scenarios.designs import built

DELETED_TABLE: Final = """\
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x.count: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration
    leaves ~u.b2.0/x = gone; ~object a1 = 1 references=1
up_x.uncount: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1
    leaves ~u.b2.0/x = gone
up_x.lose: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1
    leaves ~u.b2.0/x = gone
up_x.count_off: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
bring.stage_out: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
up_x.commit: no_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; set u.b2.s1/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves +u.b2.s1/x = gone; -object a1
up_x: no_x, met by count at o2
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone
up_x: no_x, met by count at o2, o4, o6
    answers done; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_metageneration; head a1; set_metadata a1 if_metageneration; head a1; set_metadata a1 if_metageneration
    leaves ~u.b2.0/x = gone; ~object a1 = 1 references=4
up_x: no_x@azure, met by count at o2
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b; head a1; set_metadata a1
        if_version; head a1; set_metadata a1 if_version
    leaves ~u.b2.0/x = gone
up_x: no_x@first
    answers done
    by get branch b; get u.b2.0/x; get branch b; head a1; set_metadata a1 if_metageneration; delete a1; get branch
        b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; head a1; set_metadata a1 if_metageneration; delete
        a1; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone; -object a1
up_x: no_x@staged
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b; head a1; set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get
        branch b; set u.b2.s1/x; get branch b; head a1; set_metadata a1 if_metageneration; delete a1
    leaves +u.b2.s1/x = gone; -object a1
up_x.commit.up_x2: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set u.b2.s1/x; get
        branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.s1/x = gone; -object a2
up_x.seal.up_x2: no_x@staged
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get branch b; get u.b2.s1/x; get branch b; set u.b2.s1/x; get
        branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.s1/x = gone; -object a2
up_x.stage_in.reset_x: no_x@staged
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: no_x@staged, met by no_x at 4
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch
        b
    leaves ~u.b2.0/x = gone; -object a1
up_x.seal: no_x@staged, met by commit at 5
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get u.b2.s2/x; get branch b; set
        u.b2.s2/x; get branch b
    leaves -u.b2.0/x; +u.b2.s2/x = gone; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
up_x: no_x@staged_first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; head a1; set_metadata a1
        if_metageneration; delete a1; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@staged_first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; get branch b; set
        u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x: no_x@settled
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x: no_x@settled_first
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; head a1;
        set_metadata a1 if_metageneration; delete a1
    leaves ~u.b2.0/x = gone; -object a1
up_x.commit: no_x@settled
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x.commit: no_x@settled_first
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get
        branch b
    leaves +u.b2.s1/x = gone
up_x: no_x@settled, met by seal at 7
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
up_x: no_x@settled, met by up_x2 at 6
    answers done; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b; head a2; set_metadata a2 if_metageneration; delete a2
    leaves ~u.b2.0/x = gone
up_x: no_x@settled, met by no_x at 5
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; -object a1
: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1; -object a2
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration; delete a2; delete
        u.b2.s1/x; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c1 u.b2.s2; -object a1; -object a2
up_x.copy@shallow: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete u.b2.0/x;
        head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1
up_x.no_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
bring.stage_out: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset, met by up_y at 4
    answers done; a2 1B +0s
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/y = a2 1B +0s; ~branch b = c1 u.b2.s1; -object a1; +object a2 = 1 references=1
up_x.up_y: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1
        if_metageneration; delete a1; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y; head a2; set_metadata a2
        if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1; -object a2
up_x.no_x: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by up_x2 at 2
    answers done; a2 3B +0s
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a2; set_metadata a2
        if_metageneration; delete a2; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by vanish at 4
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by restage at 5
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; +object a2 = late references=1
up_x: reset@claims, met by vanish at 5
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x: reset@claims, met by lose at o1
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1
up_x.seal: reset@claims, met by commit at 4
    answers done; c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.s1/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1;
        set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'; -object a1
up_x.up_y: reset@job
    answers done
    by get branch b; set_if branch b; set dropped/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +dropped/r-b:u.b2.0 = dropped
up_x.seal.up_x2: reset@job
    answers done
    by get branch b; set_if branch b; set dropped/r-b:u.b2.s1; set dropped/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s2; +dropped/r-b:u.b2.0 = dropped; +dropped/r-b:u.b2.s1 = dropped
up_x.up_y: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -branch b; -object a1; -object a2
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = none u.b2.0; -object a1
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x.up_y: delete_branch@job
    answers done
    by get branch b; delete branch b; set dropped/r-b:u.b2.0
    leaves -branch b; +dropped/r-b:u.b2.0 = dropped
: delete_main
    answers DefaultBranch
: job
    answers 0
    by scan dropped/
up_x.reset@job: job
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.up_y.reset@job: job_paged
    answers 1
    by scan dropped/; scan u.b2.0/; scan past u.b2.0/x; head a1; set_metadata a1 if_metageneration; delete a1;
        delete u.b2.0/x; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.0/y; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -u.b2.0/y; -dropped/r-b:u.b2.0; -object a1; -object a2
up_x.seal.up_x2.reset@job: job
    answers 2
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration; delete a2; delete u.b2.s1/x;
        delete dropped/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.s1/x; -dropped/r-b:u.b2.0; -dropped/r-b:u.b2.s1; -object a1; -object a2
up_x.seal.up_x2.reset@job: job_paged
    answers 2
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_metageneration; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0; scan past dropped/r-b:u.b2.0; scan u.b2.s1/; head a2; set_metadata a2 if_metageneration;
        delete a2; delete u.b2.s1/x; delete dropped/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.s1/x; -dropped/r-b:u.b2.0; -dropped/r-b:u.b2.s1; -object a1; -object a2
up_x.reset@job: job_paged@job_claims
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1 if_metageneration;
        delete a1; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.up_y.reset@job: job@claims
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; head a1; set_metadata a1 if_metageneration;
        delete a1; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y; head a2; set_metadata a2 if_metageneration;
        delete a2; delete u.b2.0/y; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -u.b2.0/y; -dropped/r-b:u.b2.0; -object a1; -object a2
up_x.reset@job: job@claims, met by job@claims at 3
    answers 1; 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@claims, met by job@claims at 4
    answers 1; 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@claims, false at 4
    answers 1
    by scan dropped/; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0
up_x.reset@job: job@azure
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; set_metadata a1 if_version; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
up_x.reset@job: job@s3
    answers 1
    by scan dropped/; scan u.b2.0/; head a1; copy a1 to a1 if_match; delete a1; delete u.b2.0/x; delete
        dropped/r-b:u.b2.0
    leaves -u.b2.0/x; -dropped/r-b:u.b2.0; -object a1
: reset_x
    answers done
    by get branch b; delete u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; delete u.b2.s1/x; get branch b
    leaves -u.b2.s1/x
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a1 1B +0s
up_x.commit.up_x2.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; head a1; set_metadata a1 if_metageneration; set u.b2.s2/x; get
        branch b
    leaves +u.b2.s2/x = a1 1B +0s; ~object a1 = 1 references=2
up_x.commit.no_x.seal: reset_x@restores
    answers AddressDeleted
    by get branch b; get u.b2.s1/x; get commit c2; head a1
up_x.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
bring.stage_out.commit.up_x2.seal: reset_x@restores
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = ext://brought/o in full 1B
up_x.commit.up_x2.seal.lose: reset_x@restores
    answers AddressDeleted
    by get branch b; get u.b2.s1/x; get commit c2; head a1
"""
ROWS = [
    stated("reference-counter-deletes", COUNTER, DELETED_TABLE, "hard-delete-uncommitted-data.md, 2.", first=(FOUND,))
]

SCENARIOS = built(ROWS)
