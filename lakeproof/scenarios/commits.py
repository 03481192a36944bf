"""Commit in three variants, among writers, readers, resetters and deleters of its branch."""

from typing import Final

from lakeproof.impl.graveler import lock_free, locked, optimistic, resetting
from lakeproof.scenario import Faults, Flow
from lakeproof.scenarios._branch_data import FAULTS, PAGED, Variant, scenarios
from lakeproof.scenarios._life_cycle import Refuted

SOURCE: Final = "graveler-on-kv.md, Update Commits, staging and lock-free"
LEASE: Final = 60_000_000  # microseconds

NOBODYS_PROGRESS: Final = Refuted(
    "a `SetIf` that is applied and reported as failed is a defeat by nobody: the committer starts over, finds its "
    "tokens committed, by itself, and makes an empty commit on its own",
    ("*commit*commit*/false-predicate",),
)

UNSURE: Final = (
    "a `SetIf` under a staging token is applied and reported as failed, its token is committed and dropped, and "
    "nothing is left by which the writer could recognise its own"
)

LOCK_FREE: Final = Variant(
    name="commits/lock-free",
    commit=lock_free.commit,
    source=SOURCE,
    refuted={
        "commit-makes-progress": NOBODYS_PROGRESS,
        "refused-write-is-absent": Refuted(UNSURE, ("add-add-commit/false-predicate",)),
        "linearizable": Refuted(
            "a write that comes late to a sealed token is seen by who reads through it, and gone when that token has "
            "been committed without it, until its writer tries again",
            ("write-commit-read.read",),
        ),
    },
)

KEEPING: Final = Variant(
    name="commits/lock-free-keeps-staged",
    commit=lock_free.commit,
    source=SOURCE,
    options={"commit": {"drops": False, "tries": 4}},
    refuted={"commit-makes-progress": NOBODYS_PROGRESS},
)
"""Staged entries stay where they are when they are committed: the text drops none. Smaller, for larger races."""

REPAIRED: Final = Variant(
    name="commits/lock-free-knows-its-own",
    commit=lock_free.commit,
    source=SOURCE + " (ours: a committer that recognises its own commit)",
    options={"commit": {"knows_its_own": True}},
)
"""Whoever was beaten looks first whether the head is what it has just made."""

TAKEN: Final = Variant(
    name="commits/lock-free-returns-head",
    commit=lock_free.commit,
    source=SOURCE,
    options={"commit": {"taken": "head"}},
)
"""A committer whose tokens were all taken returns the head that took them, and makes no empty commit."""

ONCE: Final = (
    "a token that was read before it was sealed may have been committed, and dropped, before the write or the read came"
)

SINGLE_READ: Final = Variant(
    name="commits/lock-free-single-read",
    commit=lock_free.commit,
    source=SOURCE + " (negative control: no second read of the branch)",
    options={word: {"rereads": False} for word in ("write", "cached", "remove", "read", "list")},
    refuted={
        "acknowledged-write-is-kept": Refuted(ONCE, ("write-commit*", "cached-commit*")),
        "acknowledged-delete-is-kept": Refuted(ONCE, ("write.commit-remove*",)),
        "read-is-legal": Refuted(ONCE, ("write.commit-read*", "write.commit-list*", "write.commit-remove-read*")),
    },
)

KEPT_TOKEN: Final = Variant(
    name="commits/lock-free-reset-keeps-token",
    commit=lock_free.commit,
    source=SOURCE + " (a reset that leaves the branch its token: the record may return to a value that it has had)",
    options={"reset": {"fresh_token": False}},
)

FORGETFUL: Final = Variant(
    name="commits/lock-free-create-forgets",
    commit=lock_free.commit,
    source=SOURCE + " (create only if absent, as written)",
    options={"add": {"knows_its_own": False}, "swap": {"knows_its_own": False}},
    refuted={
        "refused-write-is-absent": Refuted(
            "the token changed under the writer, which tries again, finds what it wrote itself, sealed or committed "
            "by now, and takes it for somebody else's",
            ("add-*commit*", "swap-*commit*"),
        ),
    },
)

REMOVED: Final = (
    "the change is deleted under a token that was sealed and scanned meanwhile; nothing is left by which a reset could "
    "see that the commit on its way has it"
)
IN_PLACE_RACES: Final = ("*commit-resetx*", "*commit-resetall*")

