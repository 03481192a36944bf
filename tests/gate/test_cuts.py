"""The states on the way: those of every order of a class, against all orders by brute force."""

from collections.abc import Iterator, Sequence

import attrs
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.gate.classes import Name
from lakeproof.gate.cuts import APPLIED, moments
from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.footprints import Footprint, dependent
from lakeproof.gate.server import COSTS, NORMAL, WaitingRequest
from tests.gate.dynamodb_requests import NOW, ONE, Asked, after, create, n, s, understood

START = Store(dynamodb=after(create(ONE), ("PutItem", {"TableName": ONE, "Item": {"p": s("a"), "v": n(0)}})))
Wish = tuple[str, str, str, str]
"""A client, what it asks for, the key, and the mode."""

wishes = st.lists(
    st.tuples(
        st.sampled_from("xyz"),
        st.sampled_from(["put", "put new", "delete", "get", "scan"]),
        st.sampled_from("ab"),
        st.sampled_from([NORMAL, NORMAL, NORMAL, *COSTS]),
    ),
    max_size=6,
)


def asked(number: int, wish: Wish) -> Asked:
    _, what, key, _ = wish
    item: dict[str, object] = {"p": s(key), "v": n(number)}
    match what:
        case "put":
            return "PutItem", {"TableName": ONE, "Item": item}
        case "put new":
            return "PutItem", {"TableName": ONE, "Item": item, "ConditionExpression": "attribute_not_exists(p)"}
        case "delete":
            return "DeleteItem", {"TableName": ONE, "Key": {"p": s(key)}}
        case "get":
            return "GetItem", {"TableName": ONE, "Key": {"p": s(key)}}
        case _:
            return "Scan", {"TableName": ONE}


def made(wished: Sequence[Wish]) -> list[WaitingRequest]:
    """A schedule that makes these wishes in this order."""
    front, store, found = AWSFront(), START, []
    for number, wish in enumerate(wished):
        meant = understood(asked(number, wish), client=wish[0])
        footprint: Footprint = ()
        if wish[3] in APPLIED:
            store, _, footprint = front.perform(store, meant, NOW)
        name = Name(wish[0], f"{number}")
        step = WaitingRequest(name.client, name.label, meant, b"", (), name, mode=wish[3], now=NOW, footprint=footprint)
        found.append(step)
    return found


def by_brute_force(steps: Sequence[WaitingRequest]) -> Iterator[tuple[tuple[int, ...], Store, Store]]:
    """All beginnings of all orders of the class, with the store before and after the last step."""
    front = AWSFront()

    def free(done: tuple[int, ...]) -> Iterator[int]:
        for at, step in enumerate(steps):
            before = (
                other
                for other in range(at)
                if steps[other].name.client == step.name.client or dependent(steps[other].footprint, step.footprint)
            )
            if at not in done and all(other in done for other in before):
                yield at

    def go(done: tuple[int, ...], store: Store) -> Iterator[tuple[tuple[int, ...], Store, Store]]:
        for at in free(done):
            after = front.perform(store, steps[at].request, NOW)[0] if steps[at].mode in APPLIED else store
            yield (*done, at), store, after
            yield from go((*done, at), after)

    return go((), START)


@settings(max_examples=40)
@given(wishes)
def test_every_step_of_every_order_of_the_class_is_seen_and_no_other(wished: list[Wish]) -> None:
    steps = made(wished)
    seen = list(moments(AWSFront(), START, steps))
    assert (seen[0].before, seen[0].store, seen[0].order) == (START, START, ())
    expected = {(frozenset(order), order[-1]): (before, store) for order, before, store in by_brute_force(steps)}
    found = {(frozenset(each.order), each.order[-1]): (each.before, each.store) for each in seen[1:]}
    assert found == expected
    assert len(found) == len(seen) - 1, "each once"


def test_a_request_that_another_one_has_caused_comes_after_it() -> None:
    one, other = made([("x", "put", "a", NORMAL), ("y", "put", "b", NORMAL)])
    caused = attrs.evolve(other, born=0)
    assert [each.order for each in moments(AWSFront(), START, [one, caused])] == [(), (0,), (0, 1)]
