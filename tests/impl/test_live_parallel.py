"""Groups of tasks in real time, under trio: requests are on their way together, and cancelled ones are recalled."""

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from lakeproof.impl.effects import Env
from lakeproof.impl.live import NotAnEffect, live_env, run
from lakeproof.impl.parallel import Misused
from lakeproof.impl.stores import MemoryStore
from lakeproof.impl.stores.base import Answer
from lakeproof.model import kv

P = b"p"


class Meeting(MemoryStore):
    """Answers reads only when two of them are on their way; a read of ``stuck`` never."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = 0
        self.two = trio.Event()
        self.recalled: list[bytes] = []

    async def perform(self, op: kv.Op) -> Answer:
        if isinstance(op, kv.Get):
            self.waiting += 1
            if self.waiting == 2:
                self.two.set()
            try:
                await (trio.Event() if op.key == b"stuck" else self.two).wait()
            except trio.Cancelled:
                self.recalled.append(op.key)
                raise
        return await super().perform(op)


def test_requests_of_two_tasks_are_on_their_way_together() -> None:
    async def flow(env: Env) -> tuple[object, object]:
        async with env.parallel() as group:
            one = group.start(env.store.find, P, b"k")
            other = group.start(env.store.find, P, b"l")
        return one.value, other.value

    assert trio.run(run, flow(live_env()), Meeting()) == (None, None)


def test_where_one_task_fails_the_request_of_the_other_is_recalled() -> None:
    async def flow(env: Env) -> str:
        told = ""

        async def waits() -> None:
            nonlocal told
            try:
                await env.store.find(P, b"stuck")
            finally:
                told = "it was cancelled"

        try:
            async with env.parallel() as group:
                group.start(env.store.get, P, b"k")
                group.start(waits)
        except* kv.NotFound:
            pass
        async with env.parallel() as group:  # its tasks have the names of the first one's
            group.start(env.store.set, P, b"k", b"v")
        return told

    store = Meeting()
    assert trio.run(run, flow(live_env()), store) == "it was cancelled"
    assert store.recalled == [b"stuck"]
    assert store.contents() == {(P, b"k"): b"v"}


def test_on_cancellation_from_outside_nothing_of_the_flow_runs_any_more() -> None:
    ran: list[str] = []

    async def flow(env: Env) -> None:
        async def waits() -> None:
            try:
                await env.store.find(P, b"stuck")
            finally:
                ran.append("finally")

        async with env.parallel() as group:
            group.start(waits)

    async def main() -> None:
        with trio.move_on_after(0):
            await run(flow(live_env()), Meeting())

    trio.run(main)
    assert ran == []


def test_once_a_store_has_broken_nothing_of_the_flow_runs_not_even_what_was_answered_already() -> None:
    class BreaksWhereItAnswers(MemoryStore):
        async def perform(self, op: kv.Op) -> Answer:
            if op == kv.Get(P, b"breaks"):
                await wait_all_tasks_blocked()
                answered.set()
                raise OSError("no disk")
            await answered.wait()  # and no checkpoint after it: this task goes on although it is cancelled by then
            return kv.ValueWithPredicate(b"v", b"v")

    answered = trio.Event()
    ran: list[str] = []

    async def flow(env: Env) -> None:
        async def waits() -> None:
            try:
                await env.store.find(P, b"k")
            finally:
                ran.append("finally")

        async with env.parallel() as group:
            group.start(waits)
            await env.store.find(P, b"breaks")

    with pytest.raises(OSError, match="no disk"):
        trio.run(run, flow(live_env()), BreaksWhereItAnswers())
    assert ran == []


def test_foreign_awaits_and_misused_groups_are_refused() -> None:
    async def foreign(env: Env) -> None:
        async with env.parallel() as group:
            group.start(trio.lowlevel.cancel_shielded_checkpoint)

    async def misused(env: Env) -> None:
        async with env.parallel() as group:
            pass
        group.start(env.store.find, P, b"k")

    async def in_a_timeout(env: Env) -> None:
        async with env.timeout(1) as timeout:
            timeout.start(env.store.find, P, b"k")

    for flow, error in ((foreign, NotAnEffect), (misused, Misused), (in_a_timeout, Misused)):
        with pytest.raises(error):
            trio.run(run, flow(live_env()), MemoryStore())
