"""The world of young commits: users, the online and the offline job, and the end of the repository under them.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_world`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_world import FRESH, WORLD
from lakeproof.scenarios.designs import built

FRESH_TABLE: Final = """\
: up_x
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
up_x: up_x2
    answers u.b2.0/a2 3B +0s
    by now; get branch b; now; set r-b:u.b2.0/a2; put u.b2.0/a2 until +3600s; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = u.b2.0/a2 3B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s x; +object
        u.b2.0/a2 = two
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1; set_if u.b2.0/x;
        get branch b
    leaves ~u.b2.0/x = gone; ~r-b:u.b2.0/a1 = settled - x
up_x: x
    answers 1
    by get branch b; get u.b2.0/x; get branch b; get u.b2.0/a1
up_x: copy
    answers u.b2.0/a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2
        until +3600s; get u.b2.0/y; set_if u.b2.0/y; get branch b
    leaves +u.b2.0/y = u.b2.0/a2 1B +0s; +r-b:u.b2.0/a2 = used +3600s y; +object u.b2.0/a2 = 1
up_x: move, then y
    answers u.b2.0/a2 1B +0s; 1
    by get branch b; get u.b2.0/x; get branch b; get branch b; now; set r-b:u.b2.0/a2; copy u.b2.0/a1 to u.b2.0/a2
        until +3600s; get u.b2.0/y; set_if u.b2.0/y; get branch b; get branch b; get u.b2.0/x; set_if r-b:u.b2.0/a1;
        set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = u.b2.0/a2 1B +0s; ~r-b:u.b2.0/a1 = settled - x; +r-b:u.b2.0/a2 = used +3600s
        y; +object u.b2.0/a2 = 1
up_main.commit_main.move_main: copy_main
    answers u.b2.0/a2 1B +0s
    by get branch main; get u.b1.s1/m; get commit c2; get branch main; get branch b; now; set r-b:u.b2.0/a2; copy
        r-main:u.b1.0/a1 to u.b2.0/a2 until +3600s; get u.b2.0/y; set_if u.b2.0/y; get branch b
    leaves +u.b2.0/y = u.b2.0/a2 1B +0s; +r-b:u.b2.0/a2 = used +3600s y; +object u.b2.0/a2 = 1
up_main.commit_main.move_main: copy_main@by_entry
    answers r-main:u.b1.0/a1 1B +0s
    by get branch main; get u.b1.s1/m; get commit c2; get branch main; get branch b; get u.b2.0/y; set_if u.b2.0/y;
        get branch b
    leaves +u.b2.0/y = r-main:u.b1.0/a1 1B +0s
up_x: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x.seal.up_y: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; set r-b:u.b2.s1/c2; set r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.s1/;
        delete u.b2.s1/y; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/y; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1;
        +r-b:u.b2.s1/c2 = 1; +c1 = 1
up_x: commit, met by late_x at 6, then head
    answers c3 of c1 'one'; done; (x=l1)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; set r-b:u.b2.s1/c3; set r-b:u.b2.0/c3; set c1; set_if branch b; scan u.b2.s1/;
        scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c3 = of c1 'one'; +commit c2 = of c1 'one'; +r-b:u.b2.0/c3 = 1;
        +r-b:u.b2.s1/c3 = 1; +c1 = 1
up_x: commit, met by late_x at 6, 14
    answers BranchBusy; done; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c3; scan u.b2.0/;
        scan u.b2.s1/; get commit c1
    leaves ~u.b2.0/x = l2; ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0; +commit c3 = of c1 'one'; +commit c2 = of c1 'one'
up_x: commit, met by commit_again at 9
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; scan u.b2.0/; get commit c1;
        set r-b:u.b2.0/c2; set c1; set_if branch b; get branch b; get commit c3; now; set commit c4; get commit c3;
        set c3; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c3 = of c1 'two'; +commit c2 = of c1 'one'; +commit c4 = of c3
        'one'; +r-b:u.b2.0/c3 = 1; +r-b:u.b2.0/c2 = 1; +r-b:u.b2.s1/c3 = 1; +c3 = 1; +c1 = 1
up_x: commit@once
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set r-b:u.b2.0/c2; set c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x: commit@once, met by late_x at 6, then head
    answers c2 of c1 'one'; done; (x=u.b2.0/a1 1B +0s)
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set r-b:u.b2.0/c2; set c1;
        set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1; +c1 = 1
