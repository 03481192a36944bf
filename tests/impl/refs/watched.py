"""Refs in a store that watches who reads it, for tests."""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Final, TypeVar

import trio

from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.refs.iterators import Iterator
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.impl.stores import MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry, Tag

T = TypeVar("T")

REPOSITORY: Final = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=StorageNamespace("mem://r"),
    default_branch_id=BranchID("main"),
    creation_date=0,
    instance_uid=InstanceUID("u"),
)
P: Final = uid_partition(REPOSITORY)
TOKEN: Final = StagingToken("r-main:t")


class Watched(MemoryStore):
    """Counts its operations, and fails those that it is told to."""

    def __init__(self, contents: Mapping[kv.Address, bytes] | None = None) -> None:
        super().__init__(contents)
        self.ops: list[kv.Op] = []
        self.fails: set[int] = set()
        """Numbers of operations, from 0."""

    async def apply(self, op: kv.Op) -> Answer:
        assert isinstance(op, kv.Get | kv.ScanBatch), "an iterator only reads"
        self.ops.append(op)
        if len(self.ops) - 1 in self.fails:
            raise kv.ScanInterrupted
        return await super().apply(op)


def live(store: MemoryStore, flow: Callable[[Env], Coroutine[Any, Any, T]]) -> T:  # type: ignore[explicit-any]
    return trio.run(partial(run, flow(live_env()), store))


def tag(name: str) -> Tag:
    return Tag(tag_id=TagID(name), commit_id=CommitID("c"))


def branch(name: str, commit_id: str = "c") -> Branch:
    return Branch(branch_id=BranchID(name), commit_id=CommitID(commit_id), staging_token=StagingToken(f"r-{name}:t"))


def commit(name: str, *parents: str) -> Commit:
    return Commit(
        commit_id=CommitID(name),
        committer="",
        message="",
        creation_date=0,
        meta_range_id=MetaRangeID(""),
        parents=tuple(CommitID(parent) for parent in parents),
    )


def staged(path: bytes, data: bytes | None = b"") -> StagedEntry:
    return StagedEntry(key=path, identity=b"", data=data)


def address(record: Record) -> kv.Address:
    match record:
        case Repository():
            return keys.GRAVELER, keys.repository_key(record.repository_id)
        case Branch():
            return P, keys.branch_key(record.branch_id)
        case Commit():
            return P, keys.commit_key(record.commit_id)
        case Tag():
            return P, keys.tag_key(record.tag_id)
        case StagedEntry():
            return keys.staging_partition(TOKEN), keys.staged_key(record.key)
    raise AssertionError(record)


def stored(*records: Record) -> Watched:
    return Watched({address(record): encode(record) for record in records})


def everything(store: MemoryStore, make: Callable[[Env], Iterator[T]]) -> list[T]:
    async def flow(env: Env) -> list[T]:
        return [value async for value in make(env)]

    return live(store, flow)
