"""Whether a round of traffic can be explained, and what shows it if not."""

import re
import time
from collections.abc import Callable
from typing import Final

import attrs

from lakeproof.histories.evidence import as_history, story, value
from lakeproof.live.recorder import lines
from lakeproof.live.traffic import Round
from lakeproof.model.linearizability.checker import KeyVerdict, Limits, check
from lakeproof.model.linearizability.evidence import Evidence, explain
from lakeproof.model.linearizability.history import History, Settings, history
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import KV

SETTINGS: Final = Settings(fail="predicate-false")
"""A failed predicate is what the store said: it was false at some moment of the operation."""
SPURIOUS: Final = Settings(fail="did-not-happen")
"""Of a store whose conditional writes may fail without a reason: a failed one has written nothing, and says no more."""
CHECK_SECONDS: Final = 120.0
EVIDENCE_SECONDS: Final = 10.0
"""For all keys together; what is found by then is impossible, but perhaps not the smallest part."""
EXPLAINED: Final = 3
MALFORMED_SHOWN: Final = 3
_UNFIT: Final = re.compile(r"[^A-Za-z0-9.+-]+")


@attrs.define
class Judged:
    """One round's verdict. ``told`` are lines for people."""

    verdict: Verdict
    keys: int
    told: list[str] = attrs.field(factory=list)
    malformed: list[str] = attrs.field(factory=list)
    """Scans that cannot be right whatever the keys held."""
    events: list[str] = attrs.field(factory=list)
    """The history, a line an event: kept of what is violated."""
    evidence: list[Evidence] = attrs.field(factory=list)

    @property
    def files(self) -> dict[str, list[str]]:
        """The history and the evidence, by name."""
        wanted = {"history.jsonl": self.events, "evidence.txt": self.told}
        for number, one in enumerate(self.evidence, 1):
            name = _UNFIT.sub("_", value(one.key)).strip("_")
            wanted[f"impossible.{number}.{name}.jsonl"] = list(as_history(one))
        return wanted


def judge(made: Round, settings: Settings = SETTINGS) -> Judged:
    """The verdict on a round, of all its keys and scans."""
    operations, events = lines(made.recorder.rows)
    recorded = history(operations, settings)
    verdicts = list(check(KV, recorded, Limits(expired=_after(CHECK_SECONDS))))
    violated = [one for one in verdicts if one.verdict is Verdict.VIOLATED]
    open_ = [one for one in verdicts if one.verdict is Verdict.INCONCLUSIVE]
    judged = Judged(Verdict.HOLDS, len(verdicts))
    if violated or made.malformed:
        judged.verdict, judged.events, judged.malformed = Verdict.VIOLATED, events, made.malformed
        judged.told += made.malformed[:MALFORMED_SHOWN]
        if len(made.malformed) > MALFORMED_SHOWN:
            judged.told.append(f"and {len(made.malformed) - MALFORMED_SHOWN:,} more such scans")
        _explain(judged, recorded, violated)
    elif open_:
        judged.verdict = Verdict.INCONCLUSIVE
        judged.told += [f"key {value(one.key)}: {one.why}" for one in open_]
    return judged


def _explain(judged: Judged, recorded: History, violated: list[KeyVerdict]) -> None:
    limits = Limits(expired=_after(EVIDENCE_SECONDS))
    for one in sorted(violated, key=lambda each: each.operations)[:EXPLAINED]:
        evidence = explain(KV, recorded, one.key, recorded.keys[one.key], limits, one.at)
        judged.evidence.append(evidence)
        judged.told += story(evidence)
    if len(violated) > EXPLAINED:
        judged.told.append(f"and {len(violated) - EXPLAINED:,} more keys")


def _after(seconds: float) -> Callable[[], bool]:
    began = time.monotonic()
    return lambda: time.monotonic() - began > seconds
