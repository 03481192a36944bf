"""The sequential specification of the refs of one repository, and of the ways to go through them, for one client alone.

Branches, tags and commits are in one state, because a ref leads from one to the other. Calls are those of
`lakeproof.impl.refs`, with a repository first. A scenario's own calls may make commits: they return them. Source:
graveler-on-kv.md, "Branch", "Tag", "Commit", "Iterators".

Example: b and c were made on a, and d merges c into b. A leaf is no *first* parent, so c is one.

>>> def commit(name, *parents):
...     return Commit(commit_id=name, committer="", message="", creation_date=0, meta_range_id="", parents=parents)
>>> made = [commit("a"), commit("b", "a"), commit("c", "a"), commit("d", "b", "c")]
>>> main = Branch(branch_id="main", commit_id="d", staging_token="t")
>>> state = Named(default="main", branches={"main": main}, commits={each.commit_id: each for each in made})
>>> for what in ("ancestry", "first parents", "leaves"):
...     print(what, *(each.commit_id for each in list_records(state, what)))
ancestry d b c a
first parents d b a
leaves c d
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import attrs

from lakeproof.model import calls, keys
from lakeproof.model.calls import Role
from lakeproof.model.identifiers import BranchID, CommitID, StagingToken, TagID
from lakeproof.model.records import Branch, Commit, Record, Repository, Tag
from lakeproof.model.snapshot import CallView, Snapshot
from lakeproof.model.solo import ANY, Misanswered, expect

Deletes = Callable[[Branch], Branch | None]
"""What a delete leaves of a branch: nothing, or a record that names no commit."""


def to_nothing(branch: Branch) -> None:
    """A delete that removes the record."""


def to_tombstone(branch: Branch) -> Branch:
    """A delete that leaves a record without a commit, which keeps the staging token: no value ever returns."""
    return attrs.evolve(branch, commit_id=CommitID(""), sealed_tokens=())


@attrs.frozen(kw_only=True)
class Named:
    """The refs of a repository. A branch without a commit is one that was deleted."""

    default: BranchID
    deletes: Deletes = to_nothing
    branches: Mapping[BranchID, Branch] = MappingProxyType({})
    tags: Mapping[TagID, Tag] = MappingProxyType({})
    commits: Mapping[CommitID, Commit] = MappingProxyType({})
    tokens: frozenset[StagingToken] = frozenset()
    """All that branches have ever had."""

    @property
    def shown(self) -> tuple[Branch, ...]:
        """The branches that are there, by id."""
        # A tombstone names no commit.
        return tuple(branch for _, branch in sorted(self.branches.items()) if branch.commit_id)

    def branch(self, branch_id: str) -> Branch | None:
        """The branch, if it is there."""
        return next((branch for branch in self.shown if branch.branch_id == branch_id), None)

    def resolved(self, ref: str) -> CommitID | None:
        """What a ref leads to: a branch's head, a tag's commit, or the commit itself, in this order."""
        # A branch or tag that is named like a commit hides it.
        branch = self.branch(ref)
        if branch is not None:
            return branch.commit_id
        tag = self.tags.get(TagID(ref))
        return tag.commit_id if tag is not None else CommitID(ref) if CommitID(ref) in self.commits else None

    def with_branch(self, branch: Branch) -> "Named":
        """With this branch in place of another of its name."""
        # Tokens are never forgotten: one that is used again would show what was staged on a deleted branch.
        known = self.tokens | {branch.staging_token}
        return attrs.evolve(self, branches={**self.branches, branch.branch_id: branch}, tokens=known)

    def without(self, branch: Branch) -> "Named":
        """After the branch's deletion."""
        left = self.deletes(branch)
        if left is not None:
            return self.with_branch(left)
        return attrs.evolve(self, branches={name: b for name, b in self.branches.items() if name != branch.branch_id})

    def line(self, start: CommitID) -> Iterator[Commit]:
        """A commit and its first parents, newest first."""
        commit = self.commits[start]
        yield commit
        if commit.parents:
            yield from self.line(commit.parents[0])

    def ancestry(self, start: CommitID) -> tuple[Commit, ...]:
        """A commit and its ancestors breadth first, parents in their order, each once."""
        met = [start]
        for commit_id in met:
            # The list grows while the loop walks it: a queue, and the set of those met, in one.
            met += [parent for parent in self.commits[commit_id].parents if parent not in met]
        return tuple(self.commits[each] for each in met)


