"""The key schema: injective, inverted by `parse`, closed to names that break out of their key."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, TagID
from lakeproof.model.keys import InvalidName

Entity = tuple[str, ...]
Address = tuple[bytes, bytes]

# Few characters, and all of those that could make two names run together.
plain = st.one_of(st.text("ab-", min_size=1, max_size=4), st.sampled_from(["graveler", "graveler_deleted", "branches"]))
uids = st.text("ab.", min_size=1, max_size=4)
slashed = st.text("ab-/", min_size=1, max_size=6)
tokens = slashed.filter(lambda token: token.encode() not in (keys.GRAVELER, keys.DELETED))

entities = st.one_of(
    st.tuples(st.just("repository"), plain),
    st.tuples(st.just("branch"), plain, uids, plain),
    st.tuples(st.just("commit"), plain, uids, plain),
    st.tuples(st.just("tag"), plain, uids, slashed),
    st.tuples(st.just("staged"), tokens, slashed),
    st.tuples(st.just("cleanup"), plain, uids),
)


def address(entity: Entity) -> Address:
    """Where the schema puts an entity, under the partitions with a uid."""
    match entity:
        case ("repository", name):
            return keys.GRAVELER, keys.repository_key(RepositoryID(name))
        case ("cleanup", name, uid):
            return keys.DELETED, keys.cleanup_key(RepositoryID(name), InstanceUID(uid))
        case ("staged", token, path):
            return keys.staging_partition(StagingToken(token)), keys.staged_key(path.encode())
        case (kind, name, uid, what):
            partition = keys.repository_partition(RepositoryID(name), InstanceUID(uid))
            return partition, ENTITY_KEYS[kind](what)
        case _:
            raise AssertionError(entity)


ENTITY_KEYS: dict[str, Callable[[str], bytes]] = {
    "branch": lambda name: keys.branch_key(BranchID(name)),
    "commit": lambda name: keys.commit_key(CommitID(name)),
    "tag": lambda name: keys.tag_key(TagID(name)),
}


@given(entities, entities)
@example(("branch", "a-b", "a", "b"), ("branch", "a", "b.a", "b"))
@example(("cleanup", "a", "b"), ("repository", "a"))
def test_no_two_entities_share_an_address(one: Entity, other: Entity) -> None:
    assert (address(one) == address(other)) == (one == other)


@given(entities)
def test_parse_gives_back_what_an_address_was_made_of(entity: Entity) -> None:
    partition, key = address(entity)
    parsed = keys.parse(partition, key)
    assert parsed is not None
    kind, *names = entity
    assert parsed.kind == kind
    assert parsed.partition == partition
    match kind:
        case "repository":
            assert ([parsed.name.decode()], parsed.instance) == (names, None)
        case "cleanup":
            assert (parsed.name.decode(), parsed.instance) == ("/".join(names), tuple(names))
        case "staged":
            assert ([partition.decode(), parsed.name.decode()], parsed.instance) == (names, None)
        case _:
            assert (parsed.name.decode(), parsed.instance) == (names[2], tuple(names[:2]))


addresses = st.tuples(
    st.one_of(st.sampled_from([keys.GRAVELER, keys.DELETED, b"a-b", b"a", b"a/b", b"\xff"]), st.binary(max_size=3)),
    st.tuples(
        st.sampled_from([b"", b"repos/", b"branches/", b"commits/", b"tags/", b"key/", b"repo/"]),
        st.one_of(st.text("ab-/\0", max_size=4).map(str.encode), st.binary(max_size=3)),
    ).map(b"".join),
)


@given(addresses)
def test_what_parse_knows_it_can_spell_again(at: Address) -> None:
    parsed = keys.parse(*at)
    assert parsed is None or parsed.address == at


@pytest.mark.parametrize(
    ("partition", "key"),
    [
        (b"", b"branches/main"),
        (b"graveler", b"branches/main"),
        (b"graveler", b"repos/"),
        (b"graveler", b"repos/a/b"),
        (b"graveler", b"repos/a\0"),
        (b"graveler", b"kv/schema"),
        (b"graveler_deleted", b"repos/a"),
        (b"graveler_deleted", b"repo/a"),
        (b"graveler_deleted", b"repo//u"),
        (b"graveler_deleted", b"repo/a/"),
        (b"graveler_deleted", b"repo/a/u/v"),
        (b"graveler_deleted", b"repo/a/u-v"),
        (b"a-u", b"branches/"),
        (b"a-u", b"branches/x/y"),
        (b"a-u", b"commits/\xff"),
        (b"a-u", b"repos/a"),
        (b"\xff", b"tags/v1"),
        (b"auth", b"users/admin"),
    ],
)
def test_parse_knows_no_address_that_the_schema_cannot_build(partition: bytes, key: bytes) -> None:
    assert keys.parse(partition, key) is None


def test_parse_reads_the_partition_of_a_repository_without_a_uid() -> None:
    at = keys.naive_partition(RepositoryID("r")), keys.branch_key(BranchID("main"))
    parsed = keys.parse(*at)
    assert parsed == keys.Parsed(kind="branch", name=b"main", partition=b"r")
    assert parsed.instance is None


@pytest.mark.parametrize(
    "build",
    [
        lambda: keys.repository_key(RepositoryID("")),
        lambda: keys.repository_key(RepositoryID("a/b")),
        lambda: keys.repository_key(RepositoryID("a\0b")),
        lambda: keys.repository_key(RepositoryID("a\ud800")),
        lambda: keys.naive_partition(RepositoryID("graveler")),
        lambda: keys.naive_partition(RepositoryID("a/b")),
        lambda: keys.repository_partition(RepositoryID("a"), InstanceUID("")),
        lambda: keys.repository_partition(RepositoryID("a"), InstanceUID("b-c")),
        lambda: keys.repository_partition(RepositoryID("a"), InstanceUID("b/c")),
        lambda: keys.cleanup_key(RepositoryID("a/b"), InstanceUID("c")),
        lambda: keys.cleanup_key(RepositoryID("a"), InstanceUID("b/c")),
        lambda: keys.branch_key(BranchID("a/b")),
        lambda: keys.commit_key(CommitID("")),
        lambda: keys.commit_key(CommitID("a/b")),
        lambda: keys.tag_key(TagID("")),
        lambda: keys.tag_key(TagID("a\0")),
        lambda: keys.staging_partition(StagingToken("")),
        lambda: keys.staging_partition(StagingToken("graveler_deleted")),
        lambda: keys.staged_key(b""),
    ],
)
def test_a_name_that_would_break_out_of_its_key_is_refused(build: Callable[[], bytes]) -> None:
    with pytest.raises(InvalidName):
        build()


def test_a_refusal_shows_the_name_the_expectation_and_the_repair() -> None:
    with pytest.raises(InvalidName, match=r"instance uid 'b-c': expected no '-'.*; leave it out"):
        keys.repository_partition(RepositoryID("a"), InstanceUID("b-c"))
