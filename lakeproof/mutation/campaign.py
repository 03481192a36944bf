"""All mutants of the functions that some scenarios execute, each judged by the scenarios that execute its lines."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

import attrs

from lakeproof.mutation.coverage import Index, design_of
from lakeproof.mutation.equivalent import equivalents, key_of
from lakeproof.mutation.injection import engine_files, flow_files
from lakeproof.mutation.mutants import Mutant, mutants_of
from lakeproof.mutation.operators import OPERATORS, Operator
from lakeproof.mutation.pool import W, WorkerMessage, carried_out
from lakeproof.mutation.results import Results, digest_of_code, key_of_reach, key_of_verdict
from lakeproof.mutation.work import (
    SURVIVED,
    TIMED_OUT,
    UNUSABLE,
    Bounds,
    Failed,
    Judging,
    MutantResult,
    Origin,
    Reach,
    Reaching,
)
from lakeproof.verify.loader import LoadError, Source

UNREACHED: Final = "unreached"
"""The fate of a mutant of a function that no chosen scenario executes."""
NOT_EXECUTED: Final = "no scenario executes it"
REACH_SECONDS: Final = 300.0
"""How long a scenario may take as it is, while its lines are noted."""


@attrs.frozen(kw_only=True)
class JudgedMutant:
    """A mutant and what became of it."""

    mutant: Mutant
    verdict: MutantResult
    equivalent: str = ""
    """Why it is no fault, where that is known."""
    designs: tuple[str, ...] = ()
    """Those of which a scenario executes it."""


class Listener(Protocol):
    """Hears how far the work is."""

    def reached(self, done: int, total: int) -> None: ...

    def judged(self, done: int, total: int, found: JudgedMutant | None) -> None: ...


@attrs.frozen(kw_only=True)
class Campaign:
    """What is mutated, and what judges."""

    origins: Mapping[Origin, tuple[str, ...]]
    """The chosen scenarios, by where they come from."""
    files: Mapping[str, Path]
    """By name: the files that are mutated."""
    source: Source
    bounds: Bounds
    engine: bool = False
    """The files are those of the search: each process loads it anew, and its count of states must not change."""
    thorough: bool = False
    """Every judge judges, also when one has killed the mutant: all its killers are known then."""
    whole: bool = False
    """All scenarios of the catalogue were chosen: what none of them executes is of interest, too."""

    @classmethod
    def of(
        cls,
        source: Source,
        names: Sequence[str],
        bounds: Bounds,
        *,
        engine: bool = False,
        whole: bool = False,
    ) -> "Campaign":
        """For scenarios of the catalogue: all flows of the catalogue are mutated, or the engine. For those of a user's
        file: it is."""
        if source.file is not None:  # its flows, judged by its scenarios
            origins = {Origin(file=source.file): tuple(names)}
            files = {source.file.name: source.file}
            return cls(origins=origins, files=files, source=source, bounds=bounds)
        from lakeproof.designs import modules, scenarios_of
        from lakeproof.mutation import histories

        wanted = frozenset(names)
        found = {
            Origin(module.__name__): tuple(each.name for each in scenarios_of(module) if each.name in wanted)
            for module in (*modules(), *([histories] if engine else []))  # the checker of histories is judged by these
        }
        chosen = {origin: those for origin, those in found.items() if those}
        files = engine_files() if engine else flow_files()
        return cls(origins=chosen, files=files, source=source, bounds=bounds, engine=engine, whole=whole)


def reaches(plan: Campaign, results: Results, jobs: int, listener: Listener) -> tuple[Reach, ...]:
    """What each chosen scenario executes, in order of the plan.

    Raises:
        LoadError: one of them is not as expected already, or cannot be run.
    """
    code = digest_of_code(plan.source.file)
    known: dict[str, Reach] = {}
    works = []
    paths = tuple((str(path), name) for name, path in plan.files.items())
    for origin, names in plan.origins.items():
        for name in names:
            if (found := results.reach(key_of_reach(code, name, plan.files), origin)) is not None:
                known[name] = found
        missing = tuple(name for name in names if name not in known)  # in one process for each module: it plants once
        if missing:
            works.append(Reaching(origin=origin, names=missing, files=paths, seconds=REACH_SECONDS))
    total = sum(map(len, plan.origins.values()))
    for report in carried_out(works, jobs, REACH_SECONDS, afresh=plan.engine):
        if isinstance(report.message, Reach):
            known[report.message.scenario] = report.message
            # What is wrong may be the machine's doing, and is looked at again.
            if not report.message.wrong and _may_be_kept(plan, code, report):
                results.put_reach(key_of_reach(code, report.message.scenario, plan.files), report.message)
        elif isinstance(report.message, Failed):
            raise LoadError(f"{report.work.origin.module or report.work.origin.file}: {report.message.why}")
        listener.reached(len(known), total)
    found_all = tuple(known[name] for names in plan.origins.values() for name in names)
    for each in found_all:
        # A mutant would be `killed` by a verdict that is wrong without it.
        if each.wrong:
            raise LoadError(f"{each.scenario}: not as expected before anything is changed: {each.wrong}; mend it first")
    return found_all


def _may_be_kept(plan: Campaign, code: str, report: WorkerMessage[W]) -> bool:
    """Whether the key of a result, made of this code, has all that it comes from.

    Raises:
        LoadError: the code has changed: each process loads it anew.
    """
    if digest_of_code(plan.source.file) != code:
        raise LoadError("the code has changed meanwhile; run the command again, which goes on with what is as it was")
    return not report.strange


def relevant(
    plan: Campaign, index: Index, part: str = "", operators: Collection[Operator] = OPERATORS
) -> tuple[Mutant, ...]:
    """The mutants of the files that scenarios execute, in order; of all files, where the plan is ``whole``. part: of
    the name of each function, see `mutants_of`.

    Raises:
        NotMutable: a file is no Python.
    """
    alone = plan.source.file is not None  # it may hold invariants, too
    found: list[Mutant] = []
    for name, path in plan.files.items():
        if plan.whole or name in index.files:
            found += mutants_of(path, name, operators, part=part, flows_alone=alone)
    return tuple(found)


def judge(
    plan: Campaign, mutants: Sequence[Mutant], index: Index, results: Results, jobs: int, listener: Listener
) -> Iterator[JudgedMutant]:
    """Each mutant and what became of it, as it comes in. What the results know already is not run again. jobs: how many
    processes; with 0 nothing is run, and what is not known is left out."""
    code = digest_of_code(plan.source.file)
    works: list[Judging] = []
    by_work: dict[int, tuple[Mutant, str]] = {}
    done = 0

    def judged_mutant(mutant: Mutant, verdict: MutantResult) -> JudgedMutant:
        nonlocal done
        done += 1
        names = index.steps(mutant.file, mutant.lines, plan.bounds, exact=plan.engine)
        designs = tuple(dict.fromkeys(design_of(step.scenario) for step in names))
        reason = equivalents().get(key_of(mutant), "")
        judged = JudgedMutant(mutant=mutant, verdict=verdict, equivalent=reason, designs=designs)
        listener.judged(done, len(mutants), judged)
        return judged

    for mutant in mutants:
        steps = index.steps(mutant.file, mutant.lines, plan.bounds, exact=plan.engine)
        if not steps:
            # The function runs, but not these lines: that is a gap of the scenarios, like a mutant that survives.
            entered = index.executing(mutant.file, *mutant.span)
            yield judged_mutant(mutant, MutantResult(fate=SURVIVED if entered else UNREACHED, why=NOT_EXECUTED))
            continue
        # Before the steps are put in order: which judge comes first does not change the fate.
        key = key_of_verdict(code, mutant, steps, plan.bounds, thorough=plan.thorough)
        before = results.verdict(key)
        if before is not None:
            yield judged_mutant(mutant, before)
            continue
        path = plan.files[mutant.file]
        killer = results.killer(mutant)
        # The last killer first: it most likely kills again, and then the others need not run.
        steps = tuple(sorted(steps, key=lambda step: step.scenario != killer))
        work = Judging(
            file=mutant.file,
            path=path,
            code=mutant.code,
            steps=steps,
            bounds=plan.bounds,
            thorough=plan.thorough,
        )
        by_work[id(work)] = mutant, key  # `works` keeps each alive, so an id is not used twice
        works.append(work)
    for report in carried_out(works if jobs else (), jobs, plan.bounds.seconds, afresh=plan.engine):
        message = report.message
        if isinstance(message, Failed):
            fate = TIMED_OUT if message.ended else UNUSABLE  # it may hang in what no limit reaches
            message = MutantResult(fate=fate, why=message.why)
        # Once: a process that ends badly after its answer is a second message.
        if isinstance(message, MutantResult) and id(report.work) in by_work:
            mutant, key = by_work.pop(id(report.work))
            if _may_be_kept(plan, code, report):
                results.put_verdict(key, mutant, message)
            yield judged_mutant(mutant, message)
        else:
            listener.judged(done, len(mutants), None)
