"""Protocols written twice, and what is claimed of both texts.

How an effect of a flow maps to Promela: `find` is one guard, or one assignment to a local variable; `set` is one
assignment; `try_set_if` is one choice, whose branch that succeeds is `atomic { guard -> assignment }`, and whose other
one is a guard. `send`, `receive` and `try_receive` are statements of a channel with room enough. What a flow does
between two effects takes no step: in Promela it stands in the same `atomic`, is a jump, or touches local variables
alone, which no other process reads. Only a `receive` blocks, on both sides: a client that waits for a key reads again
and again. So *weak fairness* (`-f`, for processes) means the same for both. A call has begun with its first effect:
``on`` is set in the first statement, in each of its branches. A crash is a branch that ends the process; a branch is
never owed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

import attrs

from lakeproof import (
    Always,
    AlwaysEventually,
    Call,
    Faults,
    Finding,
    LeadsTo,
    Reached,
    Scenario,
    Snapshot,
    Terminates,
    Violation,
)
from lakeproof.impl.flows import Flow
from lakeproof.model.invariants import Liveness
from tests.search.spin import messages as m
from tests.search.spin import protocols as p

Fair = Literal["none", "weak"]
State = Callable[[Snapshot], bool]
Property = Callable[[Fair, bool], Liveness | Always]
"""By fairness, and whether only what goes on for ever counts."""
NEVER: Final[frozenset[Fair]] = frozenset()
UNFAIR: Final[frozenset[Fair]] = frozenset({"none"})
BOTH: Final[frozenset[Fair]] = frozenset({"none", "weak"})


@attrs.frozen
class Claim:
    """``name``: that of the formula, too. ``broken``: under which fairness; ``ends``: by runs that end, and no
    other ones."""

    name: str
    make: Property
    broken: frozenset[Fair]
    ends: bool = False
    safety: bool = False


class Pair:
    """``text``: the file, and what is defined for it. ``stuck``: clients may wait in vain, so that runs end which go
    on for ever in Spin's eyes, as its processes have not ended."""

    def __init__(self, text: str, clients: Sequence[Call], *claims: Claim, stuck: bool = False, **budgets: int) -> None:
        self.text, self.clients, self.claims, self.stuck = text, clients, claims, stuck
        self.faults = Faults(**budgets)  # type: ignore[arg-type]

    def scenario(self, invariant: Liveness | Always) -> Scenario:
        return Scenario(
            name=self.text.replace(" ", "/"),
            setup=[Call(p.begin)],
            clients=[[call] for call in self.clients],
            invariants=[invariant],
            faults=self.faults,
        )


def at(key: str, value: int) -> State:
    return lambda seen: seen.store.get((p.P, key.encode()), b"0") == b"%d" % value


def is_thrown(seen: Snapshot) -> bool:
    return len(seen.channels.get("here", ())) == 1


def either(*states: State) -> State:
    return lambda seen: any(state(seen) for state in states)


def over(seen: Snapshot) -> bool:
    """Every client has ended."""
    return all(calls and calls[0].done for calls in seen.clients)


def ends(broken: frozenset[Fair], call: object) -> Claim:
    """Its counterexamples go on for ever: a call that has not ended can move."""
    return Claim("ends", lambda fair, _: Terminates(call, id="ends", fairness=fair), broken)


def again(name: str, broken: frozenset[Fair], state: State, *, ends: bool = False) -> Claim:
    def make(fair: Fair, for_ever: bool) -> Liveness:
        holds = either(state, over) if for_ever else state
        return AlwaysEventually(holds, id=name, meaning="", fairness=fair)

    return Claim(name, make, broken, ends)


def leads(name: str, broken: frozenset[Fair], before: State, after: State) -> Claim:
    def make(fair: Fair, for_ever: bool) -> Liveness:
        return LeadsTo(before, either(after, over) if for_ever else after, id=name, meaning="", fairness=fair)

    return Claim(name, make, broken)


def never(name: str, broken: frozenset[Fair], *bad: State) -> Claim:
    """These are never true at once."""

    def check(seen: Snapshot) -> Iterator[Finding]:
        yield Violation(name, "") if all(state(seen) for state in bad) else Reached("another state")

    return Claim(name, lambda fair, for_ever: Always(id=name, meaning="", check=check), broken, safety=True)


def each(flow: Flow, clients: int, **options: bool) -> list[Call]:
    """A client for each number."""
    return [Call(flow, me, **options) for me in range(clients)]


def attempt(define: str, flow: Flow, mutex: frozenset[Fair], again_: frozenset[Fair]) -> Pair:
    return Pair(
        f"attempts {define}", each(flow, 2), never("mutex", mutex, *MUTEX), again("again", again_, at("crit0", 1))
    )


MUTEX: Final = (at("crit0", 1), at("crit1", 1))
INSIDE: Final = tuple(at(f"inside{me}", 1) for me in range(3))
WAITS: Final = (at("wants", 1), at("wants", 0))
VOTES: Final = (at("asked", 1), at("decided", 1))
DELIVERED: Final = at("delivered", 1)
BALL: Final = [Call(m.play, "there", "here", first=True), Call(m.play, "here", "there", first=False)]
SHARE: Final = [*each(m.share, 2), Call(m.hand_out)]
PHASES: Final = [*each(m.participate, 2), Call(m.coordinate)]
LEADER: Final = at("leader", 2)
NUMBER: Final = at("number", 2)
LOCK, ADD = Call(p.lock_once), Call(p.add_one, "number")

