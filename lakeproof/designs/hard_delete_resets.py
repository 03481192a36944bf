"""A reset of one path that a committer has sealed, in every proposal: what is committed is staged anew.

The path is committed, uploaded once more, and its token is sealed by a committer that stopped. A reset cannot take the
change out of the sealed token: it brings back what the head has, by a restoration over all tokens (``-reset``), or in
place, under the open token (``-reset-in-place``). So an address is committed and staged at once, in designs that count
on the contrary. The texts know no reset of a path, but for proposal 5, whose races are with its others; where a
proposal needs a flow of its own, it has one in place.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import attrs

from lakeproof.designs import hard_delete_object_path as object_path
from lakeproof.designs import hard_delete_offline as offline
from lakeproof.designs import hard_delete_online as online
from lakeproof.designs import hard_delete_reference_counter as reference_counter
from lakeproof.designs import hard_delete_reference_tracking as reference_tracking
from lakeproof.designs import hard_delete_today as today
from lakeproof.designs import hard_delete_token_states as token_states
from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, UNCHANGED, UPLOADED, ObjectDesign
from lakeproof.designs.branch_designs import BRANCH, X
from lakeproof.designs.designs import HOLDS, Row, Word, rows
from lakeproof.designs.races import NONE, Before, Refuted
from lakeproof.impl.flows import Flow, ObjectFlows
from lakeproof.impl.graveler import resets as resetting

SEALED: Final = Before("sealed/", "upload.commit.upload.seal")

IN_PLACE: Final[Flow] = partial(resetting.reset_entry, forgets=resetting.IN_PLACE)  # as lakeFS does


def resets(
    design: ObjectDesign,
    refuted: Mapping[str, Refuted] = HOLDS,
    name: str = "reset",
    flow: Flow = resetting.reset_entry,
) -> ObjectDesign:
    """A design with resets of one path."""
    words: Mapping[str, Word[ObjectFlows]] = {
        **design.words,
        "reset_entry": Word(lambda _: flow, BRANCH, X),
    }
    return attrs.evolve(design, name=f"{design.name}-{name}", words=words, refuted=refuted)


def in_place(design: ObjectDesign, refuted: Mapping[str, Refuted] = HOLDS) -> ObjectDesign:
    """The same, in place; by its own flow, if it has one."""
    # A proposal's own flow also sees to its counters, or to its objects.
    return resets(design, refuted, "reset-in-place", design.flows.reset_entry or IN_PLACE)


def races(design: ObjectDesign, *, deep: bool = False) -> Iterator[Row]:
    """What may follow a reset of the path; and, deep, a commit after it, or at the same time."""
    job = ".job" if design.flows.background_job is not None else ""
    yield from rows(design, f"reset_entry.delete{job} reset_entry.reset{job}", NONE, SEALED, deep=deep)
    yield from rows(design, f"reset_entry.upload{job} reset_entry.commit.delete{job}", NONE, SEALED, deep=True)
    yield from rows(design, f"reset_entry-commit{job} reset_entry.delete{job}-commit", NONE, SEALED, deep=True)
    # Nothing is sealed at first: the commit seals while the reset is under way.
    yield from rows(design, "reset_entry-commit", NONE, UPLOADED, deep=True)


BACK: Final = "the committed object has one more entry, which is not counted; to remove it counts it off all the same"
BLOCKER: Final = "what a commit that is under way has listed is deleted, or overwritten, at its address"
MISTAKEN: Final = (
    "the job takes the newest entries under the tokens of a commit for what was committed; the reset has staged its "
    "own late, under a token that the commit had scanned"
)
KEPT: Final = "what is staged, and then hidden or forgotten by a reset of the path, is never looked for"

LEFT: Final = "sealed/reset_entry.commit.delete* sealed/reset_entry*-commit* staged/reset_entry-commit"
LEAKS: Final = {GARBAGE: Refuted(KEPT, LEFT)}
NO_DELETE: Final = {GARBAGE: Refuted(KEPT, f"{LEFT} sealed/reset_entry.reset sealed/delete_branch")}
LATE: Final = {GARBAGE: Refuted(KEPT, "staged/reset_entry-commit")}
COUNTED: Final = {
    COMMITTED: Refuted(BACK, "sealed/reset_entry.delete* sealed/reset_entry.reset* sealed/reset_entry.commit.delete*"),
    **LEAKS,
}
DROPPED: Final = {COMMITTED: Refuted(BACK, "sealed/reset_entry.reset*"), **LEAKS}
OVERWRITTEN: Final = {
    COMMITTED: Refuted(BLOCKER, "staged/reset_entry-commit"),
    UNCHANGED: Refuted(BLOCKER, "sealed/reset_entry.delete-commit"),
    GARBAGE: Refuted(KEPT, "sealed/reset_entry.commit.delete sealed/reset_entry*-commit sealed/delete_branch"),
}
UNTIDY: Final = {GARBAGE: Refuted(KEPT, "sealed/reset_entry*-commit staged/reset_entry-commit")}
BY_TOKENS: Final = {COMMITTED: Refuted(MISTAKEN, "sealed/reset_entry*-commit*"), **LATE}

PLACES: Final = (
    in_place(object_path.PATH, OVERWRITTEN),
    in_place(object_path.IMMUTABLE, UNTIDY),
    in_place(today.TODAY, NO_DELETE),
    in_place(reference_counter.TEXT, COUNTED),
    in_place(reference_counter.CAREFUL, LEAKS),
    in_place(reference_tracking.TEXT, LEAKS),
    in_place(token_states.TEXT, BY_TOKENS),
    in_place(token_states.MENDED, LATE),
    in_place(offline.OFFLINE),
    in_place(online.ONLINE),
)
RESTORATIONS: Final = (
    resets(today.TODAY, NO_DELETE),
    resets(reference_counter.TEXT, COUNTED),
    resets(reference_counter.CAREFUL, DROPPED),
    resets(reference_tracking.TEXT, LEAKS),
    resets(token_states.TEXT),
    resets(token_states.MENDED),
    resets(offline.OFFLINE),
    resets(online.ONLINE),
)

WITHOUT_CLOCK: Final = (in_place(online.UNTIMED), resets(online.UNTIMED))

ROWS = [
    *(row for design in (*PLACES, *RESTORATIONS) for row in races(design)),
    # What a sealed token has goes with the branch, too.
    *rows(PLACES, "delete_branch", NONE, SEALED),
    *(row for design in WITHOUT_CLOCK for row in races(design, deep=True)),
]
