"""Stores that somebody else wrote, behind a DSN: drivers, a protocol for those in other languages, and traffic.

See docs/targets.md.
"""

from lakeproof.stores.dsn import CONNECTIONS, Target, target
from lakeproof.stores.wrappers import Private, by_value

__all__ = ["CONNECTIONS", "Private", "Target", "by_value", "target"]