PAIRS: Final = (
    Pair("spin_lock", [LOCK] * 3, ends(UNFAIR, p.lock_once)),
    Pair("spin_lock CRASH", [LOCK] * 3, ends(BOTH, p.lock_once), crashes=1),
    Pair("spin_lock GREEDY", [LOCK, LOCK, Call(p.for_ever, p.lock_once)], ends(BOTH, p.lock_once)),
    Pair("tickets", [Call(p.draw)] * 2, ends(UNFAIR, p.draw)),
    Pair("tickets AGAIN", [Call(p.draw), Call(p.for_ever, p.draw)], ends(BOTH, p.draw)),
    Pair(
        "peterson",
        each(p.peterson, 2),
        never("mutex", NEVER, *MUTEX),
        leads("enters", UNFAIR, at("flag0", 1), at("crit0", 1)),
    ),
    Pair("peterson SWAPPED", each(p.peterson, 2, swapped=True), never("mutex", BOTH, *MUTEX)),
    attempt("ALTERNATE", p.alternate, NEVER, BOTH),
    attempt("CHECK_FIRST", p.check_first, BOTH, BOTH),
    attempt("SET_FIRST", p.set_first, NEVER, BOTH),
    attempt("POLITE", p.be_polite, NEVER, BOTH),
    attempt("DEKKER", p.dekker, NEVER, UNFAIR),
    Pair(
        "bakery",
        each(p.bakery, 2),
        never("mutex", NEVER, *MUTEX),
        ends(UNFAIR, p.bakery),
        leads("enters", UNFAIR, at("choosing0", 1), at("crit0", 1)),
    ),
    Pair("bakery HASTY", each(p.bakery, 2, hasty=True), never("mutex", BOTH, *MUTEX), ends(UNFAIR, p.bakery)),
    Pair("readers", [*each(p.read, 2), Call(p.write)], leads("enters", BOTH, *WAITS)),
    Pair("readers COURTEOUS", [*each(p.read, 2, courteous=True), Call(p.write)], leads("enters", UNFAIR, *WAITS)),
    Pair("dining", each(p.dine, 3), ends(BOTH, p.dine)),
    Pair("dining SORTED", each(p.dine, 3, in_order=True), ends(UNFAIR, p.dine)),
    Pair(
        "two_phase",
        [*each(p.participate, 2), Call(p.coordinate)],
        ends(UNFAIR, p.participate),
        leads("decides", UNFAIR, *VOTES),
    ),
    Pair(
        "two_phase ABSENT",
        [Call(p.participate, 0), Call(p.participate, 1, absent=True), Call(p.coordinate)],
        ends(BOTH, p.participate),
        leads("decides", BOTH, *VOTES),
    ),
    Pair("semaphore", each(p.pass_semaphore, 3), never("two", NEVER, *INSIDE), ends(UNFAIR, p.pass_semaphore)),
    Pair("semaphore TORN", each(p.pass_semaphore, 3, torn=True), never("two", BOTH, *INSIDE)),
    Pair("counter", [ADD] * 2, again("counts", NEVER, NUMBER)),
    Pair("counter TORN", [Call(p.add_one, "number", torn=True)] * 2, again("counts", BOTH, NUMBER, ends=True)),
    Pair("ping_pong", BALL, again("comes", NEVER, is_thrown)),
    Pair("ping_pong IDLE", [*BALL, Call(m.idle)], again("comes", UNFAIR, is_thrown)),
    Pair("ping_pong LOST", BALL, again("comes", BOTH, is_thrown), stuck=True, lost_messages=1),
    Pair(
        "token_channel",
        SHARE,
        never("mutex", NEVER, *MUTEX),
        again("again", BOTH, at("crit0", 1)),
        again("some", NEVER, either(*MUTEX)),
    ),
    Pair("token_channel TWICE", SHARE, never("mutex", BOTH, *MUTEX), duplicated_messages=1),
    Pair("two_phase_messages", PHASES, ends(NEVER, m.participate), again("decides", NEVER, at("decided", 1))),
    Pair(
        "two_phase_messages CRASH",
        PHASES,
        ends(BOTH, m.participate),
        again("decides", BOTH, at("decided", 1)),
        stuck=True,
        crashes=1,
    ),
    Pair("ring_election", each(m.elect, 3), again("elects", NEVER, LEADER), never("wrong", NEVER, at("leader", 1))),
    Pair("ring_election LOST", each(m.elect, 3), again("elects", BOTH, LEADER), stuck=True, lost_messages=1),
    Pair("in_order", [Call(m.tell), Call(m.listen)], again("told", NEVER, at("last", 2))),
    Pair(
        "in_order OVERTAKEN",
        [Call(m.tell), Call(m.listen)],
        again("told", BOTH, at("last", 2), ends=True),
        reordered_messages=1,
    ),
    Pair("receipts", [Call(m.repeat, stubborn=False), Call(m.acknowledge)], again("delivers", UNFAIR, DELIVERED)),
    Pair(
        "receipts LOST",
        [Call(m.repeat, stubborn=False), Call(m.acknowledge)],
        again("delivers", BOTH, DELIVERED),
        lost_messages=1,
    ),
    Pair(
        "receipts LOST STUBBORN",
        [Call(m.repeat), Call(m.acknowledge)],
        again("delivers", UNFAIR, DELIVERED),
        lost_messages=1,
    ),
)
