"""Stores that somebody else wrote, behind a DSN: drivers, a protocol for those in other languages, and traffic.

See docs/targets.md.
"""

from lakeproof.targets.dsn import CONNECTIONS, Target, target
from lakeproof.targets.wrapping import Private, by_value

__all__ = ["CONNECTIONS", "Private", "Target", "by_value", "target"]
