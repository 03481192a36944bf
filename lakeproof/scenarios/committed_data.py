"""Ranges and metaranges, alone: what is written, edited, compared, merged and read is what the pure functions say.

`lakeproof.model.committed` has them, for entries in memory. Each call is also held to its stated effects: which objects
it reads, each how often, and which it puts.
"""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

import attrs

from lakeproof.impl.committed import Conflicts, DamagedObject, MissingObject
from lakeproof.model import committed as pure
from lakeproof.model.committed import Entry, Splitting
from lakeproof.model.identifiers import MetaRangeID
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.stated import (
    ANSWERS_AS_STATED,
    ANSWERS_AS_STATED_MEANING,
    Refused,
    Stated,
    answers_as_stated,
)
from lakeproof.model.records import StagedEntry
from lakeproof.scenario import Aftermath, Call
from lakeproof.scenarios._committed_data import (
    compare,
    damage,
    did,
    edit_entries,
    get_entry,
    merge_three,
    merge_three_noted,
    paths_after,
    take_over_inside,
    value_of,
    walk,
    write_entries,
)
from lakeproof.scenarios.designs import HOLDS, Design, Row, Word, built, rows
from lakeproof.scenarios.races import NONE, Race

BY_SIZE: Final = Splitting(min_bytes=0, max_bytes=60, one_in=1 << 60)
"""Two entries in each range: an edit moves all cuts after it."""
BY_HASH: Final = Splitting(min_bytes=0, max_bytes=1 << 20, one_in=2)
"""After about every second entry, as its path says: an edit moves no other cut."""
NO_ENTRIES: Final = MetaRangeID("")


def _entry(path: bytes, version: int = 0) -> Entry:
    return Entry(path=path, identity=b"%d" % version, data=b"")


def _change(path: bytes, version: int | None) -> StagedEntry:
    return pure.change_to(path, None if version is None else _entry(path, version))


def _ids(entries: Sequence[Entry], splitting: Splitting) -> dict[bytes, str]:
    """The range of each path."""
    return {
        entry.path: pure.content_id(pure.encode_range(piece))
        for piece in pure.split(entries, splitting)
        for entry in piece
    }


Step = tuple[Call, Hashable]
"""A call and what it answers."""

BASE: Final = tuple(_entry(path) for path in (b"b", b"d", b"f", b"h", b"j", b"l", b"n"))
VALUES: Final[Mapping[bytes, tuple[int | None, ...]]] = {
    b"a": (1,),
    b"d": (None, 0, 1),
    b"e": (1, None),
    b"h": (None,),
    b"z": (1, None),
}


def _writes(entries: Sequence[Entry], splitting: Splitting) -> Step:
    made = pure.write(entries, splitting)
    return Call(write_entries, tuple(entries), splitting), did(made.meta_range_id, put=made.objects)


def writing(splitting: Splitting) -> Iterator[Step]:
    """Metaranges of no, one, a few and all entries; and entries that do not ascend."""
    for count in range(len(BASE) + 1):
        yield _writes(BASE[:count], splitting)
    for first in BASE[:2]:
        whole = pure.encode_range((first,))  # put before the second entry is seen, if it ends here
        put = {pure.content_id(whole)} if splitting.ends(len(whole), first.path) else ()
        yield Call(write_entries, (first, BASE[0]), splitting), did("unsorted", put=put)


def _edits() -> Iterator[tuple[StagedEntry, ...]]:
    yield ()
    single = [_change(path, version) for path, versions in VALUES.items() for version in versions]
    yield from ((each,) for each in single)
    yield from ((one, other) for one, other in combinations(single, 2) if one.key < other.key)
    yield _change(b"e", 1), _change(b"f", None)  # a path that is new, and the one after it
    yield tuple(_change(entry.path, None) for entry in BASE)
    yield tuple(_change(entry.path, None) for entry in BASE[:3])
    yield tuple(_change(entry.path, None) for entry in BASE[3:])


