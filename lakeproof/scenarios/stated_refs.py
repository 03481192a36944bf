"""Branches: each call's answer, its effects, and what it leaves, where others come between.

The steps are those of graveler-on-kv.md, "Branch"; tombstones and the looks after a failed
predicate are ours, docs/designs-branches.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.refs import branches
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.records import Branch, Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def prepare(env: Env, repository: Repository, branch: Branch) -> None:
    """What a design does before a branch is deleted: here it notes which one."""
    await env.store.set(uid_partition(repository), b"prepared", branch.branch_id.encode())


async def remove(env: Env, repository: Repository, *, tombstone: bool) -> object:
    """The tokens that a deleted branch b had. Raises as `branches.remove_branch`."""
    return await branches.remove_branch(env, repository, BRANCH, tombstone=tombstone)


HELD: Final = (REPOSITORY, BRANCH)
BURY: Final = branches.delete_branch_by_tombstone
BRANCHES: Final = words_of(
    FLOWS,
    create_known=Call(branches.create_branch, *HELD, MAIN, knows_its_own=True),
    create_over=Call(branches.create_branch, *HELD, MAIN, tombstones=True),
    create_stale=Call(branches.create_branch, *HELD, MAIN, fresh_token=False),
    create_over_known=Call(branches.create_branch, *HELD, MAIN, tombstones=True, knows_its_own=True),
    create_nowhere=Call(branches.create_branch, *HELD, "nowhere"),
    move=Call(branches.update_branch, *HELD, MAIN),
    move_known=Call(branches.update_branch, *HELD, MAIN, knows_its_own=True),
    move_nowhere=Call(branches.update_branch, *HELD, "nowhere"),
    remove=Call(remove, REPOSITORY, tombstone=False),
    remove_burying=Call(remove, REPOSITORY, tombstone=True),
    bury=Call(BURY, *HELD),
    bury_known=Call(BURY, *HELD, knows_its_own=True),
    bury_prepared=Call(BURY, *HELD, prepare=prepare),
    bury_main=Call(BURY, REPOSITORY, MAIN),
    branches=Call(branches.list_branches, REPOSITORY),
    branches_paged=Call(branches.list_branches, REPOSITORY, batch_size=1),
)
BRANCHES_TABLE: Final = """\
: branch
    answers b c1 u.b2.0
    by get branch b
delete_branch: branch
    answers BranchNotFound
    by get branch b
bury: branch
    answers BranchNotFound
    by get branch b
: create_branch
    answers BranchExists
    by get branch main; set_if branch b
: create_nowhere
    answers RefNotFound
    by get branch nowhere; get tag nowhere; get commit nowhere
delete_branch: create_branch
    answers b c1 u.b3.0
    by get branch main; set_if branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_known
    answers b c1 u.b3.0
    by get branch main; set_if branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_stale
    answers b c1 u.0.0
    by get branch main; set_if branch b
    leaves +branch b = c1 u.0.0
delete_branch: create_over
    answers b c1 u.b3.0
    by get branch main; set_if branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_branch, met by create_branch at 2
    answers BranchExists; b c1 u.b4.0
    by get branch main; set_if branch b
    leaves +branch b = c1 u.b4.0
delete_branch: create_branch, false at 2
    answers BranchExists
    by get branch main; set_if branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_known, false at 2
    answers b c1 u.b3.0
    by get branch main; set_if branch b; get branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_known, false at 2, refused at 3
    answers OutcomeUnknown?
    by get branch main; set_if branch b; get branch b
    leaves +branch b = c1 u.b3.0
delete_branch: create_known, met by create_branch at 2
    answers BranchExists; b c1 u.b4.0
    by get branch main; set_if branch b; get branch b
    leaves +branch b = c1 u.b4.0
delete_branch: create_known, met by delete_branch at 3, false at 2
    answers BranchExists; done
    by get branch main; set_if branch b; get branch b
bury: create_branch
    answers BranchExists
    by get branch main; set_if branch b
bury: create_known
    answers BranchExists
    by get branch main; set_if branch b; get branch b
bury: create_over
    answers b c1 u.b3.0
    by get branch main; set_if branch b; get branch b; set_if branch b
    leaves ~branch b = c1 u.b3.0
: create_over
    answers BranchExists
    by get branch main; set_if branch b; get branch b
bury: create_over, met by create_over at 3
    answers BranchExists; b c1 u.b4.0
    by get branch main; set_if branch b; get branch b
    leaves ~branch b = c1 u.b4.0
bury: create_over, met by create_over at 4
    answers BranchExists; b c1 u.b4.0
    by get branch main; set_if branch b; get branch b; set_if branch b
    leaves ~branch b = c1 u.b4.0
bury: create_over, met by create_over.bury at 4
    answers BranchExists; b c1 u.b4.0; done
    by get branch main; set_if branch b; get branch b; set_if branch b
    leaves ~branch b = none u.b4.0
bury: create_over_known
    answers b c1 u.b3.0
    by get branch main; set_if branch b; get branch b; set_if branch b
    leaves ~branch b = c1 u.b3.0
bury: create_over_known, false at 4
    answers b c1 u.b3.0
    by get branch main; set_if branch b; get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
bury: create_over, false at 4
    answers BranchExists
    by get branch main; set_if branch b; get branch b; set_if branch b
    leaves ~branch b = c1 u.b3.0
