"""Stores, live: the contracts that every driver keeps, the suites that hold it to them, and memory."""

from lakeproof.impl.stores.base import DELETE_IF, Store
from lakeproof.impl.stores.memory import MemoryStore
from lakeproof.impl.stores.memory_objects import MemoryObjectStore
from lakeproof.impl.stores.object_store import ObjectStore

__all__ = ["DELETE_IF", "MemoryObjectStore", "MemoryStore", "ObjectStore", "Store"]
