"""A stand-in for lakeFS: the reference flows over stores in memory, as the calls of its API; and the same with bugs.

Repositories are the variant `hardened`, commits `lock_free`, deleted branches leave a record. Every effect takes a
little while, so that calls overlap as they do over a network.
"""

import uuid
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Final, TypeVar

import attrs
import trio

from lakeproof.impl.committed import MetaRangeIterator
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, merging, optimistic, reading, resetting, writing
from lakeproof.impl.graveler.committing import Request, seal, write_commit
from lakeproof.impl.live import live_env, run, wall_clock
from lakeproof.impl.refs import branches, commits
from lakeproof.impl.refs.branches import next_token, read_branch, replace_branch
from lakeproof.impl.refs.errors import BranchBusy, PathExists, PathNotFound
from lakeproof.impl.refs.resolving import resolve
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.errors import BranchNotFound, NotUnique, RepositoryNotFound
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID
from lakeproof.model.records import Branch, Commit, Repository

BUGS: Final = {
    "lost-write": "one acknowledged write in ten is not done",
    "late-write": "writes are acknowledged, and done a little later",
    "unsettled-write": "a writer does not look whether its token was still the branch's",
    "delete-returns": "one acknowledged delete of an entry in three is not done",
    "stale-read": "reads come from a cache",
    "conditional-race": "a write of an absent path looks first, and writes then",
    "refused-write": "a conditional write is done now and then, and refused all the same",
    "commit-drops-writes": "what is written while a commit is under way is lost",
    "partial-commit": "a commit leaves the newest changes for the next one",
    "lost-commit": "a commit replaces the head, whatever it is",
    "lost-merge": "a merge is acknowledged, and not on the branch",
    "reset-returns": "one acknowledged reset in two is not done",
    "dirty-branch": "a branch that is created anew shows what was written to the one before it",
    "late-branch-delete": "a branch is deleted after the answer, whichever it is by then",
    "create-race": "a create of a repository looks first, and writes then",
    "late-delete": "a repository is deleted after the answer, whichever it is by then",
    "deleted-readable": "a deleted repository can be read for a while",
    "zombie": "a repository finds the branches that one of its name had before",
}
"""What can be planted, and what it does."""
DOUBTFUL: Final = "doubtful"
"""No bug: connections are lost now and then, before or after a call is done."""
LATE_SECONDS: Final = 0.06
EFFECT_SECONDS: Final = 0.001
HICCUPS: Final = 0.05
TRIES: Final = 30
WRITING: Final = writing.Reading(tries=TRIES)
COMMITTING: Final = lock_free.Reading(tries=TRIES)
T = TypeVar("T")


class _Slow(Store):
    """A store whose effects take up to `EFFECT_SECONDS`, and now and then ten times that."""

    def __init__(self, store: Store, rng: Random, *, staging: bool) -> None:
        """staging: whether staged writes take forty times as long, too."""
        self._store, self._rng, self._staging = store, rng, staging

    async def apply(self, op: kv.Op) -> Answer:
        staged = self._staging and isinstance(op, kv.Set) and op.partition != keys.GRAVELER
        slow = 40 if staged else 10 if self._rng.random() < HICCUPS else 1
        await trio.sleep(self._rng.random() * EFFECT_SECONDS * slow)
        return await self._store.perform(op)


@attrs.define
class Found:
    """An object, as the API tells of it."""

    path: str
    address: str
    content: bytes


