"""Diagnosing a store in tests."""

import zipfile
from functools import partial
from pathlib import Path

import trio

from lakeproof.impl.diagnostics import Collected, collect
from lakeproof.impl.live import live_env, run
from lakeproof.impl.stores import MemoryStore
from lakeproof.model import kv
from tests.impl.refs.watched import REPOSITORY, branch, commit, tag

SOUND = (REPOSITORY, commit("c"), commit("d", "c"), branch("main", "d"), branch("dev", "c"), tag("v"))


def diagnosed(store: MemoryStore, batch_size: int = 1000) -> Collected:
    flow = collect(live_env(), batch_size=batch_size)
    return trio.run(partial(run, flow, store, clock=lambda: 5))


def put(store: MemoryStore, partition: bytes, key: bytes, value: bytes) -> None:
    trio.run(MemoryStore.apply, store, kv.Set(partition, key, value))


def unzipped(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}
