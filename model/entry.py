"""The sequential specification of one entry of a branch: a register that commits leave alone.

Calls are those of `lakeproof.impl.graveler`, with repository, branch and path first; all of one path. Source:
graveler-on-kv.md, "Staged Object".
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import PathNotFound
from lakeproof.model.linearizable import Specification
from lakeproof.model.snapshot import CallView, Status

DONE: Final = "done"


def _apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
    arguments = calls.arguments_by_role(name, args)
    match arguments.kind:
        case calls.SET_ENTRY:
            return arguments[Role.VALUE], DONE
        case calls.DELETE_ENTRY:
            return None, DONE
        case calls.GET_ENTRY:
            return state, state
        case calls.COMMIT:
            return state, DONE
        case _:
            raise ValueError(f"{name}: expected set_entry, delete_entry, get_entry or commit; leave it out")


def _result(call: CallView) -> Hashable:
    if call.kind is not calls.GET_ENTRY:
        return DONE
    return getattr(call.value, "identity", None) if call.status is Status.OK else None


ENTRY: Final = Specification(
    name="an entry",
    initial=None,
    apply=_apply,
    result=_result,
    is_answer=lambda error: isinstance(error, PathNotFound),
)
"""``PathNotFound`` is an answer: there is no entry. All other errors say that the call did not take place."""
