"""What `uncommitted` and `retention` must say of the rows of a dataset, in plain Python: sets, and
`lakeproof.model.retention`.

Nothing of `spark_checks` decides here. A dataset that must be refused has the answer `REFUSED`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import attrs
import pyarrow.parquet as pq

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.model.catalog import AddressType, ObjectEntry, decode_object_entry, physical_address
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, StorageNamespace
from lakeproof.model.keys import repository_partition
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry, Tag
from lakeproof.model.retention import Rules, active

REFUSED: Final = "refused"
UNSURE: Final = "unsure"
"""Two records of one commit: no store has them, and the definition does not say which of them is on a line."""

Answer = Counter[str] | Literal["refused", "unsure"]
"""The addresses that are marked, each as often as it is listed."""

DAYS: Final = 5
DAYS_OF: Final = {"b0": 9}
AGE: Final = 86_400_000_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Row = dict[str, object]

SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "kv": ("partition_key", "key", "value"),
    "metaranges": ("meta_range_id",),
    "ranges": ("range_id", "address"),
    "decoded/repositories": ("partition_key", "repository_id", "storage_namespace", "home"),
    "decoded/branches": ("partition_key", "branch_id", "commit_id", "staging_token", "sealed_tokens"),
    "decoded/tags": ("partition_key", "tag_id", "commit_id"),
    "decoded/commits": ("partition_key", "commit_id", "creation_date", "meta_range_id", "parents"),
    "decoded/staged": ("partition_key", "token", "tombstone"),
}
"""What no row may leave out."""


class Refused(Exception):
    """The rows do not say what is kept."""


@attrs.define
class Held:
    """What the records say: rows, of which two may contradict each other."""

    namespaces: dict[bytes, set[str]] = attrs.Factory(dict)
    branches: list[tuple[bytes, str, str, tuple[str, ...]]] = attrs.Factory(list)
    tags: list[tuple[bytes, str]] = attrs.Factory(list)
    commits: list[tuple[bytes, Commit]] = attrs.Factory(list)
    staged: list[tuple[str, ObjectEntry]] = attrs.Factory(list)


def rows(folder: Path) -> dict[str, list[Row]]:
    """All tables of a dataset, by name. Raises pyarrow.ArrowException, OSError."""
    found: dict[str, list[Row]] = {}
    for file in sorted(folder.rglob("*.parquet")):
        name = file.parent.relative_to(folder).as_posix()
        found.setdefault(name, []).extend(pq.ParquetFile(file).read().to_pylist())
    return found


def held(tables: Mapping[str, list[Row]]) -> Held:
    """Of the typed tables, where there are some. Raises Refused."""
    found = Held()
    for name, columns in SAID.items():
        for row in tables.get(name, ()):
            if any(row[column] is None for column in columns):
                raise Refused
    if "decoded/commits" in tables:
        _typed(found, tables)
    else:
        _decoded(found, tables["kv"])
    return found


def _typed(found: Held, tables: Mapping[str, list[Row]]) -> None:
    if tables.get("decoded/undecodable"):
        raise Refused
    for row in tables["decoded/repositories"]:
        found.namespaces.setdefault(row["home"], set()).add(row["storage_namespace"])  # type: ignore[arg-type]
    for row in tables["decoded/branches"]:
        tokens = (row["staging_token"], *row["sealed_tokens"])  # type: ignore[misc]
        found.branches.append((row["partition_key"], row["branch_id"], row["commit_id"], tokens))  # type: ignore[arg-type]
    for row in tables["decoded/tags"]:
        found.tags.append((row["partition_key"], row["commit_id"]))  # type: ignore[arg-type]
    for row in tables["decoded/commits"]:
        commit = _commit(row)
        found.commits.append((row["partition_key"], commit))  # type: ignore[arg-type]
    for row in tables["decoded/staged"]:
        if row["tombstone"]:
            continue
        if row["address"] is None or row["address_type"] is None:
            raise Refused
        entry = ObjectEntry(address=str(row["address"]), address_type=AddressType(row["address_type"]))
        found.staged.append((str(row["token"]), entry))


def _commit(row: Row) -> Commit:
    return Commit(
        commit_id=CommitID(str(row["commit_id"])),
        committer="",
        message="",
        creation_date=int(str(row["creation_date"])),
        meta_range_id=MetaRangeID(str(row["meta_range_id"])),
        parents=tuple(row["parents"]),  # type: ignore[arg-type]
    )


def _decoded(found: Held, kv: Iterable[Row]) -> None:
    for row in kv:
        partition, key, value = (row[name] for name in ("partition_key", "key", "value"))
        assert isinstance(partition, bytes)
        assert isinstance(key, bytes)
        assert isinstance(value, bytes)
        try:
            record = decode_at(partition, key, value)
        except Undecodable:
            raise Refused from None
        match record:
            case Repository():
                home = repository_partition(record.repository_id, record.instance_uid)
                found.namespaces.setdefault(home, set()).add(record.storage_namespace)
            case Branch():
                tokens = (record.staging_token, *record.sealed_tokens)
                found.branches.append((partition, record.branch_id, record.commit_id, tokens))
            case Tag():
                found.tags.append((partition, record.commit_id))
            case Commit():
                found.commits.append((partition, record))
            case StagedEntry() if record.data is not None:
                found.staged.append((partition.decode(), decode_object_entry(record.data)))


@attrs.frozen
class Committed:
    """What metaranges list, by id; None: a metarange, or a range of it, is not there."""

    ranges: dict[str, set[str]]
    entries: dict[str, set[str]]

    @classmethod
    def of(cls, tables: Mapping[str, list[Row]]) -> "Committed":
        ranges: dict[str, set[str]] = {}
        for row in tables["metaranges"]:
            known = ranges.setdefault(str(row["meta_range_id"]), set())
            if row["range_id"] is not None:
                known.add(str(row["range_id"]))
        entries: dict[str, set[str]] = {}
        for row in tables["ranges"]:
            entries.setdefault(str(row["range_id"]), set()).add(str(row["address"]))
        return cls(ranges, entries)

    def of_commit(self, namespace: str, meta_range_id: str) -> set[str] | None:
        if not meta_range_id:
            return set()
        wanted = self.ranges.get(meta_range_id)
        if wanted is None or not wanted <= self.entries.keys():
            return None
        return {_by_prefix(namespace, each) for range_id in wanted for each in self.entries[range_id] if each}

    def readable_of_commit(self, namespace: str, meta_range_id: str) -> set[str]:
        """Of what is there."""
        wanted = self.ranges.get(meta_range_id, set()) & self.entries.keys()
        return {_by_prefix(namespace, each) for range_id in wanted for each in self.entries[range_id] if each}


def _by_prefix(namespace: str, address: str) -> str:
    return physical_address(
        StorageNamespace(namespace), ObjectEntry(address=address, address_type=AddressType.BY_PREFIX)
    )


def _staged(found: Held) -> set[str]:
    of_token: dict[str, set[str]] = {}
    for home, _, commit_id, tokens in found.branches:
        for namespace in found.namespaces.get(home, ()):
            for token in tokens if commit_id else ():
                of_token.setdefault(token, set()).add(namespace)
    return {
        physical_address(StorageNamespace(namespace), entry)
        for token, entry in found.staged
        for namespace in of_token.get(token, ())
        if entry.address
    }


def _listed(tables: Mapping[str, list[Row]], found: Held) -> Iterator[tuple[str, int | None]]:
    """Users' objects in namespaces of repositories: physical address, when modified."""
    namespaces = {each for some in found.namespaces.values() for each in some}
    for row in tables["objects"]:
        address, namespace, modified = (row[name] for name in ("address", "storage_namespace", "last_modified"))
        if namespace in namespaces and str(address or "").startswith("data/"):
            assert modified is None or isinstance(modified, datetime)
            since = None if modified is None else modified - _EPOCH
            micros = None if since is None else (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
            yield f"{namespace}/{address}", micros


def uncommitted(tables: Mapping[str, list[Row]], now: int) -> Answer:
    """What a run marks, of objects that are a day old. Copies and issued addresses are in ``kv/`` alone."""
    if "kv" not in tables:
        return REFUSED
    try:
        found = held(tables)
    except Refused:
        return REFUSED
    there = {(home, commit.commit_id) for home, commit in found.commits}
    named = [(home, commit_id) for home, _, commit_id, _ in found.branches if commit_id]
    named += [(home, commit_id) for home, commit_id in found.tags if commit_id]
    named += [(home, parent) for home, commit in found.commits for parent in commit.parents]
    if any(each not in there for each in named if each[0] in found.namespaces):
        return REFUSED
    trees = Committed.of(tables)
    kept = _staged(found)
    for home, commit in found.commits:
        for namespace in found.namespaces.get(home, ()):
            some = trees.of_commit(namespace, commit.meta_range_id)
            if some is None:
                return REFUSED
            kept |= some
    listed = list(_listed(tables, found))
    young = {address for address, modified in listed if modified is None or modified > now - AGE}
    return Counter(address for address, _ in listed if address not in kept | young)


def retention(tables: Mapping[str, list[Row]], now: int) -> Answer:
    """What a run marks under `DAYS` and `DAYS_OF`; tags keep nothing."""
    try:
        found = held(tables)
    except Refused:
        return REFUSED
    trees = Committed.of(tables)
    kept, expired = _staged(found), set()
    for home, namespaces in found.namespaces.items():
        commits: dict[CommitID, Commit] = {}
        for _, commit in (each for each in found.commits if each[0] == home):
            if commit.commit_id in commits:
                return UNSURE
            commits[commit.commit_id] = commit
        heads = {
            BranchID(f"{n} {each[1]}"): each for n, each in enumerate(found.branches) if each[0] == home and each[2]
        }
        if any(commit_id not in commits for _, _, commit_id, _ in heads.values()):
            return REFUSED
        own = tuple((name, DAYS_OF[each[1]]) for name, each in heads.items() if each[1] in DAYS_OF)
        named = {name: CommitID(each[2]) for name, each in heads.items()}
        alive = active(commits, named, Rules(DAYS, own), now)
        for commit_id, commit in commits.items():
            for namespace in namespaces:
                if commit_id not in alive:
                    inside = trees.readable_of_commit(namespace, commit.meta_range_id)
                    expired |= {each for each in inside if each.startswith(f"{namespace}/")}
                    continue
                some = trees.of_commit(namespace, commit.meta_range_id)
                if some is None:
                    return REFUSED
                kept |= some
    return Counter(address for address, _ in _listed(tables, found) if address in expired - kept)
