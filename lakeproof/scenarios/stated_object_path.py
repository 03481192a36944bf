"""Proposal 1: uploads, staged objects, links, copies, moves and deletes.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_object_path`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_object_path import OBJECT_PATH
from lakeproof.scenarios.designs import built

UPLOADS_TABLE: Final = """\
: up_x
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
up_x: up_x2
    answers b/u.b2.0/x 3B
    by get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = two
: up_slash
    answers b/u.b2.0/x/y%20z 1B
    by get branch b; put b/u.b2.0/x/y%20z; get branch b
    leaves +object b/u.b2.0/x/y%20z = 1
: up_x, refused at 1
    answers Refused
    by get branch b
: up_x, refused at o1
    answers Refused
    by get branch b; put b/u.b2.0/x
: up_x, refused at 2
    answers Refused
    by get branch b; put b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
: up_x, met by seal at 2
    answers b/u.b2.s1/x 1B; done
    by get branch b; put b/u.b2.0/x; get branch b; put b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = 1
: up_x, met by seal at 2, 3, 4
    answers WriteNotSettled?; done; done; done
    by get branch b; put b/u.b2.0/x; get branch b; put b/u.b2.s1/x; get branch b; put b/u.b2.s2/x; get branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = 1; +object
        b/u.b2.s2/x = 1
: up_x, met by delete_branch at 2
    answers BranchNotFound; done
    by get branch b; put b/u.b2.0/x; get branch b
    leaves -branch b
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
: up_x@single
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x
    leaves +object b/u.b2.0/x = 1
: up_x@single, met by seal at o1
    answers b/u.b2.0/x 1B; done
    by get branch b; put b/u.b2.0/x
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1
: up_x@once
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b
    leaves +object b/u.b2.0/x = 1
up_x: up_x2@once
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, false at 3
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.s1/x
        if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, met by seal at 2
    answers b/u.b2.s1/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = two
up_x: up_x2@once, met by seal at 3
    answers b/u.b2.s2/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.s2/x
        if_absent; get branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0; +object b/u.b2.s2/x = two
up_x: up_x2@once, met by delete_branch at 3
    answers BranchNotFound; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b
    leaves -branch b; -object b/u.b2.0/x
up_x: up_x2@once, met by hide at 3
    answers b/u.b2.s2/x 3B; done
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get branch b; put b/u.b2.0/x
        if_absent; get branch b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b
    leaves ~branch b = c1 hidden u.b2.s2 u.b2.0; +object b/u.b2.s2/x = two
up_x.seal: up_x2@once
    answers b/u.b2.s1/x 3B
    by get branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves +object b/u.b2.s1/x = two
up_x: up_x2@once, met by up_x@once at o2
    answers b/u.b2.s2/x 3B; b/u.b2.s1/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1; +object b/u.b2.s2/x = two
up_x: up_x2@once, met by up_x@once at o2, o3
    answers WriteNotSettled?; b/u.b2.s1/x 1B; b/u.b2.s2/x 1B
    by get branch b; put b/u.b2.0/x if_absent; get branch b; set_if branch b; put b/u.b2.s1/x if_absent; get branch
        b; set_if branch b; put b/u.b2.s2/x if_absent; get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1; +object b/u.b2.s2/x = 1
: stage_out
    answers DataGone
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match
bring: stage_out
    answers b/u.b2.0/x 1B
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match; get branch b
    leaves +object b/u.b2.0/x = o
bring: stage_out@once
    answers b/u.b2.0/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b
    leaves +object b/u.b2.0/x = o
: stage_out@once
    answers DataGone
    by get branch b; get ext://brought/o
bring.up_x: stage_out@once
    answers b/u.b2.s1/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get
        ext://brought/o; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = o
bring: stage_wrong
    answers DataGone
    by get branch b; copy ext://brought/o to b/u.b2.0/x if_match
bring: stage_wrong@once
    answers DataGone
    by get branch b; get ext://brought/o
bring: stage_out@refuses
    answers AddressNotAllowed
bring: stage_out@once, met by up_x at o2
    answers b/u.b2.s1/x 1B; b/u.b2.0/x 1B
    by get branch b; get ext://brought/o; put b/u.b2.0/x if_absent; get branch b; set_if branch b; get
        ext://brought/o; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/x = 1; +object b/u.b2.s1/x = o
up_x: stage_y
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
up_x: copy
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b
    leaves +object b/u.b2.0/y = 1
