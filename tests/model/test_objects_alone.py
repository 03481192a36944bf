"""`object-call-is-as-specified` and `job-tells-what-it-deleted`, on hand-made histories; bugs are in `planted/`."""

from collections.abc import Hashable
from itertools import chain

import attrs
import pytest

from lakeproof.designs.branch_designs import REPOSITORY
from lakeproof.designs.hard_delete_alone import ANYTHING, OUTSIDE_ONLY
from lakeproof.impl.catalog.errors import AddressNotAllowed
from lakeproof.model import calls
from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.errors import BranchBusy, BranchNotFound, PathNotFound
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import Reached, Violation
from lakeproof.model.invariants.jobs import DELETED, deletion_spares_foreign_data, job_tells_what_it_deleted
from lakeproof.model.invariants.objects_alone import Terms, object_call_is_as_specified
from lakeproof.model.objects import DeleteObject, OutcomeUnknown, PreconditionFailed, Refused, StoredObject, etag
from lakeproof.model.records import StagedEntry
from lakeproof.model.snapshot import CallView, Event, Invoked, Observed, Returned, Snapshot, Status
from tests.impl.records import REPOSITORY as FOUND
from tests.impl.records import branch, commit, held, staged_under
from tests.model.test_branch_invariants import judged
from tests.model.test_branch_invariants import verdict as verdict_of

B = BranchID("b")


def entry(content: bytes, address: str = "data/1") -> ObjectEntry:
    return ObjectEntry(address=address, e_tag=etag(content), size_bytes=len(content))


def does(name: str, *args: Hashable, value: Hashable = None, error: Exception | None = None) -> list[Event]:
    given = (REPOSITORY, *args)
    status = Status.OK if error is None else Status.FAIL if getattr(error, "definite", False) else Status.INFO
    return [Invoked(0, 0, name, given), Returned(0, 0, CallView(name, given, status, value, error))]


def verdict(*calls_made: list[Event], terms: Terms = ANYTHING) -> str:
    return judged(object_call_is_as_specified(terms, [B]), chain(*calls_made))


ON_A_PATH = ("read_object", "delete_object")
UPLOAD = does("upload_object", "b", b"x", b"1", value=entry(b"1"))
LONGER = attrs.evolve(entry(b"1"), size_bytes=2)

GONE, THERE = does("read_object", "b", b"x", error=PathNotFound(b"x")), does("read_object", "b", b"x", value=b"1")
BUSY = does("upload_object", "b", b"x", b"1", error=BranchBusy("b"))
MOVE, RESET = does("move_object", "b", b"x", b"y", value=entry(b"1")), does("reset_branch", "b")
INSIDE = ("b", b"y", "mem://r/data/1", b"1")
REFUSED = does("stage_object", *INSIDE, error=AddressNotAllowed("mem://r/data/1"))
FAULTY = Terms(faults=True)


class InDoubt(BranchBusy):
    definite = False


DOUBT = does("upload_object", "b", b"x", b"1", error=InDoubt("b"))


@pytest.mark.parametrize(
    ("terms", "calls_made", "expected"),
    [
        # A read returns what was uploaded, and nothing else.
        (ANYTHING, [UPLOAD, THERE], "holds"),
        (ANYTHING, [UPLOAD, does("read_object", "b", b"x", value=b"2")], "violated"),
        (ANYTHING, [UPLOAD, GONE], "violated"),
        # A path that shows nothing is not found, and that is its error; so is a branch that is not there.
        *((ANYTHING, [does(name, "b", b"x", error=PathNotFound(b"x"))], "holds") for name in ON_A_PATH),
        *((ANYTHING, [does(name, "b", b"x", error=BranchNotFound("b"))], "violated") for name in ON_A_PATH),
        *((ANYTHING, [does(name, "b", b"x")], "violated") for name in ON_A_PATH),
        (ANYTHING, [does("upload_object", "c", b"x", b"1", error=BranchNotFound("c"))], "holds"),
        (ANYTHING, [does("upload_object", "c", b"x", b"1", value=entry(b"1"))], "violated"),
        # Nothing is busy alone, unless the store fails.
        (ANYTHING, [BUSY], "violated"),
        (FAULTY, [BUSY, THERE], "violated"),
        (FAULTY, [BUSY, GONE], "holds"),
        # The entry that is returned is that of the content.
        (ANYTHING, [does("upload_object", "b", b"x", b"1", value=entry(b"2"))], "violated"),
        (ANYTHING, [does("upload_object", "b", b"x", b"1", value=LONGER)], "violated"),
        (ANYTHING, [does("upload_object", "b", b"x", b"1", value=None)], "violated"),
        # A move takes the old path away, and a reset gives it back if it was committed.
        (ANYTHING, [UPLOAD, MOVE, GONE], "holds"),
        (ANYTHING, [UPLOAD, MOVE, THERE], "violated"),
        (ANYTHING, [UPLOAD, does("commit", "b", "m"), MOVE, RESET, THERE], "holds"),
        (ANYTHING, [UPLOAD, MOVE, RESET, THERE], "violated"),
        # After an indefinite answer both may be shown, and then only what was read.
        (ANYTHING, [DOUBT, THERE], "holds"),
        (ANYTHING, [DOUBT, GONE], "holds"),
        (ANYTHING, [DOUBT, THERE, GONE], "violated"),
        # An address inside is refused where the design refuses it, and nowhere else.
        (OUTSIDE_ONLY, [REFUSED], "holds"),
        (ANYTHING, [REFUSED], "violated"),
        (OUTSIDE_ONLY, [does("stage_object", *INSIDE, value=entry(b"1"))], "violated"),
        (ANYTHING, [does("stage_object", *INSIDE, value=entry(b"1"))], "holds"),
        (ANYTHING, [does("stage_object", *INSIDE, value=entry(b"1", "data/2"))], "violated"),
    ],
)
def test_answers_are_as_specified(terms: Terms, calls_made: list[list[Event]], expected: str) -> None:
    assert verdict(*calls_made, terms=terms) == expected


