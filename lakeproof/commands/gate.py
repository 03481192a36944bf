"""The commands ``gate run``, ``gate replay`` and ``gate serve``."""

import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.gate_replay import replay
from lakeproof.commands.group import complain
from lakeproof.commands.options import Seconds
from lakeproof.commands.runs import json_option, patterns_argument
from lakeproof.gate.classes import Classes
from lakeproof.gate.preemptions import Bounded
from lakeproof.gate.run import Chooser
from lakeproof.gate.scenario import THREADS, GateScenario, Invariant, OnTheWay
from lakeproof.gate.scenario_files import choose_scenarios
from lakeproof.gate.search import SearchProgress, all_classes, complete_work, is_tested, run_search, verdict_on
from lakeproof.gate.server import ways
from lakeproof.gate.startup import Unjudged
from lakeproof.gate.strategies import Sampled
from lakeproof.gate.traces import of, read, write
from lakeproof.impl.printable import printable
from lakeproof.show.pages.runs import html_option
from lakeproof.show.pages.summary import Summary, SummaryTable, write_summary
from lakeproof.verify.machine import cores
from lakeproof.verify.outputs import check_writable, trace_paths, unwritable
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, plural, program, replay_command, seconds

PCT_CHANGES: Final = 2
SAMPLE: Final = 100
TROUBLES_MAX: Final = 3
NOT_REACHED: Final = "reached: in no schedule a call of a client has done what it is for, so nothing is shown"
UNREAL: Final = (
    "in each schedule that was run a request waits in the store for what comes after it, which no store does; run more "
    "of them, with more preemptions or parallel=True"
)
ALL_RAISED: Final = (
    "reached: in each schedule each call of a client raises, or one of after, so nothing is shown; the first: "
)


@click.group("gate")
def command() -> None:
    """Hold the requests of a real program at its store, and run every schedule."""


@command.command("run")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@patterns_argument
@click.option(
    "--strategy",
    type=click.Choice(["all", "pct", "random"]),
    default="all",
    show_default=True,
    help="All classes of schedules; or a sample.",
)
@click.option(
    "--schedules", type=click.IntRange(1), metavar="N", help="Stop after N schedules. [default: for a sample, 100]"
)
@click.option("--seconds", "limit", type=Seconds, metavar="S", help="Stop after S seconds.")
@click.option(
    "--preemptions",
    type=click.IntRange(0),
    metavar="N",
    help="All classes with at most N preemptions: those without any first, then those with one, ...",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of a sample.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="All classes: in so many gates and programs side by side, after the first seconds. [default: cores + 1]",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out/traces"),
    show_default=True,
    metavar="DIR",
    help="Write traces to this folder.",
)
@json_option
@html_option
def run(
    file: Path,
    patterns: Sequence[str],
    strategy: str,
    schedules: int | None,
    limit: float | None,
    preemptions: int | None,
    seed: int,
    jobs: int | None,
    out: Path,
    as_json: bool,
    html: Path | None,
) -> int:
    """Run the scenarios of FILE: a real program, behind the gate, in every schedule.

    Exit code 1 if a verdict is not as the scenario expects it, 3 if not all schedules were run.
    """
    if preemptions is not None and strategy != "all":
        raise click.UsageError(f"--preemptions bounds the search of all schedules, no sample: leave out {strategy}")
    check_writable(out)
    scenarios = choose_scenarios(file, patterns)
    pairs = [(scenario.name, check.__name__) for scenario in scenarios for check in _checks_of(scenario)]
    reporter = _RunReporter(file, trace_paths(out, pairs), as_json)
    for number, scenario in enumerate(scenarios, start=1):
        search: Chooser = Sampled(schedules or SAMPLE, seed, PCT_CHANGES if strategy == "pct" else None)
        if strategy == "all":
            # The faults that a scenario has a budget for are among the ways to answer a request.
            bounded = partial(Bounded, ways=partial(ways, scenario.budgets))
            search = all_classes(scenario) if preemptions is None else bounded(preemptions)
        found, started = SearchProgress(), time.monotonic()
        try:
            # A process often waits for its program to start or to answer, so one more than there are cores keeps these
            # busy.
            complete_work(partial(run_search, scenario, file, search, schedules, limit, jobs or cores() + 1, found))
        # One scenario could not be judged, and the others can: its rows are inconclusive.
        except Unjudged as error:
            found.trouble.append(str(error))
        except Unusable:
            reporter.violations(scenario, found, search, time.monotonic() - started)
            raise
        # What has been found so far is printed and written: a search may have run for hours.
        except KeyboardInterrupt as error:
            reporter.rows_of(scenario, found, search, time.monotonic() - started)
            reporter.page(html)
            left = len(scenarios) - number
            rest = f"; {plural(left, 'scenario was', 'scenarios were')} not begun" if left else ""
            complain(f"interrupted in {scenario.name}, after {plural(search.complete, 'schedule')}{rest}")
            raise click.Abort from error
        reporter.rows_of(scenario, found, search, time.monotonic() - started)
    reporter.page(html)
    # Only now: what cannot be written takes no verdict from the screen.
    if reporter.unwritten is not None:
        raise reporter.unwritten
    return reporter.worst


