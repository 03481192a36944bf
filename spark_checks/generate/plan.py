"""The repositories of a dataset as numbers and names: what each has, and how its commits are linked. Pure.

Every value is a hash of the seed, its kind and its index, so that any worker makes any row from the sizes alone.

Example, of `BRANCHED`, whose blocks have 32 commits: 20 on main, then the features, one after the other.

    0 .. 19          main                       commit 41 is number 9 of the second block (32 + 9)
    20 21 22         fork from 2                its parents are 40 and 54, the end of the feature that forks from 34
    23 24            fork from 21               its generation is 30: 20 mains of the first block, and ten of its own
    25 .. 30         fork from 6                the first parents of 54 are 53, 52, 34, 33, 32, and then 19: the last
    31               forks from 17              main of the first block
"""

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from lakeproof.spark_checks.generate.sizes import DAY, OUTSIDE_EVERY, TOMBSTONE_EVERY, Sizes, share_out, weights

STORAGE: Final = "s3://lake/"
DEFAULT_BRANCH: Final = "main"
SHOWN_PERIOD: Final = 6
"""A branch has one to three tokens and deals entries out to them in turn: every sixth is under the open one."""


@attrs.frozen(eq=False)
class History:
    """Commit c is number ``c % size`` of block ``c // size``. The first ``mains`` of a block continue the main line;
    others are features that fork from it, or from each other. ``first``: the first parent of each number, -1: the last
    main commit of the block before. ``second``: what some of them merge; it is never of a higher generation than the
    first parent, so that generations are known without a walk. ``tips``: where branches may end."""

    first: tuple[int, ...]
    second: dict[int, int]
    tips: tuple[int, ...]
    mains: int

    @property
    def size(self) -> int:
        return len(self.first)

    @cached_property
    def lines(self) -> list[list[int]]:
        """Each number and its first parents, newest first, down to the first one on main."""
        found: list[list[int]] = []
        for number, parent in enumerate(self.first):
            # A parent has a smaller number, so that its line is made already.
            found.append([number] if number < self.mains else [number, *found[parent]])
        return found

    def mains_among(self, commits: int) -> int:
        """How many of a repository's first commits are on its main line."""
        whole, rest = divmod(commits, self.size)
        return whole * self.mains + min(rest, self.mains)

    def main(self, position: int) -> int:
        """The number of the main commit at a position of the main line."""
        whole, rest = divmod(position, self.mains)
        return whole * self.size + rest

    def ancestor(self, c: int, steps: int) -> int:
        """So many first parents up. There must be so many."""
        block, number = divmod(c, self.size)
        line = self.lines[number]
        if steps < len(line):
            return block * self.size + line[steps]
        # Below the line of its block: main, whose positions count through all blocks.
        return self.main(block * self.mains + line[-1] - (steps - len(line) + 1))

    def generation(self, c: int) -> int:
        block, number = divmod(c, self.size)
        line = self.lines[number]
        # The mains of all blocks before, those of this block up to where the line leaves main, and the steps since.
        return block * self.mains + line[-1] + len(line)

    def parents(self, c: int, commits: int) -> tuple[int, ...]:
        """Of one of so many commits. A merge that the end of the repository cuts off has one."""
        if not c:
            return ()
        block, number = divmod(c, self.size)
        # Without a merge, a number that is beyond all commits.
        second = block * self.size + self.second.get(number, commits)
        return (self.ancestor(c, 1), *([second] if second < commits else []))


CHAIN: Final = History((-1,), {}, (0,), 1)
BRANCHED: Final = History(
    # 20 on main; a feature of three and one of two that forks from it; one of six; one of one.
    (*range(-1, 19), *(2, 20, 21), *(21, 23), *(6, 25, 26, 27, 28, 29), 17),
    # Two features are merged, having merged main before; the others are heads of branches, or dangle.
    {9: 22, 22: 4, 15: 30, 28: 9},
    (22, 24, 30, 31),
    20,
)


def digest(seed: int, kind: str, *at: object) -> bytes:
    return hashlib.sha256(":".join(map(str, (seed, kind, *at))).encode()).digest()


Hashes = NDArray[np.uint64]


