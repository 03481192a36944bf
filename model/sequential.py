"""The sequential specification of a repository's branches and commits: what each operation answers to a single client.

It judges answers instead of predicting them, because flows choose the ids of commits and branches: from a state and an
answer it makes the next state, or an error. An identity stands for its data.

Example: a commit with any id is right, if its parent is the head; from then on its id names what was staged.

>>> def answered(name, *args, value=None, error=None):
...     status = Status.OK if error is None else Status.FAIL
...     return CallView(name=name, args=("r", "main", *args), status=status, value=value, error=error)
>>> refusals = Refusals(ref_not_found=FlowError, dirty_branch=FlowError, no_parent=FlowError, conflicts=FlowError)
>>> state = after(Refs.founded("c1", "main", refusals=refusals, data={}), answered("set_entry", b"x", b"1"), {})
>>> made = {"creation_date": 0, "meta_range_id": "", "committer": COMMITTER, "message": "m", "generation": 2}
>>> state = after(state, answered("commit", "m", value=Commit(commit_id="c2", parents=("c1",), **made)), {})
>>> state.branches["main"], state.contents("c2")
(Head(commit_id='c2', staged=frozenset(), clean=True), {b'x': b'1'})
>>> try: after(state, answered("get_entry", b"x", error=FlowError(b"x")), {})
... except Misanswered as error: print(error)
expected Entry(path=b'x', identity=b'1', data=b'')

Source: graveler-on-kv.md, "Entities" and "Update Commits, staging and lock-free"; the operations of lakeFS'
``pkg/graveler``.
"""

from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import Final

import attrs

from lakeproof.model import calls
from lakeproof.model.branch import BranchState, Identified, apply_call
from lakeproof.model.calls import Kind, Role
from lakeproof.model.committed import Entry
from lakeproof.model.contents import Contents, merge_paths
from lakeproof.model.errors import BranchExists, BranchNotFound, FlowError
from lakeproof.model.records import Branch, Commit
from lakeproof.model.snapshot import CallView, Status
from lakeproof.model.solo import Misanswered

COMMITTER: Final = "lakeproof"


Pairs = frozenset[tuple[bytes, bytes]]
"""(path, identity), one of a path."""


@attrs.frozen(kw_only=True, cache_hash=True)
class Head:
    """A branch: its commit and its changes. clean: all changes ever made were committed or reset with the branch."""

    commit_id: str
    staged: frozenset[tuple[bytes, bytes | None]] = frozenset()
    clean: bool = True


@attrs.frozen(kw_only=True, cache_hash=True)
class Node:
    """A commit."""

    contents: Pairs = frozenset()
    parents: tuple[str, ...] = ()
    generation: int = 1


@attrs.frozen(kw_only=True)
class Refusals:
    """The classes of the flows' own errors."""

    ref_not_found: type[FlowError]
    dirty_branch: type[FlowError]
    no_parent: type[FlowError]
    conflicts: type[FlowError]


@attrs.frozen(kw_only=True)
class Refs:
    """Branches by name and commits by id. A value: each change makes another one."""

    branches: Mapping[str, Head]
    commits: Mapping[str, Node]
    refusals: Refusals
    births: frozenset[str] = frozenset()
    """The first tokens of branches that were created."""
    data: Mapping[bytes, bytes] = MappingProxyType({})
    """By identity, of the values that have any."""

    @classmethod
    def founded(cls, commit_id: str, *names: str, refusals: Refusals, data: Mapping[bytes, bytes]) -> "Refs":
        """Branches at an empty first commit."""
        branches = dict.fromkeys(names, Head(commit_id=commit_id))
        return cls(branches=branches, commits={commit_id: Node()}, refusals=refusals, data=data)

    def entry(self, path: bytes, identity: bytes) -> Entry:
        """What a read of a path finds there."""
        return Entry(path=path, identity=identity, data=self.data.get(identity, b""))

    def unsettled(self, name: str) -> "Refs":
        """The same with a branch that may have sealed tokens without changes."""
        return self.with_branch(name, attrs.evolve(self.branches[name], clean=False))

    def contents(self, commit_id: str) -> dict[bytes, bytes]:
        """Of a commit, by path."""
        return dict(sorted(self.commits[commit_id].contents))

    def branch(self, name: str) -> Identified:
        """A branch, as it is by itself."""
        head = self.branches[name]
        return BranchState(committed=self.commits[head.commit_id].contents, staged=head.staged)

    def shown(self, name: str) -> dict[bytes, bytes]:
        """What readers of a branch find, by path."""
        return self.branch(name).contents

    def resolved(self, ref: str) -> str | None:
        """The id of the commit that a branch or an id names; None: nothing has the name."""
        if ref in self.branches:
            return self.branches[ref].commit_id
        return ref if ref in self.commits else None

    def with_branch(self, name: str, head: Head) -> "Refs":
        """The same with a branch that is as given."""
        return attrs.evolve(self, branches={**self.branches, name: head})

    def line(self, commit_id: str) -> frozenset[str]:
        """A commit and all that it comes from."""
        # Histories of specifications have a handful of commits: recursion without a memo is short and fast enough.
        return frozenset({commit_id}).union(*(self.line(each) for each in self.commits[commit_id].parents))


