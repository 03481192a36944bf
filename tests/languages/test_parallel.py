"""Several open effects of a program: the adapter for Go does what a flow in Python does, and nonsense is refused."""

import json
from collections.abc import Callable

import pytest

from lakeproof import Always, Call, Env, Faults, Program, Reached, Scenario, Snapshot, Violation, kv
from lakeproof.languages.pool import _fits
from lakeproof.languages.protocol import Asks, Nonsense, Opens, Raises, Returns
from lakeproof.languages.reader import read_message
from lakeproof.search.replay import record, replay
from lakeproof.search.search import Options, search

pytestmark = pytest.mark.xdist_group("languages")
FAULTS = {"none": Faults(), "crash": Faults(crashes=1), "lost answer": Faults(lost_answers=1)}


async def together(env: Env) -> tuple[str, ...]:
    """The twin of adapters/go/example/together.go."""
    order: list[str] = []

    async def mark(name: str) -> None:
        await env.store.set_if(b"marks", name.encode(), env.ids.unique("mark").encode(), None)
        order.append(name)

    async def two() -> None:
        async with env.parallel(cancel=False) as inner:
            inner.start(mark, "b")
            inner.start(mark, "c")

    try:
        async with env.parallel(cancel=False) as group:
            group.start(mark, "a")
            group.start(two)
            await env.store.find(b"counters", b"visits")
    except ExceptionGroup as raised:
        error: BaseException = raised.subgroup(kv.OutcomeUnknown) or raised
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None
    return tuple(order)


async def other(env: Env) -> None:
    await env.store.set(b"counters", b"visits", b"1")


def scenario(call: Call, faults: Faults, beside: Call | None = None) -> Scenario:
    return Scenario(
        name="together",
        clients=[[call], [beside or Call(other)]],
        faults=faults,
        invariants=[Always(id="reached", meaning="holds", check=lambda _: [Reached("a state")])],
    )


@pytest.fixture(scope="module")
def go(built_in: Callable[[str], Program]) -> Program:
    return built_in("go")


@pytest.mark.parametrize("faults", FAULTS.values(), ids=FAULTS)
def test_goroutines_have_the_states_and_ends_of_tasks_in_python(faults: Faults, go: Program) -> None:
    for options in (Options(keep_finals=True), Options(merge=False, symmetry=False, keep_finals=True)):
        expected = search(scenario(Call(together), faults), options=options)
        found = search(scenario(go.call("together"), faults), options=options)
        assert (found.states, found.transitions, found.depth) == (expected.states, expected.transitions, expected.depth)
        assert found.finals == expected.finals
        assert [each.verdict for each in found.findings] == [each.verdict for each in expected.findings]


async def two_marks(env: Env) -> None:
    await env.store.set(b"marks", b"a", b"taken")
    await env.store.set(b"marks", b"b", b"taken")


def test_a_failure_that_is_not_definite_decides_how_joined_ones_end(go: Program) -> None:
    calls = Call(together), go.call("together")
    expected, found = (
        search(scenario(call, FAULTS["lost answer"], Call(two_marks)), options=Options(keep_finals=True))
        for call in calls
    )
    assert found.finals == expected.finals


def test_a_trace_names_the_goroutines_and_their_lines_and_is_replayed(go: Program) -> None:
    def three(snapshot: Snapshot) -> list[Reached | Violation]:
        return [Reached("a state") if len(snapshot.store) < 3 else Violation("two", "three marks")]

    two = Always(id="two", meaning="two marks at most", check=three)
    of = Scenario(
        name="s", clients=[[go.call("together")], [Call(other)]], invariants=[two], expect={"two": "violated"}
    )
    found = search(of).findings[0].counterexample
    assert found is not None
    trace = record(of, "two", found.moves, version="1")
    assert len(trace.schedule) == 3
    goroutines = [step for step in trace.schedule if step.client == "a"]
    assert {step.task for step in goroutines} <= {"1", "2.1", "2.2"}
    assert all(step.at.startswith("together.go:") for step in goroutines)
    assert replay(trace, of).steps == 3


def opens(*effects: dict[str, object]) -> bytes:
    return json.dumps({"flow": 1, "opens": effects}).encode()


def get(number: int, task: str) -> dict[str, object]:
    return {"effect": number, "task": task, "op": "get", "partition": "cA==", "key": "aw=="}


ASKED = Asks(3, kv.Get(b"p", b"k"), "")


def test_a_line_opens_effects_of_several_tasks() -> None:
    found = read_message(opens(get(3, ""), get(4, "2.1")), 1, 3)
    assert found == Opens((("", ASKED), ("2.1", Asks(4, kv.Get(b"p", b"k"), ""))))
    assert read_message(opens(), 1, 3) == Opens(())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (opens(get(4, "1")), 'expected "effect": 3'),
        (opens(get(3, "1"), get(3, "2")), 'expected "effect": 4'),
        (opens(get(3, "1"), get(4, "1")), "one for each task"),
        (opens(get(3, "x")), "expected a path"),
        (opens(get(3, "1.")), "expected a path"),
        (opens({"effect": 3, "task": "1", "op": "got"}), "expected one of get"),
        (opens({"effect": 3, "op": "get"}), '"task"'),
        (b'{"flow": 1, "opens": [1]}', "expected a list of effects"),
        (b'{"flow": 1, "opens": null}', "expected a list of effects"),
        (b'{"flow": 1, "opens": {"effect": 3, "task": "1", "op": "now"}}', "expected a list of effects"),
    ],
)
def test_effects_that_make_no_sense_are_refused(line: bytes, said: str) -> None:
    with pytest.raises(Nonsense) as refused:
        read_message(line, 1, 3)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("line", "open_tasks", "said"),
    [
        (Opens(()), [], "neither asks for an effect nor ends"),
        (Returns(None), ["1", "2"], "2 effects are open"),
        (Raises("panic", None, "", ""), ["1"], "1 effect is open"),
        (ASKED, ["1"], "wait for all tasks"),
    ],
)
def test_a_flow_that_leaves_goroutines_behind_is_refused(
    line: Opens | Returns, open_tasks: list[str], said: str
) -> None:
    with pytest.raises(Nonsense, match=said):
        _fits(line, open_tasks)
