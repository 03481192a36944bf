"""Times as S3 writes them. All are microseconds since 1970."""

from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime

SECOND = 1_000_000


def iso(time: int) -> str:
    """As in listings."""
    return datetime.fromtimestamp(time // SECOND, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def http(time: int) -> str:
    """As in headers."""
    return formatdate(time // SECOND, usegmt=True)


def from_http(text: str) -> int | None:
    """A header's time; None: it is none."""
    try:
        return int(parsedate_to_datetime(text).timestamp()) * SECOND
    # A client's text may be a date for email's parser, and still no time of a clock: that is an OverflowError.
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