def replay_calls(state: Named, made: Sequence[CallView]) -> Named:
    """The state after these calls of one client.

    Raises:
        Misanswered: names the call, its answer, and what was expected.
    """
    for call in made:
        state = _STEPS[call.name](state, call)
    return state


def _create_branch(state: Named, call: CallView) -> Named:
    branch_id, target = BranchID(call.arguments.branch_id), state.resolved(_target(call))
    # Where both refusals apply, the flow resolves the ref first.
    if target is None or state.branch(branch_id):
        expect(call, error="RefNotFound" if target is None else "BranchExists")
        return state
    expect(call)
    made = call.value
    if not isinstance(made, Branch) or (made.branch_id, made.commit_id) != (branch_id, target):
        raise Misanswered(f"{call.name} returned {made!r}; expected branch {branch_id} at {target}")
    if made.staging_token in state.tokens or made.sealed_tokens:
        raise Misanswered(f"{call.name} returned tokens {made.tokens}; expected one that no branch has had")
    return state.with_branch(made)


def _get_branch(state: Named, call: CallView) -> Named:
    branch = state.branch(call.arguments.branch_id)
    expect(call, error="" if branch else "BranchNotFound", value=branch)
    return state


def _update_branch(state: Named, call: CallView) -> Named:
    branch, target = state.branch(call.arguments.branch_id), state.resolved(_target(call))
    # Where both refusals apply, the branch is read first.
    if branch is None or target is None:
        expect(call, error="RefNotFound" if branch else "BranchNotFound")
        return state
    moved = attrs.evolve(branch, commit_id=target)
    expect(call, value=moved)
    return state.with_branch(moved)


def _delete_branch(state: Named, call: CallView) -> Named:
    branch_id = str(call.args[1])
    branch = state.branch(branch_id)
    # The default branch is refused by its name, before any read.
    refusal = "DefaultBranch" if branch_id == state.default else "" if branch else "BranchNotFound"
    expect(call, error=refusal, value=branch.tokens if branch and call.name == "remove_branch" else None)
    return state.without(branch) if branch is not None and not refusal else state


def _create_tag(state: Named, call: CallView) -> Named:
    tag_id, target = _tag_id(call), state.resolved(_target(call))
    if target is None or tag_id in state.tags:
        expect(call, error="RefNotFound" if target is None else "TagExists")
        return state
    return _with_tag(state, call, Tag(tag_id=tag_id, commit_id=target))


def _update_tag(state: Named, call: CallView) -> Named:
    tag_id, target = _tag_id(call), state.resolved(_target(call))
    if tag_id not in state.tags or target is None:
        expect(call, error="RefNotFound" if tag_id in state.tags else "TagNotFound")
        return state
    return _with_tag(state, call, Tag(tag_id=tag_id, commit_id=target))


def _with_tag(state: Named, call: CallView, tag: Tag) -> Named:
    expect(call, value=tag)
    return attrs.evolve(state, tags={**state.tags, tag.tag_id: tag})


def _get_tag(state: Named, call: CallView) -> Named:
    tag = state.tags.get(_tag_id(call))
    expect(call, error="" if tag else "TagNotFound", value=tag)
    return state


def _delete_tag(state: Named, call: CallView) -> Named:
    tag_id = _tag_id(call)
    expect(call, error="" if tag_id in state.tags else "TagNotFound", value=None)
    return attrs.evolve(state, tags={name: tag for name, tag in state.tags.items() if name != tag_id})


def _log(state: Named, call: CallView) -> Named:
    start = state.resolved(str(call.args[1]))
    expect(call, error="" if start else "RefNotFound", value=tuple(state.line(start)) if start else ANY)
    return state


def _log_two(state: Named, call: CallView) -> Named:
    start = state.resolved(str(call.args[1]))
    expect(call, value=tuple(state.line(start))[:2] if start else ANY)  # a log that is read no further than that
    return state


def _get_commit(state: Named, call: CallView) -> Named:
    commit = state.commits.get(CommitID(str(call.args[1])))
    expect(call, error="" if commit else "CommitNotFound", value=commit)
    return state