def editing(splitting: Splitting) -> Iterator[Step]:
    """Each edit of one or two paths, and deletions of many, over the base and over nothing: the ids are those that
    writing anew gives."""
    base = pure.write(BASE, splitting)
    yield _writes(BASE, splitting)
    for changes in _edits():
        for before in ((), BASE):
            over = pure.write(before, splitting)
            made = pure.write(pure.apply_changes(before, changes), splitting)
            put = made.objects.keys() - over.objects.keys()
            read = _read(before, changes, splitting) if changes else ()
            yield Call(edit_entries, over.meta_range_id, changes, splitting), did(made.meta_range_id, read, put)
    unsorted = (_change(b"d", 1), _change(b"a", 1))
    yield Call(edit_entries, NO_ENTRIES, unsorted, splitting), did("unsorted")
    yield Call(walk, base.meta_range_id, ()), did(tuple(entry.path for entry in BASE), base.objects)


def _read(before: Sequence[Entry], changes: Sequence[StagedEntry], splitting: Splitting) -> frozenset[str]:
    """The metarange, and the ranges that cannot be taken over: those with a changed path, and those before which, or at
    whose end, the cuts are others now."""
    if not before:
        return frozenset()
    after = pure.apply_changes(before, changes)
    cuts = {piece[-1].path for piece in pure.split(after, splitting)}
    starts = {piece[0].path for piece in pure.split(after, splitting)}
    paths = {change.key for change in changes}
    read: set[str] = {pure.write(before, splitting).meta_range_id}
    for piece in pure.split(before, splitting):
        first, last = piece[0].path, piece[-1].path
        changed = any(first <= path <= last for path in paths)
        if changed or first not in starts or last not in cuts:
            read.add(pure.content_id(pure.encode_range(piece)))
    return frozenset(read)


def comparing(splitting: Splitting) -> Iterator[Step]:
    """Differences of the base and each edit of it, both ways: only ranges are read that one side alone has."""
    yield _writes(BASE, splitting)
    for changes in [*_edits()][:: 1 if splitting is BY_HASH else 3]:
        other = pure.apply_changes(BASE, changes)
        if not changes:
            made = pure.write(BASE, splitting).meta_range_id
            yield Call(compare, made, made), did(())
            continue
        yield _writes(other, splitting)
        for left, right in ((BASE, other), (other, BASE)):
            one, two = pure.write(left, splitting), pure.write(right, splitting)
            read = one.objects.keys() ^ two.objects.keys() if one.meta_range_id != two.meta_range_id else ()
            answer = pure.differences(left, right)
            yield Call(compare, one.meta_range_id, two.meta_range_id), did(answer, read)


MERGED: Final[Sequence[tuple[StagedEntry, ...]]] = (
    (),
    (_change(b"a", 1),),
    (_change(b"a", 2), _change(b"d", None)),
    (_change(b"d", 1), _change(b"n", None)),
    (_change(b"d", None), _change(b"e", 1), _change(b"h", 1)),
    tuple(_change(entry.path, None) for entry in BASE),
    tuple(_change(entry.path, 3) for entry in BASE[:5]),
    tuple(_change(entry.path, 4) for entry in BASE),
    tuple(_change(entry.path, 5) for entry in BASE),
)


def _told(conflicts: Sequence[bytes]) -> str:
    """How the message of `Conflicts` begins: five paths, and how many more."""
    more = len(conflicts) - 5
    return f"both sides changed {', '.join(map(repr, conflicts[:5]))}{f' and {more} more' if more > 0 else ''}:"


