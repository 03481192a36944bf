"""A fake lakeFS: the reference flows over stores in memory, as the calls of its API; and the same with bugs.

Repositories are the variant `hardened`, commits `lock_free`, deleted branches leave a record. Every effect takes a
little while, so that calls overlap as they do over a network.
"""

import copy
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from random import Random
from typing import Final, TypeVar

import attrs
import trio

from lakeproof.impl.committed import read_entries
from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, merges, reads, resets, writes
from lakeproof.impl.live import live_env, run, wall_clock
from lakeproof.impl.refs import branches, commits, iterators
from lakeproof.impl.refs.errors import PathExists, PathNotFound
from lakeproof.impl.refs.resolution import resolve
from lakeproof.impl.repositories import hardened
from lakeproof.impl.repositories.errors import BranchNotFound, NotUnique, RepositoryNotFound
from lakeproof.impl.stores import MemoryObjectStore, MemoryStore, Store
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.committed import Entry
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID
from lakeproof.model.records import Branch, Commit, Repository
from tests.fake_lakefs.bugs import CACHE_SECONDS
from tests.fake_lakefs.records import IMPORTABLE, Found, Pull

LATE_SECONDS: Final = 0.06
EFFECT_SECONDS: Final = 0.001
HICCUPS: Final = 0.05
TRIES: Final = 30
MARKED: Final = b"#"
"""In an identity, between the physical address and the metadata."""
WRITING: Final = writes.Reading(tries=TRIES)
COMMITTING: Final = lock_free.Reading(tries=TRIES)
T = TypeVar("T")


class _Slow(Store):
    """A store whose effects take up to `EFFECT_SECONDS`, and now and then ten times that."""

    def __init__(self, store: Store, rng: Random) -> None:
        self._store, self._rng = store, rng

    async def apply(self, op: kv.Op) -> Answer:
        slow = 10 if self._rng.random() < HICCUPS else 1
        await trio.sleep(self._rng.random() * EFFECT_SECONDS * slow)
        return await self._store.perform(op)


