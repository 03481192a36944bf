"""Entries of today: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' pkg/graveler, Set, Update, Delete, DeleteBatch, Get and List, with safeBranchWrite around
them; the repairs are ours, docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.refs import branches
from lakeproof.impl.upstream import entries, flows
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

X: Final = (REPOSITORY, BRANCH, b"x")
WRITES: Final = words_of(
    flows.FLOWS,
    x_data=Call(entries.set_entry, *X, b"4", b"data"),
    several=Call(entries.set_entries, REPOSITORY, BRANCH, ((b"x", b"5"), (b"y", b"6"))),
    erase_x=Call(entries.delete_entry, *X, no_tombstone=True),
    erase_x_careful=Call(entries.delete_entry, *X, no_tombstone=True, careful=True),
    no_x_careful=Call(entries.delete_entry, *X, careful=True),
    no_xy=Call(entries.delete_entries, REPOSITORY, BRANCH, (b"x", b"y")),
    erase_xy=Call(entries.delete_entries, REPOSITORY, BRANCH, (b"x", b"y"), no_tombstone=True),
    x_again=Call(entries.get_entry, *X, rereads=True),
    list_again=Call(entries.list_entries, REPOSITORY, BRANCH, rereads=True),
    move=Call(branches.update_branch, REPOSITORY, BRANCH, MAIN),
    list_paged=Call(entries.list_entries, REPOSITORY, BRANCH, batch_size=1),
    list_y=Call(entries.list_entries, REPOSITORY, BRANCH, b"y"),
)
WRITES_TABLE: Final = """\
: x1
    answers done
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = 1
: x1, met by seal at 3
    answers done; done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = 1; +u.b2.s1/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
: x1, met by seal at 2
    answers done; done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = 1; +u.b2.s1/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
: x1, met by seal at 3, 5
    answers done; done; done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b; get branch b; set
        u.b2.s2/x; get branch b
    leaves +u.b2.0/x = 1; +u.b2.s1/x = 1; +u.b2.s2/x = 1; ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0
: x1, met by seal at 3, 5, 7
    answers done; done; done; done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b; get branch b; set
        u.b2.s3/x; get branch b
    leaves +u.b2.0/x = 1; +u.b2.s1/x = 1; +u.b2.s3/x = 1; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: x1, met by delete_branch at 3
    answers BranchNotFound; done
    by get branch b; set u.b2.0/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = 1; -branch b
: x1, met by x2 at 3
    answers done; done
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = 2
x1: x2
    answers done
    by get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 2
: x_data, then x
    answers done; x=4:data
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = 4:data
: several
    answers done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/x = 5; +u.b2.0/y = 6
: several, met by seal at 3
    answers done; done
    by get branch b; set u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b; get branch b; set
        u.b2.s1/y; get branch b
    leaves +u.b2.0/x = 5; +u.b2.s1/x = 5; +u.b2.s1/y = 6; ~branch b = c1 u.b2.s1 u.b2.0
: no_x
    answers done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
x1: no_x
    answers done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
x1: erase_x
    answers done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
x1: erase_x_careful
    answers done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b
    leaves -u.b2.0/x
x1.commit: no_x
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.commit: erase_x
    answers done
    by get branch b; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.commit: erase_x_careful
    answers done
    by get branch b; get commit c2; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.commit.no_x: no_x
    answers done
    by get branch b; set_if u.b2.s1/x; get branch b
x1.commit.no_x: erase_x
    answers done
    by get branch b; get commit c2; set u.b2.s1/x; get branch b
x1.seal: no_x
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c1; get u.b2.s1/x; get u.b2.0/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.seal: erase_x
    answers done
    by get branch b; get commit c1; get u.b2.0/x; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = gone
x1.seal.x2: erase_x
    answers done
    by get branch b; get commit c1; get u.b2.0/x; set u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = gone
x1.seal.no_x.seal: no_x
    answers done
    by get branch b; set_if u.b2.s2/x; get commit c1; get u.b2.s2/x; get u.b2.s1/x; get branch b
x1.seal.no_x.seal: no_x_careful
    answers done
    by get branch b; set_if u.b2.s2/x; get commit c1; get u.b2.s2/x; get u.b2.s1/x; set u.b2.s2/x; get branch b
    leaves +u.b2.s2/x = gone
x1.seal.no_x.seal: erase_x
    answers done
    by get branch b; get commit c1; get u.b2.s1/x; get branch b
x1.seal.no_x.seal.x2: erase_x
    answers done
    by get branch b; get commit c1; get u.b2.s1/x; get branch b
