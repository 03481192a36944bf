"""Proposal 5: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "5. No Copies"; a whole repository is deleted as
graveler-on-kv.md has it. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

import attrs

from lakeproof.impl.catalog.objects import Grant, change, entry_at, put_data
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _one_entry as one_entry
from lakeproof.impl.hard_delete import no_copies, no_copies_repositories
from lakeproof.impl.hard_delete.no_copies import Reading
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.staging import stage
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

LEASE: Final = 60
A1: Final = f"{NAMESPACE}/data/a1.{one_entry.signature(REPOSITORY, BRANCH, X, 'a1')}"


async def lock(env: Env, repository: Repository, lease: int = 0) -> None:
    """Another client holds the entry at x, and does not come back."""
    token = (await get_branch(env, repository, BRANCH)).staging_token
    await one_entry.hold(env, token, X, lease=lease)


async def stage_marked(env: Env, repository: Repository) -> None:
    """An entry at x with marks of a user."""
    token = (await get_branch(env, repository, BRANCH)).staging_token
    entry = attrs.evolve(entry_at(repository, A1, b"1"), metadata=(("a", "1"), ("z", "2")))
    await stage(env, token, change(X, entry))


async def restage(env: Env, repository: Repository, path: bytes) -> None:
    """A writer that knows of no locks stages an entry under the token that b had first."""
    await stage(env, StagingToken("r-b:u.b2.0"), change(path, await put_data(env, repository, b"late")))


NO_COPIES: Final = {
    **words_of(
        no_copies.FLOWS,
        checks=Reading(upload_locks=False, delete_locks=False, move_locks=False),
        blind=no_copies.UPLOAD_ANY_TOKEN,
        tokens=Reading(upload_of="tokens", delete_of="tokens"),
        copies=no_copies.RESET_COPIES,
        exchanges=Reading(exchanges=True),
        fresh=Reading(fresh=True),
        any=no_copies.DELETE_ANY,
        any_checks=Reading(delete_of="any", delete_locks=False),
        any_leased=Reading(delete_of="any", lease=LEASE * 1_000_000),
        same=no_copies.MOVE_SAME_TOKEN,
        rereads=Reading(delete_checks_token=True),
        claims=Reading(claims=True),
        claims_leased=Reading(claims=True, lease=LEASE * 1_000_000),
        tombstone=Reading(by_tombstone=True),
        leased=no_copies.LEASED,
        careful=no_copies.CAREFUL,
    ),
    "restage": Call(restage, REPOSITORY, X),
    "restage_y": Call(restage, REPOSITORY, Y),
    "marked": Call(stage_marked, REPOSITORY),
    "lock": Call(lock, REPOSITORY),
    "lock_leased": Call(lock, REPOSITORY, LEASE * 1_000_000),
    "stage_a1": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, A1, b"1"),
    "stage_a1@fresh": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, A1, b"1", reading=Reading(fresh=True)),
    "stage_out@fresh": Call(no_copies.stage_object, REPOSITORY, BRANCH, X, OUTSIDE, b"o", reading=Reading(fresh=True)),
    "stage_elsewhere": Call(no_copies.stage_object, REPOSITORY, BRANCH, Y, A1, b"1"),
    "link_elsewhere": Call(no_copies.link_physical_address, REPOSITORY, BRANCH, Y, Grant(A1), b"1"),
    "link_out": Call(no_copies.link_physical_address, REPOSITORY, BRANCH, X, Grant(OUTSIDE), b"o"),
    "reset_paged": Call(no_copies.reset_branch, REPOSITORY, BRANCH, batch_size=1),
    "erase": Call(no_copies_repositories.delete_repository, REPOSITORY.repository_id),
    "erase_paged": Call(no_copies_repositories.delete_repository, REPOSITORY.repository_id, batch_size=1),
    "erase_all": Call(
        no_copies_repositories.delete_repository, REPOSITORY.repository_id, reading=no_copies_repositories.ALL_ENTRIES
    ),
}
