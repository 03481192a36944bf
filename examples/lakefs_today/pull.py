"""A pull request: a small record beside the branches, and its sequential specification.

Calls are those of `lakefs_today.pulls`, with repository and pull request first. It is merged only while it
is open, and once; a title and a closing leave the rest alone. That a merge is under way (``MERGING``, of a repair) is
not seen: it takes effect when the record says so, or never. Source: lakeFS pkg/graveler, ``PullRequest``.
"""

import json
from collections.abc import Hashable
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.linearizable import Specification, linearizable
from lakeproof.model.snapshot import CallView

OPEN: Final = "open"
CLOSED: Final = "closed"
MERGED: Final = "merged"
MERGING: Final = "merging"
PULLS: Final = b"pulls/"
"""What the keys of pull requests begin with, in the partition of their repository."""
TITLE: Final = "opened"
"""The title with which each race begins."""


@attrs.frozen(cache_hash=True)
class Pull:
    """What the record says. commit: the id of the commit of its merge; empty: it has none. While it is being merged: a
    name for that merge."""

    title: str
    source: str
    destination: str
    status: str = OPEN
    commit: str = ""

    def encode(self) -> bytes:
        return json.dumps(attrs.astuple(self)).encode()

    @classmethod
    def decode(cls, value: bytes) -> "Pull":
        return cls(*json.loads(value))


def _apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
    """State: title, status, and whether it has the commit of a merge."""
    assert isinstance(state, tuple)
    title, status, merged = state
    arguments = calls.arguments_by_role(name, args)
    if arguments.kind is calls.GET_PULL:
        return state, state
    if arguments.kind is calls.EDIT_PULL:
        return (arguments[Role.TITLE], status, merged), None
    if arguments.kind is calls.CLOSE_PULL:
        return (title, CLOSED, merged), None
    if name == "create_pull":
        return state, "refused"  # its id is taken
    if arguments.kind is not calls.MERGE_PULL:
        raise ValueError(f"{name}: expected create_pull, edit_pull, close_pull, merge_pull or get_pull; leave it out")
    return ((title, MERGED, True), MERGED) if status == OPEN else (state, "refused")


def _result(call: CallView) -> Hashable:
    if isinstance(call.value, Pull):
        pull = call.value
        return (pull.title, OPEN, False) if pull.status == MERGING else (pull.title, pull.status, bool(pull.commit))
    return MERGED if call.kind is calls.MERGE_PULL else None


PULL: Final = Specification(name="a pull request", initial=(TITLE, OPEN, False), apply=_apply, result=_result)
"""No error is an answer: what is refused has not happened."""
pull_request_is_linearizable: Final = linearizable(PULL, invariant_id="pull-request-is-linearizable")
