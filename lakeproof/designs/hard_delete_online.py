"""Online hard delete with five KV operations and a plain object store: our proposal, and what it cannot do without.

``online`` waits until the object store refuses late puts. ``online-untimed`` has no clock at all: what is safe in it is
safe whatever the clocks do. ``online-decided`` asks for the garbage when the fate of all tokens is decided, whatever
crashed. The others each leave one step out, to show what it is for.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import attrs

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, KEPT, STAGED, UPLOADED, ObjectDesign, words_of_grant
from lakeproof.designs.branch_designs import BRANCH, X, Y
from lakeproof.designs.designs import HOLDS, Caller, Row, Word, build_scenarios, rows, variant
from lakeproof.designs.races import (
    CRASH,
    FALSE,
    FAULTS,
    HARD,
    NONE,
    NOTHING,
    PAGED,
    Before,
    Refuted,
    fault,
    jump,
    path_of,
)
from lakeproof.impl.catalog import objects as today
from lakeproof.impl.flows import Flow, ObjectFlows, bind_reading
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.hard_delete import online
from lakeproof.impl.hard_delete.online import Reading
from lakeproof.impl.hard_delete.reaper import CAUTIONS, Caution
from lakeproof.impl.refs import branches
from lakeproof.scenario import Faults

LATER: Final = online.AS_WRITTEN.lifetime + 1


def _sign_upload(flows: ObjectFlows) -> Flow:
    get_address, link = flows.get_physical_address, flows.link_physical_address
    return partial(today.upload_and_link, through=today.Linking(get_address, link, signed=True))


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "link": Word(_sign_upload, BRANCH, X, Caller.BYTES),
}
ISSUED: Final = today.Grant("mem://r/data/r-b:u.s2.0/s3", "s3")

OVERTAKEN: Final = Refuted(
    "a writer may put its object after the job has dealt with the address: nothing but a time, kept by the object "
    "store, can tell a slow put from one that never comes",
    "upload-commit-job* upload-reset-job* upload-delete_branch-job* upload-upload-job/crash "
    "upload-upload-job/lost-answer staged/upload-commit-job staged/copy-commit-job staged/move-commit-job "
    "staged/*-*-commit-job*",
)

_HARD: Final = ("crash", "lost-answer")  # after a false failure the writer settles its address itself
ABANDONED: Final = Refuted(
    "an object whose writer crashed, or does not know that it was put, looks like one whose writer is slow, as long as "
    "the token is open or sealed",
    [f"upload-{other}/{fault}" for other in ("commit", "upload", "delete", "reset", "job") for fault in _HARD],
)

ONLINE: Final = ObjectDesign(
    name="hard-delete/online",
    flows=online.FLOWS,
    source="docs/designs/hard-delete.md",
    words=WORDS,
    grace=LATER,
    refuted={GARBAGE: ABANDONED},
)
# A reset closes the tokens of the branch: then no address looks like that of a slow writer.
DECIDED: Final = attrs.evolve(variant(ONLINE, "decided", HOLDS), before_jobs=("reset",))
AHEAD: Final = variant(
    ONLINE, "job-ahead", {GARBAGE: Refuted("the job's clock is past a time that the object store's is not", "upload*")}
)
"""A job whose clock is ahead of the object store's, and that allows for nothing."""
# The run in the end must come after the lifetime and the skew.
ALLOWING: Final = attrs.evolve(
    variant(ONLINE, "job-ahead-allowed", {GARBAGE: ABANDONED}, reading=Reading(skew=LATER)), grace=2 * LATER
)
UNTIMED: Final = attrs.evolve(variant(ONLINE, "untimed", {GARBAGE: OVERTAKEN}, reading=online.UNTIMED), grace=0)
LINKED: Final = attrs.evolve(
    UNTIMED, name="hard-delete/online-linked", words=words_of_grant(ISSUED, path_of(X, Y)), refuted=HOLDS
)
"""The same: every link is of one address, which was issued and written before."""

IN_TWO: Final = Before("two-staged/", "upload.upload:y")
TWICE: Final = Before("twice/", "get_address.put")
SAFE: Final = NONE | FALSE
LATE: Final = jump(LATER)
LATE_CRASH: Final = fault("clock-jump-and-crash", Faults(clock_jumps=(LATER,), crashes=1))
SKEWED: Final = fault("clock-skew", Faults(clock_skew=(0, 0, LATER)))
UNSURE: Final = fault("", Faults(false_predicates=1))
BY_TWO: Final = fault("paged-by-two")

PAIRS: Final = "upload-commit upload-upload upload-delete upload-reset upload-delete_branch upload-job"
TRIPLES: Final = "upload-commit-job upload-upload-job upload-reset-job upload-delete_branch-job"
STAGED_PAIRS: Final = "copy-job move-job delete-job commit-job reset-job delete_branch-job"
STAGED_TRIPLES: Final = (
    "upload-commit-job delete-commit-job reset-commit-job job-job-commit delete_branch-commit-job copy-commit-job "
    "move-commit-job copy@main:x-reset-job copy@main:x-commit-reset copy@main:x-delete_branch-job"
)
COMMITTED_TRIPLES: Final = (
    "upload-job-job copy-reset-job move-commit-job copy@main:x-delete_branch-job create_branch-delete_branch-job"
)
LINKS: Final = "link-commit-job link-reset-job link-delete-job"
CROWDS: Final = (
    "upload-upload-commit-job upload-delete-commit-job upload-reset-commit-job upload-delete_branch-commit-job "
    "copy-delete-commit-job"
)


