"""The command ``mutants``: would these scenarios notice a fault in the code that they run?"""

import json
import sys
import time
from pathlib import Path
from typing import Final

import attrs
import click

from lakeproof.commands.group import complain
from lakeproof.commands.options import seconds_option
from lakeproof.commands.runs import jobs_option, patterns_argument
from lakeproof.mutation.campaign import UNREACHED, Campaign, JudgedMutant, judge, reaches, relevant
from lakeproof.mutation.coverage import Index
from lakeproof.mutation.mutants import NotMutable
from lakeproof.mutation.operators import OPERATORS
from lakeproof.mutation.report import as_object, report, share_killed
from lakeproof.mutation.results import Results
from lakeproof.mutation.work import KILLED, SURVIVED, TIMED_OUT, Bounds
from lakeproof.show.progress import SILENCE_SECONDS
from lakeproof.verify.loader import Source, choose
from lakeproof.verify.machine import cores
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, UNUSABLE, VIOLATED, plural

_NAMES: Final = [each.name for each in OPERATORS]


@click.command("mutants")
@patterns_argument
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Load scenarios from a Python file, and mutate its functions.",
)
@click.option("--engine", is_flag=True, help="Mutate the search and the checker of histories, not flows.")
@click.option("--in", "only", metavar="PART", help="Mutate only files or functions whose name has this part.")
@click.option("--operator", "names", multiple=True, type=click.Choice(_NAMES), help="Apply only these operators.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per mutant.")
@click.option("--known", is_flag=True, help="Report what the results know already; run no mutant.")
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("out/mutants.jsonl"),
    show_default=True,
    metavar="FILE",
    help="Keep results here. What is in it and still valid is not run again.",
)
@seconds_option("--max-seconds", default=30.0, help_="Limit of a scenario.")
@click.option(
    "--max-states",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    metavar="N",
    help="Limit of a scenario: N times the states that it has unchanged.",
)
@jobs_option
@click.option("--deep", is_flag=True, help="Also judge by the scenarios that take minutes.")
@click.option("--all-killers", "thorough", is_flag=True, help="Run every judge: a mutant's killers are all known then.")
def command(
    patterns: tuple[str, ...],
    file: Path | None,
    engine: bool,
    only: str | None,
    names: tuple[str, ...],
    as_json: bool,
    known: bool,
    results: Path,
    max_seconds: float,
    max_states: int,
    jobs: int | None,
    deep: bool,
    thorough: bool,
) -> int:
    """Change the flows in small ways, and look which changes the scenarios notice.

    A PATTERN chooses scenarios, as in `verify`. All functions of flows that they execute are mutated. A mutant is
    killed if a verdict of an invariant differs from its expectation. The report says which share each invariant
    kills, and the score of each design. Exit code 1 if one survives.
    """
    source = Source(file)
    if engine and file is not None:
        raise click.UsageError("--engine is judged by the catalogue; leave --from out")
    known_ones = source.load()
    if engine:
        from lakeproof.mutation import histories

        known_ones = (*known_ones, *histories.SCENARIOS)
    chosen = choose(known_ones, patterns, deep=deep)
    jobs = jobs or cores()
    names_of = [each.name for each in chosen]
    # Scores of designs mean something only if all of the catalogue judges.
    whole = not patterns and file is None
    plan = Campaign.of(source, names_of, Bounds(factor=max_states, seconds=max_seconds), engine=engine, whole=whole)
    plan = attrs.evolve(plan, thorough=thorough)
    kept = Results(results)
    listener = _ProgressLines()
    click.echo(f"scenarios={len(chosen)} jobs={jobs} results={results}", err=True)
    try:
        # First every scenario as it is: which functions it executes tells which mutants it can judge.
        index = Index(reaches(plan, kept, jobs, listener))
        mutants = relevant(plan, index, only or "", [each for each in OPERATORS if not names or each.name in names])
        if not mutants:
            raise click.UsageError(f"no mutant is left by --in {only!r} and --operator {' '.join(names)!r}; widen them")
        judged: list[JudgedMutant] = []
        # Without processes only results that are kept come back.
        for each in judge(plan, mutants, index, kept, 0 if known else jobs, listener):
            judged.append(each)
            if as_json:
                click.echo(json.dumps(as_object(each)))
    except NotMutable as error:
        complain(str(error))
        return UNUSABLE
    except KeyboardInterrupt as error:
        complain(f"interrupted; {results} keeps what is known, and the same command goes on from there")
        raise click.Abort from error
    finally:
        kept.close()  # also on Ctrl-C: what was judged is kept
    if not as_json:
        click.echo("\n".join(report(judged, whole=whole)))
    return _exit_code(judged, len(mutants) - len(judged), as_json=as_json)


def _exit_code(judged: list[JudgedMutant], left_out: int, *, as_json: bool) -> int:
    share = share_killed(judged)
    left = [each for each in judged if not each.equivalent]
    # A mutant was declared equivalent, and a scenario tells it apart: the declaration is wrong.
    stale = [each for each in judged if each.equivalent and each.verdict.fate == KILLED]
    shown = "nothing could be killed" if share is None else f"{100 * share:.1f} % killed"
    reached = sum(each.verdict.fate != UNREACHED for each in judged)
    missing = f"; not judged yet: {left_out:,}" if left_out else ""
    click.echo(f"\n{plural(reached, 'mutant')}: {shown}{missing}", err=as_json)
    if stale or any(each.verdict.fate == SURVIVED for each in left):
        return VIOLATED
    return INCONCLUSIVE if left_out or any(each.verdict.fate == TIMED_OUT for each in left) else AS_EXPECTED


class _ProgressLines:
    """Progress on stderr: a line now and then."""

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()
        self._fates: dict[str, int] = {}

    def reached(self, done: int, total: int) -> None:
        self._say(f"mutants: {done:,} of {total:,} scenarios as they are")

    def judged(self, done: int, total: int, found: JudgedMutant | None) -> None:
        if found is not None:
            self._fates[found.verdict.fate] = self._fates.get(found.verdict.fate, 0) + 1
        counts = ", ".join(f"{count:,} {fate}" for fate, count in sorted(self._fates.items()))
        self._say(f"mutants: {done:,} of {total:,} judged: {counts}")

    def _say(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= SILENCE_SECONDS:
            self._last = now
            sys.stderr.write(f"{line}, after {now - self._started:.0f} s\n")
