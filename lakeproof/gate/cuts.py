"""The states between the steps of a schedule, in all orders of its class.

The search runs one schedule of each class. Schedules of one class end with the same store; on the way they pass through
different ones. Two clients, one key each:

    a PUT x    b PUT y        orders: ab, ba; stores on the way: {}, {x}, {x, y} and {}, {y}, {x, y}

An invariant of every state must see {y} too, though only ab was run. The order of dependent steps is the same in the
whole class, and so are all answers. So the other states are computed: a *cut* says how many steps each client has made,
and its store is that of the cut before it and one more request, performed by the same front that has served the
program. Each pair of neighbours among the cuts is a `Moment`.

Cost: a request, performed in memory, for each moment. There are at most so many as the product of the numbers of steps
of the clients, times the clients.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import attrs

from lakeproof.gate.fronts.aws import AWSFront, Store, StoreRequest
from lakeproof.gate.fronts.footprints import dependent
from lakeproof.gate.fronts.interface import Answer
from lakeproof.gate.fronts.redis.replies import WAITS
from lakeproof.gate.programs import Returned
from lakeproof.gate.scenario import GateCall, GateScenario, found_by
from lakeproof.gate.server import CONFLICT, CRASHED_APPLIED, EXPIRED, LOST_APPLIED, NORMAL, WaitingRequest
from lakeproof.words import Unusable

APPLIED: Final = frozenset({NORMAL, CONFLICT, EXPIRED, LOST_APPLIED, CRASHED_APPLIED})
MOMENTS_MAX: Final = 200_000
"""Of one schedule. With more, the states on the way are not judged."""

Cut = tuple[int, ...]
"""How many steps each client has made, in the order of their names."""


class TooManyMoments(Exception):
    """A schedule has more than `MOMENTS_MAX`."""


@attrs.frozen(kw_only=True)
class Exchange:
    """A request of a call, and the answer that the program was given; None: it was given none."""

    request: StoreRequest
    response: Answer | None

    @classmethod
    def of(cls, step: WaitingRequest) -> "Exchange":
        """Of a step. All orders of its class have the same answer."""
        return cls(request=step.request, response=None if step.status == WAITS else step.answer)


@attrs.frozen(kw_only=True)
class Moment:
    """A step in one of the orders of its class: what is in the store before it, and after it.

    At the beginning: ``client`` is empty, and both stores are that of the beginning.
    """

    before: Store
    store: Store
    client: str = ""
    call: int = 0
    """The how manieth call of the client, from 0."""
    exchange: Exchange | None = None
    earlier: tuple[Exchange, ...] = ()
    """Those of the same call before this one."""
    order: tuple[int, ...] = ()
    """The steps of the schedule up to this one, in the order that leads here."""


def moments(front: AWSFront, start: Store, steps: Sequence[WaitingRequest]) -> Iterator[Moment]:
    """Every moment of every order of the class of a schedule. Each pair of neighbouring cuts once.

    Raises:
        TooManyMoments.
    """
    yield Moment(before=start, store=start)  # the beginning is a state, too, and no step leads to it
    lines = _lines(steps)
    needs = [_needs(steps, at) for at in range(len(steps))]
    # Breadth first: a layer has the cuts of so many steps, and the stores of one layer are all that is kept.
    layer: dict[Cut, tuple[Store, tuple[int, ...]]] = {(0,) * len(lines): (start, ())}
    count = 0
    while layer:
        following: dict[Cut, tuple[Store, tuple[int, ...]]] = {}
        for cut, (before, order) in layer.items():
            # A set of steps, as ``needs`` has steps of other clients.
            gone = {at for line, done in zip(lines, cut, strict=True) for at in line[:done]}
            for number, line in enumerate(lines):
                # The client is at its end, or its next step needs one that the cut does not have.
                if cut[number] == len(line) or not needs[line[cut[number]]] <= gone:
                    continue
                count += 1
                if count > MOMENTS_MAX:
                    raise TooManyMoments(f"more than {MOMENTS_MAX} states on the way")
                at = line[cut[number]]
                step, taken, after = steps[at], (*order, at), before
                if step.mode in APPLIED:  # at the time of its release in the run, which the store may have written down
                    after, _, _ = front.perform(before, step.request, step.now)
                yield _moment(before, after, steps, taken)
                # The ways to a cut differ in the order of independent steps: the first one gives the store of all.
                following.setdefault((*cut[:number], cut[number] + 1, *cut[number + 1 :]), (after, taken))
        layer = following


def _lines(steps: Sequence[WaitingRequest]) -> list[list[int]]:
    """The steps of each client, in their order."""
    found: dict[str, list[int]] = {}
    for at, each in enumerate(steps):
        found.setdefault(each.name.client, []).append(at)
    return [found[client] for client in sorted(found)]


def _needs(steps: Sequence[WaitingRequest], at: int) -> set[int]:
    """The earlier steps that come before this one in every order of the class: what it was born of, what its client has
    done, and what it depends on."""
    this = steps[at]
    return {
        other
        for other in range(at)
        # It is born of its own client's step, or of another's if the two share more than the store.
        if other == this.born
        or steps[other].name.client == this.name.client
        or dependent(steps[other].footprint, this.footprint)
    }


def _moment(before: Store, after: Store, steps: Sequence[WaitingRequest], order: tuple[int, ...]) -> Moment:
    this = steps[order[-1]]
    # No cut has a step without the earlier ones of its client, so that all of them are in ``order``.
    done = (steps[at] for at in order[:-1])
    earlier = (each for each in done if (each.name.client, each.call) == (this.name.client, this.call))
    return Moment(
        before=before,
        store=after,
        client=this.name.client,
        call=this.call,
        exchange=Exchange.of(this),
        earlier=tuple(Exchange.of(each) for each in earlier),
        order=order,
    )


def judge_moments(
    scenario: GateScenario,
    found: Iterator[Moment],
    results: Mapping[str, Sequence[tuple[GateCall, Returned]]],
    count: int,
) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Evidence against the invariants of every step, and an order that shows it, by the name of the invariant. count:
    of the steps.

    Raises:
        Unusable: an invariant raises, or there are too many moments.
    """
    left = {each.__name__: each for each in scenario.always}
    evidence: dict[str, tuple[str, tuple[int, ...]]] = {}
    try:
        for moment in found if left else ():
            calls = [call for call, _ in results.get(moment.client, [])]
            for name, each in list(left.items()):
                why = found_by(scenario.name, name, partial(each, moment, calls))
                if why is not None:
                    # Through the violation to the end: the trace of it is replayed as a whole schedule.
                    evidence[name] = (f"{why} (after step {len(moment.order)})", complete_order(count, moment.order))
                    del left[name]
    except TooManyMoments as error:
        raise Unusable(f"{scenario.name}: always: {error} of a schedule; take fewer clients") from None
    return evidence


def complete_order(count: int, order: Sequence[int]) -> tuple[int, ...]:
    """A schedule of so many steps that begins in this order: what is left follows as it was."""
    first = set(order)
    return (*order, *(at for at in range(count) if at not in first))
