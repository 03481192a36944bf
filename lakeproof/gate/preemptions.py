"""All schedules with few preemptions, up to equivalence: for programs that have too many classes to run them all.

A preemption is a change to another client while the one before still waits. Two clients with two requests each:

    a1 a2 b1 b2    none: a has nothing left to ask for when b begins
    a1 b1 b2 a2    one: b1 comes while a2 waits
    a1 b1 a2 b2    two

Most races need one or two, so the bounds 0, 1, 2, ... are gone through in turn. A class of schedules belongs to a bound
if one of its schedules has so few preemptions; it is run once, whichever of them is met first.

The search walks through all schedules within the bound, but not with the program. It knows requests by the choice and
by what happened before them; so it knows a request again after another prefix, if what is between is independent:
after the runs a1 b1 and b1 a1, whose steps are independent, both prefixes are one *place*, the set of the two events.
What a client waits for depends on its own events alone. A run is needed only where a request is let go after something
that it depends on and that no run has had before it, or where a place with nothing left to let go was never run. In
both cases what is run is a new class.

Source: Musuvathi, Qadeer, *Iterative Context Bounding for Systematic Testing of Multithreaded Programs*, PLDI 2007.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.gate.classes import TRIES_MAX, Choice, Diverged, Name, Pending
from lakeproof.gate.extents import kinds
from lakeproof.gate.fronts.footprints import Footprint, dependent
from lakeproof.gate.local_names import LocalNames
from lakeproof.gate.walks import AnsweredOtherwise

PLACES_MAX: Final = 300_000
"""How many places are looked at beyond the bound, to say what is left."""
Place = int
"""A set of events, as bits."""
At = tuple[Place, str]
"""A place, and the client whose request was let go last."""
Plan = tuple[Choice, ...]


@attrs.frozen
class _Event:
    """A request that was let go, and what happened before it in every order of its class."""

    choice: Choice
    before: Place
    footprint: Footprint


@attrs.define
class Bounded:
    """The search. It is driven as `lakeproof.gate.classes.Classes`.

    bound: how many preemptions at most. ways: the modes in which a write can be let go after others were let go in
    these modes; as a fault is spent, there are fewer.

    Cost: time and memory grow with the places within the bound: at most the product of the numbers of steps of the
    clients, for each class.
    """

    bound: int
    ways: Callable[[Sequence[str]], tuple[str, ...]]
    all_run = False
    """A bounded search never says *all*."""
    runs: int = 0
    complete: int = 0
    """The classes that were run to their end: each one once."""
    diverged: int = 0
    repeated: int = 0
    """Runs that did not repeat their beginning."""
    covered: int = -1
    """Every class with so many preemptions was run; -1: not even those without any. To be read when it is ``over``."""
    left: int | None = None
    """So many beginnings with one preemption more than that were seen, and not run; two of them may be of one class.
    None: not counted, as the program has diverged."""
    over: bool = False
    """There is nothing left to run. The last run was the first schedule once more."""
    _events: list[_Event] = attrs.field(factory=list)
    _numbers: dict[tuple[Choice, Place], int] = attrs.field(factory=dict)
    _local: dict[tuple[Choice, Place], list[int]] = attrs.field(factory=dict)
    """By choice, and by the events of its client before it."""
    _of: dict[str, Place] = attrs.field(factory=dict)
    """The events of a client."""
    _faulty: Place = 0
    _depends: dict[tuple[int, int], bool] = attrs.field(factory=dict)
    _waiting: dict[tuple[str, Place], dict[Name, tuple[str, ...]]] = attrs.field(factory=dict)
    """By client, and by its events: what it waits for, and how that can go wrong."""
    _ended: set[Place] = attrs.field(factory=set)
    _first: Plan = ()
    """The first schedule that was run to its end."""
    _before: dict[At, tuple[At, Choice] | None] = attrs.field(factory=dict)
    _plans: Iterator[Plan] | None = None
    _plan: Plan = ()
    _path: list[int] = attrs.field(factory=list)
    _place: Place = 0
    _last: str = ""
    _chosen: Choice | None = None
    _names: LocalNames = attrs.field(factory=LocalNames)
    _trouble: Diverged | None = None
    _tried: int = 0

    def begin(self) -> bool:
        """Begin another run, if one is left."""
        # A plan that has diverged is tried again. Otherwise the generator goes on, and sees what its last plan gave.
        if not self._tried:
            self._plans = self._plans or self._all_plans()
            plan = next(self._plans, None)
            if plan is None:
                self.over = True
                return False
            self._plan = plan
        self.runs += 1
        self._path, self._place, self._last, self._trouble = [], 0, "", None
        self._names = LocalNames()
        return True

    def choose(self, pending: Sequence[Pending]) -> Choice:
        """What to let go next.

        Raises:
            Diverged: a client does not wait for what it waited for after the same events.
        """
        names = self._names.of(each.name for each in pending)
        here = {names[each.name]: each for each in pending}
        self._check({name: each.faults for name, each in here.items()})
        depth = len(self._path)
        if depth < len(self._plan):
            self._chosen = self._plan[depth]
            # Where a step before was answered otherwise, nothing is known of what waits here, and `_check` passes.
            if self._chosen.name not in here:
                self._trouble = Diverged(depth, frozenset({self._chosen.name}), frozenset(here))
                raise self._trouble
        else:
            # Behind the plan the last client goes on as long as it waits: so the rest of a run has no preemption.
            name = min(here, key=lambda each: (each.client != self._last, each))
            self._chosen = Choice(name, here[name].modes[0])
        return Choice(here[self._chosen.name].name, self._chosen.mode)

    def let_go(self, footprint: Footprint) -> None:
        """What was chosen last has been done, and this is what it touched."""
        choice = self._chosen
        assert choice is not None
        footprint = self._names.touched(footprint)
        before = 0
        for number in reversed(self._path):
            other = self._events[number]
            # From the last event back: what is known through a later one is in its bits.
            if before >> number & 1:
                continue
            if other.choice.name.client == choice.name.client or dependent(other.footprint, footprint):
                before |= other.before | 1 << number
        expected = self._known(self._place, choice)
        number = self._number(choice, before, footprint)
        # Its footprint of an earlier run decides which steps are tried before it.
        changed = kinds(self._events[number].footprint) != kinds(footprint)
        if self._trouble is None and (changed or (expected is not None and expected != number)):
            # Noted only, and raised by `end`: callers do not expect an exception here.
            self._trouble = AnsweredOtherwise(len(self._path), choice.name)
        self._path.append(number)
        self._place |= 1 << number
        self._last = choice.name.client

    def end(self) -> None:
        """The run is over: nothing waits, or `choose` has raised.

        Raises:
            Diverged: it ended earlier than it did after the same steps; or something was answered otherwise.
        """
        # What `choose` has raised is known to the caller.
        reported = self._trouble is not None and not isinstance(self._trouble, AnsweredOtherwise)
        if self._trouble is None:
            try:
                self._check({})
            except Diverged as error:
                self._trouble = error
        if self._trouble is None:
            self._tried = 0
            self._first = self._first or tuple(self._events[number].choice for number in self._path)
            # The same events in another order are the same class, and so are those of the first schedule once more.
            self.complete += self._place not in self._ended
            self._ended.add(self._place)
            return
        self.fail()
        if not reported:
            raise self._trouble

    def fail(self) -> None:
        """The run is over, and it is not known what it would have shown."""
        self._tried += 1
        self.repeated += 1
        if self._tried > TRIES_MAX:
            self._tried = 0
            self.diverged += 1

    def _check(self, found: Mapping[Name, tuple[str, ...]]) -> None:
        """Remember what each client waits for; or find that it is something else than before."""
        begun = bool(self._of)
        for name in found:
            if name.client not in self._of:
                self._of[name.client] = 0
                if begun:
                    self._waiting[name.client, 0] = {}  # it was silent so far, without an event of its own
        expected: set[Name] = set()
        for client, events in self._of.items():
            here = {name: faults for name, faults in found.items() if name.client == client}
            # The first run that comes here decides what is expected of all later ones.
            expected.update(self._waiting.setdefault((client, self._place & events), here))
        if expected != found.keys():
            self._trouble = Diverged(len(self._path), frozenset(expected), frozenset(found))
            raise self._trouble

    def _number(self, choice: Choice, before: Place, footprint: Footprint) -> int:
        # An event is its choice and its past: so it has one number in all orders of its class.
        found = self._numbers.get((choice, before))
        if found is None:
            found = self._numbers[choice, before] = len(self._events)
            self._events.append(_Event(choice, before, footprint))
            client = choice.name.client
            self._local.setdefault((choice, before & self._of[client]), []).append(found)
            self._of[client] |= 1 << found
            self._faulty |= (choice.mode != "normal") << found
        return found

    def _known(self, place: Place, choice: Choice) -> int | None:
        """The event that this choice is at a place, if a run has shown it."""
        mine = place & self._of[choice.name.client]
        for number in self._local.get((choice, mine), ()):
            before = self._events[number].before
            # Its whole past is in the place, and it depends on nothing else there: so it is this event here, too.
            if not before & ~place and not any(self._dependent(number, other) for other in _bits(place & ~before)):
                return number
        return None

    def _dependent(self, one: int, other: int) -> bool:
        found = self._depends.get((one, other))
        if found is None:
            found = dependent(self._events[one].footprint, self._events[other].footprint)
            self._depends[one, other] = found
        return found

    def _choices(self, place: Place) -> list[Choice] | None:
        """What can be let go at a place; None: the run that would have shown it did not come so far."""
        spent = [self._events[number].choice.mode for number in _bits(place & self._faulty)]
        ways = self.ways(spent)
        found = []
        for client, events in self._of.items():
            here = self._waiting.get((client, place & events))
            if here is None:
                return None
            for name, faults in here.items():
                # `ways` begins with the mode without a fault, which is open to every request.
                found += [Choice(name, mode) for mode in ways if mode == ways[0] or mode in faults]
        return found

    def _way(self, at: At) -> Plan:
        """A schedule that leads to a place."""
        found: list[Choice] = []
        step = self._before[at]
        while step is not None:
            at, choice = step
            found.append(choice)
            step = self._before[at]
        return tuple(reversed(found))

    def _all_plans(self) -> Generator[Plan]:
        """What is to be run, in the order of preemptions, up to the bound; then the first schedule once more."""
        # The first run has no plan: it lets one client after the other go to its end.
        yield ()
        self._before[0, ""] = None
        edges: list[tuple[At, Choice]] = []
        reached: list[At] = [(0, "")]
        while self.covered < self.bound and not self.diverged:
            yield from self._within(edges, reached)
            self.covered += not self.diverged
        while not self.diverged and not self.left:
            # What is known already may be all that one preemption more gives. Then that is covered, too.
            # Plans are counted here, and not yielded: what needs a run stays unknown, and nothing is found behind it.
            self.left = sum(1 for _ in self._within(edges, reached)) if edges else 0
            if not edges:
                break
            self.covered += not self.left
            # It takes too long to look further: every preemption that comes next counts as left.
            if len(self._before) > PLACES_MAX:
                self.left = len(edges)
        if self._first:
            yield self._first
        # Where a run did not repeat itself, none proves anything.
        if not self._first or self.repeated:
            self.covered = -1

    def _within(self, edges: list[tuple[At, Choice]], reached: list[At]) -> Generator[Plan]:
        """Go through all that is reached by one preemption, and from there without another one. Leaves in ``edges``
        the preemptions that come next."""
        following: list[tuple[At, Choice]] = []
        for at, choice in edges:
            yield from self._take(at, choice, reached)
        while reached:
            at = reached.pop()
            place, last = at
            choices = self._choices(place)
            if choices is None:
                continue  # the run that ended here was dropped, and counted
            if not choices and place not in self._ended:
                yield self._way(at)
            # To change the client is a preemption only while the last one still waits.
            waits = any(each.name.client == last for each in choices)
            for choice in choices:
                if waits and choice.name.client != last:
                    following.append((at, choice))
                else:
                    yield from self._take(at, choice, reached)
        edges[:] = following  # the caller's own list

    def _take(self, at: At, choice: Choice, reached: list[At]) -> Generator[Plan]:
        """Make a step from a place: as it is known, or else by a run."""
        place, _ = at
        number = self._known(place, choice)
        if number is None:
            yield (*self._way(at), choice)
            # Still None if the run has diverged, or if plans are only counted.
            number = self._known(place, choice)
        after = None if number is None else (place | 1 << number, choice.name.client)
        if after is not None and after not in self._before:
            self._before[after] = (at, choice)
            reached.append(after)


def _bits(place: Place) -> Iterator[int]:
    while place:
        lowest = place & -place  # in two's complement, only the lowest bit is in both
        yield lowest.bit_length() - 1
        place ^= lowest
