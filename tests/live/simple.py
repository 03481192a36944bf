"""A service that is obviously right, one call after the other; and known causes that can be added to its answers."""

from collections.abc import Mapping
from random import Random

import attrs

from lakeproof.live.lakefs.calls import MERGES, NEVER, Call
from lakeproof.live.lakefs.contents import Content, FinalState, RepositoryState
from lakeproof.live.lakefs.known_issues import CACHE, MISSED_READ, REFUSED_DELETE, REFUSED_WRITE
from lakeproof.live.lakefs.workload import (
    INITIAL_BRANCHES,
    OF_ENTRIES,
    Names,
    PlannedCall,
    follow_ups,
    plan_entry_call,
    plan_repository_call,
)
from lakeproof.model.snapshot import Status

CALLS = 60
SOURCES = {"mem://one/": ("a", "b"), "mem://two/": ("b", "c")}
"""What can be imported, and what lies there."""
CACHE_SECONDS = 12.0
"""A call a second."""
BILLION = 1_000_000_000
Answered = tuple[int, object]
"""Status code, and value."""


@attrs.define
class Branch:
    """content: what is committed; staged: what is not, None for a deleted path; marks: the metadata of paths."""

    line: list[str] = attrs.field(factory=lambda: ["first"])
    content: dict[str, str] = attrs.field(factory=dict)
    staged: dict[str, str | None] = attrs.field(factory=dict)
    marks: dict[str, str] = attrs.field(factory=dict)

    @property
    def shown(self) -> dict[str, str]:
        merged = {**self.content, **self.staged}
        return {path: value for path, value in merged.items() if value is not None}


