"""How far a program at the gate is a function of its replies: what a behaviour trie would save there.

A search of flows runs a flow once for each *history* of replies (`lakeproof.search.behaviour`), and enumerates the
interleavings without it. At the gate, the program itself runs in each schedule. Whether a trie could stand in for it
is measured here: all classes of schedules are run, and for each client each history of requests, ways to let them go
and replies is noted, with the requests that waited next. What is minted has its name by order of first appearance;
times and entity tags are left out.

- *torn*: histories after which other requests waited in another schedule. With one of them, the program is no function
  of what is noted, and a trie would be wrong.
- *requests* and *histories*: how many requests the gate has let go, and how many of them a trie would have had to see.
- *runs*: schedules that a trie would have needed, each of a single client: one for each history that nothing continues.

Run: ``python -m benchmarks.histories FILE [PATTERN]... [--json FILE]``, for example on ``examples/gate/delta.py``.
"""

import argparse
import json
import re
import runpy
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final

import attrs
import trio

from benchmarks.search import machine
from lakeproof.gate.classes import Classes
from lakeproof.gate.cuts import Exchange
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.fronts.redis.replies import Reply, encode_reply
from lakeproof.gate.names import Names
from lakeproof.gate.scenario import GateScenario
from lakeproof.gate.search import all_classes
from lakeproof.gate.server import WaitingRequest
from lakeproof.gate.startup import open_runner
from lakeproof.verify.loader import import_beside, matching

TIMES: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?|\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT")
KEPT: Final = frozenset({"content-range", "x-amz-version-id"})
"""Headers of an answer that count beside its status and body."""
HEAD: Final = ["scenario", "all", "schedules", "requests", "histories", "runs", "torn"]

History = tuple[Hashable, ...]
Waiting = frozenset[str]


@attrs.define
class Histories:
    """What each client was told, and what it then asked for."""

    requests: int = 0
    next: dict[tuple[str, History], set[Waiting]] = attrs.field(factory=dict)
    """By client and history: what waited. More than one set: the history is torn."""

    def add(self, steps: Sequence[WaitingRequest]) -> None:
        """Take in one schedule that was run to its end."""
        self.requests += len(steps)
        told = _told(steps)
        for client in {step.name.client for step in steps}:
            own = [at for at, step in enumerate(steps) if step.name.client == client]
            history: History = ()
            for at in own:
                waiting = frozenset(str(steps[each].name) for each in own if each >= at and steps[each].born < at)
                self.next.setdefault((client, history), set()).add(waiting)
                history = (*history, (str(steps[at].name), steps[at].mode, told[at]))
            self.next.setdefault((client, history), set()).add(frozenset())

    @property
    def torn(self) -> int:
        """Histories after which the program did not always go on alike."""
        return sum(len(found) > 1 for found in self.next.values())

    @property
    def runs(self) -> int:
        """Histories that nothing continues."""
        begun = {(client, history[:-1]) for client, history in self.next if history}
        return sum(each not in begun for each in self.next)


def _told(steps: Sequence[WaitingRequest]) -> list[Hashable]:
    """Each reply, with names by order of first appearance in the schedule."""
    names = Names()
    found: list[Hashable] = []
    for step in steps:
        names.renamed(step.name.label, step.name.client)
        response = Exchange.of(step).response
        found.append(None if response is None else _reply(response, names, step.name.client))
    return found


def _reply(response: Answer, names: Names, client: str) -> Hashable:
    if isinstance(response, Reply):
        return names.renamed(encode_reply(response.value, 3).decode("latin-1"), client)
    headers = tuple(sorted(each for each in response.headers if each[0].lower() in KEPT))
    return response.status, headers, TIMES.sub("<time>", names.renamed(response.body.decode("latin-1"), client))


async def measured(scenario: GateScenario, file: Path) -> tuple[Histories, Classes]:
    """All classes of schedules of a scenario, and what its clients were told in them."""
    search, histories = all_classes(scenario), Histories()
    async with open_runner(scenario, file) as runner:
        while search.begin():
            schedule = await runner.schedule(search)
            if schedule.outcome is not None:
                histories.add(runner.made)
    return histories, search


def main() -> None:
    """Print a line for each scenario."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("patterns", nargs="*")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    import_beside(given.file)
    scenarios: dict[str, GateScenario] = {each.name: each for each in runpy.run_path(str(given.file))["SCENARIOS"]}
    chosen = matching(list(scenarios), given.patterns)
    rows = []
    print(*HEAD, sep="\t")
    for scenario in (each for name, each in scenarios.items() if name in chosen):
        histories, search = trio.run(measured, scenario, given.file)
        row = [
            *(scenario.name, search.all_run, search.complete),
            *(histories.requests, len(histories.next), histories.runs, histories.torn),
        ]
        rows.append(dict(zip(HEAD, row, strict=True)))
        print(*row, sep="\t", flush=True)
    if given.json:
        given.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
