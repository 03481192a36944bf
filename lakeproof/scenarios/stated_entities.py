"""Branches and tags in a repository of our repair: what each call answers, where its repository goes away meanwhile.

The steps are those of `lakeproof.impl.repositories.entities` with ``knows_its_own``: a failed predicate is followed by
a look whose record it is, and a write by a look whether the repository is still there. What cannot be told is
indefinite. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.repositories import hardened
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_repositories import words_of
from lakeproof.scenarios.designs import built

ENTITIES: Final = words_of(hardened.FLOWS)
ENTITIES_TABLE: Final = """\
create: branch
    answers b c.i1 i1.s2
    by get entry r; get branch main; set_if branch b; get entry r
    leaves +branch b = c.i1 i1.s2
create: branch_at
    answers b c.x i1.s2
    by get entry r; set_if branch b; get entry r
    leaves +branch b = c.x i1.s2
create.branch: branch
    answers BranchExists
    by get entry r; get branch main; set_if branch b; get branch b
create: branch, met by branch at 3
    answers BranchExists; b c.i1 i1.s3
    by get entry r; get branch main; set_if branch b; get branch b
    leaves +branch b = c.i1 i1.s3
create: branch, met by branch.delete_b at 3
    answers b c.i1 i1.s2; b c.i1 i1.s3; done
    by get entry r; get branch main; set_if branch b; get entry r
    leaves +branch b = c.i1 i1.s2
create: branch, met by branch at 4
    answers b c.i1 i1.s2; BranchExists
    by get entry r; get branch main; set_if branch b; get entry r
    leaves +branch b = c.i1 i1.s2
create: branch, false at 3
    answers b c.i1 i1.s2
    by get entry r; get branch main; set_if branch b; get branch b; get entry r
    leaves +branch b = c.i1 i1.s2
create: branch, met by delete at 3
    answers OutcomeUnknown?; done
    by get entry r; get branch main; set_if branch b; get entry r
    leaves ~entry r = deleted i1; +branch b = c.i1 i1.s2
create: branch, met by delete.create at 3
    answers OutcomeUnknown?; done; r active i2
    by get entry r; get branch main; set_if branch b; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch b = c.i1 i1.s2; +branch main = c.i2 i2.s3; +commit
        c.i2 = of none 'Repository created'
create: branch, met by delete at 4
    answers OutcomeUnknown?; done
    by get entry r; get branch main; set_if branch b; get entry r
    leaves ~entry r = deleted i1; +branch b = c.i1 i1.s2
create: branch, met by delete.create at 4
    answers OutcomeUnknown?; done; r active i2
    by get entry r; get branch main; set_if branch b; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +branch b = c.i1 i1.s2; +branch main = c.i2 i2.s3; +commit
        c.i2 = of none 'Repository created'
create: branch, refused at 4
    answers OutcomeUnknown?
    by get entry r; get branch main; set_if branch b; get entry r
    leaves +branch b = c.i1 i1.s2
create.branch: branch, refused at 4
    answers OutcomeUnknown?
    by get entry r; get branch main; set_if branch b; get branch b
create: branch, refused at 1
    answers Refused
    by get entry r
bare: branch
    answers BranchNotFound
    by get entry r; get branch main
create: get_b
    answers BranchNotFound
    by get entry r; get branch b
create: main
    answers main c.i1 i1.s1
    by get entry r; get branch main
create.branch: get_b
    answers b c.i1 i1.s2
    by get entry r; get branch b
create.delete: main
    answers RepositoryNotFound
    by get entry r
create.branch: delete_b
    answers done
    by get entry r; delete branch b
    leaves -branch b
create: delete_main
    answers DefaultBranch
    by get entry r
create: delete_b
    answers done
    by get entry r; delete branch b
create: tag
    answers t c.i1
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves +tag t = c.i1
create.tag: tag
    answers TagExists
    by get entry r; get branch main; get tag t
create: tag, met by tag at 4
    answers OutcomeUnknown?; t c.i1
    by get entry r; get branch main; get tag t; set_if tag t; get tag t
    leaves +tag t = c.i1
create: tag, met by tag at 3
    answers TagExists; t c.i1
    by get entry r; get branch main; get tag t
    leaves +tag t = c.i1
create: tag, false at 4
    answers OutcomeUnknown?
    by get entry r; get branch main; get tag t; set_if tag t; get tag t
    leaves +tag t = c.i1
create: tag, met by delete at 4
    answers OutcomeUnknown?; done
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves ~entry r = deleted i1; +tag t = c.i1
create: tag, met by delete.create at 4
    answers OutcomeUnknown?; done; r active i2
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves ~entry r = active i2; +record r/i2 = r/i2; +tag t = c.i1; +branch main = c.i2 i2.s2; +commit c.i2 =
        of none 'Repository created'
create: tag, met by delete at 5
    answers OutcomeUnknown?; done
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves ~entry r = deleted i1; +tag t = c.i1
create: tag, refused at 5
    answers OutcomeUnknown?
    by get entry r; get branch main; get tag t; set_if tag t; get entry r
    leaves +tag t = c.i1
bare: tag
    answers BranchNotFound
    by get entry r; get branch main
create: branch, met by delete_b at 4, false at 3
    answers OutcomeUnknown?; done
    by get entry r; get branch main; set_if branch b; get branch b
create: tag, met by delete.clean at 5, false at 4
    answers OutcomeUnknown?; done; 1
    by get entry r; get branch main; get tag t; set_if tag t; get tag t
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: tag, false at 4, refused at 5
    answers OutcomeUnknown?
    by get entry r; get branch main; get tag t; set_if tag t; get tag t
    leaves +tag t = c.i1
"""
ROWS = [stated("entities", ENTITIES, ENTITIES_TABLE, "ours: entities.py, docs/designs.md")]

SCENARIOS = built(ROWS)
