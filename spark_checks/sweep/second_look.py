"""The second look: whether an object is still the one that was marked.

Stores tell the time of an object in microseconds, milliseconds or seconds, as listings do. The two are compared in the
unit in which the store tells it now, cut off and not rounded: in that unit they must be equal. A store whose unit is a
second cannot tell two puts of one second apart by their time; size, ETag and version, where listing and store have
them, can.
"""

from typing import Final

import attrs

from lakeproof.spark_checks.sweep.marks import Mark
from lakeproof.words import show_time

SECOND: Final = 1_000_000
MICROSECOND: Final = 1

YOUNGER: Final = "younger"
OLDER: Final = "older"
OTHER_SIZE: Final = "other-size"
OTHER_TAG: Final = "other-e-tag"
OTHER_VERSION: Final = "other-version"
UNKNOWN: Final = "mark-says-too-little"

MEANINGS: Final = {
    YOUNGER: "modified after it was listed: put again, or copied with everything else",
    OLDER: "modified before the time that was listed: another object",
    OTHER_SIZE: "has another size than was listed",
    OTHER_TAG: "has another ETag than was listed",
    OTHER_VERSION: "has another version than was listed",
    UNKNOWN: "the listing has no size or no time, so that nothing tells whether it is the same object",
}


@attrs.frozen
class Found:
    """An object as the store tells of it. ``last_modified``: microseconds since 1970. ``e_tag``: without quotes. None:
    the store has no such thing."""

    size_bytes: int
    last_modified: int
    e_tag: str | None = None
    version_id: str | None = None


def difference(mark: Mark, found: Found, unit: int) -> str | None:
    """Why it is not the object that was marked; None: nothing says so. ``unit``: of the store's times, microseconds."""
    if mark.size_bytes is None or mark.last_modified is None:
        return UNKNOWN
    # Whole division cuts off, also below zero. Rounding would take the second half of a second for the next one.
    listed, now = mark.last_modified // unit, found.last_modified // unit
    if now != listed:
        return YOUNGER if now > listed else OLDER
    if found.size_bytes != mark.size_bytes:
        return OTHER_SIZE
    # "" in the mark stands for several tags: it equals none, so that such an object is kept.
    if None not in (mark.e_tag, found.e_tag) and mark.e_tag != found.e_tag:
        return OTHER_TAG
    if None not in (mark.version_id, found.version_id) and mark.version_id != found.version_id:
        return OTHER_VERSION
    return None


def describe(mark: Mark, found: Found) -> str:
    """Both, for a reader."""
    now, then = (_describe(each.size_bytes, each.last_modified) for each in (found, mark))
    return f"now {now}, marked {then}"


def _describe(size: int | None, modified: int | None) -> str:
    when = "?" if modified is None else show_time(modified, "auto")
    return f"{'?' if size is None else f'{size:,}'} bytes of {when}"
