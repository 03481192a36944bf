from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.catalog.errors import AddressNotAllowed, DataGone, EntryLocked
from lakeproof.impl.catalog.objects import Grant, Linking, stage_again, upload_and_link
from lakeproof.impl.hard_delete import no_copies as flows
from lakeproof.impl.hard_delete._one_entry import LOCKED, check_address, locked, signature, unlocked
from lakeproof.impl.refs.errors import BranchNotFound, DefaultBranch, PathNotFound
from lakeproof.model import kv, objects
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, identity_of
from lakeproof.model.identifiers import BranchID
from lakeproof.model.invariants import data
from lakeproof.model.references import repositories
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y, Z
from lakeproof.scenarios._hard_delete import OUTSIDE
from tests.impl.graveler.hand import Hand
from tests.impl.hard_delete.one_entry import addresses, broken, mark, read, upload

KEY: Final = b"key/x"


@pytest.fixture
def hand() -> Hand:
    return Hand.founded()


again = partial(stage_again, stage=flows.stage_object)


def test_an_upload_over_a_staged_entry_deletes_its_object(hand: Hand) -> None:
    first = upload(hand)
    second = upload(hand, content=b"2")
    assert addresses(hand) == {second} != {first}
    assert read(hand) == b"2"
    assert mark(hand) is None


def test_an_upload_over_a_committed_entry_leaves_its_object(hand: Hand) -> None:
    upload(hand)
    hand.run(flows.commit, BRANCH, "m")
    upload(hand, content=b"2")
    assert len(addresses(hand)) == 2
    assert not broken(hand)


def test_the_entry_is_locked_before_the_new_object_is_put(hand: Hand) -> None:
    upload(hand)
    hand.start(flows.upload_object, BRANCH, X, b"2").until(objects.Put)
    assert mark(hand) == "true"
    for flow, args in (
        (flows.upload_object, (X, b"3")),
        (flows.move_object, (X, Y)),
        (flows.delete_object, (X,)),
    ):
        with pytest.raises(EntryLocked):
            hand.run(flow, BRANCH, *args)
    assert read(hand) == b"1"


def test_a_delete_locks_then_stages_a_tombstone_then_hard_deletes(hand: Hand) -> None:
    address = upload(hand)
    delete = hand.start(flows.delete_object, BRANCH, X).until(kv.SetIf).step()
    assert mark(hand) == "true"
    delete.until(objects.DeleteObject)
    assert hand.content() == {}
    assert addresses(hand) == {address}
    delete.finish()
    assert addresses(hand) == set()
    with pytest.raises(PathNotFound):
        hand.run(flows.delete_object, BRANCH, X)


@pytest.mark.parametrize(
    ("reading", "lost"), [(flows.AS_WRITTEN, False), (flows.DELETE_TOKENS, False), (flows.DELETE_ANY, True)]
)
def test_only_staged_entries_may_be_hard_deleted(hand: Hand, reading: flows.Reading, lost: bool) -> None:
    upload(hand)
    hand.run(flows.commit, BRANCH, "m")
    hand.run(flows.delete_object, BRANCH, X, reading=reading)
    assert hand.content() == {}
    assert ("committed-data-is-kept" in broken(hand)) == lost


def test_a_sealed_entry_is_hard_deleted_only_where_the_text_is_read_so(hand: Hand) -> None:
    for reading, left in ((flows.AS_WRITTEN, 1), (flows.DELETE_TOKENS, 0)):
        upload(hand)
        hand.start(flows.commit, BRANCH, "m").step(2)
        hand.run(flows.delete_object, BRANCH, X, reading=reading)
        assert len(addresses(hand)) == left
        hand.run(flows.reset_branch, BRANCH)


def test_a_move_keeps_the_object_and_leaves_nothing_locked(hand: Hand) -> None:
    address = upload(hand)
    hand.run(flows.move_object, BRANCH, X, Y)
    assert set(hand.content()) == {Y}
    assert addresses(hand) == {address}
    assert mark(hand, Y) is None
    hand.run(flows.delete_object, BRANCH, Y)
    assert addresses(hand) == set()