@attrs.define
class _RunReporter:
    """The output of a run so far: rows on stdout, traces in files, what kept a search from being whole on stderr."""

    file: Path
    traces: Mapping[tuple[str, str], Path]
    """Where the trace of a scenario and an invariant goes."""
    as_json: bool
    worst: int = AS_EXPECTED
    rows: "list[GateRow]" = attrs.field(factory=list)
    troubles: list[str] = attrs.field(factory=list)
    unwritten: Unusable | None = None

    def rows_of(self, scenario: GateScenario, found: SearchProgress, search: Chooser, elapsed: float) -> None:
        """Tell the verdict on each invariant."""
        for invariant in _checks_of(scenario):
            self._row(scenario, invariant, found, search, elapsed)
        # Why a search with threads proves nothing: a request was taken back when another one of its client was
        # answered.
        taken_back = search.taken_back if isinstance(search, Classes) else ""
        unjudged = NOT_REACHED if scenario.reached else f"{ALL_RAISED}{printable(found.raised)}"
        unjudged = UNREAL if search.complete == found.unreal else unjudged
        missed = "" if found.reached or found.unproved or not search.complete else unjudged
        why = [*list(dict.fromkeys(found.trouble))[:TROUBLES_MAX], found.unproved, taken_back, missed]
        why += [f"no schedule spends the {kind}" for kind in _unspent(scenario, found, search)]
        for each in filter(None, why):
            self.troubles.append(f"{scenario.name}: {each}")
            click.echo(self.troubles[-1], err=True)

    def violations(self, scenario: GateScenario, found: SearchProgress, search: Chooser, elapsed: float) -> None:
        """Print what was violated before the search failed: that stands."""
        for invariant in _checks_of(scenario):
            if invariant.__name__ in found.shortest:
                self._row(scenario, invariant, found, search, elapsed)

    def _row(
        self,
        scenario: GateScenario,
        invariant: Invariant | OnTheWay,
        found: SearchProgress,
        search: Chooser,
        elapsed: float,
    ) -> None:
        row = _row(scenario, invariant, found, search, elapsed)
        shortest = found.shortest.get(row.invariant)
        if shortest is not None:
            trace = self.traces[scenario.name, row.invariant]
            try:
                write(of(shortest, scenario.name, str(self.file)), trace)
                row = attrs.evolve(row, trace=trace)
            except OSError as error:
                self.unwritten = unwritable(trace, error.strerror or str(error))
        line = attrs.asdict(row) | {"trace": row.trace and str(row.trace)}  # a Path is no JSON value
        click.echo(json.dumps(line) if self.as_json else row.describe(self.file))
        # The codes are no ranks: 3, inconclusive, is less than 1, violated.
        self.worst = max(self.worst, row.exit_code, key=_RANK.index)
        self.rows.append(row)

    def page(self, html: Path | None) -> None:
        """Write the page of the run, if one is requested."""
        if html is not None:
            write_summary(_page(self.file, self.rows, self.troubles), html)
            click.echo(f"{html}: open it in a browser", err=self.as_json)


