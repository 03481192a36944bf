"""Proposal 5, no copies and locked entries, in the readings that its text allows.

The races that the text names keep its names: ``commit-move``, ``delete-move``, ``concurrent-move``, ``stale-lock``.
``-careful`` mends what can be mended without another protocol.
"""

from collections.abc import Hashable, Iterator, Mapping
from typing import Final

import attrs

from lakeproof.impl.hard_delete import no_copies
from lakeproof.scenario import Faults, Scenario
from lakeproof.scenarios._bound import bound
from lakeproof.scenarios._branch_data import BRANCH, X, Y
from lakeproof.scenarios._hard_delete import FAULTS, Variant, scenario
from lakeproof.scenarios._life_cycle import Refuted
from lakeproof.scenarios._one_entry import ENDS_WITH_ONE, NONE, USABLE, race, races, staged, stays_usable

SOURCE: Final = "hard-delete-uncommitted-data.md, 5. No Copies"

LEASE: Final = 60_000_000
"""Microseconds for which a lock holds in the variants that have a time based one."""

CRASH: Final = {"/crash": FAULTS["/crash"]}
FALSE: Final = {"/false-predicate": FAULTS["/false-predicate"]}
LOST: Final = {"/lost-answer": FAULTS["/lost-answer"]}
LATE: Final = {"/clock-jump": Faults(clock_jumps=(LEASE + 1,))}
SKEWED: Final = {"/clock-skew": Faults(clock_skew=(LEASE + 1, 0))}

WORDS: Final = {
    "fork": ("create_branch", ("c", BRANCH)),
    "restage": ("stage_again", (BRANCH, X, X)),
    "resetx": ("reset_entry", (BRANCH, X)),
    "resetall": ("reset_prefix", (BRANCH, b"")),
    "moveback": ("move_object", (BRANCH, Y, X)),
}

COMMITTED: Final = "committed-data-is-kept"
STAGED: Final = "staged-data-is-kept"
GARBAGE: Final = "garbage-is-reclaimed"
ONE: Final = "address-has-one-entry"

SEALED: Final = (
    "commits do not ask for locks: whoever has locked an entry goes on when it is being committed, and only an upload "
    "looks whether the token has changed"
)
AGAIN: Final = (
    "a writer that finds another token stages the same address once more, and the entry that it has staged before is "
    "dropped by a reset, or committed"
)
CHECKED: Final = "a drop looks whether an entry is locked, and deletes its object later"
SIGNED: Final = "a signature says for which path an address is, and not that it was not used yet"
LEFT: Final = (
    "an object whose entry is overwritten unseen, dropped while it is locked, or sealed meanwhile, is left to nobody; "
    "and so is what a crash or a lost answer leaves behind"
)
OVERTAKEN: Final = "who is slow does not know that his lock has run out, and goes on"


TEXT: Final = Variant(
    name="hard-delete/no_copies",
    flows=bound(no_copies),
    source=SOURCE,
    words=WORDS,
    refuted={
        COMMITTED: Refuted(
            f"{SEALED}; {AGAIN}; {SIGNED}; and who deletes a branch may drop what was committed since it looked",
            (
                "commit-move-then-reset",
                "link.commit.restage.delete",
                "upload.delete-commit",
                "upload-commit.delete",
                "staged/delete-commit",
                "staged/resetx-commit",
                "staged/resetall-commit",
                "staged/drop-commit-fork",
            ),
        ),
        STAGED: Refuted(
            f"{AGAIN}; {CHECKED}; {SIGNED}",
            (
                "upload-reset",
                "link-reset",
                "staged/resetx-move",
                "staged/reset-move",
                "staged/reset-upload*",
                "staged/copy-reset",
                "staged/restage-delete",
            ),
        ),
        ONE: Refuted(
            f"{AGAIN}; {SIGNED}",
            (
                "upload-commit",
                "link-commit",
                "link.commit.restage.delete",
                "upload.delete-commit",
                "upload-commit.delete",
                "staged/upload-commit",
                "staged/copy-commit",
            ),
        ),
        ENDS_WITH_ONE: Refuted(
            f"{SEALED}; and a move that stops half-way leaves two entries",
            ("commit-move", "*-move/lost-answer", "*/move/crash", "*/move/lost-answer"),
        ),
        USABLE: Refuted("a lock outlives the one who holds it", ("stale-lock/*",)),
        GARBAGE: Refuted(
            LEFT,
            (
                "upload-upload",
                "upload-drop",
                "upload-resetx",
                "staged/resetx-upload",
                "staged/reset-move",
                "staged/reset-upload*",
                "staged/drop-move",
                "staged/drop-upload",
                "staged/upload-commit",
                "onto/move",
                "delete-move/lost-answer",
                "stale-lock/upload/crash",
                "stale-lock/upload/lost-answer",
                "stale-lock/delete/crash",
                "stale-lock/delete/lost-answer",
            ),
        ),
    },
)


def reading(name: str, refuted: Mapping[str, Refuted], **options: Hashable) -> Variant:
    """The proposal in another reading, of all flows that have the option."""
    return attrs.evolve(TEXT, name=f"{TEXT.name}-{name}", flows=bound(no_copies, **options), refuted=refuted)


