"""Layers of changes, as commits that stopped leave them: what readers find, what resets forget, what commits keep.

Each is compared with a dictionary to which the same changes were applied in order; commits also variant with variant.
Listings have tests of their own.
"""

from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.designs.branch_designs import BRANCH
from lakeproof.impl.graveler import lock_free, optimistic, reads, resets, writes
from lakeproof.impl.refs.errors import PathNotFound
from lakeproof.model.contents import content_of_commit
from tests.impl.hand import Hand

PATHS = (b"a", b"a/1", b"a/2", b"b")
Layer = Mapping[bytes, bytes | None]
"""Path to identity; None: deleted."""

paths = st.sampled_from(PATHS)
prefixes = st.sampled_from([b"", b"a", b"a/", b"b", b"c"])
layers = st.lists(
    st.dictionaries(paths, st.none() | st.sampled_from([b"1", b"2", b"3"]), max_size=3), min_size=1, max_size=4
)
QUICK = settings(max_examples=50)


def over(entries: Mapping[bytes, bytes], *changes: Layer) -> dict[bytes, bytes]:
    """Entries after changes, the oldest ones first."""
    found: dict[bytes, bytes | None] = dict(entries)
    for layer in changes:
        found.update(layer)
    return {path: identity for path, identity in sorted(found.items()) if identity is not None}


def write(hand: Hand, layer: Layer) -> None:
    for path, identity in layer.items():
        if identity is None:
            hand.run(writes.delete_entry, BRANCH, path)
        else:
            hand.run(writes.set_entry, BRANCH, path, identity)


def layered(head: Layer, changes: Sequence[Layer]) -> Hand:
    """A branch with a commit, and over it these layers: each but the last one sealed by a committer that stopped."""
    hand = Hand.founded()
    write(hand, head)
    hand.run(lock_free.commit, BRANCH, "head")
    for number, layer in enumerate(changes):
        if number:
            hand.start(lock_free.commit, BRANCH, "stops").step(2)
        write(hand, layer)
    assert len(hand.branch().sealed_tokens) == len(changes) - 1
    return hand


def shown(hand: Hand) -> dict[bytes, bytes]:
    return {entry.path: entry.identity for entry in hand.run(reads.list_entries, BRANCH)}


def read(hand: Hand, path: bytes) -> bytes | None:
    try:
        identity: bytes = hand.run(reads.get_entry, BRANCH, path).identity
    except PathNotFound:
        return None
    return identity


@QUICK
@given(layers, layers)
def test_readers_find_the_newest_change_of_each_path(heads: list[Layer], changes: list[Layer]) -> None:
    hand = layered(heads[0], changes)
    expected = over({}, heads[0], *changes)
    assert hand.content() == expected
    assert {path: read(hand, path) for path in PATHS} == {path: expected.get(path) for path in PATHS}


@QUICK
@given(layers, layers)
def test_a_commit_holds_all_layers_and_changes_nothing_for_readers(heads: list[Layer], changes: list[Layer]) -> None:
    made = []
    for commit in (lock_free.commit, optimistic.commit):
        hand = layered(heads[0], changes)
        made.append(hand.run(commit, BRANCH, "all"))
        assert content_of_commit(hand.snapshot(), made[-1].commit_id) == hand.content() == over({}, heads[0], *changes)
        assert hand.branch().sealed_tokens == ()
    # Written at once, alone: the same entries have the same metarange.
    hand = layered(over({}, heads[0], *changes), [{}])
    assert {each.meta_range_id for each in made} == {hand.run(lock_free.commit, BRANCH, "all").meta_range_id}


@QUICK
@given(layers, layers, st.booleans())
def test_a_reset_of_the_branch_leaves_its_head(heads: list[Layer], changes: list[Layer], commits: bool) -> None:
    hand = layered(heads[0], changes)
    hand.run(resets.reset_branch, BRANCH)
    assert shown(hand) == hand.content() == over({}, heads[0])
    if commits:
        made = hand.run(lock_free.commit, BRANCH, "nothing")
        assert content_of_commit(hand.snapshot(), made.commit_id) == over({}, heads[0])


@QUICK
@given(layers, layers, prefixes, st.booleans(), st.integers(0, 2))
def test_a_reset_of_a_prefix_leaves_the_head_there_and_all_changes_elsewhere(
    heads: list[Layer], changes: list[Layer], prefix: bytes, commits: bool, batch_size: int
) -> None:
    hand = layered(heads[0], changes)
    hand.run(resets.reset_prefix, BRANCH, prefix, batch_size=batch_size)
    head, before = over({}, heads[0]), over({}, heads[0], *changes)
    expected = {path: (head if path.startswith(prefix) else before).get(path) for path in PATHS}
    assert hand.content() == over({}, expected)
    if commits:
        hand.run(lock_free.commit, BRANCH, "after")
        assert hand.content() == over({}, expected)


@QUICK
@given(layers, layers, paths, st.sampled_from([b"1", b"2"]))
def test_conditional_writes_look_through_all_layers(
    heads: list[Layer], changes: list[Layer], path: bytes, expected: bytes
) -> None:
    before = over({}, heads[0], *changes)
    for flow, args, allowed in (
        (writes.create_entry, (), path not in before),
        (writes.replace_entry, (expected,), before.get(path) == expected),
    ):
        hand = layered(heads[0], changes)
        view = hand.start(flow, BRANCH, path, b"new", *args)
        refused = None
        try:
            view.finish()
        except Exception as error:  # noqa: BLE001  # which one is said below
            refused = type(error).__name__
        assert refused == (None if allowed else {"create_entry": "PathExists"}.get(flow.__name__, "EntryChanged"))
        assert hand.content() == (over(before, {path: b"new"}) if allowed else before)
