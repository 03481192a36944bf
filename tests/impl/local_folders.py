"""An object store in a folder that holds something, for tests."""

from pathlib import Path

from lakeproof.impl.stores.local_objects import LocalObjectStore
from lakeproof.impl.stores.object_store import ALL
from lakeproof.model.objects import Put, StoredObject

BEFORE = {"a": StoredObject(b"1", (("n", "1"),)), "x/y": StoredObject(b"2")}


def filled(folder: Path) -> LocalObjectStore:
    store = LocalObjectStore(folder, ALL, clock=lambda: 0, durable=False)
    for address, found in BEFORE.items():
        store._apply(Put(address, found.content, found.metadata))
    return LocalObjectStore(folder, ALL, clock=lambda: 0)
