"""The garbage collector of today: what it lists, and what it deletes.

The steps are those of lakeFS' pkg/catalog, gcWriteUncommitted and processBranch, of pkg/graveler/retention,
GetGarbageCollectionCommits, and of the Spark job; the repairs are ours, docs/lakefs-today.md. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

import attrs

from lakeproof.impl.catalog import objects
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.branches import read_branch, replace_branch
from lakeproof.impl.refs.commits import add_commit, get_commit, new_commit
from lakeproof.impl.upstream import collecting, flows, repositories, staging
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def commits(env: Env, repository: Repository, *, reports: bool = False, batch_size: int = 0) -> tuple[str, ...]:
    """The messages of the commits that are active, by id."""
    found = await collecting.prepare_commits(env, repository, reports=reports, batch_size=batch_size)
    return tuple(each.message for each in found)


async def commit_behind(env: Env, repository: Repository) -> None:
    """A commit on b by a client whose clock is eight days behind."""
    branch, predicate = await read_branch(env, repository, BRANCH)
    head = await get_commit(env, repository, branch.commit_id)
    date = await env.clock.now() - 8 * collecting.DAY
    made = new_commit([head], head.meta_range_id, committer="late", message="behind", creation_date=date)
    await add_commit(env, repository, made)
    await replace_branch(env, repository, attrs.evolve(branch, commit_id=made.commit_id), predicate)


def _upload(branch: str, path: bytes, content: bytes) -> Call:
    return Call(objects.upload_object, REPOSITORY, branch, path, content)


COLLECTING: Final = words_of(
    flows.FLOWS,
    up_x=_upload(BRANCH, b"x", b"1"),
    up_x2=_upload(BRANCH, b"x", b"2"),
    up_y=_upload(BRANCH, b"y", b"1"),
    up_main=_upload(MAIN, b"m", b"1"),
    uncommitted=Call(collecting.prepare_uncommitted, REPOSITORY),
    uncommitted_all=Call(collecting.prepare_uncommitted, REPOSITORY, all_entries=True),
    uncommitted_paged=Call(collecting.prepare_uncommitted, REPOSITORY, batch_size=1),
    uncommitted_all_paged=Call(collecting.prepare_uncommitted, REPOSITORY, all_entries=True, batch_size=1),
    commit_behind=Call(commit_behind, REPOSITORY),
    commits=Call(commits, REPOSITORY),
    commits_reporting=Call(commits, REPOSITORY, reports=True),
    commits_paged=Call(commits, REPOSITORY, batch_size=1),
    collect=Call(collecting.collect, REPOSITORY),
    collect_now=Call(collecting.collect, REPOSITORY, min_age=0),
    collect_all=Call(collecting.collect, REPOSITORY, min_age=0, all_entries=True, reports=True, batch_size=1),
    sweep=Call(staging.sweep, REPOSITORY),
    erase=Call(repositories.delete_repository, REPOSITORY.repository_id),
    sweep_paged=Call(staging.sweep, REPOSITORY, batch_size=1),
)
COLLECTING_TABLE: Final = """\
: uncommitted
    answers {}
    by scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/