RESET_IN_PLACE: Final = Variant(
    name="commits/lock-free-reset-in-place",
    commit=lock_free.commit,
    source=SOURCE + " (a reset of a path that deletes the change where it is staged)",
    options={word: {"forgets": resetting.IN_PLACE} for word in ("resetx", "resetall")},
    refuted={
        "acknowledged-reset-is-kept": Refuted(REMOVED, IN_PLACE_RACES),
        "linearizable": Refuted(f"{REMOVED}; a read that found nothing is taken back", ("*.read.read", "*-read.read")),
    },
)

RESET_OPEN_ONLY: Final = Variant(
    name="commits/lock-free-reset-open-only",
    commit=lock_free.commit,
    source=SOURCE + " (a reset of a path that does not look at sealed tokens)",
    options={word: {"forgets": resetting.OPEN_ONLY} for word in ("resetx", "resetall")},
    refuted={"acknowledged-reset-is-kept": Refuted(REMOVED, IN_PLACE_RACES)},
)

OVER_RESETS: Final = (
    "a commit that began before a reset holds what was reset: hidden, until the restoration is reset, too"
)

FORGETS_RESETS: Final = Variant(
    name="commits/lock-free-forgets-resets",
    commit=lock_free.commit,
    source=SOURCE + " (negative control: a committer that was beaten by a reset does not look at what it restored)",
    options={"commit": {"respects_resets": False}},
    refuted={
        "acknowledged-reset-is-kept": Refuted(OVER_RESETS, ("commit-resetx.read.resetx.read*",)),
        "linearizable": Refuted(OVER_RESETS, ("commit-resetx.read.resetx.read*",)),
    },
)

OPTIMISTIC: Final = Variant(
    name="commits/optimistic",
    commit=optimistic.commit,
    source=SOURCE + ", Step 3 of the plan",
    options={"commit": {"drops": False, "tries": 3}},
    refuted={
        "commit-makes-progress": Refuted(
            "who is beaten seals anew, which beats the other: nothing bounds how often",
            ("commit-commit*", "write.commit-commit*"),
        ),
    },
)

UNSEALED: Final = Variant(
    name="commits/optimistic-unsealed",
    commit=optimistic.commit,
    source=SOURCE + ", Step 3 of the plan (without sealed tokens)",
    options={"commit": {"seals": False, "tries": 3}},
    refuted={
        "acknowledged-write-is-kept": Refuted(
            "what is staged between the scan and the `SetIf` is under a token that nobody will read again",
            ("write-commit*", "write.commit-commit*"),
        ),
        "commit-is-causal": Refuted(
            "and so a later commit does not hold it either",
            ("write.commit-commit*",),
        ),
    },
)

STUCK: Final = Refuted(
    "nobody takes the lock from a holder that crashed, or whose `delete` or answer was lost",
    ("*/crash", "*/lost-answer", "*/false-predicate"),
)

_LOCKING: Final[dict[str, Flow]] = {
    "write": locked.set_entry,
    "writey": locked.set_entry,
    "remove": locked.delete_entry,
}

LOCKED: Final = Variant(
    name="commits/locked",
    commit=locked.commit,
    source="graveler-on-kv.md, Tables",
    flows=_LOCKING,
    beatable=False,
    refuted={"branch-stays-committable": STUCK},
)

OUTLIVED: Final = "who was only slow goes on after its lease, and so does who took the lock over: neither asks again"

LEASED: Final = Variant(
    name="commits/locked-leased",
    commit=locked.commit,
    source="graveler-on-kv.md, Tables (ours: a lock that expires)",
    flows=_LOCKING,
    options={word: {"lease": LEASE} for word in ("commit", *_LOCKING)},
    beatable=False,
    refuted={
        "acknowledged-write-is-kept": Refuted(OUTLIVED, ("write-commit*",)),
        "commits-form-one-line": Refuted(OUTLIVED, ("commit-commit*",)),
    },
)
JUMP: Final = {"/clock-jump": Faults(clock_jumps=(LEASE + 1,))}

NO_FALSE: Final = {suffix: FAULTS[suffix] for suffix in ("", "/crash", "/lost-answer")}
NONE: Final = {"": Faults()}
HARD: Final = {suffix: FAULTS[suffix] for suffix in ("/crash", "/lost-answer")}
FAULTY: Final = {suffix: FAULTS[suffix] for suffix in ("/crash", "/lost-answer", "/false-predicate")}

