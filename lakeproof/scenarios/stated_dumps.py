"""Dumps of refs and restores; and what makes a dump malformed.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_dumps`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_dumps import FORMAT, WORDS
from lakeproof.scenarios.designs import built

DUMPS_TABLE: Final = """\
found: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found: dump_paged
    answers main at c1; Repository created c1 1
    by scan branch; scan past branch main; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1;
        get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.seal.tag: dump
    answers b at c1; main at c1; tag t at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.tag: dump_paged
    answers b at c1; main at c1; tag t at c1; Repository created c1 1
    by scan branch; scan past branch b; scan past branch main; scan tag; scan commit; scan past commit c1; put p1;
        put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.branch.bury: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.refs: dump
    answers a at c5; main at c2; z at c3; tag t at c4; tag v at c5; joint c2 3; Repository created c1 1; first c3 1;
        side c4 2; next c5 2
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.refs: dump_commits_first
    answers a at c5; main at c2; z at c3; tag t at c4; tag v at c5; joint c2 3; Repository created c1 1; first c3 1;
        side c4 2; next c5 2
    by scan commit; scan branch; scan tag; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn: dump
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn.refs: dump
    answers a at c6; main at c3; z at c4; tag t at c5; tag v at c6; lone c2 4; joint c3 3; Repository created c1 1;
        first c4 1; side c5 2; next c6 2
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn: dump_unchecked
    answers main at c1; Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn_branch: dump
    answers NotDumpable: r: branch 'l' names commit 'c2', which is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
found.torn_branch: dump_unchecked
    answers MalformedDump: c2: branch 'l' names commit 'c3', which is not there; dump again
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.torn_branch.drop_main: dump
    answers NotDumpable: r: branch 'l' names commit 'c2', which is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
found.drop_main: dump
    answers NotDumpable: r: default branch 'main' is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
found.drop_main: dump_bare
    answers Repository created c1 1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
: dump
    answers NotDumpable: r: default branch 'main' is not there; mend the repository, and dump again
    by scan branch; scan tag; scan commit
