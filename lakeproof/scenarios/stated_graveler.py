"""Lock-free commits: each call's answer, its effects, and what it leaves, where others come between.

The steps are those of graveler-on-kv.md, "Update Commits, staging and lock-free", and lakeFS metadata_kv/index.md,
"Committer flow". How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.graveler.committing import Request, write_commit
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.staging import changes_under
from lakeproof.model.identifiers import BranchID, StagingToken
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def prepare(env: Env, repository: Repository, branch: Branch, made: Commit, kept: Tokens) -> None:
    """What a design does before a branch changes: here it notes how many tokens are taken."""
    await env.store.set(uid_partition(repository), b"prepared", f"{made.message}: {len(kept)}".encode())


async def finish_oldest(env: Env, repository: Repository) -> None:
    """What a committer does last that had sealed the oldest token alone: its commit takes that one from b."""
    branch, predicate = await branches.read_branch(env, repository, BRANCH)
    oldest = branch.sealed_tokens[-1:]
    made = await write_commit(env, repository, branch.commit_id, oldest, Request(message="oldest"))
    left = attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=branch.sealed_tokens[:-1])
    await branches.replace_branch(env, repository, left, predicate)


async def take_noting(env: Env, repository: Repository) -> Commit:
    """A commit that notes how many tokens were sealed, before it reads them. Raises as `lock_free.commit`."""

    async def before(sealed: Tokens) -> None:
        await env.store.set(uid_partition(repository), b"sealed", str(len(sealed)).encode())

    async def combine(branch: Branch, kept: Tokens, over: Tokens) -> Commit:
        return await write_commit(env, repository, branch.commit_id, kept, Request(message="one"), over)

    return (await lock_free.take(env, repository, BRANCH, combine, before=before)).commit


async def commit(env: Env, repository: Repository, branch_id: BranchID, reading: lock_free.Reading) -> Commit:
    """A commit in a reading. Raises as `lock_free.commit`."""
    return await lock_free.commit(env, repository, branch_id, "one", reading=reading)


HELD: Final = (REPOSITORY, BRANCH)
COMMITTING: Final = words_of(
    FLOWS,
    commit_taking=Call(commit, *HELD, lock_free.RETURNS_HEAD),
    commit_known=Call(commit, *HELD, lock_free.KNOWS_ITS_OWN),
    commit_forgetting=Call(commit, *HELD, lock_free.FORGETS_RESETS),
    commit_keeping=Call(commit, *HELD, lock_free.KEEPS_STAGED),
    commit_prepared=Call(lock_free.commit, *HELD, "one", prepare=prepare),
    commit_paged=Call(lock_free.commit, *HELD, "one", batch_size=1),
    finish_oldest=Call(finish_oldest, REPOSITORY),
    take_noting=Call(take_noting, REPOSITORY),
    move=Call(branches.update_branch, *HELD, MAIN),
    under=Call(changes_under, StagingToken("r-b:u.b2.0")),
)
COMMITTING_TABLE: Final = """\
: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1.seal.x2: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.y1.seal.x2: commit_paged
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; scan past u.b2.0/x; now; set
        commit c2; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x; scan past
        u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.y1: under
    answers (x=1, y=1)
    by scan u.b2.0/
x1: commit_prepared
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set prepared; set_if
        branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +prepared = one: 1
x1.seal: commit_prepared
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set
        prepared; set_if branch b; scan u.b2.s1/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +prepared = one: 2
x1: commit_keeping
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by seal at 2
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s2/; get commit c1;
        now; set commit c2; set_if branch b; scan u.b2.s2/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'
x1: commit, met by seal at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by y1.seal at 6
    answers c2 of c1 'one'; done; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/y = 1; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by commit_again at 2
    answers c3 of c2 'one'; c2 of c1 'two'
    by get branch b; set_if branch b; get branch b; set_if branch b; scan u.b2.s2/; get commit c2; now; set
        commit c3; set_if branch b; scan u.b2.s2/
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s3; +commit c3 = of c2 'one'; +commit c2 = of c1 'two'
x1: commit, met by commit_again at 3
    answers c4 of c2 'one'; c2 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c3; set_if branch b; get
        branch b; get commit c2; now; set commit c4; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c2 'one'; +commit c3 = of c1 'one'; +commit c2 =
        of c1 'two'