up_x.up_y.up_main: uncommitted
    answers {mem://r/data/a1, mem://r/data/a2, mem://r/data/a3}
    by scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/
up_x.up_y.up_main: uncommitted_all
    answers {mem://r/data/a1, mem://r/data/a2, mem://r/data/a3}
    by scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/
up_x.up_y.up_main: uncommitted_paged
    answers {mem://r/data/a1, mem://r/data/a2, mem://r/data/a3}
    by scan branch; get branch b; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; get branch main; scan
        u.b1.0/; scan past branch main
up_x.up_y.up_main: uncommitted_all_paged
    answers {mem://r/data/a1, mem://r/data/a2, mem://r/data/a3}
    by scan branch; get branch b; scan u.b2.0/; scan past u.b2.0/x; scan past branch b; get branch main; scan
        u.b1.0/; scan past branch main
up_x.seal.up_x2: uncommitted
    answers {mem://r/data/a2}
    by scan branch; get branch b; scan u.b2.0/; scan u.b2.s1/; get branch main; scan u.b1.0/
up_x.seal.up_x2: uncommitted_all
    answers {mem://r/data/a1, mem://r/data/a2}
    by scan branch; get branch b; scan u.b2.s1/; scan u.b2.0/; get branch main; scan u.b1.0/
up_x.seal.no_x: uncommitted
    answers {}
    by scan branch; get branch b; scan u.b2.0/; scan u.b2.s1/; get branch main; scan u.b1.0/
up_x.seal.no_x: uncommitted_all
    answers {mem://r/data/a1}
    by scan branch; get branch b; scan u.b2.s1/; scan u.b2.0/; get branch main; scan u.b1.0/
up_x.commit: uncommitted
    answers {}
    by scan branch; get branch b; scan u.b2.s1/; get branch main; scan u.b1.0/
up_x.up_main: uncommitted, met by delete_branch at 2
    answers {mem://r/data/a2}; done
    by scan branch; get branch b; get branch main; scan u.b1.0/
    leaves +r-b:u.b2.0 = stub-value; -branch b
up_x.up_main: uncommitted_all, met by delete_branch at 2
    answers {mem://r/data/a2}; done
    by scan branch; get branch b; get branch main; scan u.b1.0/
    leaves +r-b:u.b2.0 = stub-value; -branch b
up_x: uncommitted, met by commit at 3
    answers {mem://r/data/a1}; c2 of c1 'one'
    by scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: commits
    answers (Repository created)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit: commits
    answers (Repository created, one)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again: commits
    answers (Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again: commits_paged
    answers (Repository created, one, two)
    by scan branch; scan past branch b; scan past branch main; scan commit; scan past commit c1; scan past commit
        c2; scan commit; scan past commit c1; scan past commit c2; scan commit; scan past commit c1; scan past
        commit c2; now
x1.commit.x2.commit_again: commits, 604799 s later
    answers (Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again: commits, 604800 s later
    answers (Repository created, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again: commits, 604801 s later
    answers (Repository created, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again.delete_branch: commits
    answers (Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again.delete_branch: commits, 604799 s later
    answers (Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.x2.commit_again.delete_branch: commits, 604800 s later
    answers (Repository created)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.create_c.x2.commit_again.delete_branch: commits, 604800 s later
    answers (Repository created, one)
    by scan branch; scan commit; scan commit; scan commit; now
main1.commit_main.x1.commit: commits, 604801 s later
    answers (on main, one)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit: commits, met by x2.commit_again at 2
    answers (Repository created, one, two); done; c3 of c2 'two'
    by scan branch; scan commit; scan commit; scan commit; now
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s1/x = 2; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
x1.commit: commits, met by x2.commit_again at 3
    answers (Repository created, one, two); done; c3 of c2 'two'
    by scan branch; scan commit; scan commit; scan commit; now
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s1/x = 2; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
x1.commit: commits, met by x2.commit_again at 4
    answers (Repository created, one, two); done; c3 of c2 'two'
    by scan branch; scan commit; scan commit; scan commit; now; get commit c3
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s1/x = 2; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'two'
x1.commit: commits, met by erase at 2
    answers panic: range over a nil iterator; commit c... is missing; done
    by scan branch; scan commit; scan commit; scan commit; now; get commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c2
x1.commit: commits_reporting, met by erase at 2
    answers CommitMissing; done
    by scan branch; scan commit; scan commit; scan commit; now; get commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c2
x1.commit: commits, met by erase at 3
    answers panic: range over a nil iterator; commit c... is missing; done
    by scan branch; scan commit; scan commit; scan commit; now; get commit c2
    leaves -entry r; -branch b; -branch main; -commit c1; -commit c2
: collect_now
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x: collect_now
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x.no_x: collect_now
    answers (mem://r/data/a1)
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a1
    leaves -object a1
up_x.no_x: collect
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x.no_x: collect, 86399 s later
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x.no_x: collect, 86400 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a1
    leaves -object a1
up_x.no_x: collect, 86401 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a1
    leaves -object a1
up_x.no_x.up_y.no_y: collect_now
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; scan branch; get branch b; scan u.b2.0/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a1; delete a2
    leaves -object a1; -object a2
up_x.commit.up_x2: collect_now
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.s1/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x.commit.up_y.reset: collect_now
    answers (mem://r/data/a2)
    by now; list data; scan branch; get branch b; scan u.b2.s2/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a2
    leaves -object a2
up_x.commit.up_x2.commit_again: collect_now
    answers ()
    by now; list data; scan branch; get branch b; scan u.b2.s2/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now
up_x.commit.up_x2.commit_again: collect, 604801 s later
    answers (mem://r/data/a1)
    by now; list data; scan branch; get branch b; scan u.b2.s2/; get branch main; scan u.b1.0/; scan branch; scan
        commit; scan commit; scan commit; now; delete a1
    leaves -object a1
up_x.seal.up_x2: collect_now
    answers (mem://r/data/a1)
    by now; list data; scan branch; get branch b; scan u.b2.0/; scan u.b2.s1/; get branch main; scan u.b1.0/; scan
        branch; scan commit; scan commit; scan commit; now; delete a1
    leaves -object a1
up_x.seal.up_x2: collect_all
    answers ()
    by now; list data; list data; scan branch; get branch b; scan u.b2.s1/; scan u.b2.0/; scan past branch b; get
        branch main; scan u.b1.0/; scan past branch main; scan branch; scan past branch b; scan past branch main;
        scan commit; scan commit; scan commit; now
up_x.up_y.no_x.no_y: collect_all
    answers (mem://r/data/a1, mem://r/data/a2)
    by now; list data; list data; scan branch; get branch b; scan u.b2.0/; scan past u.b2.0/x; scan past branch b;
        get branch main; scan u.b1.0/; scan past branch main; scan branch; scan past branch b; scan past branch
        main; scan commit; scan commit; scan commit; now; delete a1; delete a2
    leaves -object a1; -object a2
up_x.up_y.commit: collect_all
    answers ()
    by now; list data; list data; scan branch; get branch b; scan u.b2.s1/; scan past branch b; get branch main;
        scan u.b1.0/; scan past branch main; scan branch; scan past branch b; scan past branch main; scan commit;
        scan past commit c2; scan commit; scan past commit c2; scan commit; scan past commit c2; now
x1.y1.reset: sweep
    answers 1
    by scan cleanup-tokens; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete r-b:u.b2.0
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.0/y
x1.y1.commit.x2.reset: sweep_paged
    answers 2
    by scan cleanup-tokens; scan past r-b:u.b2.0; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete
        u.b2.0/y; delete r-b:u.b2.0; scan u.b2.s1/; delete u.b2.s1/x; delete r-b:u.b2.s1
    leaves -r-b:u.b2.0; -r-b:u.b2.s1; -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x
: sweep
    answers 0
    by scan cleanup-tokens
x1.reset: sweep, met by sweep at 2
    answers 1; 1
    by scan cleanup-tokens; scan u.b2.0/; delete r-b:u.b2.0
    leaves -r-b:u.b2.0; -u.b2.0/x
x1.commit.commit_behind.delete_branch: commits
    answers (Repository created)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.commit_behind: commits
    answers (behind, Repository created)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.commit_behind.x2.commit_again.delete_branch: commits
    answers (behind, Repository created, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.delete_branch.create_branch.y1.commit_again.delete_branch: commits
    answers (Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
x1.commit.delete_branch.create_branch.y1.commit_again.delete_branch.create_branch.z1.commit.delete_branch: commits
    answers (one, Repository created, one, two)
    by scan branch; scan commit; scan commit; scan commit; now
"""
FIRST: Final = (FOUND,)

ROWS = [stated("collecting", COLLECTING, COLLECTING_TABLE, "lakeFS pkg/graveler/retention, and the Spark job", FIRST)]

SCENARIOS = built(ROWS)
