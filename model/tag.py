"""The sequential specification of a tag: it is there or not, and names one of the targets that it was given.

Calls are those of `lakeproof.impl.refs.tags`, with repository and tag id first. Source: graveler-on-kv.md, "Tag".
"""

from collections.abc import Hashable, Mapping
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import TagExists, TagNotFound, result_of
from lakeproof.model.linearizable import Specification
from lakeproof.model.records import Tag
from lakeproof.model.snapshot import CallView, Status

ANSWERS: Final = (TagExists, TagNotFound)
"""Errors that are answers. A result is the class of one of them, a word for what was done, or what a read shows."""

_DONE: Final = {calls.CREATE_TAG: "created", calls.UPDATE_TAG: "updated", calls.DELETE_TAG: "deleted"}


def tag(heads: Mapping[str, str]) -> Specification:
    """Of a tag that is given these targets only, each with the commit that it leads to throughout.

    `RefChanged` is no answer: it says that nothing happened.
    """

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        arguments = calls.arguments_by_role(name, args)
        kind = arguments.kind
        if kind not in _DONE and kind is not calls.GET_TAG:
            raise ValueError(f"{name}: expected create_tag, update_tag, delete_tag or get_tag; leave it out")
        # A create is refused where the tag is there, any other call where it is not.
        creates = kind is calls.CREATE_TAG
        if creates is (state is not None):
            return state, TagExists if creates else TagNotFound
        if kind is calls.GET_TAG:
            return state, state
        # An update has no condition on the old target.
        return (None if kind is calls.DELETE_TAG else heads[str(arguments[Role.TARGET])]), _DONE[kind]

    return Specification(
        name="a tag", initial=None, apply=apply, result=_result, is_answer=lambda error: isinstance(error, ANSWERS)
    )


def _result(call: CallView) -> Hashable:
    if call.status is not Status.OK:
        return result_of(type(call.error))
    if isinstance(call.value, Tag) and calls.kind_named(call.name) is calls.GET_TAG:
        return call.value.commit_id
    return _DONE[calls.kind_named(call.name)]
