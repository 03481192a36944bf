"""Online hard delete with five KV operations and a plain object store: our proposal, and what it cannot do without.

``online`` waits until the object store refuses late puts. ``online-untimed`` has no clock at all: what is safe in it is
safe whatever the clocks do. ``online-decided`` asks for the garbage when the fate of all tokens is decided, whatever
crashed. The others each leave one step out, to show what it is for.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Final

import attrs

from lakeproof.impl.catalog import objects as today
from lakeproof.impl.graveler import lock_free
from lakeproof.impl.hard_delete import online
from lakeproof.impl.hard_delete._reaping import CAUTIONS
from lakeproof.impl.refs import branches
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios._hard_delete import FAULTS, Variant, scenario, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "docs/online-hard-delete.md"
LATER: Final = online.LIFETIME + 1

WORDS: Final = {
    "fork": ("create_branch", ("c", "b")),
    "mergemain": ("merge", ("main", "b", "m")),
}

OVERTAKEN: Final = Refuted(
    "a writer may put its object after the job has dealt with the address: nothing but a time, kept by the object "
    "store, can tell a slow put from one that never comes",
    (
        "upload-commit-job*",
        "upload-reset-job*",
        "upload-drop-job*",
        "upload-upload-job/crash",
        "upload-upload-job/lost-answer",
        "staged/upload-commit-job",
        "staged/copy-commit-job",
        "staged/move-commit-job",
        "staged/*-*-commit-job*",
    ),
)

ABANDONED: Final = Refuted(
    "an object whose writer crashed, or was not told that it was put, looks like one whose writer is slow, for as long "
    "as the token is open or sealed",
    tuple(
        f"upload-{other}/{fault}"
        for other in ("commit", "upload", "delete", "reset", "job")
        for fault in ("crash", "lost-answer")
    ),
)

ONLINE: Final = Variant(
    name="hard-delete/online",
    flows=online,
    source=SOURCE,
    words=WORDS,
    options={"link": {"signed": True}},
    grace=LATER,
    refuted={"garbage-is-reclaimed": ABANDONED},
)

DECIDED: Final = Variant(
    name="hard-delete/online-decided",
    flows=online,
    source=SOURCE,
    words=WORDS,
    grace=LATER,
    before_jobs=("reset",),
)

AHEAD: Final = attrs.evolve(
    ONLINE,
    name="hard-delete/online-job-ahead",
    refuted={
        "garbage-is-reclaimed": Refuted("the job's clock is past a time that the object store's is not", ("upload*",))
    },
)
"""A job whose clock is ahead of the object store's, and that allows for nothing."""

ALLOWING: Final = attrs.evolve(
    ONLINE,
    name="hard-delete/online-job-ahead-allowed",
    options={**ONLINE.options, "job": {"skew": LATER}},
    grace=2 * LATER,
)

UNTIMED: Final = Variant(
    name="hard-delete/online-untimed",
    flows=online,
    source=SOURCE,
    words=WORDS,
    options={
        word: {"lifetime": 0}
        for word in ("upload", "uploady", "uploadmain", "copy", "copyback", "copymain", "move", "movez")
    },
    refuted={"garbage-is-reclaimed": OVERTAKEN},
)


def without(what: str, reason: str, races: tuple[str, ...], *, refutes: str = "committed-data-is-kept") -> Variant:
    """`online-untimed` with one step left out."""
    name = what.replace(" ", "-")
    flows, options = dict(vars(online)), dict(UNTIMED.options)
    if what in CAUTIONS:
        options["job"] = {"cautions": tuple(each for each in CAUTIONS if each != what)}
        name = "blind-to-" + name
    elif what == "insists":
        options["upload"] = {"lifetime": 0, "insists": True}
    else:
        flow_name, flow = LEFT_OUT[what]
        flows[flow_name] = flow
        options = {word: chosen for word, chosen in options.items() if not word.startswith("copy")}
    return attrs.evolve(
        UNTIMED,
        name=f"hard-delete/online-{name}",
        flows=SimpleNamespace(**flows),
        options=options,
        source=f"{SOURCE} (negative control)",
        refuted={refutes: Refuted(reason, races)},
    )


LEFT_OUT: Final = {
    "unpromised": ("commit", lock_free.commit),
    "unmarked": ("delete_branch", branches.delete_branch_by_tombstone),
    "shallow": ("copy_object", today.copy_object),
}

SAFETY: Final = ("committed-data-is-kept", "staged-data-is-kept")

NONE: Final = {"": FAULTS[""]}
SAFE: Final = {"": FAULTS[""], "/false-predicate": FAULTS["/false-predicate"]}
LATE: Final = {"/clock-jump": Faults(clock_jumps=(LATER,))}
LATE_CRASH: Final = {"/clock-jump-and-crash": Faults(clock_jumps=(LATER,), crashes=1)}
HARD: Final = {suffix: FAULTS[suffix] for suffix in ("/crash", "/lost-answer")}

