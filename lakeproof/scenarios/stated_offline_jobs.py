"""The offline solution: the job.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_offline`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_offline import OFFLINE
from lakeproof.scenarios.designs import built

JOBS_TABLE: Final = """\
: job
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x: job
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job, 86401 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@margin, 86401 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@margin, 90000 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@late, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.no_x: job@late, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.no_x: job@late_last, 86400 s later
    answers (mem://r/data/a1)
    by scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; now; list data; delete a1
    leaves -object a1
up_x.no_x: job@backwards, 86400 s later
    answers (mem://r/data/a1)
    by now; scan commit; scan branch; scan u.b2.0/; scan u.b1.0/; list data; delete a1
    leaves -object a1
up_x: job@backwards, 86400 s later
    answers ()
    by now; scan commit; scan branch; scan u.b2.0/; scan u.b1.0/; list data
up_x.commit: job@backwards, 86400 s later
    answers ()
    by now; scan commit; scan branch; scan u.b2.s1/; scan u.b1.0/; list data
up_x.no_x.up_y.no_y: job_paged, 86400 s later
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; list data; scan branch; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; scan u.b1.0/;
        scan past branch main; scan commit; delete a1; delete a2
    leaves -object a1; -object a2
up_x.commit.up_x2.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.commit.no_x.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.up_y.commit.no_x.commit_again: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
up_x.commit.reset: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan commit
bring.stage_out.up_y: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
bring.stage_out.commit.up_y.no_y: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.up_x2: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.seal.up_x2: job@shown
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.no_x.up_y: job@shown
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
up_x.seal.up_x2.up_y: job_shown_paged
    answers (mem://r/data/a1)
    by now; list data; list data; list data; scan branch; scan u.b2.0/; scan u.b2.s1/; scan past u.b2.s1/x; scan
        past branch b; scan u.b1.0/; scan past branch main; scan commit; delete a1
    leaves -object a1
up_x.up_y.up_main: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.up_y.up_main: job@shown
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.up_y.up_main: job@now, met by up_x2 at 2
    answers (mem://r/data/a1); a4 3B +0s
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves ~u.b2.0/x = a4 3B +0s; -object a1; +object a4 = two
aside: job@now
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1
aside: job@whole
    answers (mem://r/data/a1, mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete mem://r/other/o
    leaves -object a1; -object mem://r/other/o
aside: job@bare
    answers (mem://r/data/a1, mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete mem://r/other/o
    leaves -object a1; -object mem://r/other/o
up_x.commit: job@bare
    answers (mem://r/_lakefs/c3, mem://r/_lakefs/c4)
    by now; list mem://r/; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit
aside.up_x.commit: job@whole
    answers (mem://r/other/o)
    by now; list mem://r/; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; delete mem://r/other/o
    leaves -object mem://r/other/o
up_x.commit.up_x2.commit_again: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; get commit
        c3; get commit c2
up_x.commit.up_x2.commit_again.go_back: job@reachable
    answers (mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; get commit
        c2; delete a2
    leaves -object a2
up_x.commit.up_x2.commit_again.go_back.go_back: job@reachable
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c1; delete a1;
        delete a2
    leaves -object a1; -object a2
up_x.commit.tag.tag_main.go_back: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan branch; scan tag; get commit c2; get commit c1
up_x.commit.tag.go_back: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan branch; scan tag; get commit c2; get commit c1
up_x.commit.tag.up_x2.commit_again.go_back.go_back: job@reachable
    answers (mem://r/data/a2)
    by now; list data; scan branch; scan u.b2.s2/; scan u.b1.0/; scan branch; scan tag; get commit c2; get commit
        c1; delete a2
    leaves -object a2
up_x.commit.create_c.go_back: job@reachable
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b3.0/; scan u.b1.0/; scan branch; scan tag; get commit c1;
        get commit c2
up_x.commit.create_c.go_back.branch_main: job_reachable_paged
    answers ()
    by now; list data; scan branch; scan u.b4.0/; scan past branch a; scan u.b2.s1/; scan past branch b; scan
        u.b3.0/; scan past branch c; scan u.b1.0/; scan past branch main; scan branch; scan past branch a; scan past
        branch b; scan past branch c; scan past branch main; scan tag; get commit c1; get commit c2
up_x.up_y.commit.create_c.up_x2.commit_again: job_reachable_paged
    answers ()
    by now; list data; list data; list data; scan branch; scan u.b2.s2/; scan past branch b; scan u.b3.0/; scan past
        branch c; scan u.b1.0/; scan past branch main; scan branch; scan past branch b; scan past branch c; scan
        past branch main; scan tag; get commit c1; get commit c2; get commit c3
up_x.copy@tracked.no_x.no_y: job@tracked, 86400 s later
    answers (mem://r/data/a1)
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1; delete
        copies/mem://r/data/a1
    leaves -copies/mem://r/data/a1; -object a1
up_x.copy@tracked.no_x.no_y: job@tracked_last, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1
    leaves -copies/mem://r/data/a1; -object a1
up_x.copy@tracked.no_x.no_y: job@tracked_last, 86399 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.no_x: job@tracked, met by aside at 1, 86400 s later
    answers (mem://r/data/a1); done
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves -object a1; +object mem://r/other/o = 1
up_x.copy@apart.no_x.no_y: job@tracked_last
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@apart
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves -copies/mem://r/data/a1/c1; -object a1
up_x.copy@apart.no_x.no_y: job@mended
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@mended, 1 s later
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/
up_x.copy@apart.no_x.no_y: job@apart, 1 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves -copies/mem://r/data/a1/c1; -object a1
up_x.copy@apart.no_x.up_x.copy@apart: job_apart_paged, 1 s later
    answers (mem://r/data/a1)
    by now; list data; list data; scan branch; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; scan u.b1.0/;
        scan past branch main; scan commit; scan past commit c1; scan copies/; scan past copies/mem://r/data/a1/c1;
        delete a1; delete copies/mem://r/data/a1/c1; delete copies/mem://r/data/a2/c2
    leaves -copies/mem://r/data/a1/c1; -copies/mem://r/data/a2/c2; -object a1
up_x: job@apart, met by copy@apart.no_x.no_y at 2, 86400 s later
    answers (mem://r/data/a1); a1 1B -86400s; done; done
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; scan copies/; delete a1; delete
        copies/mem://r/data/a1/c1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = gone; -object a1
up_x: job@tracked, met by copy@tracked.no_x.no_y at 2, 86400 s later
    answers (mem://r/data/a1); a1 1B -86400s; done; done
    by now; scan copies/; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit; delete a1
    leaves ~u.b2.0/x = gone; +u.b2.0/y = gone; +copies/mem://r/data/a1 = +0s mem://r/data/a1; -object a1
up_x.commit.lose: job@now
    answers ()
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit
up_x.no_x: job@now, refused at 3
    answers Refused
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/
"""
ROWS = [stated("offline-jobs", OFFLINE, JOBS_TABLE, "hard-delete-uncommitted-data.md, Motivation", first=(FOUND,))]

SCENARIOS = built(ROWS)
