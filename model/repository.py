"""The sequential specification of the life of one repository id: it is there, or it is not; and of the tags in it, and
of the branches that calls create.

Calls are those of `lakeproof.impl.repositories`. What else a repository contains is left out. A delete answers the same
whether it has found the repository or not: of two deletes at once both may answer that they did it. A create that is
refused says nothing of the id: between two states of a repository it may be taken, although no read shows it. A tag is
there or not; it goes with its repository. That a tag is absent and that its repository is count as one answer: a call
that read the entry before it was deleted finds the partition empty. Of branches only successes count: none is created
that is there.
Source: repository-operations-error-handling.md, "Decision"; graveler-on-kv.md, "Tag".
"""

from collections.abc import Hashable
from typing import Final

from lakeproof.model import calls
from lakeproof.model.calls import Role
from lakeproof.model.errors import (
    BranchExists,
    BranchNotFound,
    RepositoryDeleting,
    RepositoryNotFound,
    TagExists,
    TagNotFound,
    result_of,
)
from lakeproof.model.linearizable import Specification
from lakeproof.model.records import Repository
from lakeproof.model.snapshot import CallView, Status

ANSWERS: Final = (RepositoryNotFound, RepositoryDeleting, TagExists, TagNotFound)
"""Errors that are answers: the repository is not there; it is, and the tag is there, or is not. All others say that the
call did not take place."""
OF_TAGS: Final = frozenset({calls.CREATE_TAG, calls.GET_TAG, calls.UPDATE_TAG, calls.DELETE_TAG})

CREATES: Final = frozenset({calls.CREATE_REPOSITORY, calls.CREATE_BARE_REPOSITORY})
CREATED: Final = "created"
DELETED: Final = "deleted"
THERE: Final = "there"
ABSENT: Final = "absent"


def repository(repository_id: str = "r", *, exists: bool) -> Specification:
    """The specification of one id. exists: whether it is there, without tags, before anybody begins.

    A state is False: it is not there; True: it is, without tags; or its tags, and the branches created in it.
    """

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        arguments = calls.arguments_by_role(name, args)
        kind = arguments.kind
        if kind is not calls.LIST_REPOSITORIES and arguments[Role.REPOSITORY] != repository_id:
            return state, None  # other ids do not concern this object, and `result` gives None for them, too
        if kind is calls.CLEAN:
            return state, None
        if kind in CREATES:
            return (True, CREATED) if state is False else (state, ABSENT)  # no create that succeeds may find it there
        if kind is calls.DELETE_REPOSITORY:  # the same answer in both states, see above
            return False, DELETED
        # ``is not False``, since True and a set of names both say that it is there.
        if kind in OF_TAGS and state is not False:
            return _apply_entity(state, kind, arguments[Role.TAG])
        if kind in (calls.CREATE_BRANCH, calls.DELETE_BRANCH) and state is not False:
            return _apply_entity(state, kind, ("branch", arguments.branch_id))
        return state, ABSENT if state is False else THERE

    def result(call: CallView) -> Hashable:
        arguments = call.arguments
        kind = arguments.kind
        if kind is calls.CLEAN or (kind is not calls.LIST_REPOSITORIES and arguments[Role.REPOSITORY] != repository_id):
            return None
        if kind is calls.DELETE_REPOSITORY:
            return DELETED
        if isinstance(call.error, TagExists):
            return result_of(TagExists)
        if call.status is not Status.OK:  # of `ANSWERS` all that are left say absent: see above
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


def entity_branch(branch_id: str = "b", *, exists: bool) -> Specification:
    """The specification of one branch of a repository that stays, with the calls of
    `lakeproof.impl.repositories.entities`: a delete of an absent branch is no error."""

    def apply(state: Hashable, name: str, args: calls.Args) -> tuple[Hashable, Hashable]:
        arguments = calls.arguments_by_role(name, args)
        if arguments.branch_id != branch_id:
            return state, None
        if arguments.kind is calls.CREATE_BRANCH:
            return True, (result_of(BranchExists) if state is True else CREATED)
        if arguments.kind is calls.DELETE_BRANCH:
            return False, DELETED
        return state, THERE if state is True else result_of(BranchNotFound)

    def result(call: CallView) -> Hashable:
        if call.arguments.branch_id != branch_id:
            return None
        if call.status is not Status.OK:
            return result_of(type(call.error))
        return {calls.CREATE_BRANCH: CREATED, calls.DELETE_BRANCH: DELETED}.get(call.kind or calls.GET_BRANCH, THERE)

    return Specification(
        name=f"branch {branch_id}",
        initial=exists,
        apply=apply,
        result=result,
        is_answer=lambda error: isinstance(error, BranchExists | BranchNotFound),
    )


def _apply_entity(state: Hashable, kind: calls.Kind | None, name: Hashable) -> tuple[Hashable, Hashable]:
    """What becomes of the tags and branches of a repository that is there, and the answer."""
    names: frozenset[Hashable] = state if isinstance(state, frozenset) else frozenset()
    if kind in (calls.CREATE_TAG, calls.CREATE_BRANCH):
        taken = TagExists if kind is calls.CREATE_TAG else BranchExists
        return (state, taken) if name in names else (names | {name}, THERE)
    if kind is calls.DELETE_BRANCH:
        # A delete of an absent branch is acknowledged, too.
        return names - {name} or True, THERE
    if name not in names:
        return state, ABSENT
    # ``or True``: a repository without names has one form of state, so that equal states are equal.
    return (names - {name} or True if kind is calls.DELETE_TAG else state), THERE
