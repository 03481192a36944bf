"""Runs of the demo in virtual time: it passes when everybody waits, so that nothing depends on the machine."""

from functools import cache

import attrs
import trio
from trio.testing import MockClock

from lakeproof.demo.clients import BRANCH, Settings
from lakeproof.demo.running import Demo
from lakeproof.model.contents import branch_named
from lakeproof.model.records import Branch

SMALL = Settings(
    writers=30, readers=10, folders=4, paths=4, bulk_folders=3, seconds=1.0, round_seconds=0.3, jitter_seconds=0.003
)
BUSY = attrs.evolve(SMALL, writers=60, seconds=1.0, jitter_seconds=0.006, commit_pause_seconds=0.01)
# Slow operations and many paths: most writes that get lost are not written over before anybody looks.
LOSING = Settings(
    writers=40,
    readers=10,
    folders=80,
    bulk_folders=2,
    seconds=3.0,
    jitter_seconds=0.01,
    objects_jitter_seconds=0.01,
    commit_pause_seconds=0.02,
    calls_per_second=600.0,
    single_read=True,
)
LOST = {"acknowledged-write-is-kept", "acknowledged-delete-is-kept", "commit-is-causal"}
"""What a lost entry violates."""


def virtual() -> MockClock:
    return MockClock(autojump_threshold=0)


def done(settings: Settings, demo: Demo | None = None) -> Demo:
    demo = Demo(settings) if demo is None else demo
    vars(trio._core._run)["_ALLOW_DETERMINISTIC_SCHEDULING"] = True  # as Hypothesis does it
    trio._core._run._r.seed(settings.seed)
    trio.run(demo.run, lambda _: None, 1.0, clock=virtual())
    return demo


def verdicts(demo: Demo) -> dict[str, str]:
    return {tally.id: tally.verdict for tally in demo.judge.tallies.values()}


@cache
def small() -> Demo:
    """A run of `SMALL`, to look at."""
    return done(SMALL)


def branch_of(demo: Demo) -> Branch:
    branch = branch_named(demo.world.snapshot(), BRANCH)
    assert branch is not None
    return branch