def merging(splitting: Splitting) -> Iterator[Step]:
    """Merges of each two edits of the base, and of each into nothing, by each strategy."""
    sides = [pure.apply_changes(BASE, changes) for changes in MERGED]
    for entries in sides:
        yield _writes(entries, splitting)
    id_of = {entries: pure.write(entries, splitting).meta_range_id for entries in (*sides, ())}
    for source in sides:
        for destination in sides:
            ids = (id_of[BASE], id_of[source], id_of[destination])
            for strategy in (None, "source-wins", "destination-wins"):
                found, conflicts = pure.three_way_merge(BASE, source, destination, strategy)
                refused = Refused(Conflicts, (_told(conflicts),))
                merged = pure.write(found, splitting).meta_range_id
                yield Call(merge_three, ids, strategy, splitting), refused if conflicts else merged
    yield Call(merge_three, (id_of[BASE], id_of[BASE], id_of[BASE]), "mine", splitting), "no strategy"
    for ids, answer in (
        ((id_of[BASE], id_of[BASE], id_of[sides[1]]), id_of[sides[1]]),
        ((id_of[BASE], id_of[sides[1]], id_of[BASE]), id_of[sides[1]]),
        ((id_of[BASE], id_of[sides[1]], id_of[sides[1]]), id_of[sides[1]]),
    ):
        yield Call(merge_three_noted, ids, splitting), did(answer)
    yield Call(walk, id_of[BASE], ()), did(tuple(entry.path for entry in BASE), pure.write(BASE, splitting).objects)


def reading(splitting: Splitting) -> Iterator[Step]:
    """Entries at paths that are there, before, between and after; iterators and seeks; an object that is missing or
    damaged."""
    made = pure.write(BASE, splitting)
    ranges, top = _ids(BASE, splitting), made.meta_range_id
    pieces = list(pure.split(BASE, splitting))
    yield _writes(BASE, splitting)
    for path in (b"a", b"b", b"c", b"d", b"e", b"h", b"i", b"m", b"n", b"o"):
        entry = {each.path: each for each in BASE}.get(path)
        covering = [ranges[each[0].path] for each in pieces if each[0].path <= path <= each[-1].path]
        yield Call(get_entry, top, path), did(entry, (top, *covering))
    yield Call(get_entry, NO_ENTRIES, b"b"), did(None)
    paths = tuple(entry.path for entry in BASE)
    yield Call(walk, NO_ENTRIES, (None,)), did((None,))
    for start in (b"", b"b", b"c", b"h", b"n", b"o"):
        left = tuple(path for path in paths if path >= start)
        yield Call(walk, top, (start,)), did(left, {top, *(ranges[path] for path in left)})
    yield (
        Call(walk, top, (None, None, b"b", None, b"m", None, None)),
        did((b"b", b"d", b"b", b"n", None), {top, *(ranges[path] for path in (b"b", b"d", b"n"))}),
    )
    yield Call(walk, top, (None,), closed=True), did((b"b",), {top, ranges[b"b"]})
    yield Call(walk, top, (), closed=True), did(())
    for step in ("first", "seek", "close", "end"):
        yield Call(value_of, top, step), False
    yield Call(value_of, top, "next"), True
    info = pure.describe(ranges[b"b"], pieces[0])
    yield Call(take_over_inside, info), False
    content = made.objects[ranges[b"b"]]
    swapped = made.objects[ranges[b"n"]]  # a range as it should be, at the address of another
    for hurt in (None, b"other", content[:-1], swapped):
        yield Call(damage, ranges[b"b"], hurt), None
        error = MissingObject if hurt is None else DamagedObject
        yield Call(get_entry, top, b"b"), Refused(error, (ranges[b"b"],))
    yield Call(damage, ranges[b"b"], content), None
    shorter = pure.write(BASE[:-1], splitting)
    yield Call(damage, top, shorter.objects[shorter.meta_range_id]), None
    yield Call(get_entry, top, b"b"), Refused(DamagedObject, (top, shorter.meta_range_id))
    yield Call(damage, top, None), None
    yield Call(get_entry, top, b"b"), Refused(MissingObject, (top,))


MANY: Final = tuple(_entry(b"%02d" % number) for number in range(20))
"""Ten ranges of two: a reader keeps eight of them."""