@attrs.frozen
class Refusal:
    """A definite error of this class with these arguments."""

    error: type[FlowError]
    args: tuple[Hashable, ...] = ()


Look = Callable[[Refs, calls.Args], Hashable]
"""What a call that only looks at a branch answers, or its `Refusal`: from the state and the arguments."""


def after(state: Refs, call: CallView, looks: Mapping[str, Look]) -> Refs:
    """The state after a call that nothing overlapped.

    Raises:
        Misanswered: it answered something else than specified. ValueError: a call that is not specified.
    """
    arguments = call.arguments
    # The one call that is answered where the branch is not there.
    if arguments.kind is calls.CREATE_BRANCH:
        return _create_branch(state, call)
    if call.name in looks:
        seen = looks[call.name](state, call.args)
        if isinstance(seen, Refusal):
            return _refuse_call(state, call, seen.error, *seen.args)
        return _answers(state, call, seen)
    if arguments.kind not in _RULES:
        raise ValueError(f"{call.name}: expected a call on one branch; leave it out, or give it a look")
    head = state.branches.get(arguments.branch_id)
    if head is None:
        return _refuse_call(state, call, BranchNotFound, arguments.branch_id)
    return _RULES[arguments.kind](state, head, call)


def _answers(state: Refs, call: CallView, expected: Hashable = None) -> Refs:
    if call.status is not Status.OK or call.value != expected:
        raise Misanswered(f"expected {expected!r}")
    return state


def _refuse_call(state: Refs, call: CallView, error: type[FlowError], *args: Hashable) -> Refs:
    """A definite error of this class with these arguments, and nothing has changed."""
    found = call.error
    if call.status is not Status.FAIL or found is None or (type(found), found.args) != (error, args):
        raise Misanswered(f"expected {error(*args)!r}")
    return state


def _create_branch(state: Refs, call: CallView) -> Refs:
    name, source = call.arguments.branch_id, str(call.arguments[Role.TARGET])
    commit_id = state.resolved(source)
    if commit_id is None:  # the order of the two refusals is that of the flow: it resolves the ref first
        return _refuse_call(state, call, state.refusals.ref_not_found, source)
    if name in state.branches:
        return _refuse_call(state, call, BranchExists, name)
    made = call.value
    if not isinstance(made, Branch) or (made.branch_id, made.commit_id, made.sealed_tokens) != (name, commit_id, ()):
        raise Misanswered(f"expected branch {name} at {commit_id[:8]}, without sealed tokens")
    # A token that a former branch had would show that branch's staged entries in the new one.
    if made.staging_token in state.births:
        raise Misanswered("expected a staging token that no branch has had")
    born = attrs.evolve(state, births=state.births | {made.staging_token})
    return born.with_branch(name, Head(commit_id=commit_id))


def _on_entries(state: Refs, head: Head, call: CallView) -> Refs:
    """As of `lakeproof.model.branch`; and entries have their data here, and errors their arguments."""
    arguments = call.arguments
    branch, result = apply_call(state.branch(arguments.branch_id), call.name, arguments)
    if isinstance(result, type):
        return _refuse_call(state, call, result, arguments.data(Role.PATH))
    if isinstance(result, bytes):
        return _answers(state, call, state.entry(arguments.data(Role.PATH), result))
    if isinstance(result, tuple):
        return _answers(state, call, tuple(state.entry(*each) for each in result))
    # Also a change to the same value counts: its entry lies under a token until a commit or a reset clears it. A reset
    # of the whole branch leaves it without sealed tokens; a reset of paths may leave some that have no changes.
    changed = attrs.evolve(head, staged=branch.staged, clean=arguments.kind is calls.RESET_BRANCH)
    return _answers(state.with_branch(arguments.branch_id, changed), call)


