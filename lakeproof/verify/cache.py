"""Verdicts of earlier runs: what has not changed is not searched again.

Each outcome is a small file, named after its key (`lakeproof.verify.keys`: all that it comes from). It holds the
verdicts, the counts, and the moves of each violation. A proof is reused as it stands. A violation is reused only
after its moves were made once more, on the flows as they are: the trace is new, and not from the cache.

Nothing inconclusive is kept, and nothing of a scenario with trouble. A file that is damaged, or was written by another
version, is as good as none. Files are written aside and renamed, so runs may share a folder.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, cast

import attrs

from lakeproof.files import write_whole
from lakeproof.scenario import Scenario
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import Outcome, Verdict, Verify, make_trace, outcome_of
from lakeproof.words import Progress, plural

FORMAT: Final = "lakeproof verdicts 1"
FILES_MAX: Final = 50_000
"""More outcomes than this are not kept: the least recently used go first. Most take 1 KiB."""

# The folder may be one of the user's, with files of his in it.
_OURS: Final = re.compile(r"[0-9a-f]{64}|\.[0-9a-f]{60}\.\d+")
"""Names of outcomes, and of what a run that was killed has left behind."""

VERDICT_FIELDS: Final = ("invariant", "verdict", "reached", "example", "symmetric")
"""What a verdict says, beside its trace."""

COUNTS: Final = ("states", "transitions", "depth", "complete", "seconds", "unspent", "collision")
"""What an outcome says beside its verdicts."""


@attrs.frozen(kw_only=True)
class Recall(Verify):
    """Tell what is known, or else search. The outcome has the key under which it may be kept."""

    folder: Path
    """Where outcomes are kept."""

    def run(self, scenario: Scenario, source: Source, progress: Progress) -> Outcome:
        from lakeproof.search.fence import WATCH, Undecided
        from lakeproof.verify.keys import NoKey, check_still, key

        try:
            # To pickle a value of the user's runs its ``__reduce__``.
            with WATCH.over():
                found = key(scenario, (self.states_max, self.seconds_max))
        except NoKey as error:
            return attrs.evolve(super().run(scenario, source, progress), unkept=str(error))
        # Undecided is a BaseException: a flow may hang when the moves of a kept violation are made again.
        with suppress(Exception, Undecided):  # nothing is kept, or it is damaged, or the flows do something else
            return self._recall(scenario, source, json.loads(_read(self.folder / found)))
        outcome = super().run(scenario, source, progress)  # not within a handler: it would be the context of all errors
        try:
            check_still()
        except NoKey as error:
            return attrs.evolve(outcome, unkept=str(error))
        return attrs.evolve(outcome, key=found)

    def _recall(self, scenario: Scenario, source: Source, kept: dict[str, object]) -> Outcome:
        """The outcome that is kept, its violations seen to take place."""
        rows = kept["verdicts"]
        assert isinstance(rows, list)
        verdicts = tuple(self._verdict(scenario, source, row) for row in rows)
        assert {each.invariant for each in verdicts} >= set(scenario.sought_ids)
        counts = {name: kept[name] for name in COUNTS}
        return attrs.evolve(outcome_of(scenario, verdicts), recalled=True, **counts)  # type: ignore[arg-type]

    def _verdict(self, scenario: Scenario, source: Source, row: dict[str, object]) -> Verdict:
        # What is left of the row are the fields of a Verdict.
        name, steps, loop = str(row["invariant"]), row.pop("steps"), cast("int | None", row.pop("loop"))
        # A proof has no schedule to make again. A violation is believed only when its moves violate once more.
        violated = row["verdict"] == "violated"
        return Verdict(
            expected=scenario.expected(name),
            named=name in scenario.sought_ids,
            trace=_make_trace(scenario, source, name, cast("list[list[str]]", steps), loop) if violated else None,
            **row,  # type: ignore[arg-type]  # as `Kept.keep` has written them
        )


def _make_trace(
    scenario: Scenario, source: Source, name: str, steps: Sequence[Sequence[str]], loop: int | None
) -> Trace:
    """Make the steps of a violation. Raises NotReproduced."""
    from lakeproof.search.faults import Mode
    from lakeproof.search.replay import move_of

    clients = len(scenario.clients)
    # As steps of a trace: `move_of` refuses a client that the scenario does not have.
    known = (TraceStep(client=client, mode=Mode(mode), task=task) for client, mode, task in steps)
    return make_trace(scenario, source, name, [move_of(step, clients, name) for step in known], loop)


class Kept:
    """What a run writes into the folder, and what it says of it. A folder that cannot be written costs time only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written = 0
        self._failed = ""

    def recalling(self, task: Verify) -> Recall:
        """The task, which tells what is kept here."""
        return Recall(folder=self.folder, **attrs.asdict(task, recurse=False))

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome down, if it may be reused."""
        decided = outcome.verdicts and all(each.verdict != "inconclusive" for each in outcome.verdicts)
        # A search that was stopped would go further with a faster machine: it is no function of the key.
        if not outcome.key or not decided or outcome.trouble or outcome.stopped or self._failed:
            return
        try:
            self._write(outcome.key, _text(outcome))
            self._written += 1
        except OSError as error:
            self._failed = error.strerror or str(error)

    def close(self, outcomes: Sequence[Outcome]) -> Iterator[str]:
        """Make room; and lines on what came from the cache, and what could not be kept."""
        recalled = sum(len(each.verdicts) for each in outcomes if each.recalled)
        if recalled:
            yield f"{plural(recalled, 'verdict')} from the cache in {self.folder}; --no-cache searches again"
        unkept = [each.unkept for each in outcomes if each.unkept]
        if unkept:
            yield f"{plural(len(unkept), 'scenario')} not kept in the cache: {unkept[0]}"
        if self._failed:
            yield f"the cache in {self.folder} cannot be written: {self._failed}; make room, or name one with --cache"
        elif self._written:
            with suppress(OSError):
                self._make_room()

    def _write(self, key: str, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / key, f"{FORMAT} {key} {_seal(text)}\n{text}")

    def _make_room(self) -> None:
        # By the time of the last use: `_read` touches what it reads.
        ours = (each for each in os.scandir(self.folder) if _OURS.fullmatch(each.name))
        found = sorted(ours, key=lambda each: each.stat().st_mtime_ns)
        for each in found[:-FILES_MAX]:
            Path(each).unlink(missing_ok=True)


def _text(outcome: Outcome) -> str:
    rows = [
        {
            **{name: getattr(each, name) for name in VERDICT_FIELDS},
            "steps": [(step.client, step.mode.value, step.task) for step in each.trace.schedule] if each.trace else [],
            "loop": each.trace and each.trace.loop,
        }
        for each in outcome.verdicts
    ]
    return json.dumps({"verdicts": rows, **{name: getattr(outcome, name) for name in COUNTS}})


def _read(path: Path) -> str:
    """What is kept in a file. Raises OSError, ValueError: it is damaged."""
    head, _, text = path.read_text(encoding="utf-8").partition("\n")
    # The name is part of the seal: a file that was renamed holds the verdicts of another key.
    if head != f"{FORMAT} {path.name} {_seal(text)}":
        raise ValueError(f"{path}: damaged")
    with suppress(OSError):
        os.utime(path)  # it was used
    return text


def _seal(text: str) -> str:
    return sha256(text.encode()).hexdigest()
