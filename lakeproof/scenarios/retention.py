"""Retention of committed objects: in which order a run must look, and what no order helps against.

``text`` is the text's job, marking and sweeping, in an order that loses nothing to commits. ``order-`` variants look in
another one. ``recheck``, ``full-copy``, ``tags-read``, ``zero-days`` and ``rules-raised`` each change one thing.
``pinned`` is ours; its controls each leave one thing out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.retention import pins as retention_pins
from lakeproof.impl.retention import runs as retention
from lakeproof.model.retention import DAY, Rules
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios._life_cycle import Refuted
from lakeproof.scenarios._retention import RULES, Variant, scenarios

ZERO: Final = Rules(0)
LONGER: Final = Rules(40)
JUMP: Final = 8 * DAY

NONE: Final = {"": Faults()}
CRASH: Final = {"/crash": Faults(crashes=1)}
LOST: Final = {"/lost-answer": Faults(lost_answers=1)}
FALSE: Final = {"/false-predicate": Faults(false_predicates=1)}
FAULTS: Final[Mapping[str, Faults]] = {**NONE, **CRASH, **LOST, **FALSE}
LATE: Final = {"/clock-jump": Faults(clock_jumps=(JUMP,))}
SKEWED: Final = {"/skew": Faults(clock_skew=(-JUMP,))}
"""The first client's clock is eight days behind."""
TIMES: Final[Mapping[str, Faults]] = {**NONE, **LATE, **SKEWED}
PAGED: Final = {"/paged": Faults()}


ACTIVE: Final = "active-data-is-kept"
STAGED: Final = "uncommitted-data-is-kept"
RECLAIMED: Final = "expired-data-is-reclaimed"
JOB: Final = "mark.sweep"
USES: Final = ("fork", "back", "revert", "merge")
"""What makes a branch of an expired commit, or a commit of its entries."""
COPIES: Final = ("restore", "stage")
"""What stages its entries."""
REVIVED: Final = (
    "what was expired when it was marked is in use when it is swept: nothing forbids to use an expired commit, and "
    "nothing tells the run that somebody does"
)
IN_FLIGHT: Final = (
    "a commit that no branch names yet is dangling, and before the threshold where days are few, clocks differ, or the "
    "run looks at its clock late"
)


def refuted(
    active: Sequence[str] = (), staged: Sequence[str] = (), why: str = "", *, copies: Sequence[str] = COPIES
) -> dict[str, Refuted]:
    """What is refuted wherever expired commits are used; and in some races more."""
    reason = f"{REVIVED}; {why}" if why else REVIVED
    return {
        ACTIVE: Refuted(reason, (*(f"{word}-*" for word in USES), *active)),
        STAGED: Refuted(reason, (*(f"{word}-*" for word in copies), *staged)),
    }


TEXT: Final = Variant(
    name="text",
    refuted=refuted(
        ["upload.commit-*/skew", "forkz.dropz-*/paged", "commitz-*"],
        ["upload.commit-*/skew"],
        f"{IN_FLIGHT}; a scan in pages misses a branch that gets another name; who commits on a branch that is deleted "
        "meanwhile leaves a dangling commit of today, of old data",
    ),
)


def ordered(name: str, order: Sequence[retention.Look], active: Sequence[str], why: str = "", **more: bool) -> Variant:
    """Another order to look in, and the races that it loses beside the uses of expired commits. more: options of
    ``mark``."""
    staged = [race for race in active if race.startswith("upload") and name in ("order-one-scan", "order-clock-last")]
    staged = [race for race in staged if not (name == "order-one-scan" and race.endswith("jump"))]
    return attrs.evolve(
        TEXT, name=name, options={"mark": {"order": tuple(order), **more}}, refuted=refuted(active, staged, why)
    )


ORDERS: Final = (
    ordered(
        "order-staged-last",
        ("clock", "branches", "commits", "staged"),
        ["upload.commit-*/clock-jump", "upload.commit-*/skew", "after-restore/*"],
        "what was staged is committed between the look at the branches and the look at what is staged",
    ),
    ordered(
        "order-one-scan",
        ("clock", "branches", "staged", "commits"),
        ["upload.commit-*/clock-jump", "upload.commit-*/skew", "after-restore/*/clock-jump", "after-restore/*/skew"],
        "the tokens are those of before: what was committed since is seen as a dangling commit at best",
    ),
    ordered(
        "order-clock-last",
        ("staged", "branches", "commits", "clock"),
        ["upload.commit-*/clock-jump", "upload.commit-*/skew"],
        IN_FLIGHT,
    ),
    ordered("order-commits-first", ("clock", "commits", "staged", "branches"), []),
    ordered(
        "order-commits-first-lenient",
        ("clock", "commits", "staged", "branches"),
        ["after-restore/*"],
        "a head that is not among the commits keeps nothing",
        strict=False,
    ),
    ordered("order-twice", retention.TWICE, []),
)

