"""Collecting: one scan for each partition, and another look at what seems to be missing.

Example: the scan of r's partition shows main, which names commit c2, and no c2. A get of ``commits/c2`` follows. It is
there by now: no finding. It is not: a get of ``repos/r``; if that is as it was, main is *dangling*, else all that is
missing in r is one finding, *changed-meanwhile*.
"""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

import attrs

from lakeproof.impl.codec import NotAMessage, Undecodable, decode_at, decode_branch
from lakeproof.impl.diagnostics.findings import TABLES, Collected, Diagnosis, FindingKind, Row
from lakeproof.impl.diagnostics.rows import TABLE_OF, Entity, entity_row, repository_row
from lakeproof.impl.effects import Env
from lakeproof.impl.migration.checks import METADATA, VERSION_KEY, unknown_version
from lakeproof.impl.refs.branches import is_tombstone
from lakeproof.impl.refs.iterators import BATCH_SIZE, check_batch_size
from lakeproof.impl.repositories.entities import uid_partition
from lakeproof.model import keys, kv, records
from lakeproof.model.identifiers import BranchID, CommitID, InstanceUID, RepositoryID, StagingToken, StorageNamespace
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag

R = TypeVar("R", bound=Record)

PART: Final = (
    "there is no record of a repository, as in the dump of one partition: what needs other partitions is not judged"
)
_PREFIXES: Final = (keys.REPOSITORIES_PREFIX, keys.BRANCHES_PREFIX, keys.COMMITS_PREFIX, keys.TAGS_PREFIX)


async def collect(
    env: Env,
    *,
    batch_size: int = BATCH_SIZE,
    damage: Sequence[str] = (),
    partitions: Sequence[bytes] = (),
    like_lakefs: bool = False,
    whole: bool = True,
) -> Collected:
    """Read a whole store. Never writes, and raises nothing: what cannot be read or decoded is a finding.

    damage: what is wrong with what the store is kept in; a finding each. partitions: those that the store had before it
    is read, if that is known: what no repository leads to is found there, at a scan more for each. like_lakefs: the
    store is of lakeFS as it was built, read by `layouts`: without cleanup records, and without a mark of bare ones.
    whole: False if it may be a part of that store, as ``lakefs kv dump`` writes it.

    The clock, a scan for each partition, and 1 effect for each commit or default branch that seems to be missing, and
    for each repository that misses any. Memory: a row for each entity that is not a staged entry.
    Dangling names are judged in active repositories only: others are half-built or half-deleted on purpose. A part of
    lakeFS' store without a record of a repository is judged by partition, and without staged data.
    """
    collector = _Collector(env, check_batch_size(batch_size), like_lakefs)
    collected_at = await env.clock.now()
    collector.note(damage)
    # Repositories first: they lead to all else, and what they lead to is no stray.
    await collector.read_repositories()
    await collector.read_parts(partitions, whole)
    await collector.read_version()
    await collector.read_staging()
    await collector.read_cleanup()
    await collector.read_strays(partitions)
    return collector.collected(collected_at)


@attrs.frozen
class _Owner:
    """A branch that names a staging token."""

    partition: bytes
    key: bytes


