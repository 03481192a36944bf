"""Imports and the cache of repositories of today: each call's answer, its effects, and what it leaves.

The steps are those of lakeFS' pkg/catalog, Import, importAsync and CancelImport, of pkg/graveler, Import, and of
pkg/graveler/ref, GetRepository; the repairs are ours, docs/lakefs-today.md. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import cache, flows, imports, repositories
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

IMPORTS: Final = words_of(
    flows.FLOWS,
    start=Call(imports.start_import, REPOSITORY, BRANCH, "i"),
    start_nowhere=Call(imports.start_import, REPOSITORY, "nowhere", "i"),
    start_first=Call(imports.start_import, REPOSITORY, BRANCH, "i", answers_first=True),
    start_first_nowhere=Call(imports.start_import, REPOSITORY, "nowhere", "i", answers_first=True),
    status=Call(imports.import_status, REPOSITORY, "i"),
    run=Call(imports.run_import, REPOSITORY, BRANCH, b"x", "i"),
    run_claims=Call(imports.run_import, REPOSITORY, BRANCH, b"x", "i", claims=True),
    run_first=Call(imports.run_import, REPOSITORY, BRANCH, b"x", "i", answers_first=True),
    cancel=Call(imports.cancel_import, REPOSITORY, "i"),
    cancel_claims=Call(imports.cancel_import, REPOSITORY, "i", claims=True),
)
IMPORTS_TABLE: Final = """\
: start
    answers done
    by get branch b; set imports/i
    leaves +imports/i = running
: start_nowhere
    answers BranchNotFound
    by get branch nowhere
: start_first
    answers done
    by get branch b
: start_first_nowhere
    answers BranchNotFound
    by get branch nowhere
: status
    answers TaskNotFound
    by get imports/i
start: status
    answers running
    by get imports/i
start.run: status
    answers completed
    by get imports/i
start.cancel: status
    answers canceled
    by get imports/i
start: run, then list.status
    answers c2 of c1 'i'; (x=i); completed
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run_claims, then list.status
    answers c2 of c1 'i'; (x=i); completed
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start_first: run_first, then list.status
    answers c2 of c1 'i'; (x=i); completed
    by set imports/i; get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch
        b; get branch b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set
        r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; +imports/i = completed
start_first: run, then status
    answers done; TaskNotFound
    by get imports/i
start.cancel: run, then list.status
    answers done; (); canceled
    by get imports/i
start.cancel: run_claims
    answers done
    by get imports/i
start.run: run
    answers done
    by get imports/i
start.run: run_claims
    answers done
    by get imports/i
start: run, met by cancel at 2, then list.status
    answers c2 of c1 'i'; done; (x=i); canceled
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = canceled
start: run, met by cancel at 3, then list.status
    answers c2 of c1 'i'; done; (x=i); canceled
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = canceled
start: run_claims, met by cancel_claims at 2, then list.status
    answers done; done; (); canceled
    by get imports/i; set_if imports/i; get imports/i
    leaves ~imports/i = canceled
