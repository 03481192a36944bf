"""Calls of the API of lakeFS, and their answers.

A call is recorded with its arguments as the invariants know them: the repository first, then branch, path and value.
"""

import threading
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

import attrs

from lakeproof.live.recorder import NEVER as NEVER
from lakeproof.live.recorder import Call as Call
from lakeproof.live.recorder import event_line, events
from lakeproof.model.snapshot import Status

MERGES: Final = frozenset({"merge", "merge_pull"})
"""Calls that merge their third argument, a branch, into their second one."""
MAKERS: Final = MERGES | {"commit", "revert", "cherry_pick", "import"}
"""Calls that put a commit of their own on a branch. All but merges name it, by their last argument."""
KIND_OF: Final = {"erase_entry": "delete_entry", "cherry_pick": "merge", "hard_reset": "update_branch"}
"""Calls that the invariants know under another name: a delete without a tombstone; what may change all of a branch."""
NOT_FOUND: Final = 404


@attrs.frozen
class Answer:
    """What came of a call. code: the HTTP status, 0 if there was none. server: which of several answered."""

    status: Status
    code: int = 0
    value: Hashable = None
    words: str = ""
    server: str = ""


class _Last(threading.local):
    """The last answer to the calling thread. code: the HTTP status. server: which of several was called."""

    code: int = 0
    server: str = ""


LAST: Final = _Last()
"""A call and all its requests are in one thread. The client's methods do not return the status of a success."""


def kind_of(call: Call) -> str:
    """The name under which the invariants know a call."""
    return KIND_OF.get(call.name, call.name)


def lines(calls: Iterable[Call]) -> Iterator[str]:
    """The history as JSON Lines, two for each call; times in nanoseconds."""
    for call, ends in events(calls):
        more: dict[str, object] = {}
        if ends:
            # No status means that no answer came.
            more["http"] = call.code or None
            fields = {"value": call.value, "words": call.words or None, "server": call.server or None}
            more |= {name: each for name, each in fields.items() if each is not None}
        yield event_line(call, list(call.args), more, ends=ends)
