"""What a page shows that walks a state space: plain values for each path, made anew from its moves.

Nothing is remembered from one path to the next, so an address always shows the same state. No I/O.
"""

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from lakeproof.scenario import Scenario
from lakeproof.search import describe
from lakeproof.search.execution import LABELS
from lakeproof.search.faults import BUDGETS, OF_CLIENTS, Mode
from lakeproof.search.replay import record
from lakeproof.search.trace import TraceStep, dumps
from lakeproof.show.lanes import FAULTS
from lakeproof.show.pages.walk import ForkableRun, NoSuchMove, Option, moves_of, name_of, path_of
from lakeproof.show.story import whole
from lakeproof.verify.isolation import isolate_code
from lakeproof.verify.loader import Source
from lakeproof.verify.processes import Listener, run
from lakeproof.verify.tasks import Outcome, Verdict, Verify
from lakeproof.version import version
from lakeproof.words import Unusable, seconds

PATH_MAX: Final = 2_000
"""A path may have so many moves: its state is made by executing all of them."""
MEMORY_BYTES_MAX: Final = 1 << 30


class Explorer:
    """A scenario to walk in."""

    def __init__(self, scenario: Scenario, source: Source, seconds_max: float) -> None:
        self.scenario = scenario
        self.source = source
        self.task = Verify(seconds_max=seconds_max, memory_bytes_max=MEMORY_BYTES_MAX)
        self.broken: str | None = None
        """Where a guided tour leads: a path to a violation. None: there is no tour."""

    def lead(self) -> None:
        """Make a guided tour, to the first violation that a search finds.

        Raises:
            Unusable: it finds none, or cannot search.
        """
        [outcome] = run(self.task, [self.scenario], self.source, 1, Listener())
        if outcome.trouble:
            raise Unusable(outcome.trouble)
        paths = [path_of(each.trace.schedule) for each in outcome.verdicts if each.trace is not None]
        if not paths:
            raise Unusable(f"{self.scenario.name}: nothing is violated within the limits: there is no tour to lead")
        self.broken = min(paths, key=len)  # as a text: about the fewest moves

    def state(self, path: str) -> dict[str, object]:
        """The state that a path leads to, and all moves out of it.

        Raises:
            NoSuchMove: the path cannot be walked.
            Unusable, Undecided: the scenario's code failed.
        Cost: the path is executed once for itself, and once for each move out of its end.
        """
        # A flow may loop for ever without an effect: the fence turns that into an error.
        with isolate_code(self.scenario, self.source):
            walk = ForkableRun(self.scenario)
            try:
                return self._state(walk, path)
            finally:
                walk.close()

    def _state(self, walk: ForkableRun, path: str) -> dict[str, object]:
        steps, before = [], walk.contents()
        met = dict.fromkeys(walk.verdicts.violations, 0)  # violated by the initial state already
        taken: list[TraceStep] = []
        # One move is parsed at a time, so that an error can name its step.
        for number, name in enumerate(self._names(path), start=1):
            [move] = moves_of(name)
            if not walk.possible(move):
                possible = ", ".join(map(name_of, walk.world.moves())) or "nothing: it is the end"
                raise NoSuchMove(f"step {number}, {name}: it is not possible there; possible: {possible}")
            before = walk.contents()
            taken.append(walk.describe(move))
            # In the order of the scenario, and each only at the step that has violated it first.
            fresh = [name for name in self.scenario.ids if name in walk.verdicts.violations and name not in met]
            met.update(dict.fromkeys(fresh, number))
            steps.append({**_step(taken[-1], before), "path": path_of(taken), "violates": fresh})
        options = list(walk.options())
        return {
            "path": path,
            "steps": steps,
            "before": before,
            "after": walk.contents(),
            "clients": list(self._clients(walk)),
            "budgets": list(self._budgets(walk)),
            "options": [_option(option, path) for option in options],
            "invariants": [self._invariant(walk, name, met) for name in self.scenario.ids],
            "end": not options,
            "command": self._command(path),
        }

    def _names(self, path: str) -> list[str]:
        # Parsed as a whole first: a path that has no meaning is refused before anything is executed.
        moves = moves_of(path)
        if len(moves) > PATH_MAX:
            raise NoSuchMove(f"the path has {len(moves):,} moves; at most {PATH_MAX:,} are walked")
        return path.split(",") if path else []

    def _clients(self, walk: ForkableRun) -> Iterator[dict[str, object]]:
        for client, calls in enumerate(self.scenario.clients):
            alive = walk.world.alive(client)
            state = "" if alive else "crashed" if walk.world.crashed[client] else "has finished"
            call = describe.describe_call(walk.world.clients[client].current_view()) if alive else ""
            yield {
                "label": LABELS[client],
                "calls": [describe.printable(str(call)) for call in calls],
                "state": f"waits for {_waits(walk, client)}" if alive else state,
                "call": call,
            }

    def _budgets(self, walk: ForkableRun) -> Iterator[dict[str, object]]:
        for kind in BUDGETS:
            if whole_budget := getattr(self.scenario.faults, kind):
                yield {"name": kind.replace("_", " "), "left": walk.world.left[kind], "of": whole_budget}
        if jumps := self.scenario.faults.clock_jumps:
            yield {"name": "clock jumps", "left": len(jumps) - walk.world.jumps, "of": len(jumps)}

    def _invariant(self, walk: ForkableRun, name: str, met: Mapping[str, int]) -> dict[str, object]:
        """What this one path tells of an invariant: never that it is proved."""
        violation = walk.violation(name)
        if violation is not None:
            state, evidence = "violated", describe.printable(violation.evidence)
        else:
            # Without evidence an invariant holds vacuously here, which says nothing.
            state, evidence = "holds here" if walk.verdicts.reached.get(name) else "not tested yet", ""
        return {
            "id": name,
            "meaning": describe.printable(self.scenario.meaning(name)),
            "state": state,
            "evidence": evidence,
            "step": met.get(name, 0),
        }

    def _command(self, path: str) -> str:
        where = ["--from", str(self.source.file)] if self.source.file else []
        return shlex.join(["lakeproof", "explore", self.scenario.name, *where, *(["--path", path] if path else [])])

    def search(self) -> dict[str, object]:
        """Search all schedules, within a limit: the verdict on each invariant, with the path to its violation. Code of
        a user's file runs in a process of its own, as in `verify`: its failure is part of the answer.

        Raises:
            Unusable: the file cannot be loaded any more.
        """
        [outcome] = run(self.task, [self.scenario], self.source, 1, Listener())
        return export_outcome(outcome)

    def trace(self, path: str, invariant: str) -> str:
        """The trace of a path that violates an invariant, as a file: up to the step that violates it.

        Raises:
            NoSuchMove: the path cannot be walked, or does not violate it.
        """
        shown = self.state(path)
        rows = shown["invariants"]
        assert isinstance(rows, list)
        steps = {row["id"]: row["step"] for row in rows if row["state"] == "violated"}
        if invariant not in steps:
            raise NoSuchMove(f"{describe.brief(invariant)} is not violated on this path")
        # A trace ends with the step that violates; a replay would find the violation earlier than it is recorded.
        moves = moves_of(path)[: steps[invariant]]
        with isolate_code(self.scenario, self.source):
            return dumps(record(self.scenario, invariant, moves, version=version(), file=self.source.name))


