"""Retention of committed objects: in which order a run must look, and what no order helps against.

``text`` is the text's job, marking and sweeping, in an order that loses nothing to commits. ``order-`` variants look in
another one. ``recheck``, ``full-copy``, ``tags-read``, ``zero-days`` and ``rules-raised`` each change one thing.
``pinned`` is ours; its controls each leave one thing out.

Example: what refutes ``text`` in ``create_branch-mark.sweep``, over the line A (30 days old, has x) <- B (20 days, the
head of main and b, has no x), by rules of seven days::

    mark             branches, what is staged, commits: A is expired, B is a head; so the object of x is marked
    create_branch    c at A, which nothing forbids: now A is the head of a branch
    sweep            deletes the object of x, which c shows: active-data-is-kept is violated

"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.designs._retention import RULES, RetentionDesign
from lakeproof.designs.branch_designs import BRANCH, MAIN
from lakeproof.designs.designs import HOLDS, Row, rows, variant
from lakeproof.designs.races import (
    CRASH,
    FALSE,
    FAULTS,
    FAULTY,
    LATE_WRITE,
    LOST,
    NONE,
    NOTHING,
    PAGED,
    REFUSED,
    Before,
    FaultSet,
    Refuted,
    after,
    fault,
    jump,
)
from lakeproof.impl.flows import bind_reading
from lakeproof.impl.retention import pins, runs
from lakeproof.impl.retention.runs import Reading
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Faults

ZERO: Final = Rules(0)
LONGER: Final = Rules(40)  # keeps A
PERIODS: Final = Rules(7, ((MAIN, 40),))  # A is kept by main, and D goes
AT_THRESHOLD: Final = Rules(30, ((BRANCH, 20), (MAIN, 20)))  # as old as B and D are: A goes, and D
WITHIN_DAYS: Final = Rules(31, ((BRANCH, 21), (MAIN, 20)))  # A is kept by b, and D is kept
JUMP: Final = 8 * DAY

LATE: Final = jump(JUMP)
SKEWED: Final = fault("skew", Faults(clock_skew=(-JUMP,)))
"""The first client's clock is eight days behind."""
TIMES: Final = NONE | LATE | SKEWED

ACTIVE: Final = "active-data-is-kept"
STAGED: Final = "uncommitted-data-is-kept"
RECLAIMED: Final = "expired-data-is-reclaimed"
USABLE: Final = "active-is-not-condemned"
UNCHANGED: Final = "failed-call-changed-nothing"
JOB: Final = "mark.sweep"
USES: Final = ("create_branch", "update_branch", "revert", "merge")
"""What makes a branch of an expired commit, or a commit of its entries."""
COPIES: Final = ("restore", "stage")
"""What stages its entries."""
REVIVED: Final = (
    "what was expired when it was marked is in use when it is swept: nothing forbids to use an expired commit, and "
    "nothing tells the run that a client does"
)
IN_FLIGHT: Final = (
    "a commit that no branch names yet is dangling, and before the threshold where days are few, clocks differ, or the "
    "run looks at its clock late"
)


IN_HAND: Final = (
    "a commit has read an entry that a late write replaces under the sealed token: it is staged no more, and in no "
    "commit yet"
)
IN_HAND_RACE: Final = "after_restore/commit-delete.*"


def refuted_ids(
    active: str = "", staged: str = "", why: str = "", *, copies: Sequence[str] = COPIES
) -> dict[str, Refuted]:
    """What is refuted wherever expired commits are used; and in some races more."""
    reason = f"{REVIVED}; {why}" if why else REVIVED
    globs = {ACTIVE: [*(f"{word}-*" for word in USES), *active.split()]}
    globs[STAGED] = [*(f"{word}-*" for word in copies), *staged.split()]
    # An expectation without a glob is an error: full copies lose nothing that is staged.
    return {invariant_id: Refuted(reason, races) for invariant_id, races in globs.items() if races}


def text(name: str, refuted: Mapping[str, Refuted], reading: Reading = runs.AS_WRITTEN) -> RetentionDesign:
    """The text's job in one reading."""
    return RetentionDesign(name=f"retention/{name}", flows=bind_reading(runs.FLOWS, reading=reading), refuted=refuted)


