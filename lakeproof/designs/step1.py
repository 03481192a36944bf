"""``step1``: state and unique identifier. Correct against everything but a second deleter."""

from lakeproof.designs.designs import rows, variant
from lakeproof.designs.races import Refuted
from lakeproof.designs.repository_designs import (
    BROKEN_SCAN,
    BROKEN_SCANS,
    EXISTS,
    FAILED,
    ONE_FAULT,
    RETURNS,
    SEEN_SCANS,
    UNSURE,
    UNSURE_CREATES,
    UNSURE_OPERATIONS,
    UNSURE_READS,
    UNSURE_TAGS,
    RepositoryDesign,
    by_kind,
    everything,
)
from lakeproof.impl.repositories import step1

SOURCE = "repository-operations-error-handling.md, Step 1"

SUCCESSOR = Refuted(
    '"Delete the repository entry" does not ask whose entry it is by then: the slower of two deletes removes the '
    "repository that was created after the faster one",
    "delete-delete-create* delete-delete-delete-* retry_delete-create* delete-create/late-write",
)
UNDONE = Refuted("a late delete of the entry takes the new repository away", SUCCESSOR.races)
# ``[-/]`` ends the op ``create``, since ``create_branch`` begins so, too.
HANGING = Refuted(
    '"As for Step 1 these entities are left to hang forever"',
    "delete-create_branch* delete-delete-* delete-create-create_branch* delete-create-create* delete-create-tag* "
    "delete-create_bare-create_branch* delete-create*crash delete-create*/lost-answer delete-create/late-write "
    "retry_delete-create* absent/create-create absent/create-create[-/]* absent/create-create_bare* "
    "absent/create-delete-create_branch* absent/*/crash absent/*/lost-answer absent/*/late-write",
)

REFUTED = {
    "delete-spares-successor": SUCCESSOR,
    "create-is-effective": UNDONE,
    "delete-is-effective": RETURNS,
    "active-is-complete": Refuted(
        "what comes back has lost its entities: the delete emptied its partition", RETURNS.races
    ),
    **by_kind(
        HANGING,
        branches="absent* *-answer */crash delete-delete-* delete-create-create* delete-create_branch* "
        "delete-create_bare-* *-crash *-write",
        commits="absent/create-create* absent/create-delete/* delete-delete-* delete-create/* delete-create-get* "
        "delete-create-create/* delete-create-list* *-get/crash *-get/lost-answer *-create *-tag/crash "
        "*-tag/lost-answer retry_delete-* *-create-create_branch/crash *-delete-create_branch/crash "
        "*-create-create_branch/lost-answer *-delete-create_branch/lost-answer",
        tags="delete-create-tag*",
    ),
    FAILED: Refuted(f"{UNSURE}; {BROKEN_SCAN}", f"{UNSURE_CREATES} {BROKEN_SCANS}"),
    "linearizable": Refuted(
        f"{UNSURE}; {BROKEN_SCAN}", f"{UNSURE_READS} {UNSURE_OPERATIONS} {UNSURE_TAGS} {SEEN_SCANS}"
    ),
}

STEP1 = RepositoryDesign(name="repositories/step1", flows=step1.FLOWS, source=SOURCE, refuted=REFUTED)

STATE_BY_SET_IF = variant(STEP1, "state-by-set-if", REFUTED, {"delete": {"state_by_set_if": True}})

ROWS = [
    *everything(STEP1),
    *rows(STATE_BY_SET_IF, "delete-create delete-create-get delete-delete-create", ONE_FAULT, EXISTS),
]
