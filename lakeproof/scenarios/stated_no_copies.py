"""Proposal 5: uploads, staged objects, links and copies.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_no_copies`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND
from lakeproof.scenarios._stated_no_copies import NO_COPIES
from lakeproof.scenarios.designs import built

UPLOADS_TABLE: Final = """\
: up_x
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x.no_x: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
: up_x, refused at 1
    answers Refused
    by get branch b
: up_x, refused at o1
    answers Refused
    by get branch b; get u.b2.0/x; put a1.e55ac275
: up_x, refused at 3
    answers Refused
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x
    leaves +object a1.e55ac275 = 1
: up_x, met by delete_branch at 1
    answers BranchNotFound; done
    by get branch b
    leaves -branch b
bring.stage_out: up_x
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x.lock: up_x2
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock: up_x2@checks
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock: up_x2@leased
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x.lock_leased: up_x2@leased
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 59 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 60 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x; now
up_x.lock_leased: up_x2@leased, 61 s later
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; now; now; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b;
        delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x.lock_leased: up_x2, 61 s later
    answers EntryLocked
    by get branch b; get u.b2.0/x
up_x: up_x2@leased
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; now; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
: up_x@leased
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2@checks
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2, met by lock at 3
    answers EntryLocked; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true
up_x: up_x2, met by no_x at 3
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@checks, met by up_x at 3
    answers a2.ac1f7402 3B +0s; a3.841a9b59 1B +0s
    by get branch b; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two; +object a3.841a9b59 = 1
up_x: up_x2, false at 3
    answers EntryLocked
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true
up_x: up_x2, met by up_x at 3
    answers a3.841a9b59 3B +0s; a2.ac1f7402 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; put a3.841a9b59; now; set
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves ~u.b2.0/x = a3.841a9b59 3B +0s; -object a1.e55ac275; +object a3.841a9b59 = two
up_x: up_x2, met by up_x at 3, 5
    answers a4.13ee4b24 3B +0s; a2.ac1f7402 1B +0s; a3.841a9b59 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x;
        put a4.13ee4b24; now; set u.b2.0/x; get branch b; delete a3.841a9b59
    leaves ~u.b2.0/x = a4.13ee4b24 3B +0s; -object a1.e55ac275; +object a4.13ee4b24 = two
up_x: up_x2, met by up_x at 3, 5, 7
    answers EntryLocked; a2.ac1f7402 1B +0s; a3.841a9b59 1B +0s; a4.13ee4b24 1B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = a4.13ee4b24 1B +0s; -object a1.e55ac275; +object a4.13ee4b24 = 1
up_x: up_x2, met by seal at 5
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = two
up_x: up_x2@blind, met by seal at 5
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; delete
        a1.e55ac275; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; -object
        a1.e55ac275; +object a2.ac1f7402 = two
: up_x, met by seal at 4
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x;
        get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a1.e55ac275 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a1.e55ac275 = 1
: up_x@fresh, met by seal at 4
    answers a2.ac1f7402 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; put a2.ac1f7402;
        now; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a1.e55ac275 = 1; +object a2.ac1f7402 = 1
: up_x, met by seal at 4, 7, 10
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x;
        get branch b; get u.b2.s2/x; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a1.e55ac275 1B +0s; +u.b2.s2/x = a1.e55ac275 1B +0s; ~branch
        b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object a1.e55ac275 = 1
: up_x@fresh, met by seal at 4, 7, 10
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x; put a2.ac1f7402;
        now; set u.b2.s1/x; get branch b; get u.b2.s2/x; put a3.841a9b59; now; set u.b2.s2/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s; +u.b2.s2/x = a3.841a9b59 1B +0s; ~branch
        b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0; +object a1.e55ac275 = 1; +object a2.ac1f7402 = 1; +object a3.841a9b59
        = 1
up_x: up_x2, met by seal.lock at 5
    answers a2.ac1f7402 3B +0s; done; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.0/x; get branch b; get u.b2.s1/x;
        set u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +u.b2.s1/x = a2.ac1f7402 3B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = two