start: run_claims, met by cancel_claims at 3, then list.status
    answers c2 of c1 'i'; ImportEnded; (x=i); completed
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run_claims, met by cancel at 3, then list.status
    answers c2 of c1 'i'; done; (x=i); canceled
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = canceled
start: run, false at 2, then status
    answers c2 of c1 'i'; completed
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run_claims, false at 2, then status
    answers c2 of c1 'i'; completed
    by get imports/i; set_if imports/i; get imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch
        b; get branch b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set
        r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run_first, then status
    answers c2 of c1 'i'; completed
    by set imports/i; get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch
        b; get branch b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set
        r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start.x1: run, then list
    answers DirtyBranch; (x=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/
start.x1.seal: run, then list
    answers DirtyBranch; (x=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/
start.x1.commit.x1: run, then list
    answers c3 of c2 'i'; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch
        b; get commit c2; scan u.b2.s1/; get commit c2; now; set_if commit c3; set_if branch b; set r-b:u.b2.s1;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'i'; ~imports/i = completed
start.x1.commit.x1.seal: run, then list
    answers c3 of c2 'i'; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; set_if branch
        b; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; get commit c2; now; set_if commit c3;
        set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.s1; get imports/i; set_if imports/i
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2 'i';
        ~imports/i = completed
start.x1.commit.no_x: run
    answers DirtyBranch
    by get imports/i; set_if imports/i; get branch b; get commit c2; scan u.b2.s1/
start.x1.commit.no_x.seal.x1: run
    answers c3 of c2 'i'
    by get imports/i; set_if imports/i; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; set_if branch
        b; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; get commit c2; now; set_if commit c3;
        set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.s1; get imports/i; set_if imports/i
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2 'i';
        ~imports/i = completed
start.no_x: run, then list
    answers c2 of c1 'i'; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run, met by x1 at 5, then list
    answers DirtyBranch; done; (x=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/
    leaves +u.b2.0/x = 1
start: run, met by x1 at 6, then list
    answers DirtyBranch; done; (x=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
start: run, met by y1 at 8, then list
    answers c2 of c1 'i'; done; (x=i, y=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/y = 1; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i
        = completed
start: run, met by y1.seal at 6, then list
    answers DirtyBranch; done; done; (y=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; scan u.b2.s2/
    leaves +u.b2.0/y = 1; ~branch b = c1 u.b2.s2 u.b2.0
start: run, met by y1.seal at 7, then list
    answers DirtyBranch; done; done; (y=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; scan u.b2.s1/
    leaves +u.b2.s1/y = 1; ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0
start: run, met by y1.commit at 7, then list
    answers c3 of c2 'i'; done; c2 of c1 'one'; (x=i, y=1)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c2; now; set_if commit c3; set_if branch b; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +u.b2.s1/y = 1; ~branch b = c3 u.b2.s2; +commit
        c2 = of c1 'one'; +commit c3 = of c2 'i'; ~imports/i = completed
start: run, met by seal at 5, then list
    answers c2 of c1 'i'; done; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; scan u.b2.s1/; set_if branch b; get branch b; get commit c1; scan
        u.b2.0/; scan u.b2.s1/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.s1; set
        r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'i';
        ~imports/i = completed
start: run, met by seal at 6, then list
    answers c2 of c1 'i'; done; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; scan u.b2.s2/; set_if branch b; get branch b; get commit c1; scan
        u.b2.0/; scan u.b2.s2/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.s2; set
        r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'i';
        ~imports/i = completed
start: run, met by seal at 9, then list
    answers c2 of c1 'i'; done; (x=i)
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get
        commit c1; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set_if commit c2; set_if branch b; set
        r-b:u.b2.s1; set r-b:u.b2.0; get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'i';
        ~imports/i = completed
start: run, refused at 7, then status
    answers Refused; running
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: cancel
    answers TaskNotFound
    by get imports/i
start: cancel, then status
    answers done; canceled
    by get imports/i; set imports/i
    leaves ~imports/i = canceled
start: cancel_claims, then status
    answers done; canceled
    by get imports/i; set_if imports/i
    leaves ~imports/i = canceled
start.run: cancel, then status
    answers ImportEnded; completed
    by get imports/i
start.run: cancel_claims, then status
    answers ImportEnded; completed
    by get imports/i
start.cancel: cancel, then status
    answers done; canceled
    by get imports/i; set imports/i
start.cancel: cancel_claims, then status
    answers done; canceled
    by get imports/i; set_if imports/i
start: cancel, met by run at 2, then status
    answers done; c2 of c1 'i'; canceled
    by get imports/i; set imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = canceled
start: cancel_claims, met by run at 2, then status
    answers ImportEnded; c2 of c1 'i'; completed
    by get imports/i; set_if imports/i; get imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: cancel_claims, met by cancel_claims at 2, then status
    answers done; done; canceled
    by get imports/i; set_if imports/i; get imports/i
    leaves ~imports/i = canceled
start: cancel_claims, met by run_claims at 2, then status
    answers ImportEnded; c2 of c1 'i'; completed
    by get imports/i; set_if imports/i; get imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: cancel_claims, false at 2, then status
    answers done; canceled
    by get imports/i; set_if imports/i; get imports/i
    leaves ~imports/i = canceled
start: run_claims, met by cancel.start at 3, then list.status
    answers c2 of c1 'i'; done; done; (x=i); completed
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = completed
start: run, met by cancel at 15, then status
    answers c2 of c1 'i'; done; canceled
    by get imports/i; set_if imports/i; get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch
        b; get commit c1; scan u.b2.0/; get commit c1; now; set_if commit c2; set_if branch b; set r-b:u.b2.0;
        get imports/i; set_if imports/i
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'i'; ~imports/i = canceled
"""
CACHE: Final = {
    "create": Call(repositories.create_repository, "q"),
    "delete": Call(repositories.delete_repository, "q"),
    "get": Call(cache.get_repository, "q"),
    "branch": Call(cache.create_branch, "q", "b"),
}
CACHE_TABLE: Final = """\
: get
    answers RepositoryNotFound
    by now; get cached/q; get entry q
create: get
    answers q active i1
    by now; get cached/q; get entry q; set cached/q
    leaves +cached/q = [+5s, "record"]
create.get: get
    answers q active i1
    by now; get cached/q
create.get: get, 5 s later
    answers q active i1 -5s
    by now; get cached/q
create.get: get, 6 s later
    answers q active i1 -6s
    by now; get cached/q; get entry q; set cached/q
    leaves ~cached/q = [+5s, "record"]
create.get.delete: get
    answers q active i1
    by now; get cached/q
create.get.delete: get, 5 s later
    answers q active i1 -5s
    by now; get cached/q
create.get.delete: get, 6 s later
    answers RepositoryNotFound
    by now; get cached/q; get entry q
create.get.delete.create: get
    answers q active i1
    by now; get cached/q
create.get.delete.create: get, 6 s later
    answers q active i2 -6s
    by now; get cached/q; get entry q; set cached/q
    leaves ~cached/q = [+5s, "record"]
create: get, met by delete at 2
    answers RepositoryNotFound; done
    by now; get cached/q; get entry q
    leaves -entry q; -branch main; -commit c.i1
create: get, met by delete at 3
    answers q active i1; done
    by now; get cached/q; get entry q; set cached/q
    leaves -entry q; +cached/q = [+5s, "record"]; -branch main; -commit c.i1
create: branch
    answers b c.i1 i1.s2
    by now; get cached/q; get entry q; set cached/q; get branch main; set_if branch b
    leaves +cached/q = [+5s, "record"]; +branch b = c.i1 i1.s2
create.get: branch
    answers b c.i1 i1.s2
    by now; get cached/q; get branch main; set_if branch b
    leaves +branch b = c.i1 i1.s2
create.get.delete: branch
    answers BranchNotFound
    by now; get cached/q; get branch main
"""
FIRST: Final = (FOUND,)

ROWS = [
    stated("imports", IMPORTS, IMPORTS_TABLE, "lakeFS pkg/catalog/import.go and catalog.go, CancelImport", FIRST),
    stated("cache", CACHE, CACHE_TABLE, "lakeFS pkg/graveler/ref/manager.go, GetRepository", FIRST),
]

SCENARIOS = built(ROWS)
