"""The command ``gate replay``: a schedule of a real program, run again, once or many times.

Each time the store is restored, and the processes are kept, as between the schedules of a search. Three replays, of
which one differs:

    violated: counted_once     violated: counted_once     violated: nothing

The trace is then no counterexample that can be relied upon: the exit code is 3, and the lines say what differed, how
often, and in which replay first.
"""

import shlex
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import attrs
import click

from lakeproof.gate.run import Schedule
from lakeproof.gate.scenario import GateScenario
from lakeproof.gate.scenario_files import load_scenarios
from lakeproof.gate.search import TELL_SECONDS, complete_work
from lakeproof.gate.startup import Unjudged, open_runner
from lakeproof.gate.strategies import Replayed
from lakeproof.gate.traces import GateTrace, read
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable


@attrs.frozen(kw_only=True)
class ReplayResult:
    """What one replay has shown. Two are equal if they say the same."""

    violated: frozenset[str] = frozenset()
    otherwise: str = ""
    """A step that was answered otherwise than in the trace."""
    undecided: str = ""
    """Why nothing is shown."""

    def __str__(self) -> str:
        if self.undecided:
            return self.undecided
        found = f"violated: {', '.join(sorted(self.violated))}" if self.violated else "not violated"
        return f"{found}; {self.otherwise}" if self.otherwise else found

    @property
    def exit_code(self) -> int:
        if self.undecided:
            return INCONCLUSIVE
        return VIOLATED if self.violated else AS_EXPECTED


def verdict(schedule: Schedule, trace: GateTrace) -> ReplayResult:
    """Of one replay of a trace."""
    # A violation is shown by one schedule; that nothing is violated is not, where something was left unproved.
    why = schedule.trouble or schedule.unreal or ("" if schedule.violated else schedule.unproved)
    if why:
        return ReplayResult(undecided=f"nothing is shown: {why}")
    pairs = enumerate(zip(schedule.steps, trace.statuses, strict=True), start=1)
    other = (
        f"step {at} was answered {one.status}, in the trace {status}"
        for at, (one, status) in pairs
        if one.status != status
    )
    return ReplayResult(violated=frozenset(schedule.violated), otherwise=next(other, ""))


@click.command("replay")
@click.argument("trace", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--from",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The file of the scenario, which is executed.",
)
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, metavar="N", help="Replay it N times.")
def replay(trace: Path, file: Path | None, times: int) -> int:
    """Run the schedule of TRACE again, on the real program.

    Exit code 1 if it violates an invariant, 3 if the program diverges. With --times, 1 only if every replay has the
    verdict and the answers of the trace; 3 if one differs.
    """
    recorded = read(trace)
    # The file is code, and a trace may come from elsewhere: it is executed only if the user names it.
    if file is None:
        named = shlex.quote(recorded.file)
        raise Unusable(f"{trace}: a trace executes nothing by itself; if its file is yours, add --from {named}")
    scenarios = [each for each in load_scenarios(file) if each.name == recorded.scenario]
    if not scenarios:
        raise Unusable(f"{trace}: {file} has no scenario {recorded.scenario}")
    try:
        schedules = complete_work(partial(_replay_trace, scenarios[0], file, recorded, times))
    except Unjudged as error:
        click.echo(str(error), err=True)
        return INCONCLUSIVE
    _show(recorded)
    verdicts = [verdict(each, recorded) for each in schedules]
    if times > 1:
        return _often(verdicts, recorded)
    return _once(schedules[0], verdicts[0])


async def _replay_trace(scenario: GateScenario, file: Path, trace: GateTrace, times: int) -> list[Schedule]:
    found = []
    last = time.monotonic()
    async with open_runner(scenario, file) as runner:
        for number in range(1, times + 1):
            # A new one each time, as it remembers how far it is in the trace.
            search = Replayed(trace.choices)
            search.begin()
            found.append(await runner.schedule(search))
            if time.monotonic() - last > TELL_SECONDS:
                last = time.monotonic()
                click.echo(f"{scenario.name}: {number} of {times} so far", err=True)
    return found


def _show(trace: GateTrace) -> None:
    for number, client, request, answer in trace.rows():
        click.echo(f"{number:>4}  {client}  {request} -> {answer}")


def _once(schedule: Schedule, found: ReplayResult) -> int:
    if found.undecided or found.otherwise:
        click.echo(found.undecided or found.otherwise, err=True)
    if not found.undecided:
        lines = [f"violated: {name}\nevidence: {evidence}" for name, evidence in schedule.violated.items()]
        click.echo("\n".join(lines) or "not violated")
    return found.exit_code


def _often(found: Sequence[ReplayResult], trace: GateTrace) -> int:
    """Tell each verdict with how often it came, the most frequent one first."""
    times = len(found)
    [first, *others] = sorted(dict.fromkeys(found), key=lambda each: -found.count(each))
    # Equal to the recorded result: the same violations, and no step that was answered otherwise.
    if not others and first == ReplayResult(violated=frozenset(trace.violated)):
        click.echo(f"{times} of {times}: violated, same invariant: {', '.join(sorted(first.violated))}")
        return VIOLATED
    for each in (first, *others):
        since = f"; first in replay {found.index(each) + 1}" if others else ""
        click.echo(f"{found.count(each)} of {times}: {each}{since}")
    if others or first.undecided or first.violated:
        click.echo(f"the trace has violated: {', '.join(sorted(trace.violated))}")
        return INCONCLUSIVE
    return AS_EXPECTED
