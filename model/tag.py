"""The sequential specification of a tag: it is there or not, and names one of the targets that it was given.

Calls are those of `lakeproof.impl.refs.tags`, with repository and tag id first. A target is what the call named, not
the commit that this led to. Source: graveler-on-kv.md, "Tag".
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import TagExists, TagNotFound, result_of
from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

ANSWERS: Final = (TagExists, TagNotFound)
"""Errors that are answers. A result is the class of one of them, or a word for what was done."""

_DONE: Final = {
    calls.CREATE_TAG: "created",
    calls.UPDATE_TAG: "updated",
    calls.DELETE_TAG: "deleted",
    calls.GET_TAG: "there",
}


def _apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
    arguments = calls.arguments_by_role(name, args)
    if arguments.kind not in _DONE:
        raise ValueError(f"{name}: expected create_tag, update_tag, delete_tag or get_tag; leave it out")
    # A create is refused where the tag is there, any other call where it is not.
    creates = arguments.kind is calls.CREATE_TAG
    if creates is (state is not None):
        return state, TagExists if creates else TagNotFound
    done = _DONE[arguments.kind]
    if arguments.kind is calls.DELETE_TAG:
        return None, done
    # An update has no condition on the old target.
    return (state if arguments.kind is calls.GET_TAG else arguments[Role.TARGET]), done


def _result(call: CallView) -> Hashable:
    return _DONE[calls.kind_named(call.name)] if call.status is Status.OK else result_of(type(call.error))


TAG: Final = Specification(
    name="a tag",
    initial=None,
    apply=_apply,
    result=_result,
    is_answer=lambda error: isinstance(error, ANSWERS),
)
"""`RefChanged` is no answer: it says that nothing happened."""
