"""A service that does one kind of call wrongly, now and then, in one of a few ways."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Final

import attrs

from lakeproof.live.lakefs.calls import MERGES
from lakeproof.live.lakefs.contents import RepositoryState
from tests.live.simple import Answered, Branch, Simple

OFTEN: Final = 0.4
STATE: Final = ("branches", "commits", "parents", "messages", "ancestors", "tags", "pulls", "lives")


@attrs.define
class Wrong(Simple):
    """misdeed: ``lost``, acknowledged and not done; ``again``, done once more, some calls later; ``refused``, done, and
    refused; ``granted``, though its condition does not hold; ``stale``, answered as some calls before; ``partial``, a
    commit without one of its paths, or a merge without one of its ancestors; ``emptied``, a merge without one of its
    paths; ``haunted``, what is created has what was
    deleted under its name."""

    misdeed: str = ""
    of: str = ""
    clock: int = 0
    late: list[tuple[int, Callable[[], object]]] = attrs.field(factory=list)
    older: Mapping[str, object] = attrs.field(factory=dict)
    dead: dict[str, RepositoryState] = attrs.field(factory=dict)
    ghosts: dict[str, Branch] = attrs.field(factory=dict)

    def entries(self, name: str, args: tuple[str, ...]) -> Answered:
        return self._wrongly(name, args, lambda: Simple.entries(self, name, args))

    def repositories(self, name: str, args: tuple[str, ...], now: float) -> Answered:
        return self._wrongly(name, args, lambda: Simple.repositories(self, name, args, now))

    def _state(self) -> dict[str, object]:
        return {name: deepcopy(getattr(self, name)) for name in STATE}

    def _set(self, state: Mapping[str, object]) -> None:
        for name, part in state.items():
            setattr(self, name, part)

    def _wrongly(self, name: str, args: tuple[str, ...], do: Callable[[], Answered]) -> Answered:
        self.clock += 1
        for at, again in list(self.late):
            if at <= self.clock:
                self.late.remove((at, again))
                again()
        if self.misdeed == "stale" and self.clock % 16 == 0:
            self.older = self._state()
        if self.misdeed == "haunted" and name.startswith("delete"):
            self.dead.update(deepcopy(self.lives))
            self.ghosts.update(deepcopy(self.branches))
        return self._misdone(name, args, do) if name == self.of and self.rng.random() < OFTEN else do()

    def _misdone(self, name: str, args: tuple[str, ...], do: Callable[[], Answered]) -> Answered:
        before = self._state()
        if self.misdeed == "granted":
            self._make_room(name, args)
        if self.misdeed == "stale":
            self._set(deepcopy(dict(self.older)))
        code, value = do()
        match self.misdeed:
            case "lost" | "stale":
                self._set(before)
            case "again" if code < 300:
                self.late.append((self.clock + self.rng.randrange(2, 16), do))
            case "refused" if code < 300:
                return 412, None
            case "partial" if self.of in MERGES and code < 300:
                self.ancestors[str(value)] -= {self.rng.choice(sorted(self.ancestors[str(value)]))}
            case "partial" | "emptied" if code < 300:
                self._lose_a_path(self.branches[args[1]])
            case "haunted" if code < 300:
                self._haunt(args)
        return code, value

    def _lose_a_path(self, branch: Branch) -> None:
        if branch.content:
            del branch.content[self.rng.choice(sorted(branch.content))]
            self.commits[branch.line[0]] = branch.content

    def _make_room(self, name: str, args: tuple[str, ...]) -> None:
        match name:
            case "create_repository":
                self.lives.pop(args[0], None)
            case "create_tag":
                self.tags.pop(args[1], None)
            case "create_branch":
                self.branches.pop(args[1], None)
            case _:
                self.branches[args[1]].staged[args[2]] = None

    def _haunt(self, args: tuple[str, ...]) -> None:
        if args[0] in self.dead:
            self.lives[args[0]] = attrs.evolve(self.dead[args[0]], life=args[1])
        elif len(args) > 1 and args[1] in self.ghosts:
            self.branches[args[1]].staged.update(self.ghosts[args[1]].staged)
