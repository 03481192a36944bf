"""Our online hard delete: the job.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_online`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_online import ONLINE
from lakeproof.scenarios.designs import built

JOBS_TABLE: Final = """\
: job
    answers ()
    by scan r-u/addresses
up_x: job
    answers ()
    by scan r-u/addresses; get branch b
up_x.up_x2: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2: job@untimed
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.settle: job
    answers ()
    by scan r-u/addresses; get u.b2.0/x; get branch b
up_x.settle: job@no_staged
    answers ()
    by scan r-u/addresses; get branch b; get u.b2.0/x
up_x.settle.commit: job
    answers ()
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1;
        scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.no_x: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2.up_y.up_x: job
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get u.b2.0/x; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2.up_y.up_x: job_paged
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; scan past r-b:u.b2.0/a2; scan past r-b:u.b2.0/a3; get u.b2.0/x;
        get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2.up_main: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get branch main
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_x2.no_x: job@no_staged
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get branch b; get u.b2.0/x; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.up_x2: job@no_staged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x: job@no_staged
    answers ()
    by scan r-u/addresses; get branch b
issue.put_home: job
    answers ()
    by scan r-u/addresses; get branch b
issue: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b
up_x.seal: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b
up_x.seal.up_x2: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; get branch b
up_x.up_x2.seal: job
    answers ()
    by scan r-u/addresses; get u.b2.0/x; get branch b
up_x.up_x2: job, met by seal at 3
    answers (); done
    by scan r-u/addresses; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
up_x.up_x2: job@no_staged, met by seal at 3
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; get u.b2.0/x; delete u.b2.0/a1; delete r-b:u.b2.0/a1
    leaves ~branch b = c1 u.b2.s1 u.b2.0; -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit: job
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job, 3600 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit: job@untimed
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.up_x2.commit: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job, 3600 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3660 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job@skewed, 3661 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.commit: job_paged, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit
        c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.up_x2@untimed.commit: job@untimed
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.up_x2@untimed.commit: job
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get r-b:u.b2.0/a1;
        delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.up_x2.no_x.commit: job, 3601 s later
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; get u.b2.0/x; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; now; get commit c2; get
        r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c2; get r-b:u.b2.0/a2; delete u.b2.0/a2;
        delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.commit.up_y.commit_again: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2; get branch b; scan r-b:u.b2.s1/; now; get commit c3;
        delete r-b:u.b2.s1/a2; scan r-b:u.b2.s1/; scan r-b:u.b2.s1/; delete r-b:u.b2.s1/c3
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.s1/a2; -r-b:u.b2.0/c2; -r-b:u.b2.s1/c3
up_x.commit.up_y.commit_again: job@no_head, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2; get branch b; scan r-b:u.b2.s1/;
        now; get commit c3; delete r-b:u.b2.s1/a2; scan r-b:u.b2.s1/; scan r-b:u.b2.s1/; delete r-b:u.b2.s1/c3
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.s1/a2; -r-b:u.b2.0/c2; -r-b:u.b2.s1/c3; -object u.b2.0/a1
up_x.up_y.commit: job@no_head, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; get commit c2;
        delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/c2
up_x.promise.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/0; -r-b:u.b2.0/c2
up_x.promise_head.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c1; now; get commit c1; get commit c2; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c1; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c1; -r-b:u.b2.0/c2
up_x.promise.promise_head.commit: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; get c1; now; get commit c1; get commit c2; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0; delete r-b:u.b2.0/c1; delete
        r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/0; -r-b:u.b2.0/c1; -r-b:u.b2.0/c2
up_x.promise.promise_head.up_x2.commit: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; get 0; get c1; now; get commit c1; get
        commit c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get commit c1; get commit c2; delete
        r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0; delete r-b:u.b2.0/c1; delete
        r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/0; -r-b:u.b2.0/c1; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.promise.reset: job
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; now; scan r-b:u.b2.0/
up_x.promise.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get 0; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/0
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/0; -object u.b2.0/a1
up_x.promise.up_x2.commit: job_untimed_paged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; scan past
        r-b:u.b2.0/0; get 0; now; get commit c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get
        commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; scan past r-b:u.b2.0/0; delete
        r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/0; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x@untimed.promise.up_x2@untimed.commit: job_untimed_paged
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get u.b2.0/x; get branch b; scan r-b:u.b2.0/; scan past
        r-b:u.b2.0/0; get 0; now; get commit c2; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete r-b:u.b2.0/a1; get
        commit c2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/; scan past r-b:u.b2.0/0; delete
        r-b:u.b2.0/0; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -r-b:u.b2.0/0; -r-b:u.b2.0/c2; -object u.b2.0/a1
up_x.reset: job
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; scan r-b:u.b2.0/
up_x.reset: job, 3600 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; scan r-b:u.b2.0/
up_x.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_y.reset: job_paged, 3601 s later
    answers (data/r-b:u.b2.0/a1, data/r-b:u.b2.0/a2)
    by scan r-u/addresses; scan past r-b:u.b2.0/a1; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete
        u.b2.0/a1; delete r-b:u.b2.0/a1; get r-b:u.b2.0/a2; delete u.b2.0/a2; delete r-b:u.b2.0/a2; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a1; -object u.b2.0/a2
up_x.delete_branch: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit.delete_branch: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.delete_branch.create_branch: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x@untimed.reset: job@untimed, met by forget at 4
    answers (); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1
up_x@untimed.reset: job@no_promise, met by forget at 4
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x@untimed.reset: job@untimed, met by job@untimed at 4
    answers (); (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan
        r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x@untimed.up_y@untimed.reset: job@untimed, met by forget at 3
    answers (data/r-b:u.b2.0/a2); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get r-b:u.b2.0/a2; delete
        u.b2.0/a2; delete r-b:u.b2.0/a2; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/a2; -object u.b2.0/a2
up_x.create_c.up_c.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; get branch c
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.up_main.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/; get branch main
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.commit.merge: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.no_x.commit_again: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
up_x.commit.no_x.commit_again.reset: job, 3601 s later
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; get c2; now; get commit c2; delete r-b:u.b2.0/a1; scan
        r-b:u.b2.0/; scan r-b:u.b2.0/; delete r-b:u.b2.0/c2
    leaves -r-b:u.b2.0/a1; -r-b:u.b2.0/c2
issue.put_home.reset: job, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
"""
ROWS = [stated("online-jobs", ONLINE, JOBS_TABLE, "docs/online-hard-delete.md", first=(FOUND,))]

SCENARIOS = built(ROWS)