def by_word(name: str, refuted: Mapping[str, Refuted], words: Mapping[str, Mapping[str, Hashable]]) -> Variant:
    """The proposal in another reading of the flows of some words."""
    return attrs.evolve(TEXT, name=f"{TEXT.name}-{name}", options=words, refuted=refuted)


UNLOCKED: Final = {"locks": False}
DELETE_CHECKS: Final = by_word(
    "delete_checks",
    {STAGED: Refuted("a delete that only looks for a lock deletes what is moved meanwhile", ("delete-move",))},
    {"delete": UNLOCKED},
)
MOVE_UNLOCKED: Final = by_word(
    "move_unlocked",
    {ENDS_WITH_ONE: Refuted("two moves at once make two entries", ("concurrent-move",))},
    {"move": UNLOCKED, "movez": UNLOCKED},
)
UPLOAD_CHECKS: Final = by_word(
    "upload_checks",
    {
        STAGED: Refuted(
            "an upload that only looks for a lock deletes what is moved meanwhile", ("staged/upload-move",)
        ),
        GARBAGE: Refuted("two uploads at once replace the same entry", ("staged/upload-*",)),
    },
    {"upload": UNLOCKED},
)
UPLOAD_BLIND: Final = by_word(
    "upload_any_token",
    {
        COMMITTED: Refuted("the entry that was locked is committed meanwhile", ("staged/upload-commit",)),
        ONE: Refuted(AGAIN, ("staged/upload-commit",)),
    },
    {"upload": {"checks_token": False}},
)
DELETE_TOKENS: Final = by_word(
    "delete_tokens",
    {COMMITTED: Refuted(SEALED, ("staged/delete-commit",))},
    {"delete": {"of": "tokens"}},
)
DELETE_ANY: Final = by_word(
    "delete_any",
    {
        COMMITTED: Refuted("the entry was committed", ("upload.commit.delete",)),
        ONE: Refuted("to be locked, a committed entry has to be staged", ("upload.commit.delete",)),
    },
    {"delete": {"of": "any"}},
)
MOVE_SAME: Final = by_word(
    "move_same_token",
    {
        ENDS_WITH_ONE: Refuted("a commit may take both entries of a move", ("commit-move",)),
        GARBAGE: Refuted(LEFT, ("commit-move-then-reset",)),
    },
    {"move": {"same_token": True}},
)
LEASED: Final = reading(
    "lease",
    {
        STAGED: Refuted(OVERTAKEN, ("staged/*-move*", "staged/move-*")),
        ENDS_WITH_ONE: Refuted(
            OVERTAKEN, ("concurrent-move/*", "stale-lock/move/crash", "stale-lock/move/lost-answer")
        ),
        GARBAGE: Refuted(
            f"{OVERTAKEN}; {LEFT}",
            ("staged/upload-*", "stale-lock/upload/[cl]*", "stale-lock/delete/[cl]*"),
        ),
    },
    lease=LEASE,
)
CAREFUL_OPTIONS: Final[Mapping[str, Hashable]] = {
    "exchanges": True,
    "fresh": True,
    "same_token": True,
    "checks_token": True,
    "claims": True,
    "by_tombstone": True,
}
CAREFUL: Final = reading(
    "careful",
    {
        COMMITTED: Refuted(SIGNED, ("link.commit.restage.delete",)),
        ONE: Refuted(SIGNED, ("link.commit.restage.delete",)),
        STAGED: Refuted(
            f"{SIGNED}; and a `SetIf` that is reported as failed is made again, after a delete",
            ("staged/restage-delete", "staged/upload-delete/false-predicate"),
        ),
        ENDS_WITH_ONE: Refuted(
            "a commit may take both entries of a move; and one that stops half-way leaves two",
            ("commit-move", "*-move/lost-answer", "*/move/crash", "*/move/lost-answer"),
        ),
        USABLE: Refuted("a lock outlives the one who holds it", ("stale-lock/*",)),
        GARBAGE: Refuted(
            f"who finds another token cannot tell what became of the entry, and deletes nothing; {LEFT}",
            (
                "upload-commit",
                "upload-reset*",
                "upload-drop",
                "link-commit",
                "link-reset",
                "upload.delete-commit",
                "upload-commit.delete",
                "staged/*-commit",
                "staged/resetx-upload",
                "staged/reset-move",
                "staged/reset-upload*",
                "staged/copy-reset",
                "staged/drop-move",
                "staged/drop-upload",
                "staged/upload-delete/false-predicate",
                "delete-move/lost-answer",
                "stale-lock/upload/*",
                "stale-lock/delete/[cl]*",
            ),
        ),
    },
    **CAREFUL_OPTIONS,
)
"""Writes are taken back by the token: who finds another one deletes nothing, and puts a new object."""
CAREFUL_LEASED: Final = reading(
    "careful_lease",
    {
        STAGED: Refuted(OVERTAKEN, ("staged/*",)),
        GARBAGE: Refuted(OVERTAKEN, ("staged/upload-move/*",)),
    },
    lease=LEASE,
    **CAREFUL_OPTIONS,
)