@attrs.define
class Simple:
    """The service. causes: known ones that are at work, each now and then."""

    rng: Random = attrs.field(factory=Random)
    causes: frozenset[str] = frozenset()
    branches: dict[str, Branch] = attrs.field(factory=lambda: {name: Branch() for name in INITIAL_BRANCHES})
    commits: dict[str, Content] = attrs.field(factory=lambda: {"first": {}})
    parents: dict[str, str] = attrs.field(factory=dict)
    messages: dict[str, str] = attrs.field(factory=dict)
    ancestors: dict[str, frozenset[str]] = attrs.field(factory=lambda: {"first": frozenset({"first"})})
    tags: dict[str, str] = attrs.field(factory=dict)
    pulls: dict[str, tuple[str, str, str]] = attrs.field(factory=dict)
    """Title, status and commit, by id."""
    lives: dict[str, RepositoryState] = attrs.field(factory=dict)
    past: list[tuple[float, dict[str, RepositoryState]]] = attrs.field(
        factory=lambda: [(-1e9, dict[str, RepositoryState]())]
    )
    """What the repositories were, from each moment on."""

    def entries(self, name: str, args: tuple[str, ...]) -> Answered:
        if name.endswith("_tag"):
            return self._tag(name, args)
        branch = self.branches.get(args[1])
        if name == "create_branch":
            if branch is not None:
                return 409, None
            head = self.branches[args[2]]
            self.branches[args[1]] = Branch(list(head.line), dict(head.content))
            return 201, None
        if branch is None:
            return 404, None
        return self._pull(branch, name, args) if name.endswith("_pull") else self._on(branch, name, args)

    def _on(self, branch: Branch, name: str, args: tuple[str, ...]) -> Answered:
        match name:
            case "delete_branch":
                del self.branches[args[1]]
            case "get_branch":
                return 200, branch.line[0]
            case "reset_branch":
                branch.staged.clear()
            case "reset_prefix" | "reset_entry":
                mine = [path for path in branch.staged if path.startswith(args[2])]
                for path in mine if name == "reset_prefix" else [path for path in mine if path == args[2]]:
                    del branch.staged[path]
            case "delete_entry" | "erase_entry":
                branch.staged[args[2]] = None
            case "get_entry":
                found = branch.shown.get(args[2])
                return (404, None) if found is None else (200, found)
            case "create_entry" if args[2] in branch.shown:
                return 412, None
            case "update_metadata" | "stat_entry" if args[2] not in branch.shown:
                return 404, None
            case "stat_entry":
                return 200, branch.marks.get(args[2], "")
            case "update_metadata":
                branch.marks[args[2]] = args[3]
            case "set_entry" | "create_entry":
                branch.marks.pop(args[2], None)
                branch.staged[args[2]] = args[3]
                return (412 if name == "create_entry" and self._has(REFUSED_WRITE) else 201), None
            case "commit":
                self.messages[f"c{args[2]}"] = args[2]
                return 201, self._commit(branch, f"c{args[2]}", branch.shown)
            case _:
                return self._combined(branch, name, args)
        return 204, None

    def _has(self, cause: str) -> bool:
        return cause in self.causes and self.rng.random() < 0.4

    def _pull(self, branch: Branch, name: str, args: tuple[str, ...]) -> Answered:
        if name == "create_pull":
            self.pulls[f"p{args[3]}"] = (args[3], "open", "")
            return 201, f"p{args[3]}"
        if args[3] not in self.pulls:
            return 404, None
        title, status, commit = self.pulls[args[3]]
        if name == "get_pull":
            return 200, (title, status, commit)
        if name == "merge_pull" and status != "open":
            return 400, None
        code, value = self._combined(branch, name, args) if name == "merge_pull" else (204, None)
        if name == "edit_pull":
            self.pulls[args[3]] = (args[4], status, commit)
        elif name == "close_pull":
            self.pulls[args[3]] = (title, "closed", commit)
        else:
            self.pulls[args[3]] = (title, "merged", str(value))
        return code, value

    def _imported(self, branch: Branch, args: tuple[str, ...]) -> Answered:
        if branch.staged:
            return 400, None
        kept = {path: value for path, value in branch.content.items() if not path.startswith(args[2])}
        brought = {f"{args[2]}{path}": path for path in SOURCES[args[3]]}
        self.messages[f"i{args[4]}"] = args[4]
        return 200, self._commit(branch, f"i{args[4]}", kept | brought)

    def _combined(self, branch: Branch, name: str, args: tuple[str, ...]) -> Answered:
        if name == "import":
            return self._imported(branch, args)
        if name in MERGES:
            source = self.branches[args[2]]
            theirs = self.ancestors[source.line[0]]
            return 200, self._commit(branch, f"m{len(self.commits)}", dict(source.content), theirs)
        target = self.branches[args[2]].line[0] if args[2] in self.branches else args[2]
        if branch.staged or target not in self.commits:
            return (400 if branch.staged else 404), None
        if name == "hard_reset":
            at = target
            branch.line = [at]
            while at in self.parents:
                at = self.parents[at]
                branch.line.append(at)
            branch.content = dict(self.commits[target])
            return 204, None
        if target not in self.parents:
            return 400, None
        changed, before = self.commits[target], self.commits[self.parents[target]]
        base, source_ = (before, changed) if name == "cherry_pick" else (changed, before)
        made: dict[str, str] = {}
        for path in {*base, *source_, *branch.content}:
            was, theirs_, ours = base.get(path), source_.get(path), branch.content.get(path)
            if theirs_ not in {was, ours} and ours != was:
                return 409, None
            value = ours if theirs_ in {was, ours} else theirs_
            if value is not None:
                made[path] = value
        commit_id = self._commit(branch, f"x{args[3]}", made)
        self.messages[commit_id] = args[3]
        return (204, None) if name == "revert" else (201, commit_id)

    def _commit(self, branch: Branch, name: str, content: dict[str, str], theirs: frozenset[str] = frozenset()) -> str:
        self.commits[name], self.parents[name] = content, branch.line[0]
        self.ancestors[name] = self.ancestors[branch.line[0]] | theirs | {name}
        branch.line.insert(0, name)
        branch.content, branch.staged = content, {}
        return name

    def _tag(self, name: str, args: tuple[str, ...]) -> Answered:
        there = self.tags.get(args[1])
        if name == "create_tag":
            target = self.branches[args[2]].line[0] if args[2] in self.branches else args[2]
            if there is not None or target not in self.commits:
                return (409 if there is not None else 404), None
            self.tags[args[1]] = target
            return 201, target
        if there is None:
            return 404, None
        if name == "delete_tag":
            del self.tags[args[1]]
        return 200, there if name == "get_tag" else None

    def repositories(self, name: str, args: tuple[str, ...], now: float) -> Answered:
        if name == "list_repositories":
            return 200, tuple((each, last.life) for each, last in sorted(self.lives.items()))
        found = self._repository(name, args, now)
        self.past.append((now, dict(self.lives)))
        return found

    def _repository(self, name: str, args: tuple[str, ...], now: float) -> Answered:
        last, current = self.lives.get(args[0]), self.lives.get(args[0])
        if name not in {"create_repository", "delete_repository"} and self._has(CACHE):
            before = now - self.rng.uniform(0, CACHE_SECONDS)
            last = [lives for since, lives in self.past if since <= before][-1].get(args[0]) or last
        if name == "create_repository":
            if last is not None:
                return 409, None
            self.lives[args[0]] = RepositoryState(args[1], frozenset({"main"}))
            return 201, args[1]
        if last is None:
            return 404, None
        if name == "delete_repository":
            del self.lives[args[0]]
            return (404 if self._has(REFUSED_DELETE) else 204), None
        if current is None or current.life != last.life:  # what is written goes to one that is gone
            return 200, last.life if name == "get_repository" else None
        if name == "create_branch":
            self.lives[args[0]] = attrs.evolve(current, branches=current.branches | {args[1]})
        elif name == "set_entry":
            self.lives[args[0]] = attrs.evolve(current, paths=current.paths | {args[2]})
        return 200, last.life if name == "get_repository" else None

    @property
    def final(self) -> FinalState:
        return FinalState(
            branches={name: branch.shown for name, branch in self.branches.items()},
            listed=frozenset(self.branches),
            logs={name: branch.line for name, branch in self.branches.items()},
            ancestors=self.ancestors,
            commits=dict(self.commits),
            messages=self.messages,
        )


