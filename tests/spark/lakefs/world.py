"""A small installation of lakeFS as it lies in its stores: rows as JSON Lines, and a folder as the block store."""

import base64
import json
from pathlib import Path

import attrs

from lakeproof.impl.codec import encode
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.records import Record, Repository, RepositoryState
from lakeproof.spark_checks.generate import records as made
from tests.spark.lakefs.tables import Part, metarange_of, range_of

UID = "dc1c"
DAY = 86_400_000_000
C1, C2, C3, DANGLING = (each * 64 for each in "123d")


@attrs.define
class Installation:
    """Rows of the table, and files below the folder of the block store. ``base``: what namespaces begin with."""

    base: str = "local:/"
    rows: dict[tuple[bytes, bytes], bytes] = attrs.field(factory=dict)
    files: dict[str, bytes] = attrs.field(factory=dict)

    def put(self, partition: str, key: str | bytes, value: Record | bytes) -> None:
        name = key.encode() if isinstance(key, str) else key
        self.rows[partition.encode(), name] = value if isinstance(value, bytes) else encode(value)

    def write(self, folder: Path) -> tuple[str, str]:
        """Returns the source and the block store, as the command takes them."""
        lines = []
        for (partition, key), value in sorted(self.rows.items()):
            fields = zip(("partition_key", "key", "value"), (partition, key, value), strict=True)
            lines.append(json.dumps({name: base64.b64encode(each).decode() for name, each in fields}) + "\n")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kv.jsonl").write_text("".join(lines))
        (folder / "block").mkdir()
        for name, content in self.files.items():
            path = folder / "block" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return str(folder / "kv.jsonl"), str(folder / "block")


@attrs.define
class Repo:
    """A repository: main at C3 <- C2 <- C1, tag v1 at C1, branch dev at C2, a dangling commit; ten objects in two
    ranges, three staged entries, one of which replaces what is committed at its path."""

    lake: Installation
    name: str
    prefix: str = ""  # of addresses; of two repositories that have imported the same, one
    ranges: list[Part] = attrs.field(factory=list)
    metarange: str = ""
    dangling: str = ""

    @property
    def home(self) -> str:
        return f"{self.name}-{UID}"

    @property
    def namespace(self) -> str:
        return f"{self.lake.base}/{self.name}"

    def token(self, branch: str) -> str:
        return f"{self.name}-{branch}:u-1"

    def build(self) -> "Repo":
        self.lake.put("graveler", f"repos/{self.name}", self.record())
        self.lake.files[f"{self.name}/_lakefs/dummy"] = b"dummy"
        self.ranges = [self.range([f"a/{n}" for n in range(6)]), self.range([f"b/{n}" for n in range(4)])]
        self.metarange = self.meta(self.ranges)
        first, self.dangling = self.meta(self.ranges[:1]), self.meta([self.range(["gone/x"])])
        self.commit(C1, first, (), 1)
        self.commit(C2, self.metarange, (C1,), 2)
        self.commit(C3, self.metarange, (C2,), 3)
        self.commit(DANGLING, self.dangling, (C1,), 2)
        self.branch("main", C3)
        self.branch("dev", C2)
        self.tag("v1", C1)
        self.stage("main", "new", self.object("s/new", 3), 3)
        self.stage("main", "a/1", self.address("a/1"), 1)  # its metadata was changed: the committed address
        self.stage("dev", "b/0", None, 0)
        return self

    def record(self, state: RepositoryState = RepositoryState.ACTIVE) -> Repository:
        return made.repository(self.name, UID, state=state, namespace=self.namespace)

    def address(self, path: str) -> str:
        return f"data/{self.prefix or self.name}/{path.replace('/', '-')}"

    def object(self, path: str, size: int) -> str:
        self.lake.files[f"{self.name}/{self.address(path)}"] = b"x" * size
        return self.address(path)

    def range(self, paths: list[str]) -> Part:
        entries = [(path, ObjectEntry(address=self.object(path, 1), size_bytes=1)) for path in sorted(paths)]
        name, file = range_of(entries, block_records=2)
        self.lake.files[f"{self.name}/_lakefs/{name}"] = file
        return Part(name, entries[0][0], entries[-1][0], len(entries))

    def meta(self, parts: list[Part]) -> str:
        name, file = metarange_of(parts)
        self.lake.files[f"{self.name}/_lakefs/{name}"] = file
        return name

    def commit(self, commit_id: str, meta: str, parents: tuple[str, ...], generation: int) -> None:
        date, instance = generation * DAY, "of-a-user"  # what users say there means nothing
        more = {"meta_range_id": meta, "instance": instance}
        self.add(made.commit(commit_id, date, parents=parents, generation=generation, **more))

    def branch(self, name: str, commit_id: str, token: str | None = None, sealed: tuple[str, ...] = ()) -> None:
        self.add(made.branch(name, commit_id, token or self.token(name), sealed))

    def tag(self, name: str, commit_id: str) -> None:
        self.add(made.tag(name, commit_id))

    def add(self, record: Record) -> None:
        self.lake.put(self.home, made.key(record), record)

    def stage(self, branch: str, path: str, address: str | None, size: int) -> None:
        """No address: a tombstone."""
        entry = None if address is None else ObjectEntry(address=address, size_bytes=size)
        self.lake.put(self.token(branch), path, made.staged_entry(path, entry))


def around(lake: Installation) -> None:
    """What every installation has, and what ordinary traffic leaves: all of it healthy."""
    lake.put("kv-internal-metadata", "kv/schema/version", b"4")
    lake.put("auth", "installation_id", b"94eb")
    lake.put("pulls", "repos/sound-dc1c/dev/main", b"\x0a\x01p")
    lake.put("cleanup-tokens", "sound-main:u-0", b"stub-value")
    bare = Repo(lake, "bare")
    lake.put("graveler", "repos/bare", bare.record())
    goner = Repo(lake, "goner").build()
    del lake.rows[b"graveler", b"repos/goner"]
    for partition, key in list(lake.rows):
        if partition == goner.home.encode() and not key.startswith(b"commits/"):
            del lake.rows[partition, key]  # the delete of a repository is under way, or was given up
    leaving = Repo(lake, "leaving").build()
    lake.put("graveler", "repos/leaving", leaving.record(RepositoryState.DELETING))
    del lake.files[f"leaving/{leaving.address('a/0')}"]
