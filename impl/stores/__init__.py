"""Stores, live: the contract that every driver keeps, the suite that holds it to the contract, and memory."""

from impl.stores.base import DELETE_IF, Store
from impl.stores.memory import MemoryStore
from impl.stores.object_store import MemoryObjectStore, ObjectStore

__all__ = ["DELETE_IF", "MemoryObjectStore", "MemoryStore", "ObjectStore", "Store"]