up_x.commit: merge
    answers c3 of c1, c2 'merged'
    by get branch b; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch main; scan u.b1.0/; get
        commit c1; get branch c2; get tag c2; get commit c2; get commit c2; now; set commit c3; set c1; set_if branch
        main; delete retention/pins/c2/p1
    leaves ~branch main = c3 u.b1.0; +commit c3 = of c1, c2 'merged'
up_x.commit: merge@unnoted
    answers c3 of c1, c2 'merged'
    by get branch b; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch main; scan u.b1.0/; get
        commit c1; get branch c2; get tag c2; get commit c2; get commit c2; now; set commit c3; set_if branch main;
        delete retention/pins/c2/p1
    leaves ~branch main = c3 u.b1.0; +commit c3 = of c1, c2 'merged'
: merge
    answers c2 of c1, c1 'merged'
    by get branch b; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch main; scan u.b1.0/; get
        commit c1; get branch c1; get tag c1; get commit c1; get commit c1; now; set commit c2; set c1; set_if branch
        main; delete retention/pins/c1/p1
    leaves ~branch main = c2 u.b1.0; +commit c2 = of c1, c1 'merged'; +c1 = 1
: revert
    answers NoParent
    by get branch main; get commit c1
up_main.commit_main: revert
    answers c3 of c2 'reverted'
    by get branch main; get commit c2; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch main;
        scan u.b1.s1/; get commit c2; get branch c2; get tag c2; get commit c2; get commit c2; get commit c1; now; set
        commit c3; set c2; set_if branch main; delete retention/pins/c1/p1
    leaves ~branch main = c3 u.b1.s1; +commit c3 = of c2 'reverted'; +c2 = 1
up_main.commit_main: revert@unnoted
    answers c3 of c2 'reverted'
    by get branch main; get commit c2; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch main;
        scan u.b1.s1/; get commit c2; get branch c2; get tag c2; get commit c2; get commit c2; get commit c1; now; set
        commit c3; set_if branch main; delete retention/pins/c1/p1
    leaves ~branch main = c3 u.b1.s1; +commit c3 = of c2 'reverted'
up_main.commit_main: move_main
    answers b c2 u.b2.0
    by get branch main; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch b; set c1; set_if
        branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.b2.0
up_main.commit_main: move_main@unnoted
    answers b c2 u.b2.0
    by get branch main; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch b; get branch c2; get
        tag c2; get commit c2; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.b2.0
up_main.commit_main: move_main, false at 6
    answers b c2 u.b2.0
    by get branch main; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch b; set c1; set_if
        branch b; get branch b; set c2; set_if branch b; delete retention/pins/c2/p1
    leaves ~branch b = c2 u.b2.0; +c2 = 1
up_main.commit_main: move_main, met by delete_branch at 5
    answers BranchNotFound; done
    by get branch main; now; set retention/pins/c2/p1; scan retention/condemned/c2/; get branch b; set c1; set_if
        branch b; get branch b; delete retention/pins/c2/p1
    leaves ~branch b = none u.b2.0
: create_c
    answers c c1 u.b3.0
    by get branch main; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch c1; get tag c1; get
        commit c1; set_if branch c; delete retention/pins/c1/p1
    leaves +branch c = c1 u.b3.0
delete_branch: create_b
    answers b c1 u.b3.0
    by get branch main; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch c1; get tag c1; get
        commit c1; set_if branch b; get branch b; set_if branch b; delete retention/pins/c1/p1
    leaves ~branch b = c1 u.b3.0
delete_branch: create_b@used_up
    answers BranchExists
    by get branch main; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch c1; get tag c1; get
        commit c1; set_if branch b; delete retention/pins/c1/p1
up_x: delete_branch
    answers done
    by get branch b; set c1; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = none u.b2.0; +c1 = 1
: tag
    answers t c1
    by get branch b; now; set retention/pins/c1/p1; scan retention/condemned/c1/; get branch c1; get tag c1; get
        commit c1; set_if tag t; delete retention/pins/c1/p1
    leaves +tag t = c1
