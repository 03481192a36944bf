"""Repositories that note their tokens, a cleaner that removes the data of dead ones, and refs that get a new life.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_reclaiming`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_reclaiming import RECLAIMING
from lakeproof.scenarios.designs import built

RECLAIMING_TABLE: Final = """\
: create
    answers r active i1
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set noted-tokens/r-main:i1.s1; set branch
        main; set_if entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository
        created'; +noted-tokens/r-main:i1.s1 = mem://r
: bare
    answers r active i1 bare
    by now; get entry r; set_if entry r; set record r/i1; set_if entry r
    leaves +entry r = active i1 bare; +record r/i1 = r/i1
create: create
    answers NotUnique
    by now; get entry r
create.delete: create
    answers r active i2
    by now; get entry r; set_if entry r; set record r/i2; set commit c.i2; set noted-tokens/r-main:i2.s2; set branch
        main; set_if entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository
        created'; +noted-tokens/r-main:i2.s2 = mem://r
create: branch
    answers b c.i1 i1.s2
    by get entry r; get branch main; set noted-tokens/r-b:i1.s2; set_if branch b; get entry r
    leaves +branch b = c.i1 i1.s2; +noted-tokens/r-b:i1.s2 = mem://r
create: branch_b
    answers b c.i1 i1.b1.0
    by get entry r; get branch main; set noted-tokens/r-b:i1.b1.0; set_if branch b
    leaves +branch b = c.i1 i1.b1.0; +noted-tokens/r-b:i1.b1.0 = mem://r
create: tag
    answers t c.i1
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves +tag t = c.i1
create: up_x
    answers i1/a1 1B +0s
    by get entry r; put i1/a1; now; get branch main; set i1.s1/x; get branch main
    leaves +i1.s1/x = i1/a1 1B +0s; +object i1/a1 = 1
create.up_x: up_y
    answers i1/a2 1B +0s
    by get entry r; put i1/a2; now; get branch main; set i1.s1/y; get branch main
    leaves +i1.s1/y = i1/a2 1B +0s; +object i1/a2 = 1
create.up_x: no_x
    answers done
    by get entry r; get branch main; get i1.s1/x; get branch main; get branch main; set i1.s1/x; get branch main
    leaves ~i1.s1/x = gone
create: hide
    answers done
    by get entry r; get branch main; set_if branch main
    leaves ~branch main = c.i1 hidden i1.s1
create: seal
    answers done
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main
    leaves ~branch main = c.i1 i1.s2 i1.s1; +noted-tokens/r-main:i1.s2 = mem://r
create.up_x: commit
    answers c1 of c.i1 'one'
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main; scan i1.s1/; get commit c.i1;
        now; set commit c1; set_if branch main; scan i1.s1/; delete i1.s1/x
    leaves ~branch main = c1 i1.s2; +commit c1 = of c.i1 'one'; +noted-tokens/r-main:i1.s2 = mem://r; -i1.s1/x
create.up_x: commit, met by hide at 7
    answers c1 of c.i1 'one'; done
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main; scan i1.s1/; get commit c.i1;
        now; set commit c1; set_if branch main; get branch main; set_if branch main; scan i1.s1/; delete i1.s1/x
    leaves ~branch main = c1 hidden i1.s2; +commit c1 = of c.i1 'one'; +noted-tokens/r-main:i1.s2 = mem://r; -i1.s1/x
create.up_x: reset
    answers done
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main; scan i1.s1/; delete i1.s1/x
    leaves ~branch main = c.i1 i1.s2; +noted-tokens/r-main:i1.s2 = mem://r; -i1.s1/x
create.branch_b: drop_b
    answers done
    by get entry r; get branch b; delete branch b
    leaves -branch b
create.up_x.late: delete
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i1
create.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; list i1/
    leaves -branch main; -commit c.i1
create: clean
    answers 0
    by scan record; get entry r
create.up_x.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list
        i1/; delete i1/a1
    leaves -branch main; -commit c.i1; -i1.s1/x; -object i1/a1
create.up_x.seal.up_y.no_x.bring.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; scan
        i1.s2/; delete i1.s2/out; delete i1.s2/x; delete i1.s2/y; list i1/; delete i1/a1; delete i1/a2
    leaves -branch main; -commit c.i1; -i1.s1/x; -i1.s2/out; -i1.s2/x; -i1.s2/y; -object i1/a1; -object i1/a2