def _checks_of(scenario: GateScenario) -> "list[Invariant | OnTheWay]":
    return [*scenario.invariants, *scenario.always]


def _page(file: Path, rows: "Sequence[GateRow]", troubles: Sequence[str]) -> Summary:
    """The page of a run: whether all is as expected, what is not, the verdicts, and each shortest schedule."""
    worst = max((row.exit_code for row in rows), key=_RANK.index, default=AS_EXPECTED)
    verdict, shown = _TOP[worst]
    surprises = [row for row in rows if row.exit_code != AS_EXPECTED]
    many = plural(len(surprises), "verdict is", "verdicts are")
    expected = f"{many} not as expected" if surprises else "all as expected"
    heads = ("scenario", "verdict", "invariant", "schedules", "which", "violate it", "seconds")
    cells = [
        (
            row.scenario,
            row.judged,
            row.invariant,
            f"{row.schedules:,}",
            row.which,
            f"{row.violating:,}",
            seconds(row.seconds),
        )
        for row in rows
    ]
    return Summary(
        kind="gate",
        subject=str(file),
        verdict=verdict,
        shown=shown,
        closing=f"{plural(len(rows), 'verdict')}, {expected}",
        tables=[
            SummaryTable(title="Verdicts", heads=heads, rows=cells, numbers=(3, 5, 6)),
            *(_schedule(row, row.trace, file) for row in rows if row.trace is not None),
        ],
        evidence=[*(line for row in surprises for line in row.describe(file).splitlines()), *troubles],
    )


def _schedule(row: "GateRow", trace: Path, file: Path) -> SummaryTable:
    """The shortest one that violates an invariant."""
    return SummaryTable(
        title=f"{row.scenario}: {row.invariant} is violated",
        heads=("step", "client", "request", "answer"),
        rows=read(trace).rows(),
        notes=[row.evidence, replay_command(trace, file, "lakeproof gate")],
    )


SOME: Final = "some"
_RANK: Final = (AS_EXPECTED, INCONCLUSIVE, VIOLATED)
_TOP: Final = {
    AS_EXPECTED: ("holds", "as expected"),
    INCONCLUSIVE: ("inconclusive", "inconclusive"),
    VIOLATED: ("violated", "not as expected"),
}
"""Of a page, by the worst exit code: the verdict that gives the colour, and the words."""


@attrs.frozen(kw_only=True)
class GateRow:
    """The verdict on one invariant."""

    scenario: str
    invariant: str
    expected: str
    verdict: str
    """``violated``; ``holds``: in all classes of schedules; else ``inconclusive``."""
    schedules: int
    """So many that a store can have were run to their end; no two of one class, where all are searched."""
    violating: int
    covers: str
    """Of which every class was run: ``all``; ``one order in each client``; ``parallel requests as threads``;
    ``at most N preemptions``, or two of these; ``some``: of nothing that has a name."""
    seconds: float
    evidence: str
    parallel: bool = True
    """Whether requests of one client that wait at the same time were let go in every order."""
    left: int | None = None
    """With a bound: so many beginnings with one preemption more were seen, and not run; None: not counted."""
    unspent: Sequence[str] = ()
    """Budgets that no schedule spends from; of a search that has run them all."""
    trace: Path | None = None
    all: bool = attrs.field(init=False, default=attrs.Factory(lambda row: row.covers == "all", takes_self=True))
    """Whether every class was run, of all orders of all requests."""

    @property
    def which(self) -> str:
        """For people: which schedules were run."""
        whole = {"all": "all of them", SOME: "not all"}.get(self.covers, f"all with {self.covers}")
        if self.left is None:
            return whole
        more = f"{plural(self.left, 'beginning')} with one more not run" if self.left else "none with more was seen"
        return f"{whole} ({more})"

    @property
    def exit_code(self) -> int:
        if self.verdict == self.expected:
            return AS_EXPECTED
        return INCONCLUSIVE if self.verdict == "inconclusive" else VIOLATED

    def describe(self, file: Path) -> str:
        """For people. file: of the scenario."""
        count = f"{plural(self.schedules, 'schedule')}, {self.which}, {seconds(self.seconds)} s"
        mark = f", NOT AS EXPECTED ({self.expected})" if self.exit_code == VIOLATED else ""
        line = f"{self.scenario}: {self.invariant} {self.verdict}{mark}: {count}"
        if not self.violating:
            return line
        verb = "violates" if self.violating == 1 else "violate"
        found = f"{line}; {self.violating} {verb} it\n  {self.evidence}"
        return f"{found}\n  {replay_command(self.trace, file, f'{program()} gate')}" if self.trace else found

    @property
    def judged(self) -> str:
        """The verdict, and whether it was expected, where that is not plain."""
        if self.verdict != self.expected:
            return f"{self.verdict} (expected: {self.expected})"
        return self.verdict if self.verdict == "holds" else f"{self.verdict} as expected"


