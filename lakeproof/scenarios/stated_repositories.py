"""Repositories: what each call answers, by which effects, and what it leaves, where another call comes in its midst.

The steps are those of repository-operations-error-handling.md, "Challenges" and "Step 1", in their order; of kv3,
graveler-on-kv.md, "Deleting a Repository". How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.repositories import kv3, naive, step1
from lakeproof.scenario import Call
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_repositories import words_of
from lakeproof.scenarios.designs import built

NAIVE: Final = words_of(naive.FLOWS, delete_entry_first=Call(naive.delete_repository, "r", entry_first=True))
NAIVE_TABLE: Final = """\
: create
    answers r active i1
    by now; set_if entry r; set_if branch main; set commit c.i1
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: bare
    answers r active i1 bare
    by now; set_if entry r
    leaves +entry r = active i1 bare
: create, met by create at 1
    answers NotUnique; r active i2
    by now; set_if entry r
    leaves +entry r = active i2; +branch main = c.i2 i2.s1; +commit c.i2 = of none 'Repository created'
: create, met by create at 2
    answers r active i1; NotUnique
    by now; set_if entry r; set_if branch main; set commit c.i1
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create, met by create.delete at 2
    answers r active i1; NotUnique; done
    by now; set_if entry r; set_if branch main; set commit c.i1
    leaves +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: bare, met by create at 1
    answers NotUnique; r active i2
    by now; set_if entry r
    leaves +entry r = active i2; +branch main = c.i2 i2.s1; +commit c.i2 = of none 'Repository created'
create: create
    answers NotUnique
    by now; set_if entry r
create: get
    answers r active i1
    by get entry r
: get
    answers RepositoryNotFound
    by get entry r
: delete
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; scan r; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_entry_first
    answers done
    by get entry r; delete entry r; scan r; delete branch main; delete commit c.i1
    leaves -entry r; -branch main; -commit c.i1
create.other: list
    answers (other active i2, r active i1)
    by scan entry
create: branch
    answers b c.i1 i1.s2
    by get entry r; get branch main; set_if branch b
    leaves +branch b = c.i1 i1.s2
create: branch_at
    answers b c.x i1.s2
    by get entry r; set_if branch b
    leaves +branch b = c.x i1.s2
create.branch: branch
    answers BranchExists
    by get entry r; get branch main; set_if branch b
bare: branch
    answers BranchNotFound
    by get entry r; get branch main
create: main
    answers main c.i1 i1.s1
    by get entry r; get branch main
create: get_b
    answers BranchNotFound
    by get entry r; get branch b
create.branch: delete_b
    answers done
    by get entry r; delete branch b
    leaves -branch b
create: delete_main
    answers DefaultBranch
    by get entry r
create: tag
    answers t c.i1
    by get entry r; get branch main; set_if tag t
    leaves +tag t = c.i1
create.tag: tag
    answers TagExists
    by get entry r; get branch main; set_if tag t
create: tag, met by tag at 3
    answers TagExists; t c.i1
    by get entry r; get branch main; set_if tag t
    leaves +tag t = c.i1
bare: tag
    answers BranchNotFound
    by get entry r; get branch main
: create, met by delete.create at 2
    answers BranchExists; done; r active i2
    by now; set_if entry r; set_if branch main
    leaves +entry r = active i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
"""
KV3: Final = words_of(
    kv3.LISTED,
    create_entry_last=Call(kv3.create_repository, "r", entry_last=True),
    delete_plain=Call(kv3.delete_repository, "r"),
)
KV3_TABLE: Final = """\
: create
    answers r active i1
    by now; set_if entry r; set branch main; set commit c.i1
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create_entry_last
    answers r active i1
    by now; set branch main; set commit c.i1; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: bare
    answers r active i1 bare
    by now; set_if entry r
    leaves +entry r = active i1 bare
create: create
    answers NotUnique
    by now; set_if entry r
create: create_entry_last
    answers NotUnique
    by now; set branch main; set commit c.i2; set_if entry r
    leaves +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
create: bare
    answers NotUnique
    by now; set_if entry r
: create_entry_last, met by create at 2
    answers NotUnique; r active i2
    by now; set branch main; set commit c.i1; set_if entry r
    leaves +entry r = active i2; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'; +branch
        main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
create: get
    answers r active i1
    by get entry r
: get
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; set record r/i1; delete entry r; scan r-i1; delete branch main; delete commit c.i1; delete
        record r/i1
    leaves -entry r; -branch main; -commit c.i1
create: delete_plain
    answers done
    by get entry r; delete entry r; scan r-i1; delete branch main; delete commit c.i1
    leaves -entry r; -branch main; -commit c.i1
: delete
    answers RepositoryNotFound
    by get entry r
