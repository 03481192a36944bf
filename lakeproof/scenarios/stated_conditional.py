"""Conditional writes and metadata of today: each call's answer, its effects, and what it leaves.

The steps are those of lakeFS' pkg/graveler, Set with a condition, Update and handleUpdate, and of pkg/catalog,
UpdateEntryUserMetadata; the repairs are ours, docs/lakefs-today.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.upstream import entries, flows, repositories
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY
from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_branches import FOUND, words_of
from lakeproof.scenarios.designs import built

X: Final = (REPOSITORY, BRANCH, b"x")
CONDITIONAL: Final = words_of(
    flows.FLOWS,
    create_known=Call(entries.create_entry, *X, b"3", knows_its_own=True),
    replace_known=Call(entries.replace_entry, *X, b"3", b"1", knows_its_own=True),
    x_data=Call(entries.set_entry, *X, b"4", b"data"),
    x3=Call(entries.set_entry, *X, b"3"),
)
CONDITIONAL_TABLE: Final = """\
: create_x
    answers done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = 3
x1: create_x
    answers PathExists
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x
x1.commit: create_x
    answers PathExists
    by get branch b; get branch b; get u.b2.s1/x; get commit c2; get u.b2.s1/x
x1.commit.no_x: create_x
    answers done
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = 3
x1.seal: create_x
    answers PathExists
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
x1.seal.no_x: create_x
    answers done
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = 3
x1.no_x: create_x
    answers done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 3
: create_x, met by x1 at 5
    answers PathExists; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
    leaves +u.b2.0/x = 1
: create_x, met by x1 at 6
    answers PathExists; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x
    leaves +u.b2.0/x = 1
: create_x, met by x1 at 4
    answers PathExists; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
    leaves +u.b2.0/x = 1
: create_x, false at 6
    answers PathExists
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x
    leaves +u.b2.0/x = 3
: create_x, met by seal at 6
    answers PathExists; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
    leaves +u.b2.0/x = 3; ~branch b = c1 u.b2.s1 u.b2.0
: create_x, met by seal at 7
    answers PathExists; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
    leaves +u.b2.0/x = 3; ~branch b = c1 u.b2.s1 u.b2.0
: create_x, met by x1.seal at 7
    answers PathExists; done; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
: create_x, met by seal at 7, 14, 21
    answers PathExists; done; done; done
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x; set_if u.b2.0/x; get branch b; get
        branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
    leaves +u.b2.0/x = 3; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: create_known
    answers done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b
    leaves +u.b2.0/x = 3
x1: create_known
    answers PathExists
    by get branch b; get u.b2.0/x
x1.commit: create_known
    answers PathExists
    by get branch b; get u.b2.s1/x; get commit c2; get branch b
x1.commit.no_x: create_known
    answers done
    by get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = 3
x1.seal: create_known
    answers PathExists
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b
x1.seal.no_x: create_known
    answers done
    by get branch b; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.s1/x = 3
x1.no_x: create_known
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 3
: create_known, met by x1 at 5
    answers PathExists; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x
    leaves +u.b2.0/x = 1
: create_known, met by x1.no_x at 5
    answers done; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = 3
: create_known, false at 5
    answers done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = 3
: create_known, false at 5, refused at 6
    answers Refused
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x
    leaves +u.b2.0/x = 3
: create_known, met by seal at 6
    answers done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b; get branch b;
        get u.b2.s1/x; get u.b2.0/x; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.0/x = 3; +u.b2.s1/x = 3; ~branch b = c1 u.b2.s1 u.b2.0
: create_known, met by commit at 6
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b; get branch b;
        get u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; +u.b2.0/x = 3; +u.b2.s1/x = 3; ~branch b = c2 u.b2.s1; +commit c2 = of
        c1 'one'
: create_known, met by x1.seal at 6
    answers EntryInDoubt?; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b; get branch b;
        get u.b2.s1/x; get u.b2.0/x; get branch b
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
: create_known, met by no_x.seal at 6
    answers done; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b; get branch b;
        get u.b2.s1/x; get u.b2.0/x; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.0/x = gone; +u.b2.s1/x = 3; ~branch b = c1 u.b2.s1 u.b2.0