TEXT: Final = text(
    "text",
    refuted_ids(
        "upload.commit-*/skew create_branch_from@z.delete_branch@z-*/paged commit@z-*",
        "upload.commit-*/skew",
        f"{IN_FLIGHT}; a scan in pages misses a branch that gets another name; who commits on a branch that is deleted "
        "meanwhile leaves a dangling commit of today, of old data",
    ),
)
ORDERS: Final = (
    text(
        "order-staged-last",
        refuted_ids(
            "upload.commit-*/clock-jump upload.commit-*/skew after_restore/*",
            why="what was staged is committed between the look at the branches and the look at what is staged",
        ),
        Reading(order=("clock", "branches", "commits", "staged")),
    ),
    text(
        "order-one-scan",
        refuted_ids(
            "upload.commit-*/clock-jump upload.commit-*/skew after_restore/*/clock-jump after_restore/*/skew",
            "upload.commit-*/skew",
            "the tokens are those of before: what was committed since is seen as a dangling commit at best",
        ),
        Reading(order=("clock", "branches", "staged", "commits")),
    ),
    text(
        "order-clock-last",
        # The same globs for active and for staged data.
        refuted_ids(*2 * ("upload.commit-*/clock-jump upload.commit-*/skew",), IN_FLIGHT),
        Reading(order=("staged", "branches", "commits", "clock")),
    ),
    text("order-commits-first", refuted_ids(), runs.COMMITS_FIRST),
    text(
        "order-commits-first-lenient",
        refuted_ids("after_restore/*", why="a head that is not among the commits keeps nothing"),
        attrs.evolve(runs.COMMITS_FIRST, strict=False),
    ),
    text("order-twice", refuted_ids(IN_HAND_RACE, why=IN_HAND), runs.TWICE),
)

AGAIN: Final = text("recheck", TEXT.refuted, Reading(again=RULES))
ZERO_DAYS: Final = attrs.evolve(
    text("zero-days", refuted_ids("upload.commit-*", "upload.commit-*", IN_FLIGHT)), rules=ZERO
)
ZERO_DAYS_TWICE: Final = attrs.evolve(ORDERS[-1], name="retention/zero-days-twice", rules=ZERO)
FULL_COPY: Final = text("full-copy", refuted_ids(copies=()), Reading(full=True))
# Where a commit meets the end of its branch, the text loses what only a dummy child keeps: that is not judged here.
HEADS_ONLY: Final = attrs.evolve(text("heads-only", {ACTIVE: Refuted(IN_HAND, IN_HAND_RACE)}), hypothetical=False)
TAGS_UNREAD: Final = attrs.evolve(text("tags-unread", {ACTIVE: Refuted("the text knows no tags", "*")}), tags=True)
TAGS_READ: Final = attrs.evolve(text("tags-read", {ACTIVE: Refuted(REVIVED, "tag-*")}, runs.WITH_TAGS), tags=True)
BY_RULES: Final = [
    attrs.evolve(TEXT, name=f"retention/text-{name}", refuted=HOLDS, parts=("line", "dangling"), rules=rules)
    for name, rules in (("periods", PERIODS), ("at-threshold", AT_THRESHOLD), ("within-days", WITHIN_DAYS))
]
RAISED: Final = attrs.evolve(
    text("rules-raised", {ACTIVE: Refuted("a mark outlives the rules that it was made by", JOB)}), now_rules=LONGER
)
RAISED_RECHECK: Final = attrs.evolve(text("rules-raised-recheck", HOLDS, Reading(again=LONGER)), now_rules=LONGER)

