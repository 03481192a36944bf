"""Reading entries and going through them: no more effects than it takes, and no object is believed unseen."""

from bisect import bisect_left
from collections.abc import Callable, Coroutine

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.committed import (
    DamagedObject,
    Iterator,
    MetaRangeIterator,
    MissingObject,
    apply_changes,
    diff,
    get_entry,
    merge,
)
from lakeproof.impl.effects import Env
from lakeproof.model.committed import (
    Entry,
    change_to,
    content_id,
    decode_range,
    describe,
    encode_meta_range,
    encode_range,
    object_address,
)
from lakeproof.model.identifiers import MetaRangeID
from tests.impl.committed.shelf import ENV, NS, Shelf, contents, entry, row

Contents = tuple[Entry, ...]


async def collect(iterator: Iterator[Entry], limit: int | None = None) -> list[Entry]:
    """What an iterator has, at most so many."""
    found: list[Entry] = []
    while len(found) != limit and await iterator.next():
        found.append(iterator.value)
    return found


def iterator(meta_range_id: MetaRangeID, env: Env = ENV) -> MetaRangeIterator:
    return MetaRangeIterator(env, NS, meta_range_id)


class TestGetEntry:
    @given(contents, st.integers(0, 61))
    def test_it_is_the_entry_at_the_path(self, found: Contents, number: int) -> None:
        shelf = Shelf()
        meta_range_id = shelf.write(found)
        path = entry(number).path
        expected = next((each for each in found if each.path == path), None)
        assert shelf.do(get_entry(ENV, NS, meta_range_id, path)) == expected
        covered = any(info.min_path <= path <= info.max_path for info in shelf.infos(meta_range_id))
        assert len(shelf.story) == (0 if not found else 2 if covered else 1)


class TestIterator:
    @given(contents)
    def test_it_goes_through_all_entries_in_order_and_reads_each_range_once(self, found: Contents) -> None:
        shelf = Shelf()
        meta_range_id = shelf.write(found)

        async def whole() -> list[Entry]:
            return [each async for each in iterator(meta_range_id)]

        assert tuple(shelf.do(whole())) == found
        ids = [meta_range_id, *(info.range_id for info in shelf.infos(meta_range_id))]
        assert shelf.done("get") == (ids if found else [])

    @given(contents, st.lists(st.tuples(st.integers(0, 62), st.integers(0, 12)), max_size=5))
    def test_after_a_seek_it_stands_before_the_first_entry_from_there_on(
        self, found: Contents, moves: list[tuple[int, int]]
    ) -> None:
        shelf = Shelf()
        meta_range_id = shelf.write(found)

        async def moving() -> None:
            entries = iterator(meta_range_id)
            for number, steps in moves:
                await entries.seek(entry(number).path)
                at = bisect_left(found, entry(number).path, key=lambda each: each.path)
                assert tuple(await collect(entries, steps)) == found[at : at + steps]

        shelf.do(moving())

    def test_after_an_error_it_can_be_moved_on(self) -> None:
        shelf = Shelf()
        meta_range_id = shelf.write(row(60))
        infos = shelf.infos(meta_range_id)
        shelf.damage(infos[1].range_id, None)

        async def going() -> list[Entry]:
            entries = iterator(meta_range_id)
            assert len(await collect(entries, infos[0].count)) == infos[0].count
            for _ in range(2):
                with pytest.raises(MissingObject):
                    await entries.next()
            await entries.seek(infos[2].min_path)
            return await collect(entries)

        assert tuple(shelf.do(going())) == row(60)[infos[0].count + infos[1].count :]


def plant(shelf: Shelf, content: bytes) -> MetaRangeID:
    """Put an object where its content says."""
    object_id = content_id(content)
    shelf.damage(object_id, content)
    return MetaRangeID(object_id)


class TestBrokenObjects:
    def test_a_missing_range_is_named_to_whoever_needs_it(self) -> None:
        shelf = Shelf()
        base, other = shelf.write(row(60)), shelf.write((*row(1), *row(58, 2)))
        info = next(info for info in shelf.infos(base) if info.range_id not in {i.range_id for i in shelf.infos(other)})
        destination = shelf.write(row(59))
        shelf.damage(info.range_id, None)

        async def comparing() -> None:
            async for _ in diff(ENV, NS, base, other):
                pass

        flows: list[Callable[[], Coroutine[object, object, object]]] = [
            lambda: get_entry(ENV, NS, base, info.min_path),
            lambda: collect(iterator(base)),
            lambda: apply_changes(ENV, NS, base, [change_to(info.min_path, None)]),
            lambda: merge(ENV, NS, base=base, source=other, destination=destination),
            comparing,
        ]
        for flow in flows:
            with pytest.raises(MissingObject, match=info.range_id):
                shelf.do(flow())

    def test_content_that_is_not_what_the_id_says_is_refused(self) -> None:
        shelf = Shelf()
        meta_range_id = shelf.write(row(60))
        info = shelf.infos(meta_range_id)[0]
        shelf.damage(info.range_id, encode_range(row(3)))
        with pytest.raises(DamagedObject, match=f"{info.range_id}: the content's SHA-256 is .*, expected the id"):
            shelf.do(get_entry(ENV, NS, meta_range_id, info.min_path))
        shelf.damage(meta_range_id, shelf.content_of(shelf.write(row(3))))
        with pytest.raises(DamagedObject, match=f"{meta_range_id}: the content's SHA-256"):
            shelf.do(get_entry(ENV, NS, meta_range_id, info.min_path))

    def test_a_range_where_a_metarange_should_be_is_refused(self) -> None:
        shelf = Shelf()
        at = plant(shelf, encode_range(row(2)))
        with pytest.raises(DamagedObject, match=f"{object_address(NS, at)}: no metarange: begins with"):
            shelf.do(get_entry(ENV, NS, at, b"a"))

    def test_a_metarange_where_a_range_should_be_is_refused(self) -> None:
        shelf = Shelf()
        inner = shelf.write(row(2))
        outer = plant(shelf, encode_meta_range([describe(inner, row(2))]))
        with pytest.raises(DamagedObject, match=f"{inner}: no range: begins with"):
            shelf.do(get_entry(ENV, NS, outer, row(2)[0].path))

    @pytest.mark.parametrize("wrong", [row(3), row(2, 1), row(1)])
    def test_a_metarange_that_lies_about_a_range_is_refused(self, wrong: Contents) -> None:
        shelf = Shelf()
        info = shelf.infos(shelf.write(row(2)))[0]
        assert decode_range(shelf.content_of(info.range_id)) == row(2)
        lying = plant(shelf, encode_meta_range([describe(info.range_id, wrong)]))
        with pytest.raises(
            DamagedObject, match=r"count=2.*, the metarange expects RangeInfo.*write the metarange again"
        ):
            shelf.do(get_entry(ENV, NS, lying, wrong[0].path))
