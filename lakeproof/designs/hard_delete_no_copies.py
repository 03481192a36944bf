"""Proposal 5, no copies and locked entries, in the readings that its text allows.

The races that the text names keep its names: ``commit-move``, ``delete-move``, ``concurrent-move``, ``stale-lock``.
``-careful`` mends what can be mended without another protocol. While a move is under way two entries have one address,
both locked: in races with moves, that no two entries share one is checked only at the end.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from lakeproof.designs._hard_delete import COMMITTED, GARBAGE, ONE, STAGED, UPLOADED, ObjectDesign, moves
from lakeproof.designs.branch_designs import BRANCH, MAIN, X, Y
from lakeproof.designs.designs import Row, Word, rows, variant
from lakeproof.designs.races import CRASH, FALSE, FAULTY, LOST, NONE, PAGED, Before, Race, Refuted, fault, jump, path_of
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.flows import Flow, ObjectFlows
from lakeproof.impl.hard_delete import no_copies
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model.invariants import Afterwards, Finding, Reached, Violation, data
from lakeproof.model.snapshot import Outcome, Snapshot
from lakeproof.scenario import Aftermath, Faults

LATE: Final = jump(no_copies.LEASE + 1)
# The clock of the first client is ahead: it takes a lease of the other one for over.
SKEWED: Final = fault("clock-skew", Faults(clock_skew=(no_copies.LEASE + 1, 0)))
UNSURE: Final = NONE | LOST | FALSE

AN_UPLOAD: Final = Before("", "upload")
"""In races that the text names."""
CROWD: Final = Before("crowd/", "upload")
BOTH: Final = Before("staged/", "upload.upload:y")
RESEALED: Final = Before("sealed/", "upload.commit.upload.seal")
"""The path is committed and staged again, and a committer has stopped after it had sealed the token."""


def _stage_on_main(flows: ObjectFlows) -> Flow:
    """An address that was signed for b, on main."""
    stage = flows.stage_object
    # The branch of the word is where the address is looked up. It is staged at the same path of main.
    return partial(catalog.stage_again, stage=lambda env, at, _, path, to, data: stage(env, at, MAIN, path, to, data))


WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    "reset_entry": Word(lambda flows: flows.reset_entry, BRANCH, X),
    "reset_prefix": Word(lambda flows: flows.reset_prefix, BRANCH, path_of(b"", X, Y)),
    "stage_on_main": Word(_stage_on_main, BRANCH, X, X),
}

ENDS_WITH_ONE: Final = "address-ends-with-one-entry"
USABLE: Final = "entry-stays-usable"


def _ends_with_one(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    found = data.address_has_one_entry.check(snapshot)
    return [attrs.evolve(each, invariant=ENDS_WITH_ONE) if isinstance(each, Violation) else each for each in found]


AT_THE_END: Final = Aftermath(
    id=ENDS_WITH_ONE, meaning="at quiescence, no two live entries share an address", calls=[], check=_ends_with_one
)


@attrs.frozen(kw_only=True)
class OneEntryDesign(ObjectDesign):
    """A proposal in which no two live entries share an address."""

    one_entry: bool = True

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        settles = moves(race) and not {"delete_branch", "reset"} & set(race.words)
        return [*super().aftermath(race), *([AT_THE_END] if settles else [])]


def judge_uses(name: str, outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    """Whether calls without any rival were refused, for the invariant of this name. That nothing is at a path is an
    answer."""
    for outcome in outcomes:
        if outcome.error is not None and not isinstance(outcome.error, PathNotFound):
            return [Violation(name, f"no other client is left, and an operation is refused: {outcome.error!r}")]
    return [Reached("nothing is locked")]


def stays_usable(design: OneEntryDesign, lease: int) -> Aftermath:
    """An upload and a delete, after locks with a time have run out."""
    what = Afterwards(USABLE, "at quiescence, an entry can be overwritten and deleted")
    return design.after(what, ("upload", "delete"), partial(judge_uses, USABLE), clock_advance=2 * (lease + 1))


SEALED: Final = (
    "commits do not check locks: who has locked an entry goes on while it is committed, and only an upload "
    "looks whether the token has changed"
)
AGAIN: Final = (
    "a writer that finds another token stages the same address once more, and the entry that it has staged before is "
    "dropped by a reset, or committed"
)
CHECKED: Final = "a drop looks whether an entry is locked, and deletes its object later"
SIGNED: Final = "a signature says for which path an address is, and not that it was not used yet"
LEFT: Final = (
    "an object whose entry is overwritten unseen, dropped while it is locked, or sealed meanwhile, is left behind; "
    "and so is what a crash or a lost answer leaves behind"
)
OVERTAKEN: Final = "who is slow does not know that his lock has run out, and goes on"
HALVES: Final = "commit-move *-move/lost-answer */move/crash */move/lost-answer"
# "Stale lock problem", the text's fourth issue.
STALE: Final = Refuted("a lock outlives the one who holds it", "stale-lock/*")
BACK: Final = (
    "a reset of a path that is sealed stages the committed entry anew: its object is that of a commit, and is deleted "
    "with the entry"
)
HIDDEN: Final = "the object of a sealed entry that a reset hides is left behind"
USED: Final = Refuted(SIGNED, "link.commit.stage:x.delete")

TEXT: Final = OneEntryDesign(
    name="hard-delete/no_copies",
    flows=no_copies.FLOWS,
    source="hard-delete-uncommitted-data.md, 5. No Copies",
    words=WORDS,
    refuted={
        COMMITTED: Refuted(
            f"{SEALED}; {AGAIN}; {SIGNED}; {BACK}; "
            "and who deletes a branch may drop what was committed since it looked",
            "commit-move-then-reset link.commit.stage:x.delete upload.delete-commit upload-commit.delete "
            "staged/delete-commit staged/reset_entry-commit staged/reset_prefix-commit "
            "staged/delete_branch-commit-create_branch sealed/reset_entry.*",
        ),
        STAGED: Refuted(
            f"{AGAIN}; {CHECKED}; {SIGNED}",
            "upload-reset link-reset staged/reset_entry-move staged/reset-move staged/reset-upload* staged/copy-reset "
            "staged/stage:x-delete",
        ),
        ONE: Refuted(
            f"{AGAIN}; {SIGNED}; {BACK}",
            "upload-commit link-commit link.commit.stage:x.delete upload.delete-commit upload-commit.delete "
            "staged/upload-commit staged/copy-commit sealed/reset_entry*",
        ),
        GARBAGE: Refuted(
            f"{LEFT}; {HIDDEN}",
            "upload-upload upload-delete_branch upload-reset_entry staged/reset_entry-upload staged/reset-move "
            "staged/reset-upload* staged/delete_branch-move staged/delete_branch-upload staged/upload-commit onto/move "
            "delete-move/lost-answer stale-lock/upload/crash stale-lock/upload/lost-answer stale-lock/delete/crash "
            "stale-lock/delete/lost-answer sealed/reset_entry-commit",
        ),
        ENDS_WITH_ONE: Refuted(f"{SEALED}; and a move that stops half-way leaves two entries", HALVES),
        USABLE: STALE.but(
            also="staged/upload-commit.seal.reset_entry",
            reason="a lock is committed with its entry, and a reset stages it anew, held by no client",
        ),
    },
)

LOOKED: Final = Refuted("a delete that only looks for a lock deletes what is moved meanwhile", "delete-move")
DELETE_CHECKS: Final = variant(TEXT, "delete_checks", {STAGED: LOOKED}, reading=no_copies.DELETE_CHECKS)
TWO: Final = Refuted("two moves at once make two entries", "concurrent-move")
MOVE_UNLOCKED: Final = variant(TEXT, "move_unlocked", {ENDS_WITH_ONE: TWO}, reading=no_copies.MOVE_UNLOCKED)
MOVED: Final = Refuted("an upload that only looks for a lock deletes what is moved meanwhile", "staged/upload-move")
ONCE: Final = Refuted("two uploads at once replace the same entry", "staged/upload-*")
UPLOAD_CHECKS: Final = variant(TEXT, "upload_checks", {STAGED: MOVED, GARBAGE: ONCE}, reading=no_copies.UPLOAD_CHECKS)
BELOW: Final = (
    "the entry that an upload replaces is sealed: a commit that is under way holds it, and the token that the upload "
    "has seen stays the open one"
)
UPLOAD_TOKENS: Final = variant(
    TEXT,
    "upload_tokens",
    {
        COMMITTED: Refuted(BELOW, "staged/upload-commit"),
        ONE: Refuted(AGAIN, "staged/upload-commit"),
        STAGED: Refuted(AGAIN, "sealed/upload-reset"),
        GARBAGE: Refuted(LEFT, "staged/upload-commit sealed/upload-reset"),
    },
    reading=no_copies.UPLOAD_TOKENS,
)
RESET_COPIES: Final = variant(
    TEXT, "reset_copies", {GARBAGE: Refuted(HIDDEN, "sealed/reset_entry-commit")}, reading=no_copies.RESET_COPIES
)
TAKEN: Final = Refuted("the entry that was locked is committed meanwhile", "staged/upload-commit")
TWICE: Final = Refuted(AGAIN, "staged/upload-commit")
UPLOAD_BLIND: Final = variant(
    TEXT, "upload_any_token", {COMMITTED: TAKEN, ONE: TWICE}, reading=no_copies.UPLOAD_ANY_TOKEN
)
GOES_ON: Final = Refuted(SEALED, "staged/delete-commit")
DELETE_TOKENS: Final = variant(TEXT, "delete_tokens", {COMMITTED: GOES_ON}, reading=no_copies.DELETE_TOKENS)
COMMITTED_ENTRY: Final = Refuted("the entry was committed", "upload.commit.delete")
RESTAGED: Final = Refuted("to be locked, a committed entry has to be staged", "upload.commit.delete")
DELETE_ANY: Final = variant(
    TEXT, "delete_any", {COMMITTED: COMMITTED_ENTRY, ONE: RESTAGED}, reading=no_copies.DELETE_ANY
)
UNSEEN: Final = Refuted(LEFT, "commit-move-then-reset")
BOTH_TAKEN: Final = Refuted("a commit may take both entries of a move", "commit-move")
MOVE_SAME: Final = variant(
    TEXT, "move_same_token", {GARBAGE: UNSEEN, ENDS_WITH_ONE: BOTH_TAKEN}, reading=no_copies.MOVE_SAME_TOKEN
)
LEASED: Final = variant(
    TEXT,
    "lease",
    {
        STAGED: Refuted(OVERTAKEN, "staged/*-move* staged/move-*"),
        # ``[cl]*``: crash and lost-answer, and not false-predicate.
        GARBAGE: Refuted(f"{OVERTAKEN}; {LEFT}", "staged/upload-* stale-lock/upload/[cl]* stale-lock/delete/[cl]*"),
        ENDS_WITH_ONE: Refuted(OVERTAKEN, "concurrent-move/* stale-lock/move/crash stale-lock/move/lost-answer"),
    },
    reading=no_copies.LEASED,
)
CAREFUL: Final = variant(
    TEXT,
    "careful",
    {
        COMMITTED: USED,
        ONE: USED,
        STAGED: Refuted(
            f"{SIGNED}; and a `SetIf` that is reported as failed is made again, after a delete",
            "staged/stage:x-delete staged/upload-delete/false-predicate",
        ),
        GARBAGE: Refuted(
            "who finds another token cannot tell what became of the entry, and deletes nothing; a lock that was set, "
            f"and reported as failed, passes for another's; {LEFT}; {HIDDEN}",
            "upload-commit upload-reset* upload-delete_branch link-commit link-reset upload.delete-commit "
            "upload-commit.delete staged/*-commit staged/reset_entry-upload staged/reset-move staged/reset-upload* "
            "staged/copy-reset staged/delete_branch-move staged/delete_branch-upload sealed/reset_entry-commit "
            "staged/upload-delete/false-predicate staged/delete_branch-delete_branch/* delete-move/lost-answer "
            "stale-lock/upload/* stale-lock/delete/[cl]*",
        ),
        ENDS_WITH_ONE: Refuted(
            "a commit may take both entries of a move; and one that stops half-way leaves two", HALVES
        ),
        USABLE: STALE,
    },
    reading=no_copies.CAREFUL,
)
LATER: Final = {STAGED: Refuted(OVERTAKEN, "staged/*"), GARBAGE: Refuted(OVERTAKEN, "staged/upload-move/*")}
CAREFUL_LEASED: Final = variant(TEXT, "careful_lease", LATER, reading=no_copies.CAREFUL_LEASED)

ALONE: Final = (
    "upload-upload upload-commit upload-reset upload-delete_branch upload-delete upload-reset_entry upload.upload "
    "upload.delete link-commit link-reset upload.commit.delete upload.commit.move.reset "
    "upload.commit.copy@main:x.reset link.commit.stage:x.delete upload-commit.delete"
)
PAIRS: Final = (
    "copy-delete delete-delete upload-upload upload-delete commit-reset delete-commit reset_entry-commit "
    "reset_entry-move reset_entry-upload reset-move reset-upload copy-reset delete_branch-move delete_branch-upload "
    "delete_branch-commit-create_branch upload-move upload-commit copy-commit stage:x-delete move-move_back"
)
CROWDS: Final = "upload-commit-reset upload-commit-delete delete-commit-reset upload-upload-delete"


def resets_of_sealed(design: OneEntryDesign) -> Iterator[Row]:
    """A reset of a path that a committer has sealed: what is committed is staged anew."""
    yield from rows(design, "reset_entry.delete reset_entry.reset reset_entry.upload delete_branch", NONE, RESEALED)
    yield from rows(design, "reset_entry-commit", NONE, RESEALED, deep=True)
    usable, race = (stays_usable(design, 0),), "upload-commit.seal.reset_entry"
    yield from rows(design, race, NONE, UPLOADED, more=usable, only=USABLE, deep=design is not TEXT)


ROWS = [
    *rows(TEXT, "commit-move", NONE, AN_UPLOAD, name="commit-move"),
    *rows(TEXT, "commit-move.reset", NONE, AN_UPLOAD, name="commit-move-then-reset", deep=True),
    *rows(MOVE_SAME, "commit-move", NONE, AN_UPLOAD, name="commit-move"),
    *rows(MOVE_SAME, "commit-move.reset", NONE, AN_UPLOAD, name="commit-move-then-reset", deep=True),
    *rows(TEXT, "delete-move", UNSURE, AN_UPLOAD, name="delete-move"),
    *rows(DELETE_CHECKS, "delete-move", NONE, AN_UPLOAD, name="delete-move"),
    *rows(TEXT, "move-move:z", UNSURE, AN_UPLOAD, name="concurrent-move"),
    *rows(MOVE_UNLOCKED, "move-move:z", NONE, AN_UPLOAD, name="concurrent-move"),
    *(
        row
        for word in ("upload", "delete", "move")
        for design, lease in ((TEXT, 0), (LEASED, no_copies.LEASE), (CAREFUL, 0))
        for row in rows(design, word, FAULTY, AN_UPLOAD, name=f"stale-lock/{word}", more=(stays_usable(design, lease),))
    ),
    *rows(TEXT, ALONE, NONE),
    *rows(TEXT, "upload.delete-commit", NONE, deep=True),
    *rows(TEXT, PAIRS, NONE, UPLOADED),
    *rows(TEXT, "reset_prefix-commit", NONE, UPLOADED, deep=True),
    *rows(TEXT, "stage_on_main", NONE, UPLOADED),
    *rows(TEXT, "move", CRASH, UPLOADED),
    *rows(TEXT, "move", NONE, Before("onto/", "upload.upload:y")),
    # A reset that scans two entries one by one, while one of them is overwritten.
    *rows(attrs.evolve(TEXT, one_entry=False), "reset-upload", PAGED, BOTH, paged=1),
    *rows(attrs.evolve(CAREFUL, one_entry=False), "reset-upload", PAGED, BOTH, paged=1),
    *rows(UPLOAD_CHECKS, "upload-move upload-upload", NONE, UPLOADED),
    *rows(UPLOAD_BLIND, "upload-commit", NONE, UPLOADED),
    *rows(DELETE_TOKENS, "delete-commit", NONE, UPLOADED, deep=True),
    *rows(DELETE_ANY, "upload.commit.delete", NONE),
    *rows(LEASED, "move-delete", LATE | SKEWED, UPLOADED),
    *rows(LEASED, "delete-delete upload-delete", SKEWED, UPLOADED),
    *rows(LEASED, "delete-delete upload-delete", LATE, UPLOADED, deep=True),
    *rows(LEASED, "upload-move", SKEWED, UPLOADED),
    *rows(LEASED, "upload-move", LATE, UPLOADED, deep=True),
    *rows(LEASED, "move-move:z", SKEWED, AN_UPLOAD, name="concurrent-move"),
    *rows(LEASED, "move-move:z", LATE, AN_UPLOAD, name="concurrent-move", deep=True),
    *rows(CAREFUL_LEASED, "move-delete upload-move", LATE, UPLOADED, deep=True),
    *rows(CAREFUL, ALONE, NONE),
    *rows(CAREFUL, "upload.delete-commit", NONE, deep=True),
    *rows(CAREFUL, PAIRS, NONE, UPLOADED),
    *rows(CAREFUL, "reset_prefix-commit", NONE, UPLOADED, deep=True),
    *rows(CAREFUL, "commit-move", NONE, AN_UPLOAD, name="commit-move", deep=True),
    *rows(CAREFUL, "delete-move", UNSURE, AN_UPLOAD, name="delete-move"),
    *rows(CAREFUL, "move-move:z", UNSURE, AN_UPLOAD, name="concurrent-move"),
    *rows(CAREFUL, "upload-delete delete_branch-delete_branch", FALSE, UPLOADED),
    *rows(UPLOAD_TOKENS, "upload-commit", NONE, UPLOADED),
    *rows(UPLOAD_TOKENS, "upload upload-reset", NONE, RESEALED),
    *(row for design in (TEXT, RESET_COPIES, CAREFUL) for row in resets_of_sealed(design)),
    # Three at once over one entry: whether data is kept.
    *rows(CAREFUL, CROWDS, NONE, CROWD, only=f"{COMMITTED} {STAGED}", deep=True),
]
