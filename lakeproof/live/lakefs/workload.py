"""What clients of a service ask for, at random: names that come and go, each for a while crowded, and one repository
that stays.

Eight branches of that repository stay, too. Calls that may change a whole branch excuse much of what happens there, so
each kind of them has a branch of its own, and `TRUNK` has none.

Example: what two clients do first. After a write to a path that others use, too, a client may look at it; a write
to the branch of pull requests is committed and offered.

>>> rng, names = Random(2), Names("p", "mem://n")
>>> first = plan_entry_call(rng, names)
>>> first, follow_ups(rng, first, names)
(('set_entry', ('p-lake', 'main', 'a/0', '1')), (('get_entry', ('p-lake', 'main', 'a/0')),))
>>> rng, names = Random(11), Names("p", "mem://n")
>>> first = plan_entry_call(rng, names)
>>> first, *follow_ups(rng, first, names)  # doctest: +NORMALIZE_WHITESPACE
(('set_entry', ('p-lake', 'offered', 'o/1', '1')),
 ('commit', ('p-lake', 'offered', '2')),
 ('create_pull', ('p-lake', 'pulled', 'offered', '3')))
"""

from collections.abc import Iterable, Iterator, Mapping
from random import Random
from typing import Final

import attrs

from lakeproof.live.lakefs.promises import TRUNK

PATHS: Final = tuple(f"a/{number}" for number in range(6))
MERGED: Final = "merged"
"""The branch that takes merges, and nothing else."""
UNDONE: Final = "undone"
"""The branch of reverts and cherry-picks."""
MOVED: Final = "moved"
"""The branch of hard resets."""
WIDE: Final = "wide"
"""The branch of many paths, which are committed seldom, and are many then."""
OFFERED: Final = "offered"
"""The branch that pull requests come from: writes and commits alone."""
PULLED: Final = "pulled"
"""The branch that takes pull requests, and nothing else."""
IMPORTED: Final = "imported"
"""The branch of imports."""
INITIAL_BRANCHES: Final = (TRUNK, MERGED, UNDONE, MOVED, WIDE, OFFERED, PULLED, IMPORTED)
"""The branches that a round begins with, and that no client deletes."""
SIDE: Final = "side"
"""What the names of branches begin with that come and go."""
LAKE: Final = "-lake"
"""What the name of the repository that stays ends with."""
OF_ENTRIES: Final = {
    "set": 20,
    "create": 20,
    "delete": 9,
    "get": 12,
    "commit": 10,
    "merge": 4,
    "side set": 14,
    "side commit": 2,
    "reset_branch": 2,
    "reset_prefix": 1,
    "reset_entry": 1,
    "erase": 4,
    "tag": 8,
    "delete_tag": 3,
    "get_tag": 2,
    "undone": 9,
    "moved": 6,
    "wide": 4,
    "wide commit": 1,
    "update_metadata": 6,
    "stat_entry": 3,
    "import": 4,
    "imported": 1,
    "offered": 3,
    "pull": 11,
    "create_branch": 7,
    "delete_branch": 3,
    "get_branch": 3,
}
"""How often."""
FOCUS: Final = 8
"""The factor by which calls of a chosen kind are more frequent."""
OF_PULLS: Final = {"merge_pull": 5, "close_pull": 2, "edit_pull": 5, "get_pull": 4}
OF_REPOSITORIES: Final = {
    "create_repository": 34,
    "delete_repository": 24,
    "get_repository": 18,
    "list_repositories": 4,
    "create_branch": 10,
    "set_entry": 10,
}
TURNS_OF_NAME: Final = 12
"""So many calls go to a name before the next one is taken, but for those of the one before it."""
TURNS_OF_PATH: Final = 5
TURNS_OF_SIDE: Final = 24
TURNS_OF_TAG: Final = 8
WIDTH: Final = 6
"""So many paths are written one after the other, before a commit takes them all."""
PULLS_MAX: Final = 2
"""Pull requests that clients meet at, the newest ones."""
SHARED: Final = "s/"
"""The prefix that imports take from each other."""
LEARNED_MAX: Final = 6
"""Commits of a branch that are remembered, the newest ones."""
OF_ENTRY: Final = frozenset({"set_entry", "create_entry", "delete_entry", "erase_entry"})
LOOKS: Final = {
    **dict.fromkeys(("create_repository", "delete_repository"), ("get_repository", 1)),
    **dict.fromkeys(("create_tag", "delete_tag"), ("get_tag", 2)),
    **dict.fromkeys(("create_branch", "delete_branch", "import"), ("get_branch", 2)),
    **dict.fromkeys(("close_pull", "edit_pull", "merge_pull"), ("get_pull", 4)),
    **dict.fromkeys(OF_ENTRY, ("get_entry", 3)),
    "update_metadata": ("stat_entry", 3),
}
"""By a call that changes something, the one that looks at it, and how many of its arguments that takes."""
COMMITTING: Final = frozenset({"commit", "cherry_pick"})
LOOKS_AGAIN: Final = 0.4

