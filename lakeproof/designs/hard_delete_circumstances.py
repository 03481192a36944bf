"""Proposals in circumstances that their own operations do not bring about, and entries after a move.

Garbage that is older than the design; a second repository on the same storage namespace; a commit whose metarange is
lost, or cannot be read once; an entry that was moved, and is used again; objects that are not lakeFS' own.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from lakeproof.designs import hard_delete_no_copies as no_copies
from lakeproof.designs import hard_delete_object_path as object_path
from lakeproof.designs import hard_delete_offline as offline
from lakeproof.designs import hard_delete_online as online
from lakeproof.designs import hard_delete_reference_counter as counter
from lakeproof.designs import hard_delete_reference_tracking as tracking
from lakeproof.designs import hard_delete_token_states as tokens
from lakeproof.designs._circumstances import damage, found_twin, in_twin, leave_beside, leave_old
from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, STAGED, UPLOADED, ObjectDesign
from lakeproof.designs.branch_designs import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.designs.designs import HOLDS, Caller, Row, Word, recast, rows
from lakeproof.designs.hard_delete_alone import KEPT, existence_checks
from lakeproof.designs.races import NONE, Before, FaultSet, Race, Refuted, fault
from lakeproof.impl.catalog import objects as today
from lakeproof.impl.flows import ObjectFlows
from lakeproof.model.invariants import Afterwards, Invariant, data, jobs
from lakeproof.scenario import Aftermath, Faults

WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "damage": Word(lambda _: damage, BRANCH),
    "leave_old": Word(lambda _: leave_old),
    "leave_beside": Word(lambda _: leave_beside),
    "upload_today": Word(lambda _: today.upload_object, BRANCH, X, Caller.BYTES),
    "copy_today": Word(lambda _: today.copy_object, BRANCH, Y, BRANCH, X),
    "found_twin": Word(lambda _: found_twin),
    "upload_twin": Word(lambda flows: in_twin(flows.upload_object), MAIN, X, Caller.BYTES),
    "commit_twin": Word(lambda flows: in_twin(flows.commit), MAIN, Caller.TEXT),
}

MOVED_STAYS_USABLE: Final = Afterwards(
    "moved-entry-stays-usable", "at quiescence, an entry that was moved can be read, overwritten and deleted"
)


@attrs.frozen(kw_only=True)
class CircumstancesDesign(ObjectDesign):
    """A proposal, judged by what is shown, by its garbage, or by the use of a moved entry."""

    judged: ObjectDesign

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        if "damage" in race.before:
            return [jobs.unreadable_stops_the_job]
        if "bring" in race.before:
            return [jobs.deletion_spares_foreign_data(REPOSITORY.storage_namespace)]
        commits = {"commit", "commit_twin"} & {*race.before, *race.words}
        uploads = "upload" in race.words
        return [
            *([data.committed_data_is_kept] if commits else []),
            *([data.staged_data_is_kept] if uploads else []),
            # A commit may take neither of the two writes of a move, and then the move may not be acknowledged.
            *([data.acknowledged_upload_is_kept] if commits and "move" in race.words else []),
        ]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        checks = self.judged.aftermath(race)
        if "leave_old" in race.before:
            return [each for each in checks if each.id == GARBAGE]
        if "found_twin" in race.before:
            return existence_checks(checks)
        if "bring" in race.before:
            return []
        uses = ("read:y", "upload:y", "delete:y")  # y: where the moves of `MOVES` end
        judge = partial(no_copies.judge_uses, MOVED_STAYS_USABLE.id)
        return [self.after(MOVED_STAYS_USABLE, uses, judge)] if "move" in race.words else []


def _in_use(design: ObjectDesign, refuted: Mapping[str, Refuted]) -> CircumstancesDesign:
    words = {**design.words, **WORDS}
    return recast(design, CircumstancesDesign, "-circumstances", words=words, refuted=refuted, judged=design)


OLD: Final = Before("old/", "leave_old")
UNCOUNTED: Final = Before("uncounted/", "upload_today.copy_today")
TWINS: Final = Before("twins/", "found_twin.upload_twin.commit_twin.upload_twin")
DAMAGED: Final = Before("damaged/", "upload.commit.damage")
COMMITTED_ONCE: Final = Before("committed/", "upload.commit")
FOREIGN: Final = Before("foreign/", "bring.leave_beside.stage@outside")
FOREIGN_USES: Final = "upload delete reset delete_branch commit.delete move.delete:y"
MOVES: Final = "move upload:y.move move.commit"

OLDER: Final = {
    GARBAGE: Refuted(
        '"An online solution is not bulletproof, and will require a complementary external solution to handle edge '
        'cases as well as existing uncommitted garbage": the job goes by records that the design writes, and there are '
        "none",
        "old/upload",
    )
}
_SHARED: Final = Refuted(
    "the job lists the namespace, and asks one repository what is used: the data of the other is garbage to it",
    "twins/upload.job",
)
SHARED: Final = {COMMITTED: _SHARED, STAGED: _SHARED, KEPT: _SHARED}


def _in_time(design: ObjectDesign, refusals: int = 0) -> FaultSet:
    jumps = (design.grace,) if design.grace else ()  # a design without a clock has no grace time
    return fault("refusal" if refusals else "", Faults(clock_jumps=jumps, refusals=refusals))


def of_jobs(design: ObjectDesign, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    """What a job meets, once its grace time has passed."""
    one = _in_use(design, refuted)
    yield from rows(one, "upload", NONE, OLD)
    yield from rows(one, "upload.job", _in_time(design), TWINS)
    yield from rows(one, "job", _in_time(design), DAMAGED)
    # The refusal may hit the read of a commit: what that holds must not be taken for garbage.
    yield from rows(one, "job", _in_time(design, refusals=1), COMMITTED_ONCE)


def of_moves(design: ObjectDesign) -> Iterator[Row]:
    """What was moved, used once more."""
    yield from rows(_in_use(design, HOLDS), MOVES, NONE, UPLOADED)


def of_foreign(design: ObjectDesign) -> Iterator[Row]:
    """Entries of objects outside the namespace, overwritten, deleted and forgotten; and a job after that."""
    one, job = _in_use(design, HOLDS), "" if design.flows.background_job is None else ".job"
    yield from rows(one, " ".join(f"{words}{job}" for words in FOREIGN_USES.split()), _in_time(design), FOREIGN)


MOVING: Final = (object_path.PATH, counter.TEXT, tracking.TEXT, tokens.TEXT, offline.MENDED, online.UNTIMED)
ONE_ENTRY: Final = (no_copies.TEXT, no_copies.CAREFUL)

ROWS = [
    *(row for design in (counter.JOB, tracking.TEXT, tokens.TEXT, tokens.MENDED) for row in of_jobs(design, OLDER)),
    *(row for design in (online.ONLINE, online.UNTIMED) for row in of_jobs(design, OLDER)),
    *(row for design in (offline.OFFLINE, offline.MENDED) for row in of_jobs(design, SHARED)),
    *(row for design in (*MOVING, *ONE_ENTRY) for row in of_moves(design)),
    *(
        row
        for design in (*MOVING, *ONE_ENTRY, counter.JOB, tracking.CREATES, tokens.MENDED, offline.OFFLINE)
        for row in of_foreign(design)
    ),
    *(row for design in ONE_ENTRY for row in rows(_in_use(design, HOLDS), "move-commit", NONE, UPLOADED)),
    # "If reference counter doesn't exist: Retention is not handled in lakeFS": another entry may have the object.
    *rows(_in_use(counter.TEXT, HOLDS), "delete.upload", NONE, UNCOUNTED),
]
