"""What the proposals write beside lakeFS' own records: signatures, locks, counters, references, lists, addresses."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lakeproof.designs._hard_delete import OUTSIDE
from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X
from lakeproof.impl.catalog.errors import AddressDeleted, AddressNotAllowed, DataGone, ObjectBusy
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.hard_delete import no_copies, object_path, reference_counter
from lakeproof.impl.hard_delete._counters import ONE, TRIES, counter_of, increment, with_counter
from lakeproof.impl.hard_delete._one_entry import LOCKED, check_address, locked_change, signature, without_lock
from lakeproof.impl.hard_delete._reference_states import decode_reference
from lakeproof.impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.impl.hard_delete.staging_area import DELETED
from lakeproof.impl.hard_delete.token_lists import add_reference, decode_tokens, reference_key, remove_reference
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, objects
from lakeproof.model.catalog import ObjectEntry, decode_object_entry, identity_of
from lakeproof.model.identifiers import BranchID, StagingToken
from tests.impl.hand import Hand

names = st.text("abc/.", min_size=1, max_size=4)
paths = st.binary(min_size=1, max_size=3).filter(lambda path: b"\0" not in path)


@given(st.tuples(names, paths, names), st.tuples(names, paths))
def test_a_signature_is_for_one_path_of_one_branch(one: tuple[str, bytes, str], other: tuple[str, bytes]) -> None:
    branch, path, name = one
    address = f"mem://r/data/{name}.{signature(REPOSITORY, BranchID(branch), path, name)}"
    check_address(REPOSITORY, BranchID(branch), path, address)
    check_address(REPOSITORY, BranchID(other[0]), other[1], OUTSIDE)
    assume((branch, path) != other)
    with pytest.raises(AddressNotAllowed):
        check_address(REPOSITORY, BranchID(other[0]), other[1], address)


def test_an_address_outside_is_staged_and_not_linked() -> None:
    hand = Hand.founded()
    hand.run(no_copies.stage_object, BRANCH, X, OUTSIDE, b"o")
    with pytest.raises(AddressNotAllowed):
        hand.run(no_copies.link_physical_address, BRANCH, X, Grant(OUTSIDE), b"o")


entries = st.builds(
    ObjectEntry,
    address=st.just("data/1"),
    metadata=st.dictionaries(st.sampled_from(["a", "z"]), st.text(max_size=2)).map(
        lambda each: tuple(sorted(each.items()))
    ),
)


@given(entries, st.sampled_from(["true", "1700000000000000"]))
def test_a_lock_changes_the_value_and_not_the_identity(entry: ObjectEntry, says: str) -> None:
    value = locked_change(X, entry, says)
    assert value.data is not None
    marked = decode_object_entry(value.data)
    assert dict(marked.metadata)[LOCKED] == says
    assert without_lock(marked) == without_lock(entry) == entry
    assert value.identity == locked_change(X, marked, "true").identity != identity_of(value.data)


@given(st.integers(0, 99), st.dictionaries(st.sampled_from(["a", "references", "z"]), st.just("7")))
def test_writing_the_counter_leaves_other_metadata_alone(counter: int, other: dict[str, str]) -> None:
    written = with_counter(tuple(sorted(other.items())), counter)
    assert counter_of(written) == counter
    assert list(written) == sorted(written)
    assert dict(written) == {**other, "references": str(counter)}


@pytest.mark.parametrize("metadata", [(), (("references", "0"),)])
def test_what_has_no_positive_counter_is_deleted(metadata: tuple[tuple[str, str], ...]) -> None:
    hand, address = Hand.founded(), "mem://r/data/o"
    hand.perform(objects.Put(address, b"1", metadata))
    with pytest.raises(AddressDeleted):
        hand.run(reference_counter.stage_object, BRANCH, X, address, b"1")


def test_an_increment_that_others_beat_each_time_says_so() -> None:
    hand, address = Hand.founded(), "mem://r/data/o"
    hand.perform(objects.Put(address, b"1", ONE))
    slow = hand.begin(increment(hand.env, address, "gcs"))
    for _ in range(TRIES):
        slow.until(objects.SetMetadata)
        hand.do(increment(hand.env, address, "gcs"))
        slow.step()
    with pytest.raises(ObjectBusy):
        slow.finish()


def test_what_is_no_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="gone"):
        decode_reference(b"gone 1")


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=8))
def test_adding_to_a_list_and_removing_is_that_of_a_set(changes: list[tuple[bool, str]]) -> None:
    hand, expected, known = Hand.founded(), set[str](), False
    for adds, name in changes:
        if adds:
            hand.run(add_reference, "a", StagingToken(name), issued=True, checked=False, tries=1)
            expected.add(name)
            known = True
        else:
            expected.discard(name)
            assert hand.run(remove_reference, "a", StagingToken(name), tries=1) == (known and not expected)
    stored = hand.cells.get(("kv", uid_partition(REPOSITORY), reference_key("a")), b"")
    assert isinstance(stored, bytes)
    assert set(decode_tokens(stored)) == expected


@given(st.binary(min_size=1), st.binary(min_size=1).filter(DELETED.__ne__))
def test_a_listing_tells_the_path_back(path: bytes, content: bytes) -> None:
    hand = Hand.founded()
    entry = hand.run(object_path.upload_object, BRANCH, path, content)
    ((listed, found),) = hand.run(object_path.list_objects, BRANCH)
    assert (listed, found.address, found.e_tag, found.size_bytes) == (path, entry.address, entry.e_tag, len(content))
    hand.run(object_path.commit, BRANCH, "m")
    assert hand.run(object_path.list_objects, BRANCH) == ((listed, found),)


def test_an_address_of_a_path_is_linked_there_only_and_staged_only_as_it_was_put() -> None:
    hand = Hand.founded()
    grant = hand.run(object_path.get_physical_address, BRANCH, X)
    hand.perform(objects.Put(grant.address, b"1"))
    hand.perform(objects.Put(OUTSIDE, b"o"))
    with pytest.raises(AddressNotAllowed):
        hand.run(object_path.link_physical_address, BRANCH, b"another", grant, b"1")
    with pytest.raises(DataGone):
        hand.run(object_path.stage_object, BRANCH, X, OUTSIDE, b"another")


def test_no_key_of_a_copy_is_taken_for_a_record() -> None:
    assert keys.parse(uid_partition(REPOSITORY), COPIES_PREFIX + b"mem://r/data/a") is None
