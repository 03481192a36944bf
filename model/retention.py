"""Retention of committed objects: which commits are active, which are expired, and what only expired ones refer to.

A branch keeps its head, and, first parent by first parent, each commit whose child on that line was created after the
branch's *threshold* (now minus its days of retention). With seven days, on ``A`` (30 days old) <- ``B`` (20) <- ``C``
(1, the head): C is kept, and so is B, which was the head until C was made. A is not: B took its place 20 days ago.

A *dangling* commit is on no such line of any branch, whatever
its age: for it there is a dummy child of the same date, a hypothetical head under the default retention. A commit is
active if anything keeps it, else expired.

So dates of commits say what was "the head at that time". They are wrong for a branch that was moved by hand, or
deleted: the commits that it has left are on none of its lines, and count by their own dates, however lately they were
its head. `Left` is a record of such a head, ours: with it they count from when they were left.

Dates are microseconds since 1970; a day has 24 hours. A commit that is dated exactly at the threshold is not after it;
one that is dated in the future is. A line ends at a parent that is missing, and where it comes back to itself (damaged
data). A rule for a branch that does not exist keeps nothing.
Source: committed-object-retention.md; the readings are distinguished in docs/designs/retention.md.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, cast

import attrs

from lakeproof.model.identifiers import BranchID, CommitID
from lakeproof.model.records import Commit

DAY: Final = 86_400_000_000  # microseconds
DAYS_MAX: Final = (1 << 31) - 1  # the wire format of lakeFS' rules has 32 bits for them

Commits = Mapping[CommitID, Commit]
Heads = Mapping[BranchID, CommitID]


class InvalidRules(ValueError):
    """Rules that cannot be read. Says the value, what is expected, and the repair."""


def _by_name(branches: Iterable[tuple[BranchID, int]]) -> tuple[tuple[BranchID, int], ...]:
    return tuple(sorted(branches, key=lambda rule: rule[0]))


@attrs.frozen
class Rules:
    """How many days branches keep their commits. ``branches``: those that differ from the default, by id."""

    default_days: int
    branches: tuple[tuple[BranchID, int], ...] = attrs.field(default=(), converter=_by_name)
    _days: Mapping[BranchID | None, int] = attrs.field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        _check_days("default_retention_days", self.default_days)
        found: dict[BranchID | None, int] = {}
        for branch_id, days in self.branches:
            _check_days(f"retention_days of branch {branch_id!r}", days)
            if branch_id in found:
                raise InvalidRules(f"branch_id {branch_id!r}: expected one rule for a branch; leave one out")
            found[branch_id] = days
        # A table beside the sorted pairs: `threshold` is called for each branch of each state.
        object.__setattr__(self, "_days", found)

    @classmethod
    def parse(cls, text: str | bytes) -> "Rules":
        """Rules as lakeFS writes them:
        ``{"default_retention_days": 21, "branches": [{"branch_id": "main", "retention_days": 28}]}``.

        Raises InvalidRules, also for fields that it does not know: a misspelt one must not become a default.
        """
        try:
            # JSON allows a field twice, and Python would take the last one: here either could be meant.
            found: object = json.loads(text, object_pairs_hook=_fields)
        except (ValueError, RecursionError) as error:
            if isinstance(error, InvalidRules):  # from the hook: it says more than the JSON error would
                raise
            raise InvalidRules(f"{text[:40]!r}: expected a JSON object ({error}); write one") from None
        fields = _object("the rules", found, {"default_retention_days", "branches"})
        if "default_retention_days" not in fields:
            raise InvalidRules("default_retention_days is missing: expected a number of days; add it")
        branches = fields.get("branches", [])
        if not isinstance(branches, list):
            raise InvalidRules(f"branches: {branches!r}, expected a list of rules; put it in brackets")
        return cls(
            cast("int", fields["default_retention_days"]),
            tuple(_rule(position, each) for position, each in enumerate(cast("list[object]", branches))),
        )

    def encode(self) -> str:
        """What `parse` reads; equal rules have equal texts."""
        branches = [{"branch_id": name, "retention_days": days} for name, days in self.branches]
        return json.dumps({"default_retention_days": self.default_days, "branches": branches})

    def threshold(self, branch_id: BranchID | None, now: int) -> int:
        """Microseconds since 1970: a commit keeps its first parent on this branch's line if it was created later.
        None: of hypothetical heads."""
        return now - DAY * self._days.get(branch_id, self.default_days)


def _fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidRules(f"fields {[name for name, _ in pairs]!r}: expected each once; leave the others out")
    return found


def _object(what: str, found: object, known: set[str]) -> dict[str, object]:
    if not isinstance(found, dict):
        raise InvalidRules(f"{what}: {found!r}, expected a JSON object; put it in braces")
    fields = cast("dict[str, object]", found)
    for name in fields:
        if name not in known:
            raise InvalidRules(f"{what}: {name!r}, expected one of {sorted(known)}; correct its spelling")
    return fields


def _rule(position: int, found: object) -> tuple[BranchID, int]:
    what = f"branches[{position}]"
    fields = _object(what, found, {"branch_id", "retention_days"})
    branch_id, days = fields.get("branch_id"), fields.get("retention_days")
    if not isinstance(branch_id, str) or not branch_id:
        raise InvalidRules(f"{what}: branch_id is {branch_id!r}, expected the name of a branch; add it")
    return BranchID(branch_id), cast("int", days)


def _check_days(what: str, days: object) -> None:
    # JSON's true would pass for one day: a bool is an int.
    if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= DAYS_MAX:
        raise InvalidRules(f"{what}: {days!r}, expected a whole number of days from 0 to {DAYS_MAX}; write one")


@attrs.frozen(order=True)
class Start:
    """Where a line begins: the commit at hand, and the threshold that its children must be after. ``child``: the date
    of the dummy that leads to the commit; None for a branch's head, which is kept in any case."""

    threshold: int
    commit_id: CommitID
    child: int | None = None


