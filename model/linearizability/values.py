"""Values as recorders write them, made comparable: what was written apart stays apart."""

from collections.abc import Callable, Hashable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum
from typing import Final

import attrs


@attrs.frozen(cache_hash=True)
class Atom:
    """A value that Python would take for another one (``True == 1 == 1.0``), or that has no type of ours."""

    kind: str
    text: Hashable

    def __str__(self) -> str:
        return str(self.text)


class ResultMark(Enum):
    """What stands in the place of a result."""

    UNKNOWN = "unknown"
    """None was recorded: it contradicts nothing."""
    REFUSED = "refused"
    """Its predicate was false."""

    def __repr__(self) -> str:
        return self.name


UNKNOWN: Final = ResultMark.UNKNOWN
REFUSED: Final = ResultMark.REFUSED
NOTHING: Final = None
"""What a key holds that was never written, or deleted since."""

PLAIN: Final = frozenset({int, str, bytes, type(None), Atom, ResultMark})

_NAME_MAX: Final = 40
DEPTH_MAX: Final = 100
"""How deep a value may be nested."""


def freeze(value: object, depth: int = 0) -> Hashable:
    """The value, hashable, and equal only to what was written alike: 1, 1.0 and true are three values.

    Sequences become tuples, whatever their type. Raises TypeError for what is no data, or nested deeper than DEPTH_MAX.
    Cost: linear in its size.
    """
    if type(value) in PLAIN:
        assert isinstance(value, Hashable)
        return value
    if isinstance(value, bool):  # before numbers: a bool is an int
        return Atom("boolean", "true" if value else "false")
    if isinstance(value, float):
        return Atom("float", repr(value))  # by repr, so that nan equals itself, and 0.0 is not -0.0
    depth += 1
    if depth > DEPTH_MAX:
        raise TypeError(f"nested more than {DEPTH_MAX} deep; expected plain data")
    if isinstance(value, list | tuple):
        return tuple([freeze(one, depth) for one in value])
    if isinstance(value, Mapping):
        # A frozenset: the order in which a recorder wrote the pairs does not count.
        return Atom("map", frozenset((freeze(key, depth), freeze(part, depth)) for key, part in value.items()))
    if isinstance(value, AbstractSet):
        return Atom("set", frozenset(freeze(one, depth) for one in value))
    raise TypeError(f"{value!r}: expected text, bytes, a number, a boolean, null, a list or a map")


def render_value(value: object, text: Callable[[object], str] = repr) -> str:
    """A value as a recorder writes it, frozen or not, on one line: ``nil``, ``[1 "a"]``, ``{k: v}``, ``#{1 2}``."""
    match value:
        case None:
            return "nil"
        case bool():
            return "true" if value else "false"
        case str() | bytes():
            return text(value)
        case ResultMark.UNKNOWN:
            return "something else"
        case Atom("map", frozenset() as pairs):
            return f"{{{', '.join(sorted(_render_pair(key, part, text) for key, part in pairs))}}}"
        case Mapping():
            return f"{{{', '.join(_render_pair(key, part, text) for key, part in value.items())}}}"
        case Atom("set", frozenset() as part) | (frozenset() as part):
            return f"#{{{' '.join(sorted(render_value(one, text) for one in part))}}}"
        case list() | tuple():
            return f"[{' '.join(render_value(one, text) for one in value)}]"
        case _:
            return str(value)


def _render_pair(key: object, part: object, text: Callable[[object], str]) -> str:
    name = render_value(key, text)
    # An EDN keyword has its colon in front.
    return f"{name}{'' if name.startswith(':') else ':'} {render_value(part, text)}"


def shorten_value(value: object, most: int = 60) -> str:
    """A piece of a history for a message: one line, and not too long."""
    shown = render_value(value)
    return shown if len(shown) <= most else f"{shown[:most]}..."


def render_name(f: str) -> str:
    """An operation's name for a message: as it is, if it is a plain one."""
    return f if f.isidentifier() and len(f) <= _NAME_MAX else shorten_value(f)


def size(value: Hashable) -> int:
    """The bytes that a frozen value takes, about."""
    if isinstance(value, str | bytes):
        return 60 + len(value)
    if isinstance(value, tuple | frozenset):
        return 60 + sum(8 + size(one) for one in value)
    return 60 + size(value.text) if isinstance(value, Atom) else 30
