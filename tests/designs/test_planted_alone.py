"""What a client that is alone is promised: bugs planted in single flows are found, and the sound flows hold."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import attrs
import pytest

from lakeproof.designs import refs_alone
from lakeproof.designs.alone import HARDENED_ALONE
from lakeproof.designs.designs import HOLDS
from lakeproof.impl.codec import decode_cleanup_record
from lakeproof.impl.effects import Env
from lakeproof.impl.flows import RepositoryFlows
from lakeproof.impl.refs import tags
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories._records import (
    default_branch,
    delete_all,
    new_repository,
    write_branch,
    write_entry_if,
)
from lakeproof.impl.repositories.entities import entity_flows, uid_partition
from lakeproof.impl.repositories.errors import NotUnique
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import RepositoryID
from lakeproof.model.records import Repository
from lakeproof.scenario import Faults
from tests.designs.planting import race, verdicts

SOUND = attrs.evolve(HARDENED_ALONE, refuted=HOLDS)


async def create_twice(env: Env, repository_id: RepositoryID) -> Repository:
    """A create that leaves a branch behind when it is refused."""
    try:
        return await hardened.create_repository(env, repository_id)
    except NotUnique:
        failed = new_repository(env, repository_id, 0)
        await write_branch(env, uid_partition(failed), default_branch(env, failed))
        raise


async def list_first(env: Env, *, batch_size: int = 0) -> tuple[Repository, ...]:
    return (await hardened.list_repositories(env, batch_size=batch_size))[:1]


async def hand_on(env: Env, repository_id: RepositoryID) -> Repository:
    """A create that hands on what the store says."""
    made = await hardened.create_bare_repository(env, repository_id)
    await write_entry_if(env, made, None)
    return made


async def doubt(env: Env, repository_id: RepositoryID) -> Repository:
    try:
        return await hardened.get_repository(env, repository_id)
    except kv.Refused as error:
        raise kv.OutcomeUnknown from error


async def give_up(env: Env, *, batch_size: int = 0) -> int:
    """A cleaner that ends with the first failure."""
    cleaned = 0
    async for entry in env.store.scan(keys.DELETED, batch_size=batch_size):
        record = decode_cleanup_record(entry.value)
        await delete_all(env, keys.repository_partition(record.repository_id, record.instance_uid), batch_size)
        cleaned += 1
    return cleaned


async def count_one_more(env: Env, *, batch_size: int = 0) -> int:
    return await hardened.clean(env, batch_size=batch_size) + 1


PLANTED: Mapping[str, tuple[str, Callable[..., Any], str, str, Faults, str]] = {  # type: ignore[explicit-any]
    "a list stops after the first": (
        "list_repositories", list_first, "create.create_other.list", "", Faults(), "alone-is-exact",
    ),
    "a create leaves something behind": (
        "create_repository", create_twice, "create.create", "", Faults(), "alone-is-exact",
    ),
    "a create hands on that a predicate failed": (
        "create_repository", hand_on, "create", "", Faults(lost_answers=1), "answers-in-its-terms",
    ),
    "a get is in doubt of nothing": (
        "get_repository", doubt, "get", "create", Faults(refusals=1), "doubt-has-a-reason",
    ),
    "a cleaner ends with the first failure": (
        "clean", give_up, "clean", "create.delete.create.delete", Faults(refusals=1), "cleaner-goes-on",
    ),
    "a cleaner counts what it has not emptied": (
        "clean", count_one_more, "clean", "create.delete", Faults(refusals=1), "cleaner-goes-on",
    ),
}  # fmt: skip


@pytest.mark.parametrize("bug", PLANTED)
def test_a_bug_planted_in_a_single_operation_is_found(bug: str) -> None:
    name, planted, words, before, faults, invariant = PLANTED[bug]
    assert verdicts(race(SOUND, words, before, faults))[invariant] == "holds"
    flows: RepositoryFlows = attrs.evolve(hardened.FLOWS, **{name: wraps(getattr(hardened, name))(planted)})
    assert verdicts(race(attrs.evolve(SOUND, flows=flows), words, before, faults))[invariant] == "violated"


async def update_nothing(env: Env, *args: Any) -> object:  # type: ignore[explicit-any]
    return await tags.get_tag(env, *args[:2])


def test_an_update_of_a_tag_that_moves_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "found.create.tag.grow_b.update_tag.get_tag"
    assert verdicts(race(refs_alone.PLAIN, words))["alone-is-exact"] == "holds"
    monkeypatch.setattr(tags, "update_tag", wraps(tags.update_tag)(update_nothing))
    assert verdicts(race(refs_alone.PLAIN, words))["alone-is-exact"] == "violated"


def test_a_create_of_a_branch_that_does_not_know_its_own_is_found() -> None:
    words, faults = "create_branch-delete_b-get_b", Faults(false_predicates=1)
    assert verdicts(race(SOUND, words, "create", faults))["linearizable"] == "holds"
    blind = entity_flows(hardened.get_repository, uid_partition)
    faulty = attrs.evolve(SOUND, flows=attrs.evolve(hardened.FLOWS, create_branch=blind["create_branch"]))
    assert verdicts(race(faulty, words, "create", faults))["linearizable"] == "violated"