AGAIN: Final = attrs.evolve(TEXT, name="recheck", options={"sweep": {"again": RULES}})
ZERO_DAYS: Final = attrs.evolve(
    TEXT, name="zero-days", rules=ZERO, refuted=refuted(["upload.commit-*"], ["upload.commit-*"], IN_FLIGHT)
)
ZERO_DAYS_TWICE: Final = attrs.evolve(ORDERS[-1], name="zero-days-twice", rules=ZERO)
FULL_COPY: Final = attrs.evolve(TEXT, name="full-copy", options={"restore": {"full": True}}, refuted=refuted(copies=()))
HEADS_ONLY: Final = attrs.evolve(TEXT, name="heads-only", hypothetical=False, refuted={})
TAGS_UNREAD: Final = attrs.evolve(
    TEXT, name="tags-unread", tags=True, refuted={ACTIVE: Refuted("the text knows no tags", ("*",))}
)
TAGS_READ: Final = attrs.evolve(
    TEXT,
    name="tags-read",
    tags=True,
    options={"mark": {"order": retention.WITH_TAGS}},
    refuted={ACTIVE: Refuted(REVIVED, ("tag-*",))},
)
RAISED: Final = attrs.evolve(
    TEXT,
    name="rules-raised",
    now_rules=LONGER,
    refuted={ACTIVE: Refuted("a mark outlives the rules that it was made by", (JOB,))},
)
RAISED_RECHECK: Final = attrs.evolve(
    TEXT, name="rules-raised-recheck", now_rules=LONGER, options={"sweep": {"again": LONGER}}, refuted={}
)

PINNED: Final = Variant(
    name="pinned",
    flows=retention_pins,
    tags=True,
    source="docs/hard-delete/retention.md",
    refuted={
        RECLAIMED: Refuted(
            "a pin whose owner crashed, or was not told what became of his write, keeps its commit for good",
            tuple(f"{word}-*/{fault}" for word in ("fork", "revert", "restore") for fault in ("crash", "lost-answer")),
        ),
        STAGED: Refuted("who knows an address needs no commit: nothing is pinned", ("stage-*",)),
    },
)
CONTROL: Final = "docs/hard-delete/retention.md (negative control)"
OVERLOOKED: Final = "the pin comes after the look at the pins, and its owner sees no sentence yet"
LATE_SENTENCE: Final = attrs.evolve(
    PINNED,
    name="pinned-before-condemned",
    source=CONTROL,
    options={"mark": {"condemns_first": False}},
    refuted={
        ACTIVE: Refuted(OVERLOOKED, ("fork*",)),
        STAGED: Refuted(OVERLOOKED, ("restore-*",)),
    },
)
BLIND: Final = attrs.evolve(
    PINNED,
    name="pinned-blind",
    source=CONTROL,
    options={"fork": {"looks": False}},
    refuted={ACTIVE: Refuted("who pins a condemned commit must see the sentence", ("*",))},
)
SHARED: Final = attrs.evolve(
    PINNED,
    name="pinned-one-run-id",
    source=CONTROL,
    runs_apart=False,
    refuted={ACTIVE: Refuted("one run pardons what another has condemned", ("*",))},
)
LEASE: Final = attrs.evolve(
    PINNED,
    name="pinned-lease",
    options={"mark": {"lease": DAY}},
    grace=JUMP,
    refuted={ACTIVE: Refuted("a pin may end while its owner is only slow", ("*/clock-jump",))},
)

DANGLING: Final = ("line", "dangling")
SIDEWAYS: Final = ("line", "branch")


def _races(*words: str) -> list[str]:
    return [f"{word}-{JOB}" for word in words]


