"""Loops end, odd values are named, and a scan may cover more cells than a machine word has bits."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from lakeproof import Faults
from lakeproof.scenario import ScenarioError
from tests.commands import ROOT
from tests.edge.files import CODE, HEAD, Ran, line_of, refused, verify


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestLoops:
    def test_a_loop_without_effects_is_inconclusive_and_names_its_line(self) -> None:
        ran = verify(
            """
async def spins(env):
    await env.store.set(P, K, b"1")
    while True:
        pass
SCENARIOS = [
    Scenario(name="s", clients=[[Call(spins)]], invariants=[ANY]),
    Scenario(name="t", clients=[[Call(touch)]], invariants=[ANY]),
]
""",
            "--max-seconds",
            "1",
        )
        assert (ran.code, ran.verdict("any", "t"), ran.verdict("any")) == (3, "holds", "inconclusive")
        why = str(ran.verdicts["s", "any"]["why"])
        assert any(f"mine.py:{line_of('while True') + extra}" in why for extra in (0, 1))

    def test_a_loop_over_a_clock_that_stands_still_is_one_without_effects(self) -> None:
        ran = verify(
            """
async def waits(env):
    await env.store.set(P, K, b"1")
    while await env.clock.now() < 2**62:
        pass
SCENARIOS = [Scenario(name="s", clients=[[Call(waits)]], invariants=[ANY])]
""",
            "--max-seconds",
            "1",
        )
        assert (ran.code, ran.verdict("any")) == (3, "inconclusive")
        assert "runs on without an effect" in str(ran.verdicts["s", "any"]["why"])

    def test_an_invariant_that_loops_is_inconclusive(self) -> None:
        ran = verify(
            """
def spins(snapshot):
    while True:
        pass
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[Always(id="x", meaning="", check=spins)])]
""",
            "--max-seconds",
            "1",
        )
        assert (ran.code, ran.verdict("x")) == (3, "inconclusive")

    @pytest.mark.deep
    def test_a_flow_that_swallows_every_exception_in_its_loop_ends_too(self) -> None:
        ran = verify(
            """
async def spins(env):
    await env.store.set(P, K, b"1")
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
SCENARIOS = [Scenario(name="s", clients=[[Call(spins)]], invariants=[ANY])]
""",
            "--max-seconds",
            "1",
        )
        assert ran.code in (2, 3)
        assert ran.verdict("any") == "inconclusive"

    @pytest.mark.deep
    def test_a_loop_with_effects_is_named(self) -> None:
        ran = verify("""
async def polls(env):
    while True:
        try:
            return await env.store.get(P, K)
        except kv.NotFound:
            continue
SCENARIOS = [Scenario(name="s", clients=[[Call(polls)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict("any")) == (3, "inconclusive")
        why = str(ran.verdicts["s", "any"]["why"])
        assert "polls() still runs after 2,000 steps" in why
        assert f"mine.py:{line_of('return await env.store.get')}" in why

    def test_a_setup_that_loops_is_refused(self) -> None:
        ran = verify("""
async def polls(env):
    while True:
        await env.store.set(P, K, b"1")
SCENARIOS = [Scenario(name="s", setup=[Call(polls)], clients=[[Call(touch)]], invariants=[ANY])]
""")
        refused(ran, "polls(), alone, still runs after 10,000 effects", "mine.py:")


class TestOddValues:
    @pytest.mark.parametrize(
        ("faults", "says"),
        [
            ({"crashes": -1}, r"faults\.crashes: -1: .*0 or more"),
            ({"crashes": True}, r"faults\.crashes: True: .*0 or more"),
            ({"clock_jumps": [1]}, r"faults\.clock_jumps: \[1\]: .*tuple"),
        ],
    )
    def test_faults_that_cannot_be_counted_are_refused(self, faults: dict[str, int], says: str) -> None:
        with pytest.raises(ScenarioError, match=says):
            Faults(**faults)  # type: ignore[arg-type]  # that is the point

    def test_an_error_in_a_check_names_the_invariant_and_the_line(self) -> None:
        """What else may be wrong with its answer: `tests.explore.test_asking`."""
        ran = verify("""
BAD = Always(id="x", meaning="", check=lambda _: 1 / 0)
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[BAD])]
""")
        refused(ran, "mine.py", "invariant 'x'", "ZeroDivisionError", f"mine.py:{line_of('BAD =')}")

    def test_a_value_of_none_is_the_stores_own_error(self) -> None:
        ran = verify("""
async def flow(env):
    await env.store.set(P, K, None)
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict(CODE)) == (0, "holds")

    def test_texts_of_an_enumeration_are_texts(self) -> None:
        ran = verify("""
import enum
class Where(str, enum.Enum):
    HERE = "here"
async def flow(env):
    await env.objects.put(Where.HERE, b"1")
def held(snapshot):
    yield Violation("held", "") if type(next(iter(snapshot.objects), "")) is not str else Reached("")
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(flow)]],
        invariants=[Always(id="held", meaning="", check=held, reads=frozenset({Reads.OBJECTS}))],
    )
]
""")
        assert (ran.code, ran.verdict("held")) == (0, "holds")


MANY = """
async def fill(env):
    for key in range(70):
        await env.store.set(P, b"%02d" % key, b"0")
