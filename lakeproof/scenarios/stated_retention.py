"""Retention as its text says it: marks, sweeps, and what users do.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_retention`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_retention import RUNS, WHOLE
from lakeproof.scenarios.designs import built

RUNS_TABLE: Final = """\
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark_paged
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan past branch b; scan past branch main; scan past branch z; scan u.s.0/; scan u.s.0/;
        scan u.s.0/; scan branch; scan past branch b; scan past branch main; scan past branch z; scan commit; scan
        past commit c5; scan past commit c4; scan past commit c2; scan past commit c1; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@last
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan commit; scan u.s.0/; scan u.s.0/; scan u.s.0/; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@one
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@late
    answers (mem://r/data/a, mem://r/data/d)
    by scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; now; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@commits
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@lenient
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@twice
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark@tags
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
plain_tag: mark@tags
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
plain_tag.tag_first: mark@tags
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
tag_first.plain_tag: mark@tags
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
move_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a.seal.upload: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_out.commit.move_main: mark, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
stage_a.upload.commit.move_main: mark, 691200 s later
    answers (mem://r/data/a, mem://r/data/a1, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/a1", "mem://r/data/d"]}
upload.stage_a_last: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark@last
    answers (mem://r/data/d)
    by now; scan branch; scan commit; scan u.s.0/; scan u.s.0/; scan u.s.0/; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a: mark@one
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_out.upload: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
stage_a.no_x: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
stage_a.commit: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
upload.commit: mark, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
upload.commit: mark, 604799 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
upload.commit: mark@tags, 691200 s later
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.s1/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
drop_branch: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
drop_z: mark
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
drop_branch.drop_z: mark
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by now; scan branch; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
plain_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
lose_a: mark
    answers (mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/d"]}
lose_b: mark
    answers MissingObject
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
lose_b: mark_zero
    answers MissingObject
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
forget_b: mark
    answers HeadNotFound
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
forget_b: mark@lenient
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves +object n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d"]}
: mark, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark@commits, met by upload.commit at 3
    answers HeadNotFound; a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u
: mark@lenient, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; put n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark@twice, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero@twice, met by upload.commit at 3
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero@twice, met by upload.commit at 7
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_zero@twice, met by upload.commit at 6
    answers (mem://r/data/a, mem://r/data/d); a1 1B +0s; c6 of c3 'N'
    by now; scan commit; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; put
        n/mark.json
    leaves ~branch b = c6 u.s.s1; +commit c6 = of c3 'N'; +object a1 = u; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark, refused at 2
    answers Refused
    by now; scan branch; scan u.s.0/
: sweep
    answers MarkNotFound
    by get n/mark.json
mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.mark_again: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.sweep: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
mark.stage_a: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; delete a; delete d
    leaves -object a; -object d
mark.stage_a: sweep@again
    answers (mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; delete d
    leaves -object d
mark: sweep@again
    answers (mem://r/data/a, mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit; delete a;
        delete d
    leaves -object a; -object d
drop_z.mark: sweep@again
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan commit; delete a; delete d;
        delete e
    leaves -object a; -object d; -object e
drop_branch.drop_z.mark: sweep@again
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan branch; scan commit; delete a; delete d; delete e
    leaves -object a; -object d; -object e
mark: sweep@raised
    answers ()
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
mark.plain_a: sweep@again
    answers (mem://r/data/d)
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.b1.0/; scan u.s.0/; scan u.s.0/; scan branch; scan
        commit; delete d
    leaves -object d
mark.forget_b: sweep@again
    answers HeadNotFound
    by get n/mark.json; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan commit
mark: sweep, refused at o2
    answers Refused
    by get n/mark.json; delete a
: branch_a
    answers c c2 u.b1.0
    by get branch c2; get tag c2; get commit c2; set_if branch c
    leaves +branch c = c2 u.b1.0
: move_a
    answers b c2 u.s.0
    by get branch b; get branch c2; get tag c2; get commit c2; set_if branch b
    leaves ~branch b = c2 u.s.0
: tag_a
    answers t c2
    by get branch c2; get tag c2; get commit c2; set_if tag t
    leaves +tag t = c2
: merge
    answers c6 of c3, c4 'M'
    by get branch b; scan u.s.0/; get commit c3; get branch c4; get tag c4; get commit c4; get commit c4; get commit
        c2; get commit c1; now; set commit c6; set_if branch b
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3, c4 'M'
: revert
    answers c6 of c3 'V'
    by get branch b; scan u.s.0/; get commit c3; get branch c3; get tag c3; get commit c3; get commit c3; get commit
        c2; now; set commit c6; set_if branch b
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3 'V'
: revert_first
    answers NoParent
    by get branch b; scan u.s.0/; get commit c3; get branch c1; get tag c1; get commit c1; get commit c1
: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b
    leaves +u.s.0/x = a 1B
: restore_none
    answers PathNotFound
    by get branch c2; get tag c2; get commit c2; get commit c2
: restore@full
    answers a1 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; copy a to a1; get branch b; set u.s.0/x; get branch
        b
    leaves +u.s.0/x = a1 1B; +object a1 = a
mark.sweep: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; get commit c2; get branch b; set u.s.0/x; get branch b
    leaves +u.s.0/x = a 1B
mark.sweep: restore@full
    answers DataGone
    by get branch c2; get tag c2; get commit c2; get commit c2; copy a to a1
"""
ROWS = [stated("retention", RUNS, RUNS_TABLE, "committed-object-retention.md", first=WHOLE)]

SCENARIOS = built(ROWS)
