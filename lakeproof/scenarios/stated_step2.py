"""Repositories of Step 2: what each call answers, by which effects, and what it leaves, where others come in its midst.

The steps are those of repository-operations-error-handling.md, "Step 2", "Cleaning Up an `initial` Repository" and
"Trash Cleaner", in their order. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.repositories import step2
from lakeproof.scenario import Call
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_repositories import words_of
from lakeproof.scenarios.designs import built

STEP2: Final = words_of(
    step2.FLOWS,
    create_if=Call(step2.create_repository, "r", activate_by_set_if=True),
    create_declares=Call(step2.create_repository, "r", declares_failed=True),
    create_declares_if=Call(step2.create_repository, "r", declares_failed=True, activate_by_set_if=True),
    get_if=Call(step2.get_repository, "r", state_by_set_if=True),
    delete_if=Call(step2.delete_repository, "r", state_by_set_if=True),
    delete_gets=Call(step2.delete_repository, "r", through_get=True),
    delete_gets_if=Call(step2.delete_repository, "r", through_get=True, state_by_set_if=True),
)
STEP2_TABLE: Final = """\
: create
    answers r active i1
    by now; set_if entry r; set commit c.i1; set branch main; set entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create_if
    answers r active i1
    by now; set_if entry r; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create_declares
    answers r active i1
    by now; set_if entry r; set commit c.i1; set branch main; set entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
create: create
    answers NotUnique
    by now; set_if entry r
create: create_declares
    answers NotUnique
    by now; set_if entry r; get entry r
claim: create
    answers NotUnique
    by now; set_if entry r
claim: create_declares
    answers NotUnique
    by now; set_if entry r; get entry r; now
old_claim: create
    answers NotUnique
    by now; set_if entry r
old_claim: create_declares
    answers NotUnique
    by now; set_if entry r; get entry r; now; set entry r
    leaves ~entry r = deleting i1 -120s
old_claim: create_declares_if
    answers NotUnique
    by now; set_if entry r; get entry r; now; set_if entry r
    leaves ~entry r = deleting i1 -120s
old_claim: create_declares_if, met by delete at 3
    answers NotUnique; done
    by now; set_if entry r; get entry r; now; set_if entry r
    leaves -entry r; +record r/i1 = r/i1
old_claim: create_declares, met by delete at 2
    answers NotUnique; done
    by now; set_if entry r; get entry r
    leaves -entry r; +record r/i1 = r/i1
half_deleted: create_declares
    answers NotUnique
    by now; set_if entry r; get entry r
: create_if, met by delete at 4
    answers Conflict; done
    by now; set_if entry r; set commit c.i1; set branch main; set_if entry r
    leaves +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create_if, false at 4
    answers Conflict
    by now; set_if entry r; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create, met by delete at 4
    answers r active i1; done
    by now; set_if entry r; set commit c.i1; set branch main; set entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'
: create, met by delete.create at 4
    answers r active i1; done; r active i2
    by now; set_if entry r; set commit c.i1; set branch main; set entry r
    leaves +entry r = active i1; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: create_if, met by delete.create at 4
    answers Conflict; done; r active i2
    by now; set_if entry r; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i2; +record r/i1 = r/i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none
        'Repository created'; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: get
    answers RepositoryNotFound
    by get entry r
create: get
    answers r active i1
    by get entry r
claim: get
    answers RepositoryNotFound
    by get entry r; now
younger_claim: get
    answers RepositoryNotFound
    by get entry r; now
old_claim: get
    answers RepositoryDeleting
    by get entry r; now; set entry r
    leaves ~entry r = deleting i1 -120s
old_claim: get_if
    answers RepositoryDeleting
    by get entry r; now; set_if entry r
    leaves ~entry r = deleting i1 -120s
old_claim: get, met by delete at 2
    answers RepositoryDeleting; done
    by get entry r; now; set entry r
    leaves ~entry r = deleting i1 -120s; +record r/i1 = r/i1
old_claim: get_if, met by delete at 2
    answers Conflict; done
    by get entry r; now; set_if entry r
    leaves -entry r; +record r/i1 = r/i1
old_claim: get_if, met by delete.create at 2
    answers Conflict; done; r active i2
    by get entry r; now; set_if entry r
    leaves ~entry r = active i2; +record r/i1 = r/i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
half_deleted: get
    answers RepositoryDeleting
    by get entry r
: delete
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete_if
    answers done
    by get entry r; set_if entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete_gets
    answers done
    by get entry r; get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete_gets_if
    answers done
    by get entry r; get entry r; set_if entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
claim: delete
    answers done
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
claim: delete_gets
    answers RepositoryNotFound
    by get entry r; now
old_claim: delete
    answers done
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
old_claim: delete_gets
    answers done
    by get entry r; now; set entry r; get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
old_claim: delete_gets_if
    answers done
    by get entry r; now; set_if entry r; get entry r; set_if entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
half_deleted: delete
    answers done
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
half_deleted: delete_gets
    answers done
    by get entry r; get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
half_deleted: delete_if
    answers done
    by get entry r; set_if entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete, met by delete at 2
    answers done; done
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set entry r; set record r/i1; delete entry r
    leaves -entry r; +record r/i1 = r/i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
create: delete_if, met by delete at 2
    answers Conflict; done
    by get entry r; set_if entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete_if, met by delete.create at 2
    answers Conflict; done; r active i2
    by get entry r; set_if entry r
    leaves ~entry r = active i2; +record r/i1 = r/i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete_if, false at 2
    answers Conflict
    by get entry r; set_if entry r
    leaves ~entry r = deleting i1
create: delete_gets, met by delete at 2
    answers RepositoryNotFound; done
    by get entry r; get entry r
    leaves -entry r; +record r/i1 = r/i1
create: delete_gets_if, met by delete.create at 3
    answers Conflict; done; r active i2
    by get entry r; get entry r; set_if entry r
    leaves ~entry r = active i2; +record r/i1 = r/i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
old_claim: delete_gets_if, met by delete at 2
    answers Conflict; done
    by get entry r; now; set_if entry r
    leaves -entry r; +record r/i1 = r/i1
create.delete: clean
    answers 1
    by scan record; scan r-i1; delete branch main; delete commit c.i1; delete record r/i1
    leaves -record r/i1; -branch main; -commit c.i1
create.branch.delete: clean
    answers 1
    by scan record; scan r-i1; delete branch b; delete branch main; delete commit c.i1; delete record r/i1
    leaves -record r/i1; -branch b; -branch main; -commit c.i1
create.delete.create.delete: clean
    answers 2
    by scan record; scan r-i1; delete branch main; delete commit c.i1; delete record r/i1; scan r-i2; delete
        branch main; delete commit c.i2; delete record r/i2
    leaves -record r/i1; -record r/i2; -branch main; -commit c.i1; -branch main; -commit c.i2
create.delete: clean, met by clean at 2
    answers 1; 1
    by scan record; scan r-i1; delete record r/i1
    leaves -record r/i1; -branch main; -commit c.i1
create.delete.create.delete: clean, refused at 2
    answers 1
    by scan record; scan r-i1; scan r-i2; delete branch main; delete commit c.i2; delete record r/i2
    leaves -record r/i2; -branch main; -commit c.i2
create.delete: clean, broken at 1
    answers ScanInterrupted
    by scan record
"""
ROWS = [stated("step2", STEP2, STEP2_TABLE, "repository-operations-error-handling.md, Step 2")]

SCENARIOS = built(ROWS)
