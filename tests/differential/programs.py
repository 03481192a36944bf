"""Small programs as values: what generated clients run. `tests.differential.interpreter` is the flow that runs them."""

from collections.abc import Hashable
from typing import Final, Literal

import attrs

KEYS: Final = ((b"p", b"a"), (b"p", b"b"), (b"q", b"a"))
ADDRESSES: Final = ("o/a", "o/b")
START: Final = 1_700_000_000_000_000  # as `Scenario.start_time`


@attrs.frozen
class Const:
    value: Hashable


Source = Const | Literal["last", "held", "given", "log", "count", "found", "both"]
"""What a program writes or returns: a constant; what it saw last; what it keeps; its argument; all that it saw; how
much it saw; whether it saw anything; two of these as a tuple."""


@attrs.frozen
class Get:
    key: int


@attrs.frozen
class Set:
    key: int
    source: Source


@attrs.frozen
class SetIf:
    """``read``: over what this program has last read under the key (None: nothing)."""

    key: int
    source: Source
    predicate: Literal["read", "absent", "exists"] | bytes


@attrs.frozen
class Delete:
    key: int
    predicate: bytes | None = None


@attrs.frozen
class Scan:
    """``enough``: after so many entries the program looks at no more. ``start``: the first key that is asked for."""

    partition: bytes
    batch: int
    enough: int = 9
    start: bytes = b""


@attrs.frozen
class Missing:
    """A mistake of the caller's."""

    what: Literal["partition", "key"]


@attrs.frozen
class Put:
    """``match``: over what this program knows of the ETag; ``soon``: not after so many microseconds."""

    address: int
    source: Source
    condition: Literal["", "absent", "match"] = ""
    soon: int | None = None


@attrs.frozen
class Fetch:
    address: int


@attrs.frozen
class Head:
    """What is seen: ``field`` of the head."""

    address: int
    field: Literal["metageneration", "last_modified", "size_bytes", "metadata"]


@attrs.frozen
class Copy:
    """From one address to the other."""

    address: int
    metadata: bool = False
    match: bool = False
    soon: int | None = None
    destination: Literal["", "absent", "match"] = ""


@attrs.frozen
class Mark:
    """Write metadata, if they are as this program has seen them."""

    address: int
    source: Source
    condition: Literal["", "metageneration", "version"]


@attrs.frozen
class Unlink:
    """``match``: only what this program has seen there."""

    address: int
    match: bool = False


@attrs.frozen
class Pages:
    size: int
    prefix: str = "o/"


@attrs.frozen
class Clock:
    """What is seen: microseconds since the start of the scenario."""


@attrs.frozen
class Mint:
    """What is seen: a fresh identifier."""


@attrs.frozen
class Keep:
    """Keep one value if the last instruction saw something, another if not."""

    found: Hashable
    otherwise: Hashable


@attrs.frozen
class KeepLast:
    """Keep what was seen last."""


@attrs.frozen
class Raise:
    kind: Literal["definite", "indefinite", "own definite", "own indefinite", "value", "assert"]
    source: Source = Const(0)


Condition = Const | Literal["failed", "found", "nothing"]


@attrs.frozen
class When:
    """Run these only if the last instruction failed, saw something, saw nothing, or what is kept is this value."""

    condition: Condition
    then: "tuple[Instruction, ...]"
    otherwise: "tuple[Instruction, ...]" = ()


@attrs.frozen
class Retry:
    """Run these until they do not fail; at most so many times."""

    times: int
    body: "tuple[Instruction, ...]"


@attrs.frozen
class Finally:
    """Run these; delete the key in any case."""

    key: int
    body: "tuple[Instruction, ...]"


@attrs.frozen
class Branch:
    """What a task of a group does. ``apart``: with a memory of its own, and ending at its first error; ``guard``: a key
    that it sets at last, whatever happens, if it may."""

    body: "tuple[Instruction, ...]"
    apart: bool = False
    guard: int | None = None


@attrs.frozen
class Together:
    """A group: branches, and what the main task does meanwhile. ``cancel``: as of ``env.parallel``; ``late``: the
    first branch starts the last one. What is seen: what each branch has seen last. (The enumerator knows no groups.)"""

    branches: tuple[Branch, ...]
    body: "tuple[Instruction, ...]" = ()
    cancel: bool = True
    late: bool = False


@attrs.frozen
class Transact:
    """Check a key as `SetIf` does, and whether another one is there; write the first, and remove the other."""

    key: int
    source: Source
    predicate: Literal["read", "absent", "exists"]
    other: int
    there: bool


@attrs.frozen
class Own:
    """The same on the client's own store."""

    instruction: "Get | Set | SetIf | Delete | Scan | Transact"


Instruction = (
    Own | Transact | Get | Set | SetIf | Delete | Scan | Missing | Put | Fetch | Head | Copy | Mark | Unlink | Pages
    | Clock | Mint | Keep | KeepLast | Raise | When | Retry | Finally | Together
)  # fmt: skip


@attrs.frozen
class Program:
    """``stubborn`` programs take a store's error as an answer and go on; the others end with it."""

    instructions: tuple[Instruction, ...]
    returns: Source = Const(None)
    stubborn: bool = False
