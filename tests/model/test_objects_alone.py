"""`object-call-is-as-specified` and `job-tells-what-it-deleted`, on hand-made histories and on planted bugs."""

from collections.abc import Hashable
from itertools import chain
from typing import Any

import attrs
import pytest

from lakeproof.designs._hard_delete import ObjectDesign
from lakeproof.designs.branch_designs import REPOSITORY
from lakeproof.designs.designs import HOLDS, rows
from lakeproof.designs.hard_delete_alone import ANYTHING, OUTSIDE_ONLY, alone
from lakeproof.designs.hard_delete_offline import OFFLINE
from lakeproof.designs.hard_delete_today import TODAY
from lakeproof.designs.races import NONE, after
from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.errors import AddressNotAllowed
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import offline
from lakeproof.model import calls
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.errors import BranchBusy, BranchNotFound, PathNotFound
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import Reached, Violation
from lakeproof.model.invariants.jobs import DELETED, job_tells_what_it_deleted
from lakeproof.model.invariants.objects_alone import ID, Terms, object_call_is_as_specified
from lakeproof.model.objects import etag
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Event, Invoked, Returned, Snapshot, Status
from lakeproof.search.search import search
from tests.model.test_branch_invariants import judged

B = BranchID("b")


def entry(content: bytes, address: str = "data/1") -> ObjectEntry:
    return ObjectEntry(address=address, e_tag=etag(content), size_bytes=len(content))


def does(name: str, *args: Hashable, value: Hashable = None, error: Exception | None = None) -> list[Event]:
    given = (REPOSITORY, *args)
    status = Status.OK if error is None else Status.FAIL if getattr(error, "definite", False) else Status.INFO
    return [Invoked(0, 0, name, given), Returned(0, 0, CallView(name, given, status, value, error))]


def verdict(*calls_made: list[Event], terms: Terms = ANYTHING) -> str:
    return judged(object_call_is_as_specified(terms, [B]), chain(*calls_made))


UPLOAD = does("upload_object", "b", b"x", b"1", value=entry(b"1"))


def test_a_read_returns_what_was_uploaded_and_nothing_else() -> None:
    assert verdict(UPLOAD, does("read_object", "b", b"x", value=b"1")) == "holds"
    assert verdict(UPLOAD, does("read_object", "b", b"x", value=b"2")) == "violated"
    assert verdict(UPLOAD, does("read_object", "b", b"x", error=PathNotFound(b"x"))) == "violated"


@pytest.mark.parametrize("name", ["read_object", "delete_object"])
def test_a_path_that_shows_nothing_is_not_found_and_that_is_its_error(name: str) -> None:
    assert verdict(does(name, "b", b"x", error=PathNotFound(b"x"))) == "holds"
    assert verdict(does(name, "b", b"x", error=BranchNotFound("b"))) == "violated"
    assert verdict(does(name, "b", b"x")) == "violated"


def test_a_branch_that_is_not_there_is_not_found_even_by_an_upload() -> None:
    assert verdict(does("upload_object", "c", b"x", b"1", error=BranchNotFound("c"))) == "holds"
    assert verdict(does("upload_object", "c", b"x", b"1", value=entry(b"1"))) == "violated"


def test_nobody_is_busy_alone_unless_the_store_fails() -> None:
    busy = does("upload_object", "b", b"x", b"1", error=BranchBusy("b"))
    assert verdict(busy) == "violated"
    assert verdict(busy, does("read_object", "b", b"x", value=b"1"), terms=Terms(faults=True)) == "violated"
    gone = does("read_object", "b", b"x", error=PathNotFound(b"x"))
    assert verdict(busy, gone, terms=Terms(faults=True)) == "holds"


def test_the_entry_that_is_returned_is_that_of_the_content() -> None:
    assert verdict(does("upload_object", "b", b"x", b"1", value=entry(b"2"))) == "violated"
    assert verdict(does("upload_object", "b", b"x", b"1", value=None)) == "violated"


def test_a_move_takes_the_old_path_away_and_a_reset_gives_it_back_if_it_was_committed() -> None:
    commit = does("commit", "b", "m")
    move = does("move_object", "b", b"x", b"y", value=entry(b"1"))
    gone = does("read_object", "b", b"x", error=PathNotFound(b"x"))
    there = does("read_object", "b", b"x", value=b"1")
    assert verdict(UPLOAD, move, gone) == "holds"
    assert verdict(UPLOAD, move, there) == "violated"
    assert verdict(UPLOAD, commit, move, does("reset_branch", "b"), there) == "holds"
    assert verdict(UPLOAD, move, does("reset_branch", "b"), there) == "violated"


