"""Folders of the user's that lakeproof keeps things in."""

import os
from pathlib import Path


def user_cache() -> Path:
    """Where what can be computed again is kept. Source: XDG Base Directory Specification."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if home.startswith("/") else Path.home() / ".cache") / "lakeproof"