PlannedCall = tuple[str, tuple[str, ...]]
"""The name of a call, and its arguments."""


@attrs.define
class Names:
    """All clients of a round take names from here, so that they meet."""

    prefix: str
    namespace: str
    """What storage namespaces begin with: each create has one of its own, which tells lives apart."""
    sources: tuple[str, ...] = ()
    """What is imported; none: nothing is."""
    often: Mapping[str, int] = OF_ENTRIES
    """Relative frequencies of the kinds of calls on the repository that stays."""
    used: set[str] = attrs.field(factory=set)
    learned: dict[str, list[str]] = attrs.field(factory=dict)
    """By branch, the newest commits that an answer named."""
    pulls: list[str] = attrs.field(factory=list)
    """The newest pull requests."""
    _repositories: int = 0
    _tags: int = 0
    _paths: int = 0
    _sides: int = 0
    _unique: int = 0

    @property
    def lake(self) -> str:
        """The repository that stays."""
        return f"{self.prefix}{LAKE}"

    def unique(self) -> str:
        self._unique += 1
        return str(self._unique)

    def life(self) -> str:
        """A fresh storage namespace."""
        return f"{self.namespace}/{self.unique()}"

    def repository(self, rng: Random) -> str:
        self._repositories += 1
        name = f"{self.prefix}-r{_number_of_hour(rng, self._repositories, TURNS_OF_NAME)}"
        self.used.add(name)
        return name

    def side(self, rng: Random) -> str:
        self._sides += 1
        return f"{SIDE}{_number_of_hour(rng, self._sides, TURNS_OF_SIDE)}"

    def tag(self, rng: Random) -> str:
        self._tags += 1
        return f"t{_number_of_hour(rng, self._tags, TURNS_OF_TAG)}"

    def learn(self, name: str, args: tuple[str, ...], value: str) -> None:
        """Remember the commit or pull request that a call has made."""
        if name == "create_pull":
            self.pulls.append(value)
            del self.pulls[:-PULLS_MAX]
        if name in COMMITTING:
            commits = self.learned.setdefault(args[1], [])
            commits.append(value)
            del commits[:-LEARNED_MAX]

    def commit(self, rng: Random, branch: str) -> str:
        """A commit of a branch that stays, or the branch itself."""
        commits = self.learned.get(branch)
        # No commit is known before the first one was answered.
        return rng.choice(commits) if commits else branch

    def path(self) -> str:
        """A path that has not been used for long."""
        self._paths += 1
        return f"c/{self._paths // TURNS_OF_PATH}"


