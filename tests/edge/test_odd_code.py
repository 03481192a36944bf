"""Loops end, a flow that ends its process costs no verdict and is none, and a scan may cover more cells than a machine
word has bits."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from lakeproof.search.board import Overseer
from tests.commands import ROOT
from tests.edge.files import COMMAND, HEAD, line_of, run, verify

pytestmark = pytest.mark.usefixtures("in_tmp_path")

ENDLESS: Final = {
    "spins": ("    while True: pass  # here", "mine.py:"),
    "waits": ("    while await env.clock.now() < 2**62: pass", "runs on without an effect"),
    "deaf": ("    signal.setitimer(signal.ITIMER_REAL, 0)\n    while True: pass", "could not be interrupted"),
    "counts": ("    all(itertools.repeat(1))", "could not be interrupted"),
    "swallows": (
        "    while True:\n        try:\n            while True: pass\n        except BaseException: continue",
        "",
    ),
}
KILLS_SOON: Final = """
from lakeproof import supervisor
from lakeproof.search import board
board.GRACE_SECONDS = 0.1
supervisor.supervised()
"""
"""The command, whose processes are killed at once if they are over their time: where nothing inside ends them."""


@pytest.mark.deep
@pytest.mark.parametrize(
    ("names", "start"),
    [
        (("spins", "waits"), COMMAND),
        (("deaf",), ("-c", KILLS_SOON)),
        pytest.param(("counts", "swallows"), COMMAND, marks=pytest.mark.deep),
    ],
)
def test_what_does_not_end_is_inconclusive_and_costs_no_other_its_verdict(
    names: tuple[str, ...], start: Sequence[str]
) -> None:
    flows = "".join(
        f'async def {name}(env):\n    await env.store.set(P, K, b"1")\n{ENDLESS[name][0]}\n' for name in names
    )
    listed = ", ".join(f'Scenario(name="{n}", clients=[[Call({n})]], invariants=[ANY])' for n in names)
    ran = verify(
        f"""
import itertools, signal
{flows}
def endless(snapshot):
    while True: pass
LOOP = Always(id="any", meaning="", check=endless)
SCENARIOS = [
    {listed},
    Scenario(name="check", clients=[[Call(touch)]], invariants=[LOOP]),
    Scenario(name="sound", clients=[[Call(touch)]], invariants=[ANY]),
]
""",
        "--max-seconds",
        "1",
        start=start,
    )
    assert ran.verdict("any", "sound") == "holds"
    assert ran.verdict("any", "check") == "inconclusive"
    for name in names:
        assert ran.verdict("any", name) == "inconclusive", name
        assert ENDLESS[name][1] in str(ran.verdicts[name, "any"]["why"]), name
    if "spins" in names:
        assert ran.code == 3
        assert f"mine.py:{line_of('# here')}" in str(ran.verdicts["spins", "any"]["why"])


def test_a_loop_that_comes_back_to_its_state_is_searched_to_its_end() -> None:
    ran = verify(
        """
async def polls(env):
    while True:
        with contextlib.suppress(kv.NotFound):
            return await env.store.get(P, K)
import contextlib
SCENARIOS = [Scenario(name="s", clients=[[Call(polls)]], invariants=[ANY])]
"""
    )
    assert (ran.code, ran.verdict("any")) == (0, "holds")


@pytest.mark.deep
def test_a_loop_that_grows_is_inconclusive_and_what_grows_is_named() -> None:
    ran = verify(
        """
async def polls(env, tries=0):
    while True:
        tries += 1
        with contextlib.suppress(kv.NotFound):
            return await env.store.get(P, K)  # here
import contextlib
SCENARIOS = [Scenario(name="s", clients=[[Call(polls)]], invariants=[ANY])]
""",
        "--max-states",
        "300",
    )
    assert (ran.code, ran.verdict("any")) == (3, "inconclusive")
    assert f"mine.py:{line_of('# here')}: `tries` differs in every round" in str(ran.verdicts["s", "any"]["why"])


@pytest.mark.deep
def test_a_flow_that_ends_the_process_of_a_replay() -> None:
    source = """
import os
from pathlib import Path

async def flow(env):
    await env.store.set(P, K, b"1")
    if Path("now").exists(): os._exit(0)
def never(snapshot):
    yield Violation("never", "") if snapshot.store else Reached("")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[Always(id="never", meaning="", check=never)])]
"""
    assert verify(source).code == 1
    Path("now").touch()
    assert run("replay", "out/traces/s.never.json", "--from", "mine.py").code == 2


def test_a_stretch_counts_only_while_the_process_runs() -> None:
    board = [0.0, 1.0]
    overseer = Overseer(board)
    assert not overseer.out_of_time()
    board[0] = 5.0
    looks = [overseer.out_of_time() for _ in range(100)]
    assert not any(looks)  # no time has passed, whenever it was entered


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
    ran = run("verify", "--from", "mine.py", "--json", "--max-states", "20000", python=flags)
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