async def bump(env, *keys):
    for key in keys:
        await env.store.set(P, b"%02d" % key, b"1")
async def count(env):
    return sum([entry.value == b"1" async for entry in env.store.scan(P)])
def counted(snapshot):
    for call in snapshot.calls("count"):
        if call.status is Status.OK:
            yield Violation("c", "") if call.value not in range(5) else Reached(str(call.value))
def four(snapshot):
    yield Violation("four", "") if any(call.value == 4 for call in snapshot.calls("count")) else Reached("")
SCENARIOS = [
    Scenario(
        name="s", setup=[Call(fill)], expect={"four": "violated"},
        clients=[[Call(bump, 0, 69)], [Call(bump, 1, 35)], [Call(count)], [Call(bump, *range(70))]],
        invariants=[
            Always(id="c", meaning="", check=counted, reads=frozenset({Reads.CLIENTS})),
            Always(id="four", meaning="", check=four, reads=frozenset({Reads.CLIENTS})),
        ],
    )
]
"""


@pytest.mark.parametrize("flags", [[], pytest.param(["-O"], marks=pytest.mark.deep)])
def test_a_scan_over_seventy_changing_cells_is_exact(flags: list[str]) -> None:
    """All 70 columns have a bit, because a third client writes all of them, alone after the scan or before it."""
    Path("mine.py").write_text(HEAD + MANY)
    done = subprocess.run(
        [sys.executable, *flags, "-m", "lakeproof", "verify", "--from", "mine.py", "--json", "--max-states", "20000"],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in done.stderr
    ran = Ran(done.returncode, done.stdout, done.stderr)
    assert ran.verdict("c") == "violated"  # the fourth client makes it more than four
    assert ran.verdict("four") == "violated"


@pytest.mark.deep
def test_no_process_is_left_when_the_command_is_killed() -> None:
    """A flow that loops would never notice that nobody reads its verdict any more."""
    source = """
import os
from pathlib import Path
async def spins(env):
    Path("pid").write_text(str(os.getpid()))
    while True:
        pass
SCENARIOS = [Scenario(name="s", clients=[[Call(spins)]], invariants=[ANY])]
"""
    Path("mine.py").write_text(HEAD + source)
    command = [sys.executable, "-m", "lakeproof", "verify", "--from", "mine.py"]
    with subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL) as process:
        while not Path("pid").exists() or not Path("pid").read_text():
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    worker = Path("/proc") / Path("pid").read_text()
    for _ in range(500):
        if not worker.exists() or "(zombie)" in (worker / "status").read_text():
            break
        time.sleep(0.01)
    else:
        pytest.fail("the worker goes on")