def mix(seed: int, kind: str, numbers: Hashes) -> Hashes:
    """64 bits for each number, of which no two are equal: SplitMix64, from a place that is the kind's."""
    # The constants of SplitMix64. Each step is a bijection of 64 bits, hence different numbers have different hashes.
    found = numbers * np.uint64(0x9E3779B97F4A7C15) + np.uint64(int.from_bytes(digest(seed, kind)[:8]))
    found = (found ^ found >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ found >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return found ^ found >> np.uint64(31)


@attrs.frozen(eq=False)
class Repository:
    """Number ``r`` of the accessible ones. ``first_``: how many the repositories before have. ``bringing``: pairs of
    main commits with objects of their own, the first commit aside; ``shown``: staged entries that open tokens are
    known to show."""

    sizes: Sizes
    r: int
    branches: int
    tags: int
    commits: int
    committed: int
    staged: int
    stale: int
    bringing: int
    shown: int
    first_committed: int
    first_staged: int
    first_stale: int
    first_bringing: int
    first_shown: int

    # Hashes and names.

    def digest(self, kind: str, *at: object) -> bytes:
        return digest(self.sizes.seed, kind, *at)

    def below(self, bound: int, kind: str, *at: object) -> int:
        return int.from_bytes(self.digest(kind, *at)[:8]) % bound  # the bias is below bound / 2⁶⁴

    def name(self, kind: str, *at: object) -> str:
        return self.digest(kind, *at)[:8].hex().upper()

    def content_id(self, kind: str, *at: object) -> str:
        """64 hexadecimal digits, where the real thing has a hash of its content."""
        return self.digest(kind, *at).hex()

    @cached_property
    def history(self) -> History:
        return CHAIN if self.sizes.straight else BRANCHED

    @cached_property
    def id(self) -> str:
        """Not padded: one id begins as another one does, and so do their namespaces."""
        return f"repo-{self.r}"

    @cached_property
    def uid(self) -> str:
        return self.name("uid", self.r)

    @cached_property
    def home(self) -> str:
        """The partition of its records."""
        return f"{self.id}-{self.uid}"

    @cached_property
    def namespace(self) -> str:
        return STORAGE + self.id

    def commit_id(self, c: int) -> str:
        return self.content_id("commit", self.r, c)

    def branch_id(self, b: int) -> str:
        return f"feature-{b}" if b else DEFAULT_BRANCH

    def token(self, b: int, t: int = 0) -> str:
        """A staging token of a branch: 0 is the open one, 1 the newest sealed one."""
        return f"{self.id}-{self.branch_id(b)}:{self.uid}.{self.name('token', self.r, b, t)}"

    def tokens(self, b: int) -> list[str]:
        """The open one of a branch, and none, one or two that are sealed."""
        return [self.token(b, t) for t in range(self.below(3, "sealed", self.r, b) + 1)]

    # Dates.

    @cached_property
    def age(self) -> int:
        return DAY * (30 + self.below(1_065, "age", self.r))

    @cached_property
    def created(self) -> int:
        return self.sizes.now - self.age

    def date(self, c: int) -> int:
        """Ascends with generations, and is never later than now."""
        # No generation is above the number of main commits, so that no date is after now.
        step = max(self.age // (self.history.mains_among(self.commits) + 2), 1)
        return self.created + self.history.generation(c) * step + self.below(step, "date", self.r, c)

    # What each commit brings.

    @cached_property
    def share(self) -> tuple[int, int]:
        """Objects of each commit but the first one, and how many of these have one more."""
        return divmod(self.committed, max(self.commits - 1, 1))

    @cached_property
    def limit(self) -> int:
        """The last commit with an object of its own."""
        quotient, remainder = self.share
        # If there are fewer objects than commits, the first `remainder` commits have one each.
        return self.commits - 1 if quotient else remainder

    def objects(self, c: int) -> range:
        """The objects that a commit brings, by their numbers among those of all repositories."""
        quotient, remainder = self.share
        # Commit 0 is empty. Each commit before this one has `quotient` objects, and one more if it is among the first.
        first = self.first_committed + (c - 1) * quotient + min(c - 1, remainder)
        return range(first, first + quotient + (c <= remainder) if 0 < c <= self.limit else first)

    def _window(self, c: int) -> int:
        """Of so many of its last ancestors, itself included, a metarange has the ranges."""
        # The first commit writes no range.
        return min(self.sizes.ranges, self.history.generation(c) - 1)

    def writers(self, c: int) -> list[int]:
        """The commits whose ranges a metarange has, as far as they brought objects."""
        line = (self.history.ancestor(c, steps) for steps in range(self._window(c)))
        return [each for each in line if each <= self.limit]

    def has_writer(self, c: int) -> bool:
        """Whether there is any: the oldest is the first to have brought objects."""
        window = self._window(c)
        return window > 0 and self.history.ancestor(c, window - 1) <= self.limit

    # Staged entries.

    @property
    def tombstones(self) -> int:
        return self.staged // TOMBSTONE_EVERY

    @property
    def outside(self) -> int:
        return self.staged // OUTSIDE_EVERY


@lru_cache(2)
def repositories(sizes: Sizes) -> tuple[Repository, ...]:
    shares = weights(sizes.repositories, sizes.skew)
    history = CHAIN if sizes.straight else BRANCHED
    commits = share_out(sizes.commits, shares, 1)
    # A repository with one commit has nowhere to commit an object.
    writing = [share if count > 1 else 0 for share, count in zip(shares, commits, strict=True)]
    counts = zip(
        share_out(sizes.branches, shares, 1),
        share_out(sizes.tags, shares),
        commits,
        share_out(sizes.committed, writing),
        share_out(sizes.staged, shares),
        share_out(sizes.stale, shares),
        strict=True,
    )
    first: Sequence[int] = (0, sizes.committed, sizes.committed + sizes.staged, 0, 0)
    found = []
    for r, (branches, tags, has, committed, staged, stale) in enumerate(counts):
        limit = min(has - 1, committed)
        # Pairs of main commits: one of them may lose an object, the other may share one.
        bringing = (history.mains_among(limit + 1) - 1) // 2
        # Six is divisible by 1, 2 and 3: every sixth entry of a branch is under its open token, however many it has.
        rounds, rest = divmod(staged, SHOWN_PERIOD * branches)
        last = (committed, staged, stale, bringing, rounds * branches + min(rest, branches))
        found.append(Repository(sizes, r, branches, tags, has, *last, *first))
        # Numbers of all repositories follow each other, so that any worker knows where those of one begin.
        first = [before + count for before, count in zip(first, last, strict=True)]
    return tuple(found)