def planned_calls(
    rng: Random, *, entries: bool, count: int = CALLS, often: Mapping[str, int] = OF_ENTRIES
) -> list[PlannedCall]:
    """Calls with what follows some of them. The name of a commit is known before it is made."""
    names, found = Names("p", "ns", tuple(SOURCES), often), list[PlannedCall]()
    while len(found) < count:
        planned = (plan_entry_call if entries else plan_repository_call)(rng, names)
        for name, args in (planned, *(follow_ups(rng, planned, names) if entries else ())):
            found.append((name, args))
            if name == "commit":
                names.learn(name, args, f"c{args[2]}")
            if name == "create_pull":
                names.learn(name, args, f"p{args[3]}")
    return found


def driven(
    rng: Random, service: Simple, *, entries: bool, count: int = CALLS, often: Mapping[str, int] = OF_ENTRIES
) -> list[Call]:
    """Calls that take effect one after the other; their intervals overlap, and one in twelve is not answered: then it
    has happened at its moment, or later, or never."""
    moments = list(enumerate(planned_calls(rng, entries=entries, count=count, often=often)))
    late = {number: number + rng.uniform(0, 20) for number, _ in moments if rng.random() < 1 / 12}
    spans: list[tuple[float, float, Call]] = []
    order = sorted(moments, key=lambda each: late.get(each[0], each[0]))
    for number, (name, args) in order:
        call = Call(0, name, args, 0)
        began = number - rng.uniform(0, 4)
        if number in late and rng.random() < 0.4:
            spans.append((began, number + 5.0, call))
            continue
        now = late.get(number, number)
        code, value = service.entries(name, args) if entries else service.repositories(name, args, now)
        if number not in late:
            call.status, call.code = (Status.OK if code < 300 else Status.FAIL), code
            call.value = value if isinstance(value, str | tuple) else None
        spans.append((began, number + rng.uniform(0, 4), call))
    numbers = {at: rank for rank, at in enumerate(sorted(at for began, ended, _ in spans for at in (began, ended)), 1)}
    for began, ended, call in spans:
        call.began, call.noted = numbers[began], numbers[ended]
        call.called, call.returned = int(began * BILLION), int(ended * BILLION)
        call.ended = NEVER if call.status is Status.INFO else call.noted
    calls = sorted((call for _, _, call in spans), key=lambda each: each.began)
    if MISSED_READ in service.causes:
        _miss(rng, calls)
    return calls


def _miss(rng: Random, calls: list[Call]) -> None:
    """Let reads beside a commit find nothing."""
    for call in calls:
        commits = [each for each in calls if each.name == "commit" and each.ok and each.args[1] == call.args[1]]
        beside = any(each.began < call.ended and each.ended > call.began for each in commits)
        if call.name == "get_entry" and call.ok and beside and rng.random() < 0.5:
            call.status, call.code, call.value = Status.FAIL, 404, None
