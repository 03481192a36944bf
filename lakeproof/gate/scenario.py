"""What a user writes for the gate: calls of a real program, what can go wrong, and what must hold."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from typing import TYPE_CHECKING, Final, ParamSpec

import attrs

from lakeproof.scenario import Faults, ScenarioError
from lakeproof.words import Unusable

# Each process of a program imports this module with the user's file: the fronts would make its start slow.
if TYPE_CHECKING:
    from lakeproof.gate.cuts import Moment
    from lakeproof.gate.fronts.aws import Store
    from lakeproof.gate.programs import Returned

P = ParamSpec("P")


@attrs.frozen
class GateCall:
    """A function of the user's file, called in a process of the program. Arguments and result must be JSON."""

    name: str
    args: tuple[object, ...] = ()
    function: object = attrs.field(default=None, eq=False, repr=False)
    """What is to be found in the file under the name; None: whatever it is."""

    @classmethod
    def of(cls, function: Callable[P, object], *args: P.args, **options: P.kwargs) -> "GateCall":
        """The call of a function with positional arguments, which are checked against its signature."""
        if options:
            raise TypeError(f"{function.__name__}: pass its arguments by position")
        try:
            # Here an error still has the line of the user's file in its traceback.
            json.dumps(args)
        except (TypeError, ValueError) as error:
            raise ScenarioError(f"{function.__name__}: arguments travel as JSON: {error}") from None
        return cls(function.__name__, args, function)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.args))})"


call = GateCall.of


@attrs.frozen(kw_only=True)
class Outcome:
    """What is judged at the end of a schedule."""

    results: "Mapping[str, Sequence[tuple[GateCall, Returned]]]"
    """By client, in order: its calls, and how they ended."""
    after: "Sequence[Returned]"
    """How the calls of ``after`` ended."""
    store: "Store"
    """What the store holds."""


FAULTS: Final = ("lost_answers", "refusals", "crashes")
"""The budgets that a gate can spend."""
VERDICTS: Final = ("holds", "violated")

Invariant = Callable[[Outcome], str | None]
"""Evidence that it is violated, in a sentence; None: it holds. Its name and its docstring are shown."""


OnTheWay = Callable[["Moment", Sequence[GateCall]], str | None]
"""As `Invariant`, of a step: what is in the store before it, and after it; and the calls of its client."""

CALM_SECONDS_MAX: Final = 60.0
STEPS_MAX: Final = 1_000
THREADS: Final = "threads"


