"""The world of old commits: retention, restores, and what was condemned; and bare repositories without a branch.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_world`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_world import AGED, WORLD
from lakeproof.scenarios.designs import built

AGED_TABLE: Final = """\
: restore
    answers a 1B
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        commit c2; get branch b; get u.s.0/x; set_if u.s.0/x; get branch b; delete retention/pins/c2/p1
    leaves +u.s.0/x = a 1B
: restore_none
    answers PathNotFound
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        commit c2; delete retention/pins/c2/p1
condemn_a: restore
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: copy_side
    answers u.s.0/a1 1B
    by get branch z; get u.s.0/w; get commit c4; get branch z; get branch b; now; set r-b:u.s.0/a1; copy e to u.s.0/a1
        until +3600s; get u.s.0/y; set_if u.s.0/y; get branch b
    leaves +u.s.0/y = u.s.0/a1 1B; +r-b:u.s.0/a1 = used +3600s y; +object u.s.0/a1 = e
: merge_d
    answers c6 of c3, c5 'merged'
    by get branch c5; get tag c5; get commit c5; now; set retention/pins/c5/p1; scan retention/condemned/c5/; get
        branch b; scan u.s.0/; get commit c3; get branch c5; get tag c5; get commit c5; get commit c5; get commit c2;
        get commit c1; now; set commit c6; set c3; set_if branch b; delete retention/pins/c5/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3, c5 'merged'; +c3 = 1
: revert_b
    answers c6 of c3 'reverted'
    by get branch b; get commit c3; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch b; scan
        u.s.0/; get commit c3; get branch c3; get tag c3; get commit c3; get commit c3; get commit c2; now; set commit
        c6; set c3; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c6 u.s.0; +commit c6 = of c3 'reverted'; +c3 = 1
: revert_first
    answers NoParent
    by get branch c1; get tag c1; get commit c1; get commit c1
: move_a
    answers b c2 u.s.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch b; set c3; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.s.0; +c3 = 1
: move_a@unnoted
    answers b c2 u.s.0
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get
        branch b; get branch c2; get tag c2; get commit c2; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.s.0
condemn_a: move_a
    answers CommitExpired
    by get branch c2; get tag c2; get commit c2; now; set retention/pins/c2/p1; scan retention/condemned/c2/; delete
        retention/pins/c2/p1
: delete_z
    answers done
    by get branch z; set c4; set_if branch z; scan u.s.0/
    leaves ~branch z = none u.s.0; +c4 = 1
: tag_e
    answers t c4
    by get branch c4; get tag c4; get commit c4; now; set retention/pins/c4/p1; scan retention/condemned/c4/; get
        branch c4; get tag c4; get commit c4; set_if tag t; delete retention/pins/c4/p1
    leaves +tag t = c4