up_x.reset: reap
    answers ()
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; scan r-b:u.b2.0/
up_x.reset: reap, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r; delete u.b2.0/a1;
        delete r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: reap@any, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: collect, 3601 s later
    answers (mem://r/data/r-b:u.b2.0/a1)
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; get entry r; delete u.b2.0/a1
    leaves -object u.b2.0/a1
up_x.reset.up_y: collect_paged, 3601 s later
    answers (mem://r/data/r-b:u.b2.0/a1)
    by now; list data; list data; scan branch; scan u.b2.s1/; scan past branch b; scan u.b1.0/; scan past branch main;
        scan commit; get entry r; delete u.b2.0/a1
    leaves -object u.b2.0/a1
up_x.reset: collect@any, 3601 s later
    answers (mem://r/data/r-b:u.b2.0/a1)
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; delete u.b2.0/a1
    leaves -object u.b2.0/a1
: collect
    answers ()
    by now; list data; scan branch; scan u.b2.0/; scan u.b1.0/; scan commit
up_x.seal.up_y: commit_paged
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; scan u.b2.0/;
        scan u.b2.s1/; get commit c1; set r-b:u.b2.s1/c2; set r-b:u.b2.0/c2; set c1; set_if branch b; scan u.b2.s1/;
        delete u.b2.s1/y; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/y; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +r-b:u.b2.0/c2 = 1;
        +r-b:u.b2.s1/c2 = 1; +c1 = 1
up_x.reset: reap, met by delete_repository at 5, 3601 s later
    answers RepositoryGone?; done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r
    leaves ~entry r = deleted u -3601s
up_x.reset: reap, met by delete_repository at 6, 3601 s later
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r; delete u.b2.0/a1;
        delete r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves ~entry r = deleted u -3601s; -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: reap@any, met by delete_repository at 5, 3601 s later
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; delete u.b2.0/a1; delete
        r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves ~entry r = deleted u -3601s; -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: reap, met by delete_repository.create_repository at 5, 3601 s later
    answers RepositoryGone?; done; r active i1
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r
    leaves ~entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s2; +commit c.i1 = of none 'Repository
        created'
up_x.reset: reap, met by delete_repository at o1, 3601 s later
    answers (data/r-b:u.b2.0/a1); done
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r; delete u.b2.0/a1;
        delete r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves ~entry r = deleted u -3601s; -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: collect, met by delete_repository at o2, 3601 s later
    answers (mem://r/data/r-b:u.b2.0/a1); done
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; get entry r; delete u.b2.0/a1
    leaves ~entry r = deleted u -3601s; -object u.b2.0/a1
up_x.reset: collect, met by delete_repository.create_repository at 5, 3601 s later
    answers RepositoryGone?; done; r active i1
    by now; list data; scan branch; scan u.b2.s1/; scan u.b1.0/; scan commit; get entry r
    leaves ~entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s2; +commit c.i1 = of none 'Repository
        created'
: id_up_x
    answers u.b2.0/a1 1B +0s
    by get entry r; now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
up_x: id_x
    answers 1
    by get entry r; get branch b; get u.b2.0/x; get branch b; get u.b2.0/a1
up_x.reset: id_reap, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by get entry r; scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r; delete
        u.b2.0/a1; delete r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
delete_repository: id_up_x
    answers RepositoryNotFound
    by get entry r
delete_repository: late_up_x
    answers u.b2.0/a1 1B +0s
    by now; get branch b; now; set r-b:u.b2.0/a1; put u.b2.0/a1 until +3600s; get u.b2.0/x; set_if u.b2.0/x; get
        branch b
    leaves +u.b2.0/x = u.b2.0/a1 1B +0s; +r-b:u.b2.0/a1 = used +3600s x; +object u.b2.0/a1 = 1
delete_repository: id_reap
    answers RepositoryNotFound
    by get entry r
up_x.reset: late_reap, 3601 s later
    answers (data/r-b:u.b2.0/a1)
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r; delete u.b2.0/a1;
        delete r-b:u.b2.0/a1; scan r-b:u.b2.0/; scan r-b:u.b2.0/
    leaves -r-b:u.b2.0/a1; -object u.b2.0/a1
up_x.reset: late_reap, met by delete_repository.create_repository at 5, 3601 s later
    answers RepositoryGone?; done; r active i1
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r
    leaves ~entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s2; +commit c.i1 = of none 'Repository
        created'
up_x.reset.delete_repository: late_reap, 3601 s later
    answers RepositoryGone?
    by scan r-u/addresses; get branch b; scan r-b:u.b2.0/; now; get r-b:u.b2.0/a1; get entry r
"""

ROWS = [stated("world", WORLD, FRESH_TABLE, "docs/world.md", FRESH)]

SCENARIOS = built(ROWS)
