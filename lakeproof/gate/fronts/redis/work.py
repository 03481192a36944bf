"""One request at work on the store: what it reads and writes is noted as it does, and nothing else is its footprint.

A request is a program that knows nothing but what it reads here. So its footprint is large enough: if another one
writes nothing of what it has read, it goes the same way, and reads and writes the same.
"""

from typing import Final, TypeVar

from lakeproof.gate.fronts.footprints import Access, Footprint, Touch
from lakeproof.gate.fronts.redis.replies import CommandError
from lakeproof.gate.fronts.redis.state import ABSENT, Hash, RedisKey, RedisState, SortedSet, Stored, scan_order

_PLAIN: Final = frozenset(range(0x21, 0x7F)) - {ord("%")}
KEY: Final = "?redis/"
SCRIPT: Final = "?redis script/"
"""What the names of keys and scripts begin with in footprints. A ``?`` begins no bucket of S3."""
_PIECE: Final = 8
_WITHIN: Final = " in a transaction"
"""There, who finds a script may touch less: what it does decides what the next command touches. So it is no ADD."""
_Kind = TypeVar("_Kind", bytes, tuple[bytes, ...], frozenset[bytes], Hash, SortedSet)
WRONG_TYPE: Final = "WRONGTYPE Operation against a key holding the wrong kind of value"


def escape_key(key: bytes) -> str:
    """A key in labels and footprints: what is no printable ASCII, a blank and ``%`` are ``%XX``."""
    return "".join(chr(one) if one in _PLAIN else f"%{one:02X}" for one in key)


def of_key(key: bytes, touch: Touch) -> Access:
    """A key: what it holds, and its version."""
    return Access(touch, f"{KEY}{escape_key(key)}")


def of_prefix(prefix: bytes, touch: Touch) -> Access:
    """All keys that begin so, and that there are no others."""
    return Access(touch, f"{KEY}{escape_key(prefix)}", prefix=True)


def of_script(sha: str, touch: Touch, within: str = "") -> Access:
    """Whether a script is loaded."""
    # In pieces: the whole looks minted, and would be named after the client that is the first to ask for it.
    pieces = (sha[at : at + _PIECE] for at in range(0, len(sha), _PIECE))
    return Access(touch, f"{SCRIPT}{'.'.join(pieces)}{within}")


