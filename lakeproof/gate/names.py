"""Stable names for what a program mints: UUIDs, hashes, times. So two runs can be compared, and a trace be read."""

import re
from collections import Counter
from typing import Final

import attrs

_BEGINS: Final = r"(?:(?<![0-9a-zA-Z%])|(?<=%[0-9A-F]{2}))"
"""Where a minted name may begin: not within an escape, such as the %2F that a / is in DynamoDB's keys."""
SLASH: Final = "(?:/|%2F)"
MINTED: Final = re.compile(
    # A hash in the folder of its first digits, with these digits (restic) or without them (git, DVC).
    rf"{_BEGINS}([0-9a-f]{{2,4}}){SLASH}(?=\1)[0-9a-f]{{24,64}}(?![0-9a-zA-Z])"
    rf"|{_BEGINS}[0-9a-f]{{2}}{SLASH}(?:[0-9a-f]{{30}}|[0-9a-f]{{38}}|[0-9a-f]{{62}})(?![0-9a-zA-Z])|"
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"  # a UUID
    rf"|{_BEGINS}[0-9a-f]{{24,64}}(?![0-9a-zA-Z])"  # a hash
    rf"|{_BEGINS}(?=[a-z]*[0-9])(?=[0-9]*[a-z])[0-9a-v]{{20}}(?![0-9a-zA-Z])"  # an xid
    rf"|{_BEGINS}(?=[0-9]*[a-z])(?-i:[0-9A-HJKMNP-TV-Z]{{20}}(?:[0-9A-HJKMNP-TV-Z]{{6}})?)(?![0-9a-zA-Z])"  # a ULID
    r"|(?<![0-9])1[5-9][0-9]{11,17}(?![0-9])",  # a time since 1970, in milliseconds or finer
    re.IGNORECASE,
)
"""What looks minted. Zeros in front are a counter's (``00000000000000000001``), and stay."""
NAME: Final = re.compile(r"<[^<>]*>")
"""A name of what is minted, in a text."""
_PART: Final = re.compile(
    # A UUID, or a time, may also come right after a letter.
    rf"(?:(?:{_BEGINS}[0-9a-f]{{2}}{SLASH})?{NAME.pattern}"
    rf"|{_BEGINS}(?:[0-9a-f]{{2,4}}{SLASH}[0-9a-f]*|[0-9a-f-]+)|(?<![0-9a-f%])[0-9a-f][0-9a-f-]*)\Z",
    re.IGNORECASE,
)
"""The end of a prefix that may be the beginning of a hash, UUID or time."""


def blank_minted(text: str) -> str:
    """A text without what is minted: equal for the same request of two runs, whatever they mint."""
    return MINTED.sub(lambda match: match[0] if _counts(match[0]) else "<>", text)


def beginning_of_names(prefix: str) -> str:
    """With what the stable names of keys begin that a listing by this prefix may find: ``data/<`` for ``data/6``, since
    a hash in ``data/`` may begin so in one run, and in another one not; ``data/`` for ``data/<c1.2>``, which may be
    a part of any key there. The prefix itself if no hash, UUID or time can go on from it."""
    return _PART.sub(lambda match: "" if match[0].endswith(">") else "<", prefix)


def _counts(found: str) -> bool:
    return found.isdecimal() and found.startswith("0")


@attrs.define(eq=False)
class Names:
    """Names by order of first appearance, counted for each client: what a client mints is first seen in a request of
    its own, and so has the same name in every schedule in which the client does the same."""

    given: dict[str, str] = attrs.field(factory=dict)
    """The names, by what they name, in the order in which they were given."""
    _counted: Counter[str] = attrs.field(factory=Counter)

    def copy(self) -> "Names":
        """Names that go on from these, which stay as they are."""
        return Names(dict(self.given), Counter(self._counted))

    def renamed(self, text: str, client: str) -> str:
        """A text of a client's with all that looks minted by its name, such as ``<w1.2>``."""

        def name(match: re.Match[str]) -> str:
            found = match[0]
            if _counts(found):
                return found
            if found not in self.given:
                self._counted[client] += 1
                self.given[found] = f"<{client}.{self._counted[client]}>"
            return self.given[found]

        return MINTED.sub(name, text)
