"""Objects of today: what each call answers, its effects on both stores, and what it leaves.

The steps are those of lakeFS' pkg/catalog: an upload puts the object and then stages the entry, a copy is a second
entry, a delete is a tombstone, and nothing is hard-deleted. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog import objects
from lakeproof.impl.catalog.objects import Grant
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of
from lakeproof.scenarios.designs import built

OBJECTS: Final = {
    **words_of(objects.FLOWS),
    "link_plain": Call(objects.upload_and_link, REPOSITORY, BRANCH, X, b"1"),
    "copy_full": Call(objects.copy_object, REPOSITORY, BRANCH, Y, BRANCH, X, full=True),
    "x_twice": Call(objects.read_object, REPOSITORY, BRANCH, X, looks=2),
    "x_thrice": Call(objects.read_object, REPOSITORY, BRANCH, X, looks=3),
    "link_a1": Call(objects.link_physical_address, REPOSITORY, BRANCH, X, Grant(f"{NAMESPACE}/data/a1"), b"1"),
}
OBJECTS_TABLE: Final = """\
: up_x
    answers a1 1B +0s
    by put a1; now; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B +0s; +object a1 = 1
: up_x, refused at o1
    answers Refused
    by put a1
: up_x, refused at 1
    answers Refused
    by put a1; now; get branch b
    leaves +object a1 = 1
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by put a1; now; get branch b
    leaves -branch b; +object a1 = 1
up_x: up_x2
    answers a2 3B +0s
    by put a2; now; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two
up_x: stage_in
    answers a1 1B
    by get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: issue
    answers grant of a1
: link_x
    answers a1 1B
    by put a1; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1
: link_plain
    answers a1 1B
    by put a1; get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B; +object a1 = 1
: link_far
    answers AddressNotAllowed
: link_a1
    answers a1 1B
    by get branch b; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1 1B
up_x: copy
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B +0s
bring.stage_out: copy
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = ext://brought/o in full 1B
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: copy_full
    answers a2 1B +0s
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2 1B +0s; +object a2 = 1
up_x.commit: copy_full
    answers a2 1B +0s
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; copy a1 to a2; get branch b; set u.b2.s1/y; get
        branch b
    leaves +u.b2.s1/y = a2 1B +0s; +object a2 = 1
up_x: copy_full, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; copy a1 to a2
    leaves -object a1
up_x: move
    answers a1 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b; get branch b; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
: move
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: move, met by no_x at 6
    answers a1 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/y; get branch b; get branch b; set
        u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone; +u.b2.0/y = a1 1B +0s
up_x: no_x
    answers done
    by get branch b; get u.b2.0/x; get branch b; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = gone
: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get branch b
up_x: x
    answers 1
    by get branch b; get u.b2.0/x; get branch b; get a1
: x
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x.lose: x
    answers DataGone
    by get branch b; get u.b2.0/x; get branch b; get a1
up_x: x, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; get a1
    leaves -object a1
up_x: x, met by up_x2.lose at o1
    answers DataGone; a2 3B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get a1
    leaves ~u.b2.0/x = a2 3B +0s; -object a1
up_x: x_twice, met by up_x2 at o1
    answers 1; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get a1
    leaves ~u.b2.0/x = a2 3B +0s; +object a2 = two
up_x: x_twice, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; get u.b2.0/x; get branch b
    leaves -object a1
up_x: x_twice, met by lose.up_x2 at o1
    answers two; done; a2 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; get u.b2.0/x; get branch b; get a2
    leaves ~u.b2.0/x = a2 3B +0s; -object a1; +object a2 = two
up_x: x_twice, met by lose.up_x2 at o1, o2
    answers DataGone; done; a2 3B +0s; done; a3 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; get u.b2.0/x; get branch b; get a2
    leaves ~u.b2.0/x = a3 3B +0s; -object a1; +object a3 = two
up_x: x_thrice, met by lose.up_x2 at o1, o2
    answers two; done; a2 3B +0s; done; a3 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; get u.b2.0/x; get branch b; get a2; get
        branch b; get u.b2.0/x; get branch b; get a3
    leaves ~u.b2.0/x = a3 3B +0s; -object a1; +object a3 = two
up_x: x_thrice, met by lose.up_x2 at o1, o2, o3
    answers DataGone; done; a2 3B +0s; done; a3 3B +0s; done; a4 3B +0s
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; get u.b2.0/x; get branch b; get a2; get
        branch b; get u.b2.0/x; get branch b; get a3
    leaves ~u.b2.0/x = a4 3B +0s; -object a1; +object a4 = two
up_x: stage_y
    answers a1 1B
    by get branch b; get u.b2.0/x; get branch b; get a1; get branch b; set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1 1B
up_x.lose: stage_y
    answers DataGone
    by get branch b; get u.b2.0/x; get branch b; get a1
"""
ROWS = [stated("objects", OBJECTS, OBJECTS_TABLE, "lakeFS' pkg/catalog", first=(FOUND,))]

SCENARIOS = built(ROWS)
