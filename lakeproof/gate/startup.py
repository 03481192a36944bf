"""A gate with the processes of a scenario behind it, and the store as the setup leaves it."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import attrs
import trio

from lakeproof.gate.fronts import s3
from lakeproof.gate.fronts.aws import Store
from lakeproof.gate.fronts.http import listening
from lakeproof.gate.fronts.redis.state import RedisState as Keys
from lakeproof.gate.names import Names
from lakeproof.gate.programs import ClientProcess, Service
from lakeproof.gate.redis_connections import Speaker
from lakeproof.gate.run import OPEN, Runner
from lakeproof.gate.scenario import GateScenario
from lakeproof.gate.server import Gate
from lakeproof.gate.unheld import PassingFront
from lakeproof.words import Unusable


class SetupFailed(Unusable):
    """The setup of a scenario did not work; one line."""


class Unjudged(Unusable):
    """The setup of a scenario, or a process as it starts, asks for what the gate does not have; one line."""


@attrs.frozen(kw_only=True)
class Prepared:
    """What a setup leaves: another gate that begins with it runs the same schedules."""

    store: Store
    names: Names
    """Of what was minted in it."""


async def _set_up(runner: Runner) -> None:
    scenario = runner.scenario
    for each in scenario.setup:
        returned = await runner.open_call(each)
        # What the front does not have may be why a call has raised, and is the better reason: it is raised below.
        if not returned.ok and not runner.gate.unknown:
            raise SetupFailed(f"{scenario.name}: setup call {each} raised {returned.error}: {returned.message}")
    if runner.gate.unknown:
        raise Unjudged(runner.gate.unknown)


def prepare_setup(runner: Runner) -> Prepared:
    """What its setup has left."""
    return Prepared(store=runner.fresh, names=runner.gate.names_of_setup())


@asynccontextmanager
async def open_runner(scenario: GateScenario, file: Path, begins: Prepared | None = None) -> AsyncIterator[Runner]:
    """A gate with the processes of a scenario behind it; all of them end with the block. begins: what the setup has
    left elsewhere; then it is not run here.

    Raises (in a group):
        SetupFailed: a call of the setup has raised.
        Unjudged: a call of the setup, or a process as it starts, asks for what the gate does not have.
        ProgramError: a process does not start.
    """
    front = PassingFront(scenario.through, OPEN)
    # Without expiries a command that sets a time to live is unknown here, as no key ever expires.
    store = Store(s3=s3.BucketState(buckets=scenario.buckets), redis=Keys(expires=scenario.expiries is not None))
    gate = Gate(front, store, lambda: time.time_ns() // 1000)
    listener, redis_listener = listening(0), listening(0)
    url, redis = (f"127.0.0.1:{each.getsockname()[1]}" for each in (listener, redis_listener))
    names = [f"c{number}" for number in range(1, len(scenario.clients) + 1)]
    children = {}
    for name in (*names, OPEN):
        # The gate's own come last: a scenario cannot send a client to another store, or under another name.
        environment = {**scenario.environment, **dict(front.environment(f"http://{url}", redis, name))}
        service = Service(scenario.service, environment) if scenario.service else None
        children[name] = ClientProcess(file, environment, gate.server.arrivals, service)
    runner = Runner(scenario, front, gate, children)
    # The store goes last: a program that loses it before it is killed would complain.
    store_is_up = trio.CancelScope(shield=True)

    async def serve() -> None:
        with store_is_up:
            await gate.server.serve((listener, gate.server.talk), (redis_listener, Speaker(gate, children).talk))

    async with trio.open_nursery() as nursery:
        try:
            nursery.start_soon(serve)
            async with trio.open_nursery() as starting:
                for child in children.values():
                    starting.start_soon(child.start)
            if begins is None:
                await _set_up(runner)
            else:  # only now: where the setup was run, the processes have begun with an empty store, too
                gate.begin_with(begins.store, begins.names)
            # With what the processes have written as they started: each schedule begins with it.
            runner.fresh = gate.state
            yield runner
        finally:
            try:
                runner.watch.close()
                for child in children.values():
                    await child.kill()
            finally:
                store_is_up.cancel()