bury: create_over_known, met by create_over at 4
    answers BranchExists; b c1 u.b4.0
    by get branch main; set_if branch b; get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b4.0
: create_over, met by delete_branch at 3
    answers BranchExists; done
    by get branch main; set_if branch b; get branch b
    leaves -branch b
main1.commit_main: move
    answers b c2 u.b2.0
    by get branch b; get branch main; set_if branch b
    leaves ~branch b = c2 u.b2.0
x1.main1.commit_main: move
    answers b c2 u.b2.0
    by get branch b; get branch main; set_if branch b
    leaves ~branch b = c2 u.b2.0
: move
    answers b c1 u.b2.0
    by get branch b; get branch main; set_if branch b
: move_nowhere
    answers RefNotFound
    by get branch b; get branch nowhere; get tag nowhere; get commit nowhere
delete_branch: move
    answers BranchNotFound
    by get branch b
bury: move
    answers BranchNotFound
    by get branch b
main1.commit_main: move, met by seal at 3
    answers RefChanged; done
    by get branch b; get branch main; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
main1.commit_main: move, met by commit at 2
    answers RefChanged; c3 of c1 'one'
    by get branch b; get branch main; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c1 'one'
main1.commit_main: move, false at 3
    answers RefChanged
    by get branch b; get branch main; set_if branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main: move_known, false at 3
    answers b c2 u.b2.0
    by get branch b; get branch main; set_if branch b; get branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main: move_known, met by seal at 3
    answers RefChanged; done
    by get branch b; get branch main; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
main1.commit_main: move_known, met by move at 3
    answers b c2 u.b2.0; b c2 u.b2.0
    by get branch b; get branch main; set_if branch b; get branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main: move_known, false at 3, refused at 4
    answers OutcomeUnknown?
    by get branch b; get branch main; set_if branch b; get branch b
    leaves ~branch b = c2 u.b2.0
main1.commit_main: move_known, met by bury at 3
    answers RefChanged; done
    by get branch b; get branch main; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
main1.commit_main: move_known, met by delete_branch at 3
    answers RefChanged; done
    by get branch b; get branch main; set_if branch b; get branch b
    leaves -branch b
: delete_branch
    answers done
    by get branch b; delete branch b
    leaves -branch b
x1.seal: remove
    answers (r-b:u.b2.s1, r-b:u.b2.0)
    by get branch b; delete branch b
    leaves -branch b
x1.seal: remove_burying
    answers (r-b:u.b2.s1, r-b:u.b2.0)
    by get branch b; set_if branch b
    leaves ~branch b = none u.b2.s1
delete_branch: remove
    answers BranchNotFound
    by get branch b
bury: remove_burying
    answers BranchNotFound
    by get branch b
: delete_main
    answers DefaultBranch
: bury_main
    answers DefaultBranch
: delete_branch, met by delete_branch at 2
    answers done; done
    by get branch b; delete branch b
    leaves -branch b
: delete_branch, met by delete_branch.create_branch at 2
    answers done; done; b c1 u.b3.0
    by get branch b; delete branch b
    leaves -branch b
: remove_burying, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: bury
    answers done
    by get branch b; set_if branch b
    leaves ~branch b = none u.b2.0
x1.seal: bury
    answers done
    by get branch b; set_if branch b
    leaves ~branch b = none u.b2.s1
bury: bury
    answers BranchNotFound
    by get branch b
delete_branch: bury
    answers BranchNotFound
    by get branch b
: bury_prepared
    answers done
    by get branch b; set prepared; set_if branch b
    leaves ~branch b = none u.b2.0; +prepared = b
: bury, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: bury, met by bury at 2
    answers done; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
: bury, met by bury.create_over at 2
    answers RefChanged; done; b c1 u.b3.0
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
: bury, met by delete_branch at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves -branch b
: bury, met by delete_branch.create_branch at 2
    answers RefChanged; done; b c1 u.b3.0
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
: bury, false at 2
    answers done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
: bury, false at 2, refused at 3
    answers OutcomeUnknown?
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
: bury, met by create_over at 3, false at 2
    answers RefChanged; b c1 u.b3.0
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
: bury_known, false at 2
    answers done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
: bury_known, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: bury_known, met by bury at 2
    answers done; done
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = none u.b2.0
: bury_known, met by bury.create_over at 2
    answers done; done; b c1 u.b3.0
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
: bury_known, met by delete_branch at 2
    answers done; done
    by get branch b; set_if branch b; get branch b
    leaves -branch b
: bury_known, met by delete_branch.create_branch at 2
    answers done; done; b c1 u.b3.0
    by get branch b; set_if branch b; get branch b
    leaves ~branch b = c1 u.b3.0
: branches
    answers (b c1 u.b2.0, main c1 u.b1.0)
    by scan branch
create_c: branches
    answers (b c1 u.b2.0, c c1 u.b3.0, main c1 u.b1.0)
    by scan branch
create_c: branches_paged
    answers (b c1 u.b2.0, c c1 u.b3.0, main c1 u.b1.0)
    by scan branch; scan past branch b; scan past branch c; scan past branch main
create_c.bury: branches
    answers (c c1 u.b3.0, main c1 u.b1.0)
    by scan branch
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "graveler-on-kv.md"

ROWS = [stated("refs", BRANCHES, BRANCHES_TABLE, f"{SOURCE}, Branch", FIRST)]

SCENARIOS = built(ROWS)
