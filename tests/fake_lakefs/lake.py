"""The repositories of a fake lakeFS, with or without bugs: each call takes effect at one moment, a while after it came,
and is answered a while later, so that calls overlap as they do over a network."""

import threading
import time
from collections.abc import Mapping
from random import Random
from typing import Final

import attrs

from lakeproof.live.lakefs.known_issues import CACHE, REFUSED_DELETE, REFUSED_WRITE
from lakeproof.live.lakefs.promises import TRUNK
from tests.live.simple import SOURCES, Answered, Branch
from tests.live.wrong import Wrong

MISDEEDS: Final = {
    "lost-write": ("lost", "set_entry"),
    "dirty-branch": ("haunted", "create_branch"),
    "lost-update": ("lost", "update_metadata"),
    "create-race": ("granted", "create_repository"),
}
"""Bugs of `Wrong`, one at a time: what it does wrongly, and to which calls."""
CAUSES: Final = frozenset({REFUSED_WRITE, REFUSED_DELETE, CACHE})
"""Those that `service` knows, and `Simple` has."""
DOUBTFUL: Final = "doubtful"
"""No bug: connections are lost now and then, before or after a call is done."""
OUTSIDE: Final = tuple(SOURCES)
"""What can be imported: objects that lie outside the lake."""
CACHE_SECONDS: Final = 0.4
PAUSE_SECONDS: Final = 0.003
HICCUPS: Final = 0.05
OF_REPOSITORIES: Final = frozenset({"create_repository", "delete_repository", "get_repository"})
MISSING: Final[Answered] = (404, None)


@attrs.define
class Lake:
    """Its calls, by the names and arguments that `service` gives them. bugs: of `MISDEEDS`, `CAUSES`, and `DOUBTFUL`.

    A repository whose name ends with ``lake`` holds what it is given. Of the others, which come and go, a `Wrong` of
    their own knows what the invariants ask for.
    """

    bugs: frozenset[str] = frozenset()
    rng: Random = attrs.field(factory=Random)
    lakes: dict[str, Wrong] = attrs.field(factory=dict)
    namespaces: dict[str, str] = attrs.field(factory=dict)
    others: Wrong = attrs.field(init=False)
    pulls: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    """By pull request, the branches that it is between."""
    imports: dict[str, Answered] = attrs.field(factory=dict)
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def __attrs_post_init__(self) -> None:
        self.others = self._made()

    def _made(self) -> Wrong:
        misdeed, of = next((MISDEEDS[bug] for bug in sorted(self.bugs) if bug in MISDEEDS), ("", ""))
        causes, branches = self.bugs & CAUSES, {TRUNK: Branch()}
        return Wrong(self.rng, causes, branches, misdeed=misdeed, of=of, cache_seconds=CACHE_SECONDS)

    def _pause(self) -> None:
        slow = 10 if self.rng.random() < HICCUPS else 1
        time.sleep(self.rng.random() * PAUSE_SECONDS * slow)

    def perform(self, name: str, args: tuple[str, ...]) -> Answered:
        """The status of a call, and its value."""
        self._pause()
        with self._lock:
            found = self._do(name, args)
        self._pause()
        return found

    def _do(self, name: str, args: tuple[str, ...]) -> Answered:
        if name == "list_repositories":
            lives = {each: last.life for each, last in self.others.lives.items()}
            there = sorted({each: self.namespaces[each] for each in self.lakes}.items() | lives.items())
            return 200, tuple(each for each in there if each[0].startswith(args[0]))
        if args[0].endswith("lake"):
            return self._of_lake(name, args)
        return self.others.repositories(name, args, time.monotonic())

    def _of_lake(self, name: str, args: tuple[str, ...]) -> Answered:
        lake = self.lakes.get(args[0])
        if name == "create_repository":
            if lake is not None:
                return 409, None
            self.lakes[args[0]], self.namespaces[args[0]] = self._made(), args[1]
            return 201, args[1]
        if lake is None:
            return MISSING
        if name in OF_REPOSITORIES:
            if name == "delete_repository":
                del self.lakes[args[0]]
            return 200, self.namespaces[args[0]]
        content = self._content(args[0], args[1]) if name == "get_entry" else None
        if content is not None:  # of a commit, too
            return (200, content[args[2]]) if args[2] in content else MISSING
        if name in {"get_pull", "edit_pull", "close_pull", "merge_pull"}:
            args = (args[0], *self.pulls.get(args[1], (TRUNK, TRUNK)), *args[1:])
        found = lake.entries(name, args)
        if name == "create_pull" and found[0] < 300:
            self.pulls[str(found[1])] = args[1], args[2]
        if name == "import":
            self.imports[args[4]] = found
        return found

    def _content(self, repository: str, ref: str) -> Mapping[str, str] | None:
        """Path to value; None: there is no such branch or commit."""
        if repository in self.others.lives:
            return dict.fromkeys(self.others.lives[repository].paths, "") if ref == TRUNK else None
        if repository not in self.lakes:
            return None
        lake = self.lakes[repository]
        return lake.branches[ref].shown if ref in lake.branches else lake.commits.get(ref)

    def listing(self, repository: str, ref: str) -> Answered:
        """By path, where its content lies: no value is written twice."""
        with self._lock:
            found = self._content(repository, ref)
        if found is None:
            return MISSING
        return 200, {path: f"mem://data/{value}" for path, value in sorted(found.items())}

    def listed_branches(self, repository: str) -> Answered:
        with self._lock:
            if repository in self.others.lives:
                return 200, sorted(self.others.lives[repository].branches)
            return (200, sorted(self.lakes[repository].branches)) if repository in self.lakes else MISSING

    def log(self, repository: str, ref: str, *, first_parent: bool) -> Answered:
        """The commits that a ref leads to, newest first: id and message."""
        with self._lock:
            lake = self.lakes.get(repository)
            if lake is None or ref not in {*lake.branches, *lake.commits}:
                return MISSING
            line = [lake.branches[ref].line[0] if ref in lake.branches else ref]
            while line[-1] in lake.parents:
                line.append(lake.parents[line[-1]])
            names = line if first_parent else sorted(lake.ancestors[line[0]])
            return 200, [(name, lake.messages.get(name, "")) for name in names]
