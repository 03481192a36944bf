"""The flows of the world alone: what each does beside the flow of its part."""

from collections.abc import Callable, Coroutine

import attrs
import pytest

from lakeproof.designs._retention import RULES, A, B, write_history
from lakeproof.designs.branch_designs import MAIN, REPOSITORY
from lakeproof.impl.codec import encode
from lakeproof.impl.committed import CommittedError, DamagedObject, MissingObject
from lakeproof.impl.effects import Env
from lakeproof.impl.refs.dump import RefsDump, dump_refs
from lakeproof.impl.refs.tags import create_tag, delete_tag
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.retention.pins import CONDEMNED, CommitExpired
from lakeproof.impl.retention.runs import MarkNotFound
from lakeproof.impl.world.flows import FLOWS
from lakeproof.impl.world.sentences import FOLDER, Condemned
from lakeproof.model import keys
from lakeproof.model.committed import object_address
from lakeproof.model.invariants import data, violations
from lakeproof.model.invariants.retention import active_data_is_kept
from lakeproof.model.records import Repository, RepositoryState
from tests.impl.hand import Hand

BARE = attrs.evolve(REPOSITORY, bare=True)


def aged() -> Hand:
    hand = Hand()
    hand.run(write_history, ("line", "branch"))
    return hand


async def bury(env: Env, repository: Repository) -> None:
    """Delete the repository."""
    gone = attrs.evolve(repository, state=RepositoryState.DELETED)
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(gone))


async def empty(env: Env, repository: Repository) -> None:
    """A bare repository in the place of this one: what the cleaner and a create leave."""
    async for entry in env.store.scan(uid_partition(repository)):
        await env.store.delete(uid_partition(repository), entry.key)
    bare = attrs.evolve(repository, bare=True)
    await env.store.set(keys.GRAVELER, keys.repository_key(repository.repository_id), encode(bare))


async def restore_bare(env: Env, _: Repository, dump: RefsDump) -> None:
    await FLOWS.restore_refs(env, BARE, dump)


async def lose(env: Env, repository: Repository, address: str) -> None:
    await env.objects.delete(address)


async def damage(env: Env, repository: Repository, address: str) -> None:
    await env.objects.put(address, b"damaged")


async def sentences(env: Env, repository: Repository) -> tuple[str, ...]:
    found = env.store.scan(uid_partition(repository), prefix=CONDEMNED)
    return tuple([entry.key.removeprefix(CONDEMNED).decode() async for entry in found])


def test_what_was_swept_stays_condemned_when_its_refs_are_restored() -> None:
    hand = aged()
    dump = hand.run(dump_refs)
    hand.run(FLOWS.mark, RULES, "1")
    hand.run(FLOWS.sweep, "1")
    assert f"{REPOSITORY.storage_namespace}/{FOLDER}{A.commit_id}" in hand.snapshot().objects
    hand.run(empty)
    hand.run(restore_bare, dump)
    assert hand.run(sentences) == (f"{A.commit_id}/restored",)
    uses = (FLOWS.create_branch, "c"), (FLOWS.update_branch, MAIN), (FLOWS.restore_object, MAIN, b"w")
    for flow, *args in uses:
        with pytest.raises(CommitExpired):
            hand.run(flow, *args, A.commit_id)


def test_a_dump_with_a_tag_at_what_was_swept_since_is_not_restored() -> None:
    hand = aged()
    hand.run(create_tag, "t", A.commit_id)
    dump = hand.run(dump_refs)
    hand.run(delete_tag, "t")
    hand.run(FLOWS.mark, RULES, "1")
    hand.run(FLOWS.sweep, "1")
    hand.run(empty)
    with pytest.raises(Condemned):
        hand.run(restore_bare, dump)


def test_the_name_of_a_deleted_branch_is_used_again() -> None:
    hand = aged()
    hand.run(FLOWS.create_branch, "c", MAIN)
    hand.run(FLOWS.delete_branch, "c")
    assert hand.run(FLOWS.create_branch, "c", MAIN).commit_id == hand.branch(MAIN).commit_id


def test_there_is_no_sweep_without_a_mark() -> None:
    hand = aged()
    hand.run(FLOWS.mark, RULES, "1")
    with pytest.raises(MarkNotFound):
        hand.run(FLOWS.sweep, "2")


@pytest.mark.parametrize(
    ("break_object", "error"), [(lose, MissingObject), (damage, DamagedObject)], ids=["missing", "damaged"]
)
def test_of_what_cannot_be_read_an_expired_commit_brings_nothing_and_an_active_one_stops_the_run(
    break_object: Callable[[Env, Repository, str], Coroutine[object, object, None]], error: type[CommittedError]
) -> None:
    hand = aged()
    assert hand.run(FLOWS.mark, RULES, "1") == (f"{REPOSITORY.storage_namespace}/data/a",)
    hand.run(break_object, object_address(REPOSITORY.storage_namespace, A.meta_range_id))
    assert hand.run(FLOWS.mark, RULES, "2") == ()
    hand.run(break_object, object_address(REPOSITORY.storage_namespace, B.meta_range_id))
    with pytest.raises(error):
        hand.run(FLOWS.mark, RULES, "3")


def test_the_data_of_a_dead_instance_is_nobodys() -> None:
    hand = aged()
    hand.run(lose, f"{REPOSITORY.storage_namespace}/data/c")
    asked = (active_data_is_kept(RULES), data.committed_data_is_kept)
    assert all(list(violations(each.check(hand.snapshot()))) for each in asked)
    hand.run(bury)
    assert not any(list(violations(each.check(hand.snapshot()))) for each in asked)
