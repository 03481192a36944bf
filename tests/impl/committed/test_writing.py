"""Writing metaranges: what is written is what the model says, and what need not be read or written is not."""

from collections.abc import Mapping

import pytest
from hypothesis import given

from lakeproof.impl.committed import apply_changes
from lakeproof.model import committed
from lakeproof.model.committed import Entry, Splitting, Unsorted, change_to
from lakeproof.model.records import StagedEntry
from tests.impl.committed.shelf import EMPTY, ENV, NS, SPLITTING, Shelf, contents, edits, entry
from tests.model import three_way

Contents = tuple[Entry, ...]
Edits = Mapping[int, bytes | None]


def changes(made: Edits) -> list[StagedEntry]:
    """Numbers to new identities; None removes."""
    return [
        change_to(entry(number).path, None if identity is None else entry(number, identity))
        for number, identity in sorted(made.items())
    ]


@given(contents)
def test_what_is_written_is_what_the_model_says(found: Contents) -> None:
    shelf = Shelf()
    made = committed.write(found, SPLITTING)
    assert shelf.write(found) == made.meta_range_id
    held = {address: each.content for address, each in shelf.contents().items()}
    assert held == {committed.object_address(NS, each): made.objects[each] for each in made.objects}
    # Ranges in order, each once, then the metarange: whoever can read that can read all.
    assert [("put", each) for each in made.objects] == shelf.story


@pytest.mark.parametrize("found", [(entry(1), entry(0)), (entry(1), entry(1))])
def test_entries_out_of_order_are_refused(found: Contents) -> None:
    with pytest.raises(Unsorted, match=r"comes after b'00001': expected ascending paths, each one once; sort them"):
        Shelf().write(found)


@given(contents, edits)
def test_changes_give_the_metarange_of_the_changed_entries_and_cost_no_more_than_they_must(
    before: Contents, made: Edits
) -> None:
    shelf = Shelf()
    base = shelf.write(before)
    infos = shelf.infos(base)
    after = three_way.apply_changes(before, changes(made))
    found = shelf.do(apply_changes(ENV, NS, base, changes(made), splitting=SPLITTING))
    put, got = shelf.done("put"), shelf.done("get")
    assert shelf.entries(found) == after
    assert found == committed.write(after, SPLITTING).meta_range_id
    # Only what was not there is put, and nothing is read twice.
    needs = {found, *(info.range_id for info in shelf.infos(found))} if found else set()
    assert sorted(put) == sorted(needs - {base, *(info.range_id for info in infos)})
    assert len(got) == len(set(got))
    # A range is read only if it changes, or what comes before it does.
    starts = {info.min_path for info in shelf.infos(found)}
    for at, info in enumerate(infos):
        touched = any(info.min_path <= change.key <= info.max_path for change in changes(made))
        torn = info.min_path not in starts  # it begins in the middle of a new range
        # The last one may be followed by new entries, and is read to see whether it goes on.
        followed = at == len(infos) - 1 and any(change.key > info.max_path for change in changes(made))
        assert info.range_id not in got or touched or torn or followed


@given(contents)
def test_changes_that_change_nothing_give_the_base_and_write_nothing(before: Contents) -> None:
    shelf = Shelf()
    base = shelf.write(before)
    # Other data under the identity that is there is no change, nor is a tombstone where nothing is.
    same = [StagedEntry(key=found.path, identity=found.identity, data=b"other") for found in before]
    absent = [change_to(entry(number).path, None) for number in range(100, 103)]
    assert shelf.do(apply_changes(ENV, NS, base, [*same, *absent], splitting=SPLITTING)) == base
    assert shelf.done("put") == []


@pytest.mark.parametrize("paths", [[b"b", b"a"], [b"a", b"a"]])
def test_changes_out_of_order_are_refused(paths: list[bytes]) -> None:
    made = [change_to(path, None) for path in paths]
    with pytest.raises(Unsorted, match="expected ascending paths"):
        Shelf().do(apply_changes(ENV, NS, EMPTY, made))


@given(contents, edits)
def test_a_base_that_was_cut_otherwise_gives_the_right_entries(before: Contents, made: Edits) -> None:
    shelf = Shelf()
    base = shelf.write(before)
    other = Splitting(min_bytes=40, max_bytes=200, one_in=2)
    found = shelf.do(apply_changes(ENV, NS, base, changes(made), splitting=other))
    assert shelf.entries(found) == three_way.apply_changes(before, changes(made))
