"""Differences and merges: as the model says, and without reading what both sides share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.committed import Conflicts, merge
from lakeproof.impl.committed.diff import differences
from lakeproof.impl.committed.reader import Reader
from lakeproof.model import committed
from lakeproof.model.committed import STRATEGIES, Difference, Entry, change_to
from lakeproof.model.identifiers import MetaRangeID
from tests.impl.committed.shelf import EMPTY, ENV, NS, SPLITTING, Shelf, contents, edits, entry, row
from tests.model import three_way
from tests.model.three_way import three_way_merge

Contents = tuple[Entry, ...]
Edits = dict[int, bytes | None]


async def all_of(left: MetaRangeID, right: MetaRangeID, limit: int | None = None) -> tuple[Difference, ...]:
    """The differences, at most so many."""
    found: list[Difference] = []
    reader = Reader(ENV, NS)
    async for difference in differences(reader, await reader.meta_range(left), await reader.meta_range(right)):
        found.append(difference)
        if len(found) == limit:
            break
    return tuple(found)


def edited(before: Contents, made: Edits) -> Contents:
    """The entries with some replaced, added or removed (None)."""
    changes = [
        change_to(entry(number).path, None if identity is None else entry(number, identity))
        for number, identity in made.items()
    ]
    return three_way.apply_changes(before, changes)


class TestDiff:
    @given(contents, contents | edits)
    def test_the_differences_are_those_of_the_model_and_only_ranges_of_one_side_alone_are_read_each_once(
        self, left: Contents, other_side: Contents | Edits
    ) -> None:
        shelf = Shelf()
        right = edited(left, other_side) if isinstance(other_side, dict) else other_side
        one, other = shelf.write(left), shelf.write(right)
        assert shelf.do(all_of(one, other)) == three_way.differences(left, right)
        alone = {info.range_id for info in shelf.infos(one)} ^ {info.range_id for info in shelf.infos(other)}
        assert sorted(shelf.done("get")) == sorted([*alone, *(each for each in (one, other) if each)])
        assert shelf.done("put") == []

    def test_whoever_stops_early_reads_no_further(self) -> None:
        shelf = Shelf()
        one = shelf.write(row(60))
        other = shelf.write(tuple(entry(number, b"2") for number in range(60)))
        assert len(shelf.do(all_of(one, other, limit=1))) == 1
        # Two metaranges, and the first range of each.
        assert len(shelf.story) == 4


class TestMerge:
    @given(contents, contents | edits, contents | edits, st.sampled_from(STRATEGIES))
    def test_the_merged_metarange_is_that_of_the_model(
        self, base: Contents, ours: Contents | Edits, theirs: Contents | Edits, strategy: str | None
    ) -> None:
        shelf = Shelf()
        source, destination = (edited(base, each) if isinstance(each, dict) else each for each in (ours, theirs))
        sides = base, source, destination
        merged, conflicts = three_way_merge(*sides, strategy)
        ids = [shelf.write(side) for side in sides]
        flow = merge(ENV, NS, base=ids[0], source=ids[1], destination=ids[2], strategy=strategy, splitting=SPLITTING)
        if conflicts:
            with pytest.raises(Conflicts) as raised:
                shelf.do(flow)
            assert raised.value.paths == conflicts
            assert shelf.done("put") == []
        else:
            found = shelf.do(flow)
            assert found == committed.write(merged, SPLITTING).meta_range_id
            assert shelf.entries(found) == merged

    @pytest.mark.parametrize(
        ("base", "source", "destination", "merged"),
        [("1", "1", "2", "2"), ("1", "2", "1", "2"), ("1", "2", "2", "2"), ("1", "1", "1", "1"), ("", "2", "", "2")],
    )
    def test_where_one_side_has_all_nothing_is_read(
        self, base: str, source: str, destination: str, merged: str
    ) -> None:
        shelf = Shelf()
        flow = merge(ENV, NS, base=MetaRangeID(base), source=MetaRangeID(source), destination=MetaRangeID(destination))
        assert shelf.do(flow) == merged
        assert shelf.story == []

    def test_a_conflict_names_its_paths_and_what_to_do(self) -> None:
        shelf = Shelf()
        base, source, destination = (
            shelf.write(tuple(entry(number, identity) for number in range(7))) for identity in (b"1", b"2", b"3")
        )
        with pytest.raises(Conflicts) as raised:
            shelf.do(merge(ENV, NS, base=base, source=source, destination=destination))
        assert raised.value.paths == tuple(entry(number).path for number in range(7))
        assert raised.value.definite
        assert str(raised.value) == (
            "both sides changed b'00000', b'00001', b'00002', b'00003', b'00004' and 2 more: "
            "change them on one side, or choose whose side wins"
        )
        assert str(Conflicts((b"a", b"b"))).startswith("both sides changed b'a', b'b': change")

    def test_another_strategy_is_refused_before_anything_is_read(self) -> None:
        shelf = Shelf()
        flow = merge(ENV, NS, base=EMPTY, source=MetaRangeID("1"), destination=MetaRangeID("2"), strategy="theirs")
        with pytest.raises(ValueError, match="merge strategy 'theirs'"):
            shelf.do(flow)
        assert shelf.story == []
