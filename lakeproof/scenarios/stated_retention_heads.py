"""Retention with a log of heads: marks, moves, and deletions of branches.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_retention`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_retention import HEADS, WHOLE
from lakeproof.scenarios.designs import built

HEADS_TABLE: Final = """\
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: move_a
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: move_a@afterwards
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b; set retention/left/b/l1
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: move_a, met by upload.commit at 4
    answers RefChanged; a1 1B +0s; c6 of c3 'N'
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +retention/left/b/l1 = c3; +object a1 = u
: move_a@afterwards, met by upload.commit at 3
    answers RefChanged; a1 1B +0s; c6 of c3 'N'
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u
: move_a, refused at 3
    answers Refused
    by get branch b; get branch c2; get tag c2
: move_a, met by drop_branch at 3
    answers RefChanged; done
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves -branch b; +retention/left/b/l1 = c3
: move_a, false at 4
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set retention/left/b/l1; set_if branch b
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3
: bury_b
    answers done
    by get branch b; set retention/left/b/l1; set_if branch b
    leaves ~branch b = none u.s.0; +retention/left/b/l1 = c3
: bury_b, met by upload.commit at 3
    answers RefChanged; a1 1B +0s; c6 of c3 'N'
    by get branch b; set retention/left/b/l1; set_if branch b; get branch b
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +retention/left/b/l1 = c3; +object a1 = u
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; set_if branch c
    leaves +branch c = c2 u.b1.0
bury_b: move_a
    answers BranchNotFound
    by get branch b
move_a: mark
    answers (mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
move_a: mark_paged
    answers (mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan past branch b; scan
        past branch main; scan past branch z; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan past branch
        b; scan past branch main; scan past branch z; scan retention/left/; scan commit; scan past commit c5; scan
        past commit c4; scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
move_a.mark: mark_again
    answers (mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/d"]}
move_a.mark: mark_again, 604799 s later
    answers (mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/d"]}
move_a.mark: mark_again, 604800 s later
    answers (mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/d"]}
move_a.mark: mark_again, 691200 s later
    answers (mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/d"]}
move_a.move_main: mark
    answers (mem://r/data/d)
    by scan retention/left/; get branch b; get branch b; now; set retention/left/b/l2; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l2 = c2 +0s; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
leave: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch b; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch;
        scan retention/left/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
leave.drop_branch: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
leave.bury_b: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; get branch b; now; set retention/left/b/l2;
        now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; ~retention/left/b/l2 = c3 +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
bury_b: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
move_a.move_main.move_a: mark_paged
    answers (mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; scan past retention/left/b/l1; get branch
        b; scan past retention/left/b/l2; get branch b; now; set retention/left/b/l3; now; scan branch; scan past
        branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch;
        scan past branch b; scan past branch main; scan past branch z; scan retention/left/; scan past
        retention/left/b/l1; scan past retention/left/b/l2; scan commit; scan past commit c5; scan past commit c4;
        scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; ~retention/left/b/l3 = c3 +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
move_a: mark@first
    answers (mem://r/data/d)
    by scan retention/left/; get branch b; now; set retention/left/b/l1; now; scan retention/left/; scan branch;
        scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves ~retention/left/b/l1 = c3 +0s; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
: mark@first, met by move_a at 4
    answers (mem://r/data/d); b c2 u.s.0
    by scan retention/left/; now; scan retention/left/; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan
        branch; scan commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
: mark, met by move_a at 2
    answers (mem://r/data/d); b c2 u.s.0
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
: mark, met by move_a at 5
    answers (mem://r/data/d); b c2 u.s.0
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put n/mark.json
    leaves ~branch b = c2 u.s.0; +retention/left/b/l1 = c3; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
back_z: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch z; now; set retention/left/z/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/z/l1 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
back_z: mark_paged
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch z; now; set retention/left/z/l1; now; scan branch; scan past branch b; scan
        past branch main; scan past branch z; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan past branch
        b; scan past branch main; scan past branch z; scan retention/left/; scan commit; scan past commit c5; scan
        past commit c4; scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves ~retention/left/z/l1 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
leave.back_z: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch b; get branch z; now; set retention/left/z/l2; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/z/l2 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
back_z.mark: mark_again, 604799 s later
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
back_z.mark: mark_again, 604800 s later
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
back_z.mark: mark_again, 604801 s later
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        retention/left/; scan commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
bury_z: mark
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch z; now; set retention/left/z/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/z/l1 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
bury_z: mark_zero
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by scan retention/left/; get branch z; now; set retention/left/z/l1; now; scan branch; scan u.s.0/; scan u.s.0/;
        scan branch; scan retention/left/; scan commit; put n/mark.json
    leaves ~retention/left/z/l1 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d",
        "mem://r/data/e"]}
bury_z: branch_z
    answers z c1 u.b1.0
    by get branch c1; get tag c1; get commit c1; set_if branch z; get branch z; set_if branch z
    leaves ~branch z = c1 u.b1.0
: branch_z
    answers BranchExists
    by get branch c1; get tag c1; get commit c1; set_if branch z; get branch z
back_z: mark@first
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; get branch z; now; set retention/left/z/l1; now; scan retention/left/; scan branch;
        scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves ~retention/left/z/l1 = c5 +0s; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
bury_b.mark: mark_again, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/left/; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan retention/left/; scan
        commit; put m/mark.json
    leaves +object m/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
"""
ROWS = [stated("retention-heads", HEADS, HEADS_TABLE, "docs/hard-delete/retention.md", first=WHOLE)]

SCENARIOS = built(ROWS)