create.other: list
    answers (other active i2, r active i1)
    by scan entry
create.branch: delete
    answers done
    by get entry r; set record r/i1; delete entry r; scan r-i1; delete branch b; delete branch main; delete
        commit c.i1; delete record r/i1
    leaves -entry r; -branch b; -branch main; -commit c.i1
create: clean
    answers 0
    by scan record
create: delete, refused at 4, then clean
    answers Refused; 1
    by get entry r; set record r/i1; delete entry r; scan r-i1
    leaves -entry r; -branch main; -commit c.i1
create: delete, refused at 4, then clean.clean
    answers Refused; 1; 0
    by get entry r; set record r/i1; delete entry r; scan r-i1
    leaves -entry r; -branch main; -commit c.i1
"""
STEP1: Final = words_of(
    step1.FLOWS,
    delete_if=Call(step1.delete_repository, "r", state_by_set_if=True),
    delete_rereads=Call(step1.delete_repository, "r", rereads_uid=True),
    delete_paged=Call(step1.delete_repository, "r", batch_size=1),
)
STEP1_TABLE: Final = """\
: create
    answers r active i1
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: bare
    answers r active i1 bare
    by now; set_if entry r
    leaves +entry r = active i1 bare
create: create
    answers NotUnique
    by get entry r
create: bare
    answers NotUnique
    by now; set_if entry r
: create, met by create at 1
    answers NotUnique; r active i1
    by get entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: create, met by create at 4
    answers NotUnique; r active i2
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i2; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'; +branch
        main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: create, met by create.delete at 4
    answers r active i1; r active i2; done
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
: get
    answers RepositoryNotFound
    by get entry r
create: get
    answers r active i1
    by get entry r
half_deleted: get
    answers RepositoryDeleting
    by get entry r
: delete
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; set entry r; scan r-i1; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_if
    answers done
    by get entry r; set_if entry r; scan r-i1; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_rereads
    answers done
    by get entry r; set entry r; get entry r; scan r-i1; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create.branch.tag: delete_paged
    answers done
    by get entry r; set entry r; scan r-i1; delete branch b; scan past branch b; delete branch main; scan past
        branch main; delete commit c.i1; scan past commit c.i1; delete tag t; delete entry r
    leaves -entry r; -branch b; -branch main; -commit c.i1; -tag t
half_deleted: delete
    answers done
    by get entry r; set entry r; scan r-i1; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
half_deleted: delete_if
    answers done
    by get entry r; set_if entry r; scan r-i1; delete branch main; delete commit c.i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete, met by delete at 2
    answers done; done
    by get entry r; set entry r; scan r-i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete, met by delete at 3
    answers done; done
    by get entry r; set entry r; scan r-i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set entry r; scan r-i1; delete entry r
    leaves -entry r; -branch main; -commit c.i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository
        created'
create: delete_if, met by delete at 2
    answers Conflict; done
    by get entry r; set_if entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_if, met by delete.create at 2
    answers Conflict; done; r active i2
    by get entry r; set_if entry r
    leaves ~entry r = active i2; -branch main; -commit c.i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete_if, false at 2
    answers Conflict
    by get entry r; set_if entry r
    leaves ~entry r = deleting i1
create: delete_rereads, met by delete at 3
    answers done; done
    by get entry r; set entry r; get entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_rereads, met by delete.create at 3
    answers done; done; r active i2
    by get entry r; set entry r; get entry r; scan r-i2; delete branch main; delete commit c.i2; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: list
    answers (r active i1)
    by scan entry
create.other.half_deleted: list
    answers (other active i2)
    by scan entry
half_deleted: list
    answers ()
    by scan entry
create: branch
    answers b c.i1 i1.s2
    by get entry r; get branch main; set_if branch b
    leaves +branch b = c.i1 i1.s2
create: branch, met by delete at 3
    answers b c.i1 i1.s2; done
    by get entry r; get branch main; set_if branch b
    leaves -entry r; +branch b = c.i1 i1.s2; -branch main; -commit c.i1
create: branch, met by branch at 3
    answers BranchExists; b c.i1 i1.s3
    by get entry r; get branch main; set_if branch b
    leaves +branch b = c.i1 i1.s3
half_deleted: branch
    answers RepositoryDeleting
    by get entry r
"""
SOURCE: Final = "repository-operations-error-handling.md"

ROWS = [
    stated("naive", NAIVE, NAIVE_TABLE, f"{SOURCE}, Challenges"),
    stated("kv3", KV3, KV3_TABLE, "graveler-on-kv.md, Deleting a Repository"),
    stated("step1", STEP1, STEP1_TABLE, f"{SOURCE}, Step 1"),
]

SCENARIOS = built(ROWS)
