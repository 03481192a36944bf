"""`lakeproof replay`: a trace, executed on the flows as they are now; or on a real program behind the gate."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lakeproof.commands.group import complain
from lakeproof.commands.options import from_option
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED

if TYPE_CHECKING:
    from lakeproof.gate.cuts import Exchange
    from lakeproof.gate.guided import GuidedResult
    from lakeproof.gate.run import Schedule
    from lakeproof.gate.scenario import GateScenario
    from lakeproof.scenario import Scenario
    from lakeproof.search.trace import Trace
    from lakeproof.verify.loader import Source


@click.command("replay")
@click.argument("trace_file", metavar="TRACE", type=click.Path(path_type=Path))
@from_option
@click.option(
    "--gate", "profile", metavar="PROFILE", help="Lead a real program through it: a Python file with PROFILE."
)
@click.option("--log", type=click.Path(path_type=Path), metavar="FILE", help="With --gate: write the effects to a log.")
def command(trace_file: Path, file: Path | None, profile: str | None, log: Path | None) -> int:
    """Execute a trace on the real flows and compare every step.

    Exit code 0 if the code still follows the trace, 1 if not.

    With --gate, a real program is led through the schedule of the trace, request by request. Exit code 0 if the
    program violates the invariant, too; 1 if not; 3 if the schedule did not come to its end.
    """
    from lakeproof.search.trace import read
    from lakeproof.verify.loader import LoadError, Source, scenario_named

    trace = read(trace_file)
    if trace.file is not None and file is None:
        raise LoadError(f"{trace_file}: its scenario is in {trace.file}; say where that is with --from {trace.file}")
    source = Source(file)
    scenario = scenario_named(source.load([trace.scenario]), trace.scenario, str(trace_file))
    if profile is not None:
        return _on_a_program(trace, scenario, profile, log)
    if log is not None:
        raise click.UsageError("--log is for --gate: a replay on the flows is not recorded")
    return _on_the_flows(trace, trace_file, scenario, source)


def _on_the_flows(trace: "Trace", trace_file: Path, scenario: "Scenario", source: "Source") -> int:
    from lakeproof.search.fence import Undecided
    from lakeproof.search.replay import ReplayDiverged, replay
    from lakeproof.search.trace import TraceError
    from lakeproof.show.story import story
    from lakeproof.show.style import console
    from lakeproof.verify.isolation import isolate_code
    from lakeproof.words import plural

    try:
        with isolate_code(scenario, source):
            done = replay(trace, scenario)
    # The name of the file is only known here.
    except TraceError as error:
        raise TraceError(f"{trace_file}: {error}") from error
    except Undecided as error:
        complain(f"{trace_file}: {error}")
        return INCONCLUSIVE
    except ReplayDiverged as error:
        complain(f"{trace_file}: {error}")
        return VIOLATED
    out = console()
    out.print(story([trace]), soft_wrap=True)
    out.print(f"replayed: {plural(done.steps, 'step')}; the code still follows the trace", soft_wrap=True)
    return AS_EXPECTED


def _on_a_program(trace: "Trace", scenario: "Scenario", name: str, log: Path | None) -> int:
    import trio

    from lakeproof.gate.effect_log import write
    from lakeproof.gate.guided import GuidedResult, expected_requests
    from lakeproof.gate.profile import load
    from lakeproof.verify.outputs import unwritable
    from lakeproof.words import first_of

    profile = load(name)
    search = GuidedResult(expected_requests(trace, profile))
    exchanges: list[tuple[str, Exchange]] = []
    try:
        schedule = trio.run(partial(_run_guided, profile.scenario(trace, scenario), profile.file, search, exchanges))
    except BaseExceptionGroup as errors:
        raise first_of(errors) from None
    code = _print_guided(trace, search, schedule)  # before a log that perhaps cannot be written
    if log is not None:
        effects = [(client, profile.effect(each) if profile.effect else None) for client, each in exchanges]
        try:
            count = write(log, [(client, *effect) for client, effect in effects if effect is not None])
        except OSError as error:
            raise unwritable(log, error.strerror or str(error), "--log") from error
        if not count:
            complain(f"{log}: no request was an effect, as the profile has them (effect=); the log is empty")
    return code


async def _run_guided(
    scenario: "GateScenario", file: Path, search: "GuidedResult", exchanges: "list[tuple[str, Exchange]]"
) -> "Schedule":
    from lakeproof.gate.startup import open_runner

    async with open_runner(scenario, file) as runner:
        search.begin()
        schedule = await runner.schedule(search)
        # Before the runner is closed, which stops the program.
        exchanges += runner.exchanges()
        return schedule


def _print_guided(trace: "Trace", search: "GuidedResult", schedule: "Schedule") -> int:
    """The requests beside the steps that they are, where the program does otherwise, and what came of it."""
    from lakeproof.words import plural

    for number, (line, step) in enumerate(zip(search.lines, schedule.steps, strict=False), start=1):
        mode = "" if step.mode == "normal" else f"  ({step.mode})"
        beside = "its own" if line.step is None else f"step {line.step.number}: {line.step.sentence}"
        click.echo(
            f"{number:4}  {step.name.client}  {step.name.label} -> {step.status or 'no answer'}{mode}  [{beside}]"
        )
    for each in search.otherwise:
        click.echo(f"otherwise: {each}")
    if schedule.trouble or schedule.outcome is None:
        why = schedule.trouble or schedule.unreal or schedule.unproved or "it was given up"
        complain(f"the schedule did not come to its end: {why}")
        return INCONCLUSIVE
    for client, calls in schedule.outcome.results.items():
        for call, returned in calls:
            click.echo(f"{client}: {call} -> {returned.value if returned.ok else returned.error}")
    followed = sum(line.step is not None for line in search.lines)
    own = len(search.lines) - followed
    manner = (
        f"otherwise in {plural(len(search.otherwise), 'place')}" if search.otherwise else "in the order of the trace"
    )
    click.echo(
        f"of {len(search.steps)} steps that are requests the program made {followed}, {manner}; "
        f"requests of its own: {own}"
    )
    # The schedule came to its end, but something about it is not sure, so neither verdict is.
    if schedule.unproved:
        complain(f"nothing is shown: {schedule.unproved}")
        return INCONCLUSIVE
    # 1: the program does not do what the trace says, as for a replay on the flows.
    if not schedule.violated:
        click.echo(f"not violated on the program: {trace.invariant}")
        return VIOLATED
    for evidence in schedule.violated.values():
        click.echo(f"violated on the program: {trace.invariant}\nevidence: {evidence}")
    return AS_EXPECTED
