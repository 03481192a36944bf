"""Pull requests and metadata of today: each call's answer, its effects, and what it leaves.

The steps are those of lakeFS' pkg/graveler, UpdatePullRequest, Update and handleUpdate, and of pkg/api,
MergePullRequest; the repairs are ours, docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import entries, flows, pulls, staging
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

X: Final = (REPOSITORY, BRANCH, b"x")
AMENDING: Final = words_of(
    flows.FLOWS,
    amend=Call(entries.update_user_metadata, *X, b"new"),
    amend_rereading=Call(entries.update_user_metadata, *X, b"new", rereads=True),
    amend_safely=Call(entries.update_user_metadata, *X, b"new", knows_its_own=True),
    create_known=Call(entries.create_entry, *X, b"3", knows_its_own=True),
    sweep=Call(staging.sweep, REPOSITORY),
)
AMENDING_TABLE: Final = """\
: amend
    answers PathNotFound
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
x1: amend, then x
    answers done; x=1:new
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 1:new
x1.commit.no_x.seal: amend, met by commit.sweep at 4, then x
    answers PathNotFound; c3 of c2 'one'; 3; PathNotFound
    by get branch b; get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get u.b2.s2/x; set_if
        u.b2.s2/x; get branch b; get branch b; get branch b; get u.b2.s3/x; get commit c3; get u.b2.s3/x
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; +u.b2.s2/x = 1:new; ~branch b = c3 u.b2.s3; +commit c3 = of
        c2 'one'
x1.commit.x2.seal: amend, met by commit.sweep at 4, then x
    answers done; c3 of c2 'one'; 3; x=2:new
    by get branch b; get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get u.b2.s2/x; set_if
        u.b2.s2/x; get branch b; get branch b; get branch b; get u.b2.s3/x; get commit c3; get u.b2.s3/x;
        set_if u.b2.s3/x; get branch b
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; +u.b2.s2/x = 1:new; +u.b2.s3/x = 2:new; ~branch b = c3
        u.b2.s3; +commit c3 = of c2 'one'
x1.seal: create_x, met by commit.sweep at 4, then x
    answers PathExists; c2 of c1 'one'; 2; x=1
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get commit c1; get u.b2.s1/x; set_if
        u.b2.s1/x; get branch b; get branch b; get branch b; get u.b2.s2/x; get commit c2; get u.b2.s2/x
    leaves -u.b2.0/x; +u.b2.s1/x = 3; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
x1: amend, met by x2 at 5
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 2
: amend_rereading
    answers PathNotFound
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get branch b; get u.b2.0/x
x1: amend_rereading, then x
    answers done; x=1:new
    by get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 1:new
x1.commit.no_x.seal: amend_rereading, met by commit.sweep at 4, then x
    answers PathNotFound; c3 of c2 'one'; 3; PathNotFound
    by get branch b; get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get branch b; get branch b;
        get branch b; get branch b; get u.b2.s3/x; get commit c3; get branch b; get u.b2.s3/x
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; ~branch b = c3 u.b2.s3; +commit c3 = of c2 'one'
x1.commit.x2.seal: amend_rereading, met by commit.sweep at 4, then x
    answers done; c3 of c2 'one'; 3; x=2:new
    by get branch b; get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get branch b; get branch b;
        get branch b; get branch b; get u.b2.s3/x; get commit c3; get branch b; get u.b2.s3/x; set_if
        u.b2.s3/x; get branch b
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; +u.b2.s3/x = 2:new; ~branch b = c3 u.b2.s3; +commit c3 = of
        c2 'one'
x1.commit.x2.seal: amend_rereading, met by seal at 5, 12, 19
    answers WriteNotSettled?; done; done; done
    by get branch b; get branch b; get u.b2.s2/x; get u.b2.s1/x; get branch b; get branch b; get branch b;
        get branch b; get u.b2.s3/x; get u.b2.s2/x; get u.b2.s1/x; get branch b; get branch b; get branch b;
        get branch b; get u.b2.s4/x; get u.b2.s3/x; get u.b2.s2/x; get u.b2.s1/x; get branch b; get branch b
    leaves ~branch b = c2 u.b2.s5 u.b2.s4 u.b2.s3 u.b2.s2 u.b2.s1
