"""What the Redis front holds: keys with values and versions, and scripts. A value: nothing is changed in place."""

import zlib
from collections.abc import Mapping

import attrs


@attrs.frozen
class Hash:
    """Values by field, in the order in which the fields came. Never empty."""

    fields: Mapping[bytes, bytes]


@attrs.frozen
class SortedSet:
    """Scores by member. Never empty."""

    scores: Mapping[bytes, float]

    @property
    def members(self) -> list[bytes]:
        """By score, and by bytes where it is the same."""
        # The order of ZRANGEBYLEX, where all scores are equal.
        return sorted(self.scores, key=lambda member: (self.scores[member], member))


Stored = bytes | tuple[bytes, ...] | frozenset[bytes] | Hash | SortedSet
"""What a key holds: bytes are a string, a tuple is a list, and a frozenset a set; neither is ever empty."""


@attrs.frozen
class RedisState:
    """All that the front knows."""

    keys: Mapping[bytes, Stored] = attrs.field(factory=dict)
    versions: Mapping[bytes, int] = attrs.field(factory=dict)
    """How often each key was changed, removed ones too: by this WATCH knows whether a key was touched."""
    scripts: Mapping[str, bytes] = attrs.field(factory=dict)
    """The texts of the scripts that were loaded, by their SHA-1."""
    lives: Mapping[bytes, int] = attrs.field(factory=dict)
    """How long keys were given to live, in milliseconds. No time passes: a key is there until an expiry removes it."""
    expires: bool = False
    """Whether keys may be given a time to live. Else such a command is not known."""

    def text(self, key: str) -> str | None:
        """The string at a key, for invariants; None: there is none. Bytes that are no UTF-8 are escaped."""
        stored = self.keys.get(key.encode())  # a key that is no UTF-8 has no such name
        return stored.decode(errors="backslashreplace") if isinstance(stored, bytes) else None


def place(key: bytes) -> int:
    """Where a key comes in a scan: a number that depends on nothing but the key."""
    return zlib.crc32(key)  # 32 bits: several keys may have one place


def scan_order(key: bytes) -> tuple[int, bytes]:
    """Keys of one place are ordered among themselves."""
    return place(key), key
