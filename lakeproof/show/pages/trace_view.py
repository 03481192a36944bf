"""A trace, followed: for each step the store before it, and the writes that it has seen.

Example: step 1, by a, sets k from nothing to 1; step 2, by b, gets k. Then the store before step 2 holds k: 1, and step
2 has seen step 1. All of it is derived from the words of the trace; neither the flows nor the scenario are needed.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

import attrs

from lakeproof.search.describe import printable
from lakeproof.search.execution import label
from lakeproof.search.faults import OF_CLIENTS, Mode
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.show.lanes import FAULTS, busy_clients
from lakeproof.show.pages.alternatives import UNKNOWN, Others
from lakeproof.show.races import races, stores
from lakeproof.show.story import whole

if TYPE_CHECKING:
    from lakeproof.show.pages.walk import Option

FORMAT: Final = 1
"""The version of `plain`. A change that a reader of the old one would misread raises it."""

_OF_ONE_KEY: Final = ("get", "head")
_FAILED: Final = ("predicate failed", "precondition failed")
_GRAVELER: Final = "graveler/"
_OBJECT: Final = "object "


@attrs.frozen(kw_only=True)
class Followed:
    """One step of a trace, with what the steps before it have left."""

    number: int
    """1 is the first."""
    lane: int | None
    """The client in whose lane the step is drawn; None: the clock, or a label that no client has."""
    step: TraceStep
    effect: str
    """What is drawn in the lane: the effect, ``crash``, ``restart`` or ``clock``."""
    fault: str
    """What goes wrong, in a few words; empty: nothing."""
    sentence: str
    """What moves, and what comes of it."""
    seen: tuple[int, ...]
    """The numbers of earlier steps whose writes this one has read."""
    busy: tuple[bool, ...]
    """For each client, whether one of its calls is under way when the step begins."""
    store: Mapping[str, str]
    """What the store holds before the step, by key."""


def follow_trace(trace: Trace) -> tuple[Followed, ...]:
    """All steps of a trace. Cost: steps times keys."""
    busy = busy_clients(trace)
    last: dict[str, int] = {}
    found = []
    # `stores` has one more: the store after the last step.
    for number, (step, store) in enumerate(zip(trace.schedule, stores(trace), strict=False), start=1):
        found.append(
            Followed(
                number=number,
                lane=_lane(step, len(trace.clients)),
                step=step,
                effect=_effect(step),
                fault="" if step.mode is Mode.NORMAL else FAULTS[step.mode],
                sentence=whole(step, store),
                seen=tuple(sorted(set(_writes_seen(step, last)))),
                busy=tuple(row[number - 1] for row in busy),
                store=store,
            )
        )
        # After the step is built: a step does not see its own writes.
        last.update({change.key: number for change in step.changes})
    return tuple(found)


def plain(trace: Trace, replay: str = "", others: Others = UNKNOWN) -> dict[str, object]:
    """A trace as plain JSON values for other programs: the fields of the trace, and for each step its sentence, its
    fault, the steps whose writes it has seen, and the moves that were possible instead of it (null: not known).
    ``replay``: the command that executes it again."""
    known = [[_plain_option(option) for option in options] for options in others.steps]
    moves = [*known, *(None for _ in trace.schedule[len(known) :])]  # null is not the same as an empty list
    return {
        "format": FORMAT,
        "lakeproof": printable(trace.lakeproof),
        "scenario": printable(trace.scenario),
        "file": None if trace.file is None else printable(trace.file),
        "invariant": printable(trace.invariant),
        "meaning": printable(trace.meaning),
        "evidence": printable(trace.evidence),
        "races": [
            {"name": one.name, "sentence": printable(one.sentence), "steps": list(one.steps)} for one in races(trace)
        ],
        "faults": None if others.faults is None else [attrs.asdict(each) for each in others.faults],
        "replay": replay,
        "clients": [{"label": label(n), "calls": list(map(printable, calls))} for n, calls in enumerate(trace.clients)],
        "initially": [[printable(key), printable(content)] for key, content in trace.initially],
        "steps": [
            {**_plain_step(each), "instead": instead} for each, instead in zip(follow_trace(trace), moves, strict=True)
        ],
        "explore": others.explore,
        "afterwards": list(map(printable, trace.afterwards)),
    }


def _plain_step(each: Followed) -> dict[str, object]:
    step = each.step
    words = ("client", "call", "effect", "key", "value", "condition", "reply", "at")
    return {
        "number": each.number,
        **{name: printable(getattr(step, name)) for name in words},
        "mode": step.mode.value,
        "fault": each.fault,
        "sentence": printable(each.sentence),
        "seen": list(each.seen),
        "changes": [[printable(c.key), _maybe(c.before), _maybe(c.after)] for c in step.changes],
        "returned": list(map(printable, step.returned)),
    }


def _plain_option(option: "Option") -> dict[str, object]:
    return {
        "client": printable(option.step.client),
        "mode": option.step.mode.value,
        "sentence": printable(option.sentence),
        "returned": list(map(printable, option.step.returned)),
        "violates": [[name, evidence] for name, evidence in option.violated],
    }


def _maybe(content: str | None) -> str | None:
    return None if content is None else printable(content)


def _lane(step: TraceStep, clients: int) -> int | None:
    return next((client for client in range(clients) if label(client) == step.client), None)


def _effect(step: TraceStep) -> str:
    if step.mode in OF_CLIENTS:
        return str(step.mode.value)
    if step.mode is Mode.TICK:
        return "clock"
    if step.mode is Mode.EXPIRE:
        return "ttl"
    return f"{step.task}: {step.effect}" if step.task else step.effect


def _writes_seen(step: TraceStep, last: Mapping[str, int]) -> Iterator[int]:
    """The last writes of what a step reads. Nothing is seen if the answer is lost.

    A scan sees the writes of the keys that its reply names; an entry that it does not name may have been cut off by
    the size of the batch. Words cut content addresses short: two keys that differ only there count as one.
    """
    if step.mode is not Mode.NORMAL:
        return
    # A condition that fails has seen the value it failed on. One that holds has seen what its client read before.
    if (step.effect in _OF_ONE_KEY or step.reply in _FAILED) and step.key in last:
        yield last[step.key]
    if step.effect in ("scan", "list"):
        # The reply is words: names with their contents in parentheses. A comma within a content only makes parts that
        # are no keys.
        named = {part.partition(" (")[0] for part in step.reply.removesuffix("; and more").split(", ")}
        prefix = _OBJECT if step.effect == "list" else "" if step.key == _GRAVELER else step.key
        yield from (last[prefix + name] for name in named if prefix + name in last)