def _number_of_hour(rng: Random, calls: int, turns: int) -> int:
    """Of the name of the hour, or of the one before it: names come and go."""
    # Calls to the name before it meet deletes and creates that are still under way, or late.
    return max(0, calls // turns - (rng.random() < 0.3))  # a bool counts as 0 or 1


def focus_kinds(kinds: Iterable[str]) -> Mapping[str, int]:
    """`OF_ENTRIES`, with the frequencies of these kinds times `FOCUS`."""
    chosen = set(kinds)
    return {kind: count * FOCUS if kind in chosen else count for kind, count in OF_ENTRIES.items()}


def plan_entry_call(rng: Random, names: Names) -> PlannedCall:
    """A call on the repository that stays."""
    lake, path, value = names.lake, rng.choice(PATHS), names.unique()
    match kind := _draw_kind(rng, names.often):
        case "create":
            # On a path that is in use a conditional write is mostly refused. A fresh one, for a few calls, has several
            # writers that all may find it absent.
            return "create_entry", (lake, TRUNK, names.path() if rng.random() < 0.7 else path, value)
        case "set":
            return "set_entry", (lake, TRUNK, path, value)
        case "delete" | "erase" | "get":
            return f"{kind}_entry", (lake, TRUNK, path)
        case "commit":
            return "commit", (lake, TRUNK, value)
        case "merge":
            return "merge", (lake, MERGED, TRUNK)
        case "side set":
            return "set_entry", (lake, names.side(rng), path, value)
        case "side commit":
            return "commit", (lake, names.side(rng), value)
        case "create_branch":
            return kind, (lake, names.side(rng), TRUNK)
        case "reset_prefix" | "reset_entry":
            # Never on main, where a reset would excuse lost writes.
            return kind, (lake, names.side(rng), "a/" if kind == "reset_prefix" else path)
        case "tag":
            return "create_tag", (lake, names.tag(rng), names.commit(rng, TRUNK))
        case "delete_tag" | "get_tag":
            return kind, (lake, names.tag(rng))
        case "undone" | "moved" | "wide" | "offered" | "imported":
            return "set_entry", (lake, kind, f"{kind[0]}/{value}", value)
        case "wide commit":
            return "commit", (lake, WIDE, value)
        case "update_metadata" | "stat_entry" | "import" | "pull":
            return _plan_other_call(rng, names, kind, path, value)
        case _:
            return kind, (lake, names.side(rng))


def _plan_other_call(rng: Random, names: Names, kind: str, path: str, value: str) -> PlannedCall:
    """A call that concerns metadata, imports or pull requests."""
    lake = names.lake
    if kind == "update_metadata":
        return kind, (lake, TRUNK, path, value)
    if kind == "import" and names.sources:
        # Imports under one prefix replace each other's objects; one of its own shows whether an import is whole.
        prefix = SHARED if rng.random() < 0.7 else f"i/{value}/"
        return kind, (lake, IMPORTED, prefix, rng.choice(names.sources), value)
    if kind == "pull" and names.pulls:
        what, at = _draw_kind(rng, OF_PULLS), (lake, PULLED, OFFERED, rng.choice(names.pulls))
        return what, (*at, value) if what == "edit_pull" else at
    if kind == "pull":
        # Without a pull request to work on, a write makes one: `follow_ups` commits and offers it.
        return "set_entry", (lake, OFFERED, f"o/{value}", value)
    return "stat_entry", (lake, TRUNK, path)


def plan_repository_call(rng: Random, names: Names) -> PlannedCall:
    """A call on repositories that come and go. Branches and paths are of one call alone."""
    kind = _draw_kind(rng, OF_REPOSITORIES)
    if kind == "list_repositories":
        return kind, (f"{names.prefix}-r",)
    name, unique = names.repository(rng), names.unique()
    if kind == "create_repository":
        return kind, (name, names.life())
    if kind == "create_branch":
        return kind, (name, f"b{unique}", TRUNK)
    if kind == "set_entry":
        return kind, (name, TRUNK, f"p/{unique}", unique)
    return kind, (name,)


def follow_ups(rng: Random, planned: PlannedCall, names: Names) -> tuple[PlannedCall, ...]:
    """The next calls of a client, as long as all goes well: they read what it has just changed, or forget what it has
    just written."""
    name, args = planned
    # Always, not only now and then: on these branches a write alone tests nothing.
    if name == "set_entry" and args[1] in {UNDONE, MOVED, WIDE, OFFERED, IMPORTED}:
        return tuple(_on_branch(rng, args[0], args[1], names))
    if name == "set_entry" and args[1].startswith(SIDE):
        return _forgetting(rng, args) if rng.random() < LOOKS_AGAIN else ()
    if rng.random() >= LOOKS_AGAIN:
        return ()
    # Branches and paths of the repositories that come and go are used once, and judged in the end only.
    if (name in {"create_branch", "delete_branch"} and not args[1].startswith(SIDE)) or (
        name in OF_ENTRY and not args[0].endswith(LAKE)
    ):
        return ()
    look, count = LOOKS.get(name, ("", 0))
    return ((look, args[:count]),) if look else ()


def _forgetting(rng: Random, args: tuple[str, ...]) -> tuple[PlannedCall, ...]:
    """Ways to forget what was written to a branch that comes and goes."""
    branch, path = args[:2], args[:3]
    look: PlannedCall = ("get_entry", path)
    ways: list[tuple[PlannedCall, ...]] = [
        (("reset_branch", branch), look),
        (
            # The same path again, after it was reset: the new value must stay, and the old one must not come back with
            # it.
            ("reset_branch", branch),
            ("set_entry", (*path, f"{args[3]}.again")),
            look,
            look,
            ("commit", (*branch, f"{args[3]}.kept")),
        ),
        (("reset_prefix", (*branch, "a/")), look),
        (("reset_entry", path), look),
        (("delete_branch", branch), ("create_branch", (*branch, TRUNK)), look),
    ]
    return rng.choice(ways)


def _on_branch(rng: Random, lake: str, branch: str, names: Names) -> Iterator[PlannedCall]:
    """What comes after a write to a branch that stays."""
    if branch == WIDE:
        for value in (names.unique() for _ in range(WIDTH)):
            yield "set_entry", (lake, WIDE, f"w/{value}", value)
        return
    yield "commit", (lake, branch, names.unique())
    if branch == OFFERED:
        yield "create_pull", (lake, PULLED, OFFERED, names.unique())
        return
    if branch == IMPORTED:
        return
    if branch == MOVED:
        yield from (
            # To an earlier commit of the branch itself: its content is known, and its line stays one that clients have
            # made.
            ("hard_reset", (lake, MOVED, rng.choice(commits))) for commits in [names.learned.get(MOVED)] if commits
        )
    elif rng.random() < 0.5:
        yield "revert", (lake, UNDONE, names.commit(rng, UNDONE), names.unique())
    else:
        yield "cherry_pick", (lake, UNDONE, names.commit(rng, MOVED), names.unique())
    yield "get_branch", (lake, branch)


def _draw_kind(rng: Random, kinds: Mapping[str, int]) -> str:
    return rng.choices(list(kinds), list(kinds.values()))[0]
