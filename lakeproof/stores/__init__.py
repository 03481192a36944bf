"""Stores of others, behind a DSN: drivers, a protocol for those in other languages, and traffic.

See docs/targets.md.
"""

from lakeproof.stores.dsn import CONNECTIONS, Target, target
from lakeproof.stores.wrappers import PrefixedStore, by_value

__all__ = ["CONNECTIONS", "PrefixedStore", "Target", "by_value", "target"]
