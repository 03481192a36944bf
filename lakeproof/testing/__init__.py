"""lakeproof inside other people's test runs: `scenario`, a decorator for any runner, and a plugin of pytest."""

from lakeproof.testing.decorator import scenario as scenario

__all__ = ["scenario"]
