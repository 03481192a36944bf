"""Migration, and what is found again in the store.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_migration`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_migration import MIGRATION
from lakeproof.scenarios.designs import built

MIGRATION_TABLE: Final = """\
: migrate
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate_whole
    answers repositories 2, branches 2, commits 3, tags 1, staging_kv 2
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set y;
        set migrated-partition/r-i2; set commit c; set commit c2; set commit c3; set tag t; set branch dev; set
        branch main; set_if entry bare; set_if entry r; scan entry; scan migrated-partition/; scan r-i2; scan t;
        set_if kv/schema/version
    leaves +entry bare = active i1 bare -1699999999999999us; +entry r = active i2 -1699999999999999us;
        +kv/schema/version = 4; +migrated-partition/r-i2 = nothing; +migrated-partition/t = nothing; +branch dev =
        c2 u; +branch main = c t; +commit c = of none '' -1699999999999999us; +commit c2 = of c ''
        -1699999999999999us; +commit c3 = of c2, c '' -1699999999999999us; +tag t = c; +x = xid; +y = y
: migrate_paged
    answers repositories 2, branches 2, commits 3, tags 1, staging_kv 2
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set y;
        set migrated-partition/r-i2; set commit c; set commit c2; set commit c3; set tag t; set branch dev; set
        branch main; set_if entry bare; set_if entry r; scan entry; scan past entry bare; scan migrated-partition/;
        scan r-i2; scan past branch dev; scan past branch main; scan past commit c; scan past commit c2; scan past
        commit c3; scan past migrated-partition/r-i2; scan t; scan past x; set_if kv/schema/version
    leaves +entry bare = active i1 bare -1699999999999999us; +entry r = active i2 -1699999999999999us;
        +kv/schema/version = 4; +migrated-partition/r-i2 = nothing; +migrated-partition/t = nothing; +branch dev =
        c2 u; +branch main = c t; +commit c = of none '' -1699999999999999us; +commit c2 = of c ''
        -1699999999999999us; +commit c3 = of c2, c '' -1699999999999999us; +tag t = c; +x = xid; +y = y
: migrate_nothing
    answers repositories 0, branches 0, commits 0, tags 0, staging_kv 0
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; scan entry; scan migrated-partition/;
        set_if kv/schema/version
    leaves +kv/schema/version = 4
: plain
    answers Migrated(counts=(('graveler_repositories', 1), ('graveler_branches', 1), ('graveler_commits', 1),
        ('graveler_tags', 0), ('graveler_staging_kv', 1)))
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate_wrong
    answers UnusableTables: graveler_branches r/main: commit 'c' is not in graveler_commits; restore it
version_4: migrate
    answers AlreadyMigrated: schema version 4: the store is in use; name another
    by now; get kv/schema/version
version_4: restart
    answers AlreadyMigrated: schema version 4: the store is in use; name another
    by now; get kv/schema/version
version_9: migrate
    answers AlreadyMigrated: schema version 9�: the store is in use; name another
    by now; get kv/schema/version
half: migrate
    answers HalfMigrated: a run by somebody has not ended; make sure that it is dead, then restart
    by now; get kv/schema/version
half: restart
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; set_if kv/schema/version; scan graveler; scan migrated-partition/; scan
        migrated-partition/; set migrated-partition/t; set x; set migrated-partition/r-i1; set commit c; set branch
        main; set_if entry r; scan entry; scan migrated-partition/; scan r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; ~kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
half: restart_paged
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; set_if kv/schema/version; scan graveler; scan migrated-partition/; scan
        migrated-partition/; set migrated-partition/t; set x; set migrated-partition/r-i1; set commit c; set branch
        main; set_if entry r; scan entry; scan migrated-partition/; scan r-i1; scan past branch main; scan past
        migrated-partition/r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; ~kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
used: migrate
    answers NotEmpty: 'repos/r' is there, and no schema version: the store is in use; name an empty one
    by now; get kv/schema/version; scan graveler
used: restart
    answers NotEmpty: 'repos/r' is there, and no schema version: the store is in use; name an empty one
    by now; get kv/schema/version; scan graveler
migrate: migrate
    answers AlreadyMigrated: schema version 4: the store is in use; name another
    by now; get kv/schema/version
migrate: restart
    answers AlreadyMigrated: schema version 4: the store is in use; name another
    by now; get kv/schema/version
migrate.half: restart
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; set_if kv/schema/version; scan graveler; delete entry r; scan
        migrated-partition/; scan r-i1; delete branch main; delete commit c; scan t; delete x; scan
        migrated-partition/; delete migrated-partition/r-i1; delete migrated-partition/t; set migrated-partition/t;
        set x; set migrated-partition/r-i2; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i2; scan t; set_if kv/schema/version
    leaves ~entry r = active i2 -1699999999999999us; ~kv/schema/version = 4; -migrated-partition/r-i1;
        +migrated-partition/r-i2 = nothing; -branch main; -commit c; +branch main = c t; +commit c = of none ''
        -1699999999999999us