def export_outcome(outcome: Outcome) -> dict[str, object]:
    """What a search has found, as plain values."""
    return {
        "summary": describe.printable(outcome.trouble) or _coverage_text(outcome),
        "verdicts": {verdict.invariant: _verdict(verdict) for verdict in outcome.verdicts},
    }


def _coverage_text(outcome: Outcome) -> str:
    states = f"{outcome.states:,} states, {seconds(outcome.seconds)} s"
    if outcome.complete:
        return f"all schedules were searched: {states}"
    if outcome.stopped:
        return f"stopped: {describe.printable(outcome.stopped)}; {states}"
    return f"ended when all that is sought was violated: {states}"


def _verdict(verdict: Verdict) -> dict[str, object]:
    return {
        "verdict": verdict.verdict,
        "why": describe.printable(verdict.why),
        "steps": 0 if verdict.trace is None else len(verdict.trace.schedule),
        "path": None if verdict.trace is None else path_of(verdict.trace.schedule),
    }


def _step(step: TraceStep, before: Mapping[str, str]) -> dict[str, object]:
    return {
        "client": step.client,
        "effect": step.mode.value if step.mode in OF_CLIENTS else "clock" if step.mode is Mode.TICK else step.effect,
        "late": step.mode is Mode.DELIVER,
        "sentence": describe.printable(whole(step, before)),
        "fault": "" if step.mode is Mode.NORMAL else FAULTS[step.mode],
        "keys": [change.key for change in step.changes],
        "key": step.key,
        "returned": list(step.returned),
        "at": step.at,
    }


def _waits(walk: ForkableRun, client: int) -> str:
    """What a client waits for: one effect, or those of its tasks."""
    return "; ".join(str(walk.pending(client, task)) for task, _ in walk.world.clients[client].open)


def _option(option: Option, path: str) -> dict[str, object]:
    name = name_of(option.move)
    return {
        **_step(option.step, {}),  # its own sentence is replaced below
        "sentence": describe.printable(option.sentence),
        "name": name,
        "path": f"{path},{name}" if path else name,
        "violates": [[invariant, evidence] for invariant, evidence in option.violated],
    }