REFUSED: Final = {"/refusal": Faults(refusals=1)}
LATE: Final = {"/late-write": Faults(lost_answers=1, duplicates=1)}
STAGED: Final = ["write"]
STAGED_OVER: Final = ["write", "commit", "write"]
OVER: Final = {"/over-committed": Faults()}
"""What the path is before a reset: one uncommitted change, over nothing or over a committed entry."""

RESET_RACES: Final = ["commit-resetx.read", "commit-resetall.read", "commit-reset.read"]
DECIDED: Final = ("head-exists", "token-has-one-owner", "commits-form-one-line", "acknowledged-reset-is-kept")
"""What is asked under refusals: a call whose last effects are refused has taken place, and says that it has not."""

RESETTING: Final = [
    *scenarios(LOCK_FREE, RESET_RACES, {**FAULTS, **LATE}, initially=STAGED),
    *scenarios(LOCK_FREE, RESET_RACES, REFUSED, initially=STAGED, only=DECIDED),
    *scenarios(LOCK_FREE, RESET_RACES, OVER, initially=STAGED_OVER),
    *scenarios(LOCK_FREE, ["commit-resetx.read.resetx.read", "commit-resetx.reset.read"], NO_FALSE, initially=STAGED),
    *scenarios(LOCK_FREE, ["commit-resetx.read.resetx.read"], OVER, initially=STAGED_OVER),
    *scenarios(LOCK_FREE, ["commit-resetx-read.read"], NO_FALSE, initially=STAGED),
    *scenarios(LOCK_FREE, ["commit-resetx.commit.read", "commit-resetx-resetx.read"], NONE, initially=STAGED),
    *scenarios(LOCK_FREE, ["write-resetx.read", "read.write.read-resetx", "writey-resetx"], initially=STAGED),
    *scenarios(LOCK_FREE, ["write-commit-resetx.read", "write.commit-resetx.read"], NONE, initially=STAGED),
    *scenarios(LOCK_FREE, ["writey.commit-resetall.list"], PAGED, initially=STAGED, paged=1),
    *scenarios(OPTIMISTIC, ["commit-resetx.read.resetx.read", "commit-resetall.read"], NO_FALSE, initially=STAGED),
    *scenarios(RESET_IN_PLACE, ["commit-resetx.read", "commit-resetall.read"], NONE, initially=STAGED),
    *scenarios(RESET_IN_PLACE, ["commit-resetx.read.read", "commit-resetx-read.read"], NONE, initially=STAGED),
    *scenarios(RESET_OPEN_ONLY, ["commit-resetx.read", "commit-resetall.read"], NONE, initially=STAGED),
    *scenarios(FORGETS_RESETS, ["commit-resetx.read.resetx.read"], NONE, initially=STAGED),
]
DEEP_RESETTING: Final = [
    *scenarios(
        LOCK_FREE, ["commit-resetx.commit.read", "commit-resetx-resetx.read"], FAULTY, initially=STAGED, deep=True
    ),
    *scenarios(
        LOCK_FREE,
        ["commit-resetx.read.resetx.read", "commit-resetx-read.read"],
        {"/false-predicate": FAULTS["/false-predicate"], **LATE},
        initially=STAGED,
        deep=True,
    ),
    *scenarios(LOCK_FREE, ["write-commit-resetx.read"], FAULTY, initially=STAGED, deep=True),
    *scenarios(
        LOCK_FREE, ["commit-commit-resetx.read", "write-commit-resetx-resetx"], NONE, initially=STAGED, deep=True
    ),
]

