"""Repositories of today: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' pkg/graveler/ref, GetRepository, CreateRepository and DeleteRepository; the repair is
ours, docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import repositories
from lakeproof.scenario import Call
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_repositories import words_of
from lakeproof.scenarios.designs import built

REPOSITORIES: Final = {
    **words_of(repositories.FLOWS),
    "create_over": Call(repositories.create_repository, "r", tombstones=True),
    "bare_over": Call(repositories.create_bare_repository, "r", tombstones=True),
    "delete_sure": Call(repositories.delete_repository, "r", tombstones=True),
    "delete_paged": Call(repositories.delete_repository, "r", batch_size=1),
}
REPOSITORIES_TABLE: Final = """\
: get
    answers RepositoryNotFound
    by get entry r
create: get
    answers r active i1
    by get entry r
half_deleted: get
    answers RepositoryDeleting
    by get entry r
create.delete_sure: get
    answers RepositoryNotFound
    by get entry r
: create
    answers r active i1
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
create: create
    answers NotUnique
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
half_deleted: create
    answers RepositoryDeleting
    by get entry r
create.delete_sure: create
    answers NotUnique
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: create, met by create at 4
    answers NotUnique; r active i2
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i2; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'; +branch
        main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: create, met by create at 2
    answers NotUnique; r active i2
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i2; +branch main = c.i1 i1.s2; +commit c.i1 = of none 'Repository created'; +branch
        main = c.i2 i2.s1; +commit c.i2 = of none 'Repository created'
: create_over
    answers r active i1
    by get entry r; now; set commit c.i1; set branch main; set_if entry r
    leaves +entry r = active i1; +branch main = c.i1 i1.s1; +commit c.i1 = of none 'Repository created'
create: create_over
    answers NotUnique
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
half_deleted: create_over
    answers RepositoryDeleting
    by get entry r
create.delete_sure: create_over
    answers r active i2
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves ~entry r = active i2; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
create.delete_sure: create_over, met by create_over at 4
    answers NotUnique; r active i3
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves ~entry r = active i3; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'; +branch
        main = c.i3 i3.s3; +commit c.i3 = of none 'Repository created'
create.delete_sure: create_over, met by create_over.delete_sure at 4
    answers NotUnique; r active i3; done
    by get entry r; now; set commit c.i2; set branch main; set_if entry r
    leaves ~entry r = deleted i3; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository created'
: bare
    answers r active i1 bare
    by get entry r; now; set_if entry r
    leaves +entry r = active i1 bare
create: bare
    answers NotUnique
    by get entry r; now; set_if entry r
half_deleted: bare
    answers RepositoryDeleting
    by get entry r
: bare, met by bare at 2
    answers NotUnique; r active i2 bare
    by get entry r; now; set_if entry r
    leaves +entry r = active i2 bare
create.delete_sure: bare
    answers NotUnique
    by get entry r; now; set_if entry r
create.delete_sure: bare_over
    answers r active i2 bare
    by get entry r; now; set_if entry r
    leaves ~entry r = active i2 bare
: delete
    answers RepositoryNotFound
    by get entry r
create: delete
    answers done
    by get entry r; set entry r; scan branch; get branch main; delete branch main; scan tag; scan commit; delete
        commit c.i1; delete repo-metadata; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create.branch.tag: delete
    answers done
    by get entry r; set entry r; scan branch; get branch b; delete branch b; get branch main; delete branch
        main; scan tag; delete tag t; scan commit; delete commit c.i1; delete repo-metadata; delete entry r
    leaves -entry r; -branch b; -branch main; -commit c.i1; -tag t
create.branch.tag: delete_paged
    answers done
    by get entry r; set entry r; scan branch; get branch b; delete branch b; scan past branch b; get branch
        main; delete branch main; scan past branch main; scan tag; delete tag t; scan commit; delete commit
        c.i1; delete repo-metadata; delete entry r
    leaves -entry r; -branch b; -branch main; -commit c.i1; -tag t
half_deleted: delete
    answers done
    by get entry r; scan branch; get branch main; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create.delete_sure: delete
    answers RepositoryNotFound
    by get entry r
create.branch: delete, met by delete_b at 4
    answers done; RepositoryDeleting
    by get entry r; set entry r; scan branch; get branch b; delete branch b; get branch main; delete branch
        main; scan tag; scan commit; delete commit c.i1; delete repo-metadata; delete entry r
    leaves -entry r; -branch b; -branch main; -commit c.i1
create.branch: delete, met by delete at 4
    answers BranchNotFound; done
    by get entry r; set entry r; scan branch; get branch b; get branch main; scan tag; scan commit; delete
        repo-metadata
    leaves -entry r; -branch b; -branch main; -commit c.i1
