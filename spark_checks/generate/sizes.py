"""How large a dataset is, and how its sizes are shared out between repositories. Pure.

The same sizes and seed give the same dataset, row by row, whatever the machine, the cores and the partitions.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from lakeproof.words import Unusable

DAY: Final = 86_400_000_000  # microseconds
NOW: Final = 1_767_225_600_000_000
"""2026-01-01. Not the clock's time: a dataset is reproducible."""
EARLIEST: Final = 4 * 365 * DAY
"""Of ``now``: repositories are up to three years old, and nothing may be dated before 1970."""
LATEST: Final = 1 << 52
TOMBSTONE_EVERY, OUTSIDE_EVERY, IMPORTED_EVERY = 16, 32, 128
"""One tombstone more for so many staged entries; one entry more that refers to an object outside the namespace, for so
many staged ones; the same of committed ones."""


@attrs.frozen(kw_only=True)
class Sizes:
    """The sizes of a dataset. ``objects``: rows of the listing that are users' data: those that commits refer to, then
    ``staged`` and ``stale`` ones. ``ranges``: of one metarange, at most. ``versions``: of how many commits a range
    holds the objects. ``straight``: one chain without features or merges. ``skew``: its exponent."""

    repositories: int = 10
    branches: int = 60
    tags: int = 40
    commits: int = 3_000
    objects: int = 100_000
    staged: int = 20_000
    stale: int = 5_000
    deleted: int = 6
    ranges: int = 10
    versions: int = 2
    skew: float = 1.0
    seed: int = 0
    now: int = NOW
    straight: bool = False

    def __attrs_post_init__(self) -> None:
        # Of all other counts, 0 is a size.
        least = {"repositories": 1, "ranges": 1, "versions": 1, "seed": 0}
        for name in COUNTS:
            value, bound = getattr(self, name), least.get(name, 0)
            if value < bound:
                raise Unusable(f"--{name}: {value}, expected {bound} or more; choose such a number")
        for name in ("branches", "commits"):
            if getattr(self, name) < self.repositories:
                raise Unusable(
                    f"--{name}: {getattr(self, name)}, expected at least {self.repositories}, one for each repository; "
                    f"choose more {name} or fewer repositories"
                )
        if self.committed < 0:
            raise Unusable(
                f"--objects: {self.objects}, expected at least {self.staged + self.stale}, those that are staged or "
                "stale among them; choose more, or fewer of those"
            )
        if self.committed and self.commits == self.repositories:
            raise Unusable(
                f"--commits: {self.commits}, expected more than one for each repository: a first commit is empty, and "
                f"{self.committed} objects are to be committed; choose more"
            )
        if not 0 <= self.skew <= 4:
            raise Unusable(f"--skew: {self.skew}, expected 0 (all repositories alike) to 4; choose such a number")
        if not EARLIEST <= self.now < LATEST:
            raise Unusable(f"--now: {self.now}, expected microseconds from {EARLIEST} to {LATEST}; choose such a time")
        if self.versions * self.ranges > 1 << 20:
            raise Unusable(f"--versions: {self.versions}, expected at most {(1 << 20) // self.ranges}; choose fewer")

    @property
    def committed(self) -> int:
        return self.objects - self.staged - self.stale


COUNTS: Final = (
    *("repositories", "branches", "tags", "commits", "objects", "staged", "stale", "deleted", "ranges", "versions"),
    "seed",
)

PROFILES: Final = {
    "small": Sizes(),
    # The bottom line of the offline design: 20 million objects, of which 5 million uncommitted and 1 million stale.
    "offline-design": Sizes(
        repositories=20,
        branches=1_000,
        tags=200,
        commits=30_000,
        objects=20_000_000,
        staged=5_000_000,
        stale=1_000_000,
        ranges=50,
        versions=1,
    ),
    # Retention: nothing but commits.
    "one-chain": Sizes(
        repositories=1,
        branches=1,
        tags=0,
        commits=10_000_000,
        objects=0,
        staged=0,
        stale=0,
        deleted=0,
        straight=True,
    ),
    "many-repositories": Sizes(
        repositories=10_000,
        branches=30_000,
        tags=10_000,
        commits=20_000_000,
        objects=0,
        staged=0,
        stale=0,
        deleted=100,
        skew=0.5,
    ),
}


def weights(count: int, skew: float) -> list[int]:
    """Zipf's: of the first one and then less and less. Whole numbers, so that sums are exact."""
    # Scaled to 2³² before they are rounded: small weights keep their proportions, and none is 0.
    return [max(1, round((1 << 32) * (position + 1) ** -skew)) for position in range(count)]


def share_out(total: int, shares: Sequence[int], least: int = 0) -> list[int]:
    """A total in parts by weight, each with at least so much; a part of weight 0 gets nothing more. Exact."""
    rest = total - least * len(shares)
    whole = sum(shares)
    assert rest >= 0
    assert whole > 0 or rest == 0, "no share to add it to"
    parts, before, run = [], 0, 0
    for weight in shares:
        run += weight
        # Differences of running sums: the parts add up to the total, whatever the rounding of each.
        upto = rest * run // whole if whole else 0
        parts.append(least + upto - before)
        before = upto
    return parts
