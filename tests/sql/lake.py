"""The sequential specification of a whole lake: repositories, their branches, commits and staged entries; and the calls
that are made on it.

A third way to say what the operations do, beside the flows and the SQL: on values, without effects.
"""

from collections.abc import Callable, Hashable, Mapping
from random import Random
from typing import Final, cast

import attrs

from lakeproof.impl.committed import Conflicts
from lakeproof.impl.refs.errors import DefaultBranch, DirtyBranch, NoParent, RefNotFound
from lakeproof.model.errors import (
    BranchExists,
    BranchNotFound,
    EntryChanged,
    FlowError,
    NotUnique,
    PathExists,
    PathNotFound,
    RepositoryNotFound,
)

Args = tuple[Hashable, ...]
Contents = frozenset[tuple[bytes, bytes]]
Staged = frozenset[tuple[bytes, bytes | None]]
DONE: Final = "done"
MAIN: Final = "main"


@attrs.frozen(cache_hash=True)
class Commit:
    contents: Contents = frozenset()
    parents: tuple["Commit", ...] = ()

    @property
    def generation(self) -> int:
        return 1 + max((parent.generation for parent in self.parents), default=0)

    def line(self) -> set["Commit"]:
        """Itself and all that it descends from."""
        return {self}.union(*(parent.line() for parent in self.parents))


Branches = frozenset[tuple[str, tuple[Commit, Staged]]]
State = frozenset[tuple[str, Branches]]


def answer(error: Exception) -> Hashable:
    """An error as the result of a call."""
    return type(error).__name__, error.paths if isinstance(error, Conflicts) else ()


def apply(state: Hashable, name: str, args: Args) -> tuple[Hashable, Hashable]:
    """A call, alone."""
    lake = dict(cast("State", state))
    try:
        result = _apply(lake, name, *args)
    except FlowError as error:
        return state, answer(error)
    return frozenset(lake.items()), result


def _apply(lake: dict[str, Branches], name: str, *args: Hashable) -> Hashable:
    if name == "list_repositories":
        return tuple(sorted(lake))
    repository, *rest = cast("tuple[str, ...]", args)
    if name == "create_repository":
        if repository in lake:
            raise NotUnique(repository)
        lake[repository] = frozenset({(MAIN, (Commit(), Staged()))})
        return DONE
    if repository not in lake:
        raise RepositoryNotFound(repository)
    if name == "delete_repository":
        del lake[repository]
    elif name != "get_repository":
        branches = dict(lake[repository])
        result = _on_branches(branches, name, *rest)
        lake[repository] = frozenset(branches.items())
        return result
    return DONE


def _on_branches(branches: dict[str, tuple[Commit, Staged]], name: str, branch: str, *args: Hashable) -> Hashable:
    if name == "create_branch":
        source = _head(branches, args[0])
        if branch in branches:
            raise BranchExists(branch)
        branches[branch] = source, Staged()
        return DONE
    if name == "delete_branch" and branch == MAIN:
        raise DefaultBranch(branch)
    if branch not in branches:
        raise BranchNotFound(branch)
    head, staged = branches[branch]
    match name:
        case "delete_branch":
            del branches[branch]
        case "get_entry":
            found = _shown(head, staged).get(cast("bytes", args[0]))
            if found is None:
                raise PathNotFound(args[0])
            return found
        case "list_entries":
            return tuple(sorted(entry for entry in _shown(head, staged).items() if entry[0].startswith(_path(args))))
        case "commit":
            branches[branch] = Commit(frozenset(_shown(head, staged).items()), (head,)), Staged()
        case "merge" | "revert":
            if staged:
                raise DirtyBranch(branch)
            other = _head(branches, args[0])
            branches[branch] = (_merge(head, other) if name == "merge" else _revert(head, other)), staged
        case _:
            branches[branch] = head, _written(name, head, staged, args)
    return DONE