no_x.seal: no_x
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c1; get u.b2.s1/x; get u.b2.0/x; get branch b
: no_x, met by x1 at 2
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = gone
: no_x, met by x1 at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = gone
: no_x, met by x1.commit at 3
    answers done; done; c2 of c1 'one'
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 =
        of c1 'one'
: no_x, met by x1 at 6
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves +u.b2.0/x = 1
: no_x, met by seal at 6
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1: no_x, met by seal at 2
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; get commit c1; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1: no_x, met by seal at 3
    answers done; done
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; get commit c1; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1: no_x, met by commit at 2
    answers done; c2 of c1 'one'
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; get commit c2; set
        u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 =
        of c1 'one'
x1: no_x, met by commit at 3
    answers done; NoChanges
    by get branch b; set_if u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x; get commit c1; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.seal: no_x_careful, met by commit at 5
    answers done; c2 of c1 'one'
    by get branch b; set_if u.b2.s1/x; get commit c1; get u.b2.s1/x; get u.b2.0/x; set u.b2.s1/x; get branch b;
        get branch b; set_if u.b2.s2/x; get commit c2; set u.b2.s2/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +u.b2.s1/x = gone; +u.b2.s2/x = gone; ~branch b
        = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.seal.no_x.seal: no_x_careful, met by commit at 6
    answers done; NoChanges
    by get branch b; set_if u.b2.s2/x; get commit c1; get u.b2.s2/x; get u.b2.s1/x; set u.b2.s2/x; get branch b;
        get branch b; set_if u.b2.s3/x; get commit c1; get u.b2.s3/x; get u.b2.s2/x; set u.b2.s3/x; get branch b
    leaves +u.b2.s2/x = gone; +u.b2.s3/x = gone; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: no_x_careful, met by x1.seal at 4
    answers done; done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; get commit c1; get u.b2.s1/x; get u.b2.0/x; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
: no_x_careful, met by x1.commit at 4
    answers done; done; c2 of c1 'one'
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 =
        of c1 'one'
: no_x_careful, met by y1 at 4
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves +u.b2.0/y = 1
: no_x, met by x1.commit at 4
    answers done; done; c2 of c1 'one'
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 =
        of c1 'one'
: no_x, met by seal at 4
    answers done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x;
        get commit c1; get u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: no_x_careful, met by x1.commit at 4, 9, 14
    answers WriteNotSettled?; done; c2 of c1 'one'; done; NoChanges; done; NoChanges
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set u.b2.0/x; get branch b; get branch b;
        set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; get branch b; get branch b; set_if u.b2.s2/x; get commit
        c2; set u.b2.s2/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = gone; +u.b2.s1/x = gone; +u.b2.s2/x = gone; ~branch b = c2
        u.b2.s3 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
: no_x_careful, met by seal at 4, 8, 13
    answers WriteNotSettled?; done; done; done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b; get branch b; set_if u.b2.s1/x;
        get commit c1; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; set_if u.b2.s2/x; get commit c1;
        get u.b2.s2/x; get u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
x1: erase_x, met by commit at 2
    answers done; c2 of c1 'one'
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; get commit c2; set u.b2.s1/x;
        get branch b
    leaves +r-b:u.b2.0 = stub-value; -u.b2.0/x; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1
        'one'
x1: erase_x, met by commit at 4
    answers done; NoChanges
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; get commit c1; get u.b2.0/x;
        delete u.b2.s1/x; get branch b
    leaves -u.b2.0/x; ~branch b = c1 u.b2.s1 u.b2.0
x1: erase_x_careful, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; -u.b2.0/x; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1
        'one'
x1: erase_x_careful, met by seal at 4
    answers done; done
    by get branch b; get commit c1; delete u.b2.0/x; get branch b; get branch b; set u.b2.s1/x; get branch b
    leaves -u.b2.0/x; +u.b2.s1/x = gone; ~branch b = c1 u.b2.s1 u.b2.0
x1.y1.commit: no_xy
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; set_if u.b2.s1/y; get commit c2; set
        u.b2.s1/y; get branch b
    leaves +u.b2.s1/x = gone; +u.b2.s1/y = gone
x1.commit: no_xy
    answers done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; set_if u.b2.s1/y; get commit c2; get
        u.b2.s1/y; get branch b
    leaves +u.b2.s1/x = gone
x1.y1: no_xy
    answers done
    by get branch b; set_if u.b2.0/x; set_if u.b2.0/y; get branch b
    leaves ~u.b2.0/x = gone; ~u.b2.0/y = gone