@pytest.mark.parametrize(
    ("shown", "at", "content", "expected"),
    [
        (entry(b"1"), "data/1", b"1", "holds"),
        (LONGER, "data/1", b"1", "violated"),
        (entry(b"1"), "data/1", b"2", "violated"),
        (entry(b"1"), "data/2", b"1", "violated"),
        (entry(b"1", "data/2"), "data/2", b"1", "violated"),  # the upload has answered another address
    ],
)
def test_in_the_end_the_branch_shows_the_object_that_was_uploaded(
    shown: ObjectEntry, at: str, content: bytes, expected: str
) -> None:
    monitor = object_call_is_as_specified(ANYTHING, [B])
    state = monitor.initial
    for event in UPLOAD:
        state, _ = monitor.advance(state, event)
    data = encode_object_entry(shown)
    staged = staged_under("r-b:t", StagedEntry(key=b"x", identity=identity_of(data), data=data))
    store = {**held(FOUND, branch("b"), commit("c")), **staged}
    assert monitor.at_end is not None
    found = Snapshot(store, {f"mem://r/{at}": StoredObject(content)}, 0, ())
    assert verdict_of(monitor.at_end(state, found)) == expected
    for event in does("commit", "b", "m"):
        state, _ = monitor.advance(state, event)
    assert verdict_of(monitor.at_end(state, found)) == "violated", "it is staged, and in no commit"


def test_of_calls_that_overlap_nothing_is_said() -> None:
    began = Invoked(1, 0, "delete_object", (REPOSITORY, "b", b"x"))
    assert verdict([began], does("read_object", "b", b"x", value=b"1")) == "untested"


@pytest.mark.parametrize(
    ("told", "deleted", "found"),
    [
        (2, ("a", "b"), Reached),
        (1, ("a", "b"), Violation),
        (("data/a",), ("mem://r/data/a",), Reached),
        (("data/b",), ("mem://r/data/a",), Violation),
        (("a",), ("mem://r/data/ba",), Violation),
        (("",), ("mem://r/data/a",), Violation),
        ((), ("mem://r/data/a",), Violation),
        (None, (), Violation),
    ],
)
def test_a_job_tells_what_it_has_deleted(told: Hashable, deleted: tuple[str, ...], found: type) -> None:
    call = CallView("background_job", (REPOSITORY,), Status.OK, told, observed=((DELETED.name, deleted),))
    assert [type(each) for each in job_tells_what_it_deleted.check(Snapshot({}, {}, 0, ((call,),)))] == [found]


def test_an_object_whose_deletion_the_store_refused_is_not_deleted() -> None:
    replies = {"a": None, "b": Refused(), "c": PreconditionFailed(), "d": OutcomeUnknown()}
    seen = tuple(Observed(DeleteObject(at, "etag"), reply, None, None) for at, reply in replies.items())
    assert DELETED.fold(seen) == ("a", "d")


@pytest.mark.parametrize("status", list(Status))
def test_an_object_of_others_is_spared_however_the_call_ends(status: Status) -> None:
    call = CallView("delete_object", (REPOSITORY,), status, observed=((DELETED.name, ("mem://other/o",)),))
    spares = deletion_spares_foreign_data(REPOSITORY.storage_namespace)
    assert verdict_of(spares.check(Snapshot({}, {}, 0, ((call,),)))) == "violated"


def test_kinds_of_jobs_have_no_branch_so_they_change_nothing_that_is_shown() -> None:
    assert verdict(UPLOAD, does("background_job"), does("read_object", "b", b"x", value=b"1")) == "holds"
    assert calls.Role.BRANCH not in calls.BACKGROUND_JOB.roles