migrate_whole.half: restart_paged
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; set_if kv/schema/version; scan graveler; delete entry bare; scan past entry bare;
        delete entry r; scan migrated-partition/; scan r-i2; delete branch dev; scan past branch dev; delete branch
        main; scan past branch main; delete commit c; scan past commit c; delete commit c2; scan past commit c2;
        delete commit c3; scan past commit c3; delete tag t; scan past migrated-partition/r-i2; scan t; delete x;
        scan past x; delete y; scan migrated-partition/; delete migrated-partition/r-i2; scan past
        migrated-partition/r-i2; delete migrated-partition/t; set migrated-partition/t; set x; set
        migrated-partition/r-i3; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i3; scan past branch main; scan past migrated-partition/r-i3; scan t; set_if
        kv/schema/version
    leaves -entry bare; ~entry r = active i3 -1699999999999999us; ~kv/schema/version = 4; -migrated-partition/r-i2;
        +migrated-partition/r-i3 = nothing; -branch dev; -branch main; -commit c; -commit c2; -commit c3; -tag t;
        +branch main = c t; +commit c = of none '' -1699999999999999us; -y
: migrate, met by half at 3
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; get kv/schema/version
    leaves +kv/schema/version = migrating somebody
: migrate, met by version_4 at 3
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; get kv/schema/version
    leaves +kv/schema/version = 4
: migrate, met by used at 3
    answers Superseded: repository 'r' is there already: another run is writing; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r
    leaves +entry r = active foreign; +kv/schema/version = migrating lakeproof +0s m1; +migrated-partition/r-i1 =
        nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x
        = xid
: migrate, false at 3
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; get kv/schema/version; set
        migrated-partition/t; set x; set migrated-partition/r-i1; set commit c; set branch main; set_if entry r;
        scan entry; scan migrated-partition/; scan r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by unversion at 4, false at 3
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; get kv/schema/version
: migrate, met by half at 4, false at 3
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; get kv/schema/version
    leaves +kv/schema/version = migrating somebody
: migrate, met by used at 10
    answers Different: graveler_repositories r: not the same in the store; graveler_branches r/main: missing in the
        store; graveler_commits r/c: missing in the store; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t
    leaves +entry r = active foreign; +kv/schema/version = migrating lakeproof +0s m1; +migrated-partition/r-i1 =
        nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x
        = xid
: migrate, met by drop_staged at 11
    answers Different: graveler_staging_kv t/x: missing in the store; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = migrating lakeproof +0s m1;
        +migrated-partition/r-i1 = nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none
        '' -1699999999999999us
: migrate, met by write_staged at 11
    answers Different: graveler_staging_kv t/x: missing in the store; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = migrating lakeproof +0s m1;
        +migrated-partition/r-i1 = nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none
        '' -1699999999999999us; +x = no staged entry
: migrate, met by other_path at 11
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid;
        +z = xid
: migrate, met by drop_repository at 10
    answers Different: graveler_repositories r: missing in the store; graveler_branches r/main: missing in the
        store; graveler_commits r/c: missing in the store; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t
    leaves +kv/schema/version = migrating lakeproof +0s m1; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by half at 14
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = migrating somebody;
        +migrated-partition/r-i1 = nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none
        '' -1699999999999999us; +x = xid
: migrate, met by unversion at 14
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version
    leaves +entry r = active i1 -1699999999999999us; +migrated-partition/r-i1 = nothing; +migrated-partition/t =
        nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by version_4 at 14
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version; get entry r
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, false at 14
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version; get entry r
    leaves +entry r = active i1 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by drop_repository at 16, false at 14
    answers Superseded: repository 'r' is gone: another program uses the store; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version; get entry r
    leaves +kv/schema/version = 4; +migrated-partition/r-i1 = nothing; +migrated-partition/t = nothing; +branch main
        = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by half.restart at 15, false at 14
    answers Superseded: another run has taken the store over, and finished; done; repositories 1, branches 1,
        commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r; scan entry; scan
        migrated-partition/; scan r-i1; scan t; set_if kv/schema/version; get kv/schema/version; get entry r
    leaves +entry r = active i2 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i2 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate_whole, false at 20
    answers repositories 2, branches 2, commits 3, tags 1, staging_kv 2
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set y;
        set migrated-partition/r-i2; set commit c; set commit c2; set commit c3; set tag t; set branch dev; set
        branch main; set_if entry bare; set_if entry r; scan entry; scan migrated-partition/; scan r-i2; scan t;
        set_if kv/schema/version; get kv/schema/version; get entry bare
    leaves +entry bare = active i1 bare -1699999999999999us; +entry r = active i2 -1699999999999999us;
        +kv/schema/version = 4; +migrated-partition/r-i2 = nothing; +migrated-partition/t = nothing; +branch dev =
        c2 u; +branch main = c t; +commit c = of none '' -1699999999999999us; +commit c2 = of c ''
        -1699999999999999us; +commit c3 = of c2, c '' -1699999999999999us; +tag t = c; +x = xid; +y = y
