"""The object store's sequential meaning, as a second implementation has it, and laws."""

from hypothesis import example, given
from hypothesis import strategies as st

from lakeproof.model import kv, objects
from lakeproof.model.objects import (
    Copy,
    DeleteObject,
    GetObject,
    HeadObject,
    ListObjects,
    Put,
    SetMetadata,
    StoredObject,
    step,
)
from tests.differential.stores import Contents, Held, perform

OLD, NEW = (("k", "old"),), (("k", "new"),)
ONE = StoredObject(b"1", OLD, metageneration=3, last_modified=5)

addresses = st.sampled_from(["a", "a/", "a/1", "a/1/2", "a//", "ab", "b", "B"])
contents = st.sampled_from([b"", b"1", b"22"])
metadata = st.sampled_from([(), OLD, NEW])
etags = st.one_of(st.none(), contents.map(objects.etag))
times = st.integers(0, 9)
limits = st.one_of(st.none(), times)
counts = st.integers(1, 3)
stores = st.dictionaries(addresses, st.builds(StoredObject, contents, metadata, counts, times))
reads = st.one_of(
    st.builds(GetObject, addresses),
    st.builds(HeadObject, addresses),
    st.builds(ListObjects, st.sampled_from(["", "a", "a/", "z"]), st.one_of(st.just(""), addresses), st.integers(0, 3)),
)
puts = st.builds(Put, addresses, contents, metadata, st.booleans(), etags, limits)
copies = st.builds(Copy, addresses, addresses, st.one_of(st.none(), metadata), etags, limits, st.booleans(), etags)
versions = st.builds("{}.{}".format, contents.map(objects.etag), counts)
sets = st.builds(SetMetadata, addresses, metadata, st.one_of(st.none(), counts), st.one_of(st.none(), versions))
operations = st.one_of(reads, puts, copies, sets, st.builds(DeleteObject, addresses, etags))


@given(stores, operations, times)
@example({}, Put("a", b"", if_absent=True), 0)
@example({"a": ONE}, Copy("a", "a", ()), 1)
@example({"a": ONE}, Copy("a", "a", if_absent=True), 1)
@example({"a": ONE}, SetMetadata("a", (), 2), 0)
@example({"a": ONE}, SetMetadata("a", (), None, StoredObject(b"1").version), 0)
def test_every_operation_does_what_the_contract_says_and_leaves_the_objects_that_it_was_given(
    store: objects.Objects, op: objects.Op, now: int
) -> None:
    """Against the stores of the enumerator, which were written from the contract and share no code with these."""
    before = dict(store)
    held = {
        at: Held(each.content, each.metadata, each.metageneration, each.last_modified) for at, each in store.items()
    }
    after, reply = perform(Contents(held=held), op, now)
    assert step(store, op, now) == (after.stored_objects(), reply)
    assert store == before


def test_if_match_cannot_tell_that_metadata_have_changed() -> None:
    """Source: hard-delete-uncommitted-data.md, "AWS": what makes the reference counter impossible there."""
    counted = step({"a": ONE}, Copy("a", "a", NEW, if_match=ONE.etag))[0]
    assert step(counted, Copy("a", "a", OLD, if_match=ONE.etag))[1] is None


@given(st.builds(StoredObject, contents, metadata, counts, times), st.builds(StoredObject, contents, metadata, counts))
def test_a_version_stands_for_content_and_metageneration(one: StoredObject, other: StoredObject) -> None:
    same = (one.content, one.metageneration) == (other.content, other.metageneration)
    assert (one.version == other.version) == same
    assert (one.etag == other.etag) == (one.content == other.content)
    assert objects.head_of("a", one).version == one.version


def test_a_failure_of_the_store_is_known_by_the_names_that_the_search_gives_it() -> None:
    """The search refuses and loses operations on objects with the errors of the key-value store."""
    for error, kin in ((objects.Refused("full"), kv.Refused), (objects.OutcomeUnknown(), kv.OutcomeUnknown)):
        assert isinstance(error, kin)
        assert isinstance(error, objects.ObjectError)
        assert error != kin(*error.args)
    assert objects.Refused.definite
    assert not objects.OutcomeUnknown.definite
