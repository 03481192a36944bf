"""Reading entries and going through them: no more effects than it takes, and no object is believed unseen."""

from collections.abc import Callable, Coroutine

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.committed import (
    DamagedObject,
    MissingObject,
    apply_changes,
    get_entry,
    merge,
    read_entries,
)
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


async def read_all(meta_range_id: MetaRangeID, start: bytes = b"") -> list[Entry]:
    return [each async for each in read_entries(ENV, NS, meta_range_id, start)]


@given(contents, st.integers(0, 61))
def test_an_entry_is_that_at_its_path_and_costs_the_metarange_and_a_range_that_covers_it(
    found: Contents, number: int
) -> None:
    shelf = Shelf()
    meta_range_id = shelf.write(found)
    path = entry(number).path
    expected = next((each for each in found if each.path == path), None)
    assert shelf.do(get_entry(ENV, NS, meta_range_id, path)) == expected
    covered = any(info.min_path <= path <= info.max_path for info in shelf.infos(meta_range_id))
    assert len(shelf.story) == (0 if not found else 2 if covered else 1)


@given(contents, st.integers(0, 61))
def test_entries_come_in_order_from_a_path_on_and_each_range_from_there_on_is_read_once(
    found: Contents, number: int
) -> None:
    shelf = Shelf()
    meta_range_id, start = shelf.write(found), entry(number).path
    assert tuple(shelf.do(read_all(meta_range_id, start))) == tuple(each for each in found if each.path >= start)
    ranges = [info.range_id for info in shelf.infos(meta_range_id) if info.max_path >= start]
    assert shelf.done("get") == ([meta_range_id, *ranges] if found else [])


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

        flows: list[Callable[[], Coroutine[object, object, object]]] = [
            lambda: get_entry(ENV, NS, base, info.min_path),
            lambda: read_all(base),
            lambda: apply_changes(ENV, NS, base, [change_to(info.min_path, None)]),
            lambda: merge(ENV, NS, base=base, source=other, destination=destination),
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

    def test_a_range_for_a_metarange_and_a_metarange_for_a_range_are_refused(self) -> None:
        shelf = Shelf()
        at, inner = plant(shelf, encode_range(row(2))), shelf.write(row(2))
        outer = plant(shelf, encode_meta_range([describe(inner, row(2))]))
        for asked, told in ((at, f"{object_address(NS, at)}: no metarange"), (outer, f"{inner}: no range")):
            with pytest.raises(DamagedObject, match=f"{told}: begins with"):
                shelf.do(get_entry(ENV, NS, asked, row(2)[0].path))

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