x1: amend_rereading, met by x2 at 6
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get branch b; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 2
: amend_safely
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
x1: amend_safely, then x
    answers done; x=1:new
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 1:new
x1.commit.no_x.seal: amend_safely, met by commit.sweep at 3, then x
    answers PathNotFound; c3 of c2 'one'; 3; PathNotFound
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get branch b; get branch b; get branch b;
        get u.b2.s3/x; get commit c3; get branch b
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; ~branch b = c3 u.b2.s3; +commit c3 = of c2 'one'
x1.commit.x2.seal: amend_safely, met by commit.sweep at 3, then x
    answers done; c3 of c2 'one'; 3; x=2:new
    by get branch b; get u.b2.s2/x; get u.b2.s1/x; get commit c2; get branch b; get branch b; get branch b;
        get u.b2.s3/x; get commit c3; get branch b; set_if u.b2.s3/x; get branch b
    leaves -r-b:u.b2.0; -u.b2.0/x; -u.b2.s1/x; +u.b2.s3/x = 2:new; ~branch b = c3 u.b2.s3; +commit c3 = of
        c2 'one'
x1.seal: create_known, met by commit.sweep at 3, then x
    answers PathExists; c2 of c1 'one'; 2; x=1
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get commit c1; get branch b; get branch b; get branch b;
        get u.b2.s2/x; get commit c2; get branch b
    leaves -u.b2.0/x; ~branch b = c2 u.b2.s2; +commit c2 = of c1 'one'
: create_known, met by x1.seal at 4
    answers PathExists; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; get branch b; get branch b; get u.b2.s1/x;
        get u.b2.0/x; get branch b
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
x1.seal: amend_safely, met by hide at 4
    answers done; done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get branch b; get u.b2.s1/x;
        get u.b2.0/x; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 1:new; ~branch b = c1 hidden u.b2.s1 u.b2.0
x1.seal: amend_safely, met by hide at 4, 8, 12
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; get branch b; get branch b; get u.b2.s1/x;
        get u.b2.0/x; get branch b; get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b;
        get branch b
    leaves ~branch b = c1 hidden u.b2.s1 u.b2.0
"""
ONE: Final = (REPOSITORY, "p")
PULLING: Final = words_of(
    flows.FLOWS,
    pull=Call(pulls.create_pull, *ONE, BRANCH, MAIN, "opened"),
    get=Call(pulls.get_pull, *ONE),
    edit=Call(pulls.edit_pull, *ONE, "edited"),
    close=Call(pulls.close_pull, *ONE),
    merge_pull=Call(pulls.merge_pull, *ONE, "merged"),
    edit_last=Call(pulls.edit_pull, *ONE, "edited", claims=True),
    close_last=Call(pulls.close_pull, *ONE, claims=True),
    merge_last=Call(pulls.merge_pull, *ONE, "merged", claims=True),
)
PULLING_TABLE: Final = """\
: pull, then get
    answers done; Pull(title='opened', source='b', destination='main', status='open', commit='')
    by set r-u/b/main; set_if pulls/p
    leaves +r-u/b/main = p; +pulls/p = ["opened", "b", "main", "open", ""]
pull: pull
    answers PullExists
    by set r-u/b/main; set_if pulls/p
: get
    answers PullNotFound
    by get pulls/p
: edit
    answers PullNotFound
    by get pulls/p
pull: edit, then get
    answers done; Pull(title='edited', source='b', destination='main', status='open', commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "open", ""]
pull: edit, met by close at 2, then get
    answers done; done; Pull(title='edited', source='b', destination='main', status='open', commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "open", ""]
