"""Proposal 3: the job.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reference_tracking`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_reference_tracking import TRACKING
from lakeproof.scenarios.designs import built

JOBS_TABLE: Final = """\
: job
    answers 0
    by scan references/
up_x: job
    answers 0
    by scan references/
up_x.reset: job
    answers 0
    by scan references/; now
up_x.reset: job, 3600 s later
    answers 0
    by scan references/; now
up_x.reset: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job_paged, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.up_y.reset: job_paged, 3601 s later
    answers 2
    by scan references/; scan past references/mem://r/data/a1/r-b:u.b2.0; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0; now; delete a2; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0; -object a1; -object a2
up_x.up_y.no_x: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.deleted.staged_too: job, 3601 s later
    answers 0
    by scan references/
up_x.deleted.deleted_too: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t; -object a1
up_x.commit: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0
up_x.up_y.commit: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0
up_x.commit: job@keeps
    answers 0
    by scan references/
up_x.deleted.deleted_too.committed_too.staged: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job@backwards
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-a:u.t; delete references/mem://r/data/a1/r-b:u.b2.0;
        delete references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0;
        -references/mem://r/data/a1/r-c:u.t
up_x.deleted_too.committed_too: job@keeps
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-c:u.t; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t
up_x.commit.up_y.reset: job, 3601 s later
    answers 1
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; now; delete a2; delete
        references/mem://r/data/a2/r-b:u.b2.s1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.s1; -object a2
up_x.up_y.commit.up_x2.reset: job_paged, 3601 s later
    answers 1
    by scan references/; scan past references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-b:u.b2.0; scan past references/mem://r/data/a2/r-b:u.b2.0; delete
        references/mem://r/data/a2/r-b:u.b2.0; now; delete a3; delete references/mem://r/data/a3/r-b:u.b2.s1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a2/r-b:u.b2.0;
        -references/mem://r/data/a3/r-b:u.b2.s1; -object a3
up_x.reset: job@keys_first, 3601 s later
    answers 1
    by scan references/; now; delete references/mem://r/data/a1/r-b:u.b2.0; delete a1
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset.committed_too: job@keys_first, 3601 s later
    answers 0
    by scan references/; delete references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a1/r-a:u.t
    leaves -references/mem://r/data/a1/r-a:u.t; -references/mem://r/data/a1/r-b:u.b2.0
up_x.reset: job@rereads, 3601 s later
    answers 1
    by scan references/; now; scan references/mem://r/data/a1/; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job@rereads, met by staged at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s
up_x.reset: job@rereads, met by unmark at 2, 3601 s later
    answers 0; done
    by scan references/; now; scan references/mem://r/data/a1/
    leaves -references/mem://r/data/a1/r-b:u.b2.0
up_x.reset: job@rereads, met by deleted at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/; now
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = deleted +0s
up_x.reset: job@rereads, met by staged_too at 2, 3601 s later
    answers 0; True
    by scan references/; now; scan references/mem://r/data/a1/
    leaves +references/mem://r/data/a1/r-c:u.t = staged +0s
up_x.up_y.reset: job@rereads, met by staged at 2, 3601 s later
    answers 1; True
    by scan references/; now; scan references/mem://r/data/a1/; now; scan references/mem://r/data/a2/; now; delete
        a2; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves ~references/mem://r/data/a1/r-b:u.b2.0 = staged +0s; -references/mem://r/data/a2/r-b:u.b2.0; -object a2
up_x.reset: job, met by staged at 2, 3601 s later
    answers 1; True
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.deleted_too.reset: job@rereads, 3601 s later
    answers 1
    by scan references/; now; scan references/mem://r/data/a1/; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t; -object a1
up_x.up_y.deleted_too.reset: job@rereads, 3601 s later
    answers 2
    by scan references/; now; scan references/mem://r/data/a1/; now; delete a1; delete
        references/mem://r/data/a1/r-b:u.b2.0; delete references/mem://r/data/a1/r-c:u.t; now; scan
        references/mem://r/data/a2/; now; delete a2; delete references/mem://r/data/a2/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t;
        -references/mem://r/data/a2/r-b:u.b2.0; -object a1; -object a2
issue: job, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0
    leaves -references/mem://r/data/a1/r-b:u.b2.0
issue: job, 3600 s later
    answers 0
    by scan references/; now
up_x.reset: job, met by deleted_too at 1, 3601 s later
    answers 1; True
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -object a1
up_x.reset: job@newest, met by deleted_too at 1, 3601 s later
    answers 0; True
    by scan references/; now
    leaves +references/mem://r/data/a1/r-c:u.t = deleted +0s
up_x.reset.deleted_too: job@newest, 3601 s later
    answers 1
    by scan references/; now; delete a1; delete references/mem://r/data/a1/r-b:u.b2.0; delete
        references/mem://r/data/a1/r-c:u.t
    leaves -references/mem://r/data/a1/r-b:u.b2.0; -references/mem://r/data/a1/r-c:u.t; -object a1
"""
ROWS = [stated("reference-tracking-jobs", TRACKING, JOBS_TABLE, "hard-delete-uncommitted-data.md, 3.", first=(FOUND,))]

SCENARIOS = built(ROWS)