x1.y1: erase_xy
    answers done
    by get branch b; get commit c1; delete u.b2.0/x; get commit c1; delete u.b2.0/y; get branch b
    leaves -u.b2.0/x; -u.b2.0/y
: no_xy
    answers done
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/y; get commit c1; get u.b2.0/y;
        get branch b
x1.commit: no_xy, met by seal at 4
    answers done; done
    by get branch b; set_if u.b2.s1/x; get commit c2; set u.b2.s1/x; set_if u.b2.s1/y; get commit c2; get
        u.b2.s1/y; get branch b; get branch b; set_if u.b2.s2/x; get commit c2; set u.b2.s2/x; set_if u.b2.s2/y;
        get commit c2; get u.b2.s2/y; get u.b2.s1/y; get branch b
    leaves +u.b2.s1/x = gone; +u.b2.s2/x = gone; ~branch b = c2 u.b2.s2 u.b2.s1
main1.commit_main: x2, met by move at 3
    answers done; b c2 u.b2.0
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = 2; ~branch b = c2 u.b2.0
main1.commit_main: no_x, met by move at 5
    answers done; b c2 u.b2.0
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main: no_x_careful, met by move at 5
    answers done; b c2 u.b2.0
    by get branch b; set_if u.b2.0/x; get commit c1; get u.b2.0/x; get branch b; get branch b; set_if u.b2.0/x;
        get commit c2; get u.b2.0/x; get branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main.x1: no_x_careful, met by move at 3
    answers done; b c2 u.b2.0
    by get branch b; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; ~branch b = c2 u.b2.0
"""
READS: Final = WRITES
READS_TABLE: Final = """\
: x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1
x1: x
    answers x=1
    by get branch b; get u.b2.0/x
x1.commit: x
    answers x=1
    by get branch b; get u.b2.s1/x; get commit c2
x1.commit.no_x: x
    answers PathNotFound
    by get branch b; get u.b2.s1/x
x1.seal: x
    answers x=1
    by get branch b; get u.b2.s1/x; get u.b2.0/x
x1.seal.x2: x
    answers x=2
    by get branch b; get u.b2.s1/x
x1.seal.no_x: x
    answers PathNotFound
    by get branch b; get u.b2.s1/x
x1.commit.no_x.seal.y1: x
    answers PathNotFound
    by get branch b; get u.b2.s2/x; get u.b2.s1/x
x1: x, met by commit at 2
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: x, met by commit at 3
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.seal: x, met by commit at 3
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.s1/x; get u.b2.0/x
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1: x_again, met by commit at 2
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get commit c2; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: x_again, met by commit at 3
    answers x=1; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get commit c2; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: x_again
    answers x=1
    by get branch b; get u.b2.0/x; get branch b
x1: x_again, met by seal at 3, 5, 7
    answers BranchBusy; done; done; done
    by get branch b; get u.b2.0/x; get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get u.b2.s2/x; get
        u.b2.s1/x; get u.b2.0/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: x_again
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
: list
    answers ()
    by get branch b; scan u.b2.0/; get commit c1
x1.y1.commit.z1: list
    answers (x=1, y=1, z=1)
    by get branch b; scan u.b2.s1/; get commit c2
x1.y1.commit.no_x.seal.z1: list
    answers (y=1, z=1)
    by get branch b; scan u.b2.s1/; scan u.b2.s2/; get commit c2
x1.y1.commit.no_x.seal.z1: list_paged
    answers (y=1, z=1)
    by get branch b; scan u.b2.s1/; scan u.b2.s2/; get commit c2
x1.y1.commit.no_x.seal.z1: list_y
    answers (y=1)
    by get branch b; scan u.b2.s1/y; scan u.b2.s2/y; get commit c2
x1.y1: list, met by commit at 2
    answers (x=1, y=1); c2 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1: list_again, met by commit at 2
    answers (x=1, y=1); c2 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1; get branch b; scan u.b2.s1/; get commit c2; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1: list_again, met by commit.z1 at 3
    answers (x=1, y=1, z=1); c2 of c1 'one'; done
    by get branch b; scan u.b2.0/; get commit c1; get branch b; scan u.b2.s1/; get commit c2; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/z = 1; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "lakeFS pkg/graveler/graveler.go"

ROWS = [
    stated("writes", WRITES, WRITES_TABLE, f"{SOURCE}, Set and Delete", FIRST),
    stated("reads", READS, READS_TABLE, f"{SOURCE}, Get and List", FIRST),
]

SCENARIOS = built(ROWS)
