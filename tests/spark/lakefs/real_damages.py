"""Damages to plant in a copy of a real installation, and what must be said of each: id, and subject."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import attrs

from lakeproof.impl.codec import decode_at, decode_staged_entry, encode
from lakeproof.model import keys
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.identifiers import CommitID, MetaRangeID, StagingToken
from lakeproof.model.records import Branch, Commit, Record, Tag
from lakeproof.spark_checks.stored import trees

R = TypeVar("R", bound=Record)
Said = tuple[str, str]
NOWHERE: Final = "e" * 64


@attrs.define
class Copy:
    """The rows of an installation, by partition and key, and the folder of its block store. The damages go to a
    repository, of which it must have a merge, a tag, a branch dev, and entries staged on main."""

    rows: dict[tuple[bytes, bytes], bytes]
    block: Path
    name: str = "shop"

    @property
    def home(self) -> bytes:
        return next(partition for partition, _ in self.rows if partition.startswith(f"{self.name}-dc".encode()))

    def subject(self, key: bytes) -> str:
        return f"{self.home.decode()} {key.decode()}"

    def read(self, kind: type[R], key: bytes) -> R:
        found = decode_at(self.home, key, self.rows[self.home, key])
        assert isinstance(found, kind)
        return found

    def put(self, key: bytes, value: Record | bytes) -> None:
        self.rows[self.home, key] = value if isinstance(value, bytes) else encode(value)

    def branch(self, name: str) -> Branch:
        return self.read(Branch, keys.branch_key(name))  # type: ignore[arg-type]

    def commits(self) -> Iterator[tuple[bytes, Commit]]:
        for partition, key in sorted(self.rows):
            if partition == self.home and key.startswith(keys.COMMITS_PREFIX):
                yield key, self.read(Commit, key)

    def head(self) -> tuple[bytes, Commit]:
        key = keys.commit_key(self.branch("main").commit_id)
        return key, self.read(Commit, key)

    def table(self, name: str) -> Path:
        return self.block / self.name / "_lakefs" / name

    def ranges(self) -> list[str]:
        """Of the head of main."""
        name = self.head()[1].meta_range_id
        return [each.range_id for each in trees.read(self.table(name).read_bytes(), name).ranges]

    def staged(self) -> Iterator[tuple[bytes, str]]:
        """Keys of entries staged on main, with their addresses."""
        partition = self.branch("main").staging_token.encode()
        for at, key in sorted(self.rows):
            if at == partition:
                record = decode_staged_entry(self.rows[at, key])
                if record.data:
                    yield key, decode_object_entry(record.data).address


Damage = Callable[[Copy], Iterator[Said]]


def lost_head(copy: Copy) -> Iterator[Said]:
    key, _ = copy.head()
    del copy.rows[copy.home, key]
    yield "head-exists", copy.subject(b"branches/main")


def tag_to_nowhere(copy: Copy) -> Iterator[Said]:
    copy.put(b"tags/v1", attrs.evolve(copy.read(Tag, b"tags/v1"), commit_id=CommitID(NOWHERE)))
    yield "head-exists", copy.subject(b"tags/v1")


def _torn(copy: Copy, partition: bytes, key: bytes) -> Iterator[Said]:
    copy.rows[partition, key] = copy.rows[partition, key][:-3]
    yield "record-is-decodable", f"{partition.decode()} {key.decode()}"


def torn_tag(copy: Copy) -> Iterator[Said]:
    return _torn(copy, copy.home, b"tags/v1")


def torn_branch(copy: Copy) -> Iterator[Said]:
    return _torn(copy, copy.home, b"branches/dev")


def torn_commit(copy: Copy) -> Iterator[Said]:
    return _torn(copy, copy.home, copy.head()[0])


def torn_entry(copy: Copy) -> Iterator[Said]:
    return _torn(copy, copy.branch("main").staging_token.encode(), next(copy.staged())[0])


def torn_repository(copy: Copy) -> Iterator[Said]:
    return _torn(copy, keys.GRAVELER, f"repos/{copy.name}".encode())


def tag_under_another_name(copy: Copy) -> Iterator[Said]:
    copy.put(b"tags/v9", copy.read(Tag, b"tags/v1"))
    yield "key-names-record", copy.subject(b"tags/v9")


def lost_default_branch(copy: Copy) -> Iterator[Said]:
    del copy.rows[copy.home, b"branches/main"]
    yield "active-is-complete", copy.home.decode()


def shared_token(copy: Copy) -> Iterator[Said]:
    token = copy.branch("main").staging_token
    copy.put(b"branches/dev", attrs.evolve(copy.branch("dev"), staging_token=token))
    yield "token-has-one-owner", token


def sealed_token_of_another(copy: Copy) -> Iterator[Said]:
    token = copy.branch("main").staging_token
    copy.put(b"branches/dev", attrs.evolve(copy.branch("dev"), sealed_tokens=(token,)))
    yield "token-has-one-owner", token


def live_token_to_be_dropped(copy: Copy) -> Iterator[Said]:
    token: StagingToken = copy.branch("main").staging_token
    copy.rows[b"cleanup-tokens", token.encode()] = b"stub-value"
    yield "cleanup-spares-live", token


def wrong_generation(copy: Copy) -> Iterator[Said]:
    key, head = copy.head()
    copy.put(key, attrs.evolve(head, generation=head.generation + 5))
    yield "generation-is-right", copy.subject(key)


def lost_parent(copy: Copy) -> Iterator[Said]:
    key, head = copy.head()
    del copy.rows[copy.home, keys.commit_key(head.parents[0])]
    yield "parents-exist", copy.subject(key)


def cycle(copy: Copy) -> Iterator[Said]:
    key, head = copy.head()
    parent = keys.commit_key(head.parents[0])
    copy.put(parent, attrs.evolve(copy.read(Commit, parent), parents=(copy.branch("main").commit_id,)))
    yield "commits-have-no-cycle", copy.subject(key)
    yield "commits-have-no-cycle", copy.subject(parent)


def _unreadable(copy: Copy, table: str) -> Iterator[Said]:
    yield "committed-data-is-kept", copy.subject(copy.head()[0])
    yield "table-is-sound", f"local://{copy.name}/_lakefs/{table}"


def lost_metarange(copy: Copy) -> Iterator[Said]:
    table = copy.head()[1].meta_range_id
    copy.table(table).unlink()
    yield "meta-range-exists", copy.subject(copy.head()[0])
    yield from _unreadable(copy, table)


def lost_range(copy: Copy) -> Iterator[Said]:
    table = copy.ranges()[0]
    copy.table(table).unlink()
    return _unreadable(copy, table)


def flipped_block(copy: Copy) -> Iterator[Said]:
    table = copy.ranges()[0]
    file = copy.table(table).read_bytes()
    copy.table(table).write_bytes(file[:40] + bytes([file[40] ^ 4]) + file[41:])
    return _unreadable(copy, table)


def cut_table(copy: Copy) -> Iterator[Said]:
    table = copy.head()[1].meta_range_id
    copy.table(table).write_bytes(copy.table(table).read_bytes()[:-60])
    return _unreadable(copy, table)


def table_of_another_content(copy: Copy) -> Iterator[Said]:
    table = copy.ranges()[0]
    others = (each for each in copy.table(table).parent.iterdir() if len(each.name) == 64 and each.name != table)
    copy.table(table).write_bytes(min(others).read_bytes())
    return _unreadable(copy, table)


def range_for_metarange(copy: Copy) -> Iterator[Said]:
    key, head = copy.head()
    copy.put(key, attrs.evolve(head, meta_range_id=MetaRangeID(copy.ranges()[0])))
    yield "meta-range-exists", copy.subject(key)


def _committed(copy: Copy) -> Path:
    """An object that the head of main has."""
    name = copy.ranges()[0]
    return copy.block / copy.name / trees.read(copy.table(name).read_bytes(), name).entries[0].address


def _object(copy: Copy, file: Path) -> str:
    return f"local://{copy.name}/{file.relative_to(copy.block / copy.name).as_posix()}"


def lost_object(copy: Copy) -> Iterator[Said]:
    file = _committed(copy)
    file.unlink()
    yield "committed-data-is-kept", _object(copy, file)


def cut_object(copy: Copy) -> Iterator[Said]:
    file = _committed(copy)
    file.write_bytes(b"")
    yield "object-is-whole", _object(copy, file)


def _of_staged(copy: Copy) -> Path:
    """An object that only a staged entry has."""
    return next(copy.block / copy.name / address for key, address in copy.staged() if key.startswith(b"staged"))


def lost_staged_object(copy: Copy) -> Iterator[Said]:
    file = _of_staged(copy)
    file.unlink()
    yield "staged-data-is-kept", _object(copy, file)


def cut_staged_object(copy: Copy) -> Iterator[Said]:
    file = _of_staged(copy)
    file.write_bytes(b"")
    yield "object-is-whole", _object(copy, file)


DAMAGES: Final[tuple[Damage, ...]] = (
    *(lost_head, tag_to_nowhere, torn_tag, torn_branch, torn_commit, torn_entry, torn_repository),
    *(tag_under_another_name, lost_default_branch, shared_token, sealed_token_of_another, live_token_to_be_dropped),
    *(wrong_generation, lost_parent, cycle, lost_metarange, lost_range, flipped_block, cut_table),
    *(table_of_another_content, range_for_metarange, lost_object, cut_object, lost_staged_object, cut_staged_object),
)
