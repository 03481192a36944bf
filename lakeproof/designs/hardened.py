"""``hardened``: the repair. Nothing is refuted, under every fault of the budget."""

from typing import Final

from lakeproof.designs.designs import HOLDS, Word, rows, variant
from lakeproof.designs.races import FALSE, LATE_WRITE, LOST, NONE, Refuted, fault, jump
from lakeproof.designs.repository_designs import ABSENT, EXISTS, JUMP, MORE_FAULTS, RepositoryDesign, everything
from lakeproof.impl.repositories import hardened
from lakeproof.scenario import Faults

SETUP_INSTANCE: Final = "s1"
"""The unique identifier of the repository that the setup creates: the first that client "s" mints."""

HARDENED = RepositoryDesign(
    name="repositories/hardened",
    flows=hardened.FLOWS,
    source="impl/repositories/hardened.py: four rules",
    refuted=HOLDS,
    words={
        "delete_instance": Word(lambda flows: flows.delete_repository, "r"),
        "retry_instance": Word(lambda flows: flows.delete_repository, "r", attempts=2),
    },
    options={word: {"instance_uid": SETUP_INSTANCE} for word in ("delete_instance", "retry_instance")},
    faults=MORE_FAULTS,
    leaves_garbage=True,
)
"""``delete_instance``: a delete that is taken up again, knowing which instance was meant; ``retry_instance`` is tried
again after an error."""

HITS_THE_NEXT: Final = Refuted(
    "the delete took place, but its answer does not say so; its client asks for another one, and has not named the "
    "instance that it meant",
    "retry_delete-create/*",
)

UNNAMED = variant(
    HARDENED,
    "unnamed",
    {"delete-spares-successor": HITS_THE_NEXT, "create-is-effective": HITS_THE_NEXT},
    {},
    " (negative control: a client that retries, and names no instance)",
)

EVERYTHING: Final = (
    fault("refused-in-doubt", Faults(refusals=1, lost_answers=1, false_predicates=1))
    | fault("late-write-and-crash", Faults(lost_answers=2, duplicates=1, crashes=1))
    | fault("late-write-and-refusal", Faults(lost_answers=1, duplicates=1, refusals=1))
    | fault("late-write-and-clock-jump", Faults(lost_answers=1, false_predicates=1, duplicates=1, clock_jumps=(JUMP,)))
)
"""Faults that meet: where a flow that is in doubt meets the next one."""

IN_DOUBT: Final = fault("false-predicate-and-clock-jump", Faults(false_predicates=1, clock_jumps=(JUMP,)))

CREATIONS: Final = (
    NONE
    | fault("false-predicate", Faults(false_predicates=1))
    | fault("refused-in-doubt", Faults(refusals=1, lost_answers=1))
)

UNREAD: Final = fault("refused-false-predicate", Faults(refusals=1, false_predicates=1))
"""A write that took place is reported as failed, and the look at what is there is refused."""
ABANDONED: Final = fault("crash-and-clock-jump", Faults(crashes=1, clock_jumps=(JUMP,)))

ROWS = [
    *everything(HARDENED),
    *rows(
        HARDENED,
        "create-clean",
        jump(JUMP),
        ABSENT,
        only="active-is-complete create-is-effective cleaner-spares-live answers-in-its-terms",
    ),
    *rows(HARDENED, "create-create", ABANDONED, ABSENT),
    *rows(HARDENED, "delete-delete_instance-create", MORE_FAULTS, EXISTS),
    *rows(HARDENED, "retry_instance-create", LOST | FALSE | LATE_WRITE | UNREAD, EXISTS),
    *rows(UNNAMED, "retry_delete-create", UNREAD, EXISTS),
    *rows(HARDENED, "delete-delete-create delete-create-create", EVERYTHING, EXISTS),
    *rows(HARDENED, "create-delete", EVERYTHING, ABSENT),
    *rows(HARDENED, "delete-delete", NONE, EXISTS),
    # Five clients, the cleaner among them, and the faults that a state machine of entries has most to fear from.
    *rows(HARDENED, "delete-delete-create-create-clean", LATE_WRITE, EXISTS),
    *rows(HARDENED, "delete-create-create-clean-create_branch", IN_DOUBT, EXISTS),
    # Two clients make the same record; the repository is deleted and cleaned between their writes.
    *rows(HARDENED, "tag-tag.delete.clean create_branch-create_branch.delete.clean", CREATIONS, EXISTS),
    *rows(HARDENED, "tag-tag create_branch-create_branch", UNREAD, EXISTS),
    *rows(
        HARDENED,
        "tag-tag.delete.create.clean.tag create_branch-create_branch.delete.create.clean.create_branch",
        NONE,
        EXISTS,
    ),
]
