"""Commits of today: each call's answer, its effects, and what it leaves, where others come in its midst.

The steps are those of lakeFS' pkg/graveler, Commit, with retryBranchUpdate around it; the repairs are ours,
docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.staging import stage, tombstone
from lakeproof.impl.upstream import commits, flows
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import StagedEntry
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

SEALED: Final = StagingToken("r-b:u.b2.0")
"""The token that the branch has first: a writer that had read it is late."""
COMMITS: Final = words_of(
    flows.FLOWS,
    commit_empty=Call(commits.commit, REPOSITORY, BRANCH, "one", allow_empty=True),
    commit_known=Call(commits.commit, REPOSITORY, BRANCH, "one", knows_its_own=True),
    commit_looking=Call(commits.commit, REPOSITORY, BRANCH, "one", looks_again=True),
    late_x2=Call(stage, SEALED, StagedEntry(key=b"x", identity=b"2", data=b"")),
    late_no_x=Call(stage, SEALED, tombstone(b"x")),
)
COMMITS_TABLE: Final = """\
: commit
    answers NoChanges
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.y1.seal.x2: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; now; set_if
        commit c2; set_if branch b; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.seal: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; now; set_if
        commit c2; set_if branch b; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1.commit.x1: commit
    answers NoChanges
    by get branch b; set_if branch b; get branch b; get commit c2; scan u.b2.s1/
    leaves ~branch b = c2 u.b2.s2 u.b2.s1
x1.no_x: commit
    answers NoChanges
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/
    leaves ~branch b = c1 u.b2.s1 u.b2.0
: commit_empty
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1.commit.x1: commit_empty
    answers c3 of c2 'one'
    by get branch b; set_if branch b; get branch b; get commit c2; scan u.b2.s1/; now; set_if commit c3; set_if
        branch b; set r-b:u.b2.s1
    leaves +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c3 = of c2 'one'
x1: commit_empty
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by seal at 2
    answers RefChanged; done
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s2 u.b2.0
x1: commit, met by x2 at 2
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by x2 at 3
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by x2 at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by commit_again at 3
    answers NoChanges; c2 of c1 'two'
    by get branch b; set_if branch b; get branch b; get commit c2
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'two'
x1: commit, met by commit_again at 6
    answers NoChanges; c2 of c1 'two'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c3; set_if
        branch b; get branch b; get commit c2
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c3 = of c1
        'one'; +commit c2 = of c1 'two'
x1: commit, met by commit_again at 7
    answers NoChanges; c3 of c1 'two'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c3
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c2 = of c1
        'one'; +commit c3 = of c1 'two'
x1: commit, met by reset at 3
    answers NoChanges; done
    by get branch b; set_if branch b; get branch b; get commit c1
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c1 u.b2.s2
x1: commit, met by y1.commit_again at 7
    answers NoChanges; done; c3 of c1 'two'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c3
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +u.b2.s1/y = 1; ~branch b = c3 u.b2.s2; +commit
        c3 = of c1 'two'; +commit c2 = of c1 'one'
x1: commit, met by y1.seal at 7
    answers c3 of c1 'one'; done; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; now; set_if commit c3; set_if branch
        b; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +u.b2.s1/y = 1; ~branch b = c3 u.b2.s2; +commit
        c2 = of c1 'one'; +commit c3 = of c1 'one'
x1: commit, false at 2
    answers RefChanged
    by get branch b; set_if branch b
    leaves ~branch b = c1 u.b2.s1 u.b2.0
x1: commit, false at 7
    answers NoChanges
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c2
    leaves ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_known, false at 7
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_known, met by commit_again at 7
    answers NoChanges; c3 of c1 'two'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c3
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c3 u.b2.s2; +commit c2 = of c1
        'one'; +commit c3 = of c1 'two'
x1: commit_known, met by y1.seal at 8, false at 7
    answers c2 of c1 'one'; done; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/y = 1; ~branch b = c2 u.b2.s2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_looking
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_looking, met by no_x at 5
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/x = gone; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_looking, met by x2 at 6
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_looking, met by x2 at 7
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit_looking, met by y1 at 7
    answers c2 of c1 'one'; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; set_if branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +u.b2.s1/y = 1; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, false at 6
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by delete_branch at 3
    answers BranchNotFound; done
    by get branch b; set_if branch b; get branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; -branch b
