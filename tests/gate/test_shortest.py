"""An equivalent schedule with the fewest changes: dependent steps keep their order; brute force finds nothing less."""

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.gate.classes import Name
from lakeproof.gate.fronts.footprints import Access, Touch, dependent
from lakeproof.gate.run import Release
from lakeproof.gate.shortest import fewest_switches, switches

touches = st.builds(Access, st.sampled_from(Touch), st.sampled_from(["a", "b", "c"]))
schedules = st.lists(st.tuples(st.sampled_from(["c1", "c2", "c3"]), touches), max_size=7).map(
    lambda drawn: tuple(
        Release(name=Name(client, "", number), mode="normal", status=200, footprint=(touch,))
        for number, (client, touch) in enumerate(drawn)
    )
)


def orders(steps: tuple[Release, ...]) -> Iterator[tuple[Release, ...]]:
    """All equivalent ones, by brute force."""
    if not steps:
        yield ()
    for at, first in enumerate(steps):
        if not any(
            each.name.client == first.name.client or dependent(each.footprint, first.footprint) for each in steps[:at]
        ):
            for rest in orders((*steps[:at], *steps[at + 1 :])):
                yield (first, *rest)


@settings(max_examples=200)
@given(schedules)
def test_it_is_equivalent_and_none_has_fewer_changes(steps: tuple[Release, ...]) -> None:
    found = fewest_switches(steps)
    possible = set(orders(steps))
    assert found in possible
    assert switches(found) == min(map(switches, possible))