STAYS: Final = "a pin whose owner crashed, or does not know the outcome of its write, keeps its commit for good"
PINNED: Final = RetentionDesign(
    name="retention/pinned",
    flows=pins.FLOWS,
    condemned=pins.CONDEMNED,
    tags=True,
    source="docs/designs/retention.md",
    refuted={
        RECLAIMED: Refuted(
            STAYS,
            tuple(
                f"{word}-*/{fault}"
                for word in ("create_branch", "revert", "restore")
                for fault in ("crash", "lost-answer")
            ),
        ),
        STAGED: Refuted("who knows an address needs no commit: nothing is pinned", "stage-*"),
        ACTIVE: Refuted(f"{IN_HAND}; its pin is taken back when it is staged", IN_HAND_RACE),
        UNCHANGED: Refuted(
            "the store refuses to take the pin back, definitely, when the work is done: the error speaks of the pin, "
            "and the caller takes it for the answer to his call",
            "create_branch/refusal",
        ),
    },
)
CONTROL: Final = (None, " (negative control)")  # no options of words, and a note: see `variant`
OVERLOOKED: Final = "the pin comes after the look at the pins, and its owner sees no sentence yet"
LATE_SENTENCE: Final = variant(
    PINNED,
    "before-condemned",
    {
        ACTIVE: Refuted(OVERLOOKED, "create_branch*"),
        USABLE: Refuted(OVERLOOKED, "create_branch*"),
        STAGED: Refuted(OVERLOOKED, "restore-*"),
    },
    *CONTROL,
    reading=pins.Reading(condemns_first=False),
)
UNSEEN: Final = Refuted("who pins a condemned commit must see the sentence", "*")
BLIND: Final = variant(PINNED, "blind", {ACTIVE: UNSEEN, USABLE: UNSEEN}, *CONTROL, reading=pins.Reading(looks=False))
PARDONED: Final = Refuted("one run pardons what another has condemned", "*")
SHARED: Final = attrs.evolve(variant(PINNED, "one-run-id", {ACTIVE: PARDONED}, *CONTROL), runs_apart=False)
SLOW: Final = Refuted("a pin may end while its owner is only slow", "*/clock-jump")
LEASED: Final = variant(PINNED, "lease", {ACTIVE: SLOW, USABLE: SLOW}, reading=pins.Reading(lease=DAY))
LEASE: Final = attrs.evolve(LEASED, grace=JUMP)  # in the end the pins of crashed owners are over

DANGLING: Final = ("line", "dangling")
SIDEWAYS: Final = ("line", "branch")
ONLY_SIDE: Final = ("branch",)
FOREIGN: Final = [
    attrs.evolve(design, name=f"{design.name}-foreign", refuted=HOLDS, parts=("line", "foreign"))
    for design in (TEXT, PINNED)
]


def against(
    design: RetentionDesign,
    words: str,
    faults: FaultSet = NONE,
    before: Before = NOTHING,
    *,
    parts: tuple[str, ...] = ("line",),
    paged: int = 0,
    deep: bool = False,
) -> Iterator[Row]:
    """Each of these clients against a run, over some parts of the history."""
    there = attrs.evolve(design, parts=parts)
    # The user is the first client: `SKEWED` is about the user's clock.
    races = " ".join(f"{word}-{JOB}" for word in words.split())
    return rows(there, races, faults, before, paged=paged, deep=deep)


PINS: Final = [
    *against(PINNED, "create_branch stage"),
    *rows(PINNED, "create_branch", REFUSED),
    # What takes seconds each is deep: the flows of this variant are long.
    *against(PINNED, "update_branch tag revert restore", deep=True),
    *against(PINNED, "create_branch revert restore", FAULTY, deep=True),
    *against(PINNED, JOB, FAULTY, deep=True),
    *against(PINNED, "merge", TIMES, parts=DANGLING, deep=True),
    *against(PINNED, "upload.commit", TIMES, deep=True),
    *against(PINNED, "commit", TIMES, after("restore"), deep=True),
    *against(PINNED, "create_branch_from@z.delete_branch@z", PAGED, parts=SIDEWAYS, paged=1, deep=True),
    # What expires between the two looks of a run is not condemned by it.
    *against(PINNED, "delete_branch@z.create_at_left", parts=SIDEWAYS, deep=True),
    *against(PINNED, f"create_branch-{JOB}", deep=True),
    *against(SHARED, f"create_branch-{JOB}", deep=True),
    *against(LATE_SENTENCE, "create_branch restore"),
    *against(LATE_SENTENCE, "create_branch_from@z.delete_branch@z", PAGED, parts=SIDEWAYS, paged=1),
    *against(BLIND, "create_branch", deep=True),
    *against(LEASE, "create_branch", CRASH | LATE, deep=True),
]


