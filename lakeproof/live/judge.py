"""Whether a round of traffic on keys is linearizable, and what shows it if not."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Final

import attrs

from lakeproof.histories.evidence import as_history, as_object, history_name, plain, story, value
from lakeproof.live.recorder import Call, event_line, events
from lakeproof.live.report import NotJudged, Report
from lakeproof.live.traffic import KeyRound
from lakeproof.model.invariants import Reached, Violation
from lakeproof.model.linearizability.checker import KeyVerdict, Limits, check
from lakeproof.model.linearizability.evidence import Evidence, explain
from lakeproof.model.linearizability.history import History, Operation, Settings, history
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import EXISTS, KV
from lakeproof.words import INCONCLUSIVE, plural

SETTINGS: Final = Settings(fail="predicate-false")
"""A failed predicate is a reply of the store: it was false at some moment of the operation."""
SPURIOUS: Final = Settings(fail="did-not-happen")
"""Of a store whose conditional writes may fail without a reason: a failed one has written nothing, and says no more."""
CHECK_SECONDS: Final = 120.0
EVIDENCE_SECONDS: Final = 10.0
"""For all keys together; what is found by then is impossible, but perhaps not the smallest part."""
EXPLAINED: Final = 3
MALFORMED_SHOWN: Final = 3


@attrs.define
class KeyVerdicts:
    """One round's verdict. explained: lines for people."""

    verdict: Verdict
    keys: int
    explained: list[str] = attrs.field(factory=list)
    malformed: list[str] = attrs.field(factory=list)
    """Scans that cannot be right whatever the keys had."""
    events: list[str] = attrs.field(factory=list)
    """The history, a line an event: kept of what is violated."""
    evidence: list[Evidence] = attrs.field(factory=list)

    @property
    def files(self) -> dict[str, list[str]]:
        """The history and the evidence, by name."""
        wanted = {"history.jsonl": self.events, "evidence.txt": self.explained}
        for number, one in enumerate(self.evidence, 1):
            wanted[history_name(number, one)] = list(as_history(one))
        return wanted


def judge(made: KeyRound, settings: Settings = SETTINGS) -> KeyVerdicts:
    """The verdict on a round, of all its keys and scans."""
    operations, lines = recorded_lines(made.recorder.over)
    recorded = history(operations, settings)
    # Linearizability is local (Herlihy and Wing, 1990): a history is linearizable if it is so for each key alone.
    verdicts = list(check(KV, recorded, Limits(expired=_after(CHECK_SECONDS))))
    violated = [one for one in verdicts if one.verdict is Verdict.VIOLATED]
    open_ = [one for one in verdicts if one.verdict is Verdict.INCONCLUSIVE]
    judged = KeyVerdicts(Verdict.HOLDS, len(verdicts))
    if violated or made.malformed:
        judged.verdict, judged.events, judged.malformed = Verdict.VIOLATED, lines, made.malformed
        judged.explained += made.malformed[:MALFORMED_SHOWN]
        if len(made.malformed) > MALFORMED_SHOWN:
            judged.explained.append(f"and {len(made.malformed) - MALFORMED_SHOWN:,} more such scans")
        _explain(judged, recorded, violated)
    elif open_:
        judged.verdict = Verdict.INCONCLUSIVE
        judged.explained += [f"key {value(one.key)}: {one.why}" for one in open_]
    return judged


def _explain(judged: KeyVerdicts, recorded: History, violated: list[KeyVerdict]) -> None:
    limits = Limits(expired=_after(EVIDENCE_SECONDS))
    # Keys with few operations first: their evidence is found soonest, and is the easiest to read.
    for one in sorted(violated, key=lambda each: each.operations)[:EXPLAINED]:
        evidence = explain(KV, recorded, one.key, recorded.keys[one.key], limits, one.at)
        judged.evidence.append(evidence)
        judged.explained += story(evidence)
    if len(violated) > EXPLAINED:
        judged.explained.append(f"and {plural(len(violated) - EXPLAINED, 'more key')}")


def _after(seconds: float) -> Callable[[], bool]:
    began = time.monotonic()
    return lambda: time.monotonic() - began > seconds


