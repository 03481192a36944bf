"""Fresh identifiers as names: what tells a state from another one is which of them are equal, not how they are spelled.

In a loop, each round takes new identifiers, and no state comes again. Where nothing refers to those of earlier rounds
any more, two states differ by a renaming only, and have the same future. That is sound for *opaque* identifiers: a flow
stores, sends, returns them and compares them for equality; it does not slice, hash or sort them. So

- identifiers are *tokens* of one length, found in all strings and bytes: also within longer ones;
- each history that holds any is run twice more, with other spellings: one is above the first in the order of strings,
  and reverses the order of tokens; one is below it. The effects, the results and the exact states must be those of the
  first run, respelled. Invariants must judge respelled states alike;
- what is not becomes `NotOpaque`, and the search goes on without renaming.

Example: the value that a lock holds names its owner.

>>> LOW.value(b"owned by zqa000, not by zqx001")
b'owned by 00a333, not by 00x330'
>>> renaming(names_in(b"zqa000 zqx007 zqa000")).value((b"zqx007", 1))
(b'zqx001', 1)
"""

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import Enum
from typing import Final, cast

import attrs

from lakeproof.model.identity import Exact, identity
from lakeproof.search.program import LABELS, Mint

# LABELS ends with "r", so neither letter is that of a client.
_KEPT, _FORGOTTEN = "x", "y"
"""In the place of the label: a name that is referred to; one that a history has forgotten."""
# Three digits: all tokens have one length, so that a renaming changes no length and no offset in a text.
_MOST: Final = 1000
_TOKEN: Final = re.compile(rf"zq[{LABELS}{_KEPT}{_FORGOTTEN}]\d\d\d")
# A token has its only "z" at its beginning, and ends with digits.
"""No two of them overlap, however they are put together."""
_TOKEN_BYTES: Final = re.compile(_TOKEN.pattern.encode())
# The label of a client, the tasks by path, the number: "a1", or "a2t1". Not within a word, as in "ba1".
_PLAIN: Final = re.compile(rf"(?<![A-Za-z0-9])[{LABELS}][1-9]\d*(?:t[1-9]\d*)*(?![A-Za-z0-9])")
"""What may be an identifier as `Mint` spells it."""
_ATOMS: Final = (int, float, complex, type(None), Enum, type)


class NotOpaque(Exception):
    """What a flow or an invariant does depends on how identifiers are spelled; or that cannot be found out."""


def _name(kind: str, number: int) -> str:
    if number >= _MOST:
        raise NotOpaque(f"more than {_MOST} identifiers are referred to at once")
    return f"zq{kind}{number:03}"


@attrs.frozen
class Spelling:
    """Spells identifiers in another way."""

    spell: Callable[[str], str]

    def key(self, key: Hashable) -> Hashable:
        """A key as `identity` makes it."""
        if type(key) is str:
            return _TOKEN.sub(lambda found: self.spell(found[0]), key)
        if type(key) is bytes:
            return _TOKEN_BYTES.sub(lambda found: self.spell(found[0].decode()).encode(), key)
        if type(key) is tuple:
            return tuple([self.key(part) for part in key])
        if type(key) is frozenset:
            return frozenset([self.key(part) for part in key])
        # An Exact is compared by the identity of its value; that key can be respelled, the value inside need not be.
        return self.key(identity(key.value)) if type(key) is Exact else key

    def value(self, value: object) -> object:
        """A value: a reply, an effect, what a call returns.

        Raises:
            NotOpaque: it holds identifiers in what cannot be made anew.
        """
        kind = type(value)
        if kind in (str, bytes):
            return self.key(value)
        # A value without identifiers stays the same object, also where it could not be made anew.
        if isinstance(value, _ATOMS) or not names_in(identity(value)):
            return value
        if kind in (tuple, list, frozenset, set):
            return kind([self.value(part) for part in cast("Iterable[object]", value)])
        if kind is dict:
            items = cast("dict[object, object]", value).items()
            return {self.value(key): self.value(value) for key, value in items}
        if isinstance(value, BaseException):
            # As pickle makes exceptions anew; the comparison below finds out where ``__init__`` takes other arguments.
            made: object = kind(*[self.value(part) for part in value.args])
        elif attrs.has(kind):
            # ``alias``, not ``name``: attrs strips the underscore of a private field from the parameter.
            fields = [field for field in attrs.fields(kind) if field.init]
            made = kind(**{field.alias: self.value(getattr(value, field.name)) for field in fields})
        else:
            made = value
        if identity(made) != self.key(identity(value)):
            raise NotOpaque(f"a {kind.__qualname__} holds identifiers, and cannot be made anew with others")
        return made


def _reverse_order(name: str) -> str:
    # 219 is ord("a") + ord("z"): a letter becomes its mirror image, and 0 to 9 become z to q. "zz" is above every "zq".
    return "zz" + "".join(chr(ord("z") - int(char)) if char.isdigit() else chr(219 - ord(char)) for char in name[2:])


def _mix_order(name: str) -> str:
    # 7 and 10 have no common factor, so this permutes the digits; "00" is below every "zq".
    return "00" + "".join(str((7 * int(char) + 3) % 10) if char.isdigit() else char for char in name[2:])


