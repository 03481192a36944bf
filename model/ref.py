"""The sequential specification of a tag or a branch: it is there or not, and names one of the targets it was given.

Calls are those of `lakeproof.impl.refs`, with repository and name first. Source: graveler-on-kv.md, "Tag", "Branch".
"""

from collections.abc import Hashable, Mapping
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import BranchNotFound, TagExists, TagNotFound, result_of
from lakeproof.model.linearizable import Specification
from lakeproof.model.records import Branch, Tag
from lakeproof.model.snapshot import CallView, Status

_CREATED, _MOVED, _DELETED, _READ = "created", "moved", "deleted", "read"

# What a call does, and the error that is its answer where it cannot. A result is this word, the class of this error, or
# the commit that a read shows.
_STEPS: Final[Mapping[calls.Kind, tuple[str, Hashable]]] = {
    calls.CREATE_TAG: (_CREATED, TagExists),
    calls.UPDATE_TAG: (_MOVED, TagNotFound),
    calls.DELETE_TAG: (_DELETED, TagNotFound),
    calls.GET_TAG: (_READ, TagNotFound),
    calls.UPDATE_BRANCH: (_MOVED, BranchNotFound),
    calls.GET_BRANCH: (_READ, BranchNotFound),
}
ANSWERS: Final = (TagExists, TagNotFound, BranchNotFound)


def ref(heads: Mapping[str, str], initial: str | None = None) -> Specification:
    """Of a tag or branch that is given these targets only, each with the commit that it leads to throughout.

    initial: the commit that it names before anybody begins. `RefChanged` is no answer: it says that nothing happened.
    """

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        arguments = calls.arguments_by_role(name, args)
        does, refusal = _STEPS[calls.kind_named(name)]
        # A create is refused where the ref is there, any other call where it is not.
        if (does is _CREATED) is (state is not None):
            return state, refusal
        if does is _READ:
            return state, state
        # A move has no condition on the old target.
        return (None if does is _DELETED else heads[str(arguments[Role.TARGET])]), does

    return Specification(
        name="a ref", initial=initial, apply=apply, result=_result, is_answer=lambda error: isinstance(error, ANSWERS)
    )


def _result(call: CallView) -> Hashable:
    if call.status is not Status.OK:
        return result_of(type(call.error))
    does, _ = _STEPS[calls.kind_named(call.name)]
    return call.value.commit_id if does is _READ and isinstance(call.value, Tag | Branch) else does
