"""Runs of `lakeproof service` on the fake lakeFS."""

import math
from collections.abc import Mapping

import attrs
import pytest
import trio
from click.testing import Result

from lakeproof.live.engine import Load, Plan, Workload, run_rounds
from lakeproof.live.lakefs.api import LakeFS, address
from lakeproof.live.lakefs.judge import NO_ISSUES
from lakeproof.live.lakefs.known_issues import KnownIssues
from lakeproof.live.lakefs.rounds import ServiceReport, Traffic, drive
from lakeproof.live.lakefs.workload import OF_ENTRIES
from lakeproof.live.report import Report
from tests.commands import lakeproof
from tests.fake_lakefs.bugs import DOUBTFUL, OUTSIDE
from tests.fake_lakefs.server import fake_lakefs

ONE_ROUND = Plan(rounds=1, calls=400)


def service(*words: str, bugs: str = "", seed: int = 5, calls: int | None = 400) -> Result:
    """The command. calls: of each round, about, however slow the machine is; None: rounds are measured in time, as
    --restart-with needs it."""
    options = ("--storage-namespace", "mem://lakeproof", "--import-from", ",".join(OUTSIDE), "--seed", str(seed))

    async def counted(workload: Workload, report: Report, plan: Plan) -> None:
        await run_rounds(workload, report, attrs.evolve(plan, calls=calls))

    with fake_lakefs(bugs, seed) as dsn, pytest.MonkeyPatch.context() as patch:
        patch.setattr("lakeproof.live.lakefs.rounds.run_rounds", counted)
        return lakeproof("service", dsn, *options, *words)


def run(
    bugs: str = "",
    plan: Plan = ONE_ROUND,
    *,
    seed: int = 1,
    servers: int = 1,
    often: Mapping[str, int] = OF_ENTRIES,
    issues: KnownIssues = NO_ISSUES,
) -> tuple[ServiceReport, Traffic]:
    """Rounds that are counted in calls. Nothing stays on the server, unless connections are lost."""
    with fake_lakefs(bugs, seed, servers) as dsn:
        client = LakeFS(address(dsn), timeout=60, connections=8)
        traffic = Traffic(Load(clients=8, seconds=math.inf, seed=seed), client, "mem://lakeproof")
        traffic.sources, traffic.often, traffic.issues = OUTSIDE, often, issues
        done = trio.run(drive, traffic, plan)
        assert DOUBTFUL in bugs or client.perform("list_repositories", ("lakeproof-",)) == ()
    return done, traffic
