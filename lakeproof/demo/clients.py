"""Who does what: the flows of each variant as calls, and the paths that they are about.

Paths are in folders, ``<folder>/<name>``, so that a folder can be listed, and judged by itself.
"""

from collections.abc import Callable, Coroutine, Hashable, Mapping
from functools import partial
from random import Random
from typing import Final

import attrs

from lakeproof.impl.effects import Env
from lakeproof.impl.graveler import lock_free, locked, optimistic, reading, writing
from lakeproof.model.identifiers import BranchID, InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.records import Repository

COMMITS: Final[Mapping[str, Callable[..., Coroutine[object, object, object]]]] = {  # type: ignore[explicit-any]
    "lock-free": partial(lock_free.commit, reading=lock_free.Reading(tries=10)),
    "optimistic": partial(optimistic.commit, reading=optimistic.Reading(tries=10)),
    "locked": partial(locked.commit, reading=locked.Reading(tries=100_000)),
}
"""By variant. A committer waits for the lock; a writer tries as often as the flow does by itself, and is refused."""
VARIANTS: Final = tuple(COMMITS)
REPOSITORY: Final = Repository(
    repository_id=RepositoryID("demo"),
    storage_namespace=StorageNamespace("mem://demo"),
    default_branch_id=BranchID("main"),
    creation_date=1_700_000_000_000_000,
    instance_uid=InstanceUID("d"),
)
BRANCH: Final = REPOSITORY.default_branch_id
SCAN_BATCH: Final = 100
BULK: Final = b"bulk"
"""Folders that begin so are filled before anybody else begins, and then left alone."""
DELETES, LISTS = 0.2, 0.1
"""So many writers' calls delete; so many readers' calls list."""

Flow = Callable[[Env], Coroutine[object, object, object]]


@attrs.frozen(kw_only=True)
class Settings:
    """What is let loose, and for how long."""

    variant: str = "lock-free"
    writers: int = 300
    readers: int = 100
    committers: int = 2
    seconds: float = 10.0
    seed: int = 0
    single_read: bool = False
    """Writers and readers do not look at the branch again. The negative control: entries get lost."""
    folders: int = 64
    paths: int = 8  # in each folder
    bulk_folders: int = 64
    """Entries staged before anybody else begins: the first commit takes them all, and is long."""
    calls_per_second: float = 500.0
    """How often all writers and readers together would call if every answer came at once."""
    round_seconds: float = 1.0
    jitter_seconds: float = 0.0006
    """Every operation of the key-value store takes a random time up to this."""
    objects_jitter_seconds: float = 0.012
    commit_pause_seconds: float = 0.05

    @property
    def pause_seconds(self) -> float:
        """How long a writer or reader waits between two calls, on average."""
        return (self.writers + self.readers) / self.calls_per_second

    def path(self, folder: int, number: int) -> bytes:
        return b"f%03d/%02d" % (folder, number)

    @property
    def folder_names(self) -> tuple[bytes, ...]:
        return tuple(b"f%03d" % folder for folder in range(self.folders))

    def names_in(self, folder: bytes) -> tuple[bytes, ...]:
        return tuple(b"%s/%02d" % (folder, number) for number in range(self.paths))

    @property
    def bulk_names(self) -> tuple[bytes, ...]:
        return tuple(BULK + b"%03d" % folder for folder in range(self.bulk_folders))


@attrs.frozen
class Doing:
    """A call: what it is counted as, and its name and arguments as invariants know them."""

    kind: str
    name: str
    args: tuple[Hashable, ...]
    flow: Flow


def folder_of(path: bytes) -> bytes:
    """The folder that a path, or a prefix that ends in "/", is in."""
    return path.partition(b"/")[0]


@attrs.frozen
class Calls:
    """The calls of one run. Every write has an identity of its own."""

    settings: Settings
    rng: Random
    _written: list[int] = attrs.field(factory=lambda: [0])

    def of_writer(self) -> Doing:
        path = self._any_path()
        return self.delete(path) if self.rng.random() < DELETES else self.write(path, self.identity())

    def of_reader(self) -> Doing:
        path = self._any_path()
        return self.list(folder_of(path) + b"/") if self.rng.random() < LISTS else self.read(path)

    def _any_path(self) -> bytes:
        return self.settings.path(self.rng.randrange(self.settings.folders), self.rng.randrange(self.settings.paths))

    def identity(self) -> bytes:
        self._written[0] += 1
        return b"w%d" % self._written[0]

    def write(self, path: bytes, identity: bytes) -> Doing:
        how = writing.Reading(rereads=not self.settings.single_read)

        def flow(env: Env) -> Coroutine[object, object, None]:
            if self.settings.variant == "locked":
                return locked.set_entry(env, REPOSITORY, BRANCH, path, identity)
            return writing.set_entry(env, REPOSITORY, BRANCH, path, identity, reading=how)

        return Doing("write", "set_entry", (REPOSITORY, str(BRANCH), path, identity), flow)

    def delete(self, path: bytes) -> Doing:
        how = writing.Reading(rereads=not self.settings.single_read)

        def flow(env: Env) -> Coroutine[object, object, None]:
            if self.settings.variant == "locked":
                return locked.delete_entry(env, REPOSITORY, BRANCH, path)
            return writing.delete_entry(env, REPOSITORY, BRANCH, path, reading=how)

        return Doing("delete", "delete_entry", (REPOSITORY, str(BRANCH), path), flow)

    def fill(self, entries: tuple[tuple[bytes, bytes], ...]) -> Doing:
        """Stage many entries."""

        def flow(env: Env) -> Coroutine[object, object, None]:
            return writing.set_entries(env, REPOSITORY, BRANCH, entries)

        return Doing("bulk", "set_entries", (REPOSITORY, str(BRANCH), entries), flow)

    def read(self, path: bytes) -> Doing:
        rereads = not self.settings.single_read
        return Doing(
            "read",
            "get_entry",
            (REPOSITORY, str(BRANCH), path),
            lambda env: reading.get_entry(env, REPOSITORY, BRANCH, path, rereads=rereads),
        )

    def list(self, prefix: bytes) -> Doing:
        rereads = not self.settings.single_read
        return Doing(
            "list",
            "list_entries",
            (REPOSITORY, str(BRANCH), prefix),
            lambda env: reading.list_entries(env, REPOSITORY, BRANCH, prefix, rereads=rereads, batch_size=SCAN_BATCH),
        )

    def commit(self, message: str) -> Doing:
        def flow(env: Env) -> Coroutine[object, object, object]:
            return COMMITS[self.settings.variant](env, REPOSITORY, BRANCH, message, batch_size=SCAN_BATCH)

        return Doing("commit", "commit", (REPOSITORY, str(BRANCH), message), flow)
