"""Repositories of our repair: what each call answers, by which effects, and what it leaves, where others come between.

The steps are the four rules of `lakeproof.impl.repositories.hardened`: claim, note, write, confirm; a tombstone by
`SetIf` on what was read; a failed predicate is followed by a look. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.repositories import hardened
from lakeproof.model.identifiers import InstanceUID
from lakeproof.scenario import Call
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_repositories import words_of
from lakeproof.scenarios.designs import built

HARDENED: Final = words_of(
    hardened.FLOWS,
    delete_i1=Call(hardened.delete_repository, "r", instance_uid=InstanceUID("i1")),
    delete_i2=Call(hardened.delete_repository, "r", instance_uid=InstanceUID("i2")),
)
HARDENED_TABLE: Final = """\
: create
    answers r active i1
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: bare
    answers r active i1 bare
    by now; get entry r; set_if entry r; set record r/i1; set_if entry r
    leaves +entry r = active i1 bare; +record r/i1 = r/i1
create: create
    answers NotUnique
    by now; get entry r
create.delete: create
    answers r active i2
    by now; get entry r; set_if entry r; set record r/i2; set commit c.i2; set branch main; set_if entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create.delete: bare
    answers r active i2 bare
    by now; get entry r; set_if entry r; set record r/i2; set_if entry r
    leaves ~entry r = active i2 bare; +record r/i2 = r/i2
noted_claim: create
    answers NotUnique
    by now; get entry r
old_noted_claim: create
    answers r active i2
    by now; get entry r; set_if entry r; set record r/i2; set commit c.i2; set branch main; set_if entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
younger_claim: create
    answers NotUnique
    by now; get entry r
old_claim: bare
    answers r active i2 bare
    by now; get entry r; set_if entry r; set record r/i2; set_if entry r
    leaves ~entry r = active i2 bare; +record r/i2 = r/i2
: create, met by create at 2
    answers NotUnique; r active i2
    by now; get entry r; set_if entry r; get entry r
    leaves +entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s1; +commit c.i2 = of none
        'Repository created'
: create, met by create.delete at 2
    answers NotUnique; r active i2; done
    by now; get entry r; set_if entry r; get entry r
    leaves +entry r = deleted i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s1; +commit c.i2 = of none
        'Repository created'
: create, false at 2
    answers r active i1
    by now; get entry r; set_if entry r; get entry r; set record r/i1; set commit c.i1; set branch main; set_if
        entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, false at 2, then get
    answers r active i1; r active i1
    by now; get entry r; set_if entry r; get entry r; set record r/i1; set commit c.i1; set branch main; set_if
        entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, met by delete at 3
    answers CreationOutrun?; done
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r; get
        entry r
    leaves +entry r = deleted i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, met by delete at 6
    answers CreationOutrun?; done
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r; get
        entry r
    leaves +entry r = deleted i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, met by delete.create at 6
    answers CreationOutrun?; done; r active i2
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r; get
        entry r
    leaves +entry r = active i2; +record r/i1 = r/i1; +record r/i2 = r/i2; +branch main = c.i1 i1.s1; +commit
        c.i1 = of none 'Repository created'; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository
        created'
: create, met by delete.create at 3
    answers CreationOutrun?; done; r active i2
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r; get
        entry r
    leaves +entry r = active i2; +record r/i1 = r/i1; +record r/i2 = r/i2; +branch main = c.i1 i1.s2; +commit
        c.i1 = of none 'Repository created'; +branch main = c.i2 i2.s1; +commit c.i2 = of none 'Repository
        created'
: create, false at 6
    answers r active i1
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r; get
        entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, lost at 2
    answers OutcomeUnknown?
    by now; get entry r; set_if entry r
    leaves +entry r = initial i1
: create, missed at 6
    answers OutcomeUnknown?
    by now; get entry r; set_if entry r; set record r/i1; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = initial i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, refused at 3
    answers Refused
    by now; get entry r; set_if entry r; set record r/i1
    leaves +entry r = initial i1
old_noted_claim: create, met by create at 2
    answers NotUnique; r active i3
    by now; get entry r; set_if entry r; get entry r
    leaves ~entry r = active i3; +record r/i3 = r/i3; +branch main = c.i3 i3.s2; +commit c.i3 = of none
        'Repository created'
old_noted_claim: create, met by clean at 2
    answers NotUnique; 1
    by now; get entry r; set_if entry r; get entry r
    leaves ~entry r = deleted i1 -120s; -branch main; -commit c.i1
create.delete: create, met by create at 2
    answers NotUnique; r active i3
    by now; get entry r; set_if entry r; get entry r
    leaves ~entry r = active i3; +record r/i3 = r/i3; +branch main = c.i3 i3.s2; +commit c.i3 = of none
        'Repository created'