def _pinned() -> Iterator[Scenario]:
    """What takes seconds each is deep: the flows of this variant are long."""
    yield from scenarios(PINNED, _races("fork", "stage"), NONE)
    yield from scenarios(PINNED, _races("back", "tag", "revert", "restore"), NONE, deep=True)
    yield from scenarios(PINNED, _races("fork", "revert", "restore"), {**CRASH, **LOST, **FALSE}, deep=True)
    yield from scenarios(PINNED, _races(JOB), {**CRASH, **LOST, **FALSE}, deep=True)
    yield from scenarios(PINNED, _races("merge"), TIMES, parts=DANGLING, deep=True)
    yield from scenarios(PINNED, _races("upload.commit"), TIMES, deep=True)
    yield from scenarios(PINNED, _races("commit"), TIMES, initially=["restore"], deep=True)
    yield from scenarios(PINNED, _races("forkz.dropz"), PAGED, parts=SIDEWAYS, paged=1, deep=True)
    yield from scenarios(PINNED, [f"fork-{JOB}-{JOB}"], NONE, deep=True)
    yield from scenarios(SHARED, [f"fork-{JOB}-{JOB}"], NONE, deep=True)
    yield from scenarios(LATE_SENTENCE, _races("fork", "restore"), NONE)
    yield from scenarios(LATE_SENTENCE, _races("forkz.dropz"), PAGED, parts=SIDEWAYS, paged=1)
    yield from scenarios(BLIND, _races("fork"), NONE, deep=True)
    yield from scenarios(LEASE, _races("fork"), {**CRASH, **LATE}, deep=True)


def _orders() -> Iterator[Scenario]:
    """Each order, with what tells it from the others; and, deep, with every time in every order."""
    for order in ORDERS:
        repaired = order is ORDERS[-1]
        yield from scenarios(order, _races("upload.commit"), NONE)
        yield from scenarios(order, _races("upload.commit"), SKEWED, deep=not repaired)
        yield from scenarios(order, _races("upload.commit"), LATE, deep=True)
        yield from scenarios(order, _races("commit"), NONE, initially=["restore"])
        yield from scenarios(order, _races("commit"), SKEWED, initially=["restore"], deep=order is not ORDERS[1])
        yield from scenarios(order, _races("commit"), LATE, initially=["restore"], deep=True)
        yield from scenarios(order, _races("revert", "restore"), NONE)


SCENARIOS = [
    *scenarios(TEXT, _races("commit", JOB), FAULTS),
    *scenarios(TEXT, _races("upload.commit"), {**NONE, **CRASH, **SKEWED}),
    *scenarios(TEXT, _races("upload.commit"), {**LOST, **FALSE, **LATE}, deep=True),
    *scenarios(TEXT, _races("fork", "back", "revert", "restore", "tag", "stage", "reset", "drop"), NONE),
    *scenarios(TEXT, _races("merge"), NONE, parts=DANGLING),
    *scenarios(TEXT, _races("merge"), {**CRASH, **LOST, **FALSE}, parts=DANGLING, deep=True),
    *scenarios(TEXT, _races("fork", "revert", "restore"), {**CRASH, **LOST, **FALSE}, deep=True),
    *scenarios(TEXT, _races("forkz.dropz"), NONE, parts=SIDEWAYS),
    *scenarios(TEXT, _races("forkz.dropz"), PAGED, parts=SIDEWAYS, paged=1),
    *scenarios(TEXT, _races("commit", "reset", "drop"), FAULTS, initially=["restore"]),
    *scenarios(TEXT, [f"commitz-dropz.{JOB}"], NONE, parts=("branch",)),
    *scenarios(HEADS_ONLY, [f"commitz-dropz.{JOB}"], NONE, parts=("branch",)),
    *_orders(),
    *scenarios(AGAIN, _races("fork", "restore"), NONE),
    *scenarios(AGAIN, _races("revert", "upload.commit"), NONE, deep=True),
    *scenarios(AGAIN, _races("merge"), NONE, parts=DANGLING, deep=True),
    *scenarios(ZERO_DAYS, _races("upload.commit"), NONE),
    *scenarios(ZERO_DAYS_TWICE, _races("upload.commit"), NONE),
    *scenarios(ZERO_DAYS_TWICE, _races("upload.commit"), {**LATE, **SKEWED}, deep=True),
    *scenarios(FULL_COPY, _races("restore"), FAULTS),
    *scenarios(TAGS_UNREAD, _races("tag"), NONE),
    *scenarios(TAGS_UNREAD, [JOB], NONE, initially=["tag"]),
    *scenarios(TAGS_READ, _races("tag"), NONE),
    *scenarios(TAGS_READ, [JOB], NONE, initially=["tag"]),
    *scenarios(RAISED, [JOB], NONE),
    *scenarios(RAISED_RECHECK, [JOB], NONE),
    *_pinned(),
]
