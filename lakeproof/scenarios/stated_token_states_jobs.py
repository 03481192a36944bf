"""Proposal 4: commits, resets, deletions of branches, and the job.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_token_states`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_token_states import TOKEN_STATES
from lakeproof.scenarios.designs import built

JOBS_TABLE: Final = """\
: commit, then head
    answers c2 of c1 'one'; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; set
        staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; set
        staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x.up_y: commit_paged, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; scan past u.b2.0/x; now; set commit c2; set_if
        branch b; set staging/committed/c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.0
up_x.seal.up_y: commit, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch
        b; set staging/committed/c2
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +staging/committed/c2 = r-b:u.b2.s1 r-b:u.b2.0
up_x: commit, met by commit at 3, then head
    answers c3 of c2 'one'; c2 of c1 'one'; (x=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c2; now; set commit c3; set_if branch b; set staging/committed/c3
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c2 'one'; +staging/committed/c2 =
        r-b:u.b2.s1 r-b:u.b2.0; +staging/committed/c3 = nothing
up_x.up_y: commit@by_address, then head
    answers c2 of c1 'one'; (x=a1 1B +0s, y=a2 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a2; set_if staging/committed/mem://r/data/a2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a1 = r-b:u.b2.0;
        +staging/committed/mem://r/data/a2 = r-b:u.b2.0
up_x.seal.up_x2: commit@by_address, then head
    answers c2 of c1 'one'; (x=a2 3B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch
        b; scan u.b2.0/; scan u.b2.s1/; get staging/committed/mem://r/data/a2; set_if
        staging/committed/mem://r/data/a2
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a2 = r-b:u.b2.s1
        r-b:u.b2.0
up_x.commit@by_address.copy: commit@by_address, then head
    answers c3 of c2 'one'; (x=a1 1B +0s, y=a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; scan
        u.b2.s1/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; ~staging/committed/mem://r/data/a1 = r-b:u.b2.s1
        r-b:u.b2.0
bring.stage_out: commit@by_address, then head
    answers c2 of c1 'one'; (x=ext://brought/o in full 1B)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
up_x: commit, met by reset at 3, then head
    answers c3 of c1 'one'; done; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c1; now; set commit c3; set_if branch b; set staging/committed/c3
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; +staging/committed/c3 =
        nothing; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: commit, met by reset at 6, then head
    answers c3 of c1 'one'; done; ()
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch
        b; get commit c1; now; set commit c3; set_if branch b; set staging/committed/c3
    leaves ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'; +staging/committed/c3 =
        nothing; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: commit@by_address, false at 9
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a1 = r-b:u.b2.0
up_x: commit@by_address, met by note_more at 9
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a1 = r-b:u.b2.0 o1
up_x: commit@by_address, met by note_more at 9, 11, 13
    answers c2 of c1 'one'; done; done; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; get staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1; get
        staging/committed/mem://r/data/a1; set_if staging/committed/mem://r/data/a1
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +staging/committed/mem://r/data/a1 = o3 o2 o1
: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +staging/deleted/r-b:u.b2.0 = nothing
up_x: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s1; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2: reset
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = c1 u.b2.s2; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: delete_branch
    answers done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2: delete_branch
    answers done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x: delete_branch@tombstone
    answers done
    by get branch b; set_if branch b; set staging/deleted/r-b:u.b2.0
    leaves ~branch b = none u.b2.0; +staging/deleted/r-b:u.b2.0 = nothing
up_x: delete_branch@tombstone, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: delete_main
    answers DefaultBranch
up_x: delete_branch, met by seal at 2
    answers done; done
    by get branch b; delete branch b; set staging/deleted/r-b:u.b2.0
    leaves -branch b; +staging/deleted/r-b:u.b2.0 = nothing
: job
    answers 0
    by scan staging/committed/; scan staging/deleted/
up_x: job
    answers 0
    by scan staging/committed/; scan staging/deleted/
up_x.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
up_x.commit: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
up_x.up_y.commit: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan past u.b2.0/x; delete references/mem://r/data/a1; delete
        references/mem://r/data/a2; scan u.b2.0/; scan past u.b2.0/x; get references/mem://r/data/a1; get
        references/mem://r/data/a2; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x;
        delete u.b2.0/y; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2
up_x.up_x2.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a2; scan u.b2.0/; get
        references/mem://r/data/a2; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a2; -staging/committed/c2
up_x.seal.up_x2.commit: job
    answers 1
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1;
        delete a1; delete references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.s1/; delete u.b2.s1/x;
        scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -object a1
up_x.copy.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y;
        scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -staging/committed/c2
bring.stage_out.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.0/; delete staging/committed/c2; scan u.b2.0/; delete
        u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -staging/committed/c2
up_x.no_x.commit: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.0/; delete staging/committed/c2; scan u.b2.0/; delete
        u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -staging/committed/c2
up_x.commit.up_x2.commit_again: job_paged
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan past
        staging/committed/c2; scan u.b2.s1/; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; delete staging/committed/c3; scan u.b2.s1/; delete u.b2.s1/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -staging/committed/c3
up_x.commit@by_address: job@by_address
    answers 0
    by scan staging/committed/; delete references/mem://r/data/a1; scan u.b2.0/; get references/mem://r/data/a1;
        delete staging/committed/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/mem://r/data/a1
up_x.seal.up_x2.commit@by_address: job@by_address
    answers 1
    by scan staging/committed/; delete references/mem://r/data/a2; scan u.b2.s1/; get references/mem://r/data/a2;
        scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1; delete a1; delete
        references/mem://r/data/a1; delete staging/committed/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x; scan
        u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -staging/committed/mem://r/data/a2; -object a1
up_x.up_y.commit@by_address: job@by_address
    answers 1
    by scan staging/committed/; delete references/mem://r/data/a1; scan u.b2.0/; get references/mem://r/data/a1; get
        references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete references/mem://r/data/a2;
        delete staging/committed/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete
        references/mem://r/data/a2; scan u.b2.0/; delete staging/committed/mem://r/data/a2; scan u.b2.0/; scan
        staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -staging/committed/mem://r/data/a1; -staging/committed/mem://r/data/a2; -object a2
up_x.up_y.commit: job@by_commit
    answers 0
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; delete references/mem://r/data/a2;
        scan u.b2.0/; get references/mem://r/data/a1; get references/mem://r/data/a2; delete staging/committed/c2;
        scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2
up_x.seal.up_x2.commit: job@by_commit
    answers 1
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a2; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1;
        delete a1; delete references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.s1/; delete u.b2.s1/x;
        scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        -object a1
bring.stage_out.up_y.commit: job@by_commit
    answers 0
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y;
        scan staging/deleted/
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -staging/committed/c2
up_x.commit: job@by_commit, met by lose at 2
    answers 0; done
    by scan staging/committed/; get commit c2; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; -object a1
up_x.note_lost: job@by_commit
    answers 1
    by scan staging/committed/; get commit 0; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; delete staging/committed/0; scan
        u.b2.0/; delete u.b2.0/x; scan staging/deleted/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/0; -object a1
up_z.up_y.up_x.reset: job
    answers 3
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; get references/mem://r/data/a2;
        set_if references/mem://r/data/a2; delete a2; delete references/mem://r/data/a2; get
        references/mem://r/data/a3; set_if references/mem://r/data/a3; delete a3; delete references/mem://r/data/a3;
        scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete u.b2.0/z
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.0/z; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -references/mem://r/data/a3; -object a1; -object a2; -object a3
up_x.commit: job@entries
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; set staging/deleted/r-b:u.b2.0;
        delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/; scan u.b2.0/; scan
        u.b2.0/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2.commit: job@entries
    answers 0
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; set
        staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0; delete staging/committed/c2; scan u.b2.s1/;
        delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x; scan staging/deleted/; scan u.b2.0/; scan u.b2.0/; scan
        u.b2.s1/; scan u.b2.s1/
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a2; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 =
        nothing; +staging/deleted/r-b:u.b2.s1 = nothing
up_x.commit: job@spared
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; set staging/deleted/r-b:u.b2.0;
        delete staging/committed/c2; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2; +staging/deleted/r-b:u.b2.0 = nothing
up_x.seal.up_x2.commit: job@spared
    answers 1
    by scan staging/committed/; scan u.b2.0/; scan u.b2.s1/; delete references/mem://r/data/a2; set
        staging/deleted/r-b:u.b2.s1; set staging/deleted/r-b:u.b2.0; delete staging/committed/c2; scan
        staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if references/mem://r/data/a1; delete
        a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x; scan u.b2.s1/; get
        references/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -staging/committed/c2;
        +staging/deleted/r-b:u.b2.0 = nothing; +staging/deleted/r-b:u.b2.s1 = nothing; -object a1
up_x.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.up_y.reset: job_paged
    answers 2
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; scan past u.b2.0/x; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1;
        get references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete
        references/mem://r/data/a2; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -references/mem://r/data/a2; -object a1; -object a2
up_x.reset: job@forgets
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        delete staging/deleted/r-b:u.b2.0
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/deleted/r-b:u.b2.0; -object a1
up_x.up_y.reset.up_x.delete_branch: job@forgets
    answers 3
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; get references/mem://r/data/a2;
        set_if references/mem://r/data/a2; delete a2; delete references/mem://r/data/a2; scan u.b2.0/; delete
        u.b2.0/x; delete u.b2.0/y; delete staging/deleted/r-b:u.b2.0; scan u.b2.s1/; get references/mem://r/data/a3;
        set_if references/mem://r/data/a3; delete a3; delete references/mem://r/data/a3; scan u.b2.s1/; delete
        u.b2.s1/x; delete staging/deleted/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2;
        -references/mem://r/data/a3; -staging/deleted/r-b:u.b2.0; -staging/deleted/r-b:u.b2.s1; -object a1; -object
        a2; -object a3
up_x.reset: job@keeps
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = nothing; -object a1
up_x.seal.up_x2.reset: job
    answers 2
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        scan u.b2.s1/; get references/mem://r/data/a2; set_if references/mem://r/data/a2; delete a2; delete
        references/mem://r/data/a2; scan u.b2.s1/; delete u.b2.s1/x
    leaves -u.b2.0/x; -u.b2.s1/x; -references/mem://r/data/a1; -references/mem://r/data/a2; -object a1; -object a2
up_x.copy.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x;
        delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -references/mem://r/data/a1; -object a1
up_x.touch.touch.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = o1 o2
up_x.empty.touch.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x
up_x.create_c.copy_c.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = r-c:u.b3.0
up_x.create_c.copy_c.delete_branch: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = r-c:u.b3.0
up_x.unlist.reset: job
    answers 0
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x
up_x.empty.reset: job
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; delete a1;
        delete references/mem://r/data/a1; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.reset: job, met by touch at 5
    answers 0; done
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x; ~references/mem://r/data/a1 = o1
up_x.reset: job, met by touch at 5, 7, 9
    answers ObjectBusy; done; done; done
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; set_if references/mem://r/data/a1; get
        references/mem://r/data/a1; set_if references/mem://r/data/a1
    leaves ~references/mem://r/data/a1 = r-b:u.b2.0 o1 o2 o3
up_x.reset: job, false at 5
    answers 1
    by scan staging/committed/; scan staging/deleted/; scan u.b2.0/; get references/mem://r/data/a1; set_if
        references/mem://r/data/a1; get references/mem://r/data/a1; delete a1; delete references/mem://r/data/a1;
        scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -references/mem://r/data/a1; -object a1
up_x.commit.reset: job
    answers 0
    by scan staging/committed/; scan u.b2.0/; delete references/mem://r/data/a1; scan u.b2.0/; get
        references/mem://r/data/a1; delete staging/committed/c2; scan u.b2.0/; delete u.b2.0/x; scan
        staging/deleted/; scan u.b2.s1/; scan u.b2.s1/
    leaves -u.b2.0/x; -references/mem://r/data/a1; -staging/committed/c2
"""
ROWS = [stated("token-states-jobs", TOKEN_STATES, JOBS_TABLE, "hard-delete-uncommitted-data.md, 4.", first=(FOUND,))]

SCENARIOS = built(ROWS)