def _committing(state: Refs, call: CallView, parents: tuple[str, ...], contents: Contents) -> Refs:
    """The answer is a new commit on these parents; the branch has it as its head, and no changes."""
    made = call.value
    # The id and the date are the flow's to choose; all else follows from the call.
    generation = 1 + max(state.commits[each].generation for each in parents)
    expected = (parents, generation, call.arguments[Role.MESSAGE], COMMITTER, ())
    if not isinstance(made, Commit):
        raise Misanswered(f"expected a commit on {[each[:8] for each in parents]}")
    if (made.parents, made.generation, made.message, made.committer, made.metadata) != expected:
        raise Misanswered(
            f"expected parents, generation, message, committer and metadata {expected!r}, and it is {made!r}"
        )
    node = Node(contents=frozenset(contents.items()), parents=parents, generation=generation)
    known = attrs.evolve(state, commits={**state.commits, made.commit_id: node})
    return known.with_branch(call.arguments.branch_id, Head(commit_id=made.commit_id))


def _commit(state: Refs, head: Head, call: CallView) -> Refs:
    return _committing(state, call, (head.commit_id,), state.shown(call.arguments.branch_id))


def _merge_branches(
    state: Refs, call: CallView, parents: tuple[str, ...], sides: tuple[Contents, Contents, Contents]
) -> Refs:
    """sides: base, source and destination: each path is the source's where the source has changed it."""
    found = merge_paths(*sides)
    conflicts = {path for side in sides for path in side} - found.keys()
    if conflicts:
        return _refuse_call(state, call, state.refusals.conflicts, tuple(sorted(conflicts)))
    contents = {path: identity for path, identity in found.items() if identity is not None}
    return _committing(state, call, parents, contents)


def _merge(state: Refs, head: Head, call: CallView) -> Refs:
    # Merges and reverts refuse uncommitted changes: the new commit would seem to contain them.
    if head.staged:
        return _refuse_call(state, call, state.refusals.dirty_branch, call.arguments.branch_id)
    ref = str(call.arguments[Role.TARGET])
    source = state.resolved(ref)
    if source is None:
        return _refuse_call(state, call, state.refusals.ref_not_found, ref)
    common = state.line(head.commit_id) & state.line(source)
    # The latest common ancestor; of several with one generation the smallest id, as the flow chooses.
    base = min(common, key=lambda each: (-state.commits[each].generation, each))
    base_, theirs, ours = (state.contents(each) for each in (base, source, head.commit_id))
    return _merge_branches(state, call, (head.commit_id, source), (base_, theirs, ours))


def _revert(state: Refs, head: Head, call: CallView) -> Refs:
    if head.staged:
        return _refuse_call(state, call, state.refusals.dirty_branch, call.arguments.branch_id)
    ref = str(call.arguments[Role.TARGET])
    undone = state.resolved(ref)
    if undone is None:
        return _refuse_call(state, call, state.refusals.ref_not_found, ref)
    if not state.commits[undone].parents:
        return _refuse_call(state, call, state.refusals.no_parent, undone)
    before = state.commits[undone].parents[0]  # of a merge, its first parent: what the branch had before it
    # A revert merges the parent of a commit, over that commit as the base.
    base, source, ours = (state.contents(each) for each in (undone, before, head.commit_id))
    return _merge_branches(state, call, (head.commit_id,), (base, source, ours))


def _delete_branch(state: Refs, _: Head, call: CallView) -> Refs:
    left = {name: head for name, head in state.branches.items() if name != call.arguments.branch_id}
    return _answers(attrs.evolve(state, branches=left), call)


_RULES: Final[Mapping[Kind | None, Callable[[Refs, Head, CallView], Refs]]] = {
    **dict.fromkeys(
        (
            *(calls.SET_ENTRY, calls.SET_ENTRIES, calls.DELETE_ENTRY, calls.CREATE_ENTRY, calls.REPLACE_ENTRY),
            *(calls.GET_ENTRY, calls.LIST_ENTRIES, calls.RESET_BRANCH, calls.RESET_ENTRY, calls.RESET_PREFIX),
        ),
        _on_entries,
    ),
    calls.COMMIT: _commit,
    calls.MERGE: _merge,
    calls.REVERT: _revert,
    calls.DELETE_BRANCH: _delete_branch,
    calls.DELETE_BRANCH_BY_TOMBSTONE: _delete_branch,
}

SPECIFIED: Final = frozenset({calls.CREATE_BRANCH.name, *(kind.name for kind in _RULES if kind is not None)})
"""The names of the calls that need no look."""
