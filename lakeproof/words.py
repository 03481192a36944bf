"""What every room says: exit codes, errors that end a command, numbers in words, the line that replays a trace."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

AS_EXPECTED: Final = 0
VIOLATED: Final = 1
UNUSABLE: Final = 2
INCONCLUSIVE: Final = 3
INTERRUPTED: Final = 130
# 128 + 13, SIGPIPE; INTERRUPTED above is 128 + 2, SIGINT.
OUTPUT_CLOSED: Final = 141
"""As shells report a process that wrote into a closed pipe."""


class Unusable(Exception):
    """A scenario that cannot be run: one line that names it, the place, and the repair."""


class InternalError(Exception):
    """A mistake of ours, with its traceback."""


Progress = Callable[[int, int, int, str], None]
"""What a search calls on each level: the level, states so far, states of this level, and what grows in a loop."""


def first_of(
    group: BaseExceptionGroup[BaseException], ours: tuple[type[BaseException], ...] = (Unusable, KeyboardInterrupt)
) -> BaseException:
    """What went wrong, of several things at once: what is ours to tell, else all of it."""
    # `subgroup` keeps the nesting and only what matches, so the first leaf of it is ours.
    error: BaseException = group.subgroup(ours) or group
    if error is group:
        return group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def plural(number: int, what: str, whats: str | None = None) -> str:
    """``1 step``, ``2 steps``, ``1,234 steps``."""
    return f"{number:,} {what if number == 1 else whats or what + 's'}"


def seconds(duration: float) -> str:
    """A duration with the digits that matter."""
    return f"{duration:.2f}" if duration < 10 else f"{duration:,.0f}"


def show_time(microseconds: int, timespec: str = "seconds") -> str:
    """Microseconds since 1970, in ISO 8601, where the calendar has such a year."""
    try:
        return datetime.fromtimestamp(microseconds / 1_000_000, UTC).isoformat(timespec=timespec)
    # The calendar ends with the year 9999; which of these a larger number raises depends on the system.
    except (ValueError, OverflowError, OSError):
        return f"{microseconds} microseconds since 1970"


def reason(error: Exception) -> str:
    """What a library says of a text, on one line."""
    text = " ".join(str(error).split())
    # CPython's limit for conversions (`sys.set_int_max_str_digits`), whose own message tells of a function of ``sys``.
    return "a number of more than 4,300 digits" if "integer string conversion" in text else text


def program() -> str:
    """The command line, as the user who started it can type it again: `make` starts one that no PATH names."""
    own = Path(sys.argv[0])
    found = shutil.which("lakeproof")
    # Started by another program, such as pytest, or the one that PATH finds: then the name is enough.
    if own.name != "lakeproof" or not own.exists() or (found is not None and own.samefile(found)):
        return "lakeproof"
    return shlex.quote(os.path.relpath(own))


def replay_command(trace: Path, file: Path | str | None, program: str = "lakeproof") -> str:
    """The line that replays a trace. file: of its scenario, None: in the catalogue. ``program``: see `program`, and
    ``gate`` after it for a trace of the gate; in files that others read, the name alone."""
    return f"{program} {shlex.join(['replay', str(trace), *(['--from', str(file)] if file else [])])}"