def test_after_an_indefinite_answer_both_may_be_shown_and_then_only_what_was_read() -> None:
    class InDoubt(BranchBusy):
        definite = False

    doubt = does("upload_object", "b", b"x", b"1", error=InDoubt("b"))
    there, gone = does("read_object", "b", b"x", value=b"1"), does("read_object", "b", b"x", error=PathNotFound(b"x"))
    assert verdict(doubt, there) == "holds"
    assert verdict(doubt, gone) == "holds"
    assert verdict(doubt, there, gone) == "violated"


def test_an_address_inside_is_refused_where_the_design_refuses_it_and_nowhere_else() -> None:
    said = ("b", b"y", "mem://r/data/1", b"1")
    refused = does("stage_object", *said, error=AddressNotAllowed("mem://r/data/1"))
    assert verdict(refused, terms=OUTSIDE_ONLY) == "holds"
    assert verdict(refused) == "violated"
    assert verdict(does("stage_object", *said, value=entry(b"1")), terms=OUTSIDE_ONLY) == "violated"


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
        ((), ("mem://r/data/a",), Violation),
        (None, (), Violation),
    ],
)
def test_a_job_tells_what_it_has_deleted(told: Hashable, deleted: tuple[str, ...], found: type) -> None:
    call = CallView("background_job", (REPOSITORY,), Status.OK, told, observed=((DELETED.name, deleted),))
    assert [type(each) for each in job_tells_what_it_deleted.check(Snapshot({}, {}, 0, ((call,),)))] == [found]


async def forgets_to_stage(env: Env, repository: Repository, branch_id: BranchID, path: bytes, content: bytes) -> Any:  # type: ignore[explicit-any]
    return await catalog.put_data(env, repository, content)


async def only_copies(env: Env, repository: Repository, branch_id: BranchID, source: bytes, path: bytes) -> Any:  # type: ignore[explicit-any]
    return await catalog.copy_object(env, repository, branch_id, path, branch_id, source)


async def deletes_nothing(env: Env, repository: Repository, branch_id: BranchID, path: bytes) -> None:
    await catalog.find_object(env, repository, branch_id, path)


PLANTED = {"upload": ("upload_object", forgets_to_stage), "move": ("move_object", only_copies)}


def violated(design: ObjectDesign, word: str, before: str = "upload") -> set[str]:
    (row,) = rows(alone(design, ANYTHING, HOLDS), word, NONE, after(before))
    return {each.id for each in search(row.scenario()).findings if each.verdict == "violated"}


@pytest.mark.parametrize("word", ["upload", "move", "delete"])
def test_a_planted_bug_is_found_alone_and_the_sound_flow_holds(word: str) -> None:
    field, flow = {**PLANTED, "delete": ("delete_object", deletes_nothing)}[word]
    broken = attrs.evolve(OFFLINE, flows=attrs.evolve(OFFLINE.flows, **{field: named(flow, field)}))
    assert ID in violated(broken, word)
    assert violated(OFFLINE, word) == set()


def named(flow: Any, name: str) -> Any:  # type: ignore[explicit-any]
    """The flow, which is called as the one that it takes the place of."""
    flow.__name__ = name
    return flow


async def tells_nothing(env: Env, repository: Repository) -> tuple[str, ...]:
    await offline.background_job(env, repository, reading=offline.Reading(min_age=0))
    return ()


async def takes_all(env: Env, repository: Repository) -> None:
    async for head in env.objects.list(f"{repository.storage_namespace}/data/"):
        await env.objects.delete(head.address)


async def leaves_a_note(env: Env, repository: Repository) -> None:
    await env.store.set(b"r-u", b"note", b"1")
    await offline.background_job(env, repository, reading=offline.Reading(min_age=0))


@pytest.mark.parametrize(
    ("job", "word", "found"),
    [
        (tells_nothing, "reset.job", "job-tells-what-it-deleted"),
        (takes_all, "read", "job-keeps-what-is-shown"),
        (leaves_a_note, "reset", "bookkeeping-is-cleared"),
    ],
)
def test_a_planted_job_is_found(job: Any, word: str, found: str) -> None:  # type: ignore[explicit-any]
    broken = attrs.evolve(OFFLINE, flows=attrs.evolve(OFFLINE.flows, background_job=named(job, "background_job")))
    assert found in violated(broken, word)
    assert found not in violated(OFFLINE, word)


def test_kinds_of_jobs_have_no_branch_so_they_change_nothing_that_is_shown() -> None:
    assert verdict(UPLOAD, does("background_job"), does("read_object", "b", b"x", value=b"1")) == "holds"
    assert calls.Role.BRANCH not in calls.BACKGROUND_JOB.roles


def test_the_design_of_today_is_alone_as_specified() -> None:
    assert ID not in violated(TODAY, "copy.delete.read:y")