def _grow(state: Named, call: CallView) -> Named:
    """A commit on a branch, and on others, that the branch then names."""
    refs = [str(ref) for ref in call.args[1:]]
    heads = [state.commits[head] for head in map(state.resolved, refs) if head is not None]
    branch, made = state.branch(refs[0]), call.value
    expect(call)
    if branch is None or not isinstance(made, Commit) or len(heads) < len(refs):
        raise Misanswered(f"{call.name} returned {made!r} on {refs}")
    if made.parents != tuple(each.commit_id for each in heads):
        raise Misanswered(f"{call.name} returned a commit on {made.parents}; expected the heads of {refs}, in order")
    if made.generation != 1 + max(each.generation for each in heads):
        raise Misanswered(f"{call.name} returned generation {made.generation}; expected one above the parents'")
    if made.metadata != tuple(sorted(made.metadata)):
        raise Misanswered(f"{call.name} returned metadata {made.metadata}; expected them sorted")
    grown = attrs.evolve(state, commits={**state.commits, made.commit_id: made})
    return grown.with_branch(attrs.evolve(branch, commit_id=made.commit_id))


def list_records(state: Named, what: str) -> tuple[Record, ...]:
    """What a listing or an iterator of this kind shows, in order."""
    commits = tuple(commit for _, commit in sorted(state.commits.items()))
    head = state.branches[state.default].commit_id
    match what:
        case "branches":
            return state.shown
        case "branches by commit":
            return tuple(sorted(state.shown, key=lambda branch: branch.commit_id))
        case "tags":
            return tuple(tag for _, tag in sorted(state.tags.items()))
        case "commits":
            return commits
        case "leaves":
            # Merged commits are second parents, and so are leaves: a branch may still be there for them.
            first_parents = {commit.parents[0] for commit in commits if commit.parents}
            return tuple(commit for commit in commits if commit.commit_id not in first_parents)
        case "ancestry":
            return state.ancestry(head)
        case "first parents":
            return tuple(state.line(head))
    raise ValueError(f"{what!r}: no listing of this name")


def _on_found(state: Named, call: CallView) -> Named:
    expect(call)
    assert isinstance(call.value, Branch)
    # The token is the flow's to choose.
    return state.with_branch(call.value)


def _seek_each(state: Named, call: CallView) -> Named:
    """All values, and for each of them, forward and back, the tail that begins at the first one of its place."""
    what = str(call.args[1])
    values = list_records(state, what)
    by_commit = what == "branches by commit"
    # Branches at one commit are one place of that order: a seek finds the first of them.
    places = [each.commit_id if by_commit and isinstance(each, Branch) else each for each in values]
    tails = [values[places.index(place) :] for place in places]
    expect(call, value=(values, (*tails, *reversed(tails), ())))  # the last seek is behind the end
    return state


def _list(what: str) -> Callable[[Named, CallView], Named]:
    def step(state: Named, call: CallView) -> Named:
        expect(call, value=list_records(state, what))
        return state

    return step


def _target(call: CallView) -> str:
    return str(call.arguments[Role.TARGET])


def _tag_id(call: CallView) -> TagID:
    return TagID(str(call.arguments[Role.TAG]))


_STEPS: Final[Mapping[str, Callable[[Named, CallView], Named]]] = {
    calls.CREATE_BRANCH.name: _create_branch,
    calls.GET_BRANCH.name: _get_branch,
    calls.UPDATE_BRANCH.name: _update_branch,
    calls.DELETE_BRANCH.name: _delete_branch,
    calls.DELETE_BRANCH_BY_TOMBSTONE.name: _delete_branch,
    calls.CREATE_TAG.name: _create_tag,
    calls.UPDATE_TAG.name: _update_tag,
    calls.GET_TAG.name: _get_tag,
    calls.DELETE_TAG.name: _delete_tag,
    "remove_branch": _delete_branch,
    "list_branches": _list("branches"),
    "list_tags": _list("tags"),
    "get_commit": _get_commit,
    "log": _log,
    "log_two": _log_two,
    "grow": _grow,
    "seek_each": _seek_each,
    "init_repository": _on_found,
}
"""By the name of the flow; those that no promise knows, too."""


def find_differences(state: Named, snapshot: Snapshot, repository: Repository) -> Iterator[str]:
    """In what the partition of the repository differs from the state."""
    partition = keys.repository_partition(repository.repository_id, repository.instance_uid)
    wanted: dict[bytes, Record] = {keys.branch_key(name): branch for name, branch in state.branches.items()}
    wanted.update({keys.tag_key(name): tag for name, tag in state.tags.items()})
    wanted.update({keys.commit_key(name): commit for name, commit in state.commits.items()})
    found = {key: stored for (where, key), stored in snapshot.store.items() if where == partition}
    for key in sorted(wanted.keys() | found.keys()):
        if wanted.get(key) != found.get(key):
            yield f"{key.decode()} holds {found.get(key)!r}; expected {wanted.get(key)!r}"