def paged(variant: Variant) -> Scenario:
    """A reset that scans two entries one by one, while one of them is overwritten."""
    return scenario(variant, "reset-upload", initially=["upload", "uploady"], paged=1, name="staged/reset-upload/paged")


ALONE: Final = [
    "upload-upload",
    "upload-commit",
    "upload-reset",
    "upload-drop",
    "upload-delete",
    "upload-resetx",
    "upload.upload",
    "upload.delete",
    "link-commit",
    "link-reset",
    "upload.commit.delete",
    "upload.commit.move.reset",
    "upload.commit.copymain.reset",
    "link.commit.restage.delete",
]
SAFE_PAIRS: Final = ["copy-delete", "delete-delete", "upload-upload", "upload-delete", "commit-reset"]
PAIRS: Final = [
    "delete-commit",
    "resetx-commit",
    "resetx-move",
    "resetx-upload",
    "reset-move",
    "reset-upload",
    "copy-reset",
    "drop-move",
    "drop-upload",
    "drop-commit-fork",
    "upload-move",
    "upload-commit",
    "copy-commit",
    "restage-delete",
    "move-moveback",
]

CROWDS: Final = ["upload-commit-reset", "upload-commit-delete", "delete-commit-reset", "upload-upload-delete"]


def crowds(variant: Variant) -> Iterator[Scenario]:
    """Three at once over one entry: whether data is kept."""
    for words in CROWDS:
        yield scenario(variant, words, initially=["upload"], only=(COMMITTED, STAGED), name=f"crowd/{words}", deep=True)


SCENARIOS = [
    *race(TEXT, "commit-move", initially="upload", name="commit-move"),
    *race(TEXT, "commit-move.reset", initially="upload", name="commit-move-then-reset", deep=True),
    *race(MOVE_SAME, "commit-move", initially="upload", name="commit-move"),
    *race(MOVE_SAME, "commit-move.reset", initially="upload", name="commit-move-then-reset", deep=True),
    *race(TEXT, "delete-move", {**NONE, **LOST, **FALSE}, initially="upload", name="delete-move"),
    *race(DELETE_CHECKS, "delete-move", initially="upload", name="delete-move"),
    *race(TEXT, "move-movez", {**NONE, **LOST, **FALSE}, initially="upload", name="concurrent-move"),
    *race(MOVE_UNLOCKED, "move-movez", initially="upload", name="concurrent-move"),
]
for each in ("upload", "delete", "move"):
    for variant, lease in ((TEXT, 0), (LEASED, LEASE), (CAREFUL, 0)):
        SCENARIOS += race(
            variant,
            each,
            {**CRASH, **LOST, **FALSE},
            initially="upload",
            name=f"stale-lock/{each}",
            after=[stays_usable(variant, lease)],
        )
SCENARIOS += [
    *races(TEXT, ALONE),
    *races(TEXT, ["upload-commit.delete"]),
    *races(TEXT, ["upload.delete-commit"], deep=True),
    *staged(TEXT, [*SAFE_PAIRS, *PAIRS]),
    *staged(TEXT, ["resetall-commit"], deep=True),
    *staged(TEXT, ["move"], CRASH),
    *races(TEXT, ["move"], initially="upload.uploady", under="onto/"),
    *[paged(each) for each in (TEXT, CAREFUL)],
    *staged(UPLOAD_CHECKS, ["upload-move", "upload-upload"]),
    *staged(UPLOAD_BLIND, ["upload-commit"]),
    *staged(DELETE_TOKENS, ["delete-commit"], deep=True),
    *races(DELETE_ANY, ["upload.commit.delete"]),
    *staged(LEASED, ["move-delete"], {**LATE, **SKEWED}),
    *staged(LEASED, ["delete-delete", "upload-delete"], SKEWED),
    *staged(LEASED, ["delete-delete", "upload-delete"], LATE, deep=True),
    *staged(LEASED, ["upload-move"], SKEWED),
    *staged(LEASED, ["upload-move"], LATE, deep=True),
    *race(LEASED, "move-movez", SKEWED, initially="upload", name="concurrent-move"),
    *race(LEASED, "move-movez", LATE, initially="upload", name="concurrent-move", deep=True),
    *staged(CAREFUL_LEASED, ["move-delete", "upload-move"], LATE, deep=True),
    *races(CAREFUL, ALONE),
    *races(CAREFUL, ["upload-commit.delete"]),
    *races(CAREFUL, ["upload.delete-commit"], deep=True),
    *staged(CAREFUL, [*SAFE_PAIRS, *PAIRS]),
    *staged(CAREFUL, ["resetall-commit"], deep=True),
    *race(CAREFUL, "commit-move", initially="upload", name="commit-move", deep=True),
    *race(CAREFUL, "delete-move", {**NONE, **LOST, **FALSE}, initially="upload", name="delete-move"),
    *race(CAREFUL, "move-movez", {**NONE, **LOST, **FALSE}, initially="upload", name="concurrent-move"),
    *staged(CAREFUL, ["upload-delete"], FALSE),
    *crowds(CAREFUL),
]