x1: commit, met by commit_again at 6
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c3; now; set commit c4; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 =
        of c1 'two'
x1: commit, met by commit_again at 4
    answers c4 of c2 'one'; c2 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c3; set_if branch b; get
        branch b; get commit c2; now; set commit c4; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c2 'one'; +commit c3 = of c1 'one'; +commit c2 =
        of c1 'two'
x1: commit, met by y1.commit_again at 6
    answers c4 of c3 'one'; done; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c3; now; set commit c4; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c3 = of c1 'two'; +commit c2 = of c1 'one'; +commit c4 =
        of c3 'one'
x1: commit_prepared, met by commit_again at 6
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set prepared; set_if
        branch b; get branch b; get commit c3; now; set commit c4; set prepared; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 =
        of c1 'two'; +prepared = one: 0
x1: commit_taking, met by commit_again at 6
    answers c3 of c1 'two'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c3
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'two'
x1: commit_taking, met by commit_again at 3
    answers c2 of c1 'two'; c2 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c3; set_if branch b; get
        branch b; get commit c2
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2; +commit c3 = of c1 'one'; +commit c2 = of c1 'two'
x1: commit_taking, met by commit_again.y1.seal at 6
    answers c3 of c1 'two'; c3 of c1 'two'; done; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c3
    leaves -u.b2.0/x; +u.b2.s2/y = 1; ~branch b = c3 u.b2.s3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of
        c1 'two'
x1: commit_taking, met by seal at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, false at 6
    answers c3 of c2 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c2; now; set commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s1; +commit c3 = of c2 'one'; +commit c2 = of c1 'one'
x1: commit_known, false at 6
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_known, met by commit_again at 6
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c3; now; set commit c4; set_if branch b
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 =
        of c1 'two'
x1: commit, met by reset at 6
    answers c3 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c1; now; set commit c3; set_if branch b
    leaves -u.b2.0/x; ~branch b = c3 u.b2.s2; +commit c2 = of c1 'one'; +commit c3 = of c1 'one'
x1: commit, met by reset at 3
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; get commit c1; now; set commit c2; set_if branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.commit.x2: commit, met by reset_x at 6, then x
    answers c4 of c2 'one'; done; x=1
    by get branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; get
        branch b; scan u.b2.s1/; scan u.b2.reset-s3/; get commit c2; now; set commit c4; set_if branch b; scan
        u.b2.s1/; delete u.b2.s1/x
    leaves +u.b2.reset-s3/x = 1; -u.b2.s1/x; ~branch b = c4 u.b2.s4 u.b2.reset-s3 u.b2.s2; +commit c4 = of c2
        'one'; +commit c3 = of c2 'one'
x1.commit.x2: commit_forgetting, met by reset_x at 6, then x
    answers c3 of c2 'one'; done; x=1
    by get branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; get
        branch b; set_if branch b; scan u.b2.s1/; delete u.b2.s1/x
    leaves +u.b2.reset-s3/x = 1; -u.b2.s1/x; ~branch b = c3 u.b2.s4 u.b2.reset-s3 u.b2.s2; +commit c3 = of c2
        'one'
x1.commit.x2.y1: commit, met by reset_x at 6, then list
    answers c4 of c2 'one'; done; (x=1, y=1)
    by get branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; get
        branch b; scan u.b2.s1/; scan u.b2.reset-s3/; get commit c2; now; set commit c4; set_if branch b; scan
        u.b2.s1/; delete u.b2.s1/x; delete u.b2.s1/y
    leaves +u.b2.reset-s3/x = 1; -u.b2.s1/x; -u.b2.s1/y; ~branch b = c4 u.b2.s4 u.b2.reset-s3 u.b2.s2; +commit
        c3 = of c2 'one'; +commit c4 = of c2 'one'
