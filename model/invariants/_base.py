"""What an invariant is: a stable id, a meaning, and a pure function that yields evidence."""

from collections.abc import Callable, Hashable, Iterable, Iterator

import attrs

from lakeproof.model.snapshot import ALL_PARTS, AnySnapshot, AnyTransition, Event, Observed
from lakeproof.model.snapshot import Reads as Reads


@attrs.frozen
class Violation:
    """The invariant does not hold here; ``evidence`` names the values that show it."""

    invariant: str
    evidence: str


@attrs.frozen
class Reached:
    """The situation arose, and the invariant was true in it. A run without any is not a proof: it is
    reported as inconclusive."""

    what: str


Finding = Violation | Reached


@attrs.frozen
class Observer:
    """A ghost variable: a pure fold over the effects of one call. It keeps two pasts apart that a flow itself
    has forgotten, so that an invariant may still ask about them. ``fold`` sees the effects of the call so far."""

    name: str
    fold: Callable[[tuple[Observed, ...]], Hashable]


SnapshotCheck = Callable[[AnySnapshot], Iterable[Finding]]
StepCheck = Callable[[AnyTransition], Iterable[Finding]]

STORE = frozenset({Reads.STORE})
STORES = frozenset({Reads.STORE, Reads.OBJECTS})
STORE_AND_CLIENTS = frozenset({Reads.STORE, Reads.CLIENTS})


@attrs.frozen(kw_only=True)
class _OfStates:
    id: str
    meaning: str
    check: SnapshotCheck
    reads: frozenset[Reads] | None = None
    observers: tuple[Observer, ...] = ()

    @property
    def may_read(self) -> frozenset[Reads]:
        """What its check may look at."""
        # Undeclared is not unread: the search watches what such a check looks at.
        return ALL_PARTS if self.reads is None else self.reads


@attrs.frozen(kw_only=True)
class Always(_OfStates):
    """Holds in every state. ``reads``: an assertion of what it looks at; without it, a search finds that out."""


@attrs.frozen(kw_only=True)
class Eventually(_OfStates):
    """Holds at quiescence: no client can move (each is done or crashed). ``reads``: as of `Always`."""


@attrs.frozen
class Afterwards:
    """What must be true when a program has run on each final store: the name of an `Aftermath`."""

    id: str
    meaning: str


@attrs.frozen(kw_only=True)
class OnStep:
    """Holds of every transition that it ``watches``: (call name, effect) -> bool. Reads the stores and their clock: the
    client's moves in which the effect takes place, and late writes that arrive."""

    id: str
    meaning: str
    check: StepCheck
    watches: Callable[[str, object], bool]
    observers: tuple[Observer, ...] = ()


@attrs.frozen(kw_only=True)
class Monitor:
    """Holds of every order of invocations and returns: a deterministic automaton over events.

    ``advance(state, event)`` returns the next state (hashable) and findings; after a violation its state is
    not used any more. ``at_end(state, snapshot)`` may hold what happened against the final store and objects: it is
    evaluated at quiescence, and its snapshot shows stores and objects only.
    """

    id: str
    meaning: str
    initial: Hashable
    advance: Callable[[Hashable, Event], tuple[Hashable, tuple[Finding, ...]]]
    at_end: Callable[[Hashable, AnySnapshot], Iterable[Finding]] | None = None
    observers: tuple[Observer, ...] = ()
    late: Hashable = None
    """The initial state where a write in doubt may take effect after its call has ended; None: ``initial``."""

    def first(self, *, late: bool) -> Hashable:
        """The state in which it begins. late: whether a write in doubt may take effect after its call has ended."""
        return self.late if late and self.late is not None else self.initial


def always(
    meaning: str, *, reads: frozenset[Reads] | None = None, observers: tuple[Observer, ...] = ()
) -> Callable[[SnapshotCheck], Always]:
    """A decorator: the function becomes the check of an invariant whose id is its name, with dashes."""
    return lambda check: Always(id=_id_of(check), meaning=meaning, check=check, reads=reads, observers=observers)


def eventually(
    meaning: str, *, reads: frozenset[Reads] | None = None, observers: tuple[Observer, ...] = ()
) -> Callable[[SnapshotCheck], Eventually]:
    """The same for `Eventually`."""
    return lambda check: Eventually(id=_id_of(check), meaning=meaning, check=check, reads=reads, observers=observers)


def on_step(
    meaning: str, *, watches: Callable[[str, object], bool], observers: tuple[Observer, ...] = ()
) -> Callable[[StepCheck], OnStep]:
    """The same for `OnStep`."""
    return lambda check: OnStep(id=_id_of(check), meaning=meaning, check=check, watches=watches, observers=observers)


# The check is one of a snapshot or of a transition.
def _id_of(check: Callable[..., Iterable[Finding]]) -> str:  # type: ignore[explicit-any]
    name = check.__qualname__
    check.__qualname__ = f"{name}.check"  # pickle finds it there
    return name.replace("_", "-")


def violations(findings: Iterable[Finding]) -> Iterator[Violation]:
    """Only the violations among findings."""
    return (finding for finding in findings if isinstance(finding, Violation))