@attrs.define
class Lake:
    """What the API offers, as coroutines. Errors are those of the flows. bugs: of `BUGS`."""

    bugs: frozenset[str] = frozenset()
    rng: Random = attrs.field(factory=Random)
    _store: Store = attrs.field(init=False)
    _objects: MemoryObjectStore = attrs.field(init=False, factory=MemoryObjectStore)
    _bodies: dict[bytes, bytes] = attrs.field(init=False, factory=dict)
    """By physical address, which is the identity of an entry."""
    _namespaces: dict[str, str] = attrs.field(init=False, factory=dict)
    """By instance."""
    pulls: dict[tuple[str, str], Pull] = attrs.field(init=False, factory=dict)
    """By repository and id."""
    imports: dict[str, Commit | Exception] = attrs.field(init=False, factory=dict)
    """By id, what came of each."""
    _cached: dict[str, tuple[float, Repository]] = attrs.field(init=False, factory=dict)
    """What the bug `cache` remembers, and until when."""
    _commits: int = 0
    """On main."""

    def twin(self) -> "Lake":
        """Another server of the same lake: its cache is its own."""
        other = copy.copy(self)
        other._cached = {}  # of this class
        return other

    def __attrs_post_init__(self) -> None:
        for source, outside in IMPORTABLE.items():
            self._bodies.update({f"{source}{path}".encode(): path.encode() for path in outside})
        self._store = _Slow(MemoryStore(), self.rng)

    async def run(self, flow: Callable[[Env], Coroutine[object, object, T]], env: Env | None = None) -> T:
        return await run(flow(env or live_env()), self._store, self._objects, wall_clock)

    async def at(self, name: str, flow: Callable[[Env, Repository], Coroutine[object, object, T]]) -> T:
        """A flow on a repository."""
        repository = await self.repository(name)
        return await self.run(lambda env: flow(env, repository))

    def chance(self, bug: str, probability: float = 1.0) -> bool:
        return bug in self.bugs and self.rng.random() < probability

    def namespace(self, repository: Repository) -> str:
        return self._namespaces[repository.instance_uid]

    async def repository(self, name: str) -> Repository:
        until, cached = self._cached.get(name, (0.0, None))
        if cached is not None and trio.current_time() < until:
            return cached
        found = await self.run(lambda env: hardened.get_repository(env, RepositoryID(name)))
        if "cache" in self.bugs:
            self._cached[name] = trio.current_time() + CACHE_SECONDS, found
        return found

    async def repositories(self, prefix: str) -> list[Repository]:
        found = await self.run(hardened.list_repositories)
        return [each for each in found if each.repository_id.startswith(prefix)]

    async def create_repository(self, name: str, namespace: str) -> Repository:
        uid = InstanceUID(uuid.uuid4().hex)
        if "create-race" in self.bugs:
            await self._clear(name)
        self._namespaces[uid] = namespace
        env = Env.with_unique(lambda kind: uid if kind == "instance" else uuid.uuid4().hex)
        return await self.run(lambda env: hardened.create_repository(env, RepositoryID(name)), env)

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
        await self.run(lambda env: hardened.delete_repository(env, RepositoryID(name)))
        if self.chance("refused-delete", 0.25):
            raise RepositoryNotFound(name)

    async def branches(self, name: str) -> list[Branch]:
        return list(await self.at(name, iterators.list_branches))

    async def branch(self, name: str, branch: str) -> Branch:
        return await self.at(name, lambda env, at: branches.get_branch(env, at, BranchID(branch)))

    async def create_branch(self, name: str, branch: str, source: str) -> Branch:
        make = partial(branches.create_branch, tombstones=True, fresh_token="dirty-branch" not in self.bugs)
        return await self.at(name, lambda env, at: make(env, at, BranchID(branch), source))

    async def delete_branch(self, name: str, branch: str) -> None:
        delete = branches.delete_branch if "dirty-branch" in self.bugs else branches.delete_branch_by_tombstone
        await self.at(name, lambda env, at: delete(env, at, BranchID(branch)))

    async def reset(self, name: str, branch: str) -> None:
        await self.at(name, lambda env, at: resets.reset_branch(env, at, BranchID(branch), tries=TRIES))

    async def upload(self, name: str, branch: str, path: str, content: bytes, *, only_if_absent: bool) -> Found:
        repository = await self.repository(name)
        which, key = BranchID(branch), path.encode()
        identity = f"{self.namespace(repository)}/data/{uuid.uuid4().hex}".encode()
        self._bodies[identity] = content

        def write() -> Awaitable[None]:
            return self.run(lambda env: writes.set_entry(env, repository, which, key, identity, reading=WRITING))

        def create() -> Awaitable[None]:
            return self.run(lambda env: writes.create_entry(env, repository, which, key, identity, reading=WRITING))

        if only_if_absent:
            await self._conditionally(create, write)
        elif self.chance("lost-write", 0.1):
            await self.branch(name, branch)
        else:
            await write()
        return Found(path, identity.decode(), content)

    async def _conditionally(self, create: Callable[[], Awaitable[None]], write: Callable[[], Awaitable[None]]) -> None:
        try:
            await create()
        except PathExists:
            if self.chance("refused-write", 0.2):
                await write()
            raise

    async def delete_entry(self, name: str, branch: str, path: str) -> None:
        which, key = BranchID(branch), path.encode()
        await self.at(name, lambda env, at: writes.delete_entry(env, at, which, key, reading=WRITING))

    async def get(self, name: str, ref: str, path: str) -> Found:
        if "missed-read" not in self.bugs or ref != "main":
            return await self._get(name, ref, path)
        before, head = self._commits, (await self.branch(name, ref)).commit_id
        found = await self._get(name, ref, path)
        await trio.sleep(LATE_SECONDS / 2)
        if self._commits == before:
            return found
        return self._found(await self._committed(await self.repository(name), head, path.encode()))

    async def _get(self, name: str, ref: str, path: str) -> Found:
        repository = await self.repository(name)
        try:
            entry = await self.run(
                lambda env: reads.get_entry(env, repository, BranchID(ref), path.encode(), tries=TRIES)
            )
        except BranchNotFound:
            entry = await self._committed(repository, ref, path.encode())
        return self._found(entry)

    async def _committed(self, repository: Repository, ref: str, path: bytes) -> Entry:
        for entry in await self.entries(repository, ref):
            if entry.path == path:
                return entry
        raise PathNotFound(path)

    async def listing(self, name: str, ref: str) -> list[Found]:
        repository = await self.repository(name)
        try:
            entries = await self.run(lambda env: reads.list_entries(env, repository, BranchID(ref), tries=TRIES))
        except BranchNotFound:
            entries = await self.entries(repository, ref)
        return [self._found(each) for each in entries]

    def _found(self, entry: Entry) -> Found:
        address, _, mark = entry.identity.partition(MARKED)
        return Found(entry.path.decode(), address.decode(), self._bodies[address], mark.decode())

    async def entries(self, repository: Repository, ref: str) -> tuple[Entry, ...]:
        async def flow(env: Env) -> tuple[Entry, ...]:
            commit = await commits.get_commit(env, repository, await resolve(env, repository, ref))
            found = read_entries(env, repository.storage_namespace, commit.meta_range_id)
            return tuple([entry async for entry in found])

        return await self.run(flow)

    async def commit(self, name: str, branch: str, message: str) -> Commit:
        commit = partial(lock_free.commit, reading=COMMITTING)
        self._commits += branch == "main"
        return await self.at(name, lambda env, at: commit(env, at, BranchID(branch), message))

    async def merge(self, name: str, destination: str, source: str, message: str) -> Commit:
        merge = partial(merges.merge, strategy="source-wins")
        return await self.at(name, lambda env, at: merge(env, at, BranchID(destination), source, message))

    async def log(self, name: str, ref: str, *, first_parent: bool) -> list[Commit]:
        if first_parent:
            return list(await self.at(name, lambda env, at: commits.log(env, at, ref)))

        async def flow(env: Env, repository: Repository) -> list[Commit]:
            todo, found = [await resolve(env, repository, ref)], dict[str, Commit]()
            while todo:
                commit = await commits.get_commit(env, repository, todo.pop())
                found[commit.commit_id] = commit
                todo += [parent for parent in commit.parents if parent not in found]
            return sorted(found.values(), key=lambda commit: -commit.generation)

        return await self.at(name, flow)