def _row(
    scenario: GateScenario, invariant: Invariant | OnTheWay, found: SearchProgress, search: Chooser, elapsed: float
) -> GateRow:
    name = invariant.__name__
    shortest = found.shortest.get(name)
    covers = _covers(scenario, invariant, found, search)
    whole = search.all_run and not found.unproved
    # All schedules were run, and the invariant has never had anything to judge: it holds vacuously.
    if whole and not is_tested(invariant) and shortest is None:
        click.echo(f"{scenario.name}: {name} was never tested: nothing that it speaks of has happened", err=True)
    return GateRow(
        scenario=scenario.name,
        invariant=name,
        expected=scenario.expect.get(name, "holds"),
        verdict=verdict_on(invariant, found, search),
        schedules=search.complete - found.unreal,
        violating=found.counted.get(name, 0),
        covers=covers,
        seconds=round(elapsed, 3),
        evidence="" if shortest is None else shortest.violated[name],
        parallel=scenario.parallel is True,
        left=search.left if isinstance(search, Bounded) and covers != SOME else None,
        unspent=_unspent(scenario, found, search),
    )


def _unspent(scenario: GateScenario, found: SearchProgress, search: Chooser) -> list[str]:
    budgets = scenario.budgets.items() if search.all_run and not found.unproved else ()
    return [kind for kind, budget in budgets if budget and kind not in found.spent]


def _covers(scenario: GateScenario, invariant: Invariant | OnTheWay, found: SearchProgress, search: Chooser) -> str:
    """Of which every class was run."""
    # With -1 not even the schedules without a preemption are complete.
    bound = (search.covered if search.over else -1) if isinstance(search, Bounded) else None
    if found.unproved or not (search.all_run if bound is None else bound >= 0):
        return SOME
    narrowed = [] if bound is None else [f"at most {plural(bound, 'preemption')}"]
    if scenario.parallel == THREADS:
        narrowed += [] if isinstance(search, Bounded) else ["parallel requests as threads"]
        # The states on the way are those of the one order in each client that was run.
        narrowed += ["one order in each client on the way"] if invariant in scenario.always else []
    elif not scenario.parallel:
        narrowed.append("one order in each client")
    return " and ".join(narrowed) or "all"


command.add_command(replay)


@command.command("serve")
@click.argument("protocol", type=click.Choice(["s3", "dynamodb", "redis"]))
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="0: a free one.")
@click.option(
    "--bucket", "buckets", multiple=True, default=("bucket",), show_default=True, help="That exists at the start."
)
def serve(protocol: str, port: int, buckets: tuple[str, ...]) -> None:
    """Serve a store in memory on loopback, hold nothing, and print each request. Ctrl-C ends it.

    S3 and DynamoDB are under one address, Redis is alone; --bucket is for S3.
    """
    from lakeproof.gate.plain_server import serve_open

    trio.run(serve_open, port, frozenset(buckets), click.echo, protocol)
