"""Asking user code what it finds: invariants, monitors, observers. What it answers is checked before it counts.

An invariant that returns True instead of yielding, a monitor whose state cannot be compared, an exception: each is an
error that names the invariant and the line, never a verdict.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Final

from lakeproof.model.identity import identity
from lakeproof.model.invariants import Finding, Monitor, Observer, OnStep, Reached, Violation
from lakeproof.model.snapshot import Event, NotDeclared, Observed, Reads, Snapshot, Transition
from lakeproof.records import CodecError
from lakeproof.scenario import ScenarioError
from lakeproof.search.fence import WATCH, in_one_line, is_ours, message_of, place_of

FINDINGS_MAX: Final = 100_000
"""What an invariant may find in one state: a loop that yields for ever would fill the memory first."""

Check = Callable[..., Iterable[Finding]]  # type: ignore[explicit-any]  # each kind of invariant is shown something else

# A part of several messages: an invariant is most often a generator, and returns True or a text by mistake.
_EXPECTED = "yield Violation(id, evidence) and Reached(what) from it"


def findings(name: str, check: Check, *shown: object) -> list[Finding]:
    """What an invariant finds in what it is ``shown``: all of it, each a Violation or a Reached.

    Raises:
        ScenarioError: it raised, returned something else, or looked at what it does not declare to read, whatever it
            made of that; names the invariant, the line and the repair.
    """
    with _CodeOf(name):
        found = _check_findings(name, check(*shown))
        # Also where the check has caught the error: its answer would count for all states with the same projection,
        # whatever the part holds in them.
        for error in _undeclared_reads(shown):
            raise error
        return found


class _CodeOf(AbstractContextManager[None]):
    """Code of the user's runs within: what it raises is an error that names it, and the line. Entered for each answer,
    so it is no generator, which takes five times as long."""

    def __init__(self, name: str, kind: str = "invariant") -> None:
        self._name = name
        self._kind = kind
        self._watched = WATCH.over()

    def __enter__(self) -> None:
        self._watched.__enter__()

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        # Still watched: the error's own ``__str__`` is code of the user's, too.
        try:
            self._blame(error)
        finally:
            self._watched.__exit__(None, None, None)

    def _blame(self, error: BaseException | None) -> None:
        if error is None or isinstance(error, ScenarioError) or is_ours(error):
            return
        # Its message names the value and the repair; the line of the invariant would mislead.
        if isinstance(error, CodecError):
            raise ScenarioError(str(error)) from error
        what = message_of(error) if isinstance(error, NotDeclared) else f"raised {in_one_line(error)}"
        raise ScenarioError(f"{self._kind} {self._name!r}: {what} (at {place_of(error)})") from error


class LooksFurther(Exception):
    """An invariant that does not declare what it reads looked at ``parts`` that it was not shown. What it found counts
    for nothing."""

    def __init__(self, parts: frozenset[Reads]) -> None:
        super().__init__(parts)
        self.parts = parts


def found_out(name: str, check: Check, seen: Snapshot) -> list[Finding]:
    """As `findings`, for an invariant that does not declare what it reads.

    Raises:
        LooksFurther: it looked at what ``seen`` does not show, whatever it made of that.
    """
    try:
        return findings(name, check, seen)
    except ScenarioError:
        parts = frozenset(error.part for error in seen.refused if not seen.shows(error.part))
        # Without such a part the error is the invariant's own.
        if parts:
            seen.refused.clear()
            # Without the context: the refusal was caught on purpose, and is no error of the invariant.
            raise LooksFurther(parts) from None
        raise


def _undeclared_reads(shown: Iterable[object]) -> Iterator[NotDeclared]:
    """What snapshots among these have refused to show."""
    for each in shown:
        if isinstance(each, Snapshot):
            yield from each.refused
        elif isinstance(each, Transition):
            # Both halves of a transition are snapshots of their own.
            yield from (*each.before.refused, *each.after.refused)


def count_findings(name: str, check: Check, *shown: object) -> str:
    """What an invariant finds, as far as a verdict depends on it."""
    return count(findings(name, check, *shown))


def count(found: Sequence[Finding]) -> str:
    """The numbers of violations and of situations among findings."""
    violated = sum(isinstance(finding, Violation) for finding in found)
    # The texts are left out: they may name objects by their address, which differs at a second look.
    return f"{violated} Violation and {len(found) - violated} Reached"


def advance_monitor(monitor: Monitor, state: Hashable, event: Event) -> tuple[Hashable, list[Finding]]:
    """A monitor's next state and what it found, checked in the same way."""
    with _CodeOf(monitor.id):
        answer: object = monitor.advance(state, event)
        # An ``advance`` with a ``yield`` in it arrives here as well: a generator, of which no line has run.
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise ScenarioError(
                f"monitor {monitor.id!r}: advance returned {_short_repr(answer)}; expected (next state, findings)"
            )
        after: Hashable = answer[0]
        # Before it is a column of states: an unhashable one would fail later, in the middle of a level.
        comparable(monitor.id, after)
        return after, _check_findings(monitor.id, answer[1])