def first_parent(commits: Commits, commit_id: CommitID) -> CommitID | None:
    """None for a first commit, and where the parent is missing."""
    parents = commits[commit_id].parents
    return parents[0] if parents and parents[0] in commits else None


def dangling(commits: Commits, heads: Heads) -> frozenset[CommitID]:
    """The commits that are on the line of first parents of no branch. O(commits + branches)."""
    on_lines: set[CommitID] = set()
    for head in heads.values():
        # A line that joins one that was walked goes on as that did: so all lines together are linear.
        at: CommitID | None = head if head in commits else None
        while at is not None and at not in on_lines:
            on_lines.add(at)
            at = first_parent(commits, at)
    return frozenset(commits.keys() - on_lines)


def starts(commits: Commits, heads: Heads, rules: Rules, now: int) -> list[Start]:
    """All heads that are there, and the hypothetical ones: those with the longest retention first."""
    real = [Start(rules.threshold(branch, now), head) for branch, head in heads.items() if head in commits]
    threshold = rules.threshold(None, now)
    hypothetical = [Start(threshold, each, commits[each].creation_date) for each in dangling(commits, heads)]
    # Sorted by commit within one threshold: `dangling` is a set, whose order differs from run to run.
    return sorted([*real, *hypothetical], key=lambda start: (start.threshold, start.commit_id))


def active(
    commits: Commits, heads: Heads, rules: Rules, now: int, *, tagged: Iterable[CommitID] = ()
) -> frozenset[CommitID]:
    """The commits that are kept. A line ends at the first commit that is not after its threshold.

    ``tagged``: commits that are kept as such, ours: the text knows no tags. O(commits + lines * log lines).
    """
    kept = {each for each in tagged if each in commits}
    passed: set[CommitID] = set()
    for start in starts(commits, heads, rules, now):
        # Where a line was that comes earlier, with the same or a longer retention, that one keeps all that this one
        # would keep from there on.
        kept.update(_kept_line(commits, start, passed))
    return frozenset(kept)


def _kept_line(commits: Commits, start: Start, passed: set[CommitID]) -> Iterator[CommitID]:
    """The line of first parents as far as it is kept, and to the first commit that was passed; it passes its own."""
    at: CommitID | None = start.commit_id
    keeps = start.child is None or start.child > start.threshold
    while at is not None and keeps:
        yield at
        # Damaged data may have a cycle of parents.
        if at in passed:
            return
        passed.add(at)
        keeps = commits[at].creation_date > start.threshold  # strictly: a commit dated at the threshold is too old
        at = first_parent(commits, at)


@attrs.frozen(order=True)
class Left:
    """A head that a branch has left otherwise than by a commit on top of it: it was moved by hand, or deleted."""

    branch_id: BranchID
    commit_id: CommitID
    time: int | None
    """When it was left, in microseconds since 1970; None: unknown whether it was."""


def remembered_commits(commits: Commits, left: Iterable[Left], rules: Rules, now: int) -> frozenset[CommitID]:
    """The commits that heads keep that were left: as if each had, on its branch, a child of the date when it was left.

    "7 days ago, the branch's HEAD pointed to commit B": so B is kept until it has been left for seven days, and of its
    line what B itself keeps. The rule is that of the branch, be it deleted or not. O(lines).
    """
    kept: set[CommitID] = set()
    for each in left:
        if each.commit_id in commits:
            # `each.time` None is "not known to be left": then it is kept, as the head of a branch is.
            start = Start(rules.threshold(each.branch_id, now), each.commit_id, each.time)
            kept.update(_kept_line(commits, start, set()))
    return frozenset(kept)


def objects_to_delete(
    references: Mapping[CommitID, Iterable[str]], kept: frozenset[CommitID], staged: Iterable[str] = ()
) -> frozenset[str]:
    """The addresses that only expired commits refer to: no active one, and no staged entry. ``references``: those of
    every commit, by commit."""
    gone: set[str] = set()
    spared = set(staged)
    for commit_id, addresses in references.items():
        (spared if commit_id in kept else gone).update(addresses)
    return frozenset(gone - spared)
