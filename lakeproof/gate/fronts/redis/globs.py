r"""Patterns of keys as Redis has them: ``*``, ``?``, ``[a-c]``, ``[^a]``, and ``\`` before what stands for itself."""

import re
from typing import Final

_ANY: Final = frozenset(range(256))


def compile_glob(pattern: bytes) -> re.Pattern[bytes]:
    """What matches the whole of a key. Between two stars the first place that fits is the best, and no other one is
    tried: the cost is that of a look at each byte of the key for each of the pattern."""
    pieces: list[list[bytes]] = [[]]  # what is between two stars
    at = 0
    while at < len(pattern):
        one = pattern[at : at + 1]
        at += 1
        if one == b"*":
            pieces.append([])
        elif one == b"?":
            pieces[-1].append(b".")
        elif one == b"[":
            found, at = _set(pattern, at)
            pieces[-1].append(_one_of(found))
        else:
            if one == b"\\" and at < len(pattern):
                one = pattern[at : at + 1]
                at += 1
            pieces[-1].append(re.escape(one))
    first, *rest = (b"".join(each) for each in pieces)
    # An atomic group is not entered again. Without it, `re` tries each place of a piece with each of the others.
    between = b"".join(b"(?>.*?%b)" % each for each in rest[:-1] if each)
    # The last piece is tied to the end of the key: only the star before it goes back.
    return re.compile(first + (between + b".*" + rest[-1] if rest else b""), re.DOTALL)


def literal(pattern: bytes) -> bytes:
    """What each key that matches begins with."""
    found = re.match(rb"[^*?\[\\]*", pattern)
    return found[0] if found else b""


def _set(pattern: bytes, at: int) -> tuple[frozenset[int], int]:
    """The bytes of a set whose ``[`` was before ``at``, and where it ends. One that is not closed ends with the
    pattern."""
    inverted = pattern[at : at + 1] == b"^"
    at += inverted  # a bool is 0 or 1
    found: set[int] = set()
    while at < len(pattern):
        if pattern[at : at + 1] == b"\\" and at + 1 < len(pattern):
            found.add(pattern[at + 1])
            at += 2
        elif pattern[at : at + 1] == b"]":
            at += 1
            break
        elif pattern[at + 1 : at + 2] == b"-" and at + 2 < len(pattern):
            low, high = sorted((pattern[at], pattern[at + 2]))  # Redis turns a range around, too
            found.update(range(low, high + 1))
            at += 3
        else:
            found.add(pattern[at])
            at += 1
    return (_ANY - found if inverted else frozenset(found)), at


def _one_of(found: frozenset[int]) -> bytes:
    # A set without members matches nothing.
    return b"[" + b"".join(b"\\x%02x" % each for each in sorted(found)) + b"]" if found else b"(?!)"