: dump_bare
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1; +object p4 = {
found.misplace: dump
    answers Undecodable: b'r-u' b'branches/y': holds the record of 'b'; delete or move it
    by scan branch
found: dump, met by branch.tag at 2
    answers main at c1; tag t at c1; Repository created c1 1; b c1 u.b2.0; t c1
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +branch b = c1 u.b2.0; +tag t = c1; +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs:
        commits 1; +object p3 = lakeproof refs: tags 1; +object p4 = {
found.refs: dump, met by torn.torn_branch at 3
    answers a at c5; main at c2; z at c3; tag t at c4; tag v at c5; lone c6 4; joint c2 3; Repository created c1 1;
        first c3 1; side c4 2; next c5 2; done; done
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4; get p4; get p1; get p2; get p3
    leaves +branch l = c6 ; +commit c6 = of c2 'lone' -1699999999999995us; +object p1 = lakeproof refs: branches 1;
        +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof refs: tags 1; +object p4 = {
found.refs: dump_commits_first, met by torn.torn_branch at 2
    answers NotDumpable: r: branch 'l' names commit 'c6', which is not there; mend the repository, and dump again;
        done; done
    by scan commit; scan branch; scan tag
    leaves +branch l = c6 ; +commit c6 = of c2 'lone' -1699999999999995us
found: dump, refused at o2
    answers Refused
    by scan branch; scan tag; scan commit; put p1; put p2
    leaves +object p1 = lakeproof refs: branches 1
found: dump, refused at o4
    answers Refused
    by scan branch; scan tag; scan commit; put p1; put p2; put p3; put p4
    leaves +object p1 = lakeproof refs: branches 1; +object p2 = lakeproof refs: commits 1; +object p3 = lakeproof
        refs: tags 1
put: read
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
    by get p4; get p1; get p2; get p3
: read
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p1
put.lose: read
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p4; get p1; get p2; get p3
put.spoil: read
    answers MalformedDump: c1: its content has SHA-256 c2; fetch the object again
    by get p4; get p1; get p2
put: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore_paged
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore_default
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch z; set_if
        branch main
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b3.0; +branch z = c2 u.b2.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore_elsewhere
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore_full
    answers NotBare: r: the repository is not bare; restore to one created as bare
put.restore: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.lose: restore
    answers MalformedDump: c1: is not there; restore to the storage namespace of the repository that was dumped
    by get p4; get p1; get p2; get p3
put.spoil: restore
    answers MalformedDump: c1: its content has SHA-256 c2; fetch the object again
    by get p4; get p1; get p2
put_old: restore_old, then dump_bare
    answers restored; a at c4; main at c1; z at c2; tag t at c3; tag v at c4; joint c1 3; first c2 1; side c3 2;
        next c4 2
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4; +object p5 =
        lakeproof refs: commits 1; +object p6 = {
put_some_old: restore_some_old, then dump_bare
    answers restored; a at c4; main at c1; z at c2; tag t at c3; tag v at c4; joint c1 3; first c2 1; side c3 2;
        next c4 2
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; set_if branch main; set_if
        branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4; +object p5 =
        lakeproof refs: commits 1; +object p6 = {
put.wrong_tag: restore
    answers NotBare: r: b'tags/t' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.extra_tag: restore
    answers NotBare: r: b'tags/u' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.wrong_tag.extra_tag: restore
    answers NotBare: r: b'tags/t' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.wrong_tag.branch_a_moved: restore
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.branch_a: restore
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch main; set_if branch z
    leaves +branch main = c1 u.b1.0; +branch z = c2 u.b2.0; +commit c1 = of c4, c3 'joint' -1699999999999996us;
        +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side' -1699999999999997us; +commit c4 = of c2
        'next' -1699999999999998us; +tag t = c3; +tag v = c4
put.junk: restore
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put.branch_a_moved: restore
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit
put: restore, met by branch_a at 10
    answers restored; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a; set_if branch
        main; set_if branch z
    leaves +branch a = c4 tok; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore, met by branch_a_moved at 10
    answers NotBare: r: b'branches/a' is there and not the dump's; restore to a repository without refs; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a
    leaves +branch a = c3 ; +commit c1 = of c4, c3 'joint' -1699999999999996us; +commit c2 = of none 'first'
        -1700000000s; +commit c3 = of c2 'side' -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us;
        +tag t = c3; +tag v = c4
put: restore, met by wrong_tag at 8
    answers NotBare: r: b'tags/t' is there and not the dump's; restore to a repository without refs; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; get tag t
    leaves +commit c1 = of c4, c3 'joint' -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3
        = of c2 'side' -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c4
put: restore, met by restore at 6
    answers restored; restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; get commit c3; set_if commit c4; get commit c4; set_if tag t; get tag t; set_if tag v; get
        tag v; set_if branch a; get branch a; set_if branch main; get branch main; set_if branch z; get branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore, false at 10
    answers restored
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a; set_if branch
        main; set_if branch z
    leaves +branch a = c4 u.b1.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore, met by drop_a at 11, false at 10
    answers NotBare: r: b'branches/a' came and went; keep others away; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3; set_if commit c4; set_if tag t; set_if tag v; set_if branch a; get branch a
    leaves +commit c1 = of c4, c3 'joint' -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3
        = of c2 'side' -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
put: restore, refused at 6
    answers Refused
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3
    leaves +commit c1 = of c4, c3 'joint' -1699999999999996us; +commit c2 = of none 'first' -1700000000s
put: restore, lost at 6
    answers OutcomeUnknown?
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; set_if commit c2;
        set_if commit c3
    leaves +commit c1 = of c4, c3 'joint' -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3
        = of c2 'side' -1699999999999997us
put: restore, met by restore.drop_a at 4
    answers restored; restored; done
    by get p4; get p1; get p2; get p3; scan branch; scan tag; scan commit; set_if commit c1; get commit c1; set_if
        commit c2; get commit c2; set_if commit c3; get commit c3; set_if commit c4; get commit c4; set_if tag t;
        get tag t; set_if tag v; get tag v; set_if branch a; set_if branch main; get branch main; set_if branch z;
        get branch z
    leaves +branch a = c4 u.b4.0; +branch main = c1 u.b2.0; +branch z = c2 u.b3.0; +commit c1 = of c4, c3 'joint'
        -1699999999999996us; +commit c2 = of none 'first' -1700000000s; +commit c3 = of c2 'side'
        -1699999999999997us; +commit c4 = of c2 'next' -1699999999999998us; +tag t = c3; +tag v = c4
"""
FORMAT_TABLE: Final = r"""
: manifest
    answers Manifest(branches='b', commits='c', tags='t')
: manifest_bytes
    answers { "branches": "b", "commits": "c", "format": "lakeproof refs", "tags": "t", "version": 1 }
: manifest_no_json
    answers MalformedDump: no JSON; name the manifest of a dump
: manifest_deep
    answers MalformedDump: no JSON; name the manifest of a dump
: manifest_list
    answers MalformedDump: no field format='lakeproof refs'; name the manifest of a dump
: manifest_other
    answers MalformedDump: no field format='lakeproof refs'; name the manifest of a dump
: manifest_version
    answers MalformedDump: version 2: expected 1; restore with the program that dumped
: manifest_few
    answers MalformedDump: {'branches': 'b', 'commits': 'c', 'tags': None}: expected three ids; dump again
: manifest_number
    answers MalformedDump: {'branches': 1, 'commits': 'c', 'tags': 't'}: expected three ids; dump again
: part
    answers ['ab', 'c']
: part_empty
    answers []
: part_no_bytes
    answers ['']
: part_other
    answers MalformedDump: begins with b'lakeproof refs: commits', expected b'lakeproof refs: tags 1\n'; dump again
: part_cut
    answers MalformedDump: cut off in record 1; dump again
: part_cut_in_length
    answers MalformedDump: cut off in record 0; dump again
: parts
    answers {'branches': b'lakeproof refs: branche', 'commits': b'lakeproof refs: commits', 'tags': b'lakeproof
        refs: tags 1\n'}
: refs
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
: refs_undecodable
    answers MalformedDump: tags: record 0: b'\xff' is no TagData; dump again
: refs_problem
    answers MalformedDump: branch 'b' names commit 'c1', which is not there; dump again
: refs_problems
    answers MalformedDump: branch 'b' names commit 'c1', which is not there; dump again
: fine
    answers none
: no_refs
    answers none
: unnamed
    answers branch id '': expected a name without NUL that is not empty; leave the NUL out | tag id '': expected a
        name without NUL that is not empty; leave the NUL out
: twice
    answers branch 'a' stands behind b'a'; expected each once, in order
: unordered
    answers tag 't' stands behind b'v'; expected each once, in order
: unordered_commits
    answers commit 'c1' stands behind b'c2'; expected each once, in order | commit 'c3' stands behind b'c1';
        expected each once, in order | commit 'c4' stands behind b'c3'; expected each once, in order
: with_token
    answers branch 'a' has staging tokens; expected none in a dump
: with_sealed
    answers branch 'a' has staging tokens; expected none in a dump
: missing
    answers branch 'z' names commit 'c1', which is not there | tag 't' names commit 'c2', which is not there |
        commit 'c3' names commit 'c2', which is not there | commit 'c4' names commit 'c1', which is not there
: many
    answers branch 'a' has staging tokens; expected none in a dump | branch 'b' has staging tokens; expected none in
        a dump | branch 'a' names commit 'c1', which is not there | branch 'b' names commit 'c2', which is not there
        | tag 't' names commit 'c1', which is not there | tag 'v' names commit 'c2', which is not there | commit
        'c3' names commit 'c1', which is not there | commit 'c3' names commit 'c2', which is not there
: cycle_and_missing
    answers branch 'a' names commit 'c1', which is not there
: cycle
    answers commits are their own ancestors: 'c1' < 'c2' < 'c1'
: without_tokens
    answers True
: generations
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
: generations_old
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
: generations_some
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
: generations_given
    answers first c1 5; next c2 6
: generations_none
    answers ()
: whole
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; joint c2 3; first c3 1; side c4 2; next c1 2
: whole_torn
    answers a at c1; main at c2; z at c3; tag t at c4; tag v at c1; first c3 1; side c4 2; next c1 2
: whole_torn_far
    answers a at c1; first c1 1
: whole_reached
    answers a at c1; lone c1 4; first c2 1
: whole_tagged
    answers tag t at c1; lone c1 4; first c2 1
: whole_unnamed
    answers first c1 1; next c2 2
"""
ROWS = [
    stated("dumps", WORDS, DUMPS_TABLE, "graveler-on-kv.md, Dump/Restore Refs"),
    stated("dump-format", FORMAT, FORMAT_TABLE, "graveler-on-kv.md, Dump/Restore Refs"),
]

SCENARIOS = built(ROWS)