class Work:
    """Begins with a state; ``state`` and ``footprint`` tell what has become of it."""

    def __init__(self, state: RedisState) -> None:
        self._before = state
        self._changed: dict[bytes, RedisKey] = {}
        self.expires = state.expires
        self._scripts = state.scripts
        self._touched: dict[Access, None] = {}  # a set in order
        self.waits = True
        """Whether a command may wait for an element: in a transaction none does."""
        self.blocks = False
        """Whether a command waits for an element, and no timeout ends that."""
        self.unknown = ""
        """What was requested that the front does not have."""

    @property
    def footprint(self) -> Footprint:
        """What was touched so far, in that order."""
        return tuple(self._touched)

    @property
    def state(self) -> RedisState:
        """The state after what was done so far. Cost: the number of keys, if any was changed."""
        if not self._changed and self._scripts == self._before.scripts:
            return self._before
        return RedisState({**self._before.entries, **self._changed}, self._scripts, self.expires)

    def read(self, key: bytes) -> RedisKey:
        """What is known of a key."""
        self._touched[of_key(key, Touch.READ)] = None
        return self._entry(key)

    def get(self, key: bytes) -> Stored | None:
        """What a key holds."""
        return self.read(key).stored

    def put(self, key: bytes, stored: Stored | None, *, lives_on: bool = True) -> None:
        """Change what a key holds, or remove it. It is touched even by the same content. lives_on: it expires when it
        would have."""
        self._touched[of_key(key, Touch.WRITE)] = None  # a write may have read
        self._change(key, stored, self._entry(key).life if lives_on else None)

    def live(self, key: bytes, life: int | None) -> None:
        """Let a key that is there expire after so many milliseconds, or never."""
        self._touched[of_key(key, Touch.WRITE)] = None  # EXPIRE and PERSIST touch a watched key, as in Redis
        self._change(key, self._entry(key).stored, life)

    def expire(self, trial: Footprint) -> None:
        """Remove each key with a time to live that a request touches. trial: what the request touches without that."""
        self._touched.update(dict.fromkeys(trial))
        for key in sorted(key for key, each in self._before.entries.items() if each.life is not None):
            if any(each.conflicts(of_key(key, Touch.WRITE)) for each in trial):  # a WRITE conflicts with any touch
                self.put(key, None)

    def named(self, prefix: bytes = b"") -> list[bytes]:
        """The keys that begin so, in the order of a scan."""
        self._touched[of_prefix(prefix, Touch.READ)] = None
        found = {*self._before.entries, *self._changed}
        there = (key for key in found if key.startswith(prefix) and self._entry(key).stored is not None)
        return sorted(there, key=scan_order)

    def clear(self) -> None:
        """Remove all keys. Only those that are there are touched."""
        found = self.named()
        if found:
            # For the search it is a write of all keys; WATCH notices it at those that were there.
            self._touched[of_prefix(b"", Touch.WRITE)] = None
        for key in found:
            self._change(key, None, None)

    def script(self, sha: str) -> bytes | None:
        """The text of a script; None: it is not loaded."""
        self._touched[of_script(sha, Touch.READ)] = None
        if not self.waits:
            self._touched[of_script(sha, Touch.READ, _WITHIN)] = None
        return self._scripts.get(sha)

    def load(self, sha: str, text: bytes) -> None:
        """Load a script. One that is loaded already was only looked for."""
        if self.script(sha) is None:
            self._touched[of_script(sha, Touch.ADD)] = None
            self._touched[of_script(sha, Touch.DELETE, _WITHIN)] = None  # what it found is in the other key
            self._scripts = {**self._scripts, sha: text}

    def unload(self) -> None:
        """Forget all scripts. Where none is loaded, that was only looked at."""
        self._touched[Access(Touch.WRITE if self._scripts else Touch.READ, SCRIPT, prefix=True)] = None
        self._scripts = {}

    def note(self, unknown: str) -> None:
        """Something was requested that the front does not have. The first of a request is kept."""
        self.unknown = self.unknown or unknown

    def string(self, key: bytes) -> bytes | None:
        """The string at a key. Raises CommandError: it holds something else."""
        return self._typed(key, bytes)

    def hash(self, key: bytes) -> dict[bytes, bytes]:
        """A copy of the hash at a key; none is an empty one. Raises CommandError: it holds something else."""
        stored = self._typed(key, Hash)
        return {} if stored is None else dict(stored.fields)

    def sorted_set(self, key: bytes) -> SortedSet:
        """The sorted set at a key; none is an empty one. Raises CommandError: it holds something else."""
        return self._typed(key, SortedSet) or SortedSet({})

    def list(self, key: bytes) -> tuple[bytes, ...]:
        """The list at a key; none is an empty one. Raises CommandError: it holds something else."""
        return self._typed(key, tuple) or ()

    def set(self, key: bytes) -> frozenset[bytes]:
        """The set at a key; none is an empty one. Raises CommandError: it holds something else."""
        return self._typed(key, frozenset) or frozenset()

    def _typed(self, key: bytes, kind: type[_Kind]) -> _Kind | None:
        stored = self.get(key)
        if stored is None or isinstance(stored, kind):
            return stored
        raise CommandError(WRONG_TYPE)

    def _entry(self, key: bytes) -> RedisKey:
        return self._changed.get(key) or self._before.entries.get(key, ABSENT)

    def _change(self, key: bytes, stored: Stored | None, life: int | None) -> None:
        # A key made anew does not inherit the time to live of the one before.
        self._changed[key] = RedisKey(stored, self._entry(key).version + 1, None if stored is None else life)
