"""One client after the other, in any order: what each proposal keeps, counted in another way.

The races are scenarios: `lakeproof verify 'hard-delete/*'`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import permutations
from typing import Any, Final

import attrs
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH, MAIN, X, Y, Z
from lakeproof.impl.catalog.objects import stage_again
from lakeproof.impl.hard_delete import no_copies, offline, reference_counter
from lakeproof.impl.hard_delete._counters import counter_of
from lakeproof.impl.refs.errors import BranchNotFound, GravelerError, PathNotFound
from lakeproof.model.invariants import data, violations
from lakeproof.model.references import RepositoryView, repositories
from lakeproof.model.snapshot import Snapshot
from tests.impl.hand import Hand

Step = tuple[Any, tuple[Any, ...]]  # type: ignore[explicit-any]  # a flow, and its arguments


def view(snapshot: Snapshot) -> RepositoryView:
    (found,) = repositories(snapshot)
    return found


def broken(snapshot: Snapshot, *more: Any) -> set[str]:  # type: ignore[explicit-any]
    """The invariants of data that do not hold."""
    checked = (data.committed_data_is_kept, *more)
    return {each.invariant for invariant in checked for each in violations(invariant.check(snapshot))}


def words(steps: Iterable[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(sorted(steps)), max_size=12)


NO_COPIES: Final[Mapping[str, Step]] = {
    "upload": (no_copies.upload_object, (BRANCH, X, b"1")),
    "upload:y": (no_copies.upload_object, (BRANCH, Y, b"2")),
    "copy": (no_copies.copy_object, (BRANCH, Y, BRANCH, X)),
    "copy@main:x": (no_copies.copy_object, (MAIN, X, BRANCH, X)),
    "copy_from_main:x": (no_copies.copy_object, (BRANCH, X, MAIN, X)),
    "move:z": (no_copies.move_object, (BRANCH, X, Z)),
    "move_z:y": (no_copies.move_object, (BRANCH, Z, Y)),
    "delete": (no_copies.delete_object, (BRANCH, X)),
    "delete:y": (no_copies.delete_object, (BRANCH, Y)),
    "reset": (no_copies.reset_branch, (BRANCH,)),
    "reset_entry": (no_copies.reset_entry, (BRANCH, X)),
    "reset_prefix": (no_copies.reset_prefix, (BRANCH, X)),
    "reset@main": (no_copies.reset_branch, (MAIN,)),
    "commit": (no_copies.commit, (BRANCH,)),
    "commit@main": (no_copies.commit, (MAIN,)),
}


@given(words(NO_COPIES), st.sampled_from([no_copies.AS_WRITTEN, no_copies.CAREFUL]))
def test_without_copies_every_object_has_one_entry_and_every_entry_an_object(
    said: Sequence[str], reading: no_copies.Reading
) -> None:
    hand = Hand.founded()
    for number, word in enumerate(said):
        flow, args = NO_COPIES[word]
        if word.startswith("commit"):
            hand.run(flow, *args, str(number))
            continue
        if word.startswith("move") and args[-1] in hand.content():
            continue  # what a move overwrites is left behind
        with suppress(PathNotFound):
            hand.run(flow, *args, reading=reading)
    assert not broken(hand.snapshot(), data.staged_data_is_kept, data.address_has_one_entry)
    assert data.garbage(view(hand.snapshot())) == ()


again = partial(stage_again, stage=reference_counter.stage_object)
COUNTED: Final[Mapping[str, Step]] = {
    "upload": (reference_counter.upload_object, (BRANCH, X, b"1")),
    "upload:y": (reference_counter.upload_object, (BRANCH, Y, b"2")),
    "stage": (again, (BRANCH, Y, X)),
    "stage_back": (again, (BRANCH, X, Y)),
    "copy": (reference_counter.copy_object, (BRANCH, Y, BRANCH, X)),
    "copy@main:x": (reference_counter.copy_object, (MAIN, X, BRANCH, X)),
    "move:z": (reference_counter.move_object, (BRANCH, X, Z)),
    "delete": (reference_counter.delete_object, (BRANCH, X)),
    "delete:y": (reference_counter.delete_object, (BRANCH, Y)),
    "delete:z": (reference_counter.delete_object, (BRANCH, Z)),
    "reset": (reference_counter.reset_branch, (BRANCH,)),
    "reset@main": (reference_counter.reset_branch, (MAIN,)),
}
COPIES: Final = ("copy", "copy@main:x", "move:z")


def counters(hand: Hand) -> dict[str, int | None]:
    """By address of the objects of users."""
    found = hand.snapshot().objects
    return {address: counter_of(each.metadata) for address, each in found.items() if "/data/" in address}


def referred(hand: Hand) -> dict[str, int]:
    """How many staged entries refer to each object: the counters, computed another way."""
    found: dict[str, int] = {}
    for branch_id in view(hand.snapshot()).branches:
        for each in view(hand.snapshot()).owned_references(branch_id):
            found[each.address] = found.get(each.address, 0) + 1
    return found


@given(words(COUNTED), st.booleans())
def test_the_counter_is_the_number_of_staged_entries(said: Sequence[str], full: bool) -> None:
    hand = Hand.founded()
    for word in said:
        flow, args = COUNTED[word]
        options = {} if flow is again else {"reading": reference_counter.Reading(overwrites="release", full=full)}
        target = args[2 if word == "move:z" else 1] if len(args) > 1 else b""
        if (word.startswith("stage") or (not full and word in COPIES)) and target in hand.content(str(args[0])):
            continue  # an entry that is staged over itself is counted twice
        with suppress(PathNotFound):
            hand.run(flow, *args, **options)
    assert counters(hand) == referred(hand)
    assert not broken(hand.snapshot(), data.staged_data_is_kept)


@given(
    st.lists(st.sampled_from(("upload", "delete", "commit", "reset", "copy", "move", "delete_branch")), max_size=8),
    st.data(),
)
def test_the_offline_job_deletes_just_what_the_model_calls_garbage_in_every_order_and_page_size(
    said: list[str], draw: st.DataObject
) -> None:
    hand, flows = Hand.founded(), offline.FLOWS
    for word in said:
        path, other = draw.draw(st.permutations((X, Y)))
        calls: dict[str, tuple[Any, ...]] = {  # type: ignore[explicit-any]
            "upload": (flows.upload_object, path, b"1"),
            "delete": (flows.delete_object, path),
            "commit": (flows.commit, "m"),
            "reset": (flows.reset_branch,),
            "copy": (flows.copy_object, path, BRANCH, other),
            "move": (flows.move_object, path, other),
            "delete_branch": (flows.delete_branch,),
        }
        flow, *args = calls[word]
        with suppress(GravelerError, BranchNotFound):
            hand.run(flow, BRANCH, *args)
    expected = data.garbage(view(hand.snapshot()))
    order = draw.draw(st.sampled_from(list(permutations(offline.AS_WRITTEN.order))))
    reading = attrs.evolve(offline.AS_WRITTEN, min_age=0, order=order)
    pages = draw.draw(st.sampled_from((0, 1, 2)))
    assert hand.run(flows.background_job, reading=reading, batch_size=pages) == expected
    assert data.garbage(view(hand.snapshot())) == ()
    assert not broken(hand.snapshot(), data.staged_data_is_kept)