: up_x, met by seal.up_x.lock at 4
    answers WriteNotSettled?; done; a2.ac1f7402 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set u.b2.0/x; get branch b; get u.b2.s1/x
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +u.b2.s1/x = a2.ac1f7402 1B +0s locked=true; ~branch b = c1 u.b2.s1
        u.b2.0; +object a1.e55ac275 = 1; +object a2.ac1f7402 = 1
: up_x@exchanges
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2 at 3
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x: up_x2@exchanges
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@exchanges, met by no_x@checks at 4
    answers a2.ac1f7402 3B +0s; EntryLocked
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; delete
        a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object a2.ac1f7402 = two
up_x: up_x2@exchanges, false at 4
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
: up_x@exchanges, false at 3
    answers a1.e55ac275 1B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2 at 3, 5, 7
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; a3.841a9b59 3B +0s; a4.13ee4b24 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get
        u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if u.b2.0/x; get branch b; delete a4.13ee4b24
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by up_x2.no_x at 3, 5, 7
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; done; a3.841a9b59 3B +0s; done; a4.13ee4b24 3B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch
        b
    leaves +u.b2.0/x = gone
: up_x@exchanges, met by up_x2 at 3, 6, 9
    answers a1.e55ac275 1B +0s; a2.ac1f7402 3B +0s; EntryLocked; a3.841a9b59 3B +0s
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2.ac1f7402
    leaves +u.b2.0/x = a3.841a9b59 3B +0s; +object a3.841a9b59 = two
: up_x@exchanges, met by restage at 3
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
: up_x@exchanges, met by restage at 3, 6
    answers a1.e55ac275 1B +0s; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if u.b2.0/x; get branch b; delete a3
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1; +object a2 = late
: up_x@exchanges, met by restage at 3, 6, 9
    answers EntryLocked; done; done; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if u.b2.0/x
    leaves +u.b2.0/x = a4 4B +0s; +object a1.e55ac275 = 1; +object a2 = late; +object a3 = late; +object a4 = late
up_x: up_x2@exchanges, met by restage at 4
    answers a2.ac1f7402 3B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; set_if u.b2.0/x; get branch b; delete a3
    leaves ~u.b2.0/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
: up_x@careful, met by restage at 3
    answers a1.e55ac275 1B +0s; done
    by get branch b; get u.b2.0/x; put a1.e55ac275; now; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; set_if
        u.b2.0/x; get branch b; delete a2
    leaves +u.b2.0/x = a1.e55ac275 1B +0s; +object a1.e55ac275 = 1
up_x.seal.seal: up_x2@tokens
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set
        u.b2.s2/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s2/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object
        a2.ac1f7402 = two
up_x.seal: up_x2
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x.seal: up_x2@tokens
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch
        b; delete a1.e55ac275
    leaves ~u.b2.0/x = a1.e55ac275 1B +0s locked=true; +u.b2.s1/x = a2.ac1f7402 3B +0s; -object a1.e55ac275; +object
        a2.ac1f7402 = two
up_x.seal.up_x2.seal: up_x@tokens
    answers a3.841a9b59 1B +0s
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; set_if u.b2.s1/x; put a3.841a9b59; now; set u.b2.s2/x; get branch
        b; delete a2.ac1f7402
    leaves ~u.b2.s1/x = a2.ac1f7402 3B +0s locked=true; +u.b2.s2/x = a3.841a9b59 1B +0s; -object a2.ac1f7402;
        +object a3.841a9b59 = 1
up_x.seal.up_x2: up_x@tokens
    answers a3.841a9b59 1B +0s
    by get branch b; get u.b2.s1/x; set_if u.b2.s1/x; put a3.841a9b59; now; set u.b2.s1/x; get branch b; delete
        a2.ac1f7402
    leaves ~u.b2.s1/x = a3.841a9b59 1B +0s; -object a2.ac1f7402; +object a3.841a9b59 = 1
up_x.no_x.seal: up_x2@tokens
    answers a2.ac1f7402 3B +0s
    by get branch b; get u.b2.s1/x; get u.b2.0/x; put a2.ac1f7402; now; set u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = a2.ac1f7402 3B +0s; +object a2.ac1f7402 = two
up_x.lock.seal: up_x2@tokens
    answers EntryLocked
    by get branch b; get u.b2.s1/x; get u.b2.0/x
