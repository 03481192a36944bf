"""Operations on objects, one after the other, by a single client: every proposal follows one specification.

Here the proposals differ in what they refuse on principle and in what they leave behind, and in nothing that a user
sees. Each sequence runs alone, and with one fault of each kind.

Example: ``upload.stage.read:y``, an upload to x, whose address is then staged at y, and a read of y::

    proposal                                                    stage                      read of y      its `Terms`
    today, reference_counter, reference_tracking, offline       y: the object of x         the content    ANYTHING
    object_path                                                 y: a copy                  the content    COPIED_IN
    no_copies: the address was issued for x                     AddressNotAllowed          PathNotFound   OWN_PATH
    token_states, online: it lies in the namespace              AddressNotAllowed          PathNotFound   OUTSIDE_ONLY

"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

import attrs

from lakeproof.designs import hard_delete_no_copies as no_copies
from lakeproof.designs import hard_delete_object_path as object_path
from lakeproof.designs import hard_delete_offline as offline
from lakeproof.designs import hard_delete_online as online
from lakeproof.designs import hard_delete_reference_counter as counter
from lakeproof.designs import hard_delete_reference_tracking as tracking
from lakeproof.designs import hard_delete_today as today
from lakeproof.designs import hard_delete_token_states as tokens
from lakeproof.designs._hard_delete import GARBAGE, ObjectDesign
from lakeproof.designs.branch_designs import AT, BRANCH, MAIN, TO, X
from lakeproof.designs.designs import HOLDS, Row, Speaker, Word, build_scenarios, recast, rows
from lakeproof.designs.races import NONE, Race, Refuted, after, fault, jump
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.errors import AddressNotAllowed
from lakeproof.impl.flows import ObjectFlows
from lakeproof.impl.hard_delete.staging_area import find_object as find_listed
from lakeproof.impl.refs.branches import create_branch
from lakeproof.model.calls import CallArguments, arguments_by_role
from lakeproof.model.invariants import Afterwards, Finding, Invariant, Reached, Violation, data, objects_alone
from lakeproof.model.invariants.jobs import job_tells_what_it_deleted
from lakeproof.model.invariants.objects_alone import Terms, object_call_is_as_specified
from lakeproof.model.records import StagedEntry
from lakeproof.model.references import repositories
from lakeproof.model.snapshot import Outcome, Snapshot
from lakeproof.scenario import Aftermath, Faults, Scenario

WORDS: Final[Mapping[str, Word[ObjectFlows]]] = {
    # None: the proposal creates branches as today.
    "create_branch": Word(lambda flows: flows.create_branch or create_branch, "c", BRANCH),
    "read@c": Word(lambda flows: flows.read_object, "c", AT),
    "reset_entry": Word(lambda flows: flows.reset_entry, BRANCH, X),
}


KEPT: Final = "job-keeps-what-is-shown"
KEPT_MEANING: Final = "at quiescence, plus one run of the background job after its grace time, all that is shown exists"


def _judge_existence(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    found = [*data.committed_data_is_kept.check(snapshot), *data.staged_data_is_kept.check(snapshot)]
    lost = [attrs.evolve(each, invariant=KEPT) for each in found if isinstance(each, Violation)]
    return lost or [Reached("all that is shown exists")]


def existence_checks(checks: Sequence[Aftermath]) -> Sequence[Aftermath]:
    """After the runs of the job that a design asks for: all that is shown exists."""
    # The first is that of garbage, after the runs of the job. A second one would get the same id.
    return [attrs.evolve(each, id=KEPT, meaning=KEPT_MEANING, check=_judge_existence) for each in checks[:1]]


CLEARED: Final = Afterwards(
    "bookkeeping-is-cleared",
    "where nothing is committed, and the branch is reset and deleted, and the background job has run after its grace "
    "time, no staged entry and no record about objects is left",
)


def _judge_cleared(lasting: tuple[bytes, ...], outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> Sequence[Finding]:
    # A record of an object that is there may be needed. Whether that is garbage is for another check.
    if any(view.data() for view in repositories(snapshot)):
        return [Reached("there are objects")]
    left = sorted(
        str(at)
        for at, stored in snapshot.store.items()
        # bytes: a record that the key schema does not know, such as a reference.
        if isinstance(stored, bytes | StagedEntry) and not any(each in b"/".join(at) for each in lasting)
    )
    evidence = f"there are no objects, and these records are left: {', '.join(left)}"
    return [Violation(CLEARED.id, evidence) if left else Reached("nothing is left")]


_TOKENS: Final = (b"staging/deleted/",)
_LISTS: Final = (*_TOKENS, b"references/", b"staging/issued/")
LASTING: Final[Mapping[str, tuple[bytes, ...]]] = {
    "hard-delete/online": (b"/heads",),
    "hard-delete/online-untimed": (b"/heads",),
    **{f"hard-delete/token_states{name}": _TOKENS for name in ("", "-by_address", "-entries", "-entries_spared")},
    "hard-delete/token_states-by_commit": _TOKENS,
    "hard-delete/token_states-mended": _LISTS,
}
"""Parts of the keys of records that stay for good, by design: no text says that they go."""


@attrs.frozen(kw_only=True)
class _Alone(ObjectDesign):
    """A proposal, used by one client."""

    judged: ObjectDesign
    terms: Terms

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        # With faults a call may fail for a reason of the store, which the specification does not know.
        terms = attrs.evolve(self.terms, faults=race.faults != Faults())
        specified = object_call_is_as_specified(terms, (MAIN, BRANCH), self.arguments_before(race))
        return [specified, *([job_tells_what_it_deleted] if "job" in race.words else [])]

    def arguments_before(self, race: Race) -> Iterator[CallArguments]:
        """The calls before the race."""
        for position, word in enumerate(race.before):
            call = self.call(word, Speaker("s", position))
            yield arguments_by_role(call.name, call.args)

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        checks = self.judged.aftermath(race)
        runs = 0 if self.flows.background_job is None else 2 * self.judged.jobs
        words = ("reset", "delete_branch", *["job"] * runs)
        check = partial(_judge_cleared, LASTING.get(self.judged.name, ()))
        cleared = self.after(CLEARED, words, check, clock_advance=self.judged.grace)
        return [
            *checks,
            *existence_checks(checks),
            *([cleared] if "delete_branch" not in (*race.before, *race.words) else []),
        ]

    def adapt(self, scenario: Scenario) -> Scenario:
        return self.judged.adapt(scenario)


SPECIFIED: Final = objects_alone.ID


LISTED: Final[Mapping[str, Word[ObjectFlows]]] = {
    "stage": Word(lambda flows: partial(catalog.stage_again, stage=flows.stage_object, find=find_listed), BRANCH, TO, X)
}
"""Staging again of an object that only a listing shows."""


def alone(design: ObjectDesign, terms: Terms, refuted: Mapping[str, Refuted] = HOLDS) -> _Alone:
    """A design as its only user sees it."""
    words = {**design.words, **WORDS, **(LISTED if isinstance(design, object_path.PathDesign) else {})}
    return recast(design, _Alone, "-alone", words=words, refuted=refuted, judged=design, terms=terms)


ANYTHING: Final = Terms()
COPIED_IN: Final = Terms(copies_in=True)
OWN_PATH: Final = Terms(stages="its own path", refusal=AddressNotAllowed)
OUTSIDE_ONLY: Final = Terms(stages="what is outside", refusal=AddressNotAllowed)

ON_NOTHING: Final = "upload.read.upload.delete link.read.reset copy.move.delete.read.commit.reset"
ON_AN_UPLOAD: Final = (
    "copy.delete.read:y move.read.read:y stage.stage:x stage.delete.read:y upload.reset.read link.commit.read "
    "delete_branch.upload copy@main:x.delete_branch.read@main delete.delete"
)
ON_A_COMMIT: Final = (
    "upload.reset.read delete.commit.read move.reset.read:y copy.delete.commit create_branch.delete_branch"
)
ON_A_CHANGE: Final = "reset.read commit.read delete.commit"
ON_THREE: Final = "commit.read:y reset.read:y delete_branch"
ON_A_FOREIGN: Final = "read.copy.delete stage@outside.read reset.upload move.delete_branch"
ON_NO_BRANCH: Final = "upload.link.copy.move.read.delete.stage.commit.reset.delete_branch"


def each_alone(design: ObjectDesign, terms: Terms, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    """Operations after operations."""
    one = alone(design, terms, refuted)
    yield from rows(one, ON_NOTHING)
    yield from rows(one, ON_AN_UPLOAD, NONE, after("upload"))
    yield from rows(one, ON_A_COMMIT, NONE, after("upload.commit"))
    yield from rows(one, ON_A_CHANGE, NONE, after("upload.commit.upload"))
    yield from rows(one, "reset.read commit", NONE, after("upload.commit.delete"))
    yield from rows(one, ON_THREE, NONE, after("upload.upload:y.upload:z"))
    yield from rows(one, ON_A_FOREIGN, NONE, after("bring.stage@outside"))
    yield from rows(one, ON_NO_BRANCH, NONE, after("delete_branch"))
    if design.flows.reset_entry is not None:
        yield from rows(one, "reset_entry.read", NONE, after("upload.commit.upload"))
        yield from rows(one, "reset_entry.read", NONE, after("upload.commit.upload.seal"))
    if design.flows.background_job is not None:
        waits = NONE | jump(design.grace) if design.grace else NONE
        yield from rows(one, "upload.commit.job.read", waits, after("upload.upload"))
        yield from rows(one, "reset.job.job", waits, after("upload.upload:y.delete:y"))


FAULTY: Final = "upload link copy move delete commit reset delete_branch"


def each_faulty(design: ObjectDesign, terms: Terms, refuted: Mapping[str, Refuted] = HOLDS) -> Iterator[Row]:
    """Operations under one fault of each kind at once; and where the store refuses once."""
    one = attrs.evolve(alone(design, terms, refuted), name=f"{design.name}-alone-faulty")
    yield from rows(one, FAULTY, ANY_FAULT, after("upload"), only=SPECIFIED)


def each_reading(terms: Terms, refuted: Mapping[str, Refuted], *given: ObjectDesign) -> Iterator[Row]:
    """A few operations in other readings."""
    for design in given:
        one = alone(design, terms, refuted)
        yield from rows(one, "copy.delete.commit.read:y move.upload.read:y delete.reset", NONE, after("upload"))
        yield from rows(one, "delete.read.commit", NONE, after("upload.commit"))


# Where an upload finds no branch: it was deleted before the race, or by the first call.
UNBRANCHED: Final = "after_delete_branch/* after_upload/delete_branch.upload"
NO_BRANCH: Final = "an object is put before anybody asks whether the branch is there"
UNLINKED: Final = "the object of an entry that is replaced is left behind"


def refuted_leftovers(why: str, where: str) -> Mapping[str, Refuted]:
    """What is left behind, besides what was put for a branch that is not there."""
    return {GARBAGE: Refuted(f"{why}; {NO_BRANCH}" if why else NO_BRANCH, f"{UNBRANCHED} {where}")}


LOSES_COMMITTED: Final = "commits do not count: a delete of a committed entry counts its object off"
LOSES_SHARED: Final = "two entries of one token share a reference, and who deletes one marks it for both"

ANY_FAULT: Final = fault("any-fault", Faults(crashes=1, lost_answers=1, false_predicates=1))
PROPOSALS: Final = (
    (today.TODAY, ANYTHING),
    (object_path.PATH, COPIED_IN),
    (counter.TEXT, ANYTHING),
    (tracking.TEXT, ANYTHING),
    (tokens.TEXT, OUTSIDE_ONLY),
    (no_copies.TEXT, OWN_PATH),
    (offline.OFFLINE, ANYTHING),
    (online.ONLINE, OUTSIDE_ONLY),
)

ROWS = [
    *each_alone(
        today.TODAY,
        ANYTHING,
        refuted_leftovers(
            "uncommitted data which is no longer referenced is not being deleted",
            "upload.* link.* after_upload/upload.* after_upload/link.* after_upload/delete.delete "
            "after_upload.commit/upload.* after_upload.commit.upload/reset.* after_upload.commit.upload/delete.* "
            "after_upload.upload:y.upload:z/reset.* after_upload.upload:y.upload:z/delete_branch",
        ),
    ),
    *each_alone(
        object_path.PATH,
        COPIED_IN,
        {
            GARBAGE: Refuted(
                "the tombstone object of what is deleted stays when it is committed",
                "after_upload.commit/delete.* after_upload.commit/copy.* after_upload.commit.upload/delete.* "
                "after_upload.commit.delete/commit",
            )
        },
    ),
    *each_alone(
        counter.TEXT,
        ANYTHING,
        {
            **refuted_leftovers(
                UNLINKED,
                "upload.* after_upload/upload.* after_upload/link.* after_upload.upload/* "
                "after_upload.commit.upload/reset_entry.*",
            ),
            KEPT: Refuted(
                LOSES_COMMITTED, "after_upload.commit/*delete.commit* *move.reset* after_upload.commit.delete/*"
            ),
            SPECIFIED: Refuted(LOSES_COMMITTED, "*move.reset* after_upload.commit.delete/reset.*"),
        },
    ),
    *each_alone(
        tracking.TEXT,
        ANYTHING,
        {
            **refuted_leftovers(UNLINKED, "after_upload/link.*"),
            KEPT: Refuted(LOSES_SHARED, "after_upload/copy.* after_upload/move.* after_upload/stage.delete.*"),
        },
    ),
    *each_alone(
        tokens.TEXT,
        OUTSIDE_ONLY,
        refuted_leftovers(
            f"{UNLINKED}, for as long as its token is open",
            "upload.* after_upload/upload.* after_upload/link.* after_upload/delete.delete after_upload/stage.delete.* "
            "after_upload.commit.upload/delete.* after_upload.upload/* after_upload.upload:y.delete:y/reset.job.job",
        ),
    ),
    *each_alone(no_copies.TEXT, OWN_PATH, {GARBAGE: Refuted(NO_BRANCH, "after_delete_branch/*")}),
    *rows(alone(no_copies.TEXT, OWN_PATH), "upload:y.reset_prefix:y.read", NONE, after("upload")),
    *each_alone(object_path.IMMUTABLE, COPIED_IN, {GARBAGE: Refuted(NO_BRANCH, "after_delete_branch/*")}),
    *each_alone(offline.OFFLINE, ANYTHING),
    *each_alone(
        online.ONLINE,
        OUTSIDE_ONLY,
        {
            CLEARED.id: Refuted(
                "the promise of a commit stays where no address was issued under its token: the job goes by addresses",
                "copy.move.delete.read.commit.reset",
            )
        },
    ),
    *(row for design, terms in PROPOSALS for row in each_faulty(design, terms)),
]

COUNTED: Final = {KEPT: Refuted(LOSES_COMMITTED, "after_upload.commit/*")}
SHARED: Final = {KEPT: Refuted(LOSES_SHARED, "after_upload/move.*")}
HIDDEN: Final = {GARBAGE: Refuted(f"{UNLINKED}, for as long as its token is open", "after_upload/delete.reset")}
UNSTAGED: Final = {
    SPECIFIED: Refuted("the text has no way to delete a path that is committed", "after_upload.commit/delete.*")
}
FORGOTTEN: Final = {
    **SHARED,
    GARBAGE: Refuted("a tombstone forgets what its token has left deleted", "after_upload/delete.reset"),
}

ROWS += [
    *each_reading(COPIED_IN, HOLDS, object_path.IMMUTABLE),
    *each_reading(COPIED_IN, UNSTAGED, object_path.DELETES_OBJECT),
    *each_reading(ANYTHING, HOLDS, counter.RELEASES, counter.SETTLED, counter.CAREFUL, counter.UNSTAGED),
    *each_reading(ANYTHING, COUNTED, counter.S3, counter.AZURE, counter.SHALLOW, counter.CARRIES),
    *each_reading(ANYTHING, COUNTED, counter.COUNTER_FIRST, counter.DEFINITE, counter.JOB, counter.JOB_CLAIMS),
    *each_reading(ANYTHING, SHARED, tracking.EXCHANGES, tracking.MARKS_FIRST, tracking.CREATES, tracking.NEWEST),
    *each_reading(ANYTHING, SHARED, tracking.REREADS, tracking.KEYS_FIRST, tracking.MARKS_LAST, tracking.KEEPS),
    *each_reading(ANYTHING, SHARED, tracking.TOMBSTONE),
    *each_reading(ANYTHING, FORGOTTEN, tracking.REMOVES),
    *each_reading(OUTSIDE_ONLY, HIDDEN, tokens.BY_ADDRESS, tokens.ENTRIES, tokens.SPARED, tokens.BY_COMMIT),
    *each_reading(OUTSIDE_ONLY, HIDDEN, tokens.FORGETS, tokens.MENDED),
    *each_reading(OWN_PATH, HOLDS, no_copies.UPLOAD_CHECKS, no_copies.DELETE_CHECKS, no_copies.DELETE_TOKENS),
    *each_reading(OWN_PATH, HOLDS, no_copies.MOVE_UNLOCKED, no_copies.MOVE_SAME, no_copies.LEASED, no_copies.CAREFUL),
    *each_reading(
        OWN_PATH,
        {KEPT: Refuted("the entry was committed", "after_upload.commit/delete.*")},
        no_copies.DELETE_ANY,
    ),
    *each_reading(ANYTHING, HOLDS, offline.MENDED, offline.WHOLE, offline.REACHABLE, offline.SHOWN, *offline.COPYING),
    *each_reading(OUTSIDE_ONLY, HOLDS, online.UNTIMED),
]

QUICK: Final = (
    "-alone/copy.*",
    "-alone/link.*",
    "-alone/after_upload/*",
    "-alone/after_bring.*/stage*",
    "-alone/*/reset.job.job",
)
"""What runs always, of the proposals as they are written; other states, readings and faults are deep."""
WRITTEN_ONLY: Final = tuple(design.name for design, _ in PROPOSALS[1:])


def _quick(name: str) -> bool:
    # Of the faulty ones, those of the design that is to hold under faults.
    written = any(fnmatchcase(name, f"{design}{glob}") for design in WRITTEN_ONLY for glob in QUICK)
    return written or fnmatchcase(name, "hard-delete/online-alone-faulty/*")


SCENARIOS = [attrs.evolve(each, deep=not _quick(each.name)) for each in build_scenarios(ROWS)]
