"""Commits under a lock, optimistic commits, and commits that leave dropping to a job: each call's answer and effects.

The steps are those of graveler-on-kv.md, "Tables" and "Update Commits, staging and lock-free"; the lease and the job
are ours. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import dropping, locked, optimistic
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def hold(env: Env, repository: Repository, mark: bytes) -> None:
    """The lock of b, held by a client that has crashed. mark: what it has written there."""
    await env.store.set(uid_partition(repository), locked.lock_key(BRANCH), mark)


async def release(env: Env, repository: Repository) -> None:
    """The lock of b is free."""
    await env.store.delete(uid_partition(repository), locked.lock_key(BRANCH))


LEASED: Final = locked.Reading(lease=60_000_000)
WRITE: Final = (REPOSITORY, BRANCH, b"x", b"4")
LOCKED: Final = words_of(
    locked.FLOWS,
    x_leased=Call(locked.set_entry, *WRITE, reading=LEASED),
    no_x_leased=Call(locked.delete_entry, *WRITE[:3], reading=LEASED),
    commit_leased=Call(locked.commit, REPOSITORY, BRANCH, "one", reading=LEASED),
    x_table=Call(locked.set_entry, *WRITE, reading=locked.TABLE),
    main_table=Call(locked.set_entry, REPOSITORY, MAIN, b"x", b"4", reading=locked.TABLE),
    nowhere=Call(locked.set_entry, REPOSITORY, "nowhere", b"x", b"4"),
    hold=Call(hold, REPOSITORY, b"locked"),
    hold_leased=Call(hold, REPOSITORY, b"other@1700000060000000"),
    release=Call(release, REPOSITORY),
)
LOCKED_TABLE: Final = """\
: x1
    answers done
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1
x1: no_x
    answers done
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves ~u.b2.0/x = gone
x1: commit
    answers c2 of c1 'one'
    by set_if locks/b; get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x; delete locks/b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1.seal.x2: commit
    answers c2 of c1 'one'
    by set_if locks/b; get branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if
        branch b; scan u.b2.s1/; delete u.b2.s1/x; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete
        locks/b
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
: commit
    answers c2 of c1 'one'
    by set_if locks/b; get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete locks/b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
: nowhere
    answers BranchNotFound
    by set_if locks/nowhere; get branch nowhere; delete locks/nowhere
: x1, met by y1 at 2
    answers done; BranchLocked
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1
: x1, met by y1 at 3
    answers done; BranchLocked
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1
: x1, met by commit at 3
    answers done; BranchLocked
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1
x1: commit, met by x2 at 3
    answers c2 of c1 'one'; BranchLocked
    by set_if locks/b; get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x; delete locks/b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by commit_again at 2
    answers c2 of c1 'one'; BranchLocked
    by set_if locks/b; get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x; delete locks/b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
hold: x1
    answers BranchLocked
    by set_if locks/b; set_if locks/b; set_if locks/b
hold: x1, met by release at 2
    answers done; done
    by set_if locks/b; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1; -locks/b
hold: x1, met by release at 3
    answers done; done
    by set_if locks/b; set_if locks/b; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 1; -locks/b
hold: commit
    answers BranchLocked
    by set_if locks/b; set_if locks/b; set_if locks/b
hold: no_x
    answers BranchLocked
    by set_if locks/b; set_if locks/b; set_if locks/b
: x_table
    answers done
    by set_if locks; get branch b; set u.b2.0/x; delete locks
    leaves +u.b2.0/x = 4
: x_table, met by main_table at 2
    answers done; BranchLocked
    by set_if locks; get branch b; set u.b2.0/x; delete locks
    leaves +u.b2.0/x = 4
: x1, refused at 3
    answers Refused
    by set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
: x1, false at 1
    answers BranchLocked
    by set_if locks/b; set_if locks/b; set_if locks/b
    leaves +locks/b = locked
: x_leased
    answers done
    by now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4
: no_x_leased
    answers done
    by now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = gone
x1: commit_leased
    answers c2 of c1 'one'
    by now; set_if locks/b; get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x; delete locks/b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
hold: x_leased
    answers BranchLocked
    by now; set_if locks/b; get locks/b; now; set_if locks/b; get locks/b; now; set_if locks/b; get locks/b
hold_leased: x_leased
    answers BranchLocked
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get locks/b; now; now; set_if locks/b; get
        locks/b; now
hold_leased: x_leased, 59 s later
    answers BranchLocked
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get locks/b; now; now; set_if locks/b; get
        locks/b; now
