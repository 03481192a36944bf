"""No false alarms: histories of a service that does one thing after the other, seen through overlapping intervals, with
calls that nobody answered, never violate anything; and with one answer or one entry changed they often do."""

from random import Random

import attrs
import pytest

from lakeproof.model.invariants import Violation
from lakeproof.model.snapshot import Status
from lakeproof.services.calls import NEVER, Call
from lakeproof.services.judging import TRUNK, Content, Held, Last, judge_entries, judge_repositories
from lakeproof.services.presence import Judgement
from lakeproof.services.wishes import MERGED, Names, Wish, entry_wish, repository_wish

CALLS = 60


@attrs.define
class Branch:
    """content: what is committed; staged: what is not, None for a deleted path."""

    line: list[str]
    content: dict[str, str]
    staged: dict[str, str | None] = attrs.field(factory=dict)

    @property
    def shown(self) -> dict[str, str]:
        merged = {**self.content, **self.staged}
        return {path: value for path, value in merged.items() if value is not None}


@attrs.define
class Simple:
    """A service that is obviously right. Each method returns a status code and a value."""

    branches: dict[str, Branch] = attrs.field(factory=lambda: {TRUNK: Branch([], {}), MERGED: Branch([], {})})
    commits: dict[str, Content] = attrs.field(factory=dict)
    ancestors: dict[str, frozenset[str]] = attrs.field(factory=dict)
    lives: dict[str, Last] = attrs.field(factory=dict)

    def entries(self, name: str, args: tuple[str, ...]) -> tuple[int, str | None]:
        branch = self.branches.get(args[1])
        if name == "create_branch":
            if branch is not None:
                return 409, None
            head = self.branches[TRUNK]
            self.branches[args[1]] = Branch(list(head.line), dict(head.content))
            return 201, None
        if branch is None:
            return 404, None
        match name:
            case "delete_branch":
                del self.branches[args[1]]
            case "reset_branch":
                branch.staged.clear()
            case "delete_entry":
                branch.staged[args[2]] = None
            case "get_entry":
                found = branch.shown.get(args[2])
                return (404, None) if found is None else (200, found)
            case "create_entry" if args[2] in branch.shown:
                return 412, None
            case "set_entry" | "create_entry":
                branch.staged[args[2]] = args[3]
            case "commit":
                return 201, self._commit(branch, f"c{args[2]}", branch.shown, frozenset())
            case "merge":
                source = self.branches[args[2]]
                theirs = self.ancestors[source.line[0]] if source.line else frozenset[str]()
                return 200, self._commit(branch, f"m{len(self.commits)}", dict(source.content), theirs)
        return 204, None

    def _commit(self, branch: Branch, name: str, content: dict[str, str], theirs: frozenset[str]) -> str:
        ours = self.ancestors[branch.line[0]] if branch.line else frozenset[str]()
        self.commits[name], self.ancestors[name] = content, ours | theirs | {name}
        branch.line.insert(0, name)
        branch.content, branch.staged = content, {}
        return name

    def repositories(self, name: str, args: tuple[str, ...]) -> tuple[int, object]:
        if name == "list_repositories":
            return 200, tuple((each, last.life) for each, last in sorted(self.lives.items()))
        last = self.lives.get(args[0])
        if name == "create_repository":
            if last is not None:
                return 409, None
            self.lives[args[0]] = Last(args[1], frozenset({TRUNK}))
            return 201, args[1]
        if last is None:
            return 404, None
        if name == "delete_repository":
            del self.lives[args[0]]
        elif name == "create_branch":
            self.lives[args[0]] = attrs.evolve(last, branches=last.branches | {args[1]})
        elif name == "set_entry":
            self.lives[args[0]] = attrs.evolve(last, paths=last.paths | {args[2]})
        return 200, last.life if name == "get_repository" else None

    @property
    def held(self) -> Held:
        return Held(
            branches={name: branch.shown for name, branch in self.branches.items()},
            logs={name: branch.line for name, branch in self.branches.items()},
            ancestors=self.ancestors,
            commits=self.commits,
        )


def wishes(rng: Random, *, entries: bool) -> list[Wish]:
    names = Names("p", "ns")
    return [(entry_wish if entries else repository_wish)(rng, names) for _ in range(CALLS)]


def driven(rng: Random, service: Simple, *, entries: bool) -> list[Call]:
    """Calls that take effect one after the other; their intervals overlap, and one in twelve is not answered: then it
    has happened at its moment, or later, or never."""
    moments = [(number, wish) for number, wish in enumerate(wishes(rng, entries=entries))]
    late = {number: number + rng.uniform(0, 20) for number, _ in moments if rng.random() < 1 / 12}
    spans: list[tuple[float, float, Call]] = []
    order = sorted(moments, key=lambda each: late.get(each[0], each[0]))
    for number, (name, args) in order:
        call = Call(0, name, args, 0)
        began = number - rng.uniform(0, 4)
        if number in late and rng.random() < 0.4:
            spans.append((began, number + 5.0, call))
            continue
        code, value = (service.entries if entries else service.repositories)(name, args)
        if number not in late:
            call.status, call.code = (Status.OK if code < 300 else Status.FAIL), code
            call.value = value if isinstance(value, str | tuple) else None
        spans.append((began, number + rng.uniform(0, 4), call))
    numbers = {at: rank for rank, at in enumerate(sorted(at for began, ended, _ in spans for at in (began, ended)), 1)}
    for began, ended, call in spans:
        call.began, call.noted = numbers[began], numbers[ended]
        call.ended = NEVER if call.status is Status.INFO else call.noted
    return sorted((call for _, _, call in spans), key=lambda each: each.began)


def broken(judgements: list[Judgement]) -> list[str]:
    return [f"{name}: {found.evidence}" for name, found in judgements if isinstance(found, Violation)]


@pytest.mark.parametrize("group", range(4))
def test_a_service_that_is_right_is_never_blamed(group: int) -> None:
    for seed in range(group * 25, group * 25 + 25):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=True)
        assert broken(list(judge_entries(calls, service.held))) == [], seed
        calls = driven(rng, service, entries=False)
        assert broken(list(judge_repositories(calls, service.lives))) == [], seed


def test_most_lost_entries_are_noticed() -> None:
    noticed = tried = 0
    for seed in range(60):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=True)
        content = service.held.branches[TRUNK]
        if content:
            tried += 1
            gone = rng.choice(sorted(content))
            held = service.held
            held.branches[TRUNK] = {path: value for path, value in content.items() if path != gone}
            noticed += bool(broken(list(judge_entries(calls, held))))
    assert noticed > tried / 4


def test_most_wrong_answers_about_repositories_are_noticed() -> None:
    noticed = 0
    for seed in range(60):
        service, rng = Simple(), Random(seed)
        calls = driven(rng, service, entries=False)
        refused = [call for call in calls if call.name == "create_repository" and call.status is Status.FAIL]
        wrong = rng.choice(refused)
        wrong.status, wrong.code = Status.OK, 201
        noticed += bool(broken(list(judge_repositories(calls, service.lives))))
    assert noticed > 20
