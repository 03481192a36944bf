"""Readers of objects in every proposal: a path that has an object at every moment is read while its entry is replaced.

Only readers are judged here; what becomes of the data itself is in the proposals' own scenarios.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Final

import attrs

from lakeproof.designs import hard_delete_no_copies as no_copies
from lakeproof.designs import hard_delete_object_path as object_path
from lakeproof.designs import hard_delete_offline as offline
from lakeproof.designs import hard_delete_online as online
from lakeproof.designs import hard_delete_reference_counter as reference_counter
from lakeproof.designs import hard_delete_reference_tracking as reference_tracking
from lakeproof.designs import hard_delete_today as today
from lakeproof.designs import hard_delete_token_states as token_states
from lakeproof.designs._hard_delete import KEPT, UPLOADED, ObjectDesign
from lakeproof.designs.branch_designs import BRANCH, X
from lakeproof.designs.designs import HOLDS, Row, recast, rows
from lakeproof.designs.races import NONE, FaultSet, Race, Refuted, jump
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.readers import path_stays_readable
from lakeproof.scenario import Aftermath

LOOKS: Final = 3
"""One more than there are uploads in any of these races."""
READABLE: Final = path_stays_readable().id


@attrs.frozen(kw_only=True)
class _Readers(ObjectDesign):
    """A proposal, of which only readers are judged."""

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        # The second list: paths that are committed. A reset uncovers what is there, and so excuses no reader.
        path = (str(BRANCH), X)
        return [path_stays_readable([path], [path] if "commit" in race.before else [])]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return []


def readers(design: ObjectDesign, why: str = "", where: str = "*") -> _Readers:
    """A design as its readers see it."""
    return recast(design, _Readers, "-readers", refuted={READABLE: Refuted(why, where)} if why else HOLDS)


def looking_again(design: _Readers) -> _Readers:
    """The same, where a reader that finds no object looks its entry up again."""
    flows = attrs.evolve(design.flows, read_object=partial(design.flows.read_object, looks=LOOKS))
    return attrs.evolve(design, name=f"{design.name}-look-again", flows=flows, refuted=HOLDS)


def races(design: ObjectDesign, jobs: FaultSet = NONE) -> Iterator[Row]:
    """Uploads, commits and resets beside a reader; with a background job, too, after its grace time."""
    yield from rows(design, "upload-read upload.commit-read upload.upload-read", NONE, UPLOADED)
    yield from rows(design, "upload-read upload.reset-read", NONE, KEPT)
    if design.flows.background_job is not None:
        yield from rows(design, "upload.job-read", jobs, UPLOADED)
        yield from rows(design, "upload.job-read upload.reset.job-read", jobs, KEPT)


REPLACED: Final = "an upload deletes the object of the entry that it replaces, which a reader has just found"
RESET: Final = "a reset deletes the object of the entry that was staged over the committed one"
ALL: Final = "staged/* committed/upload.reset*"
JOBS: Final = "staged/upload.job-read* committed/upload.reset.job-read*"
SLOW: Final = "the grace time of the job is one for writers: a slower reader finds the object of its entry deleted"

FRAGILE: Final = (
    (readers(object_path.PATH, RESET, "committed/upload.reset-read"), NONE),
    (
        readers(
            object_path.IMMUTABLE,
            f"a commit deletes what a newer token hides; {RESET}",
            "staged/upload.commit-read committed/upload.reset-read",
        ),
        NONE,
    ),
    (readers(reference_counter.TEXT, RESET, "committed/upload.reset*"), NONE),
    (readers(reference_counter.RELEASES, f"{REPLACED}; {RESET}", ALL), NONE),
    (readers(reference_counter.CAREFUL, f"{REPLACED}; {RESET}", ALL), NONE),
    (readers(reference_tracking.TEXT, SLOW, JOBS), reference_tracking.LATE),
    (readers(token_states.TEXT, "the job deletes what a reset has left", "committed/upload.reset.job-read"), NONE),
    (readers(no_copies.TEXT, f"{REPLACED}; {RESET}", ALL), NONE),
    (readers(no_copies.CAREFUL, f"{REPLACED}; {RESET}", ALL), NONE),
    # The jump makes the object of the setup old enough for the job.
    (readers(offline.OFFLINE, SLOW, JOBS), jump(offline.JUMP)),
    (readers(online.ONLINE, SLOW, JOBS), jump(online.LATER)),
    (readers(online.UNTIMED, "the job knows of no readers", JOBS), NONE),
)

ROWS = [
    *races(readers(today.TODAY)),
    *(row for design, jobs in FRAGILE for row in races(design, jobs)),
    *(row for design, jobs in FRAGILE for row in races(looking_again(design), jobs)),
]
