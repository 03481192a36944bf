"""Walks through the states of a scenario: at each state every possible move, what it would do, what it would violate.

Example: two clients increment a counter. At first both may read it: ``a`` and ``b``. With a crash in the budget there
are two moves more, ``a.crash`` and ``b.crash``. A walk is the names of its moves, in order: ``a,b,a,b``.

All of it is made by the real flows in the stepped `World`; nothing is guessed from the words of a trace.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.parallel import MAIN
from lakeproof.scenario import Scenario
from lakeproof.search import describe
from lakeproof.search.execution import LABELS
from lakeproof.search.faults import Mode, Move
from lakeproof.search.replay import JudgedRun, replay
from lakeproof.search.trace import Trace, TraceStep
from lakeproof.show.story import whole

STEPS_MAX: Final = 60_000
"""So many steps of the world are made at most for the other moves of one trace: each one re-runs those before it."""

SUFFIXES: Final[Mapping[Mode, str]] = {
    Mode.NORMAL: "",
    Mode.REFUSED: "refused",
    Mode.LOST_APPLIED: "lost-applied",
    Mode.LOST_DROPPED: "lost-dropped",
    Mode.REPEATED_APPLIED: "applied-twice",
    Mode.REPEATED_DROPPED: "applied-late",
    Mode.FALSE_PREDICATE: "false-predicate",
    Mode.SCAN_FAILURE: "scan-broke",
    Mode.CRASH: "crash",
    Mode.RESTART: "restart",
    Mode.MESSAGE_LOST: "message-lost",
    Mode.MESSAGE_DUPLICATED: "received-again",
    Mode.MESSAGE_OVERTAKEN: "overtaken",
    Mode.WATCH_LOST: "watch-lost",
    Mode.CUT_OFF: "cut-off",
    Mode.DELIVER: "late-write",
    Mode.TICK: "clock",
    Mode.EXPIRE: "ttl",
}
"""How moves are named in addresses: ``a`` is the next effect of client a; ``a.crash``, ``late-write`` and ``clock``;
``ttl:6b`` is the end of a key, of which the digits are bytes."""

_MODES: Final = {suffix: mode for mode, suffix in SUFFIXES.items()}
_ALONE: Final = (Mode.DELIVER, Mode.TICK, Mode.EXPIRE)
_NAME: Final = re.compile(r"([a-z]+)(?::(\d+(?:\.\d+)*-?))?(?:\.([a-z][a-z-]*))?")
_NAME_ALONE: Final = re.compile(r"([a-z-]+)(?::((?:[0-9a-f]{2})+))?")


class NoSuchMove(Exception):
    """A name that names no move, or a move that is not possible where it is to be made; one line."""


@attrs.frozen(kw_only=True)
class Option:
    """A move that is possible in a state, as it would turn out."""

    move: Move
    step: TraceStep
    sentence: str
    """What moves, and what would come of it."""
    violated: tuple[tuple[str, str], ...]
    """The invariants that hold up to here and that the move would violate: id and evidence."""


class ForkableRun(JudgedRun):
    """A judged run that can be forked."""

    def fork(self) -> "ForkableRun":
        """Another walk at the same place, with coroutines of its own. What was found before is not known to it.
        Cost: re-runs the moves of this one."""
        # Coroutines cannot be copied: the world of the twin is made by running the same moves again.
        twin = ForkableRun(self.scenario, self.world.setting)
        twin.world.close()  # its own, which has not moved yet
        twin.world, twin._monitors, twin._late_at = self.world.fork(), self._monitors, self._late_at
        # What is found from here on is due to the moves that follow.
        twin.verdicts.violations.clear()
        twin.verdicts.reached.clear()
        return twin

    def contents(self) -> dict[str, str]:
        """What the store holds, by key, in words."""
        return dict(describe.initially(self.world.cells))

    def options(self) -> Iterator[Option]:
        """Every possible move, in the order of `World.moves`. Cost: re-runs the moves of this walk for each."""
        before = self.contents()
        for move in self.world.moves():
            twin = self.fork()
            step = twin.describe(move)
            found = {name: violation for name, (violation, _) in twin.verdicts.violations.items()}
            yield Option(
                move=move,
                step=step,
                sentence=whole(step, before),
                violated=tuple(
                    (name, describe.printable(found[name].evidence))
                    for name in self.scenario.ids
                    if name in found and self.violation(name) is None
                ),
            )
            twin.close()


def name_of(move: Move) -> str:
    """The name of a move in addresses: its client, a task of that as in ``a:1.2``, and a fault behind a dot."""
    suffix = SUFFIXES[move.mode]
    if move.client < 0:
        return f"{suffix}:{move.task.encode().hex()}" if move.task else suffix
    who = LABELS[move.client] + (f":{move.task}" if move.task else "")
    return f"{who}.{suffix}" if suffix else who


def move_named(name: str) -> Move:
    """The move of a name.

    Raises:
        NoSuchMove: there is none.
    """
    # Before the names of clients, which these resemble: `clock` is no client.
    alone = _NAME_ALONE.fullmatch(name)
    if alone and _MODES.get(alone[1]) in _ALONE:
        return Move(-1, _MODES[alone[1]], bytes.fromhex(alone[2] or "").decode(errors="replace"))
    found = _NAME.fullmatch(name)
    client, task, suffix = (found[1], found[2] or MAIN, found[3] or "") if found else ("", MAIN, "")
    mode = _MODES.get(suffix)
    if len(client) != 1 or client not in LABELS or mode is None or mode in _ALONE:
        known = ", ".join(f"a.{suffix}" for suffix, mode in _MODES.items() if suffix and mode not in _ALONE)
        known += ", late-write, clock or ttl:BYTES"
        raise NoSuchMove(f"{describe.brief(name)} is no move; expected a client, as in a, {known}")
    return Move(LABELS.index(client), mode, task)


def moves_of(path: str) -> tuple[Move, ...]:
    """The moves of a path: names with commas between them; an empty one is the beginning.

    Raises:
        NoSuchMove.
    """
    return tuple(map(move_named, path.split(","))) if path else ()


def path_of(steps: Sequence[TraceStep]) -> str:
    """The path of a schedule."""
    return ",".join(name_of(move_of(step)) for step in steps)


def move_of(step: TraceStep) -> Move:
    """The move of a step of a trace; its client must have a letter."""
    return Move(-1 if step.mode in _ALONE else LABELS.index(step.client), step.mode, step.task)


def others(trace: Trace, scenario: Scenario) -> tuple[tuple[Option, ...], ...]:
    """For each step of a trace the moves that were possible instead of it; fewer entries than steps if `STEPS_MAX` is
    used up before the end.

    Raises:
        ReplayDiverged, TraceError: the code does not follow the trace.
    Cost: steps times moves times steps.
    """
    # First of all: the moves below belong to this trace only if the code still does what it says, step by step.
    replay(trace, scenario)
    walk = ForkableRun(scenario)
    found, spent = [], 0
    for number, step in enumerate(trace.schedule):
        taken = move_of(step)
        spent += len(walk.world.moves()) * (number + 1)  # each fork runs the steps up to here again
        # Before the work is done, so that the bound holds.
        if spent > STEPS_MAX:
            break
        found.append(tuple(option for option in walk.options() if option.move != taken))
        walk.describe(taken)
    walk.close()
    return tuple(found)