: mark
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c5/u/n; set retention/condemned/c2/u/n; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put u/n/mark.json
    leaves +retention/condemned/c5/u/n = u/n; +retention/condemned/c2/u/n = u/n; +object u/n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark@any
    answers (mem://r/data/a, mem://r/data/d)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c5/n; set retention/condemned/c2/n; scan retention/pins/; now; scan branch; scan u.s.0/;
        scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put n/mark.json
    leaves +retention/condemned/c5/n = n; +retention/condemned/c2/n = n; +object n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
: mark_bare
    answers (mem://r/data/a, mem://r/data/d)
    by get branch main; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit;
        set retention/condemned/c5/u/n; set retention/condemned/c2/u/n; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put u/n/mark.json
    leaves +retention/condemned/c5/u/n = u/n; +retention/condemned/c2/u/n = u/n; +object u/n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
delete_z: mark
    answers (mem://r/data/a, mem://r/data/d, mem://r/data/e)
    by now; scan branch; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set retention/condemned/c4/u/n;
        set retention/condemned/c5/u/n; set retention/condemned/c2/u/n; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put u/n/mark.json
    leaves +retention/condemned/c4/u/n = u/n; +retention/condemned/c5/u/n = u/n; +retention/condemned/c2/u/n = u/n;
        +object u/n/mark.json = {"addresses": ["mem://r/data/a", "mem://r/data/d", "mem://r/data/e"]}
mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r; delete a; get
        entry r; delete d
    leaves -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing; -object d
mark: sweep_paged
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/condemned/; put condemned/c5; scan past retention/condemned/c5/u/n; put condemned/c2; get
        u/n/mark.json; get entry r; delete a; get entry r; delete d
    leaves -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing; -object d
mark: sweep@go
    answers (mem://r/data/a, mem://r/data/d)
    by get u/n/mark.json; get entry r; delete a; get entry r; delete d
    leaves -object a; -object d
mark@any: sweep@any
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get n/mark.json; delete a; delete d
    leaves -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing; -object d
condemn_other.condemn_a.condemn_d.mark: sweep
    answers (mem://r/data/a, mem://r/data/d)
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r; delete a; get
        entry r; delete d
    leaves -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing; -object d
mark: sweep, met by delete_repository at 3
    answers RepositoryGone?; done
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r; delete a; get
        entry r
    leaves ~entry r = deleted u; -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing
mark: sweep, met by delete_repository at o3
    answers RepositoryGone?; done
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r
    leaves ~entry r = deleted u; +object condemned/c2 = nothing; +object condemned/c5 = nothing
mark@any: sweep@any, met by delete_repository at o4
    answers (mem://r/data/a, mem://r/data/d); done
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get n/mark.json; delete a; delete d
    leaves ~entry r = deleted u; -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing; -object d
mark: sweep, met by delete_repository.create_repository at o3
    answers RepositoryGone?; done; r active i1
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r
    leaves ~entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository
        created'; +object condemned/c2 = nothing; +object condemned/c5 = nothing
mark: sweep, met by delete_repository.create_repository at o4
    answers RepositoryGone?; done; r active i1
    by scan retention/condemned/; put condemned/c5; put condemned/c2; get u/n/mark.json; get entry r; delete a; get
        entry r
    leaves ~entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository
        created'; -object a; +object condemned/c2 = nothing; +object condemned/c5 = nothing
dump: restore_refs
    answers done
    by get dump; list condemned/; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
dump.publish_d: restore_refs
    answers done
    by get dump; list condemned/; get p4; get p1; get p2; get p3; set retention/condemned/c5/restored; get p4; get p1;
        get p2; get p3; scan branch; scan tag; scan commit
    leaves +retention/condemned/c5/restored = restored
dump.publish_a.publish_d: restore_refs
    answers done
    by get dump; list condemned/; get p4; get p1; get p2; get p3; set retention/condemned/c5/restored; set
        retention/condemned/c2/restored; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
    leaves +retention/condemned/c5/restored = restored; +retention/condemned/c2/restored = restored
dump.publish_a.publish_d: restore_refs@go
    answers done
    by get dump; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
dump.publish_b: restore_refs
    answers Condemned
    by get dump; list condemned/; get p4; get p1; get p2; get p3
dump.publish_e: restore_refs
    answers Condemned
    by get dump; list condemned/; get p4; get p1; get p2; get p3
tag_a.dump.publish_a: restore_refs
    answers Condemned
    by get dump; list condemned/; get p4; get p1; get p2; get p3
tag_a.dump.publish_d: restore_refs
    answers done
    by get dump; list condemned/; get p4; get p1; get p2; get p3; set retention/condemned/c5/restored; get p4; get p1;
        get p2; get p3; scan branch; scan tag; scan commit
    leaves +retention/condemned/c5/restored = restored
dump.publish_b: restore_refs@go
    answers done
    by get dump; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
dump.delete_repository.create_bare: id_restore_refs
    answers done
    by get dump; get entry r; list condemned/; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit;
        set_if commit c4; set_if commit c5; set_if commit c2; set_if commit c1; set_if commit c3; set_if branch b;
        set_if branch z; set_if branch main
    leaves +branch b = c3 i1.b1.0; +branch main = c3 i1.b3.0; +branch z = c4 i1.b2.0; +commit c4 = of c1 'E'
        -2592000s; +commit c5 = of c1 'D' -2592000s; +commit c2 = of c1 'A' -2592000s; +commit c1 = of none 'R'
        -3456000s; +commit c3 = of c2 'B' -1728000s
dump.delete_repository.create_bare.publish_d.publish_a: id_restore_refs
    answers done
    by get dump; get entry r; list condemned/; get p4; get p1; get p2; get p3; set retention/condemned/c5/restored;
        set retention/condemned/c2/restored; get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit;
        set_if commit c4; set_if commit c5; set_if commit c2; set_if commit c1; set_if commit c3; set_if branch b;
        set_if branch z; set_if branch main
    leaves +branch b = c3 i1.b1.0; +branch main = c3 i1.b3.0; +branch z = c4 i1.b2.0; +commit c4 = of c1 'E'
        -2592000s; +commit c5 = of c1 'D' -2592000s; +commit c2 = of c1 'A' -2592000s; +commit c1 = of none 'R'
        -3456000s; +commit c3 = of c2 'B' -1728000s; +retention/condemned/c5/restored = restored;
        +retention/condemned/c2/restored = restored
: id_mark
    answers (mem://r/data/a, mem://r/data/d)
    by get entry r; now; scan branch; scan u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; set
        retention/condemned/c5/u/n; set retention/condemned/c2/u/n; scan retention/pins/; now; scan branch; scan
        u.s.0/; scan u.s.0/; scan u.s.0/; scan branch; scan tag; scan commit; put u/n/mark.json
    leaves +retention/condemned/c5/u/n = u/n; +retention/condemned/c2/u/n = u/n; +object u/n/mark.json = {"addresses":
        ["mem://r/data/a", "mem://r/data/d"]}
dump.delete_repository.create_bare.publish_b: id_restore_refs
    answers Condemned
    by get dump; get entry r; list condemned/; get p4; get p1; get p2; get p3
condemn_d: sweep
    answers MarkNotFound
    by scan retention/condemned/; put condemned/c5; get u/n/mark.json
    leaves +object condemned/c5 = nothing
tag_e.dump.publish_e: restore_refs
    answers Condemned
    by get dump; list condemned/; get p4; get p1; get p2; get p3
"""
UNRESTORED_TABLE: Final = """\
: collect
    answers ()
    by now; list data; scan branch; scan commit
: collect_bare
    answers NotRestored
    by get branch main
: collect_bare@taken
    answers ()
    by now; list data; scan branch; scan commit
: mark_bare
    answers NotRestored
    by get branch main
: mark_bare@taken
    answers ()
    by now; scan branch; scan branch; scan tag; scan commit; scan retention/pins/; now; scan branch; scan branch; scan
        tag; scan commit; put u/n/mark.json
    leaves +object u/n/mark.json = {"addresses": []}
"""

ROWS = [
    stated("world-aged", WORLD, AGED_TABLE, "docs/world.md", AGED),
    stated("world-unrestored", WORLD, UNRESTORED_TABLE, "docs/world.md"),
]

SCENARIOS = built(ROWS)
