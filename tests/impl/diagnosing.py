"""Diagnosing a store in tests."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from lakeproof.impl.diagnostics import Collected, collect
from lakeproof.model import kv
from tests.impl.hand import Hand
from tests.impl.records import REPOSITORY, branch, commit, tag

SOUND = (REPOSITORY, commit("c"), commit("d", "c"), branch("main", "d"), branch("dev", "c"), tag("v"))


def hand_with(store: Mapping[kv.Address, bytes]) -> Hand:
    """One that holds this store, at time 5."""
    return Hand({("kv", *at): value for at, value in store.items()}, now=5)


def diagnosed(store: Mapping[kv.Address, bytes], batch_size: int = 1000) -> Collected:
    hand = hand_with(store)
    return hand.do(collect(hand.env, batch_size=batch_size))


def unzipped(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}
