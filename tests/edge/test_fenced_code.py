"""Files that ended in a false `holds`, a traceback, a hang or lost verdicts of others."""

from pathlib import Path

import pytest

from tests.edge.files import CODE, line_of, refused, run, verify


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


WRITES = """
def never(snapshot):
    yield Violation("never", "") if (P, K) in snapshot.store else Reached("")
NEVER = Always(id="never", meaning="", check=never)
"""
ANOTHER = 'Scenario(name="t", clients=[[Call(touch)]], invariants=[ANY])'


class TestWhatIsGiven:
    """A scenario keeps what it is given: nothing is used up or changed before it is judged."""

    def test_an_iterator_or_a_list_that_changes_hides_no_violation(self) -> None:
        given = [
            "clients=[[Call(touch)]], invariants=(i for i in [NEVER])",
            "clients=[[Call(touch)]], invariants=iter([NEVER])",
            "clients=(c for c in [[Call(touch)]]), invariants=[NEVER]",
            "clients=[(c for c in [Call(touch)])], invariants=[NEVER]",
            "setup=map(Call, [touch]), clients=[[Call(touch)]], invariants=[NEVER]",
            "clients=[[Call(clears)]], invariants=LIST",
        ]
        ran = verify(f"""{WRITES}
LIST = [NEVER]
async def clears(env):
    LIST.clear()
    await env.store.set(P, K, b"1")
SCENARIOS = [{", ".join(f'Scenario(name="s{n}", {fields})' for n, fields in enumerate(given))}]
""")
        assert ran.code == 1
        assert [ran.verdict("never", f"s{n}") for n in range(len(given))] == ["violated"] * len(given)

    def test_an_aftermath_from_an_iterator_is_run(self) -> None:
        ran = verify("""
AFTER = Aftermath(id="a", meaning="", calls=iter([Call(touch)]), check=lambda outcomes, _: [Violation("a", "")])
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[ANY], aftermath=iter([AFTER]))]
""")
        assert (ran.code, ran.verdict("a")) == (1, "violated")

    def test_two_observers_of_one_name_are_refused(self) -> None:
        ran = verify("""
def check(snapshot):
    yield Reached("")
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(touch)]],
        invariants=[
            Always(id=name, meaning="", check=check, reads=BOTH, observers=(Observer("effects", fold),))
            for name, fold in (("one", lambda seen: 1), ("other", lambda seen: 2))
        ],
    ),
]
""")
        refused(ran, "'effects'", "'one'", "'other'", "rename")

    def test_two_observers_of_one_making_are_one(self) -> None:
        ran = verify("""
def observer(of):
    return Observer("effects", lambda seen: len(seen) + of)
def check(snapshot):
    yield Reached("")
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(touch)]],
        invariants=[Always(id=n, meaning="", check=check, observers=(observer(0),)) for n in ("one", "other")],
    ),
]
""")
        assert ran.code == 0


class TestWhatIsDropped:
    """What a flow makes and does not run to its end takes no place in the search: that is said."""

    def test_a_forgotten_await_is_named_with_its_line(self) -> None:
        ran = verify(f"""
async def flow(env):
    await env.store.set(P, K, b"1")
    env.store.delete(P, K)
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""")
        refused_with_another(ran, "flow() never awaits", "delete", f"mine.py:{line_of('    env.store.delete')}")

    def test_a_coroutine_that_is_returned_is_named(self) -> None:
        ran = verify(f"""
async def flow(env):
    return touch(env)
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""")
        refused_with_another(ran, "flow() returned a coroutine", "return await")

    def test_a_generator_that_is_left_half_way_is_named(self) -> None:
        ran = verify(f"""
async def numbers(env):
    try:
        yield 1
    finally:
        await env.store.delete(P, K)
async def flow(env):
    await env.store.set(P, K, b"1")
    async for number in numbers(env):
        break
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""")
        refused_with_another(ran, "flow() leaves numbers half-way", "aclosing")

    def test_clients_that_crash_with_coroutines_at_hand_have_forgotten_nothing(self) -> None:
        ran = verify("""
async def flow(env):
    for step in [touch(env), touch(env), env.store.delete(P, K)]:
        await step
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)], [Call(flow)]], faults=Faults(crashes=2), invariants=[ANY])]
""")
        assert ran.code == 0

    def test_a_filter_for_warnings_changes_nothing(self) -> None:
        ran = verify(f"""
import warnings
async def flow(env):
    warnings.simplefilter("error")
    touch(env)
    await env.store.set(P, K, b"1")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""")
        refused_with_another(ran, "flow() never awaits touch")

    def test_a_client_that_is_given_up_after_an_error_runs_no_finally(self) -> None:
        ran = verify(f"""
import asyncio
async def flow(env):
    try:
        await asyncio.sleep(0)
    except GeneratorExit:
        raise RuntimeError("closed")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""")
        refused_with_another(ran, "asyncio.sleep")