def test_while_a_move_is_under_way_both_entries_are_there_and_locked(hand: Hand) -> None:
    upload(hand)
    hand.start(flows.move_object, BRANCH, X, Y).until(kv.Set, KEY)
    assert (mark(hand, X), mark(hand, Y)) == ("true", "true")
    assert broken(hand) == {"address-has-one-entry"}


@pytest.mark.parametrize("reading", [flows.AS_WRITTEN, flows.MOVE_SAME_TOKEN])
def test_a_move_of_a_committed_entry_copies_in_full(hand: Hand, reading: flows.Reading) -> None:
    upload(hand)
    hand.run(flows.commit, BRANCH, "m")
    hand.run(flows.move_object, BRANCH, X, Y, reading=reading)
    assert len(addresses(hand)) == 2
    hand.run(flows.reset_branch, BRANCH)
    assert not broken(hand)
    assert read(hand) == b"1"


def test_a_copy_copies_the_object(hand: Hand) -> None:
    upload(hand)
    hand.run(flows.copy_object, MAIN, X, BRANCH, X)
    assert len(addresses(hand)) == 2
    hand.run(flows.reset_branch, MAIN)
    assert read(hand) == b"1"
    for address in addresses(hand):
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.stage_object, BRANCH, Y, address, b"1")


def test_a_copy_of_what_is_gone_is_refused(hand: Hand) -> None:
    address = upload(hand)

    async def remove(env: Any, repository: Any) -> None:  # type: ignore[explicit-any]
        await env.objects.delete(address)

    hand.run(remove)
    with pytest.raises(DataGone):
        hand.run(flows.copy_object, BRANCH, Y, BRANCH, X)


def test_an_issued_address_can_be_linked_where_it_was_issued_for_and_nowhere_else(hand: Hand) -> None:
    hand.run(
        partial(upload_and_link, through=Linking(flows.get_physical_address, flows.link_physical_address)),
        BRANCH,
        X,
        b"1",
    )
    assert read(hand) == b"1"
    grant = hand.run(flows.get_physical_address, BRANCH, X)
    for branch_id, path in ((BRANCH, Y), (MAIN, X)):
        with pytest.raises(AddressNotAllowed):
            hand.run(flows.link_physical_address, branch_id, path, grant, b"1")
    with pytest.raises(AddressNotAllowed):
        hand.run(flows.link_physical_address, BRANCH, X, Grant(OUTSIDE), b"o")
    hand.run(flows.stage_object, BRANCH, X, OUTSIDE, b"o")
    assert addresses(hand) == set()


names = st.text("abc/.\0", min_size=1, max_size=4)


@given(st.tuples(names, st.binary(min_size=1, max_size=3), names), st.tuples(names, st.binary(min_size=1), names))
def test_a_signature_is_for_one_path_of_one_branch(one: tuple[str, bytes, str], other: tuple[str, bytes, str]) -> None:
    (branch, path, name), (other_branch, other_path, _) = one, other
    address = f"mem://r/data/{name}.{signature(REPOSITORY, BranchID(branch), path, name)}"
    check_address(REPOSITORY, BranchID(branch), path, address)
    if (
        "\0" not in branch + other_branch
        and b"\0" not in path + other_path
        and (branch, path)
        != (
            other_branch,
            other_path,
        )
    ):
        with pytest.raises(AddressNotAllowed):
            check_address(REPOSITORY, BranchID(other_branch), other_path, address)
    check_address(REPOSITORY, BranchID(other_branch), other_path, OUTSIDE)


@pytest.mark.parametrize("claims", [False, True])
def test_a_reset_deletes_the_objects_of_entries_that_are_not_locked(hand: Hand, claims: bool) -> None:
    kept = upload(hand, X)
    hand.start(flows.delete_object, BRANCH, X).until(kv.SetIf).step()
    upload(hand, Y)
    upload(hand, Z)
    hand.run(flows.delete_object, BRANCH, Z)
    hand.run(flows.reset_branch, BRANCH, reading=flows.Reading(claims=claims))
    assert addresses(hand) == {kept}
    assert hand.content() == {}


