"""The checks once more, by walking a small dataset in plain Python: what generated datasets are held to."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import attrs

from lakeproof.impl.codec import Undecodable, decode_at
from lakeproof.model import keys
from lakeproof.model.catalog import decode_object_entry, is_inside, physical_address
from lakeproof.model.identifiers import StorageNamespace
from lakeproof.model.invariants.repositories import owner
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag

Found = tuple[str, str]
"""Id and subject."""
Address = tuple[bytes, bytes]


@attrs.frozen
class Small:
    """A dataset in memory. ``ranges``: path and address, by range."""

    kv: Mapping[Address, bytes]
    metaranges: Mapping[str, frozenset[str]]
    ranges: Mapping[str, frozenset[tuple[str, str]]]
    objects: frozenset[str]  # physical addresses


def physical(namespace: str, address: str) -> str:
    return address if "://" in address else f"{namespace}/{address}"


def at(address: Address) -> str:
    return f"{address[0].decode()} {address[1].decode()}"


def named(record: Record) -> bytes:
    """The key that the record asks for."""
    match record:
        case Repository():
            return keys.repository_key(record.repository_id)
        case Branch():
            return keys.branch_key(record.branch_id)
        case Tag():
            return keys.tag_key(record.tag_id)
        case Commit():
            return keys.commit_key(record.commit_id)
        case StagedEntry():
            return keys.staged_key(record.key)
        case CleanupRecord():
            return keys.cleanup_key(record.repository_id, record.instance_uid)


def findings(small: Small) -> Counter[Found]:
    """What is wrong, each as often as it is found. Garbage is not wrong."""
    found: list[Found] = []
    store: dict[Address, Record] = {}
    for address, value in small.kv.items():
        try:
            record = decode_at(*address, value)
        except Undecodable:
            found.append(("record-is-decodable", at(address)))
            continue
        if record is None:
            found.append(("key-is-known", at(address)))
            continue
        if named(record) != address[1]:
            found.append(("key-names-record", at(address)))
        store[address] = record
    found += _repositories(store)
    found += _commits(store, small)
    found += _staging(store)
    found += _data(store, small)
    return Counter(found)


def accessible(store: Mapping[Address, Record]) -> dict[bytes, Repository]:
    """By partition."""
    return {
        keys.repository_partition(each.repository_id, each.instance_uid): each
        for each in store.values()
        if isinstance(each, Repository) and each.state is RepositoryState.ACTIVE
    }


def _repositories(store: Mapping[Address, Record]) -> Iterator[Found]:
    homes = accessible(store)
    led = {
        keys.repository_partition(each.repository_id, each.instance_uid)
        for each in store.values()
        if isinstance(each, CleanupRecord | Repository)
    }
    for address, record in store.items():
        if isinstance(record, CleanupRecord):
            if keys.repository_partition(record.repository_id, record.instance_uid) in homes:
                yield "cleanup-spares-live", at(address)
        elif isinstance(record, Branch | Tag | Commit):
            whose, home = owner(record), homes.get(address[0])
            if home is not None and whose is not None and whose != home.instance_uid:
                yield "no-reachable-zombie", at(address)
            if home is None and address[0] not in led:
                yield "garbage-is-reclaimable", at(address)
    for partition, home in homes.items():
        branch = store.get((partition, keys.branch_key(home.default_branch_id)))
        complete = isinstance(branch, Branch) and (partition, keys.commit_key(branch.commit_id)) in store
        if not home.bare and not complete:
            yield "active-is-complete", partition.decode()


def _commits(store: Mapping[Address, Record], small: Small) -> Iterator[Found]:
    commits: dict[Address, Commit] = {}
    for (partition, key), record in store.items():
        if isinstance(record, Commit):
            commits[partition, keys.commit_key(record.commit_id)] = record
        elif isinstance(record, Branch | Tag) and (partition, keys.commit_key(record.commit_id)) not in store:
            yield "head-exists", at((partition, key))
    for address, commit in commits.items():
        above = [(address[0], keys.commit_key(parent)) for parent in commit.parents]
        parents = [commits[each] for each in above if each in commits]
        if len(parents) < len(above):
            yield "parents-exist", at(address)
        if commit.generation != 1 + max((parent.generation for parent in parents), default=0):
            yield "generation-is-right", at(address)
        if any(parent.creation_date > commit.creation_date for parent in parents):
            yield "child-is-not-older", at(address)
        if commit.meta_range_id:
            held = small.metaranges.get(commit.meta_range_id)
            if held is None or not held <= small.ranges.keys():
                yield "meta-range-exists", at(address)
        seen: set[Address] = set()
        todo = above
        while todo:
            each = todo.pop()
            if each in commits and each not in seen:
                seen.add(each)
                todo.extend((each[0], keys.commit_key(parent)) for parent in commits[each].parents)
        if address in seen:
            yield "commits-have-no-cycle", at(address)


def tokens(branch: Branch) -> Iterable[str]:
    return branch.staging_token, *branch.sealed_tokens


def _staging(store: Mapping[Address, Record]) -> Iterator[Found]:
    owners: defaultdict[str, list[Branch]] = defaultdict(list)
    for record in store.values():
        if isinstance(record, Branch):
            for token in tokens(record):
                owners[token].append(record)
    for token, branches in owners.items():
        if len(branches) > 1:
            yield "token-has-one-owner", token
    staged = {partition.decode() for (partition, _), record in store.items() if isinstance(record, StagedEntry)}
    for token in staged - owners.keys():
        yield "staged-has-owner", token


def _data(store: Mapping[Address, Record], small: Small) -> Iterator[Found]:
    homes = accessible(store)
    by_token: defaultdict[str, dict[bytes, StagedEntry]] = defaultdict(dict)
    for (partition, _), record in store.items():
        if isinstance(record, StagedEntry):
            by_token[partition.decode()][record.key] = record
    held: defaultdict[str, set[str]] = defaultdict(set)  # committed paths by address
    shown: defaultdict[str, list[bytes]] = defaultdict(list)  # staged ones
    for (partition, _), record in store.items():
        if partition not in homes or not isinstance(record, Branch | Tag):
            continue
        namespace = homes[partition].storage_namespace
        for path, address in _reachable(store, small, partition, record.commit_id):
            held[physical(namespace, address)].add(path)
        if isinstance(record, Branch):
            changes: dict[bytes, StagedEntry] = {}
            for token in reversed(list(tokens(record))):
                changes.update(by_token[token])
            for change in changes.values():
                if change.data is not None:
                    entry = decode_object_entry(change.data)
                    shown[physical_address(namespace, entry)].append(change.key)
    namespaces = [home.storage_namespace for home in homes.values()]

    def kept(address: str) -> bool:
        ours = any(is_inside(StorageNamespace(each), address) for each in namespaces)
        return not ours or address in small.objects

    yield from (("committed-data-is-kept", address) for address in held if not kept(address))
    yield from (("staged-data-is-kept", address) for address in shown if not kept(address))
    for address in held.keys() | shown.keys():
        if len(held[address]) + len(shown[address]) > 1:
            yield "address-has-one-entry", address


def _reachable(store: Mapping[Address, Record], small: Small, partition: bytes, head: str) -> Iterator[tuple[str, str]]:
    """Path and address of the entries of all commits that a head leads to."""
    seen: set[str] = set()
    todo = [head]
    while todo:
        commit_id = todo.pop()
        commit = store.get((partition, keys.COMMITS_PREFIX + commit_id.encode()))
        if commit_id in seen or not isinstance(commit, Commit):
            continue
        seen.add(commit_id)
        todo.extend(commit.parents)
        for range_id in small.metaranges.get(commit.meta_range_id, ()):
            yield from small.ranges.get(range_id, ())
