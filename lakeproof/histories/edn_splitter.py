"""The maps of an EDN file, or the objects of a JSON file, one after the other, without reading what is in them."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

import attrs

from lakeproof.histories.errors import Unreadable, shorten_value

FORM_MAX: Final = 1 << 24
"""Characters of one map."""

DEPTH_MAX: Final = 400
"""How deep a map may be nested, unread parts included."""

# A backslash takes what follows along: `\"` within a text and `\{` outside of one are no marks.
_MARK: Final = re.compile(r"""\\[\s\S]?|["\[\](){};]""")
_TAG: Final = re.compile(r"#[A-Za-z][\w.*+!?$%&=<>/-]*")
_CLOSES: Final = {"]": "[", ")": "(", "}": "{"}


@attrs.frozen
class Form:
    """A map as it was written, comments left out, and the line on which it begins."""

    line: int
    text: str


def forms(lines: Iterable[tuple[int, str]], *, json: bool = False) -> Iterator[Form]:
    """All maps of a file: bare, or in one vector or list. A tag before a map (a record's type) is left out.
    json: objects, bare or in one array with a comma between two; tags and comments are none.

    Raises Unreadable for anything else at the top, and for what does not close.
    """
    splitter = _Splitter(json=json)
    for number, line in lines:
        yield from splitter.split(number, line)
    splitter.end()


class _Splitter:
    """Where in the file we are: between the maps, or how deep in one, and in a text or not."""

    def __init__(self, *, json: bool) -> None:
        self.json = json
        self.blanks, self.opening = (" \t\r\n", "[") if json else (" ,\t\r\n\f", "[(")
        self.expected = 'an object such as {"process": 0, ...}' if json else "a map such as {:process 0, ...}"
        self.around = ""
        """The bracket around all maps."""
        self.begun = self.ended = False
        self.between = ""
        self.nested: list[str] = []
        self.pieces: list[str] = []
        self.in_text = False
        self.line = self.size = 0

    def split(self, number: int, line: str) -> Iterator[Form]:
        """The maps that end on a line."""
        at = 0
        for match in _MARK.finditer(line):
            mark, start, end = match[0], match.start(), match.end()
            if self.in_text:  # only a quote without a backslash ends it
                self.in_text = mark != '"'
            elif mark == ";" and not self.json:
                # A comment reaches to the line end, which stays: it keeps apart what stands before and behind.
                self._take(line[at:start] + "\n", number)
                return
            elif not self.nested and mark != "{":  # between maps
                self._take(line[at:start], number)
                self._around(mark, number)
                at = end
            elif mark == '"':
                self.in_text = True
            elif mark in "[({":
                if not self.nested:
                    self._take(line[at:start], number)
                    self._begin(number)
                    at = start  # the map begins with its bracket
                self.nested.append(mark)
                if len(self.nested) > DEPTH_MAX:
                    raise Unreadable(f"nested more than {DEPTH_MAX} deep; expected one event", self.line)
            elif mark in "])}":
                if self.nested.pop() != _CLOSES[mark]:  # never empty: brackets between maps go to `_around`
                    raise Unreadable(f"{mark!r} closes what it did not open; expected whole maps", number)
                if not self.nested:
                    self._take(line[at:end], number, inside=True)
                    at = end
                    yield Form(self.line, "".join(self.pieces))
                    self.pieces, self.size = [], 0  # the next map may begin on this line
        self._take(line[at:], number)

    def end(self) -> None:
        """Raises Unreadable if the file may not end here."""
        if self.nested:
            raise Unreadable("the map that begins here does not end; expected it closed", self.line)
        if self.around and not self.ended:
            raise Unreadable(f"the file ends inside of {self.around!r}; expected it closed")
        if self.between:  # a tag without its map
            raise Unreadable(f"the file ends with {shorten_value(self.between)}; expected a map after it")

    def _take(self, piece: str, number: int, *, inside: bool = False) -> None:
        if self.nested or inside:
            self.pieces.append(piece)
            self.size += len(piece)
            if self.size > FORM_MAX:
                raise Unreadable(f"a map of more than {FORM_MAX:,} characters; expected one event", self.line)
            return
        self.between = f"{self.between}{piece}".strip(self.blanks)
        # A tag and its map may stand on different lines, so all of what came before the map is matched.
        fits = self._is_comma_due() if self.between == "," else not self.json and _TAG.fullmatch(self.between)
        if self.between and not fits:
            raise Unreadable(f"{shorten_value(self.between)}; expected an event, {self.expected}", number)

    def _is_comma_due(self) -> bool:
        """Whether a comma must stand before the next object; in EDN it is a blank."""
        return self.json and self.around != "" and self.begun and not self.ended

    def _around(self, mark: str, number: int) -> None:
        """A bracket between maps: the one around all of them."""
        # One bracket may be around all maps: it stands before the first.
        if mark in self.opening and not self.around and not self.between and not self.begun:
            self.around = mark
        elif self.around and not self.ended and _CLOSES.get(mark) == self.around and not self.between:
            self.ended = True
        else:
            raise Unreadable(f"{mark!r} between events; expected {self.expected}", number)

    def _begin(self, number: int) -> None:
        if self.ended:
            raise Unreadable("an event after the end of the vector; expected nothing more", number)
        if self._is_comma_due() and not self.between:
            raise Unreadable("no comma between two events; expected one", number)
        self.line, self.between, self.begun = number, "", True