def comparable(name: str, state: object) -> None:
    """Raises ScenarioError for a monitor's state that cannot be a part of a state of the search."""
    try:
        hash(state)
        identity(state)
    except Exception as error:
        raise ScenarioError(
            f"monitor {name!r}: its state {_short_repr(state)} is not hashable ({message_of(error)}); use tuples and "
            f"frozensets instead of lists, sets and dicts"
        ) from error


def fold_observer(observer: Observer, seen: Sequence[Observed]) -> Hashable:
    """What an observer makes of the effects so far.

    Raises:
        ScenarioError: it raised, or what it made cannot be compared.
    """
    with _CodeOf(observer.name, "observer"):
        found = observer.fold(tuple(seen))
        # What an observer makes tells nodes apart, as a part of what is visible of a call.
        hash(found)
        return found


def _check_findings(name: str, found: object) -> list[Finding]:
    # A text is iterable: each of its letters would be named as a finding that is none.
    if isinstance(found, str | bytes) or not isinstance(found, Iterable):
        raise ScenarioError(f"invariant {name!r}: its check returned {_short_repr(found)}; {_EXPECTED}")
    parts: list[Finding] = []
    for part in found:
        if not isinstance(part, Violation | Reached):
            raise ScenarioError(f"invariant {name!r}: its check found {_short_repr(part)}; {_EXPECTED}")
        content: object = part.evidence if isinstance(part, Violation) else part.what
        # Exactly: a subclass may answer ``==`` and ``format`` as it likes, and goes into traces and other processes.
        if type(content) is not str:
            raise ScenarioError(
                f'invariant {name!r}: its {type(part).__name__} says {_short_repr(content)}; expected text: f"{{...}}"'
            )
        parts.append(part)
        if len(parts) > FINDINGS_MAX:
            raise ScenarioError(f"invariant {name!r}: its check finds more than {FINDINGS_MAX:,} things; end its loop")
    return parts


def _short_repr(value: object) -> str:
    try:
        return f"{message_of(Exception(repr(value)))} ({type(value).__name__})"
    except Exception:  # noqa: BLE001  # its __repr__ is user code
        return f"a {type(value).__name__}"


def holds(name: str, predicate: Callable[[Snapshot], object], seen: Snapshot) -> bool:
    """Whether a predicate of a *liveness* property is true in a state.

    Raises:
        ScenarioError: it raised, or answered neither True nor False.
    """
    with _CodeOf(name):
        return _check_bool(name, "predicate", predicate(seen))


def watches(invariant: OnStep, name: str, op: object) -> bool:
    """Whether a *step* invariant watches this effect of a call of this name.

    Raises:
        ScenarioError: its ``watches`` raised, or answered neither True nor False.
    """
    with _CodeOf(invariant.id):
        return _check_bool(invariant.id, "watches", invariant.watches(name, op))


def _check_bool(name: str, function: str, found: object) -> bool:
    # Truthiness would take a coroutine, or a generator, for True in every state.
    if type(found) is not bool:
        raise ScenarioError(f"invariant {name!r}: its {function} returned {_short_repr(found)}; expected True or False")
    return found
