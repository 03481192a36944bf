"""Imports: ``pkg/catalog`` import.go and catalog.go, and ``pkg/graveler.(*Graveler).Import``.

An import has a status record. Its own loop reads the record each second, stops where it says "canceled", and else
writes its own view by `SetIf`. Cancelling reads the record and then replaces it by `Set`. Between the last look of the
loop and the end of the import the branch is moved. One look before and one after it stand for the loop here.
"""

from typing import Final

import attrs

from lakefs_today.branches import retry_update
from lakefs_today.commits import add_commit
from lakefs_today.errors import ImportEnded, TaskNotFound
from lakefs_today.merging import demand_clean, prepare
from lakefs_today.staging import drop_async
from lakeproof.impl.committed import apply_changes
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler.commits import COMMITTER
from lakeproof.impl.graveler.tokens import Tokens
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import get_commit, new_commit
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import kv
from lakeproof.model.identifiers import BranchID
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry

IMPORTS: Final = b"imports/"

RUNNING: Final = b"running"
COMMITTING: Final = b"committing"
"""Ours, of the repair: the branch is being moved; it is too late to cancel."""
COMPLETED: Final = b"completed"
CANCELED: Final = b"canceled"


def _address(repository: Repository, import_id: str) -> tuple[bytes, bytes]:
    return uid_partition(repository), IMPORTS + import_id.encode()


async def start_import(
    env: Env, repository: Repository, branch_id: BranchID, import_id: str, *, answers_first: bool = False
) -> None:
    """``catalog.(*Catalog).Import`` until it answers: a look at the branch, and the status. 2 effects.

    answers_first: as it was before #9640: the status is left to `run_import`. Raises BranchNotFound.
    """
    await get_branch(env, repository, branch_id)
    if not answers_first:
        await env.store.set(*_address(repository, import_id), RUNNING)


async def import_status(env: Env, repository: Repository, import_id: str) -> str:
    """``catalog.(*Catalog).GetImportStatus``: 1 effect. Raises TaskNotFound."""
    found = await env.store.find(*_address(repository, import_id))
    if found is None:
        raise TaskNotFound(import_id)
    return found.value.decode()


async def run_import(
    env: Env,
    repository: Repository,
    branch_id: BranchID,
    path: bytes,
    import_id: str,
    *,
    claims: bool = False,
    answers_first: bool = False,
) -> Commit | None:
    """``catalog.(*Catalog).importAsync`` of one path: None if it was canceled in time.

    claims: the repair: say by `SetIf` that the branch is being moved, before it is. answers_first: see `start_import`.
    Raises as `import_entry`.
    """
    if answers_first:
        await env.store.set(*_address(repository, import_id), RUNNING)
    if not await _update(env, repository, import_id, COMMITTING if claims else RUNNING, sure=claims):
        return None
    made = await import_entry(env, repository, branch_id, path, import_id)
    await _update(env, repository, import_id, COMPLETED, sure=False)
    return made


async def _update(env: Env, repository: Repository, import_id: str, status: bytes, *, sure: bool) -> bool:
    """One turn of ``(*Import).importStatusAsync``: whether to go on. A write that is beaten is a warning, unless it
    must be sure."""
    address = _address(repository, import_id)
    while True:
        found = await env.store.find(*address)
        if found is None or found.value in (CANCELED, COMPLETED):
            return False
        if sure and found.value == status:
            return True
        if await env.store.try_set_if(*address, status, found.predicate) or not sure:
            return True


async def cancel_import(env: Env, repository: Repository, import_id: str, *, claims: bool = False) -> None:
    """``catalog.(*Catalog).CancelImport``. 2 effects. claims: the repair: by `SetIf` on what was read.

    Raises TaskNotFound; ImportEnded: it has completed; or, with ``claims``, is being committed.
    """
    address = _address(repository, import_id)
    found = await env.store.find(*address)
    if found is None:
        raise TaskNotFound(import_id)
    if found.value == COMPLETED or (claims and found.value == COMMITTING):
        raise ImportEnded(import_id)
    if not claims:
        await env.store.set(*address, CANCELED)
        return
    try:
        await env.store.set_if(*address, CANCELED, found.predicate)
    except kv.PredicateFailed:
        now = await env.store.find(*address)
        if now is None or now.value != CANCELED:
            raise ImportEnded(import_id) from None


async def import_entry(env: Env, repository: Repository, branch_id: BranchID, path: bytes, message: str) -> Commit:
    """``graveler.(*Graveler).Import`` of one path: a commit on a clean branch. Raises DirtyBranch, BranchNotFound,
    BranchBusy."""
    await prepare(env, repository, branch_id)
    made: Commit | None = None
    taken: Tokens = ()

    async def change(branch: Branch) -> Branch:
        nonlocal made, taken
        await demand_clean(env, repository, branch, branch.sealed_tokens)
        head = await get_commit(env, repository, branch.commit_id)
        entry = StagedEntry(key=path, identity=message.encode(), data=b"")
        meta_range_id = await apply_changes(env, repository.storage_namespace, head.meta_range_id, [entry])
        now = await env.clock.now()
        made = new_commit([head], meta_range_id, committer=COMMITTER, message=message, creation_date=now)
        await add_commit(env, repository, made)
        taken = branch.sealed_tokens
        return attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=())

    await retry_update(env, repository, branch_id, change)
    assert made is not None
    await drop_async(env, taken)
    return made
