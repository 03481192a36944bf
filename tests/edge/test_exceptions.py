"""An exception in a flow is a counterexample with its line; what else is odd, a row each: `test_judged_code`."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.edge.files import CODE, Ran, line_of, run, verify

pytestmark = pytest.mark.usefixtures("in_tmp_path")


def counterexample(ran: Ran, scenario: str = "s") -> dict[str, object]:
    """The trace of the exception."""
    assert ran.code == 1, (ran.code, ran.stderr)
    found = ran.verdicts[scenario, CODE]
    assert found["verdict"] == "violated"
    loaded = json.loads(Path(str(found["trace"])).read_text())
    assert isinstance(loaded, dict)
    return loaded


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


@pytest.mark.deep
def test_whatever_is_raised_before_or_after_an_effect() -> None:
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
