"""What waits at the gate has a name that does not depend on chance: on the order of arrival, or on what is minted."""

import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from uuid import uuid4

import pytest
import trio

from lakeproof.gate.cuts import Exchange
from lakeproof.gate.fronts import s3
from lakeproof.gate.fronts.aws import AWSFront, Store
from lakeproof.gate.fronts.http import Cut, Request, Response
from lakeproof.gate.server import LOST_APPLIED, LOST_DROPPED, NORMAL, REFUSED, Gate

Named = dict[str, bytes]


def asking(method: str, path: str, body: bytes = b"", client: str = "c1") -> Request:
    signed = {"authorization": f"AWS4-HMAC-SHA256 Credential={client}/20260101/us-east-1/s3/aws4_request"}
    query = (("delete", ""),) if method == "POST" else ()
    return Request(method=method, path=path, query=query, headers=signed, body=body)


def deleting(*keys: str) -> Request:
    listed = "".join(f"<Object><Key>{key}</Key></Object>" for key in keys)
    return asking("POST", "/b", f"<Delete>{listed}</Delete>".encode())


async def holding(setup: Sequence[Request] = ()) -> Gate:
    """A gate that holds what is requested after this setup."""
    gate = Gate(AWSFront(), Store(s3=s3.BucketState(buckets=frozenset({"b"}))), lambda: 0)
    for request in setup:
        await gate.server.handler(request)
    gate.hold(frozenset({"c1", "c2"}), "reader")
    return gate


def named(setup: Sequence[Request], arrived: Sequence[Request]) -> Named:
    """The names of requests that arrive in an order and are all under way at once, each with its body."""

    async def run() -> Named:
        gate = await holding(setup)
        async with trio.open_nursery() as nursery:
            for request in arrived:
                nursery.start_soon(gate.server.handler, request)
                await trio.testing.wait_all_tasks_blocked()
            gate.settle()
            found = {str(name): held.body for name, held in gate.pending.items()}
            gate.open()
        return found

    return trio.run(run)


DELETES = [deleting("x"), deleting("y", "z"), deleting("z", "x")]
KEYS = ("1 key: x", "2 keys: y, z", "2 keys: x, z")


@pytest.mark.parametrize(
    ("arriving", "names"),
    [
        (
            lambda: DELETES,
            {f"c1 POST b delete ({keys})": each.body for keys, each in zip(KEYS, DELETES, strict=True)},
        ),
        (
            lambda: [asking("PUT", f"/b/data/{uuid4()}.part", b"%d" % n) for n in (1, 2, 3)],
            {f"c1 PUT b/data/<c1.{n}>.part": b"%d" % n for n in (1, 2, 3)},
        ),
        (
            lambda: [asking("PUT", "/b/k", b"%d" % n) for n in (1, 2)],
            {"c1 PUT b/k": b"1", "c1 PUT b/k (2)": b"2"},
        ),
    ],
    ids=["deletes by their keys", "new names by what is written", "one label by what is written"],
)
def test_what_is_under_way_at_once_has_its_names_in_any_order_of_arrival(
    arriving: Callable[[], list[Request]], names: Named
) -> None:
    for order in itertools.permutations(range(len(names))):
        requests = arriving()
        assert named([], [requests[at] for at in order]) == names


@pytest.mark.parametrize(
    ("client", "method", "judged"),
    [("reader", "GET", True), ("reader", "PUT", False), ("", "GET", False), ("minio", "PUT", False)],
)
def test_a_request_in_a_schedule_that_no_client_waits_for_is_not_judged(client: str, method: str, judged: bool) -> None:
    async def run() -> str:
        gate = await holding()
        await gate.server.handler(asking(method, "/b/k", client=client))
        return gate.unknown

    assert (trio.run(run) == "") is judged


@pytest.mark.parametrize("clients", [("c1", "c2"), ("c2", "c1")])
def test_what_the_setup_has_minted_has_one_name_whoever_asks_for_it_first(clients: tuple[str, str]) -> None:
    key = f"/b/{uuid4()}"
    found = named([asking("PUT", key, b"x", client="reader")], [asking("GET", key, client=each) for each in clients])
    assert sorted(found) == ["c1 GET b/<setup.1>", "c2 GET b/<setup.1>"]


def test_keys_that_a_label_leaves_out_are_named_with_it_and_so_before_anything_happens() -> None:
    keys = [f"{n:02}-{uuid4()}" for n in range(20)]

    async def run() -> list[str]:
        gate = await holding()
        touched: list[str] = []
        async with trio.open_nursery() as nursery:
            nursery.start_soon(gate.server.handler, deleting(*reversed(keys)))
            await trio.testing.wait_all_tasks_blocked()
            gate.settle()
            nursery.start_soon(gate.server.handler, asking("GET", f"/b/{keys[-1]}", client="c2"))
            await trio.testing.wait_all_tasks_blocked()
            gate.settle()
            for name in sorted(gate.pending):
                touched.append(str(name))
                touched += [each.key for each in (await gate.let_go(name, NORMAL)).footprint]
        return touched

    found = trio.run(run)
    assert found[0].endswith("07-<c1.8> and 12 more)")
    assert {"b/19-<c1.20>", "c2 GET b/19-<c1.20>"} <= set(found)


def test_a_replay_performs_a_request_at_the_time_at_which_the_store_has_performed_it() -> None:
    async def run() -> None:
        gate, clock = await holding(), itertools.count(1)
        gate.now = lambda: next(clock)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(gate.server.handler, asking("PUT", "/b/k", b"x"))
            await trio.testing.wait_all_tasks_blocked()
            gate.settle()
            [name] = gate.pending
            assert gate.now() == 1
            assert (await gate.let_go(name, NORMAL)).now == gate.state.s3.objects["b/k"].last_modified == 2

    trio.run(run)


def test_an_answer_is_kept_with_its_request_if_the_program_was_given_it() -> None:
    async def run() -> list[object]:
        gate, found = await holding(), list[object]()

        async def put() -> None:
            with suppress(Cut):
                await gate.server.handler(asking("PUT", "/b/k", b"x"))

        async with trio.open_nursery() as nursery:
            for mode in (NORMAL, REFUSED, LOST_APPLIED, LOST_DROPPED):
                nursery.start_soon(put)
                await trio.testing.wait_all_tasks_blocked()
                gate.settle()
                response = Exchange.of(await gate.let_go(min(gate.pending), mode)).response
                found.append(response and response.status)
        return found

    assert trio.run(run) == [200, 503, None, None]


def test_a_client_that_crashes_takes_what_has_no_name_yet_with_it() -> None:
    async def run() -> list[Response]:
        gate = await holding()
        answers: list[Response] = []

        async def ask(request: Request) -> None:
            answers.append(await gate.server.handler(request))

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, asking("GET", "/b/k", client="c2"))
            scope = trio.CancelScope()

            async def cut() -> None:
                with scope, pytest.raises(Cut):
                    await ask(asking("PUT", "/b/k", b"x"))

            nursery.start_soon(cut)
            await trio.testing.wait_all_tasks_blocked()
            assert gate.waiting == {"c1", "c2"}
            await gate.drop("c1")
            assert gate.waiting == {"c2"}
            gate.settle()
            assert [str(name) for name in gate.pending] == ["c2 GET b/k"]
            gate.open()
        return answers

    assert [each.status for each in trio.run(run)] == [404]