create.branch: delete, met by delete.create at 4
    answers BranchNotFound; done; r active i2
    by get entry r; set entry r; scan branch; get branch b; get branch main; scan tag; scan commit; delete
        repo-metadata
    leaves ~entry r = active i2; -branch b; -branch main; -commit c.i1; +branch main = c.i2 i2.s3; +commit c.i2
        = of none 'Repository created'
create: delete, met by delete at 2
    answers done; done
    by get entry r; set entry r; scan branch; scan tag; scan commit; delete repo-metadata; delete entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete, met by delete.create at 2
    answers done; done; r active i2
    by get entry r; set entry r; scan branch; scan tag; scan commit; delete repo-metadata; delete entry r
    leaves -entry r; -branch main; -commit c.i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none 'Repository
        created'
create: delete_sure
    answers done
    by get entry r; set_if entry r; scan branch; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create.branch.tag: delete_sure
    answers done
    by get entry r; set_if entry r; scan branch; delete branch b; delete branch main; scan tag; delete tag t;
        scan commit; delete commit c.i1; delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch b; -branch main; -commit c.i1; -tag t
half_deleted: delete_sure
    answers done
    by get entry r; set_if entry r; scan branch; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create.delete_sure: delete_sure
    answers RepositoryNotFound
    by get entry r
create: delete_sure, met by delete_sure at 2
    answers done; done
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, met by delete_sure at 3
    answers done; done
    by get entry r; set_if entry r; scan branch; scan tag; scan commit; delete repo-metadata; set_if entry r;
        get entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, met by delete_sure.create_over at 2
    answers done; done; r active i2
    by get entry r; set_if entry r; get entry r
    leaves ~entry r = active i2; -branch main; -commit c.i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete_sure, met by delete_sure.create_over at 3
    answers done; done; r active i2
    by get entry r; set_if entry r; scan branch; scan tag; scan commit; delete repo-metadata; set_if entry r;
        get entry r
    leaves ~entry r = active i2; -branch main; -commit c.i1; +branch main = c.i2 i2.s2; +commit c.i2 = of none
        'Repository created'
create: delete_sure, false at 2
    answers done
    by get entry r; set_if entry r; get entry r; scan branch; delete branch main; scan tag; scan commit; delete
        commit c.i1; delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, lost at 2
    answers done
    by get entry r; set_if entry r; get entry r; scan branch; delete branch main; scan tag; scan commit; delete
        commit c.i1; delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, missed at 2
    answers Conflict
    by get entry r; set_if entry r; get entry r
create: delete_sure, refused at 2
    answers Refused
    by get entry r; set_if entry r
create: delete_sure, missed at 9
    answers Conflict
    by get entry r; set_if entry r; scan branch; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; set_if entry r; get entry r
    leaves ~entry r = deleting i1; -branch main; -commit c.i1
create: delete_sure, lost at 9
    answers done
    by get entry r; set_if entry r; scan branch; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; set_if entry r; get entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, false at 9
    answers done
    by get entry r; set_if entry r; scan branch; delete branch main; scan tag; scan commit; delete commit c.i1;
        delete repo-metadata; set_if entry r; get entry r
    leaves ~entry r = deleted i1; -branch main; -commit c.i1
create: delete_sure, refused at 3
    answers Refused
    by get entry r; set_if entry r; scan branch
    leaves ~entry r = deleting i1
create: delete_sure, met by delete at 2
    answers done; done
    by get entry r; set_if entry r; get entry r
    leaves -entry r; -branch main; -commit c.i1
create: delete_sure, met by delete at 3, false at 2
    answers done; done
    by get entry r; set_if entry r; get entry r
    leaves -entry r; -branch main; -commit c.i1
create.branch: delete_sure, met by delete_b at 4
    answers done; RepositoryDeleting
    by get entry r; set_if entry r; scan branch; delete branch b; delete branch main; scan tag; scan commit;
        delete commit c.i1; delete repo-metadata; set_if entry r
    leaves ~entry r = deleted i1; -branch b; -branch main; -commit c.i1
create.other: list
    answers (other active i2, r active i1)
    by scan entry
create.other.half_deleted: list
    answers (other active i2)
    by scan entry
create.delete_sure.other: list
    answers (other active i2)
    by scan entry
create: branch
    answers b c.i1 i1.s2
    by get entry r; get branch main; set_if branch b
    leaves +branch b = c.i1 i1.s2
half_deleted: branch
    answers RepositoryDeleting
    by get entry r
create: main
    answers main c.i1 i1.s1
    by get entry r; get branch main
"""

ROWS = [stated("repositories", REPOSITORIES, REPOSITORIES_TABLE, "lakeFS pkg/graveler/ref/manager.go")]

SCENARIOS = built(ROWS)
