"""The same counterexample with fewer changes from client to client, without running anything.

Schedules of one class differ in the order of independent steps only. So the one that is easiest to read can be computed
from any of them, by what each step has touched.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from lakeproof.gate.fronts.footprints import dependent
from lakeproof.gate.run import Release

PLACES_MAX: Final = 200_000
"""How many places are looked at; if it takes more, the schedule stays as it is."""

Place = tuple[int, ...]
"""How many steps each client has made."""


def switches(steps: Sequence[Release]) -> int:
    """How often the client changes from one step to the next."""
    return sum(one.name.client != other.name.client for one, other in pairwise(steps))


def fewest_switches(steps: Sequence[Release]) -> tuple[Release, ...]:
    """An equivalent order with the fewest changes. The steps of each client keep their order, and so do dependent ones.

    Cost: time and memory grow with the product of the numbers of steps of the clients.
    """
    # Sorted: the order of a set changes from run to run, and with it which of the shortest orders is found.
    clients = sorted({each.name.client for each in steps})
    lines = [[at for at, each in enumerate(steps) if each.name.client == client] for client in clients]
    before = [
        {other for other in range(at) if dependent(steps[other].footprint, each.footprint)}
        for at, each in enumerate(steps)
    ]
    # Breadth first by changes: a layer has the places that so many changes lead to, and no fewer, with a way to each.
    done = tuple(map(len, lines))
    ways: dict[Place, tuple[int, ...]] = {(0,) * len(clients): ()}
    layer = list(ways)
    while done not in ways:
        reached = (found for place in layer for found in _without_a_change(place, ways[place], lines, before))
        layer = []
        for place, way in list(reached):
            # A place that is known was reached with as many changes, or with fewer.
            if place not in ways:
                ways[place] = way
                layer.append(place)
        # The order that was run is right, too, and only longer to read.
        if len(ways) > PLACES_MAX:
            return tuple(steps)
    return tuple(steps[at] for at in ways[done])


def _without_a_change(
    place: Place, way: tuple[int, ...], lines: Sequence[Sequence[int]], before: Sequence[set[int]]
) -> Iterator[tuple[Place, tuple[int, ...]]]:
    """All places that one client reaches from here, whichever it is, and the ways there."""
    for client, line in enumerate(lines):
        gone, taken = set(way), list(way)
        for number, at in enumerate(line[place[client] :], start=place[client] + 1):
            # The client must be left here: a step of another one has to come before its next.
            if not before[at] <= gone:
                break
            gone.add(at)
            taken.append(at)
            yield (*place[:client], number, *place[client + 1 :]), tuple(taken)