create.up_x.seal.up_y.late.delete: clean_paged
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; scan past branch main; delete commit c.i1; scan past
        commit c.i1; scan i1.s1/; delete i1.s1/x; scan past noted-tokens/r-main:i1.s1; scan i1.s2/; delete i1.s2/y;
        list i1/; delete i1/a1; list i1/; delete i1/a2; list i1/; delete i1/late
    leaves -branch main; -commit c.i1; -i1.s1/x; -i1.s2/y; -object i1/a1; -object i1/a2; -object i1/late
create.up_x.up_y.commit.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; delete commit c1; scan i1.s1/;
        scan i1.s2/; list i1/; delete i1/a1; delete i1/a2
    leaves -branch main; -commit c.i1; -commit c1; -object i1/a1; -object i1/a2
create.up_x.late.delete: clean, refused at 2
    answers 0
    by scan record; get entry r
create.up_x.late.delete: clean, refused at 3
    answers 0
    by scan record; get entry r; scan r-i1
create.up_x.late.delete: clean, refused at o1
    answers 0
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list
        i1/
    leaves -branch main; -commit c.i1; -i1.s1/x
create.up_x.late.delete: clean, refused at o2
    answers 0
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list
        i1/; delete i1/a1
    leaves -branch main; -commit c.i1; -i1.s1/x
create: held_up_x
    answers i1/a1 1B +0s
    by put i1/a1; now; get branch main; set i1.s1/x; get branch main
    leaves +i1.s1/x = i1/a1 1B +0s; +object i1/a1 = 1
create: held_seal
    answers done
    by get branch main; set noted-tokens/r-main:i1.s2; set_if branch main
    leaves ~branch main = c.i1 i1.s2 i1.s1; +noted-tokens/r-main:i1.s2 = mem://r
create.delete.clean: held_up_x
    answers BranchNotFound
    by put i1/a1; now; get branch main
    leaves +object i1/a1 = 1
create.delete.clean.held_up_x: clean
    answers 1
    by scan record; get entry r; scan r-i1; scan i1.s1/; list i1/; delete i1/a1
    leaves -object i1/a1
create.delete: clean, met by held_seal.held_up_x at 4
    answers 1; done; i1/a1 1B +0s
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; list i1/; delete
        i1/a1
    leaves -branch main; -commit c.i1; +noted-tokens/r-main:i1.s2 = mem://r; +i1.s2/x = i1/a1 1B +0s
create.delete: clean, met by held_up_x.held_late at 8
    answers 1; BranchNotFound; done
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; list i1/
    leaves -branch main; -commit c.i1; +object i1/a1 = 1; +object i1/late = 1
create: seal, met by hide at 4
    answers done; done
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main; get branch main; set
        noted-tokens/r-main:i1.s3; set_if branch main
    leaves ~branch main = c.i1 hidden i1.s3 i1.s1; +noted-tokens/r-main:i1.s2 = mem://r; +noted-tokens/r-main:i1.s3 =
        mem://r
create: seal, false at 4
    answers done
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2; set_if branch main; get branch main; set
        noted-tokens/r-main:i1.s3; set_if branch main
    leaves ~branch main = c.i1 i1.s3 i1.s2 i1.s1; +noted-tokens/r-main:i1.s2 = mem://r; +noted-tokens/r-main:i1.s3 =
        mem://r
create: seal, refused at 3
    answers Refused
    by get entry r; get branch main; set noted-tokens/r-main:i1.s2
create: branch_b, false at 4
    answers BranchExists
    by get entry r; get branch main; set noted-tokens/r-b:i1.b1.0; set_if branch b
    leaves +branch b = c.i1 i1.b1.0; +noted-tokens/r-b:i1.b1.0 = mem://r
create.up_x.delete.create.up_x: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list
        i1/; delete i1/a1; get entry r
    leaves -branch main; -commit c.i1; -i1.s1/x; -object i1/a1
create.up_x.delete.create.up_x: clean@namespace
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list
        data; delete i1/a1; delete i2/a2; get entry r
    leaves -branch main; -commit c.i1; -i1.s1/x; -object i1/a1; -object i2/a2
create.up_x.late.delete: clean@forgets
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x;
        delete noted-tokens/r-main:i1.s1; list i1/; delete i1/a1; delete i1/late
    leaves -branch main; -commit c.i1; -noted-tokens/r-main:i1.s1; -i1.s1/x; -object i1/a1; -object i1/late
create.other.up_x.delete.delete_other: clean
    answers 2
    by scan record; get entry other; scan other-i2; delete branch main; delete commit c.i2; scan i2.s2/; list i2/; get
        entry r; scan r-i1; delete branch main; delete commit c.i1; scan i1.s1/; delete i1.s1/x; list i1/; delete
        i1/a1
    leaves -branch main; -commit c.i2; -branch main; -commit c.i1; -i1.s1/x; -object i1/a1