hold_leased: x_leased, 60 s later
    answers done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: x_leased, 61 s later
    answers done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: no_x_leased, 61 s later
    answers done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = gone; -locks/b
hold_leased.x1: commit_leased, 61 s later
    answers c2 of c1 'one'
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get branch b; scan u.b2.0/; get commit c1;
        now; set commit c2; set_if branch b; scan u.b2.0/; delete locks/b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; -locks/b
hold_leased: x_leased, met by release at 2, 61 s later
    answers done; done
    by now; set_if locks/b; get locks/b; now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: x_leased, met by release at 3, 61 s later
    answers done; done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; now; set_if locks/b; get branch b; set
        u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: x_leased, met by x_leased at 3, 61 s later
    answers done; done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; now; set_if locks/b; get branch b; set
        u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: x_leased, met by release.hold_leased at 2, 61 s later
    answers done; done; done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; get branch b; set u.b2.0/x; delete locks/b
    leaves +u.b2.0/x = 4; -locks/b
hold_leased: x_leased, met by release.hold at 3, 61 s later
    answers BranchLocked; done; done
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; now; set_if locks/b; get locks/b; now; set_if
        locks/b; get locks/b
    leaves ~locks/b = locked
hold_leased: x_leased, false at 3, 61 s later
    answers BranchLocked
    by now; set_if locks/b; get locks/b; now; now; set_if locks/b; now; set_if locks/b; get locks/b; now; now;
        set_if locks/b; get locks/b; now
    leaves ~locks/b = l1@+60s
"""
OPTIMISTIC: Final = words_of(
    optimistic.FLOWS,
    commit_unsealed=Call(optimistic.commit, REPOSITORY, BRANCH, "one", reading=optimistic.Reading(seals=False)),
    commit_keeping=Call(optimistic.commit, REPOSITORY, BRANCH, "one", reading=optimistic.Reading(drops=False)),
    commit_once=Call(optimistic.commit, REPOSITORY, BRANCH, "one", reading=optimistic.Reading(tries=1)),
)
OPTIMISTIC_TABLE: Final = """\
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
x1: commit_unsealed
    answers c2 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete
        u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.seal.y1: commit_unsealed
    answers c2 of c1 'one'
    by get branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.s1/; delete u.b2.s1/y; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; -u.b2.s1/y; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1: commit_keeping
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_once
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_once, met by seal at 2
    answers BranchBusy; done
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
x1: commit_once, met by seal at 6
    answers BranchBusy; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'
x1: commit, met by seal at 2
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s2/; get commit c1;
        now; set commit c2; set_if branch b; scan u.b2.s2/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'
x1: commit, met by seal at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; get commit c1; now; set commit
        c2; set_if branch b; scan u.b2.s2/; scan u.b2.s1/; scan u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'
x1: commit, met by commit_again at 3
    answers c4 of c2 'one'; c2 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c3; set_if branch b; get
        branch b; set_if branch b; scan u.b2.s2/; get commit c2; now; set commit c4; set_if branch b; scan
        u.b2.s2/
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s3; +commit c4 = of c2 'one'; +commit c3 = of c1 'one'; +commit c2 =
        of c1 'two'
x1: commit, met by commit_again at 6
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.s2/; get commit c3; now; set commit c4; set_if branch b; scan
        u.b2.s2/
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s3; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 =
        of c1 'two'
x1: commit, met by y1 at 4
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan
        u.b2.0/; delete u.b2.0/x
    leaves -u.b2.0/x; +u.b2.s1/y = 1; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by y1.commit_again at 6
    answers c4 of c3 'one'; done; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.s2/; get commit c3; now; set commit c4; set_if branch b; scan
        u.b2.s2/
    leaves -u.b2.0/x; ~branch b = c4 u.b2.s3; +commit c3 = of c1 'two'; +commit c2 = of c1 'one'; +commit c4 =
        of c3 'one'
x1: commit_unsealed, met by y1 at 3
    answers c2 of c1 'one'; done
    by get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.0/; delete
        u.b2.0/x; delete u.b2.0/y
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_unsealed, met by seal at 5
    answers c2 of c1 'one'; done
    by get branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get branch b; scan
        u.b2.0/; scan u.b2.s2/; get commit c1; now; set commit c2; set_if branch b; scan u.b2.s2/; scan u.b2.0/;
        delete u.b2.0/x
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s3; +commit c2 = of c1 'one'
x1: commit, false at 6
    answers c3 of c2 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set_if branch b; get
        branch b; set_if branch b; scan u.b2.s1/; get commit c2; now; set commit c3; set_if branch b; scan
        u.b2.s1/
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'; +commit c2 = of c1 'one'
x1: commit, met by delete_branch at 2
    answers BranchNotFound; done
    by get branch b; set_if branch b; get branch b
    leaves -branch b