def without(
    name: str, reason: str, refutes: str = COMMITTED, reading: Reading = online.UNTIMED, **flows: Flow
) -> ObjectDesign:
    """`online-untimed` with one step left out, or with other flows: refuted wherever it is tried."""
    left_out = variant(ONLINE, name, {refutes: Refuted(reason, "*")}, None, " (negative control)")
    return attrs.evolve(left_out, flows=attrs.evolve(bind_reading(online.FLOWS, reading=reading), **flows), grace=0)


def blind(what: Caution, reason: str) -> ObjectDesign:
    """`online-untimed` with a job that does not look at one thing."""
    cautions = tuple(each for each in CAUTIONS if each != what)
    reading = attrs.evolve(online.UNTIMED, cautions=cautions)
    return without("blind-to-" + what.replace(" ", "-"), reason, reading=reading)


def controls() -> Iterator[Row]:
    """Each step left out, in the smallest race that needs it."""
    promised = without("unpromised", "no record says that the token was committed", commit=lock_free.commit)
    marked = without(
        "unmarked", "no record says that the commit was a head", delete_branch=branches.delete_branch_by_tombstone
    )
    shallow = without("shallow", "the copy outlives the token of its source", STAGED, copy_object=today.copy_object)
    moved = blind("head after branch", "the head has moved on")
    sealed = blind("staged before branch", "it was replaced after it was sealed")
    cleared = blind("promises before address", "another run has cleared up")
    insists = without(
        "insists", "it comes back after it was replaced", STAGED, attrs.evolve(online.UNTIMED, insists=True)
    )
    for design, race, faults, before in (
        (promised, "commit-job", NONE, UPLOADED),
        (marked, "create_branch-delete_branch-job", NONE, KEPT),
        (shallow, "copy@main:x-reset-job", NONE, UPLOADED),
        (moved, "commit.upload:y.commit-job", NONE, UPLOADED),
        (sealed, "upload-commit-job", NONE, UPLOADED),
        (cleared, "job-job", NONE, KEPT),
        (insists, "upload-upload-job", UNSURE, NOTHING),  # the first try is applied, denied and overwritten
    ):
        yield from rows(design, race, faults, before, name=race, only=f"{COMMITTED} {STAGED}")


ROWS = [
    *rows(ONLINE, PAIRS, FAULTS),
    *rows(ONLINE, TRIPLES, SAFE | LATE),
    *rows(ONLINE, STAGED_PAIRS, SAFE | LATE, UPLOADED),
    *rows(ONLINE, STAGED_TRIPLES, LATE, UPLOADED),
    *rows(ONLINE, COMMITTED_TRIPLES, LATE, KEPT),
    *rows(DECIDED, PAIRS + " upload-commit-job upload-reset-job", HARD),
    *rows(DECIDED, STAGED_PAIRS, HARD | LATE_CRASH, UPLOADED),
    *rows(UNTIMED, TRIPLES, SAFE | HARD),
    *rows(UNTIMED, STAGED_TRIPLES, NONE, UPLOADED),
    *rows(UNTIMED, COMMITTED_TRIPLES, SAFE, KEPT),
    *rows(UNTIMED, "commit-job-job", SAFE | HARD, UPLOADED),
    *rows((AHEAD, ALLOWING), "upload-reset-job", SKEWED),
    *rows(ONLINE, LINKS, LATE, UPLOADED),
    *rows(LINKED, "link.delete-link-job", NONE, TWICE, only=f"{STAGED} {GARBAGE}"),
    *rows(LINKED, "link:y-link.commit-job", NONE, TWICE, only=f"{COMMITTED} {STAGED} {GARBAGE}"),
    # Another write comes before the entry of the link: its address is settled, and not tried again.
    *rows(LINKED, "link-upload", NONE, TWICE, only=GARBAGE),
    *rows(LINKED, "link-delete.job", FALSE, TWICE, only=STAGED),
    # A link where no object was put: that is refused.
    *rows(LINKED, "link.upload:y", NONE, Before("issued/", "get_address"), only=STAGED),
    # What replaces an entry crashes before it does, or after: the address has been settled by then.
    *rows(ONLINE, "delete", CRASH, UPLOADED, only=GARBAGE),
    # An address that a run has not listed is committed under a token that it clears up: the next run needs the promise.
    *rows(UNTIMED, "upload:y.commit-job.job", NONE, UPLOADED, only=COMMITTED),
    # Under the token that a commit has opened: what it does not take, it may not commit.
    *rows(UNTIMED, "upload.reset.job-commit", NONE, only=COMMITTED),
    *rows(UNTIMED, "merge-upload@main-job merge-delete_branch-job", NONE, KEPT),
    *rows(UNTIMED, "commit-commit-job", SAFE, UPLOADED),
    *rows(ONLINE, "upload-job delete-job commit-job reset-job", jump(LATER, "paged"), IN_TWO, paged=1),
    *rows(ONLINE, "upload-commit-job", BY_TWO, IN_TWO, paged=2),
    *rows(UNTIMED, "commit-job-job reset-job-job", PAGED, IN_TWO, paged=1),
    *rows(UNTIMED, CROWDS, NONE | CRASH, UPLOADED, deep=True),
    *controls(),
]

# Ends of names, in any design of this module: too large for every run.
LARGE: Final = (
    "/staged/commit-commit-job/false-predicate",
    "/staged/link-commit-job/clock-jump",
    "/staged/move-commit-job/clock-jump",
    "/committed/move-commit-job/clock-jump",
    "/committed/move-commit-job/false-predicate",
    "/upload-commit-job/false-predicate",
)

SCENARIOS = [attrs.evolve(each, deep=each.deep or each.name.endswith(LARGE)) for each in build_scenarios(ROWS)]