x1.commit.x2.y1.seal.x1: commit, met by reset_all at 7, then list
    answers c4 of c2 'one'; done; (x=1)
    by get branch b; set_if branch b; scan u.b2.s1/; scan u.b2.s2/; get commit c2; now; set commit c3; set_if
        branch b; get branch b; scan u.b2.s1/; scan u.b2.s2/; scan u.b2.reset-s4/; get commit c2; now; set
        commit c4; set_if branch b; scan u.b2.s2/; delete u.b2.s2/x; scan u.b2.s1/; delete u.b2.s1/x; delete
        u.b2.s1/y
    leaves +u.b2.reset-s4/x = 1; +u.b2.reset-s4/y = gone; -u.b2.s1/x; -u.b2.s1/y; -u.b2.s2/x; ~branch b = c4
        u.b2.s5 u.b2.reset-s4 u.b2.s3; +commit c4 = of c2 'one'; +commit c3 = of c2 'one'
x1: commit, met by delete_branch at 6
    answers BranchNotFound; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b
    leaves -branch b; +commit c2 = of c1 'one'
: commit, met by commit_again at 2
    answers c3 of c2 'one'; c2 of c1 'two'
    by get branch b; set_if branch b; get branch b; set_if branch b; scan u.b2.s2/; get commit c2; now; set
        commit c3; set_if branch b; scan u.b2.s2/
    leaves ~branch b = c3 u.b2.s3; +commit c3 = of c2 'one'; +commit c2 = of c1 'two'
x1.seal.y1: take_noting
    answers c2 of c1 'one'
    by get branch b; set_if branch b; set sealed; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit
        c2; set_if branch b
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +sealed = 2
main1.commit_main.x1: commit, met by move at 6
    answers c4 of c2 'one'; b c2 u.b2.s2 u.b2.0
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c3; set_if branch b; get
        branch b; scan u.b2.0/; get commit c2; now; set commit c4; set_if branch b; scan u.b2.0/; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s2; +commit c4 = of c2 'one'; +commit c3 = of c1 'one'
main1.commit_main.x1.commit.x2: commit_forgetting, met by reset_x.move at 6
    answers c5 of c2 'one'; done; b c2 u.b2.s5 u.b2.reset-s4 u.b2.s3 u.b2.s2
    by get branch b; set_if branch b; scan u.b2.s2/; get commit c3; now; set commit c4; set_if branch b; get
        branch b; scan u.b2.s2/; get commit c2; now; set commit c5; set_if branch b; scan u.b2.s2/; delete
        u.b2.s2/x
    leaves +u.b2.reset-s4/x = 1; -u.b2.s2/x; ~branch b = c5 u.b2.s5 u.b2.reset-s4 u.b2.s3; +commit c5 = of c2
        'one'; +commit c4 = of c3 'one'
x1.seal.y1: commit, met by finish_oldest at 7, then list
    answers c4 of c3 'one'; done; (x=1, y=1)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b; get branch b; scan u.b2.s1/; get commit c3; now; set commit c4; set_if branch b; scan
        u.b2.s1/; delete u.b2.s1/y
    leaves -u.b2.s1/y; ~branch b = c4 u.b2.s2; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 =
        of c1 'oldest'
x1.seal.y1.seal.x2: commit, met by finish_oldest at 8, then list
    answers c4 of c3 'one'; done; (x=2, y=1)
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get commit c1; now; set commit
        c2; set_if branch b; get branch b; scan u.b2.s1/; scan u.b2.s2/; get commit c3; now; set commit c4;
        set_if branch b; scan u.b2.s2/; delete u.b2.s2/x; scan u.b2.s1/; delete u.b2.s1/y
    leaves -u.b2.s1/y; -u.b2.s2/x; ~branch b = c4 u.b2.s3; +commit c4 = of c3 'one'; +commit c2 = of c1 'one';
        +commit c3 = of c1 'oldest'
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "graveler-on-kv.md, Update Commits, staging and lock-free"

ROWS = [stated("lock-free", COMMITTING, COMMITTING_TABLE, SOURCE, FIRST)]

SCENARIOS = built(ROWS)