: create_known, met by x1.seal at 5
    answers PathExists; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x
    leaves +u.b2.0/x = 1; ~branch b = c1 u.b2.s1 u.b2.0
: create_known, met by x3 at 5
    answers done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x; set_if
        u.b2.0/x; get branch b
    leaves +u.b2.0/x = 3
: create_known, met by x3 at 2
    answers PathExists; done
    by get branch b; get u.b2.0/x
    leaves +u.b2.0/x = 3
: create_known, met by seal at 6, 12, 18
    answers WriteNotSettled?; done; done; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get branch b; get branch b;
        get u.b2.s1/x; get u.b2.0/x; get branch b; set_if u.b2.s1/x; get branch b; get branch b; get
        u.b2.s2/x; get u.b2.s1/x; get branch b; set_if u.b2.s2/x; get branch b
    leaves +u.b2.0/x = 3; +u.b2.s1/x = 3; +u.b2.s2/x = 3; ~branch b = c1 u.b2.s3 u.b2.s2 u.b2.s1 u.b2.0
: create_known, met by x1 at 6, false at 5
    answers PathExists; done
    by get branch b; get u.b2.0/x; get commit c1; get branch b; set_if u.b2.0/x; get u.b2.0/x
    leaves +u.b2.0/x = 1
: replace_x
    answers EntryChanged
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
x1: replace_x
    answers done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 3
x2: replace_x
    answers EntryChanged
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x
x1.commit: replace_x
    answers done
    by get branch b; get branch b; get u.b2.s1/x; get commit c2; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 3
x1.seal: replace_x
    answers done
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 3
x1.seal.no_x: replace_x
    answers EntryChanged
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.s1/x
x1: replace_x, met by x2 at 4
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = 2
x1: replace_x, met by x2 at 5
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 2
x1: replace_x, met by no_x at 5
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = gone
x1: replace_x, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get
        branch b; get u.b2.s1/x; get commit c2; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 3; +u.b2.s1/x = 3; ~branch b = c2 u.b2.s1; +commit c2 = of c1
        'one'
x1: replace_x, met by seal at 4
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get
        branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x
    leaves ~u.b2.0/x = 3; ~branch b = c1 u.b2.s1 u.b2.0
x1: replace_x, false at 5
    answers EntryChanged
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 3
: replace_known
    answers EntryChanged
    by get branch b; get u.b2.0/x; get commit c1; get branch b
x1: replace_known
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 3
x2: replace_known
    answers EntryChanged
    by get branch b; get u.b2.0/x
x1.commit: replace_known
    answers done
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 3
x1.seal: replace_known
    answers done
    by get branch b; get u.b2.s1/x; get u.b2.0/x; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 3
x1: replace_known, met by x2 at 3
    answers EntryChanged; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = 2
x1: replace_known, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get commit
        c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 3; +u.b2.s1/x = 3; ~branch b = c2 u.b2.s1; +commit c2 = of
        c1 'one'
x1: replace_known, false at 3
    answers done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 3
x1: replace_known, met by commit at 4
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get commit
        c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 3; +u.b2.s1/x = 3; ~branch b = c2 u.b2.s1; +commit c2 = of
        c1 'one'
x1: replace_known, met by x2.commit at 4
    answers EntryInDoubt?; done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get commit
        c2; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 2; ~branch b = c2 u.b2.s1; +commit c2 = of c1 'one'
"""
TOUCHES: Final = words_of(
    flows.FLOWS,
    touch=Call(entries.update_metadata, *X, b"7"),
    touch_known=Call(entries.update_metadata, *X, b"7", knows_its_own=True),
    touch_in_two=Call(entries.update_metadata_in_two, *X, b"7"),
    touch_by_id=Call(entries.update_metadata_by_id, *X, b"7"),
    touch_reporting=Call(entries.update_metadata_by_id, *X, b"7", reports=True),
    x_data=Call(entries.set_entry, *X, b"4", b"data"),
    erase=Call(repositories.delete_repository, REPOSITORY.repository_id),
)
TOUCHES_TABLE: Final = """\
: touch
    answers PathNotFound
    by get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
