"""What a command takes of its machine: cores, a folder for what can be computed again, and the garbage collector."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
def no_cycles() -> Iterator[None]:
    """Pause the collection of cycles: with millions of values it is a sixth of the time, and finds nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