@attrs.define
class Lake:
    """What the API offers, as coroutines. Errors are those of the flows. bug: one of `BUGS`, or none."""

    bug: str = ""
    rng: Random = attrs.field(factory=Random)
    _store: Store = attrs.field(init=False)
    _objects: MemoryObjectStore = attrs.field(init=False, factory=MemoryObjectStore)
    _bodies: dict[bytes, bytes] = attrs.field(init=False, factory=dict)
    """By physical address, which is the identity of an entry."""
    _namespaces: dict[str, str] = attrs.field(init=False, factory=dict)
    """By instance."""
    _remembered: dict[tuple[str, ...], tuple[float, object]] = attrs.field(init=False, factory=dict)
    """What the bugs remember, and until when."""

    def __attrs_post_init__(self) -> None:
        self._store = _Slow(MemoryStore(), self.rng, staging=self.bug == "unsettled-write")

    async def _run(self, flow: Callable[[Env], Coroutine[object, object, T]], env: Env | None = None) -> T:
        return await run(flow(env or live_env()), self._store, self._objects, wall_clock)

    def _chance(self, bug: str, probability: float = 1.0) -> bool:
        return self.bug == bug and self.rng.random() < probability

    def _later(self, do: Callable[[], Awaitable[object]]) -> None:
        async def after_a_while() -> None:
            await trio.sleep(LATE_SECONDS)
            with suppress(Exception):  # nobody waits for it
                await do()

        trio.lowlevel.spawn_system_task(after_a_while)

    def namespace(self, repository: Repository) -> str:
        return self._namespaces[repository.instance_uid]

    async def repository(self, name: str) -> Repository:
        if self.bug == "deleted-readable":
            until, ghost = self._remembered.get((name,), (0.0, None))
            if isinstance(ghost, Repository) and trio.current_time() < until:
                return ghost
        return await self._run(lambda env: hardened.get_repository(env, RepositoryID(name)))

    async def repositories(self, prefix: str) -> list[Repository]:
        found = await self._run(hardened.list_repositories)
        return [each for each in found if each.repository_id.startswith(prefix)]

    async def create_repository(self, name: str, namespace: str) -> Repository:
        uid = InstanceUID(uuid.uuid5(uuid.NAMESPACE_URL, name).hex if self.bug == "zombie" else uuid.uuid4().hex)
        if self.bug == "create-race":
            await self._clear(name)
        if self.bug != "zombie" or not await self._is_there(name):
            self._namespaces[uid] = namespace
        env = Env.with_unique(lambda kind: uid if kind == "instance" else uuid.uuid4().hex)
        return await self._run(lambda env: hardened.create_repository(env, RepositoryID(name)), env)

    async def _is_there(self, name: str) -> bool:
        try:
            await self.repository(name)
        except RepositoryNotFound:
            return False
        return True

    async def _clear(self, name: str) -> None:
        if await self._is_there(name):
            raise NotUnique(name)
        await trio.sleep(LATE_SECONDS / 2)
        await self._store.delete(keys.GRAVELER, keys.repository_key(RepositoryID(name)))

    async def delete_repository(self, name: str) -> None:
        def flow(env: Env) -> Coroutine[object, object, None]:
            return hardened.delete_repository(env, RepositoryID(name))

        if self.bug == "deleted-readable":
            self._remembered[name,] = (trio.current_time() + 5 * LATE_SECONDS, await self.repository(name))
        await self._run(flow)
        if self.bug == "late-delete":
            self._later(lambda: self._run(flow))

    async def branches(self, name: str) -> list[Branch]:
        repository = await self.repository(name)
        return list(await self._run(lambda env: branches.list_branches(env, repository)))

    async def branch(self, name: str, branch: str) -> Branch:
        repository = await self.repository(name)
        return await self._run(lambda env: branches.get_branch(env, repository, BranchID(branch)))

    async def create_branch(self, name: str, branch: str, source: str) -> Branch:
        repository, fresh = await self.repository(name), self.bug != "dirty-branch"
        return await self._run(
            lambda env: branches.create_branch(
                env, repository, BranchID(branch), source, tombstones=True, fresh_token=fresh
            )
        )

    async def delete_branch(self, name: str, branch: str) -> None:
        repository = await self.repository(name)
        which = BranchID(branch)
        delete = branches.delete_branch if self.bug == "dirty-branch" else branches.delete_branch_by_tombstone
        await self._run(lambda env: delete(env, repository, which))
        if self.bug == "late-branch-delete":
            self._later(lambda: self._run(lambda env: branches.delete_branch(env, repository, which)))

    async def reset(self, name: str, branch: str) -> None:
        repository = await self.repository(name)
        if self._chance("reset-returns", 0.5):
            await self.branch(name, branch)
            return
        await self._run(lambda env: resetting.reset_branch(env, repository, BranchID(branch), tries=TRIES))

    async def upload(self, name: str, branch: str, path: str, content: bytes, *, only_if_absent: bool) -> Found:
        repository = await self.repository(name)
        which, key = BranchID(branch), path.encode()
        identity = f"{self.namespace(repository)}/data/{uuid.uuid4().hex}".encode()
        self._bodies[identity] = content

        def write() -> Awaitable[None]:
            how = writing.Reading(rereads=self.bug != "unsettled-write", tries=TRIES)
            return self._run(lambda env: writing.set_entry(env, repository, which, key, identity, reading=how))

        def create() -> Awaitable[None]:
            return self._run(lambda env: writing.create_entry(env, repository, which, key, identity, reading=WRITING))

        if only_if_absent:
            if self.bug == "conditional-race":
                await self._look_and_write(write, name, branch, path)
            else:
                await self._conditionally(create, write)
        elif self._chance("lost-write", 0.1):
            await self.branch(name, branch)
        elif self.bug == "late-write":
            await self.branch(name, branch)
            self._later(write)
        else:
            await write()
        return Found(path, identity.decode(), content)

    async def _look_and_write(self, write: Callable[[], Awaitable[None]], name: str, branch: str, path: str) -> None:
        try:
            await self.get(name, branch, path)
        except PathNotFound:
            await trio.sleep(LATE_SECONDS / 2)
            await write()
            return
        raise PathExists(path.encode())

    async def _conditionally(self, create: Callable[[], Awaitable[None]], write: Callable[[], Awaitable[None]]) -> None:
        try:
            await create()
        except PathExists:
            if self._chance("refused-write", 0.2):
                await write()
            raise

    async def delete_entry(self, name: str, branch: str, path: str) -> None:
        repository = await self.repository(name)
        if self._chance("delete-returns", 0.3):
            return
        which, key = BranchID(branch), path.encode()
        await self._run(lambda env: writing.delete_entry(env, repository, which, key, reading=WRITING))

    async def get(self, name: str, ref: str, path: str) -> Found:
        at = (name, ref, path)
        until, cached = self._remembered.get(at, (0.0, None))
        if isinstance(cached, Found) and trio.current_time() < until:
            return cached
        repository = await self.repository(name)
        try:
            entry = await self._run(
                lambda env: reading.get_entry(env, repository, BranchID(ref), path.encode(), tries=TRIES)
            )
        except BranchNotFound:
            entry = await self._committed(repository, ref, path.encode())
        found = Found(path, entry.identity.decode(), self._bodies[entry.identity])
        if self.bug == "stale-read":
            self._remembered[at] = (trio.current_time() + 2 * LATE_SECONDS, found)
        return found

    async def _committed(self, repository: Repository, ref: str, path: bytes) -> Entry:
        for entry in await self._entries(repository, ref):
            if entry.path == path:
                return entry
        raise PathNotFound(path)

    async def listing(self, name: str, ref: str) -> list[Found]:
        repository = await self.repository(name)
        try:
            entries = await self._run(lambda env: reading.list_entries(env, repository, BranchID(ref), tries=TRIES))
        except BranchNotFound:
            entries = await self._entries(repository, ref)
        return [Found(each.path.decode(), each.identity.decode(), self._bodies[each.identity]) for each in entries]

    async def _entries(self, repository: Repository, ref: str) -> tuple[Entry, ...]:
        async def flow(env: Env) -> tuple[Entry, ...]:
            commit = await commits.get_commit(env, repository, await resolve(env, repository, ref))
            found = MetaRangeIterator(env, repository.storage_namespace, commit.meta_range_id)
            return tuple([entry async for entry in found])

        return await self._run(flow)

    async def commit(self, name: str, branch: str, message: str) -> Commit:
        repository, which = await self.repository(name), BranchID(branch)
        flows: dict[str, Callable[[Env], Coroutine[object, object, Commit]]] = {
            "lost-commit": lambda env: _override(env, repository, which, message),
            "partial-commit": lambda env: _commit_older(env, repository, which, message),
            "commit-drops-writes": lambda env: optimistic.commit(
                env, repository, which, message, reading=optimistic.Reading(seals=False, tries=TRIES)
            ),
        }
        flow = flows.get(self.bug, lambda env: lock_free.commit(env, repository, which, message, reading=COMMITTING))
        return await self._run(flow)

    async def merge(self, name: str, destination: str, source: str, message: str) -> Commit:
        repository, which = await self.repository(name), BranchID(destination)

        async def flow(env: Env) -> Commit:
            before, _ = await read_branch(env, repository, which)
            made = await merging.merge(env, repository, which, source, message, strategy="source-wins")
            if self._chance("lost-merge", 0.5):
                await replace_branch(env, repository, before, kv.EXISTS)
            return made

        return await self._run(flow)

    async def log(self, name: str, ref: str, *, first_parent: bool) -> list[Commit]:
        repository = await self.repository(name)
        if first_parent:
            return list(await self._run(lambda env: commits.log(env, repository, ref)))

        async def flow(env: Env) -> list[Commit]:
            todo, found = [await resolve(env, repository, ref)], dict[str, Commit]()
            while todo:
                commit = await commits.get_commit(env, repository, todo.pop())
                found[commit.commit_id] = commit
                todo += [parent for parent in commit.parents if parent not in found]
            return sorted(found.values(), key=lambda commit: -commit.generation)

        return await self._run(flow)


async def _override(env: Env, repository: Repository, branch_id: BranchID, message: str) -> Commit:
    """A commit that replaces the branch whatever it is by then."""
    branch, _ = await seal(env, repository, branch_id, TRIES)
    made = await write_commit(env, repository, branch.commit_id, branch.sealed_tokens, Request(message=message))
    finished = attrs.evolve(
        branch, commit_id=made.commit_id, staging_token=next_token(env, branch), sealed_tokens=(branch.staging_token,)
    )
    await replace_branch(env, repository, finished, kv.EXISTS)
    return made


async def _commit_older(env: Env, repository: Repository, branch_id: BranchID, message: str) -> Commit:
    """A commit of what the commit before this one has sealed."""
    for _ in range(TRIES):
        branch, predicate = await seal(env, repository, branch_id, TRIES)
        newest, *older = branch.sealed_tokens
        made = await write_commit(env, repository, branch.commit_id, tuple(older), Request(message=message))
        try:
            finished = attrs.evolve(branch, commit_id=made.commit_id, sealed_tokens=(newest,))
            await replace_branch(env, repository, finished, predicate)
        except kv.PredicateFailed:
            continue
        return made
    raise BranchBusy(branch_id)