: migrate_nothing, false at 6
    answers repositories 0, branches 0, commits 0, tags 0, staging_kv 0
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; scan entry; scan migrated-partition/;
        set_if kv/schema/version; get kv/schema/version
    leaves +kv/schema/version = 4
: migrate_nothing, met by half at 6
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; scan entry; scan migrated-partition/;
        set_if kv/schema/version; get kv/schema/version
    leaves +kv/schema/version = migrating somebody
half: restart_nothing, met by version_4 at 2
    answers Superseded: another run has taken the store over; done
    by now; get kv/schema/version; set_if kv/schema/version; get kv/schema/version
    leaves ~kv/schema/version = 4
half: restart_nothing, met by half at 2
    answers repositories 0, branches 0, commits 0, tags 0, staging_kv 0; done
    by now; get kv/schema/version; set_if kv/schema/version; scan graveler; scan migrated-partition/; scan
        migrated-partition/; scan entry; scan migrated-partition/; set_if kv/schema/version
    leaves ~kv/schema/version = 4
half: restart_nothing, false at 2
    answers repositories 0, branches 0, commits 0, tags 0, staging_kv 0
    by now; get kv/schema/version; set_if kv/schema/version; get kv/schema/version; scan graveler; scan
        migrated-partition/; scan migrated-partition/; scan entry; scan migrated-partition/; set_if
        kv/schema/version
    leaves ~kv/schema/version = 4
: migrate, met by half.restart at 5
    answers Superseded: repository 'r' is there already: another run is writing; done; repositories 1, branches 1,
        commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r
    leaves +entry r = active i2 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i1 = nothing;
        +migrated-partition/r-i2 = nothing; +migrated-partition/t = nothing; +branch main = c t; +commit c = of none
        '' -1699999999999999us; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, met by half.restart at 9
    answers Superseded: repository 'r' is there already: another run is writing; done; repositories 1, branches 1,
        commits 1, tags 0, staging_kv 1
    by now; get kv/schema/version; scan graveler; set_if kv/schema/version; set migrated-partition/t; set x; set
        migrated-partition/r-i1; set commit c; set branch main; set_if entry r
    leaves +entry r = active i2 -1699999999999999us; +kv/schema/version = 4; +migrated-partition/r-i2 = nothing;
        +migrated-partition/t = nothing; +branch main = c t; +commit c = of none '' -1699999999999999us; +x = xid
: migrate, broken at 2
    answers ScanInterrupted
    by now; get kv/schema/version; scan graveler
migrate: rows
    answers RepositoryRow r | BranchRow r/main | CommitRow r/c | StagedRow t/x
    by scan entry; scan migrated-partition/; scan r-i1; scan t
migrate_whole: rows
    answers RepositoryRow bare | RepositoryRow r | BranchRow r/dev | BranchRow r/main | CommitRow r/c | CommitRow
        r/c2 | CommitRow r/c3 | TagRow r/t | StagedRow t/x | StagedRow t/y
    by scan entry; scan migrated-partition/; scan r-i2; scan t
migrate_whole: rows_paged
    answers RepositoryRow bare | RepositoryRow r | BranchRow r/dev | BranchRow r/main | CommitRow r/c | CommitRow
        r/c2 | CommitRow r/c3 | TagRow r/t | StagedRow t/x | StagedRow t/y
    by scan entry; scan past entry bare; scan migrated-partition/; scan r-i2; scan past branch dev; scan past branch
        main; scan past commit c; scan past commit c2; scan past commit c3; scan t; scan past x
migrate.write_staged: rows
    answers RepositoryRow r | BranchRow r/main | CommitRow r/c
    by scan entry; scan migrated-partition/; scan r-i1; scan t
migrate.stray: rows
    answers RepositoryRow r | BranchRow r/main | CommitRow r/c | StagedRow t/x
    by scan entry; scan migrated-partition/; scan r-i1; scan t
migrate.stray: rows_paged
    answers RepositoryRow r | BranchRow r/main | CommitRow r/c | StagedRow t/x
    by scan entry; scan migrated-partition/; scan r-i1; scan past branch main; scan past commit c; scan t
migrate.other_path: rows
    answers RepositoryRow r | BranchRow r/main | CommitRow r/c | StagedRow t/x
    by scan entry; scan migrated-partition/; scan r-i1; scan t
: rows
    by scan entry; scan migrated-partition/
"""
ROWS = [stated("migration", MIGRATION, MIGRATION_TABLE, "graveler-on-kv.md, Execution Plan")]

SCENARIOS = built(ROWS)
