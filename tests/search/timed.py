"""Generated flows that take their time: sleeps, timeouts, and reads of the clock."""

from collections.abc import Iterator
from random import Random
from typing import Final

from lakeproof import Always, Call, Env, Faults, Finding, Reached, Scenario, Violation
from lakeproof.impl.effects import Deadline, Expiry, Now, Sleep
from lakeproof.model.identity import Exact
from lakeproof.model.snapshot import AnySnapshot
from lakeproof.search import semantics
from lakeproof.search.execution import Execution
from lakeproof.search.replies import UNANSWERED, reply_of_task
from lakeproof.search.setup import prepare
from tests.search.walks import ENDS

P: Final = b"p"
SECOND: Final = 1_000_000
START: Final = 1_700_000_000_000_000
Step = tuple[str, int]
HURRIED: Final = ("hurry", "nest", "doze")


async def follow(env: Env, me: str, steps: tuple[Step, ...]) -> tuple[object, ...]:
    """A flow that does what its argument says, and returns what it has read."""
    seen: list[object] = []
    for what, number in steps:
        match what:
            case "sleep":
                await env.clock.sleep(number * SECOND)
            case "until":
                await env.clock.wait_until(START + number * SECOND)
            case "lull":
                await env.clock.sleep(number * SECOND)
                seen.append(await env.clock.now())
            case "now":
                seen.append(await env.clock.now())
            case "get":
                found = await env.store.find(P, b"k%d" % number)
                seen.append(None if found is None else found.value)
            case "set":
                await env.store.set(P, b"k%d" % number, me.encode() + b"%d" % len(seen))
            case "await":
                tries = 0
                while await env.store.find(P, b"k%d" % number) is None and tries < 1:
                    await env.clock.sleep(SECOND)
                    tries += 1
                seen.append(tries)
            case _:
                seen.append(await hurry(env, me, what, number))
    return tuple(seen)


async def hurry(env: Env, me: str, what: str, number: int) -> str:
    """A step within a timeout, which may pass."""
    try:
        async with env.timeout(number * SECOND):
            match what:
                case "doze":
                    await env.clock.sleep(SECOND)
                case "hurry":
                    await env.store.set(P, b"k%d" % (number % 2), me.encode() + b"!")
                case "nest":
                    return await hurry(env, me, "hurry", 1) + str(await env.store.find(P, b"k0"))
        return "in time"
    except TimeoutError:
        return "late"


def _ended_first(seen: AnySnapshot) -> Iterator[Finding]:
    """The second client never ends first: often violated."""
    ended = [bool(calls) and calls[-1].done for calls in seen.clients]
    if ended[1] and not ended[0]:
        yield Violation("first-ends-first", "the second client has ended first")
    elif ended[0]:
        yield Reached("the first has ended")


def generated(seed: int, time: str, hurried: str = "") -> Scenario:
    """Two or three clients with sleeps in them. hurried: the clients that have a timeout instead, one of each."""
    random = Random(seed)
    kinds = ["sleep", "sleep", "get", "set", "await"]
    kinds += ["now", "until", "lull", "lull"] if time == "read" else []
    clients = []
    for me in "abc"[: random.choice((2, 2, 2, 3)) if not hurried else 2]:
        steps = tuple((random.choice(kinds), random.randrange(4)) for _ in range(random.choice((1, 2, 2))))
        if me in hurried:
            steps = ((HURRIED[seed // 3 % len(HURRIED)], random.randrange(4)),)
        clients.append([Call(follow, me, tuple((what, n if "l" in what else n % 2) for what, n in steps))])
    return Scenario(
        name=f"time/{seed}",
        clients=clients,
        invariants=[Always(id="first-ends-first", meaning="the first client ends first", check=_ended_first), ENDS],
        faults=random.choice((Faults(), Faults(), Faults(crashes=1), Faults(lost_answers=1))),
        time=time,
    )


def several(seeds: range, time: str) -> Iterator[Scenario]:
    """A scenario for each seed, and for every third one with a timeout."""
    for seed in seeds:
        yield generated(seed, time)
        if seed % 3 == 0:
            yield generated(seed, time, "a")


def strayed(scenario: Scenario, random: Random) -> object:
    """The end of one run of clients that take as long as they like: nothing of the search but its executions and its
    store. Time is a number here, and goes on to a moment that a client waits for where the clock is read; else it is
    not discrete."""
    setting, rings = prepare(scenario), dict[object, float]()
    runs, read = [Execution(program) for program in setting.programs], scenario.time == "read"
    clock, cells = float(scenario.start_time), setting.cells
    while waiting := [(at, *each) for at, one in enumerate(runs) for each in one.open if UNANSWERED not in each[0]]:
        at, task, op = random.choice(waiting)
        later = [ring for ring in rings.values() if ring > clock]
        if later and random.random() < 0.4:
            clock = min(later) if read else clock + random.expovariate(1) * SECOND
        if rings.get(op.timer if isinstance(op, Expiry) else (at, task), clock) > clock:
            continue
        reply: object = None
        if isinstance(op, Sleep):
            rings[op.timer if isinstance(op, Deadline) else (at, task)] = clock + op.microseconds
        elif isinstance(op, Now):
            reply = int(clock)
        else:
            reply, writes = semantics.apply(cells, op)
            cells = semantics.patch(cells, writes)
        runs[at].send(reply_of_task(task, reply))
    return Exact((frozenset(cells.items()), tuple(each.calls() for each in runs)))