pull: edit, met by close at 3, then get
    answers PullChanged; done; Pull(title='opened', source='b', destination='main', status='closed',
        commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["opened", "b", "main", "closed", ""]
pull: edit, false at 3, then get
    answers PullChanged; Pull(title='edited', source='b', destination='main', status='open', commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "open", ""]
pull: close, then get
    answers done; Pull(title='opened', source='b', destination='main', status='closed', commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["opened", "b", "main", "closed", ""]
pull: close, met by edit at 2, then get
    answers done; done; Pull(title='opened', source='b', destination='main', status='closed', commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["opened", "b", "main", "closed", ""]
: merge_pull
    answers PullNotFound
    by get pulls/p
pull: merge_pull, then get
    answers NoChanges; Pull(title='opened', source='b', destination='main', status='open', commit='')
    by get pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get branch main; get
        commit c1; scan u.b1.0/; get branch b; get commit c1; get branch main; get commit c1
    leaves ~branch main = c1 u.b1.s1 u.b1.0
x1.commit.pull: merge_pull, then get
    answers c3 of c1, c2 'merged'; Pull(title='opened', source='b', destination='main', status='merged',
        commit='c3')
    by get pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get branch main; get
        commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit c1; now; set_if
        commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
x1.commit.pull.close: merge_pull
    answers PullNotOpen
    by get pulls/p
x1.commit.pull: merge_pull, met by close at 2, then get
    answers c3 of c1, c2 'merged'; done; Pull(title='opened', source='b', destination='main',
        status='merged', commit='c3')
    by get pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get branch main; get
        commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit c1; now; set_if
        commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
x1.commit.pull.main1: merge_pull, then get
    answers DirtyBranch; Pull(title='opened', source='b', destination='main', status='open', commit='')
    by get pulls/p; get branch main; get commit c1; scan u.b1.0/
x1.commit.pull: edit, met by merge_pull at 2, then get
    answers done; c3 of c1, c2 'merged'; Pull(title='edited', source='b', destination='main', status='open',
        commit='')
    by get pulls/p; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["edited", "b", "main", "open", ""]
: edit_last
    answers PullNotFound
    by get pulls/p
pull: edit_last, then get
    answers done; Pull(title='edited', source='b', destination='main', status='open', commit='')
    by get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "open", ""]
pull: edit_last, met by close at 2, then get
    answers done; done; Pull(title='edited', source='b', destination='main', status='closed', commit='')
    by get pulls/p; set_if pulls/p; get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "closed", ""]
pull: edit_last, met by edit at 2, 4, 6, 8, 10, 12, 14, 16, 18, 20
    answers done; done; done; done; done; done; done; done; done; done; done
    by get pulls/p; set_if pulls/p; get pulls/p
    leaves ~pulls/p = ["edited", "b", "main", "open", ""]
pull.close: close_last
    answers PullNotOpen
    by get pulls/p
pull: close_last, then get
    answers done; Pull(title='opened', source='b', destination='main', status='closed', commit='')
    by get pulls/p; set_if pulls/p
    leaves ~pulls/p = ["opened", "b", "main", "closed", ""]
pull: merge_last, then get
    answers NoChanges; Pull(title='opened', source='b', destination='main', status='open', commit='')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get
        branch main; get commit c1; scan u.b1.0/; get branch b; get commit c1; get branch main; get commit
        c1; get pulls/p; set_if pulls/p
    leaves ~branch main = c1 u.b1.s1 u.b1.0
x1.commit.pull: merge_last, then get
    answers c3 of c1, c2 'merged'; Pull(title='opened', source='b', destination='main', status='merged',
        commit='c3')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get
        branch main; get commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit
        c1; now; set_if commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
x1.commit.pull.close: merge_last, then get
    answers PullNotOpen; Pull(title='opened', source='b', destination='main', status='closed', commit='')
    by get pulls/p
x1.commit.pull: merge_last, met by close_last at 3, then get
    answers c3 of c1, c2 'merged'; PullNotOpen; Pull(title='opened', source='b', destination='main',
        status='merged', commit='c3')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get
        branch main; get commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit
        c1; now; set_if commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
x1.commit.pull: merge_last, met by edit_last at 3, then get
    answers c3 of c1, c2 'merged'; done; Pull(title='edited', source='b', destination='main',
        status='merged', commit='c3')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get
        branch main; get commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit
        c1; now; set_if commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["edited", "b", "main", "merged", "record"]
x1.commit.pull: merge_last, met by merge_last at 3, then get
    answers c3 of c1, c2 'merged'; PullNotOpen; Pull(title='opened', source='b', destination='main',
        status='merged', commit='c3')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main; get
        branch main; get commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main; get commit
        c1; now; set_if commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; set_if pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
x1.commit.pull.main1: merge_last, then get
    answers DirtyBranch; Pull(title='opened', source='b', destination='main', status='open', commit='')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; get pulls/p; set_if
        pulls/p
x1.commit.pull: merge_last, lost at 6, then get
    answers OutcomeUnknown?; Pull(title='opened', source='b', destination='main', status='merging',
        commit='c1')
    by get pulls/p; set_if pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch main
    leaves ~branch main = c1 u.b1.s2 u.b1.0; ~pulls/p = ["opened", "b", "main", "merging", "c1"]
x1.commit.pull: merge_last, false at 2, then get
    answers c3 of c1, c2 'merged'; Pull(title='opened', source='b', destination='main', status='merged',
        commit='c3')
    by get pulls/p; set_if pulls/p; get pulls/p; get branch main; get commit c1; scan u.b1.0/; set_if branch
        main; get branch main; get commit c1; scan u.b1.0/; get branch b; get commit c2; get branch main;
        get commit c1; now; set_if commit c3; set_if branch main; set r-main:u.b1.0; get pulls/p; set_if
        pulls/p
    leaves +r-main:u.b1.0 = stub-value; ~branch main = c3 u.b1.s2; +commit c3 = of c1, c2 'merged'; ~pulls/p
        = ["opened", "b", "main", "merged", "record"]
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "lakeFS pkg/graveler/graveler.go"

ROWS = [
    stated("amending", AMENDING, AMENDING_TABLE, f"{SOURCE}, Update and handleUpdate", FIRST),
    stated("pulls", PULLING, PULLING_TABLE, f"{SOURCE}, UpdatePullRequest; pkg/api/controller.go", FIRST),
]

SCENARIOS = built(ROWS)
