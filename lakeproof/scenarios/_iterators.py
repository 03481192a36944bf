"""Iterators that are moved step by step, and the effects of each step."""

from collections.abc import Sequence
from typing import Any, Final

import attrs

from lakeproof.impl.codec import Undecodable, encode
from lakeproof.impl.effects import Env, KVEffects
from lakeproof.impl.refs import iterators
from lakeproof.impl.refs.errors import CommitNotFound
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StagingToken, TagID
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry, Tag

TAGS: Final = ("a", "c", "e", "g", "i")
BRANCHES: Final = {"m": "c3", "n": "c1", "o": "c2", "p": "c1"}
"""Two of them name one commit."""
COMMITS: Final = {"c0": ("c3",), "c1": (), "c2": ("c1",), "c3": ("c2",), "d0": ("c2", "c0")}
"""By id the parents: the last one of a line has the first id, and is the second parent of a merge."""
ORPHAN: Final = {"e0": ("nope",)}
TOKEN: Final = StagingToken("r-m:u.1.0")
STAGED: Final = (b"x", b"y/1", b"y/2", b"z")


@attrs.frozen
class Next:
    """A move. In it an effect, counted from 1, fails, or the iterator is closed while that effect is under way."""

    closed_at: int = 0
    fails_at: int = 0


@attrs.frozen
class Did:
    """What a step answers: where the iterator stands, or a word; and how many effects it has had."""

    answer: str | None
    effects: int = 0


Step = Next | str | bytes
"""Bytes: a seek. "value", "close": what these answer."""


class _Watched(KVEffects):
    """The store, and what happens at one of its effects."""

    def __init__(self) -> None:
        self.count = 0
        self.at = Next()
        self.closes: iterators.Iterator[Any] | None = None  # type: ignore[explicit-any]  # of any records

    async def perform(self, op: kv.Op) -> object:
        self.count += 1
        if self.count == self.at.fails_at:
            raise kv.Refused("as the step says")
        reply = await super().perform(op)
        if self.count == self.at.closed_at and self.closes is not None:
            self.closes.close()
        return reply


async def plant(env: Env, repository: Repository) -> None:
    """Write the records that are gone through."""
    partition = uid_partition(repository)
    records: dict[bytes, Record] = {keys.tag_key(TagID(name)): _tag(name) for name in TAGS}
    records.update({keys.branch_key(BranchID(name)): _branch(name, at) for name, at in BRANCHES.items()})
    records.update({keys.commit_key(CommitID(name)): _commit(name, at) for name, at in COMMITS.items()})
    for key, record in records.items():
        await env.store.set(partition, key, encode(record))
    for path in STAGED:
        entry = StagedEntry(key=path, identity=b"1", data=b"")
        await env.store.set(keys.staging_partition(TOKEN), keys.staged_key(path), encode(entry))


async def plant_orphan(env: Env, repository: Repository) -> None:
    """Write a commit whose parent is not there."""
    for name, at in ORPHAN.items():
        await env.store.set(uid_partition(repository), keys.commit_key(CommitID(name)), encode(_commit(name, at)))


async def plant_unknown(env: Env, repository: Repository) -> None:
    """Write a value among the tags, at a key that the key schema does not know."""
    await env.store.set(uid_partition(repository), keys.TAGS_PREFIX, b"")


def _tag(name: str) -> Tag:
    return Tag(tag_id=TagID(name), commit_id=CommitID("c1"))


def _branch(name: str, at: str) -> Branch:
    return Branch(branch_id=BranchID(name), commit_id=CommitID(at), staging_token=StagingToken(f"r-{name}:u.1.0"))


def _commit(name: str, parents: Sequence[str]) -> Commit:
    return Commit(
        commit_id=CommitID(name),
        committer="lakeproof",
        message=name,
        creation_date=0,
        meta_range_id=MetaRangeID(""),
        parents=tuple(map(CommitID, parents)),
        generation=1,
    )


def _opened(  # type: ignore[explicit-any]  # of any records
    env: Env, repository: Repository, what: str, batch_size: int
) -> "iterators.Iterator[Any]":
    match what:
        case "tags":
            return iterators.tag_iterator(env, repository, batch_size=batch_size)
        case "branches":
            return iterators.branch_iterator(env, repository, batch_size=batch_size)
        case "branches by commit":
            return iterators.branch_by_commit_iterator(env, repository, batch_size=batch_size)
        case "commits":
            return iterators.commit_ordered_iterator(env, repository, batch_size=batch_size)
        case "leaves":
            return iterators.leaf_commit_iterator(env, repository, batch_size=batch_size)
        case "staged":
            return iterators.staging_iterator(env, TOKEN, b"y/", batch_size=batch_size)
    return iterators.commit_iterator(env, repository, CommitID(what), first_parent_only=False)


async def follow(
    env: Env, repository: Repository, what: str, batch_size: int, steps: tuple[Step, ...]
) -> tuple[Did, ...]:
    """What an iterator does at each of these steps. what: a kind, or a commit whose ancestry is meant."""
    watched = _Watched()
    it = _opened(attrs.evolve(env, store=watched), repository, what, batch_size)
    watched.closes = it
    done = []
    for step in steps:
        watched.count, watched.at = 0, step if isinstance(step, Next) else Next()
        done.append(Did(await _moved(it, step), watched.count))
    return tuple(done)


async def _moved(it: "iterators.Iterator[Any]", step: Step) -> str | None:  # type: ignore[explicit-any]
    if isinstance(step, bytes):
        await it.seek(step)
        return "sought"
    if step == "close":
        it.close()
        return "closed"
    try:
        if isinstance(step, Next) and not await it.next():
            return None
        return _name(it.value)
    except iterators.NoValue:
        return "no value"
    except kv.Refused:
        return "failed"
    except iterators.ParentNotFound:
        return "no parent"
    except CommitNotFound:
        return "no commit"
    except Undecodable:
        return "undecodable"


def _name(record: object) -> str:
    match record:
        case Tag():
            return record.tag_id
        case Branch():
            return record.branch_id
        case Commit():
            return record.commit_id
        case StagedEntry():
            return record.key.decode()
    raise AssertionError(f"{record!r}: expected a record that an iterator shows")


async def open_with(env: Env, repository: Repository, batch_size: int) -> bool:
    """Whether an iterator takes this for the size of its pages."""
    try:
        iterators.tag_iterator(env, repository, batch_size=batch_size)
    except ValueError:
        return False
    return True
