"""The sequential specification of the life of one repository id: it is there, or it is not.

Calls are those of `lakeproof.impl.repositories`. What a repository contains is left out. A delete answers the same
whether it has found the repository or not: of two deletes at once both may answer that they did it. A create that is
refused says nothing of the id: between two states of a repository it may be taken, although no read shows it.
Source: repository-operations-error-handling.md, "Decision".
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import RepositoryDeleting, RepositoryNotFound
from lakeproof.model.linearizable import Specification
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Status

ANSWERS: Final = (RepositoryNotFound, RepositoryDeleting)
"""Errors that are answers: the repository is not there. All others say that the call did not take place."""

CREATES: Final = frozenset({calls.CREATE_REPOSITORY, calls.CREATE_BARE_REPOSITORY})
CREATED: Final = "created"
DELETED: Final = "deleted"
THERE: Final = "there"
ABSENT: Final = "absent"


def repository(repository_id: str = "r", *, exists: bool) -> Specification:
    """The specification of one id. exists: whether it is there before anybody begins."""

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        said = calls.said(name, args)
        kind = said.kind
        if kind is not calls.LIST_REPOSITORIES and said[Role.REPOSITORY] != repository_id:
            return state, None
        if kind is calls.CLEAN:
            return state, None
        if kind in CREATES:
            return (True, ABSENT) if state is True else (True, CREATED)  # no create that succeeds may find it there
        if kind is calls.DELETE_REPOSITORY:
            return False, DELETED
        return state, THERE if state is True else ABSENT

    def result(call: CallView) -> Hashable:
        said = call.said
        kind = said.kind
        if kind is calls.CLEAN or (kind is not calls.LIST_REPOSITORIES and said[Role.REPOSITORY] != repository_id):
            return None
        if kind is calls.DELETE_REPOSITORY:
            return DELETED
        if call.status is not Status.OK:
            return ABSENT
        if kind in CREATES:
            return CREATED
        if kind is not calls.LIST_REPOSITORIES:
            return THERE
        assert isinstance(call.value, tuple)
        shown = {entry.repository_id for entry in call.value if isinstance(entry, Repository)}
        return THERE if repository_id in shown else ABSENT

    return Specification(
        name=f"repository {repository_id}",
        initial=exists,
        apply=apply,
        result=result,
        is_answer=lambda error: isinstance(error, ANSWERS),
    )