class _Collector:
    def __init__(self, env: Env, batch_size: int, like_lakefs: bool) -> None:
        self._like_lakefs = like_lakefs
        self._part = False
        self._env = env
        self._batch_size = batch_size
        self._tables: dict[str, list[Row]] = {name: [] for name in TABLES}
        self._findings: list[Diagnosis] = []
        self._owners: dict[StagingToken, list[_Owner]] = {}
        self._scanned: set[bytes] = set()

    def collected(self, collected_at: int) -> Collected:
        return Collected(collected_at=collected_at, tables=self._tables, findings=tuple(self._findings))

    def note(self, damage: Iterable[str]) -> None:
        for message in damage:
            self._find("damaged", b"", b"", message)

    async def read_repositories(self) -> None:
        async for entry, repository in self._records(keys.GRAVELER, Repository):
            try:
                partition = uid_partition(repository)
            except keys.InvalidName as error:
                self._find("bad-name", keys.GRAVELER, entry.key, str(error))
                self._tables["repositories"].append(repository_row(repository, ()))
                continue
            await self._read_repository(repository, partition, entry)

    async def _read_repository(self, repository: Repository, partition: bytes, entry: kv.Entry) -> None:
        before = len(self._findings)
        found = await self._read_entities(repository, partition)
        self._tables["repositories"].append(repository_row(repository, found.values()))
        # What could not be read may have what seems to be missing.
        unread = any(finding.kind == "unreadable" for finding in self._findings[before:])
        if repository.state is RepositoryState.ACTIVE and not unread:
            await self._judge(repository, partition, entry, found)

    async def read_parts(self, partitions: Iterable[bytes], whole: bool) -> None:
        """The branches, commits and tags of a part of lakeFS' store that has no record of a repository."""
        if not self._like_lakefs or self._tables["repositories"]:
            return
        self._part = not whole
        for partition in partitions:
            kinds = {_kind(entry, partition) async for entry in self._scan(partition)}
            if kinds & {"branch", "commit", "tag"}:  # neither a staging token's, nor one of users or pull requests
                name = RepositoryID(partition.decode(errors="backslashreplace"))
                unknown = Repository(
                    repository_id=name,
                    instance_uid=InstanceUID(""),
                    storage_namespace=StorageNamespace(""),
                    default_branch_id=BranchID(""),
                    creation_date=0,
                    state=RepositoryState.ACTIVE,
                )
                found = await self._read_entities(unknown, partition)
                self._findings += await self._dangling(partition, found)
                self._part = True
        if self._part:  # and not a whole one without a repository
            self._find("part", b"", b"", PART)

    async def _read_entities(self, repository: Repository, partition: bytes) -> dict[bytes, Entity]:
        found: dict[bytes, Entity] = {}
        async for at, record in self._records(partition, Branch, Commit, Tag):
            assert isinstance(record, Entity)
            found[at.key] = record
            self._tables[TABLE_OF[type(record)]].append(entity_row(repository, record))
            # A commit reads sealed tokens, too; two branches that share any token take each other's changes.
            for token in record.tokens if isinstance(record, Branch) else ():
                self._owners.setdefault(token, []).append(_Owner(partition, at.key))
        return found

    async def _judge(
        self, repository: Repository, partition: bytes, entry: kv.Entry, found: Mapping[bytes, Entity]
    ) -> None:
        """Report what is missing, unless it is there by now, or the repository itself is not as it was."""
        missing = await self._dangling(partition, found)
        default = repository.default_branch_id
        key = keys.BRANCHES_PREFIX + default.encode()
        if self._like_lakefs and not found:  # lakeFS does not mark a bare repository, so nothing can be judged
            self._find("bare", partition, b"", "has no branch, commit or tag: created bare, or lost")
        elif not repository.bare and not _is_live(found.get(key)) and not await self._may_be_branch(partition, key):
            missing.append(Diagnosis("no-default-branch", partition, key, f"default branch {default!r} is not there"))
        # Also where the entry cannot be read now: then nothing is sure. A changed entry means that the names were read
        # from one repository, and the commits from another one, or from a half-deleted one.
        if missing and await self._get(keys.GRAVELER, entry.key) != entry.value:
            message = f"repository {repository.repository_id!r} was changed or deleted while it was read"
            missing = [Diagnosis("changed-meanwhile", keys.GRAVELER, entry.key, message)]
        self._findings += missing

    async def _dangling(self, partition: bytes, found: Mapping[bytes, Entity]) -> list[Diagnosis]:
        """What names a commit that is not there, by now either."""
        missing: list[Diagnosis] = []
        absent: dict[CommitID, bool] = {}
        for key, what, commit_id in _suspects(found, self._like_lakefs):
            if commit_id not in absent:
                # A commit may have been added after the scan had passed its key.
                absent[commit_id] = await self._get(partition, _commit_key(commit_id)) is kv.NotFound
            if absent[commit_id]:
                message = f"{what} names commit {commit_id!r}, which is not there"
                missing.append(Diagnosis("dangling", partition, key, message))
        return missing

    async def _may_be_branch(self, partition: bytes, key: bytes) -> bool:
        """Whether there is a branch by now, or something that has its own finding."""
        value = await self._get(partition, key)
        if isinstance(value, bytes):
            try:
                return not is_tombstone(decode_branch(value))
            except Undecodable:
                return True  # a damaged branch is a finding of its own
        return value is None  # unknown: already noted as unreadable

    async def read_version(self) -> None:
        """Of a whole store of lakeFS."""
        if self._like_lakefs and not self._part:
            found = await self._get(METADATA, VERSION_KEY)
            # Unreadable has its own finding; an absent version is judged as None.
            if found is not None and (message := unknown_version(found if isinstance(found, bytes) else None)):
                self._find("version", METADATA, VERSION_KEY, message)

    async def read_staging(self) -> None:
        for token, owners in sorted(self._owners.items()):
            first = owners[0]
            for other in owners[1:]:
                if other != first:  # a branch may name a token twice: not shared
                    message = f"staging token {token!r} is also that of {_path(first)!r}"
                    self._find("shared-token", other.partition, other.key, message)
            if self._part:
                continue  # what is staged lies in other partitions
            try:
                partition = keys.staging_partition(token)
            except keys.InvalidName as error:
                self._find("bad-name", first.partition, first.key, str(error))
                continue
            entries = tombstones = data_bytes = 0
            async for _, record in self._records(partition, StagedEntry):
                entries += 1
                tombstones += record.data is None
                data_bytes += len(record.data or b"")
            row = {
                "staging_token": token,
                # A branch that names it twice is one owner.
                "owners": tuple(_path(owner) for owner in dict.fromkeys(owners)),
                "entries": entries,
                "tombstones": tombstones,
                "data_bytes": data_bytes,
            }
            self._tables["staging"].append(row)

    async def read_cleanup(self) -> None:
        async for entry, record in self._records(keys.DELETED, CleanupRecord):
            try:
                partition = keys.repository_partition(record.repository_id, record.instance_uid)
            except keys.InvalidName as error:
                self._find("bad-name", keys.DELETED, entry.key, str(error))
                continue
            left = len([1 async for _ in self._scan(partition)])
            row = {"repository_id": record.repository_id, "instance_uid": record.instance_uid, "left": left}
            self._tables["cleanup"].append(row)

    async def read_strays(self, partitions: Iterable[bytes]) -> None:
        """What nothing leads to. Where something could not be read, that may be what did."""
        if any(finding.kind == "unreadable" for finding in self._findings):
            # An unread branch may own the token, and an unread repository the partition.
            return
        for partition in partitions:
            if partition in self._scanned:
                continue
            kinds = Counter([_kind(entry, partition) async for entry in self._scan(partition)])
            entities = kinds["branch"] + kinds["commit"] + kinds["tag"]
            if entities and self._like_lakefs:  # a part of a store has no partition left by now
                message = f"branches, commits and tags of a deleted repository: {entities}"
                self._find("left-over", partition, b"", message)
            elif entities:
                message = f"branches, commits and tags that no repository and no cleanup record leads to: {entities}"
                self._find("stray", partition, b"", message)
            elif kinds["staged"]:
                message = f"entries under a token that no branch names: {kinds['staged']}"
                self._find("unowned-token", partition, b"", message)

    async def _records(self, partition: bytes, *kinds: type[R]) -> AsyncIterator[tuple[kv.Entry, R]]:
        """The records of these kinds in a partition; all else is a finding."""
        async for entry in self._scan(partition):
            try:
                record = decode_at(partition, entry.key, entry.value)
            except Undecodable as error:
                self._find("undecodable", partition, entry.key, _why(error, entry.value))
                continue
            if not isinstance(record, kinds):
                # The prefix is of an entity, but the rest is no name that the key schema can hold.
                if record is None and entry.key.startswith(_PREFIXES):
                    message = f"{_size(entry.value)} under a key that no name leads to"
                    self._find("bad-name", partition, entry.key, message)
                    continue
                self._find("unknown-key", partition, entry.key, f"{_size(entry.value)} under a key of no known entity")
                continue
            # Each address has one record: a record of another name is one that was copied, or written by a mistaken
            # client.
            expected = keys.parse(partition, entry.key)
            assert expected is not None, "decode_at knows no record of an address that it cannot parse"
            if expected.name != records.name_of(record):
                named = repr(records.name_of(record).decode(errors="backslashreplace"))
                message = f"holds the record of {'another path' if isinstance(record, StagedEntry) else named}"
                self._find("misplaced", partition, entry.key, message)
            yield entry, record  # judged all the same: flows go by the key

    async def _scan(self, partition: bytes) -> AsyncIterator[kv.Entry]:
        """What a partition holds, as far as it can be read."""
        self._scanned.add(partition)  # also where the scan breaks off: a partition that is known is no stray
        try:
            async for entry in self._env.store.scan(partition, batch_size=self._batch_size):
                yield entry
        # Only the store's errors: those of the consumer are raised where it iterates, not here.
        except kv.KVError as error:
            self._find("unreadable", partition, b"", f"{type(error).__name__}: {error}".rstrip(": "))

    async def _get(self, partition: bytes, key: bytes) -> bytes | type[kv.NotFound] | None:
        """The value, or NotFound, or None where that is unknown."""
        try:
            return (await self._env.store.get(partition, key)).value
        except kv.NotFound:
            return kv.NotFound
        except kv.KVError as error:
            self._find("unreadable", partition, key, f"{type(error).__name__}: {error}".rstrip(": "))
            return None

    def _find(self, kind: FindingKind, partition: bytes, key: bytes, message: str) -> None:
        self._findings.append(Diagnosis(kind, partition, _without_path(key), message))


