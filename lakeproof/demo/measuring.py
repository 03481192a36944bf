"""Counts and latencies of calls, by kind."""

from collections.abc import Sequence
from math import ceil
from typing import Final

import attrs

from lakeproof.model.snapshot import Status

PERCENTILES: Final = (50, 95, 99)


def percentile(ascending: Sequence[float], percent: float) -> float:
    """The smallest value that at least ``percent`` of all do not exceed (nearest rank); 0 of none."""
    if not 0 < percent <= 100:
        raise ValueError(f"percentile {percent}: expected more than 0 and at most 100; choose such a number")
    return ascending[max(ceil(len(ascending) * percent / 100) - 1, 0)] if ascending else 0.0


@attrs.define
class Kind:
    """What became of the calls of one kind. Latencies in seconds, of all that came to an end."""

    ok: int = 0
    refused: int = 0
    """Ended with a definite error. A read that finds nothing is ok."""
    unknown: int = 0
    """Ended with an indefinite error."""
    retries: int = 0
    """Writes: staged again because the token had changed. Commits: a `SetIf` on the branch that failed. Locked: a
    lock that was taken."""
    seconds: list[float] = attrs.field(factory=list)

    def add(self, status: Status, seconds: float, retries: int) -> None:
        self.ok += status is Status.OK
        self.refused += status is Status.FAIL
        self.unknown += status is Status.INFO
        self.retries += retries
        self.seconds.append(seconds)

    def latencies(self) -> tuple[float, ...]:
        """p50, p95, p99 and the largest, in seconds."""
        ascending = sorted(self.seconds)
        return (*(percentile(ascending, percent) for percent in PERCENTILES), ascending[-1] if ascending else 0.0)


@attrs.define
class Measured:
    """All kinds, in the order of their names here, and for how long they were measured."""

    kinds: dict[str, Kind] = attrs.field(
        factory=lambda: {kind: Kind() for kind in ("write", "delete", "read", "list", "commit")}
    )
    seconds: float = 0.0
    """Of traffic: the time that went into judging does not count."""

    def add(self, kind: str, status: Status, seconds: float, retries: int) -> None:
        if kind in self.kinds:
            self.kinds[kind].add(status, seconds, retries)

    def rate(self, kind: str) -> float:
        """Successful calls a second."""
        return self.kinds[kind].ok / self.seconds if self.seconds else 0.0
