"""The command line. Results go to stdout, progress and errors to stderr; heavy imports wait for their command."""

import importlib.metadata
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, ParamSpec

import click

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.verification import Verdict, Verification

AS_EXPECTED: Final = 0
VIOLATED: Final = 1
UNUSABLE: Final = 2
INCONCLUSIVE: Final = 3
INTERRUPTED: Final = 130

ROWS_MAX: Final = 40
"""More scenarios than this are shown as a matrix of invariants by variants."""

P = ParamSpec("P")

FROM = click.option("--from", "source", metavar="FILE", help="Take scenarios from this Python file, not the catalogue.")


def fail(message: str) -> NoReturn:
    """One clear line on stderr, exit code 2."""
    click.echo(f"lakeproof: {message}", err=True)
    sys.exit(UNUSABLE)


def diverged(trace_file: str, error: Exception) -> NoReturn:
    """A trace that the code does not follow: not what was expected, exit code 1."""
    click.echo(f"lakeproof: {trace_file}: the code no longer follows this trace: {error}", err=True)
    sys.exit(VIOLATED)


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors that a user can mend into one line, and Ctrl-C into exit code 130."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        from lakeproof.explore.execution import NondeterministicFlow, UnexpectedError
        from lakeproof.explore.trace import TraceError
        from lakeproof.scenario import ScenarioError

        try:
            command(*args, **kwargs)
        except (ScenarioError, TraceError, NondeterministicFlow, UnexpectedError) as error:
            fail(str(error))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(AS_EXPECTED)
        except OSError as error:
            fail(f"{error.filename or 'output'}: {error.strerror or error}; choose a place that can be written")
        except KeyboardInterrupt:
            click.echo("lakeproof: interrupted; traces written so far are kept", err=True)
            sys.exit(INTERRUPTED)

    return run