def recorded_lines(calls: Iterable[Call]) -> tuple[list[Operation], list[str]]:
    """The operations, and the lines of a file that `lakeproof check` reads; operations name their lines."""
    lines: list[str] = []
    begun: dict[int, int] = {}
    operations = []
    for number, (call, ends) in enumerate(events(calls), 1):
        [key] = call.args
        # As in Jepsen's histories, the value of a read is known at its end, and that of a write at its call.
        argument = call.value if ends and call.name == "get" else _argument(call)
        lines.append(event_line(call, key, {"value": argument}, ends=ends))
        if ends:
            at = begun[call.began], number
            operations.append(
                Operation(
                    process=call.client,
                    f=call.name,
                    key=key,
                    argument=call.argument,
                    result=call.value,
                    status=call.status,
                    call=call.began,
                    returned=call.ended,
                    lines=at,
                )
            )
        else:
            begun[call.began] = number  # event numbers are unique, also between clients
    return operations, lines


def _argument(call: Call) -> object:
    if not isinstance(call.argument, tuple):
        return call.argument
    expected, written = call.argument  # of a set_if, which alone has a pair
    predicate = None if expected is None else {"exists": True} if expected == EXISTS else {"value": expected}
    return {"value": written, "predicate": predicate}


LINEARIZABLE: Final = "linearizable"
LEAST: Final = 10
"""So many writes and reads must have been answered for a verdict."""


@attrs.define
class HistoryReport(Report):
    """The sum of the rounds of traffic on keys, and the last round that does not hold."""

    unit: ClassVar[str] = "operation"
    left_kind: ClassVar[str] = "keys in partition"
    operations: ClassVar[tuple[str, ...]] = ("get", "set", "set_if", "delete", "scan")
    judged: KeyVerdicts | None = None
    gone: bool = False
    """At the end the store did not answer any more: what it would have done is not known."""

    def judge(self, made: KeyRound, settings: Settings = SETTINGS) -> None:
        """Add the verdict to a round."""
        found = judge(made, settings)
        # The last round counts: a store that answered again after a fault is not gone.
        self.gone = made.silent or made.gone
        if found.verdict is Verdict.HOLDS:
            made.judged.append((LINEARIZABLE, Reached("every key")))
            return
        self.judged = found
        violated = found.verdict is Verdict.VIOLATED
        verdict = Violation(LINEARIZABLE, "some key") if violated else NotJudged("not every key could be judged")
        made.judged.append((LINEARIZABLE, verdict))

    def open_questions(self) -> list[str]:
        # Set by an inconclusive round, too, and kept: later rounds that hold do not make up for it.
        if self.judged is not None:
            return ["not every key could be judged", *self.judged.explained]
        if self.interrupted:
            return super().open_questions()
        if self.gone and self.tally.ok("get"):
            what = f"in round {self.rounds} the store stopped answering"
            return [f"{what}; what it had answered until then is linearizable"]
        # Without answers every history is linearizable, and would prove nothing.
        few = min(self.tally.ok("set", "set_if"), self.tally.ok("get")) < LEAST
        if few or self.gone:
            return ["hardly anything was answered"]
        # What is always refused leaves no trace in the history, and would pass for right.
        never = [name for name in self.operations if not self.tally.ok(name)]
        return [f"not put to the test: {', '.join(never)}"] if never else []

    def as_object(self) -> dict[str, object]:
        judged = self.judged
        return {
            **self.counts(),
            "why": "; ".join(self.open_questions()) if self.code == INCONCLUSIVE else "",
            "malformed": judged.malformed if judged else [],
            "evidence": []
            if judged is None
            else [{"key": plain(one.key), **as_object(one)} for one in judged.evidence],
        }

    def findings(self) -> Iterator[str]:
        return iter(())

    def evidence(self, most: int | None = None) -> Iterator[str]:
        return iter(self.judged.explained if self.judged is not None else ())

    @property
    def what_holds(self) -> str:
        return f"{plural(self.rounds, 'round')}, every key linearizable"

    @property
    def what_is_violated(self) -> str:
        return f"round {self.rounds} is not linearizable"

    def closing(self, seed: int) -> str:
        if self.code == INCONCLUSIVE:
            return f"INCONCLUSIVE: {self.open_questions()[0]} (seed {seed})"
        return super().closing(seed)

    def evidence_files(self) -> Mapping[str, Iterable[str]]:
        return self.judged.files if self.judged is not None else {}
