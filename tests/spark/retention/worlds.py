"""Random worlds of a few dozen repositories, as a snapshot of the model: small, and with everything that is odd."""

import random

import attrs

from lakeproof.model import committed, keys, kv
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry
from lakeproof.model.identifiers import InstanceUID, RepositoryID, StorageNamespace
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Record
from lakeproof.model.retention import DAY
from lakeproof.model.snapshot import Snapshot
from lakeproof.spark_checks.generate import records

NOW = 1_700_000_000_000_000
HOUR = DAY // 24


@attrs.define
class World:
    """A world while it is made. ``old``: at what time objects may have been modified last, in hours before `NOW`."""

    chance: random.Random
    store: dict[kv.Address, Record | bytes] = attrs.Factory(dict)
    objects: dict[str, StoredObject] = attrs.Factory(dict)
    namespaces: list[StorageNamespace] = attrs.Factory(list)

    def snapshot(self) -> Snapshot:
        return Snapshot(store=self.store, objects=self.objects, now=NOW, clients=())

    def add(self, partition: bytes, record: Record) -> None:
        self.store[partition, records.key(record)] = record

    def put(self, address: str, content: bytes = b"x") -> None:
        self.objects[address] = StoredObject(content, last_modified=NOW - self.chance.randint(-1, 60) * HOUR)


def world(seed: int, repositories: int = 30) -> Snapshot:
    """Histories as `random_case` of the kernel has them, but with every head and every metarange in place."""
    made = World(random.Random(seed))
    made.namespaces = [StorageNamespace(f"s3://bucket/r{number}") for number in range(repositories)]
    for number in range(repositories):
        _repository(made, number)
    made.put("s3://elsewhere/data/x")
    made.put("s3://bucket/gone/data/x")
    return made.snapshot()


def _repository(made: World, number: int) -> None:
    chance, namespace = made.chance, made.namespaces[number]
    repository_id, uid = RepositoryID(f"repo{number}"), InstanceUID(f"uid{number}")
    home = keys.repository_partition(repository_id, uid)
    made.add(keys.GRAVELER, records.repository(repository_id, uid, namespace=namespace))
    names = [f"data/o{each}" for each in range(12)]
    for name in names:
        if chance.random() < 0.9:
            made.put(f"{namespace}/{name}", b"x" * chance.randint(0, 9))
    made.put(f"{namespace}/stray", b"y")
    commits = _commits(made, number, home, namespace, names)
    for branch in range(chance.randint(0, 3)):
        tokens = [f"r{number}b{branch}:{each}" for each in range(chance.randint(1, 3))]
        head = chance.choice(commits) if chance.random() < 0.95 else ""
        made.add(home, records.branch(f"b{branch}", head, tokens[0], tokens[1:]))
        for token in tokens:
            _stage(made, token, namespace, names)
    _stage(made, f"r{number}:nobody", namespace, names)
    if chance.random() < 0.5:
        made.add(home, records.tag("v1", chance.choice(commits)))


def _commits(made: World, number: int, home: bytes, namespace: StorageNamespace, names: list[str]) -> list[str]:
    chance = made.chance
    ids = [f"c{number}x{each}" if chance.random() < 0.9 else f"c{each}" for each in range(chance.randint(1, 9))]
    ids = list(dict.fromkeys(ids))
    for place, commit_id in enumerate(ids):
        pool = ids[max(0, place - 3) : place] if chance.random() < 0.8 else [*ids, "missing"]
        parents = chance.sample(pool, min(len(pool), chance.choice([0, 1, 1, 1, 2])))
        entries = [
            committed.Entry(
                path=f"p{each}".encode(), identity=b"i", data=encode_object_entry(_entry(made, namespace, names))
            )
            for each in range(chance.randint(0, 3))
        ]
        written = committed.write(entries, committed.Splitting(min_bytes=0, max_bytes=1))
        for object_id, content in written.objects.items():
            made.put(committed.object_address(namespace, object_id), content)
        date = NOW - chance.randint(-1, 12) * DAY
        made.add(home, records.commit(commit_id, date, parents=parents, meta_range_id=written.meta_range_id))
    return ids


def _stage(made: World, token: str, namespace: StorageNamespace, names: list[str]) -> None:
    for path in made.chance.sample(["p0", "p1", "p2"], made.chance.randint(0, 2)):
        entry = _entry(made, namespace, names) if made.chance.random() < 0.8 else None
        made.add(token.encode(), records.staged_entry(path, entry))


def _entry(made: World, namespace: StorageNamespace, names: list[str]) -> ObjectEntry:
    """Relative, by prefix or full; now and then in the namespace of another repository, or in none."""
    chance = made.chance
    name = chance.choice(names)
    kind = chance.choice(list(AddressType))
    if kind is AddressType.RELATIVE or chance.random() < 0.3:
        return ObjectEntry(address=name, address_type=AddressType.RELATIVE)
    place = chance.choice([namespace, namespace, namespace, chance.choice(made.namespaces), "s3://elsewhere"])
    return ObjectEntry(address=f"{place}/{name}", address_type=kind)
