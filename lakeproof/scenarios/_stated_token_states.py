"""Proposal 4: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "4. Staging Token States". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _token_lists as lists
from lakeproof.impl.hard_delete import token_states
from lakeproof.impl.hard_delete.token_states import Reading
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

A1: Final = f"{NAMESPACE}/data/a1"


async def touch(env: Env, repository: Repository) -> None:
    """Another token refers to the object a1."""
    await lists.add_reference(env, repository, A1, StagingToken(env.ids.unique("other")), issued=True, checked=False)


async def empty(env: Env, repository: Repository) -> None:
    """The job is about to delete the object a1: no token refers to it."""
    await env.store.set(uid_partition(repository), lists.reference_key(A1), b"")


async def note_more(env: Env, repository: Repository) -> None:
    """Another token has brought the committed object a1."""
    await lists.note_committed_too(env, repository, A1, (StagingToken(env.ids.unique("other")),))


async def note_lost(env: Env, repository: Repository) -> None:
    """A committed entry of a commit that has no record."""
    await lists.note_committed(env, repository, "0", (StagingToken("r-b:u.b2.0"),))


async def unlist(env: Env, repository: Repository) -> None:
    """The job has found the object a1 committed: it has no list."""
    await env.store.delete(uid_partition(repository), lists.reference_key(A1))


TOKEN_STATES: Final = {
    **words_of(
        token_states.FLOWS,
        careful=Reading(careful=True),
        once=Reading(once=True),
        tombstone=Reading(by_tombstone=True),
        by_address=token_states.BY_ADDRESS,
        by_commit=token_states.BY_COMMIT,
        entries=token_states.ENTRIES,
        spared=token_states.ENTRIES_SPARED,
        keeps=Reading(keeps_empty=True),
        forgets=token_states.FORGETS_DELETED,
    ),
    "touch": Call(touch, REPOSITORY),
    "empty": Call(empty, REPOSITORY),
    "note_more": Call(note_more, REPOSITORY),
    "note_lost": Call(note_lost, REPOSITORY),
    "unlist": Call(unlist, REPOSITORY),
    "copy_c": Call(token_states.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "link_a1": Call(token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, "a2"), b"1"),
    "link_a1@once": Call(
        token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, "a2"), b"1", reading=Reading(once=True)
    ),
    "link_a1@careful": Call(
        token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, "a2"), b"1", reading=Reading(careful=True)
    ),
    "link_other": Call(
        token_states.link_physical_address, REPOSITORY, BRANCH, X, Grant(f"{NAMESPACE}/data/a3", "a2"), b"1"
    ),
}
