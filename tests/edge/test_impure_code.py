"""What invariants are given is whole and cannot be changed; what is no function of what it is given is named."""

from pathlib import Path

import pytest

from lakeproof import Call, Scenario
from lakeproof.explore.search import search
from lakeproof.model.invariants import Always, Violation
from tests.edge.files import refused, verify
from tests.racing import increment


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

    @pytest.mark.parametrize(
        ("looks", "option"),
        [
            ("snapshot.calls()", "Reads.CLIENTS"),
            ("snapshot.clients", "Reads.CLIENTS"),
            ("snapshot.now", "Reads.CLOCK"),
            ("snapshot.objects", "Reads.OBJECTS"),
        ],
    )
    def test_looking_at_what_was_not_declared_is_an_error(self, looks: str, option: str) -> None:
        ran = verify(f"""
def check(snapshot):
    yield Violation("x", "") if {looks} == "never" else Reached("")
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[Always(id="x", meaning="", check=check)])]
""")
        refused(ran, "'x'", option, "reads=", "mine.py:")

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

    @pytest.mark.parametrize(
        "body",
        [
            "await env.store.set(P, K, b'1')\n    return random.random()",
            "await env.store.set(P, K, b'1')\n    return next(COIN)",
            "await env.store.set(P, K, b'1')\n    if next(COIN) is True: raise kv.Refused()",
            "await env.store.set(P, K, b'1')\n    assert next(COIN) is True",
            "return random.random()",
            "await env.store.set(P, K, str(random.random()).encode())",
            "await env.store.set(P, K, b'1')\n    if next(COIN) is True: await env.store.set(P, K, b'2')",
        ],
    )
    def test_a_coin_is_noticed(self, body: str) -> None:
        ran = verify(f"""
import itertools, random
COIN = itertools.cycle([1, True, True])
async def flow(env):
    {body}
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)], [Call(touch)]], invariants=[ANY])]
""")
        refused(ran, "flow() of client a is not deterministic")

    def test_an_invariant_with_a_memory_of_its_own_is_no_verdict(self) -> None:
        ran = verify("""
ASKED = []
def first(snapshot):
    ASKED.append(1)
    yield Violation("first", "") if len(ASKED) == 2 else Reached("")
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[Always(id="first", meaning="", check=first)])]
""")
        refused(ran, "first", "functions of what they are given")


def test_a_search_that_ends_when_all_is_violated_is_not_complete() -> None:
    """The last level that was judged was never expanded: something may lie behind it."""
    never = Always(id="never", meaning="", check=lambda _: [Violation("never", "always")])
    found = search(Scenario(name="s", clients=[[Call(increment)], [Call(increment)]], invariants=[never]))
    assert (found.states, found.depth, found.complete) == (1, 0, False)
    assert [(finding.id, finding.verdict) for finding in found.findings] == [("never", "violated")]
