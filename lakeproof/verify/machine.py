"""What a command takes of its machine: cores, a folder for what can be computed again, and the garbage collector."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

NEW_OBJECTS_MAX: Final = 50_000
"""How many objects are made, beyond those that are freed, before the collector looks for cycles among them."""


def cores() -> int:
    """The cores that this process may use."""
    # Not cpu_count alone: in a container or under taskset, this process may have fewer.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def user_cache() -> Path:
    """Source: XDG Base Directory Specification."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The specification has relative paths ignored.
    return (Path(home) if home.startswith("/") else Path.home() / ".cache") / "lakeproof"


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles seldom. A search makes millions of values, and few cycles: with the interpreter's own threshold
    of 700 new objects, looking for them is a quarter of its time. Cost: a few megabytes that are freed later."""
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS_MAX, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
