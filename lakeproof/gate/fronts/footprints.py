"""What a request touches: by this, and by nothing else, the gate knows which requests can be exchanged.

Two requests that are next to each other in a schedule can be exchanged if neither touches what the other one changes:
then both orders give the same replies and leave the same store. A footprint may be larger than what a request really
touches, which costs schedules; it must never be smaller.
"""

from enum import Enum

import attrs


class Touch(Enum):
    """What a request does to a key."""

    READ = "read"
    """Its reply depends on the key. A conditional write that was refused has only read."""
    WRITE = "write"
    """It changes the key, and its reply may depend on it."""
    ADD = "add"
    """It puts something there, the same whichever request does. Two of them commute; and a request that finds it
    touches no less than without it."""
    DELETE = "delete"
    """It removes the key, or marks it, and its reply is the same whatever was there. Two of them commute."""


@attrs.frozen(cache_hash=True)
class Access:
    """A key, or all keys with a prefix, and what is done to it.

    A key is one string, such as ``bucket/name`` or ``table/partition/sort``; its maker escapes separators.
    """

    touch: Touch
    key: str
    prefix: bool = False
    """All keys that begin with ``key``: a listing, a query."""

    def conflicts(self, other: "Access") -> bool:
        """Whether the order of the two can matter."""
        # Such as two deletes. A delete and a read are dependent: the read sees whether the key is gone.
        if self.touch is other.touch and self.touch is not Touch.WRITE:
            return False
        # Two prefixes have keys in common only if one begins with the other.
        if self.prefix and other.prefix:
            return self.key.startswith(other.key) or other.key.startswith(self.key)
        if self.prefix:
            return other.key.startswith(self.key)
        if other.prefix:
            return self.key.startswith(other.key)
        return self.key == other.key


Footprint = tuple[Access, ...]


def only_read(footprint: Footprint) -> Footprint:
    """Of a request that was refused: it has changed nothing, and its answer may depend on what it wanted to change."""
    return tuple(attrs.evolve(each, touch=Touch.READ) for each in footprint)


def dependent(one: Footprint, other: Footprint) -> bool:
    """Whether exchanging two requests with these footprints can change a reply or the store."""
    return any(mine.conflicts(yours) for mine in one for yours in other)
