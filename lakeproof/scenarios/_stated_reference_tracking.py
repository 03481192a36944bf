"""Proposal 3: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "3. Tracking references in staging manager". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _reference_states as states
from lakeproof.impl.hard_delete import reference_tracking
from lakeproof.impl.hard_delete._reference_states import State
from lakeproof.impl.hard_delete.reference_tracking import Reading
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X, Y
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

A1: Final = f"{NAMESPACE}/data/a1"
UNTIL: Final = REPOSITORY.creation_date + reference_tracking.VALIDITY
TOKEN: Final = StagingToken("r-b:u.b2.0")


async def mark(
    env: Env, repository: Repository, state: State, token: StagingToken = TOKEN, *, creates: bool = True
) -> bool:
    """Bring a reference to the object a1 into a state."""
    return await states.mark(env, repository, A1, token, state, creates=creates)


async def drop(env: Env, repository: Repository) -> None:
    """Forget the reference to the object a1 under the first token of b."""
    await states.forget(env, repository, A1, TOKEN)


async def flip(env: Env, repository: Repository) -> None:
    """Bring the reference to the object a1 into another state than it has."""
    found = [each async for keyed in states.references(env, repository, A1) for each in keyed]
    other = State.STAGED if found and found[-1].reference.state is State.DELETED else State.DELETED
    await states.mark(env, repository, A1, found[-1].token if found else TOKEN, other)


def _mark(state: State, token: str = TOKEN) -> Call:
    return Call(mark, REPOSITORY, state, StagingToken(token))


TRACKING: Final = {
    **words_of(
        reference_tracking.FLOWS,
        once=reference_tracking.FIRST_TOKEN,
        exchanges=reference_tracking.EXCHANGES,
        first=reference_tracking.DELETE_MARKS_FIRST,
        creates=reference_tracking.MARKS_CREATE,
        first_creates=Reading(marks_first=True, creates=True),
        sealed=reference_tracking.COMMIT_MARKS_SEALED,
        last=reference_tracking.COMMIT_MARKS_LAST,
        removes=reference_tracking.TOMBSTONES_REMOVE,
        tombstone=reference_tracking.BRANCH_TOMBSTONES,
        newest=reference_tracking.NEWEST,
        backwards=reference_tracking.COMMITTED_FIRST,
        keeps=reference_tracking.KEEPS_COMMITTED,
        rereads=reference_tracking.JOB_REREADS,
        keys_first=reference_tracking.KEYS_FIRST,
    ),
    "staged": _mark(State.STAGED),
    "deleted": _mark(State.DELETED),
    "deleted_known": Call(mark, REPOSITORY, State.DELETED, creates=False),
    "committed": _mark(State.COMMITTED),
    "deleted_too": _mark(State.DELETED, "r-c:u.t"),
    "staged_too": _mark(State.STAGED, "r-c:u.t"),
    "committed_too": _mark(State.COMMITTED, "r-a:u.t"),
    "flip": Call(flip, REPOSITORY),
    "unmark": Call(drop, REPOSITORY),
    "copy_c": Call(reference_tracking.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "link_a1": Call(reference_tracking.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1, expires=UNTIL), b"1"),
}