SCENARIOS = [
    *scenarios(
        LOCK_FREE,
        [
            "commit-commit",
            "write-commit",
            "write-write-commit",
            "write.commit-read",
            "write.commit-list",
            "write.commit-remove",
            "write.commit-reset",
            "write.commit-resetx",
            "write.commit-drop",
            "write-commit-reset",
            "write-commit-resetall",
            "write-commit-drop-branch",
            "write-commit-read",
            "cached-commit",
            "add-commit",
        ],
    ),
    *scenarios(LOCK_FREE, ["add-add-commit", "add-remove-commit"], NONE),
    *scenarios(LOCK_FREE, ["add-add-commit", "add-remove-commit"], FAULTY, deep=True),
    *scenarios(LOCK_FREE, ["write.remove-commit", "write.commit-remove-read"], NO_FALSE),
    *scenarios(LOCK_FREE, ["write-commit-commit", "write.commit-write.commit"], NONE),
    *scenarios(LOCK_FREE, ["write-commit-commit", "write.commit-write.commit"], HARD, deep=True),
    *scenarios(LOCK_FREE, ["write-read.read", "write-commit-read.read", "write.commit-read.read"], NONE),
    *scenarios(LOCK_FREE, ["swap-commit"], NO_FALSE, initially=["write"]),
    *scenarios(LOCK_FREE, ["swap-swap-commit"], NONE, initially=["write"]),
    *scenarios(LOCK_FREE, ["swap-swap-commit"], HARD, initially=["write"], deep=True),
    *scenarios(LOCK_FREE, ["write.writey.commit-list", "write-writey-commit"], PAGED, paged=1),
    *scenarios(LOCK_FREE, ["write.writey.commit-read"], {"/paged-by-two": Faults()}, paged=2),
    *scenarios(KEEPING, ["write-commit"], NONE),
    *scenarios(KEEPING, ["write-commit-commit"], NONE, deep=True),
    *scenarios(TAKEN, ["commit-commit"], NO_FALSE),
    *scenarios(TAKEN, ["write.commit-write.commit"], NONE),
    *scenarios(TAKEN, ["write.commit-write.commit"], FAULTY, deep=True),
    *scenarios(TAKEN, ["commit-commit"], {"/false-predicate": FAULTS["/false-predicate"]}),
    *scenarios(SINGLE_READ, ["write-commit", "write.commit-read", "write.commit-list"], NONE),
    *scenarios(SINGLE_READ, ["write.commit-remove-read", "cached-commit"], NONE),
    *scenarios(LOCK_FREE, ["reset-reset-commit", "write-reset-reset"], NONE),
    *scenarios(LOCK_FREE, ["reset-reset-commit", "write-reset-reset"], HARD, deep=True),
    *scenarios(KEPT_TOKEN, ["reset-reset-commit", "write-reset-reset"], NONE),
    *scenarios(KEPT_TOKEN, ["write.commit-reset", "write-commit-reset"], NONE),
    *scenarios(FORGETFUL, ["add-commit", "add-add-commit"], NONE),
    *scenarios(FORGETFUL, ["swap-commit", "swap-swap-commit"], NONE, initially=["write"]),
    *scenarios(REPAIRED, ["commit-commit", "write-commit"]),
    *scenarios(REPAIRED, ["write.commit-commit"], NONE, deep=True),
    *scenarios(REPAIRED, ["write.commit-commit"], FAULTY, deep=True),
    *scenarios(OPTIMISTIC, ["write-commit"]),
    *scenarios(OPTIMISTIC, ["commit-commit"], NO_FALSE),
    *scenarios(OPTIMISTIC, ["write.commit-commit"], NONE, deep=True),
    *scenarios(OPTIMISTIC, ["write.commit-commit"], FAULTY, deep=True),
    *scenarios(OPTIMISTIC, ["write-commit-reset"], NONE),
    *scenarios(UNSEALED, ["write-commit", "write.commit-commit"], NONE),
    *scenarios(LOCKED, ["commit-commit", "write-commit"]),
    *scenarios(LOCKED, ["write.commit-write.commit"], NONE),
    *scenarios(LOCKED, ["write.commit-write.commit"], FAULTY, deep=True),
    *scenarios(LEASED, ["write-commit", "commit-commit"], JUMP),
    *scenarios(LOCK_FREE, ["write.commit-write.commit-remove", "write.remove.commit-commit"], NO_FALSE, deep=True),
    *scenarios(KEEPING, ["commit-commit-commit", "write-writey-commit-commit"], NO_FALSE, deep=True),
    *scenarios(KEEPING, ["write-commit-commit-reset"], NO_FALSE, deep=True),
    *scenarios(KEEPING, ["write-writey-commit-commit-drop"], {"": Faults(), "/crash": Faults(crashes=1)}, deep=True),
    *RESETTING,
    *DEEP_RESETTING,
]
