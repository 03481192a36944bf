"""Tables that cannot be migrated, and what differs between them and what was extracted.

The words, and the text whose steps these are: `lakeproof.scenarios._stated_migration`. How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.scenarios._stated import stated
from lakeproof.scenarios._stated_migration import CHECKS
from lakeproof.scenarios.designs import built

CHECKS_TABLE: Final = """\
: fine
    answers usable
: nothing
    answers usable
: twice
    answers graveler_repositories r: expected one row of that key, and there are more; delete all but one |
        graveler_branches r/main: expected one row of that key, and there are more; delete all but one
: orphans
    answers graveler_commits q/c: expected a repository 'q', and there is none; delete the row | graveler_tags q/t:
        expected a repository 'q', and there is none; delete the row
: orphaned_branch
    answers graveler_branches q/dev: expected a repository 'q', and there is none; delete the row |
        graveler_branches q/dev: commit 'c2' is not in graveler_commits; restore it
: staged_alone
    answers usable
: shared_token
    answers graveler_branches r/main: expected a staging token of its own, and 't' is that of r/dev; give one of
        them another
: dangling
    answers graveler_branches r/dev: commit 'c2' is not in graveler_commits; restore it | graveler_tags r/t: commit
        'd' is not in graveler_commits; restore it
: parentless
    answers graveler_commits r/c2: parent 'd' is not in graveler_commits; restore it
: other_parent
    answers graveler_branches bare/main: commit 'c' is not in graveler_commits; restore it
: no_default
    answers graveler_repositories r: expected its default branch 'main' among graveler_branches; restore it
: only_commits
    answers graveler_repositories r: expected its default branch 'main' among graveler_branches; restore it
: bare
    answers usable
: unnamed
    answers graveler_repositories : repository id '': expected a name without NUL that is not empty; leave the NUL
        out | graveler_branches /: branch id '': expected a name without NUL that is not empty; leave the NUL out |
        graveler_commits /: commit id '': expected a name without NUL that is not empty; leave the NUL out |
        graveler_branches /: commit 'c' is not in graveler_commits; restore it | graveler_repositories : expected
        its default branch 'main' among graveler_branches; restore it
: unnamed_tag
    answers graveler_tags r/: tag id '': expected a name without NUL that is not empty; leave the NUL out
: unnamed_token
    answers graveler_branches r/main: staging token '': expected a name without NUL that is not empty; leave the NUL
        out
: unnamed_path
    answers graveler_staging_kv /z: staging token '': expected a name without NUL that is not empty; leave the NUL
        out | graveler_staging_kv t/: path b'': expected at least one byte; name an object
: taken
    answers graveler_branches r/main: staging token 'kv-internal-metadata': the partition of that name is taken;
        choose another | graveler_staging_kv kv-internal-metadata/x: staging token 'kv-internal-metadata': the
        partition of that name is taken; choose another
: highest
    answers usable
: too_high
    answers graveler_commits r/c: version 2147483648: expected a 32-bit number; mend the row
: too_low
    answers graveler_commits r/c: generation -2147483648: expected a 32-bit number; mend the row
: both_too_high
    answers graveler_commits r/c: version 2147483648: expected a 32-bit number; mend the row | graveler_commits r/c:
        generation 2147483648: expected a 32-bit number; mend the row
: no_defaults
    answers graveler_repositories bare: expected its default branch 'main' among graveler_branches; restore it |
        graveler_repositories r: expected its default branch 'main' among graveler_branches; restore it
: orphan_tags
    answers graveler_tags q/t: expected a repository 'q', and there is none; delete the row | graveler_tags q/u:
        expected a repository 'q', and there is none; delete the row | graveler_tags q/t: commit 'c' is not in
        graveler_commits; restore it | graveler_tags q/u: commit 'c' is not in graveler_commits; restore it
: dangling_twice
    answers graveler_branches r/dev: commit 'c2' is not in graveler_commits; restore it | graveler_branches r/eve:
        commit 'c2' is not in graveler_commits; restore it
: parentless_twice
    answers graveler_commits r/c2: parent 'd' is not in graveler_commits; restore it | graveler_commits r/c2: parent
        'e' is not in graveler_commits; restore it | graveler_commits r/c3: parent 'f' is not in graveler_commits;
        restore it
: same
    answers repositories 1, branches 1, commits 1, tags 0, staging_kv 1
: backwards
    answers repositories 2, branches 2, commits 3, tags 1, staging_kv 2
: lost
    answers graveler_repositories bare: missing in the store | graveler_branches r/dev: missing in the store |
        graveler_commits r/c2: missing in the store | graveler_commits r/c3: missing in the store | graveler_tags
        r/t: missing in the store | graveler_staging_kv t/y: missing in the store | repositories 2, branches 2,
        commits 3, tags 1, staging_kv 2
: lost_few
    answers graveler_repositories bare: missing in the store | graveler_branches r/dev: missing in the store |
        repositories 2, branches 2, commits 3, tags 1, staging_kv 2
: more
    answers graveler_repositories bare: not in the tables | graveler_commits r/c2: not in the tables |
        graveler_commits r/c3: not in the tables | graveler_branches r/dev: not in the tables | graveler_tags r/t:
        not in the tables | graveler_staging_kv t/y: not in the tables | repositories 1, branches 1, commits 1, tags
        0, staging_kv 1
: changed
    answers graveler_staging_kv t/x: not the same in the store | repositories 1, branches 1, commits 1, tags 0,
        staging_kv 1
: doubled
    answers graveler_staging_kv t/x: there twice | repositories 1, branches 1, commits 1, tags 0, staging_kv 1
"""
ROWS = [stated("migration-tables", CHECKS, CHECKS_TABLE, "graveler-on-kv.md, Execution Plan")]

SCENARIOS = built(ROWS)
