"""What planting adds to a dataset, as plain values: records, objects, and what it says of them. Pure."""

import hashlib

import attrs

from lakeproof.impl.codec import encode
from lakeproof.model import keys
from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
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
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag
from lakeproof.spark_checks.generate.ground import DEFAULT_BRANCH, STORAGE
from lakeproof.spark_checks.generate.sizes import salt


@attrs.frozen
class Place:
    """A repository to plant in: what the workers know of repository number ``r``. ``first_commit``: its id.
    ``open_token``: of the default branch. ``created``, ``now``: microseconds."""

    seed: int
    now: int
    r: int
    repository_id: str
    uid: str
    namespace: str
    first_commit: str
    open_token: str
    created: int

    @property
    def home(self) -> str:
        return f"{self.repository_id}-{self.uid}"

    def number(self, kind: str, i: int) -> int:
        """64 bits, not negative."""
        return salt(self.seed, "planted", kind, i) & ((1 << 64) - 1)

    def name(self, kind: str, i: int) -> str:
        return f"{self.number(kind, i):X}"

    def content_id(self, kind: str, i: int) -> str:
        return hashlib.sha256(f"{self.seed}:{kind}:{i}".encode()).hexdigest()

    def token(self, kind: str, i: int, uid: str | None = None) -> str:
        """Of its own. ``uid``: whose it says that it is."""
        return f"{self.repository_id}-{kind}-{i}:{uid or self.uid}.{self.name('token ' + kind, i)}"


@attrs.frozen
class Object:
    """A row of the listing."""

    storage_namespace: str
    address: str
    size_bytes: int
    last_modified: int  # microseconds


@attrs.frozen
class Finding:
    """A line of the list of what was planted."""

    id: str
    subject: str
    evidence: str


@attrs.frozen
class Planted:
    """records: partition, key and value."""

    records: tuple[tuple[bytes, bytes, bytes], ...] = ()
    objects: tuple[Object, ...] = ()
    findings: tuple[Finding, ...] = ()

    def __add__(self, other: "Planted") -> "Planted":
        return Planted(self.records + other.records, self.objects + other.objects, self.findings + other.findings)

    @classmethod
    def record(cls, partition: str | bytes, key: bytes, record: Record | bytes) -> "Planted":
        where = partition if isinstance(partition, bytes) else partition.encode()
        return cls(records=((where, key, record if isinstance(record, bytes) else encode(record)),))

    @classmethod
    def finding(cls, name: str, subject: str, evidence: str) -> "Planted":
        return cls(findings=(Finding(name, subject, evidence),))

    def is_found(self, name: str, evidence: str) -> "Planted":
        """The same, with its first record as the subject of a finding; see `lakeproof.spark_checks.findings.at`."""
        partition, key, _ = self.records[0]
        return self + Planted.finding(name, f"{partition.decode()} {key.decode()}", evidence)


def cleanup(repository_id: str, uid: str) -> Planted:
    record = CleanupRecord(repository_id=RepositoryID(repository_id), instance_uid=InstanceUID(uid))
    return Planted.record(keys.DELETED, keys.cleanup_key(record.repository_id, record.instance_uid), record)


def repository(
    repository_id: str, uid: str, date: int, *, state: RepositoryState = RepositoryState.ACTIVE, bare: bool = False
) -> Planted:
    record = Repository(
        repository_id=RepositoryID(repository_id),
        storage_namespace=StorageNamespace(STORAGE + repository_id),
        default_branch_id=BranchID(DEFAULT_BRANCH),
        creation_date=date,
        state=state,
        instance_uid=InstanceUID(uid),
        bare=bare,
    )
    return Planted.record(keys.GRAVELER, keys.repository_key(record.repository_id), record)


def branch(home: str, name: str, commit_id: str, token: str, sealed: tuple[str, ...] = ()) -> Planted:
    record = Branch(
        branch_id=BranchID(name),
        commit_id=CommitID(commit_id),
        staging_token=StagingToken(token),
        sealed_tokens=tuple(map(StagingToken, sealed)),
    )
    return Planted.record(home, keys.branch_key(record.branch_id), record)


def tag(home: str, name: str, commit_id: str, told: str | None = None) -> Planted:
    """``told``: the id in the record, where it is not that of the key."""
    record = Tag(tag_id=TagID(told or name), commit_id=CommitID(commit_id))
    return Planted.record(home, keys.tag_key(TagID(name)), record)


def commit(
    home: str,
    commit_id: str,
    date: int,
    *,
    parents: tuple[str, ...] = (),
    generation: int = 2,
    meta_range_id: str = "",
    instance: str = "",
) -> Planted:
    record = Commit(
        commit_id=CommitID(commit_id),
        committer="user-0",
        message="planted",
        creation_date=date,
        meta_range_id=MetaRangeID(meta_range_id),
        metadata=(("instance", instance),) if instance else (),
        parents=tuple(map(CommitID, parents)),
        generation=generation,
    )
    return Planted.record(home, keys.commit_key(record.commit_id), record)


def staged(token: str, path: str, address: str, date: int) -> Planted:
    data = encode_object_entry(ObjectEntry(address=address, size_bytes=1, last_modified=date))
    record = StagedEntry(key=path.encode(), identity=identity_of(data), data=data)
    return Planted.record(token, keys.staged_key(record.key), record)
