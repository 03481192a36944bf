"""An exception in a flow is a counterexample; a crash is a crash; loops end; odd values are named."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.edge.files import CODE, HEAD, Ran, line_of, refused, run, verify


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def counterexample(ran: Ran, scenario: str = "s") -> dict[str, object]:
    """The trace of the exception."""
    assert ran.code == 1, (ran.code, ran.stderr)
    found = ran.verdicts[scenario, CODE]
    assert found["verdict"] == "violated"
    loaded = json.loads(Path(str(found["trace"])).read_text())
    assert isinstance(loaded, dict)
    return loaded


RACE = """
async def careful(env):
    async def read():
        try:
            return (await env.store.get(P, K)).value
        except kv.NotFound:
            return b""
    first = await read()
    await env.store.set(P, b"other", b"1")
    assert await read() == first, "changed under my feet"
"""


RAISES: Final = (
    "raise ValueError('no')",
    "raise SystemExit(0)",
    "raise asyncio.CancelledError",
    "raise GeneratorExit",
    "raise KeyboardInterrupt",
    "raise Odd(1, 2)",
    "raise Mute",
    "raise StopIteration",
    "[][1]",
    "await env.store.set(P, K, 7)",
    "await env.store.set(P, K, bytearray(b'x'))",
    "await env.store.set('p', K, b'1')",
    "await env.store.get(P, 'k')",
    "await env.store.set_if(P, K, b'1', 'predicate')",
    "await env.objects.put(b'address', b'1')",
    "await env.objects.put('a', b'1', {'state': 'open'})",
    "await env.store.scan(P, batch_size='9').__anext__()",
)
ODD: Final = """
import asyncio
class Odd(Exception):
    def __init__(self, one, other):
        super().__init__("odd")
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")
"""


class TestCounterexamples:
    def test_a_race_that_ends_in_a_failed_assert_is_the_shortest_schedule_with_its_line(self) -> None:
        ran = verify(
            RACE
            + """
SCENARIOS = [
    Scenario(name="s", clients=[[Call(careful)], [Call(touch)]], invariants=[ANY]),
    Scenario(name="t", clients=[[Call(careful)]], invariants=[ANY]),
]
"""
        )
        trace = counterexample(ran)
        place = f"mine.py:{line_of('changed under my feet')}"
        assert trace["evidence"] == f"careful() raised AssertionError: changed under my feet at {place}"
        steps = trace["schedule"]
        assert isinstance(steps, list)
        assert len(steps) == 4  # get, touch's set, set, get
        assert steps[-1]["returned"] == [f"careful() raises AssertionError: changed under my feet at {place}"]
        assert ran.verdict(CODE, "t") == ran.verdict("any", "s") == "holds"

    def test_every_step_says_which_line_asked_for_it(self) -> None:
        ran = verify(
            RACE + 'SCENARIOS = [Scenario(name="s", clients=[[Call(careful)], [Call(touch)]], invariants=[ANY])]\n'
        )
        steps = counterexample(ran)["schedule"]
        assert isinstance(steps, list)
        read, write = line_of("store.get(P, K)).value"), line_of('b"other", b"1"')
        ours = line_of("    await env.store.set(P, K, b")
        assert sorted(step["at"] for step in steps) == sorted(f"mine.py:{line}" for line in (read, ours, write, read))
        story = run("replay", "out/traces/s.no-unhandled-exception.json", "--from", "mine.py")
        assert story.code == 0
        assert f"mine.py:{write}" in story.stdout
        assert f"mine.py:{write}" in run("show", "out/traces/s.no-unhandled-exception.json", "--lines").stdout
        assert f"mine.py:{write}" not in run("show", "out/traces/s.no-unhandled-exception.json").stdout

    def test_lines_may_move_and_the_trace_is_still_followed(self) -> None:
        source = RACE + 'SCENARIOS = [Scenario(name="s", clients=[[Call(careful)], [Call(touch)]], invariants=[ANY])]\n'
        counterexample(verify(source))
        Path("mine.py").write_text("# a comment\n" + HEAD + source)
        assert run("replay", "out/traces/s.no-unhandled-exception.json", "--from", "mine.py").code == 0

    def test_whatever_is_raised_before_or_after_an_effect(self) -> None:
        flows = "".join(
            f"""
async def at_once_{n}(env):
    {raises}
async def later_{n}(env):
    await env.store.set(P, b"first", b"1")
    {raises}
"""
            for n, raises in enumerate(RAISES)
        )
        listed = "".join(
            f"""
    Scenario(name="s{n}", clients=[[Call(later_{n})], [Call(touch)]], invariants=[ANY]),
    Scenario(name="t{n}", clients=[[Call(at_once_{n}), Call(touch)]], invariants=[ANY]),"""
            for n in range(len(RAISES))
        )
        ran = verify(f"{ODD}{flows}SCENARIOS = [{listed}\n]\n")
        for n, raises in enumerate(RAISES):
            assert len(counterexample(ran, f"s{n}")["schedule"]) == 1, raises  # type: ignore[arg-type]
            trace = counterexample(ran, f"t{n}")
            assert trace["schedule"] == [], raises
            assert f"mine.py:{line_of(f'async def at_once_{n}') + 1}" in str(trace["evidence"]), raises
            assert ran.verdict("any", f"t{n}") == "holds", raises
        for scenario in ("s1", "t6"):
            assert run("replay", str(ran.verdicts[scenario, CODE]["trace"]), "--from", "mine.py").code == 0

    def test_an_answer_with_an_odd_constructor_is_an_answer(self) -> None:
        ran = verify("""
