"""The sound rows of each table: of each kind, how many a repository has, and what a number of it comes to. Pure.

Each commit but a repository's first one writes one range, which takes the place of the one that its ancestor
``ranges`` generations up has written; its metarange has the ranges of itself and of its last ancestors, over first
parents. So commits share most of their ranges, and a range that was superseded is only in older commits. A range
holds the objects that its commit brought, and carries over those of the earlier versions of its place, down to
``versions`` in all. Every object has one path, and a later version of the place gives that path to another object.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

import attrs

from lakeproof.model import keys
from lakeproof.model.catalog import DATA_PREFIX, AddressType, ObjectEntry
from lakeproof.spark_checks.data.addresses import INTERNAL_PREFIX
from lakeproof.spark_checks.generate import records
from lakeproof.spark_checks.generate.plan import Repository
from lakeproof.spark_checks.generate.records import KV, ListedObject
from lakeproof.spark_checks.generate.sizes import DAY, IMPORTED_EVERY

ELSEWHERE: Final = "s3://elsewhere/"
SIZE_MAX: Final = 1 << 24


class RowKind(NamedTuple):
    """Of the rows of a table. ``count``: how many numbers of it a repository has."""

    count: Callable[[Repository], int]
    rows: Callable[[Repository, int], Iterator[tuple[object, ...]]]


class Content(NamedTuple):
    """Of an object: its address, relative to its namespace, its ETag, and its bytes."""

    address: str
    e_tag: str
    size: int


def content(repo: Repository, number: int) -> Content:
    """Of the object of this number among all."""
    found = repo.digest("object", number)
    name, e_tag = found[:8].hex().upper(), found[8:16].hex().upper()
    return Content(DATA_PREFIX + name, e_tag, int.from_bytes(found[16:19]))


def staged_date(repo: Repository, number: int) -> int:
    """Uncommitted changes are of the last 60 days."""
    return repo.sizes.now - repo.below(60 * DAY, "staged date", number)


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
        head = min(head // history.size * history.size + tip, repo.commits - 1)
    tokens = [repo.token(b, t) for t in range(repo.sealed(b) + 1)]
    yield records.kv(repo.home, records.branch(repo.branch_id(b), repo.commit_id(head), tokens[0], tokens[1:]))


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


def _staged_entry(repo: Repository, k: int) -> Iterator[KV]:
    """Entries with an object each, in groups, one under each token of the branch; some of a group share a path, and
    the one under the open token hides the others."""
    b, at = k % repo.branches, k // repo.branches
    tokens = repo.sealed(b) + 1
    t = at % tokens
    older = t > 0 and repo.below(8, "hidden", repo.r, k) == 0
    number, form = repo.first_staged + k, k % 32
    relative, e_tag, size = content(repo, number)
    entry = ObjectEntry(
        address=f"{repo.namespace}/{relative}" if form in (2, 3) else relative,
        address_type={1: AddressType.BY_PREFIX, 2: AddressType.FULL, 3: AddressType.BY_PREFIX}.get(
            form, AddressType.RELATIVE
        ),
        size_bytes=size,
        last_modified=staged_date(repo, number),
        e_tag=e_tag,
        content_type="" if k % 4 else "text/csv",
    )
    yield records.kv(repo.token(b, t), records.staged_entry(f"staged/{at // tokens}/{0 if older else t}", entry))


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


def _range(repo: Repository, c: int) -> Iterator[tuple[object, ...]]:
    """Entries: of all objects that the range holds, and some that refer to what lies elsewhere."""
    if not repo.objects(c):
        return
    id_, every, generation = range_id(repo, c), repo.sizes.ranges, repo.history.generation(c)
    for back in range(min(repo.sizes.versions, (generation - 2) // every + 1)):
        written = generation - back * every
        folder = f"tables/{written % every}/{written // every % repo.sizes.versions}"
        for j, number in enumerate(repo.objects(repo.history.ancestor(c, back * every))):
            relative, e_tag, size = content(repo, number)
            yield id_, f"{folder}/{j}", f"{repo.namespace}/{relative}" if number % 64 == 5 else relative, e_tag, size
            if number % IMPORTED_EVERY == 7:
                linked = ELSEWHERE + repo.name("imported", number)
                yield id_, f"{folder}/{j}-linked", linked, repo.name("imported etag", number), size


def _listed_object(repo: Repository, number: int, date: int) -> ListedObject:
    address, _, size = content(repo, number)
    return ListedObject(repo.namespace, address, size, date)


def _committed_objects(repo: Repository, c: int) -> Iterator[ListedObject]:
    if objects := repo.objects(c):
        date = repo.date(c)
        yield from (_listed_object(repo, number, date) for number in objects)


def _staged_object(repo: Repository, k: int) -> Iterator[ListedObject]:
    number = repo.first_staged + k
    yield _listed_object(repo, number, staged_date(repo, number))


def _stale_object(repo: Repository, k: int) -> Iterator[ListedObject]:
    """Nothing refers to it. One in sixteen was written within the last day."""
    number = repo.first_stale + k
    yield _listed_object(repo, number, repo.sizes.now - repo.below(400 * DAY if number % 16 else DAY, "stale", number))


def _internal_objects(repo: Repository, c: int) -> Iterator[ListedObject]:
    """The range and the metarange of a commit."""
    if objects := repo.objects(c):
        yield ListedObject(repo.namespace, INTERNAL_PREFIX + range_id(repo, c), len(objects) * 100, repo.date(c))
    if writers := repo.writers(c):
        yield ListedObject(repo.namespace, INTERNAL_PREFIX + meta_range_id(repo, c), len(writers) * 200, repo.date(c))


def _commits(repo: Repository) -> int:
    return repo.commits


def _writing(repo: Repository) -> int:
    return repo.commits if repo.committed else 0


KINDS: Final[Mapping[str, Mapping[str, RowKind]]] = {
    "kv": {
        "repository": RowKind(lambda _: 1, _repository),
        "branch": RowKind(lambda repo: repo.branches, _branch),
        "tag": RowKind(lambda repo: repo.tags, _tag),
        "commit": RowKind(_commits, _commit),
        "staged": RowKind(lambda repo: repo.staged, _staged_entry),
        "tombstone": RowKind(lambda repo: repo.tombstones, _tombstone),
        "outside": RowKind(lambda repo: repo.outside, _outside),
    },
    "metaranges": {"metarange": RowKind(_writing, _metarange)},
    "ranges": {"range": RowKind(_writing, _range)},
    "objects": {
        "committed": RowKind(_writing, _committed_objects),
        "staged": RowKind(lambda repo: repo.staged, _staged_object),
        "stale": RowKind(lambda repo: repo.stale, _stale_object),
        "internal": RowKind(_writing, _internal_objects),
    },
}