create.up_x.delete.clean: clean
    answers 1
    by scan record; get entry r; scan r-i1; scan i1.s1/; list i1/
create.up_x.late.delete: clean@follows
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-main:i1.s1; scan i1.s1/; delete i1/a1;
        delete i1.s1/x; delete branch main; get entry r; delete commit c.i1; scan i1.s1/
    leaves -branch main; -commit c.i1; -i1.s1/x; -object i1/a1
create.up_x.seal.up_y.no_x.bring.delete: clean@follows
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-main:i1.s2; scan i1.s2/; delete i1.s2/out;
        delete i1.s2/x; delete i1/a2; delete i1.s2/y; set noted-tokens/r-main:i1.s1; scan i1.s1/; delete i1/a1; delete
        i1.s1/x; delete branch main; get entry r; delete commit c.i1; scan i1.s1/; scan i1.s2/
    leaves -branch main; -commit c.i1; -i1.s1/x; -i1.s2/out; -i1.s2/x; -i1.s2/y; -object i1/a1; -object i1/a2
create.up_x.up_y.commit.delete: clean@follows
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-main:i1.s2; scan i1.s2/; delete branch
        main; get entry r; delete commit c.i1; get entry r; delete i1/a1; delete i1/a2; delete commit c1; scan i1.s1/;
        scan i1.s2/
    leaves -branch main; -commit c.i1; -commit c1; -object i1/a1; -object i1/a2
create.up_x.up_y.commit.lose.delete: clean@follows
    answers 0
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-main:i1.s2; scan i1.s2/; delete branch
        main; get entry r; delete commit c.i1; get entry r
    leaves -branch main; -commit c.i1
create.up_x.up_y.commit.lose.later.delete.delete_later: clean@follows
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-main:i1.s2; scan i1.s2/; delete branch
        main; get entry r; delete commit c.i1; get entry r; get entry z; scan z-i2; get entry z; set
        noted-tokens/z-main:i2.s3; scan i2.s3/; delete branch main; get entry z; delete commit c.i2; scan i2.s3/
    leaves -branch main; -commit c.i1; -branch main; -commit c.i2
create.branch.tag.delete: clean@follows
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; set noted-tokens/r-b:i1.s2; scan i1.s2/; delete branch b; get
        entry r; set noted-tokens/r-main:i1.s1; scan i1.s1/; delete branch main; get entry r; delete commit c.i1; scan
        i1.s2/; scan i1.s1/; get entry r; delete tag t
    leaves -branch b; -branch main; -commit c.i1; -tag t
create.up_x.commit: revive
    answers done
    by get entry r; scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get entry r; set_if entry r;
        now; get entry r; set_if entry r; set record r/i2; set_if entry r; get p4; get p1; get p2; get p3; scan
        branch; scan tag; scan commit; set_if commit c.i1; set_if commit c1; set noted-tokens/r-main:i2.b1.0; set_if
        branch main
    leaves ~entry r = active i2 bare; +record r/i2 = r/i2; +branch main = c1 i2.b1.0; +commit c.i1 = of none
        'Repository created'; +commit c1 = of c.i1 'one'; +noted-tokens/r-main:i2.b1.0 = mem://r; +object p1 =
        lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof refs: tags 1;
        +object p4 = {
create.up_x.commit: revive_plainly
    answers done
    by get entry r; scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get entry r; set_if entry r;
        now; get entry r; set_if entry r; set record r/i2; set_if entry r; get p4; get p1; get p2; get p3; scan
        branch; scan tag; scan commit; set_if commit c.i1; set_if commit c1; set_if branch main
    leaves ~entry r = active i2 bare; +record r/i2 = r/i2; +branch main = c1 i2.b1.0; +commit c.i1 = of none
        'Repository created'; +commit c1 = of c.i1 'one'; +object p1 = lakeproof refs: branches 1; +object p2 =
        lakeproof refs: commits 1; +object p3 = lakeproof refs: tags 1; +object p4 = {
create.up_x.commit.revive: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; delete commit c1; scan i1.s1/;
        scan i1.s2/; list i1/; delete i1/a1; get entry r
    leaves -branch main; -commit c.i1; -commit c1; -object i1/a1
"""

ROWS = [stated("reclaiming", RECLAIMING, RECLAIMING_TABLE, "docs/designs.md, reclaiming")]

SCENARIOS = built(ROWS)