class Busy(Exception):
    definite = True
    def __init__(self, name, *, seconds):
        super().__init__(f"{name}: busy for {seconds} s")
async def flow(env):
    await env.store.set(P, K, b"1")
    raise Busy("r", seconds=3)
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict(CODE)) == (0, "holds")

    def test_expect_can_name_it_and_a_broken_client_runs_nothing_more(self) -> None:
        ran = verify("""
async def breaks(env):
    await env.store.set(P, K, b"1")
    raise KeyError("k")
async def after(env):
    await env.store.set(P, b"after", b"1")
def never(snapshot):
    yield Violation("never", "") if (P, b"after") in snapshot.store else Reached("")
def returned(state, event):
    return state, ((Violation("silent", "it returned"),) if isinstance(event, Returned) else (Reached("invoked"),))
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(breaks), Call(after)]], expect={"no-unhandled-exception": "violated"},
        invariants=[
            Always(id="never", meaning="", check=never),
            Monitor(id="silent", meaning="", initial=0, advance=returned),
        ],
    )
]
""")
        assert ran.code == 0, ran.stdout

    def test_walks_find_it_too(self) -> None:
        verify(RACE + 'SCENARIOS = [Scenario(name="s", clients=[[Call(careful)], [Call(touch)]], invariants=[ANY])]\n')
        ran = run("walk", "s", "--from", "mine.py", "--json", "--executions", "500")
        assert (ran.code, ran.verdict(CODE)) == (1, "violated")

    def test_in_an_aftermath(self) -> None:
        ran = verify("""
async def fragile(env):
    assert (await env.store.get(P, K)).value != b"1", "found one"
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(touch)]], invariants=[ANY],
        aftermath=[Aftermath(id="a", meaning="", calls=[Call(fragile)], check=lambda outcomes, _: [Reached("x")])],
    )
]
""")
        trace = counterexample(ran)
        assert "found one" in str(trace["evidence"])
        assert "found one" in str(trace["afterwards"])

    def test_in_the_setup_it_is_an_error_with_its_line(self) -> None:
        ran = verify("""
async def fragile(env):
    raise KeyError("k")
SCENARIOS = [Scenario(name="s", setup=[Call(fragile)], clients=[[Call(touch)]], invariants=[ANY])]
""")
        refused(ran, "setup", "KeyError", f"mine.py:{line_of('raise KeyError')}")


LOCK = """
RAN = []
class Lock:
    def __init__(self, env): self.env = env
    async def __aenter__(self): await self.env.store.set_if(P, b"lock", b"1", None)
    async def __aexit__(self, *error): await self.env.store.delete(P, b"lock")
async def with_finally(env):
    await env.store.set_if(P, b"lock", b"1", None)
    try:
        await env.store.set(P, K, b"1")
        await env.store.set(P, K, b"2")
    finally:
        RAN.append(1)
        await env.store.delete(P, b"lock")
async def with_lock(env):
    async with Lock(env):
        await env.store.set(P, K, b"1")
        async for entry in env.store.scan(P, batch_size=1):
            await env.store.set(P, K, b"2")
async def with_every_exception(env):
    await env.store.set_if(P, b"lock", b"1", None)
    try:
        await env.store.set(P, K, b"1")
        await env.store.set(P, K, b"2")
    except BaseException:
        await env.store.delete(P, b"lock")
        raise
def unlocked(snapshot):
    if (P, K) in snapshot.store and any(call.status is Status.CRASHED for call in snapshot.calls()):
        locked = (P, b"lock") in snapshot.store
        yield Reached("locked for ever") if locked else Violation("stays-locked", "a crash unlocked it")
STAYS = Eventually(id="stays-locked", meaning="", check=unlocked)
SCENARIOS = [
    Scenario(name=f.__name__, clients=[[Call(f)]], faults=Faults(crashes=1), invariants=[STAYS])
    for f in (with_finally, with_lock, with_every_exception)
]
"""


class TestCrashes:
    """Nothing of a flow runs after its client crashed, not even ``finally``; closing it neither fails nor speaks."""

    def test_locks_in_finally_and_async_with_can_be_searched_and_walked(self) -> None:
        ran = verify(LOCK)
        assert ran.code == 0, (ran.stdout, ran.stderr)
        walked = run("walk", "with", "--from", "mine.py", "--json", "--executions", "300")
        assert walked.code == 3, walked.stdout  # nothing is violated: a sample proves nothing

    def test_no_line_of_a_client_runs_after_its_crash(self) -> None:
        from lakeproof import Call, Faults, Scenario
        from lakeproof.explore.faults import Mode, Move
        from lakeproof.explore.setting import prepare
        from lakeproof.explore.world import World
        from lakeproof.impl.effects import Env
        from tests.racing import COUNTS

        ran: list[str] = []

        async def flow(env: Env) -> None:
            try:
                await env.store.set(b"p", b"k", b"1")
            finally:
                ran.append("finally")
                await env.store.delete(b"p", b"k")

        scenario = Scenario(name="s", clients=[[Call(flow)]], faults=Faults(crashes=1), invariants=[COUNTS])
        world = World(prepare(scenario))
        world.step(Move(0, Mode.CRASH))
        world.close()
        del world
        assert ran == []