def refused_with_another(ran: object, *parts: str) -> None:
    """Scenario s is refused, and t has its verdict."""
    from tests.edge.files import Ran

    assert isinstance(ran, Ran)
    assert (ran.code, ran.verdict("any"), ran.verdict("any", "t")) == (2, "inconclusive", "holds")
    [line] = ran.complaints
    for part in parts:
        assert part in line, line


class TestInterrupting:
    @pytest.mark.parametrize(
        "hangs",
        [
            pytest.param("all(itertools.repeat(1))", marks=pytest.mark.deep),
            "signal.setitimer(signal.ITIMER_REAL, 0)\n    while True: pass",
        ],
    )
    def test_code_that_cannot_be_interrupted_is_inconclusive_and_costs_no_other_its_verdict(self, hangs: str) -> None:
        ran = verify(
            f"""
import itertools, signal
async def flow(env):
    await env.store.set(P, K, b"1")
    {hangs}
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]), {ANOTHER}]
""",
            "--max-seconds",
            "1",
        )
        assert (ran.code, ran.verdict("any"), ran.verdict("any", "t")) == (3, "inconclusive", "holds")
        assert "could not be interrupted" in str(ran.verdicts["s", "any"]["why"])

    def test_a_stretch_counts_only_while_the_process_runs(self) -> None:
        from lakeproof.running.board import GRACE_SECONDS, Overseer

        board = [0.0, 1.0]
        overseer = Overseer(board)
        assert not overseer.out_of_time()
        board[0] = 5.0
        looks = [overseer.out_of_time() for _ in range(100)]
        assert not any(looks)  # no time has passed, whenever it was entered
        assert GRACE_SECONDS > 0


class TestOddAnswers:
    def test_findings_are_texts_and_come_to_an_end(self) -> None:
        answers = {
            "Reached(object())": "Reached says <object object>",
            "Reached(lambda: 0)": "Reached says <function",
            "Violation('x', 5)": "Violation says 5",
            "*itertools.repeat(Reached('x'), 200_000)": "more than 100,000 things",
        }
        listed = "".join(
            f"""
    Scenario(
        name="s{n}", clients=[[Call(touch)]],
        invariants=[Always(id="any", meaning="", check=lambda _: [{finding}])],
    ),"""
            for n, finding in enumerate(answers)
        )
        ran = verify(f"import itertools\nSCENARIOS = [{listed}\n    {ANOTHER},\n]\n")
        assert (ran.code, ran.verdict("any", "t")) == (2, "holds")
        for n, says in enumerate(answers.values()):
            assert ran.verdict("any", f"s{n}") == "inconclusive"
            assert any(f" s{n}: " in line and says in line for line in ran.complaints), (says, ran.complaints)

    def test_half_a_character_in_the_evidence_costs_no_other_its_verdict(self) -> None:
        ran = verify(f"""
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(touch)]],
        invariants=[Always(id="any", meaning="", check=lambda _: [Reached("\\ud800")])],
    ),
    {ANOTHER},
]
""")
        assert (ran.code, ran.verdict("any"), ran.verdict("any", "t")) == (0, "holds", "holds")

    def test_what_flows_print_is_no_result(self) -> None:
        ran = verify("""
import os
async def flow(env):
    print("{}", flush=True)
    os.write(1, b"raw")
    await env.store.set(P, K, b"1")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict("any")) == (0, "holds")  # every line of stdout is a verdict
        assert "{}" in ran.stderr

    def test_a_frozen_exception_is_an_answer(self) -> None:
        ran = verify("""
@dataclasses.dataclass(frozen=True)
class Busy(Exception):
    name: str
    definite = True
async def flow(env):
    await env.store.set(P, K, b"1")
    raise Busy("r")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict(CODE)) == (0, "holds")

    def test_an_awaitable_that_is_no_coroutine_is_refused(self) -> None:
        ran = verify("""
class flow:
    def __init__(self, env): self.env = env
    def __await__(self): return touch(self.env).__await__()
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        refused(ran, "flow()", "expected a coroutine", "async def")

    def test_values_that_have_no_words_can_be_told_all_the_same(self) -> None:
        ran = verify("""
class Mute:
    def __repr__(self): raise LookupError("no words")
async def flow(env, value, huge):
    await env.store.set(P, K, b"1")
    assert not huge
SCENARIOS = [Scenario(name="s", clients=[[Call(flow, Mute(), 10**5000)]], invariants=[ANY])]
""")
        assert (ran.code, ran.verdict(CODE)) == (1, "violated")
        assert "a Mute" in str(ran.verdicts["s", CODE]["evidence"])

    def test_calls_of_an_aftermath_that_never_ran_are_not_told(self) -> None:
        ran = verify("""
async def fragile(env):
    raise KeyError("k")
AFTER = Aftermath(id="a", meaning="", calls=[Call(fragile), Call(touch)], check=lambda outcomes, _: [Reached("x")])
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[ANY], aftermath=[AFTER])]
""")
        assert (ran.code, ran.verdict(CODE)) == (1, "violated")
        assert run("replay", str(ran.verdicts["s", CODE]["trace"]), "--from", "mine.py").code == 0
