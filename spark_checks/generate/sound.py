"""The sound rows of each table: of each kind, how many a repository has, and what a number of it comes to. Pure.

Each commit but a repository's first one writes one range, which takes the place of the one that its ancestor
``ranges`` generations up has written; its metarange has the ranges of itself and of its last ancestors, over first
parents. So commits share most of their ranges, and a range that was superseded is only in older commits. A range
holds the objects that its commit brought, and carries over those of the earlier versions of its place, down to
``versions`` in all. Every object has one path, and a later version of the place gives that path to another object.

Example: one chain of eight commits, with an object each but the first, three ranges of two versions::

    commit    its metarange has the ranges of    its range has the paths (place/version/number)
    1         1                                  tables/2/0/0: object 0
    3         3, 2, 1                            tables/1/1/0: object 2
    4         4, 3, 2                            tables/2/1/0: object 3; tables/2/0/0: object 0, carried over from 1
    7         7, 6, 5                            tables/2/0/0: object 6; tables/2/1/0: object 3, carried over from 4

A place is the generation modulo three. The path of object 0 belongs to object 6 from commit 7 on.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Final, NamedTuple, TypeVar

import attrs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.timestamp_pb2 import Timestamp

from lakeproof.impl.codec import graveler_pb2 as pb
from lakeproof.model import catalog_pb2, keys
from lakeproof.model.catalog import DATA_PREFIX, AddressType, ObjectEntry, identity_of
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.generate.plan import Hashes, Repository, mix
from lakeproof.spark_checks.generate.records import KV, ListedObject
from lakeproof.spark_checks.generate.sizes import DAY, IMPORTED_EVERY

ELSEWHERE: Final = "s3://elsewhere/"
SIZE_MAX: Final = 1 << 24
TOGETHER: Final = 1 << 16
"""Rows at once, about."""

Longs = npt.NDArray[np.int64]
Rows = Iterator[tuple[object, ...]]
Columns = tuple[pa.Array, ...]


class RowKind(NamedTuple):
    """Of the rows of a table. ``count``: how many numbers of it a repository has. ``rows``: of all numbers from one on,
    up to but without another."""

    count: Callable[[Repository], int]
    rows: Callable[[Repository, int, int], Rows]


class ColumnKind(NamedTuple):
    """The same, all rows at once; without the objects of the numbers that come last."""

    count: Callable[[Repository], int]
    columns: Callable[[Repository, int, int, Hashes], Iterator[Columns]]


class Content(NamedTuple):
    """Of objects: their addresses, relative to their namespace, their ETags, and their bytes."""

    addresses: pa.Array
    e_tags: pa.Array
    sizes: pa.Array


def contents(repo: Repository, numbers: Hashes) -> Content:
    """Of the objects of these numbers among all."""
    seed = repo.sizes.seed
    sizes = pa.array((mix(seed, "size", numbers) % np.uint64(SIZE_MAX)).astype(np.int64))
    return Content(_join(DATA_PREFIX, _hex(mix(seed, "object", numbers))), _hex(mix(seed, "etag", numbers)), sizes)


def address(repo: Repository, number: int) -> str:
    """Of one object."""
    return str(contents(repo, np.array([number], np.uint64)).addresses[0])


def _hex(values: Hashes) -> pa.Array:
    """16 digits each."""
    # Big-endian, so that the digits of each number read from left to right; then cut every 16 characters.
    digits = values.astype(">u8").tobytes().hex().upper().encode()
    return pa.array(np.frombuffer(digits, "S16"), pa.binary()).cast(pa.string())


def _join(*parts: str | pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(*parts, "")


def _numbers(first: int, end: int) -> Hashes:
    return np.arange(first, end, dtype=np.uint64)


def _ages(repo: Repository, kind: str, numbers: Hashes, most: int) -> Hashes:
    """Dates that lie so much before now at most."""
    return np.uint64(repo.sizes.now) - mix(repo.sizes.seed, kind, numbers) % np.uint64(most)


def _staged_dates(repo: Repository, numbers: Hashes) -> Hashes:
    """Uncommitted changes are of the last 60 days."""
    return _ages(repo, "staged date", numbers, 60 * DAY)


def range_id(repo: Repository, c: int) -> str:
    return repo.content_id("range", repo.r, c)


def meta_range_id(repo: Repository, c: int) -> str:
    return repo.content_id("metarange", repo.r, c)


def _repository(repo: Repository, _: int) -> Iterator[KV]:
    yield records.kv(keys.GRAVELER, records.repository(repo.id, repo.uid, repo.created))


def _branch(repo: Repository, b: int) -> Iterator[KV]:
    """The default branch is at the end of main, half of the others at the end of a feature, the rest anywhere."""
    history = repo.history
    head = repo.below(repo.commits, "head", repo.r, b)
    if b == 0:
        head = history.main(history.mains_among(repo.commits) - 1)
    elif b % 2:
        tip = history.tips[repo.below(len(history.tips), "tip", repo.r, b)]
        # The last block may be cut off before this tip.
        head = min(head // history.size * history.size + tip, repo.commits - 1)
    token, *sealed = repo.tokens(b)
    yield records.kv(repo.home, records.branch(repo.branch_id(b), repo.commit_id(head), token, sealed))


def _tag(repo: Repository, t: int) -> Iterator[KV]:
    yield records.kv(repo.home, records.tag(f"v{t}", repo.commit_id(repo.below(repo.commits, "tag", repo.r, t))))


def _commit(repo: Repository, c: int) -> Iterator[KV]:
    generation = repo.history.generation(c)
    made = records.commit(
        repo.commit_id(c),
        repo.date(c),
        parents=map(repo.commit_id, repo.history.parents(c, repo.commits)),
        generation=generation,
        meta_range_id=meta_range_id(repo, c) if repo.has_writer(c) else "",
        instance="" if c else repo.uid,  # as the flows do
    )
    who = f"user-{repo.below(50, 'committer', repo.r, c)}"
    yield records.kv(repo.home, attrs.evolve(made, committer=who, message=f"change {generation}"))


def _staged_entries(repo: Repository, begin: int, end: int) -> Rows:
    """Entries with an object each, in groups, one under each token of the branch; some of a group share a path, and
    the one under the open token hides the others."""
    numbers = _numbers(repo.first_staged + begin, repo.first_staged + end)
    hidden = (mix(repo.sizes.seed, "hidden", numbers) % np.uint64(8) == 0).tolist()
    columns = (*(each.to_pylist() for each in contents(repo, numbers)), _staged_dates(repo, numbers).tolist(), hidden)
    # Made once for a piece: each costs two hashes, and entries are many.
    tokens = {b: repo.tokens(b) for b in {k % repo.branches for k in range(begin, end)}}
    for k, relative, e_tag, size, date, older in zip(range(begin, end), *columns, strict=True):
        # Entries are dealt out to branches, and those of a branch to its tokens, in turn.
        own, at, form = tokens[k % repo.branches], k // repo.branches, k % 32
        group, t = divmod(at, len(own))
        # A timestamp of protobuf has seconds and nanoseconds.
        seconds, rest = divmod(date, 1_000_000)
        data = catalog_pb2.EntryData(
            # Three of 32 entries have other forms: 1 is relative by prefix, 2 is full, 3 is full by prefix.
            address=f"{repo.namespace}/{relative}" if form in (2, 3) else relative,
            last_modified=Timestamp(seconds=seconds, nanos=rest * 1000),
            size=size,
            e_tag=e_tag,
            address_type=_FORMS.get(form, AddressType.RELATIVE).value,  # type: ignore[arg-type]
            content_type="" if k % 4 else "text/csv",
        ).SerializeToString(deterministic=True)
        # Path 0 of a group is that of its entry under the open token, which hides the others.
        path = b"staged/%d/%d" % (group, 0 if older else t)
        value = pb.StagedEntryData(key=path, identity=identity_of(data), data=data).SerializeToString()
        yield KV(own[t].encode(), keys.STAGED_PREFIX + path, value)


_FORMS: Final = {1: AddressType.BY_PREFIX, 2: AddressType.FULL, 3: AddressType.BY_PREFIX}


def _tombstone(repo: Repository, k: int) -> Iterator[KV]:
    """Some hide an entry under a sealed token."""
    yield records.kv(repo.token(k % repo.branches), records.staged_entry(f"staged/{k // repo.branches}/1", None))


def _outside(repo: Repository, k: int) -> Iterator[KV]:
    """Entries whose objects lie elsewhere."""
    entry = ObjectEntry(
        address=ELSEWHERE + repo.name("outside", repo.r, k),
        address_type=AddressType.BY_PREFIX if k % 2 else AddressType.FULL,
        size_bytes=repo.below(SIZE_MAX, "size outside", repo.r, k),
        last_modified=repo.sizes.now - repo.below(60 * DAY, "date outside", repo.r, k),
        e_tag=repo.name("etag outside", repo.r, k),
    )
    yield records.kv(repo.token(k % repo.branches), records.staged_entry(f"linked/{k}", entry))


def _metarange(repo: Repository, c: int) -> Iterator[tuple[str, str]]:
    id_ = meta_range_id(repo, c)
    for writer in repo.writers(c):
        yield id_, range_id(repo, writer)


def _ranges(repo: Repository, begin: int, end: int, _: Hashes) -> Iterator[Columns]:
    """Entries: of all objects that a range holds, and some that refer to what lies elsewhere."""
    every, seed = repo.sizes.ranges, repo.sizes.seed
    parts: list[tuple[tuple[str, str], range]] = []
    for c in range(begin, end):
        generation = repo.history.generation(c)
        # The commits of generation 2 are the first that write a range.
        for back in range(min(repo.sizes.versions, (generation - 2) // every + 1) if repo.objects(c) else 0):
            # A range has this version and older ones of its place, each under the path of its own version.
            written = generation - back * every
            folder = f"tables/{written % every}/{written // every % repo.sizes.versions}/"
            parts.append(((range_id(repo, c), folder), repo.objects(repo.history.ancestor(c, back * every))))
    for names, numbers, within in _together(parts):
        ids, folders = (pa.array(each, pa.string()) for each in zip(*names, strict=True))
        found, paths = contents(repo, numbers), _join(folders, pa.array(within).cast(pa.string()))
        full = _join(repo.namespace, "/", found.addresses)
        # A few entries name their object in full, though it is inside: both spellings are legal.
        yield ids, paths, pc.if_else(pa.array(numbers % np.uint64(64) == 5), full, found.addresses), *found[1:]
        linked = numbers % np.uint64(IMPORTED_EVERY) == 7
        elsewhere, e_tags = (_hex(mix(seed, kind, numbers[linked])) for kind in ("imported", "imported etag"))
        id_, path, sizes = (each.filter(pa.array(linked)) for each in (ids, paths, found.sizes))
        yield id_, _join(path, "-linked"), _join(ELSEWHERE, elsewhere), e_tags, sizes


Part = TypeVar("Part")


def _together(parts: Iterable[tuple[Part, range]]) -> Iterator[tuple[list[Part], Hashes, Longs]]:
    """Numbers of many parts as arrays: the part of each, the number, and its place in the part; so many at once."""
    some: list[tuple[Part, range]] = []
    rows = 0
    for part in chain(parts, (None,)):
        if part is not None:
            some.append(part)
            rows += len(part[1])
        # None stands for the end: what is left goes out then.
        if rows and (part is None or rows >= TOGETHER):
            counts = [len(each) for _, each in some]
            within = np.concatenate([np.arange(count) for count in counts])
            # The first number of a part for each of its rows; with the place in the part added, the number itself.
            firsts = np.repeat(np.array([each.start for _, each in some], np.uint64), counts)
            names = [name for (name, _), count in zip(some, counts, strict=True) for _ in range(count)]
            yield names, firsts + within.astype(np.uint64), within
            some, rows = [], 0


def _list_objects(repo: Repository, numbers: Hashes, dates: Hashes) -> Columns:
    found = contents(repo, numbers)
    return pa.repeat(repo.namespace, len(numbers)), found.addresses, found.sizes, pa.array(dates.astype(np.int64))


def _committed_objects(repo: Repository, begin: int, end: int, lost: Hashes) -> Iterator[Columns]:
    parts = ((repo.date(c), found) for c in range(begin, end) if (found := repo.objects(c)))
    for dates, numbers, _ in _together(parts):
        there = ~np.isin(numbers, lost)
        yield _list_objects(repo, numbers[there], np.array(dates, np.uint64)[there])


def _staged_objects(repo: Repository, begin: int, end: int, lost: Hashes) -> Iterator[Columns]:
    numbers = np.setdiff1d(_numbers(repo.first_staged + begin, repo.first_staged + end), lost)
    yield _list_objects(repo, numbers, _staged_dates(repo, numbers))


def _stale_objects(repo: Repository, begin: int, end: int, _: Hashes) -> Iterator[Columns]:
    """Nothing refers to them. One in sixteen was written within the last day."""
    numbers = _numbers(repo.first_stale + begin, repo.first_stale + end)
    young = numbers % np.uint64(16) == 0
    dates = np.where(young, _ages(repo, "stale", numbers, DAY), _ages(repo, "stale", numbers, 400 * DAY))
    yield _list_objects(repo, numbers, dates)


def _internal_objects(repo: Repository, c: int) -> Iterator[ListedObject]:
    """The range and the metarange of a commit."""
    if objects := repo.objects(c):
        yield ListedObject(repo.namespace, INTERNAL_PREFIX + range_id(repo, c), len(objects) * 100, repo.date(c))
    if writers := repo.writers(c):
        yield ListedObject(repo.namespace, INTERNAL_PREFIX + meta_range_id(repo, c), len(writers) * 200, repo.date(c))


def _writing(repo: Repository) -> int:
    # Without committed objects there are neither ranges nor metaranges.
    return repo.commits if repo.committed else 0


def _each(rows: Callable[[Repository, int], Iterable[tuple[object, ...]]]) -> Callable[[Repository, int, int], Rows]:
    """Number by number."""
    return lambda repo, begin, end: chain.from_iterable(rows(repo, number) for number in range(begin, end))


KINDS: Final[Mapping[str, Mapping[str, RowKind | ColumnKind]]] = {
    "kv": {
        "repository": RowKind(lambda _: 1, _each(_repository)),
        "branch": RowKind(lambda repo: repo.branches, _each(_branch)),
        "tag": RowKind(lambda repo: repo.tags, _each(_tag)),
        "commit": RowKind(lambda repo: repo.commits, _each(_commit)),
        "staged": RowKind(lambda repo: repo.staged, _staged_entries),
        "tombstone": RowKind(lambda repo: repo.tombstones, _each(_tombstone)),
        "outside": RowKind(lambda repo: repo.outside, _each(_outside)),
    },
    "metaranges": {"metarange": RowKind(_writing, _each(_metarange))},
    "ranges": {"range": ColumnKind(_writing, _ranges)},
    "objects": {
        "committed": ColumnKind(_writing, _committed_objects),
        "staged": ColumnKind(lambda repo: repo.staged, _staged_objects),
        "stale": ColumnKind(lambda repo: repo.stale, _stale_objects),
        "internal": RowKind(_writing, _each(_internal_objects)),
    },
}
