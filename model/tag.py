"""The sequential specification of a tag: it is there or not, and names one of the targets that it was given.

Calls are those of `lakeproof.impl.refs.tags`, with repository and tag id first. A target is what the call named, not
the commit that this led to. Source: graveler-on-kv.md, "Tag".
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

ANSWERS: Final = ("TagExists", "TagNotFound")
"""Errors that are answers, by class name."""


def _apply(state: Hashable, name: str, args: tuple[Hashable, ...]) -> tuple[Hashable, Hashable]:
    there = state is not None
    match name:
        case "create_tag":
            return (state, "TagExists") if there else (args[2], "created")
        case "update_tag":
            return (args[2], "updated") if there else (state, "TagNotFound")
        case "delete_tag":
            return None, "deleted" if there else "TagNotFound"
        case "get_tag":
            return state, "there" if there else "TagNotFound"
        case _:
            raise ValueError(f"{name}: expected create_tag, update_tag, delete_tag or get_tag; leave it out")


_DONE: Final = {"create_tag": "created", "update_tag": "updated", "delete_tag": "deleted", "get_tag": "there"}


def _result(call: CallView) -> Hashable:
    return _DONE[call.name] if call.status is Status.OK else type(call.error).__name__


TAG: Final = Specification(
    name="a tag",
    initial=None,
    apply=_apply,
    result=_result,
    is_answer=lambda error: type(error).__name__ in ANSWERS,
)
"""`RefChanged` is no answer: it says that nothing happened."""
