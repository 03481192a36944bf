"""Proposal 2: what each flow does to the counter, alone; then the races that matter, step by step."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.explore.search import search
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, DataGone, ObjectBusy
from lakeproof.impl.catalog.objects import (
    Grant,
    Linking,
    commit,
    read_object,
    stage_again,
    upload_and_link,
)
from lakeproof.impl.hard_delete import reference_counter as flows
from lakeproof.impl.hard_delete._counters import ONE, Kind, counter_of, decrement, increment, with_counter
from lakeproof.impl.hard_delete.reference_counter import AS_WRITTEN, DELETES_SETTLED, DELETES_STAGED, SHALLOW, Reading
from lakeproof.impl.refs.errors import BranchNotFound, DefaultBranch, PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.invariants import data, violations
from lakeproof.model.references import repositories
from lakeproof.scenarios._branch_data import BRANCH, MAIN, X, Y, Z
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios.hard_delete_reference_counter import SCENARIOS as CATALOGUED
from tests.impl.graveler.hand import Hand

KINDS: Final[tuple[Kind, ...]] = ("s3", "gcs", "azure")
AT: Final = "mem://r/data/o"


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


def counters(hand: Hand) -> dict[str, int | None]:
    """By address of the objects of users."""
    found = hand.snapshot().objects
    return {address: counter_of(each.metadata) for address, each in found.items() if "/data/" in address}


def broken(hand: Hand) -> set[str]:
    """The invariants of data that do not hold."""
    checked = (data.committed_data_is_kept, data.staged_data_is_kept)
    return {each.invariant for invariant in checked for each in violations(invariant.check(hand.snapshot()))}


def upload(hand: Hand, path: bytes = X, content: bytes = b"1", reading: Reading = AS_WRITTEN) -> str:
    """The address of what was uploaded."""
    return f"mem://r/{hand.run(flows.upload_object, BRANCH, path, content, reading=reading).address}"


again = partial(stage_again, stage=flows.stage_object)


def test_a_new_object_is_counted_once(hand: Hand) -> None:
    assert counters(hand) == {}
    assert counters(hand) | {upload(hand): 1} == counters(hand)


def test_a_staged_address_in_the_namespace_is_counted_and_one_outside_is_not(hand: Hand) -> None:
    address = upload(hand)
    hand.run(again, BRANCH, Y, X)
    hand.run(flows.stage_object, BRANCH, Z, OUTSIDE, b"o")
    assert counters(hand) == {address: 2}


@pytest.mark.parametrize("metadata", [(), (("references", "0"),)])
def test_an_object_without_a_positive_counter_is_treated_as_deleted(hand: Hand, metadata: objects.Metadata) -> None:
    async def put(env: Any, repository: Any) -> None:  # type: ignore[explicit-any]
        await env.objects.put(AT, b"1", metadata)

    hand.run(put)
    with pytest.raises(AddressDeleted):
        hand.run(flows.stage_object, BRANCH, X, AT, b"1")
    with pytest.raises(PathNotFound):
        hand.run(read_object, BRANCH, X)


def test_what_is_not_there_cannot_be_staged_or_linked(hand: Hand) -> None:
    for flow, where in ((flows.stage_object, AT), (flows.link_physical_address, Grant(AT))):
        with pytest.raises(AddressDeleted):
            hand.run(flow, BRANCH, X, where, b"1")


def test_a_link_counts_what_the_user_has_put_without_a_counter(hand: Hand) -> None:
    link = partial(upload_and_link, through=Linking(link=flows.link_physical_address))
    hand.run(link, BRANCH, X, b"1")
    assert list(counters(hand).values()) == [1]
    with pytest.raises(AddressNotAllowed):
        hand.run(flows.link_physical_address, BRANCH, X, Grant(OUTSIDE), b"o")


def test_a_copy_is_a_full_one_and_counted_for_itself(hand: Hand) -> None:
    address = upload(hand)
    hand.run(flows.copy_object, MAIN, X, BRANCH, X)
    assert len(counters(hand)) == 2
    assert set(counters(hand).values()) == {1}
    hand.run(flows.copy_object, BRANCH, Y, BRANCH, X, reading=SHALLOW)
    assert counters(hand)[address] == 2
    hand.run(flows.copy_object, BRANCH, Z, BRANCH, X, reading=flows.CARRIES)
    assert sorted(each or 0 for each in counters(hand).values()) == [1, 2, 2]


def test_a_move_leaves_one_object_with_one_count(hand: Hand) -> None:
    for reading in (AS_WRITTEN, SHALLOW):
        upload(hand)
        hand.run(flows.move_object, BRANCH, X, Y, reading=reading)
        assert list(counters(hand).values()) == [1]
        assert hand.run(read_object, BRANCH, Y) == b"1"
        hand.run(flows.delete_object, BRANCH, Y)


@pytest.mark.parametrize("kind", KINDS)
def test_a_delete_counts_off_and_the_last_one_hard_deletes(hand: Hand, kind: Kind) -> None:
    reading = Reading(kind=kind)
    address = upload(hand, reading=reading)
    hand.run(again, BRANCH, Y, X)
    hand.run(flows.delete_object, BRANCH, X, reading=reading)
    assert counters(hand) == {address: 1}
    hand.run(flows.delete_object, BRANCH, Y, reading=reading)
    assert counters(hand) == {}
    with pytest.raises(PathNotFound):
        hand.run(flows.delete_object, BRANCH, Y)


def test_what_has_no_counter_is_left_alone(hand: Hand) -> None:
    hand.run(flows.stage_object, BRANCH, X, OUTSIDE, b"o")
    hand.run(flows.delete_object, BRANCH, X)
    assert hand.content() == {}


@pytest.mark.parametrize("flow", [flows.reset_branch, flows.delete_branch])
def test_a_reset_and_a_deletion_count_off_all_that_was_staged(hand: Hand, flow: Any) -> None:  # type: ignore[explicit-any]
    upload(hand, X)
    hand.run(again, BRANCH, Z, X)
    upload(hand, Y)
    hand.run(flows.delete_object, BRANCH, Y)
    hand.run(flow, BRANCH)
    assert counters(hand) == {}
    with pytest.raises(DefaultBranch):
        hand.run(flows.delete_branch, MAIN)
    with pytest.raises(BranchNotFound):
        hand.run(flow, "nobody")


@pytest.mark.parametrize("claims", [False, True])
def test_a_job_counts_off_what_a_reset_has_left_to_it(hand: Hand, claims: bool) -> None:
    upload(hand)
    reading = Reading(in_job=True, claims=claims)
    hand.run(flows.reset_branch, BRANCH, reading=reading)
    assert list(counters(hand).values()) == [1]
    assert hand.run(flows.background_job, reading=reading) == 1
    assert counters(hand) == {}
    assert hand.run(flows.background_job, reading=reading) == 0
    assert not [cell for cell in hand.cells if len(cell) == 3 and cell[2].startswith(flows.DROPPED_PREFIX)]


@pytest.mark.parametrize(
    ("reading", "left"), [(AS_WRITTEN, 2), (flows.RELEASES, 1), (Reading(overwrites="exchange"), 1)]
)
def test_an_upload_over_an_entry_counts_off_only_where_that_is_read_into_the_text(
    hand: Hand, reading: Reading, left: int
) -> None:
    upload(hand)
    upload(hand, content=b"2", reading=reading)
    assert len(counters(hand)) == left


@pytest.mark.parametrize(("reading", "lost"), [(AS_WRITTEN, True), (DELETES_STAGED, False), (DELETES_SETTLED, False)])
def test_a_delete_of_a_committed_entry_loses_its_object_if_it_counts_any_entry(
    hand: Hand, reading: Reading, lost: bool
) -> None:
    upload(hand)
    hand.run(commit, BRANCH, "m")
    hand.run(flows.delete_object, BRANCH, X, reading=reading)
    assert hand.content() == {}
    assert broken(hand) == ({"committed-data-is-kept"} if lost else set())


@pytest.mark.parametrize(
    ("reading", "left"), [(AS_WRITTEN, 1), (flows.ROLLBACK_DEFINITE, 1), (Reading(rollback="never"), 2)]
)
def test_a_stage_that_fails_counts_off_again(hand: Hand, reading: Reading, left: int) -> None:
    address = upload(hand)
    with pytest.raises(BranchNotFound):
        hand.run(flows.stage_object, "nobody", Y, address, b"1", reading=reading)
    assert counters(hand) == {address: left}


def test_a_copy_of_what_is_gone_is_refused(hand: Hand) -> None:
    address = upload(hand)

    async def remove(env: Any, repository: Any) -> None:  # type: ignore[explicit-any]
        await env.objects.delete(address)

    hand.run(remove)
    with pytest.raises(DataGone):
        hand.run(flows.copy_object, BRANCH, Y, BRANCH, X)
    with pytest.raises(AddressDeleted):
        hand.run(flows.copy_object, BRANCH, Y, BRANCH, X, reading=SHALLOW)


@given(st.integers(0, 99), st.dictionaries(st.sampled_from(["a", "references", "z"]), st.just("7")))
def test_writing_the_counter_leaves_other_metadata_alone(counter: int, other: dict[str, str]) -> None:
    metadata = tuple(sorted(other.items()))
    written = with_counter(metadata, counter)
    assert counter_of(written) == counter
    assert list(written) == sorted(written)
    assert {key: value for key, value in written if key != "references"} == {
        key: value for key, value in other.items() if key != "references"
    }


STEPS: Final = {
    "upload": (flows.upload_object, (BRANCH, X, b"1")),
    "upload:y": (flows.upload_object, (BRANCH, Y, b"2")),
    "stage": (again, (BRANCH, Y, X)),
    "stage_back": (again, (BRANCH, X, Y)),
    "copy": (flows.copy_object, (BRANCH, Y, BRANCH, X)),
    "copy@main:x": (flows.copy_object, (MAIN, X, BRANCH, X)),
    "move:z": (flows.move_object, (BRANCH, X, Z)),
    "delete": (flows.delete_object, (BRANCH, X)),
    "delete:y": (flows.delete_object, (BRANCH, Y)),
    "delete:z": (flows.delete_object, (BRANCH, Z)),
    "reset": (flows.reset_branch, (BRANCH,)),
    "reset@main": (flows.reset_branch, (MAIN,)),
}
COPIES: Final = ("copy", "copy@main:x", "move:z")


def target(word: str, args: Sequence[Any]) -> bytes:  # type: ignore[explicit-any]
    """The path that a step gives a value."""
    return args[2] if word == "move:z" else args[1]  # type: ignore[no-any-return]


def referred(hand: Hand) -> dict[str, int]:
    """How many staged entries refer to each object: the counters, computed another way."""
    (view,) = repositories(hand.snapshot())
    found: dict[str, int] = {}
    for branch_id in view.branches:
        for each in view.owned_references(branch_id):
            found[each.address] = found.get(each.address, 0) + 1
    return found


@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=12), st.booleans())
def test_alone_the_counter_is_the_number_of_staged_entries(words: Sequence[str], full: bool) -> None:
    hand = Hand.founded()
    for word in words:
        flow, args = STEPS[word]
        options = {} if flow is again else {"reading": Reading(overwrites="release", full=full)}
        if (word.startswith("stage") or (not full and word in COPIES)) and target(word, args) in hand.content(
            str(args[0])
        ):
            continue  # an entry that is staged over itself is counted twice
        with suppress(PathNotFound):
            hand.run(flow, *args, **options)
    assert counters(hand) == referred(hand)
    assert not broken(hand)


@given(st.lists(st.sampled_from([*sorted(STEPS), "commit", "commit"]), max_size=10))
def test_alone_the_careful_reading_loses_nothing_that_was_committed(words: Sequence[str]) -> None:
    hand = Hand.founded()
    for number, word in enumerate(words):
        flow, args = STEPS.get(word, (commit, (BRANCH, str(number))))
        options = {"reading": DELETES_SETTLED} if word.startswith(("delete", "move")) else {}
        with suppress(PathNotFound):
            hand.run(flow, *args, **options)
    assert not broken(hand)
    assert all((counters(hand)[address] or 0) >= number for address, number in referred(hand).items())


@pytest.mark.parametrize(("kind", "lost"), [("s3", True), ("gcs", False), ("azure", False)])
def test_two_increments_at_once_are_one_where_the_condition_is_the_etag(hand: Hand, kind: str, lost: bool) -> None:
    address = upload(hand)

    async def count(env: Any, repository: Any) -> None:  # type: ignore[explicit-any]
        await increment(env, address, kind)  # type: ignore[arg-type]

    first, second = hand.start(count).step(), hand.start(count).step()
    first.finish()
    second.finish()
    assert counters(hand) == {address: 2 if lost else 3}


@pytest.mark.parametrize(("kind", "expected"), [("s3", None), ("gcs", ObjectBusy), ("azure", ObjectBusy)])
def test_whoever_is_always_beaten_gives_up(hand: Hand, kind: str, expected: type[Exception] | None) -> None:
    address = upload(hand)

    async def count(env: Any, repository: Any, by: Any) -> None:  # type: ignore[explicit-any]
        await by(env, address, kind)

    slow = hand.start(count, decrement)
    for _ in range(3):
        slow.step()
        hand.run(count, increment)
        if slow.op is not None:
            slow.step()
        if slow.op is None:
            break
    if expected is None:
        slow.finish()
    else:
        with pytest.raises(expected):
            slow.finish()


def test_what_a_link_counts_up_from_0_is_deleted_all_the_same(hand: Hand) -> None:
    address = upload(hand)
    delete = hand.start(flows.delete_object, BRANCH, X).until(objects.DeleteObject)
    assert counters(hand) == {address: 0}
    with pytest.raises(AddressDeleted):
        hand.run(flows.stage_object, BRANCH, Y, address, b"1")
    hand.run(flows.link_physical_address, BRANCH, Y, Grant(address), b"1")
    delete.finish()
    assert broken(hand) == {"staged-data-is-kept"}


@pytest.mark.parametrize(("follows", "lost"), [(False, True), (True, False)])
def test_a_reset_deletes_the_object_of_an_upload_that_has_not_looked_again(
    hand: Hand, follows: bool, lost: bool
) -> None:
    reading = Reading(follows=follows)
    uploading = hand.start(flows.upload_object, BRANCH, X, b"1", reading=reading).until(kv.Set).step()
    hand.run(flows.reset_branch, BRANCH)
    if lost:
        uploading.finish()
    else:
        with pytest.raises(AddressDeleted):
            uploading.finish()
    assert broken(hand) == ({"staged-data-is-kept"} if lost else set())


@pytest.mark.parametrize("reading", [AS_WRITTEN, DELETES_STAGED, DELETES_SETTLED], ids=lambda reading: reading.deletes)
def test_a_delete_loses_what_is_committed_meanwhile_unless_it_looks_at_the_token_afterwards(
    hand: Hand, reading: Reading
) -> None:
    upload(hand)
    delete = hand.start(flows.delete_object, BRANCH, X, reading=reading)
    delete.step(3 if reading == AS_WRITTEN else 4)
    committing = hand.start(commit, BRANCH, "m").until(kv.ScanBatch).step()
    delete.finish()
    committing.finish()
    assert broken(hand) == (set() if reading == DELETES_SETTLED else {"committed-data-is-kept"})


def test_two_deletes_of_one_entry_count_twice_unless_one_of_them_replaces_it(hand: Hand) -> None:
    for reading, lost in ((DELETES_SETTLED, False), (AS_WRITTEN, True)):
        upload(hand)
        hand.run(again, BRANCH, Y, X)
        first = hand.start(flows.delete_object, BRANCH, X, reading=reading).step(3)
        second = hand.start(flows.delete_object, BRANCH, X, reading=reading).step(3)
        first.finish()
        second.finish()
        assert broken(hand) == ({"staged-data-is-kept"} if lost else set()), reading
        if not lost:
            hand.run(flows.delete_object, BRANCH, Y)


def test_names_of_scenarios_are_unique_and_every_refutation_has_its_reason() -> None:
    names = [scenario.name for scenario in CATALOGUED]
    assert len(set(names)) == len(names)
    assert all(scenario.reason for scenario in CATALOGUED if scenario.expect)
    assert ONE == (("references", "1"),)


SAMPLE: Final = ("conditional-metadata", "staged/link_again-delete", "twice/delete-delete", "upload-reset")


@pytest.mark.deep  # `lakeproof verify` runs them, with the same expectations
@pytest.mark.parametrize(
    "scenario",
    [each for each in CATALOGUED if not each.deep and each.name.split("/", 2)[2] in SAMPLE],
    ids=lambda scenario: scenario.name,
)
def test_the_search_finds_what_is_expected(scenario: Any) -> None:  # type: ignore[explicit-any]
    for finding in search(scenario).findings:
        assert finding.verdict == scenario.expected(finding.id), finding.id