up_x: up_x@careful, met by seal at 5
    answers a3.841a9b59 1B +0s; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; put a2.ac1f7402; now; set_if u.b2.0/x; get branch b; get
        u.b2.s1/x; put a3.841a9b59; now; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = a2.ac1f7402 1B +0s; +u.b2.s1/x = a3.841a9b59 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object
        a2.ac1f7402 = 1; +object a3.841a9b59 = 1
: stage_in
    answers AddressNotAllowed
: stage_out
    answers ext://brought/o in full 1B
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B
: stage_out@fresh, met by seal at 4
    answers ext://brought/o in full 1B; done
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; set u.b2.s1/x; get branch b
    leaves +u.b2.0/x = ext://brought/o in full 1B; +u.b2.s1/x = ext://brought/o in full 1B; ~branch b = c1 u.b2.s1
        u.b2.0
up_x: stage_a1
    answers a1.e55ac275 1B
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = a1.e55ac275 1B
: stage_a1
    answers a1.e55ac275 1B
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B
: stage_a1@fresh, met by seal at 4
    answers WriteNotSettled?; done
    by get branch b; get u.b2.0/x; set u.b2.0/x; get branch b; get u.b2.s1/x; copy a1.e55ac275 to a1.e55ac275
    leaves +u.b2.0/x = a1.e55ac275 1B; ~branch b = c1 u.b2.s1 u.b2.0
: stage_elsewhere
    answers AddressNotAllowed
: issue
    answers grant of a1.e55ac275
: link_x
    answers a1.e55ac275 1B
    by put a1.e55ac275; get branch b; get u.b2.0/x; set u.b2.0/x; get branch b
    leaves +u.b2.0/x = a1.e55ac275 1B; +object a1.e55ac275 = 1
: link_out
    answers AddressNotAllowed
: link_far
    answers AddressNotAllowed
: link_elsewhere
    answers AddressNotAllowed
up_x: link_x
    answers a2.ac1f7402 1B
    by put a2.ac1f7402; get branch b; get u.b2.0/x; set_if u.b2.0/x; set u.b2.0/x; get branch b; delete a1.e55ac275
    leaves ~u.b2.0/x = a2.ac1f7402 1B; -object a1.e55ac275; +object a2.ac1f7402 = 1
up_x: copy
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; +object a2.da241866 = 1
: copy
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
bring.stage_out: copy
    answers a1.c5df630d 1B
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy ext://brought/o to a1.c5df630d;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a1.c5df630d 1B; +object a1.c5df630d = o
up_x.up_y: copy
    answers a3.2fe9b617 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; set_if u.b2.0/y; copy a1.e55ac275 to
        a3.2fe9b617; set u.b2.0/y; get branch b; delete a2.da241866
    leaves ~u.b2.0/y = a3.2fe9b617 1B +0s; -object a2.da241866; +object a3.2fe9b617 = 1
up_x.lock: copy
    answers a2.da241866 1B +0s
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; +object a2.da241866 = 1
up_x: copy, met by lose at o1
    answers DataGone; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866
    leaves -object a1.e55ac275
up_x: copy@fresh, met by seal at 8
    answers a2.da241866 1B +0s; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; +object a2.da241866 = 1
up_x: copy@fresh, met by seal.lose at 8
    answers a2.da241866 1B +0s; done; done
    by get branch b; get u.b2.0/x; get branch b; get branch b; get u.b2.0/y; copy a1.e55ac275 to a2.da241866; set
        u.b2.0/y; get branch b
    leaves +u.b2.0/y = a2.da241866 1B +0s; ~branch b = c1 u.b2.s1 u.b2.0; -object a1.e55ac275
up_x.up_main: copy_main
    answers a3.2fe9b617 1B +0s
    by get branch main; get u.b1.0/m; get branch main; get branch b; get u.b2.0/y; copy a2.f9951388 to a3.2fe9b617;
        set u.b2.0/y; get branch b
    leaves +u.b2.0/y = a3.2fe9b617 1B +0s; +object a3.2fe9b617 = 1
"""
ROWS = [stated("no-copies", NO_COPIES, UPLOADS_TABLE, "hard-delete-uncommitted-data.md, 5.", first=(FOUND,))]

SCENARIOS = built(ROWS)
