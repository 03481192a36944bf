"""Proposal 5: resets, deletions of branches and of the repository.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_no_copies`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_no_copies import NO_COPIES
from lakeproof.scenarios.designs import built

RESETS_TABLE: Final = """\
: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1
up_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x.up_y: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; delete u.b2.0/y; delete
        a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.up_y: reset_paged
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; scan past u.b2.0/x; delete u.b2.0/x; delete a1.e55ac275; delete
        u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b2.0/; delete
        u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -u.b2.s1/x; ~branch b = c1 u.b2.s2; -object a1.e55ac275; -object a2.ac1f7402
up_x.no_x: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
bring.stage_out: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.up_y.lock: reset
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a2.da241866
up_x.up_y.lock: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x; get u.b2.0/y; set_if u.b2.0/y;
        delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a2.da241866
up_x.up_y: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275; get u.b2.0/y; set_if u.b2.0/y; delete u.b2.0/y; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; ~branch b = c1 u.b2.s1; -object a1.e55ac275; -object a2.da241866
up_x.no_x: reset@claims
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.lock_leased: reset@leased
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; now; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1
up_x.lock_leased: reset@leased, 61 s later
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; now; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x.lock_leased: reset@claims_leased, 61 s later
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; now; now; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: reset@claims, met by lose at 3
    answers done; done
    by get branch b; set_if branch b; scan u.b2.0/; get u.b2.0/x; set_if u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: reset, met by move at 4
    answers done; PathNotFound
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1; -object a1.e55ac275
up_x: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -branch b; -object a1.e55ac275
up_x.seal.up_y.lock: delete_branch
    answers done
    by get branch b; delete branch b; scan u.b2.s1/; delete u.b2.s1/y; delete a2.da241866; scan u.b2.0/; delete
        u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; -u.b2.s1/y; -branch b; -object a1.e55ac275; -object a2.da241866
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = none u.b2.0; -object a1.e55ac275
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
up_x: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.no_x: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x.up_y: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.lock: reset_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x: reset_x@claims
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x.lock: reset_x@claims
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
up_x: reset_x, met by seal at 6
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x.commit.up_x2: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get branch b; delete u.b2.s1/x; get branch b; delete a2.ac1f7402
    leaves -u.b2.s1/x; -object a2.ac1f7402
up_x.commit.up_x2.seal: reset_x
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a1.e55ac275 1B +0s
up_x.commit.up_x2.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; copy a1.e55ac275 to a3.841a9b59; set
        u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a3.841a9b59 1B +0s; +object a3.841a9b59 = 1
up_x.commit.up_x2.seal.lose: reset_x@copies
    answers DataGone
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; copy a1.e55ac275 to a3.841a9b59
bring.stage_out.commit.up_x.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = ext://brought/o in full 1B
up_x.seal: reset_x
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x.seal: reset_x@copies
    answers done
    by get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get commit c1; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
up_x: reset_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get branch b; delete a1.e55ac275
    leaves -u.b2.0/x; -object a1.e55ac275
up_x: reset_x@rereads, met by seal at 4
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get u.b2.0/x; delete u.b2.s1/x; get
        branch b; get branch b
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0
up_x: reset_x@rereads, met by seal at 6
    answers done; done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; get branch b
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0
: reset_x@rereads
    answers done
    by get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b
: reset_all
    answers done
    by get branch b; scan u.b2.0/
up_x.up_y: reset_all
    answers done
    by get branch b; scan u.b2.0/; get branch b; get u.b2.0/x; get branch b; delete u.b2.0/x; get branch b; delete
        a1.e55ac275; get branch b; get u.b2.0/y; get branch b; delete u.b2.0/y; get branch b; delete a2.da241866
    leaves -u.b2.0/x; -u.b2.0/y; -object a1.e55ac275; -object a2.da241866