x1: commit, met by seal at 7, 12, then list
    answers c2 of c1 'one'; done; done; (x=1)
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; now; set_if commit c2; set_if branch
        b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; scan u.b2.s2/; now; set_if commit c2;
        set_if branch b; set r-b:u.b2.s2; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; ~branch b = c2
        u.b2.s3; +commit c2 = of c1 'one'
: commit_empty, met by reset at 7, 11, 15, 19, 23, 27, 31, 35, 39, 43
    answers BranchBusy; done; done; done; done; done; done; done; done; done; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s10 = stub-value; +r-b:u.b2.s2 =
        stub-value; +r-b:u.b2.s3 = stub-value; +r-b:u.b2.s4 = stub-value; +r-b:u.b2.s5 = stub-value;
        +r-b:u.b2.s6 = stub-value; +r-b:u.b2.s7 = stub-value; +r-b:u.b2.s8 = stub-value; +r-b:u.b2.s9 =
        stub-value; ~branch b = c1 u.b2.s11; +commit c2 = of c1 'one'
: commit_empty, met by reset at 7, 11, 15, 19, 23, 27, 31, 35, 39
    answers c2 of c1 'one'; done; done; done; done; done; done; done; done; done
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b; get branch b; get commit c1; now; set_if commit c2; set_if branch b; get branch b; get commit
        c1; now; set_if commit c2; set_if branch b; get branch b; get commit c1; now; set_if commit c2; set_if
        branch b
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; +r-b:u.b2.s2 = stub-value; +r-b:u.b2.s3 =
        stub-value; +r-b:u.b2.s4 = stub-value; +r-b:u.b2.s5 = stub-value; +r-b:u.b2.s6 = stub-value;
        +r-b:u.b2.s7 = stub-value; +r-b:u.b2.s8 = stub-value; +r-b:u.b2.s9 = stub-value; ~branch b = c2
        u.b2.s10; +commit c2 = of c1 'one'
x1: commit_looking, met by late_x2 at 6, then x
    answers c3 of c1 'one'; done; x=2
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; get commit c1; scan u.b2.0/; now; set_if commit c3; scan u.b2.0/; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c3 u.b2.s1; +commit c2 = of c1 'one'; +commit c3
        = of c1 'one'
x1: commit_looking, met by late_x2 at 7, then x
    answers c3 of c1 'one'; done; x=2
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; get commit c1; scan u.b2.0/; now; set_if commit c3; scan u.b2.0/; set_if branch b; set
        r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c3 u.b2.s1; +commit c2 = of c1 'one'; +commit c3
        = of c1 'one'
x1: commit_looking, met by late_no_x at 6, then x
    answers NoChanges; done; PathNotFound
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; get commit c1; scan u.b2.0/
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'
x1: commit_looking, met by late_no_x at 7, then x
    answers NoChanges; done; PathNotFound
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; scan
        u.b2.0/; get commit c1; scan u.b2.0/
    leaves ~u.b2.0/x = gone; ~branch b = c1 u.b2.s1 u.b2.0; +commit c2 = of c1 'one'
x1: commit, met by late_x2 at 6, then x
    answers c2 of c1 'one'; done; x=1
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
x1: commit, met by late_x2 at 5, then x
    answers c2 of c1 'one'; done; x=2
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; now; set_if commit c2; set_if
        branch b; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
y1.seal.x1: commit
    answers c2 of c1 'one'
    by get branch b; set_if branch b; get branch b; get commit c1; scan u.b2.0/; scan u.b2.s1/; now; set_if
        commit c2; set_if branch b; set r-b:u.b2.s1; set r-b:u.b2.0
    leaves +r-b:u.b2.0 = stub-value; +r-b:u.b2.s1 = stub-value; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
"""
FIRST: Final = (FOUND,)

ROWS = [stated("commits", COMMITS, COMMITS_TABLE, "lakeFS pkg/graveler/graveler.go, Commit", FIRST)]

SCENARIOS = built(ROWS)