class Plugins(click.Group):
    """A group that also offers the commands of the entry-point group ``lakeproof.commands``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *(point.name for point in _entry_points())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = super().get_command(ctx, cmd_name)
        if found is not None:
            return found
        for point in _entry_points():
            if point.name == cmd_name:
                try:
                    loaded = point.load()
                except Exception as error:  # noqa: BLE001  # a broken plug-in must not break the rest
                    fail(f"the command {cmd_name!r} cannot be loaded: {error}; is its extra installed?")
                assert isinstance(loaded, click.Command)
                return loaded
        return None


def _entry_points() -> importlib.metadata.EntryPoints:
    return importlib.metadata.entry_points(group="lakeproof.commands")


@click.group(cls=Plugins, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="lakeproof")
def main() -> None:
    """Prove or refute metadata protocols on key-value stores by running their real code."""


@main.command("scenarios")
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@FROM
@click.option("--json", "as_json", is_flag=True, help="One JSON object a scenario.")
@guarded
def list_scenarios(patterns: tuple[str, ...], source: str | None, *, as_json: bool) -> None:
    """List scenarios, with their bounds and what is expected to be violated."""
    from lakeproof.verification import bounds_of

    for scenario in _chosen(patterns, source):
        violated = sorted(name for name in scenario.ids if scenario.expected(name) == "violated")
        if as_json:
            expected = {name: scenario.expected(name) for name in scenario.ids}
            told = {"scenario": scenario.name, "bounds": bounds_of(scenario), "expected": expected}
            click.echo(json.dumps({**told, "reason": scenario.reason, "source": scenario.source}))
        else:
            refuted = f"; refuted: {', '.join(violated)}" if violated else ""
            click.echo(f"{scenario.name}  ({bounds_of(scenario)}{refuted})")


@main.command()
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@FROM
@click.option("--json", "as_json", is_flag=True, help="One JSON object a verdict, instead of tables.")
@click.option("--out", default="out/traces", show_default=True, metavar="DIR", help="Where traces go.")
@click.option("--max-states", type=click.IntRange(1), help="Give up on a scenario after this many states.")
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), help="... or after this many seconds.")
@click.option("--max-memory", type=click.IntRange(1), metavar="MIB", help="... or when a level needs more memory.")
@click.option("--jobs", type=click.IntRange(1), help="Processes. Default: the cores of this machine.")
@guarded
def verify(
    patterns: tuple[str, ...],
    source: str | None,
    *,
    as_json: bool,
    out: str,
    max_states: int | None,
    max_seconds: float | None,
    max_memory: int | None,
    jobs: int | None,
) -> None:
    """Search scenarios exhaustively: the whole catalogue, or those whose names match."""
    from lakeproof.explore.search import Limits
    from lakeproof.progress import Progress
    from lakeproof.verification import verify_all

    chosen = _chosen(patterns, source)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    limits = Limits(
        states_max=max_states,
        seconds_max=max_seconds,
        memory_bytes_max=_memory(max_memory),
    )
    done: list[Verification] = []
    traces: dict[tuple[str, str], str] = {}
    with Progress(len(chosen)) as progress:
        for verification in verify_all(chosen, source, limits, jobs or os.cpu_count() or 1):
            done.append(verification)
            traces.update(_write_traces(verification, folder))
            progress.advance(verification.scenario, verification.states)
            if as_json:
                _echo_json(verification, traces)
    _report(done, chosen, traces, folder, source, as_json=as_json)


def _memory(mebibytes: int | None) -> int:
    if mebibytes is not None:
        return mebibytes << 20
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 0.6)


def _chosen(patterns: Sequence[str], source: str | None) -> "tuple[Scenario, ...]":
    from lakeproof.catalogue import choose, load

    return choose(load(source), patterns)


def _write_traces(verification: "Verification", folder: Path) -> dict[tuple[str, str], str]:
    from lakeproof.explore.trace import write

    written = {}
    for verdict in verification.verdicts:
        if verdict.trace is not None:
            path = folder / f"{_file_name(verdict)}.json"
            write(verdict.trace, path)
            written[verdict.scenario, verdict.invariant] = str(path)
    return written


def _file_name(verdict: "Verdict") -> str:
    return re.sub(r"[^\w.-]+", "_", f"{verdict.scenario}.{verdict.invariant}")


def _echo_json(verification: "Verification", traces: dict[tuple[str, str], str]) -> None:
    from lakeproof.report.tables import json_lines

    for line in json_lines(verification, traces):
        click.echo(line)


def _report(
    done: "Sequence[Verification]",
    chosen: "Sequence[Scenario]",
    traces: dict[tuple[str, str], str],
    folder: Path,
    source: str | None,
    *,
    as_json: bool,
) -> None:
    from rich.console import Console

    from lakeproof.report.tables import matrix, verdict_table

    verdicts = [verdict for verification in done for verdict in verification.verdicts]
    unexpected = [verdict for verdict in verdicts if not verdict.as_expected]
    if not as_json:
        console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
        console.print(verdict_table(done) if len(done) <= ROWS_MAX else matrix(done))
        for verdict in unexpected:
            _explain(verdict, {s.name: s for s in chosen}, traces, source)
    errors = [verification.error for verification in done if verification.error]
    for error in errors:
        click.echo(f"lakeproof: {error}", err=True)
    for verification in done:
        if not verification.complete and not verification.error and any(v.why for v in verification.verdicts):
            where = f"{verification.scenario}: every schedule was covered up to {verification.depth} steps"
            click.echo(f"lakeproof: {where}; raise the limit to go on", err=True)
    _close(done, verdicts, unexpected, traces, folder, as_json=as_json)
    sys.exit(_exit_code(errors, unexpected, verdicts))


def _explain(
    verdict: "Verdict", scenarios: "dict[str, Scenario]", traces: dict[tuple[str, str], str], source: str | None
) -> None:
    from lakeproof.explore.trace import execute
    from lakeproof.report.story import story

    click.echo()
    if verdict.trace is None:
        why = f": {verdict.why}" if verdict.why else ""
        click.echo(f"{verdict.scenario}: {verdict.invariant} is {verdict.verdict}, expected {verdict.expected}{why}")
        return
    scenario = scenarios[verdict.scenario]
    click.echo(story(verdict.trace, scenario, execute(scenario, verdict.trace.moves)))
    click.echo(f"replay: {_replay_line(traces[verdict.scenario, verdict.invariant], source)}")


def _replay_line(path: str, source: str | None) -> str:
    return f"lakeproof replay {path}" + (f" --from {source}" if source else "")


def _close(
    done: "Sequence[Verification]",
    verdicts: "Sequence[Verdict]",
    unexpected: "Sequence[Verdict]",
    traces: dict[tuple[str, str], str],
    folder: Path,
    *,
    as_json: bool,
) -> None:
    """The last line: what was covered, what was found, where it is."""
    words = ("holds", "violated", "inconclusive")
    counts = {word: sum(verdict.verdict == word for verdict in verdicts) for word in words}
    states = sum(verification.states for verification in done)
    found = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    expected = "all as expected" if not unexpected else f"{len(unexpected)} NOT AS EXPECTED"
    where = f"; traces: {folder}/" if traces else ""
    line = f"{len(done)} scenarios, {states:,} states: {found or 'no verdicts'}; {expected}{where}"
    click.echo(line, err=as_json)


def _exit_code(errors: Sequence[str], unexpected: "Sequence[Verdict]", verdicts: "Sequence[Verdict]") -> int:
    if errors:
        return UNUSABLE
    if any(verdict.verdict != "inconclusive" for verdict in unexpected):
        return VIOLATED
    return INCONCLUSIVE if unexpected else AS_EXPECTED


@main.command()
@click.argument("trace_file", metavar="TRACE")
@FROM
@guarded
def replay(trace_file: str, source: str | None) -> None:
    """Execute a trace again on the real flows; exit code 1 if the code no longer follows it."""
    from lakeproof.catalogue import find, load
    from lakeproof.explore import trace as traces
    from lakeproof.report.story import story

    trace = traces.read(trace_file)
    scenario = find(load(source), trace.scenario)
    try:
        execution = traces.replay(trace, scenario)
    except traces.ReplayDiverged as error:
        diverged(trace_file, error)
    click.echo(story(trace, scenario, execution))
    click.echo(f"replayed: {len(execution.steps)} steps, {trace.invariant} is violated as the trace says")


@main.command()
@click.argument("trace_file", metavar="TRACE")
@FROM
@guarded
def show(trace_file: str, source: str | None) -> None:
    """Show a trace as lanes: a column a client, a row a step, and what it changed."""
    from rich.console import Console

    from lakeproof.catalogue import find, load
    from lakeproof.explore import trace as traces
    from lakeproof.report.lanes import lanes

    trace = traces.read(trace_file)
    scenario = find(load(source), trace.scenario)
    try:
        execution = traces.replay(trace, scenario)
    except traces.ReplayDiverged as error:
        diverged(trace_file, error)
    Console(width=None if sys.stdout.isatty() else 140, highlight=False).print(lanes(trace, scenario, execution))


@main.command()
@click.argument("patterns", nargs=-1, required=True, metavar="PATTERN...")
@FROM
@click.option("--strategy", type=click.Choice(["random", "pct"]), default="pct", show_default=True)
@click.option("--executions", type=click.IntRange(1), default=10_000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--depth", type=click.IntRange(1), default=3, show_default=True, help="PCT: ordering constraints.")
@click.option("--out", default="out/traces", show_default=True, metavar="DIR", help="Where traces go.")
@guarded
def walk(
    patterns: tuple[str, ...], source: str | None, strategy: str, executions: int, seed: int, depth: int, out: str
) -> None:
    """Sample executions of scenarios that are too large to exhaust. Proves nothing; finds much."""
    from lakeproof.explore.minimise import minimise
    from lakeproof.explore.sampling import sample
    from lakeproof.explore.trace import execute, record, write
    from lakeproof.report.story import story

    shown = "" if source is None else Path(source).name
    unexpected = False
    for scenario in _chosen(patterns, source):
        click.echo(f"{scenario.name}: strategy={strategy} executions={executions} seed={seed} depth={depth}")
        found = sample(scenario, strategy=strategy, executions=executions, seed=seed, depth=depth)  # type: ignore[arg-type]
        for name, counterexample in sorted(found.violations.items()):
            trace = record(scenario, name, minimise(scenario, name, counterexample.moves), source=shown)
            path = Path(out) / (re.sub(r"[^\w.-]+", "_", f"{scenario.name}.{name}.walk") + ".json")
            write(trace, path)
            unexpected = unexpected or scenario.expected(name) != "violated"
            click.echo(story(trace, scenario, execute(scenario, trace.moves)))
            click.echo(f"replay: {_replay_line(str(path), source)}\n")
        missing = [name for name in scenario.ids if name not in found.violations]
        told = f"{found.executions} executions, {found.steps:,} steps: {len(found.violations)} violated"
        cut = f" ({found.cut} cut short)" if found.cut else ""
        click.echo(f"{told}, {len(missing)} not seen to be violated{cut}")
    sys.exit(VIOLATED if unexpected else AS_EXPECTED)