up_x.seal.up_y: reset_all
    answers done
    by get branch b; scan u.b2.0/; scan u.b2.s1/; get branch b; get u.b2.s1/x; get branch b; get u.b2.0/x; get
        commit c1; set u.b2.s1/x; get branch b; get branch b; get u.b2.s1/y; get branch b; get u.b2.0/y; delete
        u.b2.s1/y; get branch b; delete a2.da241866
    leaves +u.b2.s1/x = gone; -u.b2.s1/y; -object a2.da241866
up_x.commit.up_x2.seal: reset_all@copies
    answers done
    by get branch b; scan u.b2.s1/; scan u.b2.s2/; get branch b; get u.b2.s2/x; get branch b; get u.b2.s1/x; get
        commit c2; copy a1.e55ac275 to a3.841a9b59; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = a3.841a9b59 1B +0s; +object a3.841a9b59 = 1
up_x: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; scan u.b1.0/;
        scan r-u; delete branch b; delete branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -branch b; -branch main; -commit c1; -object a1.e55ac275
up_x.up_main.up_y: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; delete a1.e55ac275; delete u.b2.0/y;
        delete a3.2fe9b617; scan u.b1.0/; delete u.b1.0/m; delete a2.f9951388; scan r-u; delete branch b; delete
        branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -u.b2.0/y; -u.b1.0/m; -branch b; -branch main; -commit c1; -object a1.e55ac275;
        -object a2.f9951388; -object a3.2fe9b617
up_x.up_main.up_y: erase_paged
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; scan past u.b2.0/x; delete u.b2.0/x; delete
        a1.e55ac275; delete u.b2.0/y; delete a3.2fe9b617; scan past branch b; scan u.b1.0/; delete u.b1.0/m; delete
        a2.f9951388; scan past branch main; scan r-u; delete branch b; scan past branch b; delete branch main; scan
        past branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -u.b2.0/y; -u.b1.0/m; -branch b; -branch main; -commit c1; -object a1.e55ac275;
        -object a2.f9951388; -object a3.2fe9b617
up_x.lock: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.0/; delete u.b2.0/x; scan u.b1.0/; scan r-u; delete
        branch b; delete branch main; delete commit c1
    leaves -entry r; -u.b2.0/x; -branch b; -branch main; -commit c1
up_x.commit.up_x2: erase
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b1.0/;
        scan r-u; delete branch b; delete branch main; delete commit c1; delete commit c2
    leaves -entry r; -u.b2.s1/x; -branch b; -branch main; -commit c1; -commit c2; -object a2.ac1f7402
up_y.commit.up_x.commit_again: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit; delete a1.c5df630d;
        delete a2.ac1f7402; delete a1.c5df630d; scan r-u; delete branch b; delete branch main; delete commit c2;
        delete commit c3; delete commit c1
    leaves -entry r; -branch b; -branch main; -commit c2; -commit c3; -commit c1; -object a1.c5df630d; -object
        a2.ac1f7402
up_x.commit.up_x2: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; delete u.b2.s1/x; delete a2.ac1f7402; scan u.b1.0/;
        scan commit; delete a1.e55ac275; scan r-u; delete branch b; delete branch main; delete commit c1; delete
        commit c2
    leaves -entry r; -u.b2.s1/x; -branch b; -branch main; -commit c1; -commit c2; -object a1.e55ac275; -object
        a2.ac1f7402
up_x.up_y.commit.no_x.commit_again: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit; delete a2.da241866;
        delete a1.e55ac275; delete a2.da241866; scan r-u; delete branch b; delete branch main; delete commit c1;
        delete commit c3; delete commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c3; -commit c2; -object a1.e55ac275; -object
        a2.da241866
bring.stage_out.commit: erase_all
    answers done
    by get entry r; delete entry r; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; scan r-u; delete branch
        b; delete branch main; delete commit c1; delete commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c2
erase: erase
    answers RepositoryNotFound
    by get entry r
up_x: erase, refused at 2
    answers Refused
    by get entry r; delete entry r
"""
ROWS = [stated("no-copies-resets", NO_COPIES, RESETS_TABLE, "hard-delete-uncommitted-data.md, 5.", first=(FOUND,))]

SCENARIOS = built(ROWS)
