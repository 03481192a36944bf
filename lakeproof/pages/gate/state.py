"""What a page shows of a run along a path: plain values, as those of a scenario of the search
(`lakeproof.pages.explorer`). No I/O.

Each invariant of every step (``always``) is asked of the beginning and of each step of this path. Those of the end are
asked where the path ends the schedule, and not before: what is half done would be judged as if it were all.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import attrs

from lakeproof.gate.aws import AWSFront
from lakeproof.gate.classes import Choice, Name
from lakeproof.gate.cuts import Made, Moment, along
from lakeproof.gate.holding import COSTS, CRASHED, CRASHED_APPLIED, ENDING, NORMAL, REFUSED
from lakeproof.gate.programs import Returned
from lakeproof.gate.running import CRASHED_CALL
from lakeproof.gate.scenario import FAULTS, GateCall, GateScenario, found_by
from lakeproof.gate.searching import tested
from lakeproof.impl.printable import printable
from lakeproof.pages.gate.contents import STORE, changed, cut, differences, in_words, key_of, rows
from lakeproof.pages.gate.paths import command, path_of
from lakeproof.pages.gate.walk import Request, Walked
from lakeproof.report.style import plural, seconds
from lakeproof.running.tasks import Unusable

VIOLATED: Final = "violated"
HOLDS: Final = "holds here"
UNTESTED: Final = "not tested yet"
AT_THE_END: Final = "is asked at the end"


@attrs.frozen
class Violated:
    """An invariant that is violated on a path: the step after which (0: at the beginning), and the evidence."""

    step: int
    evidence: str


class Shown:
    """A run along a path, made ready to be shown.

    Raises:
        Unusable: an invariant came to grief, or what the clients have asked for does not explain what the store holds.
    """

    def __init__(self, scenario: GateScenario, front: AWSFront, walked: Walked) -> None:
        self.scenario = scenario
        self.front = front
        self.walked = walked
        self.moments = along(front, walked.start, walked.made)
        self.stores = [rows(each.store, walked.names) for each in self.moments]
        self._explained()
        for each in scenario.always:
            if hasattr(each, "reached"):
                each.reached = 0
        self.violated = self._violated()
        self.tested = {each.__name__ for each in scenario.always if tested(each)}

    def _explained(self) -> None:
        """Nobody else writes into the store: what is shown of each step is what it did."""
        unlike = changed(self.stores[-1], rows(self.walked.store, self.walked.names))
        if unlike:
            raise Unusable(
                f"{self.scenario.name}: {unlike[0]}: the store was changed by a request that is no step;"
                " let each client ask under its own access key"
            )

    def _violated(self) -> dict[str, Violated]:
        found: dict[str, Violated] = {}
        for step, moment in enumerate(self.moments):
            for name, evidence in self._asked(moment):
                found.setdefault(name, Violated(step, evidence))
        for name, evidence in self.walked.violated.items():
            found.setdefault(name, Violated(len(self.walked.steps), evidence))
        return found

    def _asked(self, moment: Moment) -> Iterator[tuple[str, str]]:
        """The invariants of every step that a moment violates, with evidence."""
        for each in self.scenario.always:
            evidence = found_by(self.scenario.name, each.__name__, partial(each, moment, self._calls(moment.client)))
            if evidence is not None:
                yield each.__name__, evidence

    def _calls(self, client: str) -> list[GateCall]:
        """The calls of a client; of one that has crashed, those that it has made."""
        if client in self.walked.crashed:
            return [call for call, _ in self.walked.results[client]]
        return list(calls_of(self.scenario, client)) if client else []

    def told(self, file: Path) -> dict[str, object]:
        """All that the page shows. file: as the user has named it."""
        walked, path = self.walked, path_of(self.walked.choices)
        return {
            "path": path,
            "steps": [self._step(at) for at in range(len(walked.steps))],
            "before": in_words(self.stores[max(0, len(self.stores) - 2)]),
            "after": in_words(self.stores[-1]),
            "clients": list(self._clients()),
            "budgets": list(self._budgets()),
            "options": [self._option(request, mode, path) for request in walked.waits for mode in request.modes],
            "invariants": [self._invariant(each) for each in (*self.scenario.invariants, *self.scenario.always)],
            "end": not walked.waits,
            "command": command(self.scenario, file, path),
            "notes": list(self._notes()),
        }

    def _step(self, at: int) -> dict[str, object]:
        walked, step = self.walked, self.walked.steps[at]
        names = [name for name, each in self.violated.items() if each.step == at + 1]
        return {
            **_one(step.name, step.mode, step.status, differences(self.stores[at], self.stores[at + 1])),
            "keys": changed(self.stores[at], self.stores[at + 1]),
            "key": next((key_of(each) for each in reversed(step.footprint) if key_of(each)), ""),
            "returned": list(self._returned(at)),
            "path": path_of(walked.choices[: at + 1]),
            "violates": names,
        }

    def _returned(self, at: int) -> Iterator[str]:
        """The calls that ended after a step, before the next one."""
        before, after = self.walked.ended[at], self.walked.ended[at + 1]
        for client, results in self.walked.results.items():
            for call, returned in results[before.get(client, 0) : after.get(client, 0)]:
                yield f"{client}: {call} {self._ended(returned)}"

    def _ended(self, returned: Returned) -> str:
        if returned.error == CRASHED_CALL:
            return "was killed"
        told = f"returned {returned.value!r}" if returned.ok else f"raised {returned.error}: {returned.message}"
        return cut(self.walked.names.renamed(told, STORE))

    def _clients(self) -> Iterator[dict[str, object]]:
        for number, calls in enumerate(self.scenario.clients, start=1):
            client = f"c{number}"
            done = len(self.walked.results[client])
            waits = [each.name.label for each in self.walked.waits if each.name.client == client]
            state = "waits for " + "; ".join(waits) if waits else "has finished"
            yield {
                "label": client,
                "calls": [printable(str(call)) for call in calls],
                "state": "was killed" if client in self.walked.crashed else printable(state),
                "call": printable(str(calls[done])) if waits and done < len(calls) else "",
            }

    def _budgets(self) -> Iterator[dict[str, object]]:
        spent = [budget for each in self.walked.steps for budget in COSTS[each.mode]]
        for kind in FAULTS:
            if whole := getattr(self.scenario.faults, kind):
                yield {"name": kind.replace("_", " "), "left": whole - spent.count(kind), "of": whole}

    def _option(self, request: Request, mode: str, path: str) -> dict[str, object]:
        """A request that waits, and what would come of letting it go: the gate's own store can say that."""
        walked = self.walked
        made = Made(
            name=request.name,
            mode=mode,
            footprint=(),
            asked=request.asked,
            now=walked.now,
            born=len(walked.made) - 1,
            call=len(walked.results[request.name.client]),
        )
        moment = along(self.front, walked.start, (*walked.made, made))[-1]
        response = None if moment.exchange is None else moment.exchange.response
        move = path_of([Choice(request.name, mode)])
        return {
            **_one(
                request.name,
                mode,
                0 if response is None else response.status,
                differences(self.stores[-1], rows(moment.store, walked.names.copy())),
            ),
            "keys": [],
            "key": "",
            "returned": [],
            "name": move,
            "path": f"{path},{move}" if path else move,
            "violates": [
                [name, self._renamed(told)] for name, told in self._asked(moment) if name not in self.violated
            ],
        }

    def _invariant(self, asked: object) -> dict[str, object]:
        name = str(getattr(asked, "__name__", ""))
        ours = name in {each.__name__ for each in self.scenario.always}
        found = self.violated.get(name)
        if found is not None:
            state = VIOLATED
        elif ours:
            state = HOLDS if name in self.tested else UNTESTED
        else:
            state = AT_THE_END if self.walked.waits else HOLDS
        return {
            "id": name,
            "meaning": _meaning(asked),
            "state": state,
            "evidence": "" if found is None else self._renamed(found.evidence),
            "step": 0 if found is None else found.step,
        }

    def _renamed(self, evidence: str) -> str:
        return printable(self.walked.names.renamed(evidence, STORE))

    def _notes(self) -> Iterator[str]:
        requests = plural(len(self.walked.steps), "request")
        yield f"The program was run anew for this: {requests}, {seconds(self.walked.seconds)} s."
        if self.walked.silent:
            yield f"This shows nothing: {self.walked.silent}."


def calls_of(scenario: GateScenario, client: str) -> Sequence[GateCall]:
    """The calls of a client by its name."""
    return scenario.clients[int(client[1:]) - 1]


def _one(name: Name, mode: str, status: int | str, differs: str) -> dict[str, object]:
    """What a step and a request that waits have in common."""
    return {
        "client": name.client,
        "effect": "crash" if mode in ENDING else name.label.partition(" ")[0],
        "late": False,
        "sentence": printable(f"{name} -> {_answer(mode, status)}{differs}"),
        "fault": "" if mode == NORMAL else mode,
        "at": "",
    }


def _answer(mode: str, status: int | str) -> str:
    if mode in (NORMAL, REFUSED):
        return str(status)
    return {CRASHED: "killed before it", CRASHED_APPLIED: "killed after it"}.get(mode, "no answer")


def _meaning(asked: object) -> str:
    """The first paragraph of a docstring on one line."""
    told = getattr(getattr(asked, "invariant", asked), "meaning", None) or getattr(asked, "__doc__", None) or ""
    return printable(" ".join(str(told).strip().partition("\n\n")[0].split()))