: copy
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.commit: copy
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/y;
        get branch b
    leaves +object b/u.b2.s1/y = 1
up_x.seal: copy
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/y;
        get branch b
    leaves +object b/u.b2.s1/y = 1
up_x: copy, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y
    leaves -object b/u.b2.0/x
up_x: copy@once
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b
    leaves +object b/u.b2.0/y = 1
up_x.up_y: copy@once
    answers b/u.b2.s1/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b; set_if branch b; get b/u.b2.0/x; put b/u.b2.s1/y if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/y = 1
up_x: copy@once, met by lose at o2
    answers DataGone; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x: copy, met by seal at 4
    answers b/u.b2.s1/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; copy
        b/u.b2.0/x to b/u.b2.s1/y; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/y = 1; +object b/u.b2.s1/y = 1
up_x: move
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
: move
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x: move@once
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; get b/u.b2.0/x; put b/u.b2.0/y if_absent; get
        branch b; get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x if_absent; get branch b;
        set_if branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.0/y = 1; +object b/u.b2.s1/x = deleted
up_x: move@unmarked
    answers b/u.b2.0/y 1B +0s
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
up_x: move, met by no_x at 5
    answers b/u.b2.0/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted; +object b/u.b2.0/y = 1
up_x: move, met by no_x@unmarked at 5
    answers b/u.b2.0/y 1B +0s; done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.0/y; get branch b; get
        branch b; head b/u.b2.0/x; get commit c1; get branch b
    leaves -object b/u.b2.0/x; +object b/u.b2.0/y = 1
up_x: no_x
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x; get branch b
    leaves ~object b/u.b2.0/x = deleted
: no_x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
up_x.no_x: no_x
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get branch b
up_x.commit: no_x
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; put b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = deleted
up_x: no_x@once
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; put b/u.b2.0/x if_absent; get branch b; set_if
        branch b; put b/u.b2.s1/x if_absent; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = deleted
up_x.commit: no_x@once
    answers done
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b; put b/u.b2.s1/x if_absent; get
        branch b
    leaves +object b/u.b2.s1/x = deleted
up_x: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.0/x; get branch b; get branch b; delete b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.commit: no_x@unmarked
    answers PathNotFound
    by get branch b; head b/u.b2.s1/x; get commit c2; get branch b; get branch b
up_x.seal: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.s1/x; head b/u.b2.0/x; get branch b; get branch b; delete b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.seal.up_x2: no_x@unmarked
    answers done
    by get branch b; head b/u.b2.s1/x; get branch b; get branch b; delete b/u.b2.s1/x
    leaves -object b/u.b2.s1/x
: no_x@unmarked
    answers PathNotFound
    by get branch b; head b/u.b2.0/x; get commit c1; get branch b
: issue
    answers grant of b/u.b2.0/x r-b:u.b2.0
    by get branch b
: issue@aside
    answers grant of a1
: link_x
    answers b/u.b2.0/x 1B
    by get branch b; put b/u.b2.0/x; head b/u.b2.0/x; get branch b
    leaves +object b/u.b2.0/x = 1
: link_x@aside
    answers b/u.b2.0/x 1B
    by put a1; get branch b; copy a1 to b/u.b2.0/x; get branch b; delete a1
    leaves +object b/u.b2.0/x = 1
: link_home
    answers DataGone
    by head b/u.b2.0/x
up_x: link_home
    answers b/u.b2.0/x 1B
    by head b/u.b2.0/x; get branch b
: link_elsewhere
    answers AddressNotAllowed
: link_far
    answers AddressNotAllowed
up_x: link_home, met by lose at o1
    answers DataGone; done
    by head b/u.b2.0/x
    leaves -object b/u.b2.0/x
up_x.seal: link_home
    answers b/u.b2.s1/x 1B
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x; get branch b
    leaves +object b/u.b2.s1/x = 1
up_x: link_home, met by seal at 1
    answers b/u.b2.s1/x 1B; done
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0; +object b/u.b2.s1/x = 1
up_x.seal: link_home, met by lose at o2
    answers DataGone; done
    by head b/u.b2.0/x; get branch b; get branch b; copy b/u.b2.0/x to b/u.b2.s1/x
    leaves -object b/u.b2.0/x
"""
ROWS = [stated("object-path", OBJECT_PATH, UPLOADS_TABLE, "hard-delete-uncommitted-data.md, 1.", first=(FOUND,))]

SCENARIOS = built(ROWS)