@attrs.frozen(kw_only=True)
class GateScenario:
    """Clients of a real program that run at once, each in a process of its own."""

    name: str
    clients: Sequence[Sequence[GateCall]]
    setup: Sequence[GateCall] = ()
    """Run once, before everything, through the open gate. Each schedule begins with what it has left in the store."""
    after: Sequence[GateCall] = ()
    """Run at the end of each schedule, through the open gate: reads whose results the invariants look at."""
    invariants: Sequence[Invariant] = ()
    always: Sequence[OnTheWay] = ()
    """Called for every step in every order of a class, and of the beginning; see `lakeproof.gate.cuts`."""
    expect: Mapping[str, str] = attrs.field(factory=dict)
    """By invariant: ``violated`` where the program is known to violate it. All others are expected to hold."""
    faults: Faults = attrs.field(factory=Faults)
    """``lost_answers``, ``refusals`` and ``crashes``, spent on writes. A crash: the processes of the client are killed
    before the write takes place, or after it."""
    buckets: frozenset[str] = frozenset({"bucket"})
    """That exist at the beginning."""
    environment: Mapping[str, str] = attrs.field(factory=dict)
    """Variables of the processes, and of the service, besides those that each has: see `lakeproof.gate.programs`."""
    service: Sequence[str] = ()
    """A command that serves HTTP, started once for each client, and once for ``setup`` and ``after``; calls find its
    address in the environment variable ``SERVICE_URL``. ``{port}`` in a word stands for the port to listen on."""
    through: Sequence[str] = ()
    """Requests that are no steps and are answered at once, by patterns of labels, such as ``GetItem kv/auth/*``. They
    must only read, and no step may change what they read: a schedule in which one does says nothing."""
    parallel: bool | str = True
    """Let requests of one client that wait at the same time go in every order. False: in the order of their labels, so
    that a verdict is on fewer schedules, and says so. `THREADS`: their order is tried only where one touches what
    another changes, which is right for a client that does not see in which order its answers come."""
    fresh: bool = False
    """Start the processes of the clients anew for each schedule: for a program that keeps something from one to the
    next. What they ask the store for until they are quiet is no part of the schedule, and must not change it."""
    calm_seconds: float = 0.0
    """For so long nothing must have moved before a request is chosen: longer than the timers of the program after which
    one call goes on to ask while another request of it waits."""

    conflicts: int = 0
    """A budget, as those of ``faults``: S3 answers a write under a condition by 409; nothing took place, and
    an upload in parts is gone."""
    expiries: int | None = None
    """A budget, as those of ``faults``: before a request to Redis, the keys that it touches and that were given a time
    to live have expired. 0: no key expires. None: a command that gives a key a time to live is not known."""
    reached: Callable[[Outcome], bool] | None = None
    """Whether a client's call has done what it is for. If it has in no schedule, nothing holds. None: whether any has
    returned without an error, and all of ``after``."""
    steps_max: int = STEPS_MAX
    """A schedule with more requests than this is given up: the program asks for ever."""

    def __attrs_post_init__(self) -> None:
        """Raises ScenarioError: something would not be judged, or be judged by another name."""
        if not self.clients or not all(self.clients):
            raise ScenarioError(f"{self.name}: clients: {self.clients!r}: expected one or more, each with a call")
        for each in self.calls:
            if not isinstance(each, GateCall):
                raise ScenarioError(f"{self.name}: {each!r} is no call; write call(function, argument, ...)")
        # Both kinds together: verdicts, traces and ``expect`` know an invariant by its name alone.
        names = [getattr(each, "__name__", "") for each in (*self.invariants, *self.always)]
        if not names or not all(names):
            raise ScenarioError(f"{self.name}: invariants: {self.invariants!r}: expected one or more named functions")
        if len(set(names)) < len(names):
            raise ScenarioError(f"{self.name}: invariants: two have one name among {', '.join(names)}")
        for name, verdict in self.expect.items():
            if name not in names or verdict not in VERDICTS:
                known = f"one of {', '.join(names)}, and {' or '.join(VERDICTS)}"
                raise ScenarioError(f"{self.name}: expect: {name!r}: {verdict!r}: expected {known}")
        if self.parallel not in (True, False, THREADS):
            raise ScenarioError(f"{self.name}: parallel: {self.parallel!r}: expected True, False, or {THREADS!r}")
        # By its footprint, which is empty, a crash would be independent of the requests that it ends.
        if self.parallel == THREADS and self.faults.crashes:
            why = "a crash takes back what its client waits for, and so is not independent of its other requests"
            raise ScenarioError(f"{self.name}: parallel={THREADS!r} with faults.crashes: {why}; leave one out")
        if not 0 <= self.calm_seconds <= CALM_SECONDS_MAX:
            raise ScenarioError(f"{self.name}: calm_seconds: {self.calm_seconds!r}: expected 0 to {CALM_SECONDS_MAX:g}")
        for name, budget in (("conflicts", self.conflicts), ("expiries", self.expiries or 0)):
            if budget < 0:
                raise ScenarioError(f"{self.name}: {name}: {budget!r}: expected 0 or more")
        if self.steps_max < 1:
            raise ScenarioError(f"{self.name}: steps_max: {self.steps_max!r}: expected 1 or more")
        spent = attrs.asdict(self.faults)
        if unknown := [name for name, budget in spent.items() if budget and name not in FAULTS]:
            raise ScenarioError(f"{self.name}: faults.{unknown[0]}: the gate has {', '.join(FAULTS)}; leave it out")

    @property
    def calls(self) -> Sequence[GateCall]:
        """All of them, those of the setup and of ``after`` too."""
        return (*(one for client in self.clients for one in client), *self.setup, *self.after)

    @property
    def budgets(self) -> Mapping[str, int]:
        """Of everything that can go wrong, by name."""
        # Without expiries no key has a time to live, and 0 of them are left to spend.
        return {**attrs.asdict(self.faults), "conflicts": self.conflicts, "expiries": self.expiries or 0}


def found_by(scenario: str, name: str, invariant: Callable[[], object]) -> str | None:
    """What an invariant of a user returns for its arguments: evidence, or None.

    Raises:
        Unusable: it raises, or returns something else.
    """
    where = f"{scenario}: the invariant {name}"
    found = _call_user(invariant, where, "evidence or None")
    # True or False from a function that was meant as a predicate would count as evidence, or as none.
    if found is not None and not isinstance(found, str):
        raise Unusable(f"{where} returned {found!r}; let it return evidence in a sentence, or None")
    return found


def reached_by(scenario: GateScenario, outcome: Outcome) -> bool:
    """Whether a client's call has done what it is for, as far as the scenario says what that is.

    Raises:
        Unusable: the function of the user raises.
    """
    if scenario.reached is None:
        returned = any(each.ok for calls in outcome.results.values() for _, each in calls)
        return returned and all(each.ok for each in outcome.after)
    reached = partial(scenario.reached, outcome)
    return bool(_call_user(reached, f"{scenario.name}: reached", "whether a call has done what it is for"))


def _call_user(function: Callable[[], object], where: str, expected: str) -> object:
    try:
        # Rows go to stdout, and what the function prints would be among them.
        with redirect_stdout(sys.stderr):
            return function()
    except (Exception, SystemExit) as error:  # whatever the user's function raises
        raise Unusable(f"{where} raised {type(error).__name__}: {error}; let it return {expected}") from error