PAIRS: Final = ["upload-commit", "upload-upload", "upload-delete", "upload-reset", "upload-drop", "upload-job"]
TRIPLES: Final = ["upload-commit-job", "upload-upload-job", "upload-reset-job", "upload-drop-job"]
STAGED_PAIRS: Final = ["copy-job", "move-job", "delete-job", "commit-job", "reset-job", "drop-job"]
STAGED: Final = [
    "upload-commit-job",
    "delete-commit-job",
    "reset-commit-job",
    "job-job-commit",
    "drop-commit-job",
    "copy-commit-job",
    "move-commit-job",
    "copymain-reset-job",
    "copymain-commit-reset",
    "copymain-drop-job",
]
COMMITTED: Final = ["upload-job-job", "copy-reset-job", "move-commit-job", "copymain-drop-job", "fork-drop-job"]

SCENARIOS = [
    *scenarios(ONLINE, PAIRS, FAULTS),
    *scenarios(ONLINE, TRIPLES, {**SAFE, **LATE}),
    *scenarios(ONLINE, STAGED_PAIRS, {**SAFE, **LATE}, initially=["upload"], under="staged/"),
    *scenarios(ONLINE, STAGED, LATE, initially=["upload"], under="staged/"),
    *scenarios(ONLINE, COMMITTED, LATE, initially=["upload", "commit"], under="committed/"),
    *scenarios(DECIDED, [*PAIRS, "upload-commit-job", "upload-reset-job"], HARD),
    *scenarios(DECIDED, STAGED_PAIRS, {**HARD, **LATE_CRASH}, initially=["upload"], under="staged/"),
    *scenarios(UNTIMED, TRIPLES, {**SAFE, **HARD}),
    *scenarios(UNTIMED, STAGED, NONE, initially=["upload"], under="staged/"),
    *scenarios(UNTIMED, COMMITTED, SAFE, initially=["upload", "commit"], under="committed/"),
    *scenarios(UNTIMED, ["commit-job-job"], {**SAFE, **HARD}, initially=["upload"], under="staged/"),
]

SKEWED: Final = {"/clock-skew": Faults(clock_skew=(0, 0, LATER))}

LINKS: Final = ["link-commit-job", "link-reset-job", "link-delete-job"]

DEEP: Final = [
    "upload-upload-commit-job",
    "upload-delete-commit-job",
    "upload-reset-commit-job",
    "upload-drop-commit-job",
    "copy-delete-commit-job",
]

SCENARIOS += [
    *scenarios(AHEAD, ["upload-reset-job"], SKEWED),
    *scenarios(ALLOWING, ["upload-reset-job"], SKEWED),
    *scenarios(ONLINE, LINKS, LATE, initially=["upload"], under="staged/"),
    *scenarios(
        UNTIMED,
        ["mergemain-uploadmain-job", "mergemain-drop-job"],
        NONE,
        initially=["upload", "commit"],
        under="committed/",
    ),
    *scenarios(UNTIMED, ["commit-commit-job"], SAFE, initially=["upload"], under="staged/"),
    *scenarios(
        ONLINE,
        ["upload-job", "delete-job", "commit-job", "reset-job"],
        {"/paged": Faults(clock_jumps=(LATER,))},
        paged=1,
        initially=["upload", "uploady"],
        under="two-staged/",
    ),
    *scenarios(
        ONLINE,
        ["upload-commit-job"],
        {"/paged-by-two": FAULTS[""]},
        paged=2,
        initially=["upload", "uploady"],
        under="two-staged/",
    ),
    *scenarios(
        UNTIMED,
        ["commit-job-job", "reset-job-job"],
        {"/paged": FAULTS[""]},
        paged=1,
        initially=["upload", "uploady"],
        under="two-staged/",
    ),
    *scenarios(UNTIMED, DEEP, {**NONE, "/crash": FAULTS["/crash"]}, initially=["upload"], under="staged/", deep=True),
]


def controls() -> Iterator[Scenario]:
    """Each step left out, in the smallest race that needs it."""
    _, staged = SAFETY
    left_out = [
        (without("unpromised", "nobody can tell that the token was committed", ("*",)), "commit-job", 1),
        (without("unmarked", "nobody can tell that the commit was a head", ("*",)), "fork-drop-job", 2),
        (
            without("shallow", "the copy outlives the token of its source", ("*",), refutes=staged),
            "copymain-reset-job",
            1,
        ),
        (without("head after branch", "the head has moved on", ("*",)), "commit.uploady.commit-job", 1),
        (without("staged before branch", "it was replaced after it was sealed", ("*",)), "upload-commit-job", 1),
        (without("promises before address", "another run has cleared up", ("*",)), "job-job", 2),
        (without("insists", "it comes back after it was replaced", ("*",), refutes=staged), "upload-upload-job", 0),
    ]
    for variant, race, before in left_out:
        faults = FAULTS["/false-predicate"] if "insists" in variant.name else None
        words = ["upload", "commit"][:before]
        under = ("", "staged/", "committed/")[before]
        yield scenario(variant, race, faults, initially=words, name=under + race, only=SAFETY)


SCENARIOS += controls()

LARGE: Final = (
    "/staged/commit-commit-job/false-predicate",
    "/staged/link-commit-job/clock-jump",
    "/staged/move-commit-job/clock-jump",
    "/committed/move-commit-job/clock-jump",
    "/committed/move-commit-job/false-predicate",
    "/upload-commit-job/false-predicate",
)

SCENARIOS = [attrs.evolve(each, deep=each.deep or each.name.endswith(LARGE)) for each in SCENARIOS]