"""
DROPPING: Final = words_of(
    dropping.FLOWS,
    job=Call(dropping.drop_committed, REPOSITORY),
    job_paged=Call(dropping.drop_committed, REPOSITORY, batch_size=1),
    job_blind=Call(dropping.drop_committed, REPOSITORY, reading=dropping.BLIND),
)
DROPPING_TABLE: Final = """\
: job
    answers 0
    by scan committed-tokens/
x1: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.0; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +committed-tokens/r-b:u.b2.0 = b
x1.y1.seal.x2: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; scan u.b2.0/; scan u.b2.s1/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.s1; set committed-tokens/r-b:u.b2.0; set_if branch b
    leaves ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'; +committed-tokens/r-b:u.b2.0 = b;
        +committed-tokens/r-b:u.b2.s1 = b
x1.commit: job
    answers 1
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -committed-tokens/r-b:u.b2.0
x1.y1.seal.x2.commit: job
    answers 2
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; delete u.b2.0/y; delete
        committed-tokens/r-b:u.b2.0; get branch b; scan u.b2.s1/; delete u.b2.s1/x; delete
        committed-tokens/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; -committed-tokens/r-b:u.b2.0; -committed-tokens/r-b:u.b2.s1
x1.y1.commit.x2.commit: job_paged
    answers 2
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; scan past u.b2.0/x; delete u.b2.0/y;
        delete committed-tokens/r-b:u.b2.0; scan past committed-tokens/r-b:u.b2.0; get branch b; scan u.b2.s1/;
        delete u.b2.s1/x; delete committed-tokens/r-b:u.b2.s1
    leaves -u.b2.0/x; -u.b2.0/y; -u.b2.s1/x; -committed-tokens/r-b:u.b2.0; -committed-tokens/r-b:u.b2.s1
x1.commit: job_blind
    answers 1
    by scan committed-tokens/; scan u.b2.0/; delete u.b2.0/x; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -committed-tokens/r-b:u.b2.0
x1: commit, met by seal at 7, then job
    answers c2 of c1 'one'; done; 1
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.0; set_if branch b; get branch b; set committed-tokens/r-b:u.b2.0; set_if
        branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by job at 7, then x
    answers c2 of c1 'one'; 0; x=1
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.0; set_if branch b
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'; +committed-tokens/r-b:u.b2.0 = b
x1: commit, met by job_blind at 7, then x
    answers c2 of c1 'one'; 1; x=1
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.0; set_if branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by commit_again at 7
    answers c4 of c3 'one'; c3 of c1 'two'
    by get branch b; set_if branch b; scan u.b2.0/; get commit c1; now; set commit c2; set
        committed-tokens/r-b:u.b2.0; set_if branch b; get branch b; get commit c3; now; set commit c4; set_if
        branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c3 'one'; +commit c2 = of c1 'one'; +commit c3 = of c1 'two';
        +committed-tokens/r-b:u.b2.0 = b; +committed-tokens/r-b:u.b2.s1 = b
x1.commit.delete_branch: job
    answers 1
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -committed-tokens/r-b:u.b2.0
x1.commit.delete_branch.create_branch: job
    answers 1
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -committed-tokens/r-b:u.b2.0
x1.commit: job, met by job at 2
    answers 1; 1
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -committed-tokens/r-b:u.b2.0
x1.commit: job, met by delete_branch at 2
    answers 1; done
    by scan committed-tokens/; get branch b; scan u.b2.0/; delete u.b2.0/x; delete committed-tokens/r-b:u.b2.0
    leaves -u.b2.0/x; -branch b; -committed-tokens/r-b:u.b2.0
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "graveler-on-kv.md"

ROWS = [
    stated("locked", LOCKED, LOCKED_TABLE, f"{SOURCE}, Tables", FIRST),
    stated("optimistic", OPTIMISTIC, OPTIMISTIC_TABLE, f"{SOURCE}, Update Commits, staging and lock-free", FIRST),
    stated("dropping", DROPPING, DROPPING_TABLE, "ours: dropping.py, docs/designs-branches.md", FIRST),
]

SCENARIOS = built(ROWS)