def _written(name: str, head: Commit, staged: Staged, args: Args) -> Staged:
    changes = dict(staged)
    path = _path(args)
    found = _shown(head, staged).get(path)
    match name:
        case "set_entry":
            changes[path] = cast("bytes", args[1])
        case "delete_entry":
            changes[path] = None
        case "create_entry":
            if found is not None:
                raise PathExists(path)
            changes[path] = cast("bytes", args[1])
        case "replace_entry":
            if found != args[2]:
                raise EntryChanged(path)
            changes[path] = cast("bytes", args[1])
        case "reset_entry":
            changes.pop(path, None)
        case "reset_branch" | "reset_prefix":
            changes = {key: value for key, value in changes.items() if not key.startswith(path)}
        case _:
            raise AssertionError(name)
    return frozenset(changes.items())


def _path(args: Args) -> bytes:
    return cast("bytes", args[0]) if args else b""


def _shown(head: Commit, staged: Staged) -> dict[bytes, bytes]:
    both: Mapping[bytes, bytes | None] = {**dict(head.contents), **dict(staged)}
    return {path: identity for path, identity in both.items() if identity is not None}


def _head(branches: Mapping[str, tuple[Commit, Staged]], ref: Hashable) -> Commit:
    if ref not in branches:
        raise RefNotFound(ref)
    return branches[cast("str", ref)][0]


def _merge(ours: Commit, theirs: Commit) -> Commit:
    common = ours.line() & theirs.line()
    base = max(common, key=lambda commit: commit.generation)
    return Commit(_three_way(base, theirs, ours), (ours, theirs))


def _revert(head: Commit, undone: Commit) -> Commit:
    if not undone.parents:
        raise NoParent("the first commit")
    return Commit(_three_way(undone, undone.parents[0], head), (head,))


def _three_way(base: Commit, source: Commit, destination: Commit) -> Contents:
    before, after, ours = (dict(side.contents) for side in (base, source, destination))
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    conflicts = sorted(p for p in changed if ours.get(p) not in (before.get(p), after.get(p)))
    if conflicts:
        raise Conflicts(tuple(conflicts))
    kept = {path: identity for path, identity in ours.items() if path not in changed}
    return frozenset({**kept, **{path: after[path] for path in changed if path in after}}.items())


REPOSITORIES: Final = ("r", "q")
BRANCHES: Final = (MAIN, "dev")
PATHS: Final = (b"a/1", b"a/2", b"b")
Call = tuple[str, Args]


def random_call(rng: Random, number: int, repositories: tuple[str, ...] = REPOSITORIES) -> Call:
    """A call; every write has an identity of its own."""
    repository = rng.choices(repositories, [9, 1][: len(repositories)])[0]
    branch, other = rng.sample(BRANCHES, 2)
    path, identity = rng.choice(PATHS), b"%d" % number
    kinds: dict[str, tuple[float, Callable[[], Args]]] = {
        "create_repository": (0.6, lambda: (repository,)),
        "delete_repository": (0.3, lambda: (repository,)),
        "get_repository": (0.3, lambda: (repository,)),
        "list_repositories": (0.3, lambda: ()),
        "create_branch": (1.5, lambda: (repository, branch, other)),
        "delete_branch": (0.4, lambda: (repository, branch)),
        "set_entry": (4, lambda: (repository, branch, path, identity)),
        "delete_entry": (1.5, lambda: (repository, branch, path)),
        "create_entry": (1.5, lambda: (repository, branch, path, identity)),
        "replace_entry": (1, lambda: (repository, branch, path, identity, b"%d" % rng.randrange(max(number, 1)))),
        "get_entry": (2, lambda: (repository, branch, path)),
        "list_entries": (2, lambda: (repository, branch, rng.choice((b"", b"a/")))),
        "commit": (2.5, lambda: (repository, branch, f"m{number}")),
        "merge": (2, lambda: (repository, branch, other, f"m{number}")),
        "revert": (0.7, lambda: (repository, branch, rng.choice(BRANCHES), f"m{number}")),
        "reset_branch": (0.7, lambda: (repository, branch)),
        "reset_prefix": (0.7, lambda: (repository, branch, b"a/")),
        "reset_entry": (0.7, lambda: (repository, branch, path)),
    }
    [name] = rng.choices(list(kinds), [weight for weight, _ in kinds.values()])
    return name, kinds[name][1]()
