"""What each public operation promises: one table, by operation and by kind of answer, of the invariants that say it.

An *acknowledgement* means that the operation has taken effect. A *definite* error means that nothing of it has
happened. An *indefinite* one, as a crash, allows both: it may have taken effect, or do so at any later time, wholly or
in part; then only what holds of every state is promised. The catalogue checks each id of the table in some race of its
operation, and a test compares the two. ``stress --flows`` and ``service`` judge what the table promises of the
operations that they call, but for some ids, each with the reason why it cannot be judged there. The machines do not
read the table. docs/reference/invariants.md shows it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Kind

Ids = tuple[str, ...]


def _ids(text: str) -> Ids:
    return tuple(text.split())


@attrs.frozen(kw_only=True)
class Promise:
    """The ids of the invariants that hold for an operation, by how it answered; none: nothing is promised."""

    ok: Ids = attrs.field(converter=_ids)
    definite: Ids = attrs.field(converter=_ids)
    indefinite: Ids = attrs.field(default="", converter=_ids)

    @property
    def ids(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.ok, *self.definite, *self.indefinite))


_ALONE = " alone-is-exact"
_TERMS = " alone-is-exact answers-in-its-terms"
_DOUBT = " doubt-has-a-reason"
_KINDS = " branches-are-reclaimable tags-are-reclaimable commits-are-reclaimable"
_CREATE = Promise(
    ok="create-is-effective create-is-unique active-is-complete linearizable" + _ALONE,
    definite="failed-call-changed-nothing linearizable" + _TERMS,
    indefinite="active-is-complete no-reachable-zombie id-becomes-reusable garbage-is-reclaimable"
    " claim-lasts-two-minutes" + _KINDS + _DOUBT,
)
_WRITE = Promise(
    ok="acknowledged-write-is-kept commit-is-causal read-is-legal call-makes-progress",
    definite="refused-write-is-absent",
    indefinite="read-is-legal call-makes-progress",
)
_CONDITIONAL = Promise(
    ok="conditional-write-saw-absence acknowledged-write-is-kept call-makes-progress",
    definite="conditional-write-saw-absence refused-write-is-absent",
    indefinite="call-makes-progress",
)
_READ = Promise(
    ok="read-is-legal acknowledged-reset-is-kept linearizable",
    definite="read-is-legal call-makes-progress",
)
_COMBINED = "failed-call-changed-nothing call-makes-progress"
_RESET = Promise(
    ok="acknowledged-reset-is-kept acknowledged-write-is-kept token-has-one-owner",
    definite="acknowledged-write-is-kept failed-call-changed-nothing call-makes-progress",
    indefinite="head-exists token-has-one-owner",
)
_DELETE_BRANCH = Promise(
    ok="branch-delete-is-effective branch-delete-spares-successor linearizable" + _ALONE,
    definite="failed-call-changed-nothing linearizable" + _TERMS,
    indefinite="branch-delete-spares-successor",
)
_TAG = Promise(
    ok="linearizable head-exists" + _ALONE, definite="linearizable" + _TERMS, indefinite="linearizable head-exists"
)
_PULL = "pull-request-is-linearizable"
_SPECIFIED = "object-call-is-as-specified"
_UPLOAD = Promise(
    ok="object-call-is-as-specified acknowledged-write-is-kept staged-data-is-kept committed-data-is-unchanged",
    definite=_SPECIFIED,
    indefinite="object-call-is-as-specified garbage-is-reclaimed",
)
_COPY = Promise(
    ok="object-call-is-as-specified staged-data-is-kept committed-data-is-kept",
    definite=_SPECIFIED,
    indefinite=_SPECIFIED,
)

PROMISES: Final[Mapping[Kind, Promise]] = MappingProxyType(
    {
        calls.CREATE_REPOSITORY: _CREATE,
        calls.CREATE_BARE_REPOSITORY: _CREATE,
        calls.DELETE_REPOSITORY: Promise(
            ok="delete-is-effective deleted-is-inaccessible delete-spares-successor linearizable" + _ALONE,
            definite="failed-call-changed-nothing some-delete-succeeds linearizable" + _TERMS,
            indefinite="delete-spares-successor id-becomes-reusable garbage-is-reclaimable deleted-data-is-reclaimable"
            " staged-entries-are-reclaimable objects-are-reclaimable deletion-leaves-a-lead name-is-not-blocked"
            " deletion-spares-foreign-data" + _KINDS + _DOUBT,
        ),
        calls.GET_REPOSITORY: Promise(
            ok="get-shows-active-only deleted-is-inaccessible linearizable" + _ALONE, definite="linearizable" + _TERMS
        ),
        calls.LIST_REPOSITORIES: Promise(ok="list-shows-active-only linearizable" + _ALONE, definite=""),
        calls.CLEAN: Promise(
            ok="superseded-is-cleaned cleaner-spares-live cleaner-goes-on deleted-data-is-reclaimed" + _ALONE,
            definite="cleaner-spares-live deletion-spares-live-data cleaner-goes-on",
            indefinite="cleaner-spares-live deletion-spares-live-data deletion-spares-foreign-data"
            " garbage-is-reclaimable deletion-leaves-a-lead claim-lasts-two-minutes",
        ),
        calls.CREATE_BRANCH: Promise(
            ok="branch-create-is-effective branch-starts-clean head-exists linearizable" + _ALONE,
            definite="failed-call-changed-nothing linearizable" + _TERMS,
            indefinite="head-exists token-has-one-owner",
        ),
        calls.GET_BRANCH: Promise(
            ok="deleted-is-inaccessible no-reachable-zombie linearizable" + _ALONE, definite="linearizable" + _TERMS
        ),
        calls.UPDATE_BRANCH: Promise(
            ok="branch-update-is-effective head-exists",
            definite="failed-call-changed-nothing",
            indefinite="head-exists token-has-one-owner",
        ),
        calls.DELETE_BRANCH: _DELETE_BRANCH,
        calls.DELETE_BRANCH_BY_TOMBSTONE: _DELETE_BRANCH,
        calls.CREATE_TAG: _TAG,
        calls.GET_TAG: _TAG,
        calls.UPDATE_TAG: _TAG,
        calls.DELETE_TAG: _TAG,
        calls.SET_ENTRY: _WRITE,
        calls.SET_ENTRIES: Promise(
            ok="acknowledged-write-is-kept call-makes-progress",
            definite="refused-write-is-absent",
            indefinite="call-makes-progress",
        ),
        calls.CREATE_ENTRY: _CONDITIONAL,
        calls.REPLACE_ENTRY: _CONDITIONAL,
        calls.DELETE_ENTRY: Promise(
            ok="acknowledged-delete-is-kept commit-is-causal call-makes-progress",
            definite="acknowledged-write-is-kept",
            indefinite="call-makes-progress",
        ),
        calls.UPDATE_USER_METADATA: Promise(
            ok="update-is-effective acknowledged-delete-is-kept acknowledged-write-is-kept call-makes-progress",
            definite="call-makes-progress update-needs-an-entry",
            indefinite="call-makes-progress",
        ),
        calls.GET_ENTRY: _READ,
        calls.LIST_ENTRIES: Promise(
            ok="read-is-legal acknowledged-reset-is-kept", definite="read-is-legal call-makes-progress"
        ),
        calls.COMMIT: Promise(
            ok="commit-is-effective commit-is-causal commits-form-one-line commit-makes-progress",
            definite=_COMBINED + " refused-commit-is-absent",
            indefinite="head-exists commits-form-one-line branch-stays-committable",
        ),
        calls.MERGE: Promise(
            ok="commit-is-effective merge-is-effective merge-refuses-changes commits-form-one-line",
            definite=_COMBINED + " refused-commit-is-absent",
            indefinite="head-exists commits-form-one-line",
        ),
        calls.REVERT: Promise(
            ok="commit-is-effective revert-is-effective commits-form-one-line",
            definite=_COMBINED + " refused-commit-is-absent",
            indefinite="head-exists commits-form-one-line",
        ),
        calls.RESET_BRANCH: _RESET,
        calls.RESET_PREFIX: _RESET,
        calls.RESET_ENTRY: _RESET,
        calls.UPLOAD_OBJECT: _UPLOAD,
        calls.UPLOAD_AND_LINK: _UPLOAD,
        calls.LINK_PHYSICAL_ADDRESS: Promise(
            ok="acknowledged-write-is-kept staged-data-is-kept committed-data-is-kept",
            definite="",
            indefinite="garbage-is-reclaimed",
        ),
        calls.STAGE_OBJECT: Promise(ok=_SPECIFIED, definite=_SPECIFIED, indefinite=_SPECIFIED),
        calls.STAGE_AGAIN: _COPY,
        calls.COPY_OBJECT: _COPY,
        calls.RESTORE_OBJECT: Promise(
            ok="active-data-is-kept uncommitted-data-is-kept staged-data-is-kept",
            definite="",
            indefinite="head-exists token-has-one-owner",
        ),
        calls.MOVE_OBJECT: Promise(
            ok="object-call-is-as-specified staged-data-is-kept committed-data-is-kept moved-entry-stays-usable",
            definite=_SPECIFIED,
            indefinite="object-call-is-as-specified entry-stays-usable",
        ),
        calls.DELETE_OBJECT: Promise(
            ok="object-call-is-as-specified acknowledged-write-is-kept garbage-is-reclaimed",
            definite=_SPECIFIED,
            indefinite="object-call-is-as-specified committed-data-is-kept entry-stays-usable"
            " deletion-spares-foreign-data",
        ),
        calls.READ_OBJECT: Promise(ok="object-call-is-as-specified path-stays-readable", definite=_SPECIFIED),
        calls.BACKGROUND_JOB: Promise(
            ok="job-tells-what-it-deleted job-keeps-what-is-shown committed-data-is-kept staged-data-is-kept"
            " garbage-is-reclaimed bookkeeping-is-cleared",
            definite="unreadable-stops-the-job",
            indefinite="committed-data-is-kept staged-data-is-kept garbage-is-reclaimed deletion-spares-foreign-data",
        ),
        calls.MARK: Promise(
            ok="expired-data-is-reclaimed active-data-is-kept active-is-not-condemned", definite="active-data-is-kept"
        ),
        calls.SWEEP: Promise(
            ok="job-tells-what-it-deleted active-data-is-kept past-head-data-is-kept uncommitted-data-is-kept",
            definite="unreadable-stops-the-job",
            indefinite="active-data-is-kept expired-data-is-reclaimed",
        ),
        calls.GET_PULL: Promise(ok=_PULL, definite=""),
        calls.EDIT_PULL: Promise(ok=_PULL, definite=_PULL, indefinite=_PULL),
        calls.CLOSE_PULL: Promise(ok=_PULL, definite=_PULL, indefinite=_PULL),
        calls.MERGE_PULL: Promise(
            ok=_PULL + " pull-tells-of-its-merge",
            definite=_PULL + " pull-tells-of-its-merge",
            indefinite=_PULL + " head-exists",
        ),
        calls.DUMP_REFS: Promise(ok="dump-is-restorable", definite="", indefinite="manifest-comes-last"),
        calls.RESTORE_REFS: Promise(
            ok="restore-is-effective deleted-branch-stays-deleted", definite="", indefinite="restore-can-be-finished"
        ),
    }
)


def promised_ids(*kinds: Kind) -> Ids:
    """All that some operations promise, whatever they answer: each id once, in the order of the table."""
    found = (PROMISES[kind] for kind in PROMISES if kind in kinds)
    # A dictionary keeps the order and drops duplicates; a set would change the order from run to run.
    every = ((*promise.ok, *promise.definite, *promise.indefinite) for promise in found)
    return tuple(dict.fromkeys(each for ids in every for each in ids))


def row(kind: Kind) -> str:
    """A line of the table in docs/reference/invariants.md."""
    promise = PROMISES[kind]
    answers = (promise.ok, promise.definite, promise.indefinite)
    cells = (", ".join(f"`{each}`" for each in ids) or "-" for ids in answers)
    return f"| `{kind.name}` | {' | '.join(cells)} |"