def keeping() -> Iterator[Step]:
    """Seeks back into ranges that were read: the last eight are not read again, the ninth is."""
    made = pure.write(MANY, BY_SIZE)
    ranges, top = _ids(MANY, BY_SIZE), made.meta_range_id
    paths = tuple(entry.path for entry in MANY)
    each = [ranges[path] for path in paths[::2]]
    yield _writes(MANY, BY_SIZE)
    for count in (8, 9):  # so many are read, and then one of them again
        for again in range(count):
            onward = (None, None) * count
            steps = (*onward, paths[2 * again], None)
            seen = (*paths[: 2 * count], paths[2 * again])
            evicted = count == 9 and again == 0
            read = (top, *each[:count], *each[again : again + 1][: int(evicted)])
            yield Call(walk, top, steps, closed=True), did(seen, read)


def stepping() -> Iterator[Step]:
    """An iterator that goes two steps, and no further."""
    made = pure.write(MANY[:2], BY_SIZE)
    yield _writes(MANY[:2], BY_SIZE)
    yield (
        Call(walk, made.meta_range_id, (None, None), closed=True),
        did(tuple(entry.path for entry in MANY[:2]), made.objects),
    )


def recutting() -> Iterator[Step]:
    """Edits of a base that was cut otherwise: the entries are right all the same."""
    base = pure.write(BASE, BY_SIZE)
    yield _writes(BASE, BY_SIZE)
    for changes in _edits():
        paths = tuple(entry.path for entry in pure.apply_changes(BASE, changes))
        yield Call(paths_after, base.meta_range_id, changes, BY_HASH), paths


def lying() -> Iterator[Step]:
    """Objects whose names are right and whose contents are not: a range that is none, a metarange that is wrong of its
    range, or is none."""
    good = pure.write(BASE[:2], BY_SIZE)
    other = pure.describe(_ids(BASE[:2], BY_SIZE)[b"b"], BASE[:3])
    wrong = pure.encode_meta_range([other])
    broken = b"no range"
    infos = [pure.describe(pure.content_id(broken), BASE[:2])]
    to_broken = pure.encode_meta_range(infos)
    yield _writes(BASE[:2], BY_SIZE)
    for content in (wrong, broken, to_broken):
        yield Call(damage, pure.content_id(content), content), None
    for content, named in (
        (wrong, other.range_id),
        (broken, pure.content_id(broken)),
        (to_broken, infos[0].range_id),
    ):
        yield Call(get_entry, MetaRangeID(pure.content_id(content)), b"b"), Refused(DamagedObject, (named,))
    yield Call(get_entry, good.meta_range_id, b"b"), did(BASE[0], good.objects)


@attrs.frozen(kw_only=True)
class CommittedDesign(Design[None]):
    """Operations on committed data, for one client."""

    flows: None = None
    source: str = "graveler-on-kv.md, Commit; lakeFS' pkg/graveler/committed"

    def vocabulary(self) -> Mapping[str, Word[None]]:
        return {"write": Word(lambda _: write_entries, BASE[:1], BY_SIZE)}

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return []


DESIGN: Final = CommittedDesign(name="committed/alone", refuted=HOLDS)


def _rows(name: str, steps: Iterator[Step]) -> Iterator[Row]:
    made = list(steps)
    more = Aftermath(
        id=ANSWERS_AS_STATED,
        meaning=ANSWERS_AS_STATED_MEANING,
        calls=[call for call, _ in made],
        check=answers_as_stated([Stated(str(call), answer) for call, answer in made]),
    )
    yield from rows(DESIGN, "write", NONE, more=(more,), name=name)


ROWS = [
    *(
        row
        for splitting, cut in ((BY_SIZE, "by-size"), (BY_HASH, "by-hash"))
        for what in (writing, editing, comparing, merging, reading)
        for row in _rows(f"{what.__name__}-{cut}", what(splitting))
    ),
    *_rows("lying", lying()),
    *_rows("keeping", keeping()),
    *_rows("stepping", stepping()),
    *_rows("recutting", recutting()),
]

SCENARIOS = built(ROWS)
