"""What a deleted repository leaves behind: each invariant on stores made by hand."""

import attrs
import pytest

from lakeproof.model import keys, kv, objects
from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.identifiers import InstanceUID, StagingToken
from lakeproof.model.invariants import deleted
from lakeproof.model.invariants.repositories import instance_of_token
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import RepositoryState, StagedEntry
from lakeproof.model.snapshot import CallView, Outcome, Snapshot, Status, Transition
from tests.model.test_branch_invariants import verdict
from tests.model.test_invariants_repositories import R, Store, branch, cleanup, entities, entry, removals, repository

TOKEN = StagingToken("r-main:1.x")
OTHER = StagingToken("r-main:1.y")
GONE = entry("1", RepositoryState.DELETED)


def staged(token: StagingToken = TOKEN, address: str = "data/o") -> Store:
    data = encode_object_entry(ObjectEntry(address=address))
    record = StagedEntry(key=b"x", identity=identity_of(data), data=data)
    return {(keys.staging_partition(token), keys.staged_key(b"x")): record}


def noted(token: StagingToken, uid: str = "1") -> Store:
    where = keys.repository_partition(R, InstanceUID(uid))
    return {(where, keys.NOTED_TOKENS_PREFIX + token.encode()): b"mem://r"}


def state(store: Store, *addresses: str) -> Snapshot:
    held = {address: StoredObject(b"") for address in addresses}
    return Snapshot(store=store, objects=held, now=0, clients=())


HELD = "mem://r/data/o"
NAMED = "mem://r/data/1/o"


@pytest.mark.parametrize(
    ("store", "addresses", "expected"),
    [
        (GONE, (), "holds"),
        (GONE | entities("1") | staged(), (HELD,), "holds"),  # the branch names the token, the entry the object
        (GONE | noted(TOKEN) | staged(), (HELD,), "holds"),
        (GONE | noted(OTHER) | staged(), (), "violated"),
        (GONE | staged(), (), "violated"),  # the cleaner has deleted the branch
        (GONE | staged(), (HELD,), "violated"),
        (GONE, (HELD,), "violated"),
        (GONE, (NAMED,), "holds"),  # the address names the instance
        (cleanup("1") | entry("2"), (NAMED,), "holds"),
        (cleanup("1") | entry("2") | noted(TOKEN) | staged(), (HELD,), "holds"),
        (entry("2") | noted(TOKEN) | staged(), (), "violated"),  # nothing leads to the partition of the note
        (entry("2") | staged(), (HELD,), "violated"),
        (entry("2"), (NAMED,), "violated"),
        ({}, (NAMED,), "violated"),
        ({}, ("mem://r/_lakefs/range",), "holds"),  # no object of a user
    ],
)
def test_the_data_of_a_deleted_repository_can_be_found(store: Store, addresses: tuple[str, ...], expected: str) -> None:
    assert verdict(deleted.deleted_data_is_reclaimable.check(state(store, *addresses))) == expected


@pytest.mark.parametrize(
    ("store", "addresses"),
    [
        (entry("1") | staged(), ()),  # garbage of a repository that is there
        (entry("1") | entities("1") | staged(), (HELD,)),
        (entry("2"), (HELD,)),  # nothing tells whose it is, and the namespace is in use
    ],
)
def test_the_data_of_a_repository_that_is_there_is_not_judged(store: Store, addresses: tuple[str, ...]) -> None:
    left = deleted.left_behind(state(store, *addresses))
    assert (left.staged, left.data) == ({}, {})


WHERE = (keys.repository_partition(R, InstanceUID("1")), keys.branch_key(branch("1").branch_id))
SEALED: Store = {WHERE: attrs.evolve(branch("1"), staging_token=OTHER, sealed_tokens=(TOKEN,))}


def test_a_sealed_token_is_named_by_its_branch() -> None:
    assert verdict(deleted.deleted_data_is_reclaimable.check(state(GONE | SEALED | staged()))) == "holds"


def test_an_object_of_a_lost_entry_is_lost_though_the_namespace_is_in_use() -> None:
    of_objects = deleted.OF_A_KIND["objects-are-reclaimable"]
    assert verdict(of_objects.check(state(entry("2") | staged(), HELD))) == "violated"


CLEANED = Outcome(Status.OK, 1)


@pytest.mark.parametrize(
    ("store", "addresses", "outcome", "expected"),
    [
        (GONE | noted(TOKEN), (), CLEANED, "holds"),
        (GONE | noted(TOKEN) | staged(), (), CLEANED, "violated"),  # it can be found, and was not removed
        (GONE, (NAMED,), CLEANED, "violated"),
        (entry("2") | noted(TOKEN), ("mem://r/data/2/o",), CLEANED, "holds"),
        (GONE, (), Outcome(Status.INFO, error=kv.OutcomeUnknown()), "violated"),
    ],
)
def test_one_more_run_of_the_cleaner_leaves_no_data(
    store: Store, addresses: tuple[str, ...], outcome: Outcome, expected: str
) -> None:
    assert verdict(deleted.deleted_data_is_reclaimed((outcome,), state(store, *addresses))) == expected


def step(name: str, op: object, before: Snapshot, after: Snapshot) -> Transition:
    return Transition(0, CallView(name, (), Status.PENDING), op, None, before, after)


@pytest.mark.parametrize(("uid", "expected"), [("1", "violated"), ("2", "holds")])
def test_neither_cleaner_nor_delete_takes_a_staged_entry_of_a_repository_that_is_there(uid: str, expected: str) -> None:
    before, after = state(entry(uid) | staged()), state(entry(uid))
    at = keys.staging_partition(TOKEN), keys.staged_key(b"x")
    spares = deleted.deletion_spares_live_data
    for op in removals(at):
        for name in ("clean", "delete_repository"):
            assert spares.watches(name, op)
            assert verdict(spares.check(step(name, op, before, after))) == expected
        assert not spares.watches("reset_branch", op)


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        (entry("1") | entities("1") | staged(), "violated"),
        (entry("1") | SEALED | staged() | staged(OTHER, "data/newer"), "violated"),  # a newer entry hides it
        (entry("2") | staged(), "holds"),
        (GONE | staged(), "holds"),
    ],
)
def test_neither_takes_an_object_of_a_repository_that_is_there(store: Store, expected: str) -> None:
    op = objects.DeleteObject(HELD)
    spares = deleted.deletion_spares_live_data
    assert verdict(spares.check(step("clean", op, state(store, HELD), state(store)))) == expected
    refused = attrs.evolve(op, if_match="another")
    assert verdict(spares.check(step("clean", refused, state(store, HELD), state(store, HELD)))) == "untested"


def test_an_address_and_a_token_tell_their_instance() -> None:
    assert deleted.instance_of_address("mem://r/data/u1/o") == "u1"
    assert deleted.instance_of_address("mem://r/data/r-main:u1.x/o") == "u1"  # as `online` names addresses
    assert deleted.instance_of_address("mem://r/data/o") is None
    assert deleted.instance_of_address("mem://lake/data/r/data/u1/o") == "u1"
    assert instance_of_token(b"r-main:u1.x.y") == "u1"
    assert instance_of_token(b"graveler") is None
    assert repository("u1").instance_uid == "u1"
