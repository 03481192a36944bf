"""A user's file."""
import attrs, dataclasses
from lakeproof import Call, Faults, Scenario
from lakeproof.scenario import Aftermath
from lakeproof.model import kv, objects
from lakeproof.model.invariants import Always, Eventually, Monitor, Observer, OnStep, Reached, Reads, Violation
from lakeproof.model.snapshot import Invoked, Returned, Status

P, K = b"p", b"k"
BOTH = frozenset({Reads.STORE, Reads.CLIENTS})
async def touch(env, *args, **options):
    await env.store.set(P, K, b"1")
ANY = Always(id="any", meaning="", check=lambda snapshot: [Reached("a state")])

import asyncio
async def flow(env):
    await asyncio.gather(touch(env), touch(env))
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