x_data: touch, then x
    answers done; x=7:data
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
x_data.commit: touch, then x
    answers done; x=7:data
    by get branch b; get branch b; get u.b2.s1/x; get commit c2; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 7:data
x_data.commit.no_x: touch
    answers PathNotFound
    by get branch b; get branch b; get u.b2.s1/x; get u.b2.s1/x
x_data: touch, met by x1 at 4
    answers done; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7
x_data: touch, met by x1 at 5
    answers EntryChanged; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 1
x_data: touch, met by seal at 6, then x
    answers done; done; x=7:data
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get
        branch b; get u.b2.s1/x; get u.b2.0/x; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves ~u.b2.0/x = 7:data; +u.b2.s1/x = 7:data; ~branch b = c1 u.b2.s1 u.b2.0
x_data: touch, met by no_x at 4
    answers PathNotFound; done
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x
    leaves ~u.b2.0/x = gone
x_data: touch, met by commit at 4
    answers done; c2 of c1 'one'
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get
        branch b; get u.b2.s1/x; get commit c2; get u.b2.s1/x; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 7:data; +u.b2.s1/x = 7:data; ~branch b = c2 u.b2.s1; +commit c2
        = of c1 'one'
x_data: touch, false at 5
    answers EntryChanged
    by get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 7:data
: touch_known
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1; get branch b
x_data: touch_known, then x
    answers done; x=7:data
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
x_data.commit: touch_known, then x
    answers done; x=7:data
    by get branch b; get u.b2.s1/x; get commit c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +u.b2.s1/x = 7:data
x_data.commit.no_x: touch_known
    answers PathNotFound
    by get branch b; get u.b2.s1/x
x_data: touch_known, met by x1 at 3
    answers EntryChanged; done
    by get branch b; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 1
x_data: touch_known, met by commit at 3
    answers done; c2 of c1 'one'
    by get branch b; get u.b2.0/x; set_if u.b2.0/x; get branch b; get branch b; get u.b2.s1/x; get commit
        c2; get branch b; set_if u.b2.s1/x; get branch b
    leaves +r-b:u.b2.0 = stub-value; ~u.b2.0/x = 7:data; +u.b2.s1/x = 7:data; ~branch b = c2 u.b2.s1;
        +commit c2 = of c1 'one'
x_data: touch_known, false at 3
    answers EntryChanged
    by get branch b; get u.b2.0/x; set_if u.b2.0/x
    leaves ~u.b2.0/x = 7:data
: touch_in_two
    answers PathNotFound
    by get branch b; get u.b2.0/x; get commit c1
x_data: touch_in_two, then x
    answers done; x=7:data
    by get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
x_data: touch_in_two, met by x1 at 3, then x
    answers done; done; x=7:data
    by get branch b; get u.b2.0/x; get branch b; set u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
x_data: touch_by_id, then x
    answers done; x=7:data
    by get entry r; get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
: touch_by_id
    answers PathNotFound
    by get entry r; get branch b; get branch b; get u.b2.0/x; get commit c1; get u.b2.0/x
x_data.erase: touch_by_id
    answers done
    by get entry r
x_data.erase: touch_reporting
    answers RepositoryNotFound
    by get entry r
x_data: touch_reporting
    answers done
    by get entry r; get branch b; get branch b; get u.b2.0/x; get u.b2.0/x; set_if u.b2.0/x; get branch b
    leaves ~u.b2.0/x = 7:data
x_data: touch_by_id, refused at 1
    answers done
    by get entry r
x_data: touch_reporting, refused at 1
    answers Refused
    by get entry r
x_data: touch_by_id, refused at 2
    answers Refused
    by get entry r; get branch b
"""
FIRST: Final = (FOUND,)
SOURCE: Final = "lakeFS pkg/graveler/graveler.go"

ROWS = [
    stated("conditional", CONDITIONAL, CONDITIONAL_TABLE, f"{SOURCE}, Set with a condition and handleUpdate", FIRST),
    stated("metadata", TOUCHES, TOUCHES_TABLE, f"{SOURCE}, Update; pkg/catalog/catalog.go", FIRST),
]

SCENARIOS = built(ROWS)
