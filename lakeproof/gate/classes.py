"""All schedules up to equivalence: a stateless search with source sets and sleep sets.

Two schedules are equivalent if one becomes the other by exchanging neighbours that are independent
(`lakeproof.gate.fronts.footprints`) and belong to different clients: then every client receives the same replies, and
the store ends the same. The search runs one schedule of each class. It keeps nothing but the places where something is
left to run; each schedule is run from the beginning, by the owner of the program.

    search = Classes()
    while search.begin():
        while pending:
            choice = search.choose(pending)
            if choice is None: break               # what is left is run in another order
            search.let_go(what it has touched)     # after the program is quiet again
        search.end()

Runs can be made side by side, too: `Classes.hand_out` gives a beginning, a `lakeproof.gate.walks.RandomRun` follows it
and goes on, anywhere, and `Classes.take_in` gets what came of it. A second branch of a place is handed out when it is
known what the first step of the one before has touched. So a branch may leave out what an earlier one will run, and
never the other way round; which of them ends first does not matter.

Source: Abdulla, Aronis, Jonsson, Sagonas, *Optimal Dynamic Partial Order Reduction*, POPL 2014, algorithm 1. Each
request is an event of its own. The requests of one client are dependent on each other: a client may see in which order
its answers come. The ways in which a request can be let go (plainly, or with a fault) are alternatives of one event.

With ``threads``, requests of one client that wait at the same time are threads of their own: as those of different
clients, they are dependent only if one touches what the other changes. A request is known to need the last answer
before it appeared, and what that one needed. That may be too little, which costs runs and loses none:

    c1 waits for a and b, and for c when both are answered. a, then b: c is known to need b. b, then a: to need a.

This is right for a program that asks for the same when it has the same answers, in whichever order they came. If an
answer takes back another request of its client, it is not such a program, and the search never says *all*.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import attrs

from lakeproof.gate.extents import Extents, kinds
from lakeproof.gate.fronts.footprints import Footprint, dependent
from lakeproof.gate.walks import (
    COMPLETE,
    DIVERGED,
    AnsweredOtherwise,
    Beginning,
    Choice,
    Diverged,
    Name,
    Pending,
    RandomRun,
    Taken,
    Walked,
    still_asleep,
)

__all__ = ["TRIES_MAX", "Choice", "Classes", "Diverged", "Name", "Pending"]

TRIES_MAX: Final = 3
"""How often a schedule is run again that did not repeat its beginning."""


@attrs.define
class _Event:
    """A request that was let go."""

    choice: Choice
    footprint: Footprint
    extent: Footprint
    """What it may touch, which includes this: see `lakeproof.gate.extents`."""
    born: int
    """The step after which it appeared; -1: it was there at the beginning."""
    before: int = 0
    """The events that happened before it, as bits."""

    @property
    def client(self) -> str:
        return self.choice.name.client


@attrs.define(eq=False)
class _TreeNode:
    """Where something may be left to run: what waits there, and what is to be tried."""

    pending: dict[Name, Pending]
    born: dict[Name, int]
    above: "_TreeNode | None" = None
    by: _Event | None = None
    """What was let go above to come here."""
    asleep: dict[Choice, Footprint] = attrs.field(factory=dict)
    wanted: list[Name] = attrs.field(factory=list)
    """The source set: what must be let go here at some time."""
    begun: dict[Choice, _Event] = attrs.field(factory=dict)
    """What was let go here, in order."""
    under_way: Choice | None = None
    """What is being let go here, and it is not known yet what it touches."""
    below: "dict[Choice, _TreeNode]" = attrs.field(factory=dict)
    """Where something may be left to run after that."""
    dropped: bool = False

    @property
    def path(self) -> "list[_TreeNode]":
        """From the beginning to here."""
        found = [self]
        while found[-1].above is not None:
            found.append(found[-1].above)
        return found[::-1]

    def next(self) -> Choice | None:
        """What is to be let go here next, if anything is."""
        # In every mode: they are alternatives of one event, and no race of events would ever add the others.
        wanted = (Choice(name, mode) for name in self.wanted for mode in self.pending[name].modes)
        return next((each for each in wanted if each not in self.asleep and each not in self.begun), None)

    def asleep_beside(self) -> dict[Choice, Footprint]:
        """What needs no run in the next branch."""
        return {**self.asleep, **{choice: event.extent for choice, event in self.begun.items()}}


@attrs.define
class _Begun:
    """A run that was handed out. place: where it leaves what is known; None: there was nothing known."""

    place: _TreeNode | None
    choice: Choice | None
    tries: int = 0


@attrs.define
class Classes:
    """The search. See the module for how it is driven, and for what ``threads`` are.

    Cost: the memory is that of the places where something is left, which with one run at a time lie on one path; the
    time of the search itself is quadratic in the length of a run, which is nothing beside that of the run.
    """

    threads: bool = False
    runs: int = 0
    """The runs that were begun."""
    complete: int = 0
    """The classes that were run to their end in this round: each one once."""
    rounds: int = 1
    """The search begins anew where a request is seen to touch what it did not before: see `lakeproof.gate.extents`."""
    repeated: int = 0
    """Runs that did not repeat their beginning. What they would have shown was not judged, so nothing is proved. A
    beginning that is never repeated, however often it is tried, is dropped with what lies behind."""
    over: bool = False
    """There is nothing left to run."""
    confirmed: bool = False
    """The first schedule was run once more at the end, and the program did the same. A search of a single class would
    otherwise never see that a program does not repeat itself."""
    taken_back: str = ""
    """With threads: a request that was taken back when another one of its client was answered. Nothing is proved."""
    _open: list[_TreeNode] = attrs.field(factory=list)
    _begun: dict[int, _Begun] = attrs.field(factory=dict)
    """By number: what is run at present."""
    _again: list[_Begun] = attrs.field(factory=list)
    """What is to be tried again."""
    _first: tuple[Taken, ...] | None = None
    """The first complete run."""
    _rounds_begun: int = 0
    _extents: Extents = attrs.field(factory=Extents)
    _walk: RandomRun | None = None

    @property
    def all_run(self) -> bool:
        """Every class was run, and every run has repeated its beginning."""
        return self.over and self.confirmed and not self.repeated and not self.taken_back

    @property
    def waits(self) -> bool:
        """Whether a run is under way, after which there may be more to hand out."""
        return bool(self._begun)

    def begin(self) -> bool:
        """Begin another run, if one is left that need not wait for what is under way elsewhere."""
        beginning = self.hand_out()
        self._walk = None if beginning is None else RandomRun(beginning, self.threads)
        return self._walk is not None

    @property
    def _own(self) -> RandomRun:
        assert self._walk is not None, "no run was begun"
        return self._walk

    # As those of `RandomRun`, whose docstrings hold here, too.

    def choose(self, pending: Sequence[Pending]) -> Choice | None:
        return self._own.choose(pending)

    def let_go(self, footprint: Footprint) -> None:
        self._own.let_go(footprint)

    def end(self) -> None:
        """Raises Diverged also if something was answered otherwise."""
        try:
            self._own.end()
        finally:
            changed = self.take_in(self._own.walked)  # also after Diverged: the run is to be tried again
        if changed is not None:
            raise changed

    def fail(self) -> None:
        self._own.fail()
        self.take_in(self._own.walked)

    def hand_out(self) -> Beginning | None:
        """The beginning of another run; None: there is none, or none before one that is under way has come back."""
        begun = self._next()
        if begun is None:
            return None
        self.runs += 1
        self._begun[self.runs] = begun
        if begun.place is None:
            # Without a place this is either the very first run, or the first schedule once more, at the end.
            if not self.over:
                return Beginning(number=self.runs)
            steps = tuple((frozenset(one.name for one in each.pending), each.choice) for each in self._first or ())
            return Beginning(number=self.runs, steps=steps, whole=True)
        assert begun.choice is not None
        path = begun.place.path
        choices = (*(each.by.choice for each in path if each.by is not None), begun.choice)
        return Beginning(
            number=self.runs,
            steps=tuple((frozenset(each.pending), choice) for each, choice in zip(path, choices, strict=True)),
            asleep=begun.place.asleep_beside(),
            more=self._extents.more,
        )

    def _next(self) -> _Begun | None:
        while self._again:
            # What has diverged comes first: its place hands out no other branch before it is settled.
            begun = self._again.pop()
            if begun.place is None or not begun.place.dropped:
                return begun
        if self._rounds_begun < self.rounds:
            self._rounds_begun += 1
            return _Begun(None, None)
        for place in reversed(self._open):  # the last one first: then few places are open
            if place.under_way is None and (choice := place.next()) is not None:
                place.under_way = choice
                return _Begun(place, choice)
        # Nothing can be handed out. A run that is under way may still add something, so only without one all is over.
        self.over = self.over or not self._begun
        # After a divergence the search never says *all*, and a confirmation would be of no use.
        return None if self._begun or self.confirmed or self.repeated else _Begun(None, None)

    def take_in(self, walked: Walked) -> AnsweredOtherwise | None:
        """What came of a run that was handed out. Returns in which step it was not answered as after the same steps
        before, if it was not: then it has diverged."""
        begun = self._begun.pop(walked.number)
        # Another run has ended above this place, and was counted; or the search has begun anew meanwhile.
        if begun.place is not None and begun.place.dropped:
            return None
        changed = self._compare(begun.place, walked)
        self._take_in(begun, walked if changed is None else attrs.evolve(walked, outcome=DIVERGED))
        return changed

    def _compare(self, place: _TreeNode | None, walked: Walked) -> AnsweredOtherwise | None:
        # The names of the requests do not tell: one that is refused may write in the next run, if the program keeps
        # something from one schedule to the next.
        if place is not None:
            known = [each.by.footprint for each in place.path if each.by is not None]
        else:
            known = [each.footprint for each in self._first or ()] if self.over else []
        for at, (before, taken) in enumerate(zip(known, walked.steps, strict=False)):  # it may have ended earlier
            if kinds(before) != kinds(taken.footprint):
                return AnsweredOtherwise(at, taken.choice.name)
        return None

    def _take_in(self, begun: _Begun, walked: Walked) -> None:
        if walked.outcome == DIVERGED:
            self.repeated += 1
            begun.tries += 1
            if begun.tries <= TRIES_MAX:
                self._again.append(begun)
                return
        # No run was under way when the search was over, so this one is the first schedule once more.
        if self.over:
            self.confirmed = walked.outcome != DIVERGED
            return
        if self._extents.learn(walked.steps) and not self.repeated:  # else nothing is proved, and it may never end
            # Races of the runs so far were not seen. This one is not counted either: its class will be met again.
            for each in self._open:
                each.dropped, each.under_way = True, None
            self._open.clear()
            self.rounds, self.complete = self.rounds + 1, 0
            return
        if begun.place is not None and len(walked.steps) < len(begun.place.path):
            # It did not come to its branch: the place at which it ended is the first one that it has not met again.
            self._drop(begun.place.path[len(walked.steps)])
        else:
            self._grow(begun.place, walked)
        if walked.outcome == COMPLETE:
            self.complete += 1
            self._first = walked.steps if self._first is None else self._first

    def _drop(self, place: _TreeNode) -> None:
        """A place to which the program does not come back, and all below it."""
        if place.above is not None and place.by is not None:
            del place.above.below[place.by.choice]
        below = [place]
        while below:
            each = below.pop()
            each.dropped = True
            each.under_way = None
            below += each.below.values()
            self._open.remove(each)
        self._close(place.above)

    def _close(self, place: _TreeNode | None) -> None:
        """Forget a place where nothing is left, and those above it of which that is then true."""
        while place is not None and not place.below and place.under_way is None and place.next() is None:
            self._open.remove(place)
            if place.above is not None and place.by is not None:
                del place.above.below[place.by.choice]
            place = place.above

    def _grow(self, place: _TreeNode | None, walked: Walked) -> None:
        """Add what a run has met behind the place at which it has left what was known."""
        path = [] if place is None else place.path
        events = [each.by for each in path if each.by is not None]
        # The steps before belong to an earlier run, and their races are known. The first new step is the branch, at the
        # last place of the path.
        for step in range(max(len(path) - 1, 0), len(walked.steps)):
            taken = walked.steps[step]
            if step == len(path):
                path.append(self._entered(path, events, taken))
            here = path[step]
            extent = self._extents.of(taken.choice, taken.footprint)
            event = _Event(taken.choice, taken.footprint, extent, here.born[taken.choice.name])
            self._order(step, event, events)
            self._reverse_races(step, event, path, events)
            events.append(event)
            here.under_way = None
            after = walked.steps[step + 1].pending if step + 1 < len(walked.steps) else walked.left
            # What waits behind the last step of a diverged run is not known.
            if walked.outcome != DIVERGED or step + 1 < len(walked.steps):
                self._look_for_taken_back(here, event, {each.name for each in after})
            # Nothing was let go behind the last step, so that no `_entered` notes it.
            if step + 1 == len(walked.steps):
                here.begun[event.choice] = event
        self._close(path[-1] if path else None)

    def _entered(self, path: list[_TreeNode], events: list[_Event], taken: Taken) -> _TreeNode:
        """A place that no run has been at."""
        pending = {each.name: each for each in taken.pending}
        # One request is enough to begin a source set; races add the others that are needed.
        place = _TreeNode(pending, dict.fromkeys(pending, -1), wanted=[taken.choice.name])
        if path:
            above, by = path[-1], events[-1]
            place.above, place.by = above, by
            place.born = {name: above.born.get(name, len(events) - 1) for name in pending}
            # Before the step is noted above: it is no branch beside itself.
            place.asleep = still_asleep(above.asleep_beside(), (by.choice, by.extent), self.threads)
            above.begun[by.choice] = by
            above.below[by.choice] = place
        self._open.append(place)
        return place

    def _look_for_taken_back(self, last: _TreeNode, event: _Event, here: set[Name]) -> None:
        # Independent requests must not disable each other. An answer that takes back a request of its client does.
        gone = sorted(each for each in last.pending if each not in here and each != event.choice.name)
        mine = [each for each in gone if each.client == event.client]
        if self.threads and mine and not self.taken_back:
            self.taken_back = f"{mine[0]} no longer waits after the answer to {event.choice.name}"

    def _order(self, step: int, event: _Event, events: list[_Event]) -> None:
        """Which earlier events happened before this one."""
        for earlier in range(step - 1, -1, -1):
            # From the last one back: what is known through a later event is in its bits, and need not be compared.
            if event.before >> earlier & 1:
                continue
            other = events[earlier]
            same = other.client == event.client and not self.threads
            if same or event.born == earlier or dependent(other.extent, event.extent):
                event.before |= other.before | 1 << earlier

    def _reverse_races(self, step: int, event: _Event, path: list[_TreeNode], events: list[_Event]) -> None:
        """For each earlier event that could have come after this one: see to it that a run has it so."""
        for earlier in _races(step, event, events):
            place = path[earlier]
            # What does not depend on the earlier event.
            after = [each for each in range(earlier + 1, step) if not events[each].before >> earlier & 1]
            # The initials: each can be first at this place, in an order that has the event before the earlier one.
            firsts = [
                one.choice
                for one in (*(events[each] for each in after), event)
                if not any(one.before >> other & 1 for other in after if events[other] is not one)
            ]
            # A source set needs one of them, and not all as a persistent set does. One that is asleep is run elsewhere.
            if not any(each.name in place.wanted or each in place.asleep for each in firsts):
                place.wanted.append(firsts[0].name)


def _races(step: int, event: _Event, events: list[_Event]) -> Iterator[int]:
    """The events directly before this one that have not made it possible."""
    for earlier in range(step):
        if not event.before >> earlier & 1 or event.born == earlier:
            continue
        between = (each for each in range(earlier + 1, step) if event.before >> each & 1)
        # An event between the two that depends on both keeps them from becoming neighbours.
        if not any(events[each].before >> earlier & 1 for each in between):
            yield earlier