def test_a_reset_of_a_path_or_a_prefix_leaves_the_rest(hand: Hand) -> None:
    kept = upload(hand, b"a/1")
    upload(hand, b"b/1")
    upload(hand, b"b/2")
    upload(hand, X)
    hand.run(flows.reset_prefix, BRANCH, b"b/")
    hand.run(flows.reset_entry, BRANCH, X)
    hand.run(flows.reset_entry, BRANCH, b"nothing")
    assert addresses(hand) == {kept}
    assert set(hand.content()) == {b"a/1"}


def test_a_deleted_branch_takes_its_objects_along(hand: Hand) -> None:
    upload(hand)
    hand.run(flows.delete_branch, BRANCH)
    assert addresses(hand) == set()
    with pytest.raises(BranchNotFound):
        hand.run(flows.upload_object, BRANCH, X, b"1")
    with pytest.raises(DefaultBranch):
        hand.run(flows.delete_branch, MAIN)


entries = st.builds(
    ObjectEntry,
    address=st.just("data/1"),
    metadata=st.dictionaries(st.sampled_from(["a", "z"]), st.text(max_size=2)).map(
        lambda each: tuple(sorted(each.items()))
    ),
)


@given(entries, st.sampled_from(["true", "1700000000000000"]))
def test_a_lock_changes_the_value_and_not_the_identity(entry: ObjectEntry, says: str) -> None:
    value = locked(X, entry, says)
    assert value.data is not None
    marked = decode_object_entry(value.data)
    assert dict(marked.metadata)[LOCKED] == says
    assert unlocked(marked) == unlocked(entry) == entry
    assert value.identity == locked(X, marked, "true").identity != identity_of(value.data)


STEPS: Final = {
    "upload": (flows.upload_object, (BRANCH, X, b"1")),
    "upload:y": (flows.upload_object, (BRANCH, Y, b"2")),
    "copy": (flows.copy_object, (BRANCH, Y, BRANCH, X)),
    "copy@main:x": (flows.copy_object, (MAIN, X, BRANCH, X)),
    "copy_from_main:x": (flows.copy_object, (BRANCH, X, MAIN, X)),
    "move:z": (flows.move_object, (BRANCH, X, Z)),
    "move_z:y": (flows.move_object, (BRANCH, Z, Y)),
    "delete": (flows.delete_object, (BRANCH, X)),
    "delete:y": (flows.delete_object, (BRANCH, Y)),
    "reset": (flows.reset_branch, (BRANCH,)),
    "reset_entry": (flows.reset_entry, (BRANCH, X)),
    "reset_prefix": (flows.reset_prefix, (BRANCH, b"")),
    "reset@main": (flows.reset_branch, (MAIN,)),
    "commit": (flows.commit, (BRANCH,)),
    "commit@main": (flows.commit, (MAIN,)),
}


@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=14), st.sampled_from([flows.AS_WRITTEN, flows.CAREFUL]))
def test_alone_every_object_has_one_entry_and_every_entry_an_object(
    words: Sequence[str], reading: flows.Reading
) -> None:
    hand = Hand.founded()
    for number, word in enumerate(words):
        flow, args = STEPS[word]
        if word.startswith("commit"):
            hand.run(flow, *args, str(number))
            continue
        if word.startswith("move") and args[-1] in hand.content():
            continue  # what a move overwrites is left behind
        with suppress(PathNotFound):
            hand.run(flow, *args, reading=reading)
    assert not broken(hand)
    (view,) = repositories(hand.snapshot())
    assert data.garbage(view) == ()


def test_a_move_onto_an_entry_leaves_its_object_to_nobody(hand: Hand) -> None:
    upload(hand, X)
    lost = upload(hand, Y)
    hand.run(flows.move_object, BRANCH, X, Y)
    (view,) = repositories(hand.snapshot())
    assert data.garbage(view) == (lost,)
