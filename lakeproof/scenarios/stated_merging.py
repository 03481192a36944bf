"""Merges and reverts: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' pkg/graveler, Merge and Revert, over the records of graveler-on-kv.md. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import merging
from lakeproof.impl.graveler.flows import FLOWS
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.records import Branch, Commit, Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built


async def prepare(env: Env, repository: Repository, branch: Branch, made: Commit, kept: Tokens) -> None:
    """What a design does before a branch changes: here it notes how many tokens are taken."""
    await env.store.set(uid_partition(repository), b"prepared", f"{made.message}: {len(kept)}".encode())


HELD: Final = (REPOSITORY, BRANCH)
MERGING: Final = words_of(
    FLOWS,
    merge_prepared=Call(merging.merge, *HELD, MAIN, "merged", prepare=prepare),
    merge_nowhere=Call(merging.merge, *HELD, "nowhere", "merged"),
    merge_theirs=Call(merging.merge, *HELD, MAIN, "merged", strategy="source-wins"),
    merge_ours=Call(merging.merge, *HELD, MAIN, "merged", strategy="destination-wins"),
    main_x=Call(FLOWS.set_entry, REPOSITORY, MAIN, b"x", b"9"),
    merge_b=Call(merging.merge, REPOSITORY, MAIN, BRANCH, "into main"),
    revert_prepared=Call(merging.revert, *HELD, BRANCH, "reverted", prepare=prepare),
    revert_main=Call(merging.revert, *HELD, MAIN, "reverted"),
)
MERGING_TABLE: Final = """\
: merge
    answers c2 of c1, c1 'merged'
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c1; now; set commit c2; set_if
        branch b
    leaves ~branch b = c2 u.b2.0; +commit c2 = of c1, c1 'merged'
main1.commit_main: merge, then list
    answers c3 of c1, c2 'merged'; (m=1)
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves ~branch b = c3 u.b2.0; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge_prepared
    answers c3 of c1, c2 'merged'
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set
        prepared; set_if branch b
    leaves ~branch b = c3 u.b2.0; +commit c3 = of c1, c2 'merged'; +prepared = merged: 0
main1.commit_main: merge_nowhere
    answers RefNotFound
    by get branch b; scan u.b2.0/; get commit c1; get branch nowhere; get tag nowhere; get commit nowhere
main1.commit_main.x1: merge
    answers DirtyBranch
    by get branch b; scan u.b2.0/
main1.commit_main.x1.seal: merge
    answers DirtyBranch
    by get branch b; scan u.b2.0/; scan u.b2.s2/
main1.commit_main.x1.commit: merge, then list
    answers c4 of c3, c2 'merged'; (m=1, x=1)
    by get branch b; scan u.b2.s2/; get commit c3; get branch main; get commit c2; get commit c1; now; set
        commit c4; set_if branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c3, c2 'merged'
main1.commit_main.merge: merge
    answers c4 of c3, c2 'merged'
    by get branch b; scan u.b2.0/; get commit c3; get branch main; get commit c2; get commit c1; now; set commit
        c4; set_if branch b
    leaves ~branch b = c4 u.b2.0; +commit c4 = of c3, c2 'merged'
main_x.commit_main.x1.commit: merge
    answers Conflicts
    by get branch b; scan u.b2.s2/; get commit c3; get branch main; get commit c2; get commit c1
main_x.commit_main.x1.commit: merge_theirs, then list
    answers c4 of c3, c2 'merged'; (x=9)
    by get branch b; scan u.b2.s2/; get commit c3; get branch main; get commit c2; get commit c1; now; set
        commit c4; set_if branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c3, c2 'merged'
main_x.commit_main.x1.commit: merge_ours, then list
    answers c4 of c3, c2 'merged'; (x=1)
    by get branch b; scan u.b2.s2/; get commit c3; get branch main; get commit c2; get commit c1; now; set
        commit c4; set_if branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c3, c2 'merged'
main1.commit_main.x1.commit.merge.merge_b.y1.commit: merge_b
    answers c7 of c5, c6 'into main'
    by get branch main; scan u.b1.s1/; get commit c5; get branch b; get commit c6; get commit c2; get commit c4;
        now; set commit c7; set_if branch main
    leaves ~branch main = c7 u.b1.s1; +commit c7 = of c5, c6 'into main'
main1.commit_main.merge_b.x1.commit.merge_b: merge
    answers c6 of c4, c5 'merged'
    by get branch b; scan u.b2.s2/; get commit c4; get branch main; get commit c5; get commit c3; get commit c2;
        get commit c1; now; set commit c6; set_if branch b
    leaves ~branch b = c6 u.b2.s2; +commit c6 = of c4, c5 'merged'
main1.commit_main: merge, met by merge at 7
    answers RefChanged; c3 of c1, c2 'merged'
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves ~branch b = c3 u.b2.0; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1 at 6
    answers c3 of c1, c2 'merged'; done
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves +u.b2.0/x = 1; ~branch b = c3 u.b2.0; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1.commit at 7
    answers RefChanged; done; c4 of c1 'one'
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c1 'one'; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, false at 7
    answers RefChanged
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves ~branch b = c3 u.b2.0; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, refused at 7
    answers Refused
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by seal at 7
    answers RefChanged; done
    by get branch b; scan u.b2.0/; get commit c1; get branch main; get commit c2; now; set commit c3; set_if
        branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0; +commit c3 = of c1, c2 'merged'
: revert
    answers NoParent
    by get branch b; scan u.b2.0/; get commit c1; get branch b; get commit c1
x1.commit: revert, then list
    answers c3 of c2 'reverted'; ()
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set_if branch b
    leaves ~branch b = c3 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert_prepared
    answers c3 of c2 'reverted'
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set prepared; set_if branch b
    leaves ~branch b = c3 u.b2.s1; +commit c3 = of c2 'reverted'; +prepared = reverted: 0
x1.commit.y1: revert
    answers DirtyBranch
    by get branch b; scan u.b2.s1/
x1.commit.y1.commit_again: revert, then list
    answers c4 of c3 'reverted'; (x=1)
    by get branch b; scan u.b2.s2/; get commit c3; get branch b; get commit c3; get commit c2; now; set commit
        c4; set_if branch b
    leaves ~branch b = c4 u.b2.s2; +commit c4 = of c3 'reverted'
x1.commit: revert_main
    answers NoParent
    by get branch b; scan u.b2.s1/; get commit c2; get branch main; get commit c1
x1.commit: revert, met by revert at 8
    answers RefChanged; c3 of c2 'reverted'
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set_if branch b
    leaves ~branch b = c3 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, met by y1 at 7
    answers c3 of c2 'reverted'; done
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set_if branch b
    leaves +u.b2.s1/y = 1; ~branch b = c3 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, met by seal at 7
    answers RefChanged; done
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set_if branch b
    leaves ~branch b = c2 u.b2.s2 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, false at 8
    answers RefChanged
    by get branch b; scan u.b2.s1/; get commit c2; get branch b; get commit c2; get commit c1; now; set commit
        c3; set_if branch b
    leaves ~branch b = c3 u.b2.s1; +commit c3 = of c2 'reverted'
"""
FIRST: Final = (FOUND,)

ROWS = [stated("merging", MERGING, MERGING_TABLE, "lakeFS pkg/graveler, Merge and Revert", FIRST)]

SCENARIOS = built(ROWS)
