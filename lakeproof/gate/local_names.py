"""Names of requests and keys that are the same in all orders of a class.

The gate names what is minted by who names it first. Two clients read an object of the setup and write it back if it is
unchanged; its ETag is named by the one that is first to ask:

    c1 GET, c1 PUT if-match: <c1.1>, c2 GET, c2 PUT if-match: <c1.1>
    c2 GET, c2 PUT if-match: <c2.1>, c1 GET, c1 PUT if-match: <c2.1>

A search that compares requests of different orders needs names that do not depend on the other clients: here what is
minted is counted in each client's own requests, and is ``<1>`` in all four. Keys must have one name for all clients.
The client that has minted a part of a key is the first to ask for it, in every order; so ``<c1.3>`` in a key is
``<c1:2>`` if it is the second one of c1. Unless it has passed it on in a body, and another one asks first: ``<c2.1?>``.
"""

import re
from collections.abc import Iterable
from typing import Final

import attrs

from lakeproof.gate.classes import Name
from lakeproof.gate.fronts.footprints import Footprint

TOKEN: Final = re.compile(r"<(?!setup\.)([^<>.]+)\.[0-9]+\??>")
"""A name as `lakeproof.gate.names` gives it, in a key with the mark of `lakeproof.gate.server`; those of the setup are
the same in all runs."""


@attrs.define
class LocalNames:
    """Of one run, from its beginning."""

    _named: dict[Name, Name] = attrs.field(factory=dict)
    _in_labels: dict[str, dict[str, str]] = attrs.field(factory=dict)

    def of(self, waiting: Iterable[Name]) -> dict[Name, Name]:
        """The name in all orders, by the name in this run. To be called with all that waits, after each step."""
        found = list(waiting)
        # Tokens are numbered in this order, which must not depend on how the run has named them.
        for name in sorted((each for each in found if each not in self._named), key=_without_tokens):
            # Once, when it begins to wait: its name stays, whatever is numbered later.
            self._named[name] = name._replace(label=self._label(name))
        return {name: self._named[name] for name in found}

    def _label(self, name: Name) -> str:
        known = self._in_labels.setdefault(name.client, {})
        # The numbers count per client: what others have seen first does not shift them.
        return TOKEN.sub(lambda match: known.setdefault(match[0], f"<{len(known) + 1}>"), name.label)

    def touched(self, footprint: Footprint) -> Footprint:
        """What a request has touched, by the keys' names in all orders."""
        return tuple(attrs.evolve(each, key=TOKEN.sub(self._in_key, each.key)) for each in footprint)

    def _in_key(self, match: re.Match[str]) -> str:
        """What was passed on has one name for all, and what was never part of a label one for its owner: such keys seem
        to be equal, which is never wrong."""
        if match[0].endswith("?>"):
            return "<?>"
        owner = match[1]
        number = self._in_labels.get(owner, {}).get(match[0], "<?>").strip("<>")
        return f"<{owner}:{number}>"


def _without_tokens(name: Name) -> tuple[str, str, int, str]:
    return name.client, TOKEN.sub("<>", name.label), name.number, name.label
