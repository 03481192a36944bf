"""What invariants are given is whole and cannot be changed; what is no function of what it is given is named."""

from pathlib import Path

import pytest

from tests.edge.files import refused, verify


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestSnapshots:
    """What an invariant is given is whole, or says that it is not; and cannot be changed."""

    def test_calls_without_names_are_all_calls(self) -> None:
        ran = verify("""
def none(snapshot):
    yield Violation("none", "") if snapshot.calls() else Reached("")
SCENARIOS = [
    Scenario(name="s", clients=[[Call(touch)]], invariants=[Always(id="none", meaning="", check=none, reads=BOTH)])
]
""")
        assert (ran.code, ran.verdict("none")) == (1, "violated")

    def test_an_invariant_cannot_hide_the_violation_of_the_next_one(self) -> None:
        ran = verify("""
def wipes(snapshot):
    snapshot.store.clear()
    yield Reached("")
def never(snapshot):
    yield Violation("never", "") if snapshot.store else Reached("")
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(touch)]],
        invariants=[Always(id=f.__name__, meaning="", check=f) for f in (wipes, never)],
    )
]
""")
        refused(ran, "'wipes'", "AttributeError")


class TestNondeterminism:
    """What differs from run to run is named, in effects, results and errors."""

    def test_a_coin_is_noticed(self) -> None:
        bodies = [
            "await env.store.set(P, K, b'1')\n    return random.random()",
            "await env.store.set(P, K, b'1')\n    return next(COIN)",
            "await env.store.set(P, K, b'1')\n    if next(COIN) is True: raise kv.Refused()",
            "await env.store.set(P, K, b'1')\n    assert next(COIN) is True",
            "return random.random()",
            "await env.store.set(P, K, str(random.random()).encode())",
            "await env.store.set(P, K, b'1')\n    if next(COIN) is True: await env.store.set(P, K, b'2')",
        ]
        flows = "".join(
            f"""
COIN = itertools.cycle([1, True, True])
async def flow_{n}(env):
    {body}
""".replace("COIN", f"COIN_{n}")
            for n, body in enumerate(bodies)
        )
        listed = "".join(
            f'Scenario(name="s{n}", clients=[[Call(flow_{n})], [Call(touch)]], invariants=[ANY]),'
            for n in range(len(bodies))
        )
        ran = verify(f"import itertools, random\n{flows}SCENARIOS = [{listed}]\n")
        assert ran.code == 2
        assert {each["verdict"] for each in ran.verdicts.values()} == {"inconclusive"}
        for n in range(len(bodies)):
            assert any(f"flow_{n}() of client a is not deterministic" in line for line in ran.complaints), bodies[n]
