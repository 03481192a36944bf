"""Retention with pins: marks, sweeps, and what users do.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_retention`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_retention import PINS, WHOLE
from lakeproof.scenarios.designs import built

PINS_TABLE: Final = """\
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_paged
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan past branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan past branch b; scan past branch main; scan past branch z; scan tag; scan
        commit; scan past commit c5; scan past commit c4; scan past commit c2; scan past commit c1; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan past
        branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch;
        scan past branch b; scan past branch main; scan past branch z; scan tag; scan commit; scan past commit c5;
        scan past commit c4; scan past commit c2; scan past commit c1; scan past commit c3; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
pin_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@first
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; scan
        retention/pins/; set retention/condemned/c4/n; set retention/condemned/c2/n; delete
        retention/condemned/c2/n; put n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86399 s later
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86400 s later
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
pin_a: mark@lease, 86401 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; now; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
pin_d.pin_a: mark
    answers ()
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c4/n; delete
        retention/condemned/c2/n; put n/mark.json
    leaves +object n/mark.json = {"addresses": []}
pin_a.lose_b: mark
    answers MissingObject
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n
    leaves +retention/condemned/c4/n = n
condemn_a: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; scan retention/pins/; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/;
        scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
forget_b: mark
    answers HeadNotFound
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit
: mark, met by pin_a at 6
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by pin_a at 8
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by pin_a at 9
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by plain_a at 9
    answers (mem://r/data/d); c c2 u.b1.0
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n;
        put n/mark.json
    leaves +branch c = c2 u.b1.0; +retention/condemned/c4/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by plain_tag at 9
    answers (mem://r/data/d); t c2
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; delete retention/condemned/c2/n; put
        n/mark.json
    leaves +retention/condemned/c4/n = n; +tag t = c2; +object n/mark.json = {"addresses": ["mem://r/data/d"]}
: mark@first, met by pin_a at 8
    answers (mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; scan
        retention/pins/; set retention/condemned/c4/n; set retention/condemned/c2/n; delete
        retention/condemned/c2/n; put n/mark.json
    leaves +retention/condemned/c4/n = n; +retention/pins/c2/p1 = +0s; +object n/mark.json = {"addresses":
        ["mem://r/data/d"]}
: mark, met by stage_a at 9
    answers (mem://r/data/d); a 1B
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +u.s.0/x = a 1B; +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json =
        {"addresses": ["mem://r/data/d"]}
: mark, met by drop_z at 9
    answers (mem://r/data/a, mem://r/data/d); done
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves -branch z; +retention/condemned/c4/n = n; +retention/condemned/c2/n = n; +object n/mark.json =
        {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark, met by upload.commit at 8, 691200 s later
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan
        u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +retention/condemned/c4/n = n; +retention/condemned/c2/n =
        n; +object a1 = u; +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
mark: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
mark.sweep: mark_again
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c4/m; set retention/condemned/c2/m; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put m/mark.json
    leaves +retention/condemned/c4/m = m; +retention/condemned/c2/m = m; +object m/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
condemn_a: branch_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
condemn_a: branch_a@blind
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; get branch c2; get tag c2; get
        commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
mark: branch_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: branch_a, met by condemn_a at 5
    answers CommitExpired; done
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
    leaves +retention/condemned/c2/other = other
: branch_a, met by condemn_a at 6
    answers c c2 u.b1.0; done
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0; +retention/condemned/c2/other = other
: branch_a, met by plain_a at 9
    answers BranchExists; c c2 u.b2.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b2.0
: branch_a, lost at 9
    answers OutcomeUnknown?
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c
    leaves +branch c = c2 u.b1.0; +retention/pins/c2/p1 = +0s
: branch_a, missed at 9
    answers OutcomeUnknown?
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c
    leaves +retention/pins/c2/p1 = +0s
: branch_a, refused at 9
    answers Refused
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
: branch_a, refused at 5
    answers Refused
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: branch_a, broken at 5
    answers ScanInterrupted
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: branch_a, refused at 1
    answers Refused
    by get branch c2
: branch_a, refused at 4
    answers Refused
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1
: branch_a, refused at 10
    answers Refused
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0; +retention/pins/c2/p1 = +0s
: branch_a, false at 9
    answers BranchExists
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if branch c; delete retention/pins/c2/p1
    leaves +branch c = c2 u.b1.0
: branch_main
    answers c c3 u.b1.0
    by get branch main; now; set retention/pins/c3/p1; scan retention/condemned/c3/; get branch c3; get tag c3; get
        commit c3; set_if branch c; delete retention/pins/c3/p1
    leaves +branch c = c3 u.b1.0
: move_a
    answers b c2 u.s.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch b; get branch c2; get tag c2; get commit c2; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.s.0
condemn_a: move_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: tag_a
    answers t c2
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; set_if tag t; delete retention/pins/c2/p1
    leaves +tag t = c2
condemn_a: tag_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: merge
    answers c6 of c3, c4 'M'
    by get branch c4; get tag c4; get commit c4; now; set retention/pins/c4/p1; scan retention/condemned/c4/; get
        branch b; scan u.s.0/; get commit c3; get branch c4; get tag c4; get commit c4; get commit c4; get commit
        c2; get commit c1; now; set commit c6; set_if branch b; delete retention/pins/c4/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3, c4 'M'
: revert
    answers c6 of c3 'V'
    by get branch c3; get tag c3; get commit c3; get commit c3; now; set retention/pins/c2/p1; scan
        retention/condemned/c2/; get branch b; scan u.s.0/; get commit c3; get branch c3; get tag c3; get commit c3;
        get commit c3; get commit c2; now; set commit c6; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3 'V'
condemn_a: revert
    answers CommitExpired
    by get branch c3; get tag c3; get commit c3; get commit c3; now; set retention/pins/c2/p1; scan
        retention/condemned/c2/; delete retention/pins/c2/p1
: revert_first
    answers NoParent
    by get branch c1; get tag c1; get commit c1; get commit c1
: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b; delete
        retention/pins/c2/p1
    leaves +u.s.0/x = a 1B
: restore_none
    answers PathNotFound
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch c2; get tag c2; get commit c2; get commit c2; delete retention/pins/c2/p1
condemn_a: restore
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.plain_a: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
"""
ROWS = [stated("retention-pins", PINS, PINS_TABLE, "docs/hard-delete/retention.md", first=WHOLE)]

SCENARIOS = built(ROWS)
