"""Online hard delete live: many tasks at once on a SQLite file, and what they leave behind."""

import random
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

import trio

from lakeproof.designs.branch_designs import BRANCH, REPOSITORY, X, Y
from lakeproof.impl.catalog.errors import DataGone
from lakeproof.impl.codec import decode_at
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import initialisation
from lakeproof.impl.hard_delete import online
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs import branches
from lakeproof.impl.refs.errors import BranchBusy, PathNotFound, WriteNotSettled
from lakeproof.impl.stores import MemoryObjectStore
from lakeproof.impl.stores.sqlite import SQLiteStore
from lakeproof.model.invariants import Violation, data
from lakeproof.model.references import repositories
from lakeproof.model.snapshot import Snapshot

WORKERS, ROUNDS = 6, 12
UNTIMED = online.Reading(lifetime=0, commit_tries=100)
EXPECTED = (PathNotFound, DataGone, BranchBusy, WriteNotSettled)
"""What may become of an operation among so many others."""

Flow = Callable[[Env], Coroutine[Any, Any, object]]  # type: ignore[explicit-any]


def flows(rng: random.Random, content: bytes) -> list[Flow]:
    """The operations of one worker; no request expires, so that jobs never wait."""
    path, other = rng.sample([X, Y, b"z"], 2)
    at = partial
    return [
        at(online.upload_object, repository=REPOSITORY, branch_id=BRANCH, path=path, content=content, reading=UNTIMED),
        at(online.delete_object, repository=REPOSITORY, branch_id=BRANCH, path=path),
        at(
            online.move_object,
            repository=REPOSITORY,
            branch_id=BRANCH,
            source_path=path,
            path=other,
            reading=UNTIMED,
        ),
        at(online.commit, repository=REPOSITORY, branch_id=BRANCH, message="m", reading=UNTIMED),
        at(online.FLOWS.reset_branch, repository=REPOSITORY, branch_id=BRANCH),
        at(online.background_job, repository=REPOSITORY, batch_size=3),
    ]


def test_whatever_runs_at_once_keeps_its_data_and_one_more_job_clears_up(tmp_path: Path) -> None:
    objects = MemoryObjectStore()

    async def main(store: SQLiteStore) -> None:
        async def work(seed: int) -> None:
            rng = random.Random(seed)
            for number in range(ROUNDS):
                flow = rng.choices(flows(rng, b"%d-%d" % (seed, number)), weights=[6, 2, 2, 2, 1, 2])[0]
                try:
                    await run(flow(live_env()), store, objects)
                except EXPECTED:
                    continue

        await run(initialisation.found(live_env(), REPOSITORY), store, objects)
        main_branch = REPOSITORY.default_branch_id
        await run(branches.create_branch(live_env(), REPOSITORY, BRANCH, main_branch), store, objects)
        async with trio.open_nursery() as nursery:
            for seed in range(WORKERS):
                nursery.start_soon(work, seed)
        await run(online.FLOWS.reset_branch(live_env(), REPOSITORY, BRANCH), store, objects)
        await run(online.background_job(live_env(), REPOSITORY), store, objects)

    with SQLiteStore(tmp_path / "kv.db") as store:
        trio.run(main, store)
        held = {at: decode_at(*at, value) or value for at, value in store.contents().items()}
    seen = Snapshot(store=held, objects=objects.contents(), now=0, clients=())
    wrong = [found for each in data.ALL[:3] for found in each.check(seen) if isinstance(found, Violation)]
    assert wrong == []
    [view] = repositories(seen)
    assert len(view.commits) > 2
    committed = {each.address for commit_id in view.commits for each in view.committed(commit_id) or ()}
    late = view.data().keys() - committed
    # A job may overtake a put, and without a lifetime nothing brings that object back; but not most of them.
    assert len(late) < WORKERS * ROUNDS / 4
