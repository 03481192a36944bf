"""A flow that ends its process costs no verdict, and is none."""

from pathlib import Path

import pytest

from tests.edge.files import run, verify

pytestmark = pytest.mark.usefixtures("in_tmp_path")


class TestExits:
    """Exit code 0 is given only when every chosen scenario has reported."""

    @pytest.mark.parametrize(
        "ends", ["sys.exit(0)", "os._exit(0)", "os.execv('/bin/true', ['true'])", "raise SystemExit", "exit()"]
    )
    def test_a_flow_that_ends_the_process(self, ends: str) -> None:
        ran = verify(
            f"""
import os, sys
async def flow(env):
    await env.store.set(P, K, b"1")
    {ends}
SCENARIOS = [
    Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]),
    Scenario(name="t", clients=[[Call(touch)]], invariants=[ANY]),
]
""",
            "--jobs",
            "1",
        )
        assert ran.code in (1, 2)
        assert ran.verdict("any", "t") == "holds"
        assert ran.verdict("any", "s") in ("holds", "inconclusive")

    def test_a_flow_that_ends_the_process_of_a_replay(self) -> None:
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