HIGH: Final = Spelling(_reverse_order)
LOW: Final = Spelling(_mix_order)
OTHERS: Final = (HIGH, LOW)
READABLE: Final = Spelling(lambda name: f"id-{int(name[3:])}")
AS_GIVEN: Final = Spelling(str)


def names_in(key: Hashable) -> list[str]:
    """The identifiers in a key as `identity` makes it, by first reference."""
    found: dict[str, None] = {}
    _collect(key, found)
    return list(found)


def _collect(key: Hashable, found: dict[str, None]) -> None:
    if type(key) is str:
        # A dictionary in place of a set: its order is that of the first references.
        found.update(dict.fromkeys(_TOKEN.findall(key)))
    elif type(key) is bytes:
        found.update(dict.fromkeys(name.decode() for name in _TOKEN_BYTES.findall(key)))
    elif type(key) is tuple:
        for part in key:
            _collect(part, found)
    elif type(key) is frozenset:
        within: dict[str, None] = {}
        for part in key:
            _collect(part, within)
        # A set has no first reference; in the order of their names, equal sets still give one order.
        found.update(dict.fromkeys(sorted(within)))
    elif type(key) is Exact:
        _collect(identity(key.value), found)


def renaming(names: Sequence[str]) -> Spelling:
    """Numbers names in this order; others stay as they are."""
    mapping = {name: _name(_KEPT, number) for number, name in enumerate(names)}
    return Spelling(lambda name: mapping.get(name, name))


def forgetting(spelling: Spelling, live: Iterable[str], names: Sequence[str]) -> Spelling:
    """Spells the ``live`` ones of these names in this way; all others get names of their own."""
    kept = {*live}
    mapping = {name: spelling.spell(name) for name in names if name in kept}
    others = [name for name in names if name not in kept]
    # Their own letter: a forgotten name must not coincide with one that `renaming` gives to a name that is referred to.
    mapping |= {name: _name(_FORGOTTEN, number) for number, name in enumerate(others)}
    return Spelling(lambda name: mapping[name])


class FreshMint(Mint):
    """Gives the names of a history again, and new ones from there on, which nothing refers to yet."""

    def __init__(self, label: str, given: Sequence[str], spelling: Spelling = AS_GIVEN) -> None:
        super().__init__(label)
        self._given = given
        self._spelling = spelling

    @property
    def token(self) -> Hashable:
        """How many there were decides nothing."""
        return (type(self), self.label, self.task)

    def __call__(self, kind: str) -> str:
        # The history's names come first, as in its first run; the label marks those that are new in this step.
        at, known = len(self.names), len(self._given)
        self.names.append(self._given[at] if at < known else _name(self.label, at - known))
        return self._spelling.spell(self.names[at])


def without_names(key: Hashable) -> Hashable:
    """A key in which identifiers are numbered by first reference, as far as `Mint` spells them like nothing else."""
    numbers: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return numbers.setdefault(found[0], f"<{len(numbers)}>")

    def walk(part: Hashable) -> Hashable:
        if type(part) is str:
            return _PLAIN.sub(number, part)
        if type(part) is bytes:
            # latin-1 maps each byte to one character: no bytes are refused, and no two texts coincide.
            return _PLAIN.sub(number, part.decode("latin-1"))
        if type(part) is tuple:
            # A mint's token counts identifiers: it differs in each round of a loop that takes any.
            return tuple([walk(each) for each in part if not Mint.is_token(each)])
        return part

    return walk(key)


def is_spelled(text: str, labels: str) -> bool:
    """Whether this holds what `Mint` may give to a client with one of these labels."""
    return any(found[0] in labels for found in _PLAIN.findall(text))


class Pairing:
    """A one-to-one relation of identifiers that differ, made up as values of two rounds of a loop are compared."""

    def __init__(self, names: Iterable[str]) -> None:
        # An alternation takes the first that matches: "a1" before "a11" would leave a "1".
        longest_first = sorted({*names}, key=len, reverse=True)
        # No names: a pattern that matches nothing.
        self._name = re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def alike(self, one: Hashable, other: Hashable) -> bool:
        """Whether two keys are the same, up to this relation."""
        if type(one) is not type(other):
            return False
        if type(one) is str and type(other) is str:
            return self._texts(one, other)
        if type(one) is bytes and type(other) is bytes:
            return self._texts(one.decode("latin-1"), other.decode("latin-1"))
        if type(one) is tuple and type(other) is tuple:
            return len(one) == len(other) and all(map(self.alike, one, other))
        return one == other

    def _texts(self, one: str, other: str) -> bool:
        if one == other:
            return True
        pairs = zip(self._name.findall(one), self._name.findall(other), strict=False)
        # What is the same in both may be something else that looks like a name, as a part of a digest.
        same = all(a == b or (self._there.setdefault(a, b) == b and self._back.setdefault(b, a) == a) for a, b in pairs)
        # What lies between the names must be equal, and there must be as many of them: `zip` stops at the shorter list.
        return same and self._name.split(one) == self._name.split(other)