def _without_path(key: bytes) -> bytes:
    """A key; that of a staged entry is its path, which is private: a digest stands for it."""
    if not key.startswith(keys.STAGED_PREFIX):
        return key
    path = key.removeprefix(keys.STAGED_PREFIX)
    # 64 bits of the digest: enough to tell paths apart.
    return keys.STAGED_PREFIX + b"sha256:" + hashlib.sha256(path).hexdigest()[:16].encode()


def _kind(entry: kv.Entry, partition: bytes) -> str:
    """The kind of record at an address; '' of what is none."""
    parsed = keys.parse(partition, entry.key)
    try:
        return "" if parsed is None or decode_at(partition, entry.key, entry.value) is None else parsed.kind
    except Undecodable:
        return ""


def _suspects(found: Mapping[bytes, Entity], like_lakefs: bool) -> Iterator[tuple[bytes, str, CommitID]]:
    """Keys, names and commit ids of what names a commit that was not met."""
    for key, record in found.items():
        what, named = _names_in(record, like_lakefs)
        yield from ((key, what, commit_id) for commit_id in named if _commit_key(commit_id) not in found)


def _names_in(record: Entity, like_lakefs: bool) -> tuple[str, tuple[CommitID, ...]]:
    """What it is called, and which commits it names."""
    match record:
        case Branch():
            # lakeFS has no tombstones: a row without a commit was torn.
            return f"branch {record.branch_id!r}", (record.commit_id,) if like_lakefs or _is_live(record) else ()
        case Commit():
            return f"commit {record.commit_id!r}", record.parents
        case Tag():
            return f"tag {record.tag_id!r}", (record.commit_id,)


def _commit_key(commit_id: CommitID) -> bytes:
    """The key, of whatever a record says: it need not be a name that the schema can hold."""
    return keys.COMMITS_PREFIX + commit_id.encode()


def _is_live(record: Entity | None) -> bool:
    return isinstance(record, Branch) and not is_tombstone(record)


def _why(error: Undecodable, value: bytes) -> str:
    """What is wrong with a value, without the value."""
    cause = error.__cause__
    # A message of protobuf's, or of `NotAMessage`, quotes bytes of the value, and they may be a user's.
    if cause is None or isinstance(cause, NotAMessage):
        return f"{_size(value)}: no record of the kind that the key asks for"
    return str(cause)


def _size(value: bytes) -> str:
    return f"{len(value)} byte{'' if len(value) == 1 else 's'}"


def _path(owner: _Owner) -> str:
    path = owner.partition + b"/" + owner.key.removeprefix(keys.BRANCHES_PREFIX)
    return path.decode(errors="backslashreplace")
