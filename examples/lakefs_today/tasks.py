"""Background tasks and heartbeats: ``pkg/catalog`` task.go and catalog.go.

A task has a status record, written when it is submitted and after each step. Each server writes one heartbeat while it
has tasks; the answer of another server about a task rests on it. The number of tasks of a server lives in its
memory: here under a partition of its own, counted by `SetIf`, as its atomic counter is. Times are microseconds since
1970.
"""

import json
from typing import Final

import attrs

from lakefs_today.errors import TaskNotFound
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model.records import Repository

CATALOG: Final = b"catalog"
"""``instancesPartition``"""
INSTANCES: Final = b"instances/"
TASKS: Final = b"tasks/"
TASK_EXPIRY: Final = 86_400_000_000
"""``TaskExpiryTime``, microseconds."""
STALE: Final = 120_000_000
"""The age of a heartbeat from which on its server counts as dead: the callers choose it; the tests have two minutes."""

RUNNING: Final = "running"
DONE: Final = "done"
DEAD: Final = "dead"
SILENT: Final = "silent"
"""Ours, of the repair: the server has not written for a while; nothing is known of the task."""


@attrs.frozen(cache_hash=True)
class Task:
    """What a status record says."""

    owner: str
    updated: int
    done: bool = False

    def encode(self) -> bytes:
        return json.dumps([self.owner, self.updated, self.done]).encode()

    @classmethod
    def decode(cls, value: bytes) -> "Task":
        owner, updated, done = json.loads(value)
        return cls(owner, updated, done)


async def _write(env: Env, repository: Repository, task_id: str, task: Task) -> None:
    await env.store.set(uid_partition(repository), TASKS + task_id.encode(), task.encode())


async def _beat(env: Env, server: str) -> None:
    now = await env.clock.now()
    await env.store.set(CATALOG, INSTANCES + server.encode(), str(now).encode())


async def _count(env: Env, server: str, more: int) -> int:
    """``activeTasks.Add``: the number of tasks afterwards."""
    partition = b"memory-" + server.encode()
    while True:
        found = await env.store.find(partition, b"active")
        number = more + (0 if found is None else int(found.value))
        predicate = None if found is None else found.predicate
        if await env.store.try_set_if(partition, b"active", str(number).encode(), predicate):
            return number


async def submit_task(
    env: Env, repository: Repository, server: str, task_id: str, *, beats_first: bool = False, legacy: bool = False
) -> None:
    """``catalog.(*Catalog).RunBackgroundTaskSteps`` until it answers: the status, then a heartbeat if this is the first
    task of the server. 5 effects at most.

    beats_first: the repair: always a heartbeat, before the status. legacy: as it was before #10120: the record names no
        server, and its own time stands for the heartbeat, which begins when the task does; it may be in the queue.
    """
    if legacy:
        await _write(env, repository, task_id, Task("", await env.clock.now()))
        return
    if beats_first:
        await _count(env, server, 1)
        await _beat(env, server)
    await _write(env, repository, task_id, Task(server, await env.clock.now()))
    if not beats_first and await _count(env, server, 1) == 1:
        await _beat(env, server)


async def run_task(env: Env, repository: Repository, server: str, task_id: str) -> None:
    """``catalog.(*Catalog).executeTaskSteps`` with one step. 4 effects."""
    await _write(env, repository, task_id, Task(server, await env.clock.now(), done=True))
    await _count(env, server, -1)


async def task_status(
    env: Env, repository: Repository, server: str, task_id: str, *, stale: int = STALE, admits: bool = False
) -> str:
    """``catalog.(*Catalog).GetValidatedTaskStatus`` and ``markTaskExpiredIfStale``. 1 or 2 effects.

    stale: microseconds. admits: the repair: an old heartbeat says that the server is silent, not that the task is dead.
    Raises TaskNotFound.
    """
    found = await env.store.find(uid_partition(repository), TASKS + task_id.encode())
    if found is None:
        raise TaskNotFound(task_id)
    task = Task.decode(found.value)
    if task.done:
        return DONE
    if task.owner == server:
        return RUNNING
    if not task.owner:
        return DEAD if await env.clock.now() - task.updated > stale else RUNNING
    beat = await env.store.find(CATALOG, INSTANCES + task.owner.encode())
    if beat is None:
        return DEAD
    if not beat.value or await env.clock.now() - int(beat.value) > stale:
        return SILENT if admits else DEAD
    return RUNNING


async def clean_heartbeats(env: Env, repository: Repository, *, blanks: bool = False) -> None:
    """``catalog.(*Catalog).deleteExpiredInstanceHeartbeats``. blanks: the repair: replace what was read by an empty
    value, by `SetIf`. 1 scan, 1 effect for each old heartbeat."""
    async for entry in env.store.scan(CATALOG, prefix=INSTANCES):
        if not entry.value or await env.clock.now() - int(entry.value) <= TASK_EXPIRY:
            continue
        if blanks:
            await env.store.try_set_if(CATALOG, entry.key, b"", entry.value)
        else:
            await env.store.delete(CATALOG, entry.key)


async def clean_tasks(env: Env, repository: Repository, *, spares_running: bool = False) -> None:
    """``catalog.(*Catalog).deleteRepositoryExpiredTasks``. spares_running: the repair: only tasks that are done."""
    partition = uid_partition(repository)
    async for entry in env.store.scan(partition, prefix=TASKS):
        task = Task.decode(entry.value)
        old = await env.clock.now() - task.updated >= TASK_EXPIRY
        if old and (task.done or not spares_running):
            await env.store.delete(partition, entry.key)


async def stop_server(env: Env, repository: Repository, server: str) -> None:
    """``catalog.(*Catalog).Close``, its first half: the heartbeat goes before the tasks have ended. 1 effect."""
    await env.store.delete(CATALOG, INSTANCES + server.encode())
