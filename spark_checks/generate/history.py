"""The shape of histories: blocks of commits, each laid out by one of a few patterns. Pure.

A repository's commits are numbered; commit c is number ``c % size`` of block ``c // size``. The first ``mains`` of a
block continue the main line; the others are features that fork from a main commit of the block, or from each other.
Many are merged into a later main commit of the block, as second parents; some merge main; the rest end as open
branches, or dangle. Generations can be told without a walk: what a merge brings in is never of a higher generation than
the first parent. So is every ancestor over first parents, of which ranges and metaranges are made.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, TypeVar

import attrs

from lakeproof.spark_checks.generate.sizes import salt

T = TypeVar("T")

MAINS: Final = 20
SIZE: Final = 32
PATTERNS: Final = 16
LENGTH_MAX: Final = 6
"""Commits of a feature."""


@attrs.frozen
class Place:
    """One commit of a block. Numbers are of this block; -1: none. ``parent``: of the first main commit, the last one of
    the block before. ``fork``: the main commit where its line begins; of a main commit, itself. ``line``: itself and
    its first parents down to the fork, newest first; of a main commit, nothing. ``rise``: its generation, minus the
    mains of all blocks before. ``tip``: the last one of its feature; of a main commit, itself."""

    number: int
    parent: int
    second: int
    fork: int
    line: tuple[int, ...]
    rise: int
    tip: int


@attrs.frozen
class Blocks:
    """How many commits there are in a block, how many of them on main, and the patterns."""

    size: int
    mains: int
    patterns: tuple[tuple[Place, ...], ...]

    def mains_among(self, commits: int) -> int:
        """How many of a repository's first commits are on its main line."""
        whole, rest = divmod(commits, self.size)
        return whole * self.mains + min(rest, self.mains)

    def main(self, position: int) -> int:
        """The number of the main commit at a position of the main line."""
        whole, rest = divmod(position, self.mains)
        return whole * self.size + rest


def blocks(seed: int, straight: bool) -> Blocks:
    if straight:
        return Blocks(1, 1, ((Place(0, -1, -1, 0, (), 1, 0),),))
    return Blocks(SIZE, MAINS, tuple(pattern(Random(salt(seed, "pattern", at))) for at in range(PATTERNS)))


def pattern(random: Random) -> tuple[Place, ...]:
    """A block laid out by chance."""
    places = [Place(at, at - 1, -1, at, (), at + 1, at) for at in range(MAINS)]
    while len(places) < SIZE:
        places += _feature(random, places)
    for feature in _features(places):
        tip = feature[-1]
        later = [main for main in places[tip.rise : MAINS] if main.second < 0]
        if later and random.random() < 0.6:
            into = _pick(random, later)
            places[into.number] = attrs.evolve(into, second=tip.number)
    return tuple(places)


def _pick(random: Random, among: Sequence[T]) -> T:
    """Of the methods of `Random`, only this one is the same in all versions of Python."""
    return among[int(random.random() * len(among))]


def _feature(random: Random, places: list[Place]) -> list[Place]:
    """A line of a few commits."""
    first = len(places)
    forks = [place for place in places if place.rise <= MAINS - 2]
    fork = _pick(random, forks if random.random() < 0.25 else [place for place in forks if place.number < MAINS])
    length = min(_pick(random, range(1, LENGTH_MAX + 1)), SIZE - first, MAINS - fork.rise)
    found: list[Place] = []
    below = fork
    for number in range(first, first + length):
        mains = range(below.fork + 1, below.rise)  # newer than the fork, and not above the first parent
        second = _pick(random, mains) if mains and random.random() < 0.2 else -1
        line = (number, *below.line)
        below = Place(number, below.number, second, below.fork, line, below.rise + 1, first + length - 1)
        found.append(below)
    return found


def _features(places: list[Place]) -> Iterator[list[Place]]:
    at = MAINS
    while at < len(places):
        end = places[at].tip + 1
        yield places[at:end]
        at = end
