"""What clients of a service ask for, at random: names that come and go, each for a while crowded, and one repository
that stays."""

from collections.abc import Mapping
from random import Random
from typing import Final

import attrs

from lakeproof.services.judging import TRUNK

PATHS: Final = tuple(f"a/{number}" for number in range(6))
MERGED: Final = "merged"
"""The branch that takes merges, and nothing else."""
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
    "create_branch": 7,
    "delete_branch": 3,
    "get_branch": 3,
}
"""How often."""
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
LOOKS_AGAIN: Final = 0.4

Wish = tuple[str, tuple[str, ...]]
"""The name of a call, and its arguments."""


@attrs.define
class Names:
    """All clients of a round take names from here, so that they meet."""

    prefix: str
    namespace: str
    """What storage namespaces begin with: each create has one of its own, which tells lives apart."""
    used: set[str] = attrs.field(factory=set)
    _repositories: int = 0
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
        """The name of the hour, or the one before it."""
        self._repositories += 1
        number = max(0, self._repositories // TURNS_OF_NAME - (rng.random() < 0.3))
        name = f"{self.prefix}-r{number}"
        self.used.add(name)
        return name

    def side(self, rng: Random) -> str:
        """The branch of the hour, or the one before it: they come and go."""
        self._sides += 1
        return f"{SIDE}{max(0, self._sides // TURNS_OF_SIDE - (rng.random() < 0.3))}"

    def path(self) -> str:
        """A path that nobody has used for long."""
        self._paths += 1
        return f"c/{self._paths // TURNS_OF_PATH}"


def entry_wish(rng: Random, names: Names) -> Wish:
    """A call on the repository that stays."""
    lake, path, value = names.lake, rng.choice(PATHS), names.unique()
    match kind := _chosen(rng, OF_ENTRIES):
        case "create":
            return "create_entry", (lake, TRUNK, names.path() if rng.random() < 0.7 else path, value)
        case "set":
            return "set_entry", (lake, TRUNK, path, value)
        case "delete":
            return "delete_entry", (lake, TRUNK, path)
        case "get":
            return "get_entry", (lake, TRUNK, path)
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
        case _:
            return kind, (lake, names.side(rng))


def repository_wish(rng: Random, names: Names) -> Wish:
    """A call on repositories that come and go. Branches and paths are of one call alone."""
    kind = _chosen(rng, OF_REPOSITORIES)
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


def follow_ups(rng: Random, wish: Wish) -> tuple[Wish, ...]:
    """What a client asks next, as long as all goes well: whether what it has just changed is so, or whether what it has
    just written can be forgotten."""
    name, args = wish
    if name == "set_entry" and args[1].startswith(SIDE):
        branch, path = args[:2], args[:3]
        ways: list[tuple[Wish, ...]] = [
            (("reset_branch", branch), ("get_entry", path)),
            (("delete_branch", branch), ("create_branch", (*branch, TRUNK)), ("get_entry", path)),
        ]
        return rng.choice(ways) if rng.random() < LOOKS_AGAIN else ()
    if rng.random() >= LOOKS_AGAIN:
        return ()
    if name in {"create_repository", "delete_repository"}:
        return (("get_repository", args[:1]),)
    if name in {"create_branch", "delete_branch"} and args[1].startswith(SIDE):
        return (("get_branch", args[:2]),)
    if name in {"set_entry", "create_entry", "delete_entry"} and args[0].endswith(LAKE):
        return (("get_entry", args[:3]),)
    return ()


def _chosen(rng: Random, kinds: Mapping[str, int]) -> str:
    return rng.choices(list(kinds), list(kinds.values()))[0]