create.delete: create, false at 2
    answers r active i2
    by now; get entry r; set_if entry r; get entry r; set record r/i2; set commit c.i2; set branch main; set_if
        entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
: get
    answers RepositoryNotFound
    by get entry r
create: get
    answers r active i1
    by get entry r
create.delete: get
    answers RepositoryNotFound
    by get entry r
noted_claim: get
    answers RepositoryNotFound
    by get entry r
: delete
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i1
create: delete_i1
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i1
create: delete_i2
    answers RepositoryNotFound
    by get entry r
noted_claim: delete
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i1
noted_claim: delete_i1
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i1
create.delete: delete
    answers RepositoryNotFound
    by get entry r
create.delete.create: delete_i1
    answers RepositoryNotFound
    by get entry r
create.delete.create: delete_i2
    answers done
    by get entry r; set_if entry r
    leaves ~entry r = deleted i2
create: delete, met by delete at 2
    answers done; done
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = deleted i1
create: delete, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete_i1, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete, false at 2
    answers done
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = deleted i1
create: delete, lost at 2
    answers done
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = deleted i1
create: delete, missed at 2
    answers done
    by get entry r; set_if entry r; get entry r; set_if entry r
    leaves ~entry r = deleted i1
create: delete, refused at 2
    answers Refused
    by get entry r; set_if entry r
create: delete, refused at 1
    answers Refused
    by get entry r
create: delete, met by delete.create at 1
    answers done; done; r active i2
    by get entry r; set_if entry r
    leaves ~entry r = deleted i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
claim: delete, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create.other: list
    answers (other active i2, r active i1)
    by scan entry
create.delete.other: list
    answers (other active i2)
    by scan entry
noted_claim.other: list
    answers (other active i2)
    by scan entry
create: clean
    answers 0
    by scan record; get entry r
create.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1
    leaves -branch main; -commit c.i1
create.branch.delete: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch b; delete branch main; delete commit c.i1
    leaves -branch b; -branch main; -commit c.i1
create.delete.create: clean
    answers 1
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; get entry r
    leaves -branch main; -commit c.i1
create.delete.create.delete: clean
    answers 2
    by scan record; get entry r; scan r-i1; delete branch main; delete commit c.i1; get entry r; scan r-i2;
        delete branch main; delete commit c.i2
    leaves -branch main; -commit c.i1; -branch main; -commit c.i2
create.delete.create: clean, refused at 3
    answers 0
    by scan record; get entry r; scan r-i1; get entry r
create.delete.create.delete: clean, refused at 2
    answers 1
    by scan record; get entry r; get entry r; scan r-i2; delete branch main; delete commit c.i2
    leaves -branch main; -commit c.i2
create.delete.create.delete: clean, refused at 3
    answers 1
    by scan record; get entry r; scan r-i1; get entry r; scan r-i2; delete branch main; delete commit c.i2
    leaves -branch main; -commit c.i2
noted_claim: clean
    answers 0
    by scan record; get entry r; now
old_noted_claim: clean
    answers 1
    by scan record; get entry r; now; set_if entry r; scan r-i1; delete branch main; delete commit c.i1
    leaves ~entry r = deleted i1 -120s; -branch main; -commit c.i1
old_noted_claim: clean, met by delete at 3
    answers 0; done
    by scan record; get entry r; now; set_if entry r
    leaves ~entry r = deleted i1 -120s
old_noted_claim: clean, met by create at 3
    answers 0; r active i2
    by scan record; get entry r; now; set_if entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
old_noted_claim: clean, false at 3
    answers 0
    by scan record; get entry r; now; set_if entry r
    leaves ~entry r = deleted i1 -120s
create.delete: clean, broken at 1
    answers ScanInterrupted
    by scan record
old_noted: create
    answers NotUnique
    by now; get entry r
old_noted: clean
    answers 0
    by scan record; get entry r
: create, met by delete at 3, false at 2
    answers CreationOutrun?; done
    by now; get entry r; set_if entry r; get entry r
    leaves +entry r = deleted i1
: create, false at 2, refused at 3
    answers OutcomeUnknown?
    by now; get entry r; set_if entry r; get entry r
    leaves +entry r = initial i1
create: delete, missed at 2, missed at 4, missed at 6, missed at 8
    answers OutcomeUnknown?
    by get entry r; set_if entry r; get entry r; set_if entry r; get entry r; set_if entry r; get entry r;
        set_if entry r
"""
ROWS = [stated("hardened", HARDENED, HARDENED_TABLE, "ours: the rules of hardened.py, docs/designs.md")]

SCENARIOS = built(ROWS)
