"""Staged entries: in the partition of their token, as "key/<path>". A tombstone is a change; so is an empty object."""

from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import Any, TypeVar

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.codec import Undecodable, encode
from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.staging import drop, get_staged, scan_staged, stage, stage_if, unstage
from lakeproof.impl.stores import MemoryStore
from lakeproof.model import keys
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import StagedEntry

T = TypeVar("T")

TOKEN = StagingToken("r-main:u.1.0")
OTHER = StagingToken("r-main:u.1.01")
"""Another token, whose partition begins with the name of the first."""

paths = st.binary(min_size=1, max_size=3)
entries = st.builds(StagedEntry, key=paths, identity=st.binary(max_size=2), data=st.none() | st.binary(max_size=2))
staged = st.lists(entries, max_size=8, unique_by=lambda entry: entry.key)
FEW = st.sampled_from([b"\0", b"a", b"ab"])
changes_of_few = st.builds(StagedEntry, key=FEW, identity=st.binary(max_size=2), data=st.none() | st.binary(max_size=2))


def do(store: MemoryStore, flow: Callable[[Env], Coroutine[Any, Any, T]]) -> T:  # type: ignore[explicit-any]
    return trio.run(partial(run, flow(live_env()), store))


def put(store: MemoryStore, changes: Iterable[StagedEntry], token: StagingToken = TOKEN) -> None:
    async def flow(env: Env) -> None:
        for entry in changes:
            await stage(env, token, entry)

    do(store, flow)


def scan(store: MemoryStore, token: StagingToken, prefix: bytes = b"", batch_size: int = 0) -> list[StagedEntry]:
    async def flow(env: Env) -> list[StagedEntry]:
        return [entry async for entry in scan_staged(env, token, prefix, batch_size)]

    return do(store, flow)


def entry(path: bytes, identity: bytes = b"1") -> StagedEntry:
    return StagedEntry(key=path, identity=identity, data=b"")


def test_a_token_is_a_partition_and_a_path_a_key_in_it() -> None:
    store = MemoryStore()
    put(store, [entry(b"a/b")])
    assert list(store.contents()) == [(b"r-main:u.1.0", b"key/a/b")]


@given(staged, st.sampled_from([b"", b"\0", b"a", b"\xff"]), st.integers(0, 4))
def test_a_scan_is_by_path_within_its_prefix_and_its_token(
    changes: list[StagedEntry], prefix: bytes, batch_size: int
) -> None:
    store = MemoryStore()
    put(store, changes)
    put(store, [entry(b"a"), entry(b"\xff\xff\xff\xff")], OTHER)
    found = scan(store, TOKEN, prefix, batch_size)
    assert found == sorted((each for each in changes if each.key.startswith(prefix)), key=lambda each: each.key)


@given(
    st.lists(st.tuples(st.sampled_from(["stage", "stage_if", "stale", "unstage"]), changes_of_few), max_size=12),
    st.integers(0, 4),
)
def test_a_token_holds_what_a_dictionary_would_and_is_dropped_whole_and_alone(
    steps: list[tuple[str, StagedEntry]], batch_size: int
) -> None:
    """A write on a predicate replaces just the value that was read; a tombstone is in the way of none."""
    store, held = MemoryStore(), dict[bytes, StagedEntry]()
    others = [entry(b"%d" % number) for number in range(5)]
    put(store, others, OTHER)
    for how, change in steps:
        found = do(store, partial(get_staged, token=TOKEN, path=change.key))
        assert (found and found[0]) == held.get(change.key)
        if how == "unstage":
            do(store, partial(unstage, token=TOKEN, path=change.key))
            held.pop(change.key, None)
            continue
        if how == "stage":
            put(store, [change])
        else:
            predicate = found and found[1]
            if how == "stale":
                predicate = encode(entry(b"what nobody staged")) if found is None else None
            assert do(store, partial(stage_if, token=TOKEN, entry=change, predicate=predicate)) is (how == "stage_if")
        if how != "stale":
            held[change.key] = change
    assert scan(store, TOKEN) == [held[path] for path in sorted(held)]
    do(store, partial(drop, token=TOKEN, batch_size=batch_size))
    assert scan(store, TOKEN) == []
    assert scan(store, OTHER) == others


def test_an_empty_path_is_refused_before_anything_is_written() -> None:
    store = MemoryStore()
    with pytest.raises(keys.InvalidName, match="path b'': expected at least one byte; name an object"):
        put(store, [entry(b"")])
    assert not store.contents()


def test_what_is_no_staged_entry_is_refused() -> None:
    store = MemoryStore({(b"r-main:u.1.0", b"key/x"): b"\xff"})
    with pytest.raises(Undecodable):
        scan(store, TOKEN)