ALONE: Final = "create_branch update_branch tag revert restore"
"""What one client does before it runs the job itself."""


def sequences(design: RetentionDesign, faults: FaultSet) -> Iterator[Row]:
    """A use of an expired commit, then a run, by one client: a use in doubt may have taken place."""
    return rows(design, " ".join(f"{word}.{JOB}" for word in ALONE.split()), faults, deep=True)


def _orders() -> Iterator[Row]:
    """Each order, with what tells it from the others; and, deep, with every time in every order."""
    for order in ORDERS:
        repaired = order is ORDERS[-1]  # order-twice
        yield from against(order, "upload.commit")
        yield from against(order, "upload.commit", SKEWED, deep=not repaired)
        yield from against(order, "upload.commit", LATE, deep=True)
        yield from against(order, "commit", NONE, after("restore"))
        # One scan of the branches is refuted here: its race is part of every run.
        yield from against(order, "commit", SKEWED, after("restore"), deep=order is not ORDERS[1])
        yield from against(order, "commit", LATE, after("restore"), deep=True)
        yield from against(order, "revert restore")


ROWS = [
    *against(TEXT, f"commit {JOB}", FAULTS),
    *against(TEXT, "upload.commit", NONE | CRASH | SKEWED),
    *against(TEXT, "upload.commit", LOST | FALSE | LATE, deep=True),
    *against(TEXT, "create_branch update_branch revert restore tag stage reset delete_branch"),
    *against(TEXT, "merge", parts=DANGLING),
    *against(TEXT, "merge", FAULTY, parts=DANGLING, deep=True),
    *against(TEXT, "create_branch revert restore", FAULTY, deep=True),
    *against(TEXT, "create_branch_from@z.delete_branch@z", parts=SIDEWAYS),
    *against(TEXT, "create_branch_from@z.delete_branch@z", PAGED, parts=SIDEWAYS, paged=1),
    *against(TEXT, "commit reset delete_branch", FAULTS, after("restore")),
    # Between the commit's look at the staged entry and the commit a run finds the entry nowhere.
    *rows(HEADS_ONLY, f"commit-delete.{JOB}", NONE, after("restore")),
    *rows(FULL_COPY, f"commit-delete.{JOB}", NONE, after("restore")),
    *rows(ORDERS[-1], f"commit-delete.{JOB}", NONE, after("restore"), deep=True),
    *rows(PINNED, f"commit-delete.{JOB}", NONE, after("restore"), deep=True),
    *rows(attrs.evolve(TEXT, parts=ONLY_SIDE), f"commit@z-delete_branch@z.{JOB}"),
    *rows(attrs.evolve(HEADS_ONLY, parts=ONLY_SIDE), f"commit@z-delete_branch@z.{JOB}"),
    *_orders(),
    *against(AGAIN, "create_branch restore"),
    *against(AGAIN, "revert upload.commit", deep=True),
    *against(AGAIN, "merge", parts=DANGLING, deep=True),
    *against(ZERO_DAYS, "upload.commit"),
    *against(ZERO_DAYS_TWICE, "upload.commit"),
    *against(ZERO_DAYS_TWICE, "upload.commit", LATE | SKEWED, deep=True),
    *against(FULL_COPY, "restore", FAULTS),
    *against(TAGS_UNREAD, "tag"),
    *rows(TAGS_UNREAD, JOB, NONE, after("tag")),
    *against(TAGS_READ, "tag"),
    *rows(TAGS_READ, JOB, NONE, after("tag")),
    *rows(FOREIGN, JOB),
    *rows(BY_RULES, JOB),
    *rows((RAISED, RAISED_RECHECK), JOB),
    *PINS,
    # A write that comes late is one whose answer was lost: its owner cannot know, and leaves his pin.
    *sequences(attrs.evolve(PINNED, refuted={RECLAIMED: Refuted(STAYS, "*/late-write")}), NONE | LATE_WRITE | FALSE),
    *sequences(attrs.evolve(TEXT, tags=False, refuted=HOLDS), NONE),
]
