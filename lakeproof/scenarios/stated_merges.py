"""Merges, reverts and branches of today: each call's answer, its effects, and what it leaves.

The steps are those of lakeFS' pkg/graveler, Merge, Revert, prepareForCommitIDUpdate, CreateBranch and DeleteBranch;
the repairs are ours, docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import flows, merging
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

MERGES: Final = words_of(
    flows.FLOWS,
    merge_known=Call(merging.merge, REPOSITORY, BRANCH, MAIN, "merged", knows_its_own=True),
    merge_b=Call(merging.merge, REPOSITORY, MAIN, BRANCH, "into main"),
    merge_nowhere=Call(merging.merge, REPOSITORY, BRANCH, "nowhere", "merged"),
    revert_main=Call(merging.revert, REPOSITORY, BRANCH, MAIN, "reverted"),
    revert_nowhere=Call(merging.revert, REPOSITORY, BRANCH, "nowhere", "reverted"),
    merge_paged=Call(merging.merge, REPOSITORY, BRANCH, MAIN, "merged", batch_size=1),
)
MERGES_TABLE: Final = """\
: merge
    answers NoChanges
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c1; get branch b; get commit c1
    leaves ~branch b = c1 u.b2.s1 u.b2.0
main1.commit_main: merge, then list
    answers c3 of c1, c2 'merged'; (m=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main.merge: merge
    answers NoChanges
    by get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b; get commit c3; scan u.b2.s2/;
        get branch main; get commit c2; get branch b; get commit c3; get commit c1
    leaves ~branch b = c3 u.b2.s3 u.b2.s2
main1.commit_main: merge_nowhere
    answers RefNotFound
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch nowhere; get tag nowhere; get commit nowhere
    leaves ~branch b = c1 u.b2.s2 u.b2.0
main1.commit_main.x1: merge
    answers DirtyBranch
    by get branch b; get commit c1; scan u.b2.0/
main1.commit_main.x1.seal: merge
    answers DirtyBranch
    by get branch b; get commit c1; scan u.b2.0/; scan u.b2.s2/
main1.commit_main.x1.commit: merge, then list
    answers c4 of c3, c2 'merged'; (m=1, x=1)
    by get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b; get commit c3; scan u.b2.s2/;
        get branch main; get commit c2; get branch b; get commit c3; get commit c1; now; set_if commit c4;
        set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; ~branch b = c4 u.b2.s3; +commit c4 = of c3, c2 'merged'
main1.commit_main.x1.commit.x1: merge, then list
    answers c4 of c3, c2 'merged'; (m=1, x=1)
    by get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b; get commit c3; scan u.b2.s2/;
        get branch main; get commit c2; get branch b; get commit c3; get commit c1; now; set_if commit c4;
        set_if branch b; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; ~branch b = c4 u.b2.s3; +commit c4 = of c3, c2 'merged'
main1.commit_main.x1.commit.x1.seal: merge_paged
    answers c4 of c3, c2 'merged'
    by get branch b; get commit c3; scan u.b2.s2/; scan u.b2.s3/; set_if branch b; get branch b; get commit c3;
        scan u.b2.s2/; scan u.b2.s3/; get branch main; get commit c2; get branch b; get commit c3; get commit
        c1; now; set_if commit c4; set_if branch b; set r-b:u.b2.s3; set r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; +r-b:u.b2.s3 = stub-value; ~branch b = c4 u.b2.s4; +commit c4 = of c3, c2
        'merged'
main1.commit_main.x1.commit.no_x: merge
    answers DirtyBranch
    by get branch b; get commit c3; scan u.b2.s2/
main1.commit_main.x1.commit.x2: merge
    answers DirtyBranch
    by get branch b; get commit c3; scan u.b2.s2/
main1.commit_main.x1.no_x: merge
    answers c3 of c1, c2 'merged'
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1 at 4
    answers DirtyBranch; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s2 u.b2.0
main1.commit_main: merge, met by x1 at 5
    answers c3 of c1, c2 'merged'; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s2/x = 1; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1 at 6, then list
    answers c3 of c1, c2 'merged'; done; (m=1, x=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s2/x = 1; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1.seal at 6
    answers DirtyBranch; done; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get commit c1; scan u.b2.0/; scan u.b2.s2/
    leaves +u.b2.s2/x = 1; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.0; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by x1.commit at 5, then list
    answers c4 of c3, c2 'merged'; done; c3 of c1 'one'; (m=1, x=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get branch main; get commit c2;
        get branch b; get commit c3; get commit c1; now; set_if commit c4; set_if branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c4 u.b2.s3; +commit
        c3 = of c1 'one'; +commit c4 = of c3, c2 'merged'
main1.commit_main: merge, met by merge at 5
    answers NoChanges; c3 of c1, c2 'merged'
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get branch main; get commit c2;
        get branch b; get commit c3; get commit c1
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c1, c2
        'merged'
main1.commit_main: merge, met by main1 at 5
    answers c3 of c1, c2 'merged'; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b1.s1/m = 1; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge, met by seal at 13, then list
    answers c3 of c1, c2 'merged'; done; (m=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get commit c1; scan u.b2.0/; scan u.b2.s2/; get branch main; get commit c2; get branch b; get
        commit c1; now; set_if commit c3; set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c1, c2
        'merged'
main1.commit_main: merge, met by x1.commit at 13, then list
    answers c5 of c4, c2 'merged'; done; c4 of c1 'one'; (m=1, x=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get branch main; get commit c2; get branch b; get commit c4; get commit c1; now; set_if commit
        c5; set_if branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; +u.b2.s2/x = 1; ~branch b = c5 u.b2.s3; +commit
        c4 = of c1 'one'; +commit c3 = of c1, c2 'merged'; +commit c5 = of c4, c2 'merged'
main1.commit_main: merge, met by merge at 13
    answers NoChanges; c3 of c1, c2 'merged'
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get branch main; get commit c2; get branch b; get commit c3; get commit c1
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c1, c2
        'merged'
main1.commit_main: merge, false at 13
    answers NoChanges
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get branch main; get commit c2; get branch b; get commit c3; get commit c1
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge_known, false at 13, then list
    answers c3 of c1, c2 'merged'; (m=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c1, c2 'merged'
main1.commit_main: merge_known, met by merge at 13
    answers c3 of c1, c2 'merged'; c3 of c1, c2 'merged'
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c1, c2
        'merged'
main1.commit_main: merge_known, met by x1.seal at 14, false at 13
    answers c3 of c1, c2 'merged'; done; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s2/x = 1; ~branch b = c3 u.b2.s3 u.b2.s2; +commit c3 = of c1, c2
        'merged'
main1.commit_main: merge, met by delete_branch at 5
    answers BranchNotFound; done
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; -branch b
x1.commit: merge_b, then list
    answers c3 of c1, c2 'into main'; (x=1)
    by get branch main; get commit c1; scan u.b1.0/; set_if branch main; get branch main; get commit c1; scan
        u.b1.0/; get branch b; get commit c2; get branch main; get commit c1; now; set_if commit c3; set_if
        branch main; set r-main:u.b1.0
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'into main'
main1.commit_main: merge_known, met by seal at 13, then list
    answers c3 of c1, c2 'merged'; done; (m=1)
    by get branch b; get commit c1; scan u.b2.0/; set_if branch b; get branch b; get commit c1; scan u.b2.0/;
        get branch main; get commit c2; get branch b; get commit c1; now; set_if commit c3; set_if branch b; get
        branch b; get commit c1; scan u.b2.0/; scan u.b2.s2/; get branch main; get commit c2; get branch b; get
        commit c1; now; set_if commit c3; set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c1, c2
        'merged'
"""
REVERTS: Final = MERGES
REVERTS_TABLE: Final = """\
: revert
    answers NoParent
    by get branch b; get commit c1
x1.commit: revert, then list
    answers c3 of c2 'reverted'; ()
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'reverted'
x1.commit.x2.commit_again: revert, then list
    answers c4 of c3 'reverted'; (x=1)
    by get branch b; get commit c3; get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b;
        get commit c3; scan u.b2.s2/; get commit c2; get commit c3; now; set_if commit c4; set_if branch b; set
        r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; ~branch b = c4 u.b2.s3; +commit c4 = of c3 'reverted'
x1.commit.y1.commit_again: revert, then list
    answers c4 of c3 'reverted'; (x=1)
    by get branch b; get commit c3; get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b;
        get commit c3; scan u.b2.s2/; get commit c2; get commit c3; now; set_if commit c4; set_if branch b; set
        r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; ~branch b = c4 u.b2.s3; +commit c4 = of c3 'reverted'
x1.commit: revert_nowhere
    answers RefNotFound
    by get branch nowhere; get tag nowhere; get commit nowhere
x1.commit: revert_main
    answers NoParent
    by get branch main; get commit c1
main1.commit_main.x1.commit: revert_main
    answers NoChanges
    by get branch main; get commit c2; get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch
        b; get commit c3; scan u.b2.s2/; get commit c1; get commit c3
    leaves ~branch b = c3 u.b2.s3 u.b2.s2
main1.commit_main.merge.x1.commit: revert_main, then list
    answers c5 of c4 'reverted'; (x=1)
    by get branch main; get commit c2; get branch b; get commit c4; scan u.b2.s3/; set_if branch b; get branch
        b; get commit c4; scan u.b2.s3/; get commit c1; get commit c4; now; set_if commit c5; set_if branch b;
        set r-b:u.b2.s3
    leaves +r-b:u.b2.s3 = stub-value; ~branch b = c5 u.b2.s4; +commit c5 = of c4 'reverted'
x1.commit.y1: revert
    answers DirtyBranch
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/
x1.commit.y1.seal: revert
    answers DirtyBranch
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/
x1.commit.x1: revert, then list
    answers c3 of c2 'reverted'; ()
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'reverted'
x1.commit.x1.seal: revert, then list
    answers c3 of c2 'reverted'; ()
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; set_if branch b;
        get branch b; get commit c2; scan u.b2.s1/; scan u.b2.s2/; get commit c1; get commit c2; now; set_if
        commit c3; set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2
        'reverted'
x1.commit: revert, met by y1 at 5
    answers DirtyBranch; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/
    leaves +u.b2.s1/y = 1
x1.commit: revert, met by y1 at 6
    answers DirtyBranch; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/
    leaves +u.b2.s1/y = 1; ~branch b = c2 u.b2.s2 u.b2.s1
x1.commit: revert, met by y1 at 7, then list
    answers c3 of c2 'reverted'; done; (y=1)
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; +u.b2.s2/y = 1; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'reverted'
x1.commit: revert, met by y1.seal at 7
    answers DirtyBranch; done; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; scan u.b2.s2/
    leaves +u.b2.s2/y = 1; ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1
x1.commit: revert, met by y1.commit_again at 7, then list
    answers c4 of c3 'reverted'; done; c3 of c2 'two'; (y=1)
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c1; get commit c3; now; set_if commit c4; set_if branch b
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; +u.b2.s2/y = 1; ~branch b = c4 u.b2.s3; +commit
        c4 = of c3 'reverted'; +commit c3 = of c2 'two'
x1.commit: revert, met by seal at 13
    answers RefChanged; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b
    leaves ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, met by seal at 11
    answers RefChanged; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b
    leaves ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, met by revert at 7
    answers NoChanges; c3 of c2 'reverted'
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c1; get commit c3
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2
        'reverted'
x1.commit: revert, met by y1.seal at 11
    answers RefChanged; done; done
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b
    leaves +u.b2.s2/y = 1; ~branch b = c2 u.b2.s3 u.b2.s2 u.b2.s1; +commit c3 = of c2 'reverted'
x1.commit: revert, false at 13
    answers RefChanged
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b
    leaves ~branch b = c3 u.b2.s2; +commit c3 = of c2 'reverted'
x1.commit: revert, false at 6, then list
    answers c3 of c2 'reverted'; ()
    by get branch b; get commit c2; get branch b; get commit c2; scan u.b2.s1/; set_if branch b; get branch b;
        get commit c2; scan u.b2.s1/; scan u.b2.s2/; set_if branch b; get branch b; get commit c2; scan
        u.b2.s1/; scan u.b2.s2/; get commit c1; get commit c2; now; set_if commit c3; set_if branch b; set
        r-b:u.b2.s2; set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c3 u.b2.s3; +commit c3 = of c2
        'reverted'
x1.commit.revert: revert, then list
    answers c4 of c3 'reverted'; (x=1)
    by get branch b; get commit c3; get branch b; get commit c3; scan u.b2.s2/; set_if branch b; get branch b;
        get commit c3; scan u.b2.s2/; get commit c2; get commit c3; now; set_if commit c4; set_if branch b; set
        r-b:u.b2.s2
    leaves +r-b:u.b2.s2 = stub-value; ~branch b = c4 u.b2.s3; +commit c4 = of c3 'reverted'
"""
BRANCHES: Final = words_of(flows.FLOWS, create_nowhere=Call(flows.FLOWS.create_branch, REPOSITORY, "c", "nowhere"))
BRANCHES_TABLE: Final = """\
: create_c
    answers c c1 u.b3.0
    by get branch b; get branch c; set_if branch c
    leaves +branch c = c1 u.b3.0
: create_nowhere
    answers RefNotFound
    by get branch nowhere; get tag nowhere; get commit nowhere
: create_branch
    answers BranchExists
    by get branch main; get branch b
create_c: create_c
    answers BranchExists
    by get branch b; get branch c
: create_c, met by create_c at 2
    answers BranchExists; c c1 u.b3.0
    by get branch b; get branch c
    leaves +branch c = c1 u.b3.0
: create_c, met by create_c at 3
    answers BranchExists; c c1 u.b4.0
    by get branch b; get branch c; set_if branch c
    leaves +branch c = c1 u.b4.0
: create_c, false at 3
    answers BranchExists
    by get branch b; get branch c; set_if branch c
    leaves +branch c = c1 u.b3.0
: create_c, met by x1.commit at 2
    answers c c1 u.b3.0; done; c2 of c1 'one'
    by get branch b; get branch c; set_if branch c
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = 1; ~branch b = c2 u.b2.s1; +branch c = c1 u.b3.0; +commit c2 =
        of c1 'one'
: delete_branch
    answers done
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; -branch b
x1.seal.x2: delete_branch
    answers done
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0; set r-b:u.b2.s1
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; -branch b
delete_branch: delete_branch
    answers BranchNotFound
    by get branch b
: delete_main
    answers DefaultBranch
: delete_branch, met by delete_branch at 2
    answers BranchNotFound; done
    by get branch b; get branch b
    leaves +r-b:u.b2.0 = stub-value; -branch b
: delete_branch, met by delete_branch at 3
    answers done; done
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; -branch b
: delete_branch, met by delete_branch.create_branch at 3
    answers done; done; b c1 u.b3.0
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; -branch b
x1: delete_branch, met by seal at 2
    answers done; done
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; -branch b
x1: delete_branch, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get branch b; delete branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; -branch b; +commit c2 = of c1 'one'
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "lakeFS pkg/graveler/graveler.go"

ROWS = [
    stated("merges", MERGES, MERGES_TABLE, f"{SOURCE}, Merge and prepareForCommitIDUpdate", FIRST),
    stated("reverts", REVERTS, REVERTS_TABLE, f"{SOURCE}, Revert", FIRST),
    stated("branches", BRANCHES, BRANCHES_TABLE, f"{SOURCE}, CreateBranch and DeleteBranch", FIRST),
]

SCENARIOS = built(ROWS)
