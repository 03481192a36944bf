"""Flows that loop: their automata against the machines that they run, the search against the explicit graph, and faults
planted in the comparison of states."""

import gc
import itertools
import threading
from random import Random

import attrs
import numpy as np
import pytest

from lakeproof import Call, Env, Scenario, Terminates, kv
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION
from lakeproof.search import bytecode, contents, packing, suspended
from lakeproof.search.automaton import Automaton
from lakeproof.search.by_level import GivesWay, Plan
from lakeproof.search.execution import Program
from lakeproof.search.loops import LoopingSearch
from lakeproof.search.packing import Visited, lay_out
from lakeproof.search.search import Limits, Options, search
from lakeproof.search.setup import prepare
from lakeproof.search.trie import Trie
from tests.differential.explicit import Made, made, never
from tests.differential.loops import (
    KEEPERS,
    Answer,
    Keeper,
    Machine,
    Op,
    in_a_local,
    in_a_loop,
    in_a_record,
    in_a_repeat,
    in_an_iterator,
    in_what_a_handler_reads,
    in_what_is_shared,
    machine,
)
from tests.search.agreement import in_parts


def _reply(op: Op, answer: Answer) -> object:
    """What a store says for this answer."""
    match op.kind, answer:
        case "get", None:
            return kv.NotFound()
        case "get", bytes() as value:
            return kv.ValueWithPredicate(value, value)
        case _, False:
            return kv.PredicateFailed()
    return None


def differences(keeper: Keeper, m: Machine) -> list[str]:
    """How the automaton of a flow differs from the machine that it runs: whatever a store could answer is answered."""
    automaton = Automaton(Trie(Program("a", (Call(keeper, m),)), {}, 0))
    states: dict[int, tuple[int, bool]] = {automaton.root: (0, False)}
    nodes = {state: node for node, state in states.items()}
    found, waiting = [], [automaton.root]
    while waiting:
        node = waiting.pop()
        at, _ = states[node]
        for answer in m.ops[at].answers():
            child, after = automaton.child(node, _reply(m.ops[at], answer)), (m.after(at, answer), True)
            if states.setdefault(child, after) != after:
                found.append(f"states {states[child]} and {after} are taken for one")
            elif nodes.setdefault(after, child) != child:
                found.append(f"state {after} is taken for two")
            elif child not in waiting and after[0] >= 0 and not automaton.nodes[child].children:
                waiting.append(child)
    return found


def wrong_automata(seeds: range, keepers: tuple[Keeper, ...] = KEEPERS) -> list[str]:
    """What automata say otherwise than their machines."""
    return [
        f"{seed}, {keeper.__name__}: {wrong}"
        for seed in seeds
        for keeper in keepers
        for wrong in differences(keeper, machine(Random(seed)))
    ]


@pytest.mark.parametrize("seeds", in_parts(range(12), 4, deep=range(1_000, 1_100)))
def test_automata_are_the_machines_that_flows_run(seeds: range) -> None:
    """However a flow keeps its state: different states stay apart, and equal ones are one."""
    assert wrong_automata(seeds) == []


PLANTED = {
    "an iterator's position is ignored": (in_an_iterator, in_a_loop),
    "how often a repeat goes on is ignored": (in_a_repeat,),
    "sharing is ignored": (in_what_is_shared,),
    "a live local is called dead": (in_a_local,),
    "what a handler reads is called dead": (in_what_a_handler_reads,),
    "the stack is ignored": (in_a_loop,),
    "what records hold is ignored": (in_a_record,),
}


@pytest.fixture(params=PLANTED)
def planted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Keeper, ...]:
    """A comparison with this fault in it: the flows that show it."""
    match request.param:
        case "an iterator's position is ignored":
            shown = contents.parts_of

            def without_position(value: object) -> contents.Shown:
                (head, parts), iterates = shown(value), type(value).__name__.endswith("iterator")
                return head, parts[:2] if iterates else parts

            monkeypatch.setattr(suspended, "parts_of", without_position)
            monkeypatch.setattr(suspended, "_counts", lambda *_: ())  # where a loop has no iterator
        case "what records hold is ignored":
            monkeypatch.setattr(suspended, "identity", type)
        case "how often a repeat goes on is ignored":
            monkeypatch.setitem(contents._SHOWN, itertools.repeat, lambda value: ("repeat", gc.get_referents(value)))
        case "sharing is ignored":
            monkeypatch.setattr(suspended._LockstepWalk, "_numbered", lambda walk, one, other: False)
        case "a live local is called dead":
            live = bytecode.live_locals
            dead = {in_a_local.__code__}
            monkeypatch.setattr(
                suspended, "live_locals", lambda code, at: frozenset() if code in dead else live(code, at)
            )
        case "what a handler reads is called dead":
            monkeypatch.setattr(bytecode, "_handlers", lambda code, at: ())
            monkeypatch.setattr(bytecode, "_live", bytecode._live.__wrapped__)  # it has kept what it found before
        case "the stack is ignored":
            slots = suspended._slots
            monkeypatch.setattr(suspended, "_slots", lambda *given: (slots(*given)[0], slots(*given)[1][-1:]))
            monkeypatch.setattr(suspended, "_counts", lambda *_: ())
    return PLANTED[request.param]


def test_faults_of_the_comparison_are_found(planted: tuple[Keeper, ...]) -> None:
    for keeper in planted:
        assert any(wrong_automata(range(seed, seed + 1), (keeper,)) for seed in range(60)), keeper.__name__


def disagreements(each: Made, options: Options) -> list[str]:
    """What the search says otherwise than the explicit graph."""
    result = LoopingSearch(Plan(setting=prepare(each.scenario()), options=options)).run()
    assert not isinstance(result, GivesWay)
    said: list[tuple[object, object, str]] = []
    for name, steps in each.lengths.items():
        finding = next(finding for finding in result.findings if finding.id == name)
        found = len(finding.counterexample.moves) if finding.counterexample else None
        said += [("holds" if steps is None else "violated", finding.verdict, name), (steps, found, f"{name}: steps")]
    if not options.symmetry and all(steps is None for steps in each.lengths.values()):
        said.append((len(each.states), result.states, "states"))
    return [f"{what}: {expected}, searched {found}" for expected, found, what in said if expected != found]


def check(seeds: range, *, twins: bool = False, faulty: bool = False, symmetry: bool = False) -> list[str]:
    sets = ((seed, made(seed, twins=twins, faulty=faulty)) for seed in seeds)
    options = Options(symmetry=symmetry)
    return [f"made({seed}): {wrong}" for seed, each in sets if each for wrong in disagreements(each, options)]


@pytest.mark.parametrize("seeds", in_parts(range(30), 10, deep=range(1_000, 1_100)))
def test_loops_agree_with_the_explicit_graph(seeds: range) -> None:
    assert check(seeds) == []


@pytest.mark.parametrize("seeds", in_parts(range(24), 8, deep=range(1_000, 1_150)))
def test_loops_with_faults_and_monitors_agree_with_the_explicit_graph(seeds: range) -> None:
    assert check(seeds, faulty=True) == []


@pytest.mark.parametrize("seeds", in_parts(range(24), 8, deep=range(1_000, 1_150)))
def test_loops_of_twins_that_stand_for_each_other_agree_with_the_explicit_graph(seeds: range) -> None:
    assert check(seeds, twins=True, faulty=True, symmetry=True) == []


def test_a_search_notices_that_a_flow_loops() -> None:
    """Graded, it would have no end."""
    each = next(each for seed in range(99) if (each := made(seed)) is not None and each.steps is None)
    result = search(each.scenario(), Limits(seconds_max=60), Options(merge=True, symmetry=False))
    assert (result.complete, result.states) == (True, len(each.states))


def test_a_visited_set_is_exact_under_collisions_and_layouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fingerprints of two bits: most rows share theirs with others."""
    monkeypatch.setattr(packing, "fingerprint", lambda words: words[0] & np.uint64(3))
    narrow, wide = lay_out([40, 40], [0, 1]), lay_out([50, 60], [0, 1])
    random = np.random.default_rng(1)
    visited, known = Visited(narrow), set[tuple[int, int]]()
    for turn in range(60):
        layout = wide if turn > 30 else narrow
        rows = list(dict.fromkeys((int(a), int(b)) for a, b in random.integers(0, 12, (int(random.integers(1, 9)), 2))))
        words = [np.array(part, np.uint64) for part in zip(*(layout.pack(row) for row in rows), strict=True)]
        met = visited.contains(words, layout)
        assert met.tolist() == [row in known for row in rows]
        visited.add([word[~met] for word in words], layout)
        known.update(rows)
    assert len(known) > 100


async def counting(env: Env) -> None:
    tries = 0
    while not await env.store.try_set_if(b"p", b"lock", b"%d" % tries, None):
        tries += 1


async def minting(env: Env) -> None:
    while not await env.store.try_set_if(b"p", b"lock", b"a", None):
        await env.store.set(b"p", env.ids.unique("try").encode(), b"")


async def locking(env: Env) -> None:
    lock = threading.Lock()
    while not await env.store.try_set_if(b"p", b"lock", b"a", None):
        with lock:
            pass


async def numbering(env: Env) -> None:
    for _ in itertools.count():
        if await env.store.try_set_if(b"p", b"lock", b"a", None):
            return


async def holding(env: Env) -> None:
    await env.store.set(b"p", b"lock", b"held")


GROWS = {
    counting: "`tries` differs in every round",
    minting: "minting() takes a fresh identifier in every round; they are not renamed: one is in the name of a key",
    numbering: "numbering() holds an itertools.count, which is another one in every round",
    locking: "; `lock` of locking holds a _thread.lock, which shows nothing of itself",
}


@pytest.mark.parametrize("flow", GROWS, ids=lambda flow: flow.__name__)
def test_what_grows_is_named(flow: Keeper) -> None:
    """Such a loop is no proof of anything."""
    scenario = Scenario(name="x", clients=[[Call(flow)]], setup=[Call(holding)], invariants=[Terminates(flow)])
    result = search(scenario, Limits(steps_max=40))
    verdicts = {each.id: each.verdict for each in result.findings}
    assert GROWS[flow] in result.stopped
    assert verdicts == {f"{flow.__name__}-terminates": "inconclusive", NO_UNHANDLED_EXCEPTION: "inconclusive"}
    assert GROWS[flow] in search(attrs.evolve(scenario, invariants=[NEVER]), Limits(steps_max=40)).stopped


def test_what_grows_is_named_long_before_such_a_search_ends() -> None:
    lines: list[str] = []
    clients = [[Call(counting)], [Call(counting)]]
    scenario = Scenario(name="x", clients=clients, setup=[Call(holding)], invariants=[NEVER])
    search(scenario, Limits(steps_max=70), progress=lambda *line: lines.append(line[3]))
    assert "" in lines
    assert GROWS[counting] in lines[-1]


async def ticketing(env: Env) -> None:
    """Its locals come back in each round; the ticket in the store never does."""
    while True:
        held = await env.store.find(b"p", b"ticket")
        await env.store.set(b"p", b"ticket", b"%d" % (int(held.value) + 1 if held else 0))


async def producing(env: Env) -> None:
    while True:
        await env.channel("inbox").send(b"x")


@pytest.mark.parametrize(("flow", "where"), [(ticketing, "p/ticket"), (producing, "channel inbox")])
def test_what_grows_outside_of_the_flows_is_named(flow: Keeper, where: str) -> None:
    result = search(Scenario(name="x", clients=[[Call(flow)]], invariants=[NEVER]), Limits(steps_max=200))
    assert f"; {where} has had " in result.stopped


async def alternating(env: Env) -> None:
    while True:
        for key in (b"lock", b"other"):
            if await env.store.try_set_if(b"p", key, b"a", b"nothing"):
                return


def test_a_loop_is_no_proof_where_the_interpreter_hides_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Since Python 3.15 it has no iterator, but a number in a frame; who knows where in 3.16."""
    monkeypatch.setattr(suspended, "_has_iterators", lambda: False)
    monkeypatch.setattr(suspended, "_reads_numbers", lambda: False)
    scenario = Scenario(name="x", clients=[[Call(alternating)]], invariants=[NEVER])
    result = search(scenario, Limits(steps_max=40))
    assert {each.verdict for each in result.findings} == {"inconclusive"}
    assert "; alternating() has a loop, and Python 3." in result.stopped


NEVER = never(((), (9,)))


async def increment(env: Env) -> int:
    """As people write it: the number of tries has no bound."""
    while True:
        found = await env.store.find(b"p", b"n")
        number = int(found.value) if found else 0
        if await env.store.try_set_if(b"p", b"n", b"%d" % (number + 1), found.predicate if found else None):
            return number + 1


async def poll(env: Env) -> None:
    while await env.store.find(b"p", b"n") is None:
        pass


async def poll_for_ever(env: Env) -> None:
    for _ in itertools.repeat(None):
        for _ in iter(int, 1):
            if await env.store.find(b"p", b"n") is not None:
                return


async def poll_together(env: Env) -> None:
    while True:
        async with env.parallel() as group:
            one, other = (group.start(env.store.find, b"p", b"n") for _ in range(2))
        if one.value is not None and other.value is not None:
            break


def test_a_loop_over_a_group_is_back_after_one_round() -> None:
    """At first, with both reads open, nothing has begun; then that again, and each read alone: that the group of the
    first round is another one than that of each later round makes no more states."""
    result = search(Scenario(name="x", clients=[[Call(poll_together)]], invariants=[Terminates(poll_together)]))
    assert result.states == 4
    [found] = [each.counterexample for each in result.findings if each.counterexample]
    assert (found.loop, len(found.moves)) == (1, 3)


async def poll_by_scanning(env: Env) -> None:
    while not [entry async for entry in env.store.scan(b"p", b"")]:
        pass


@pytest.mark.parametrize(
    "flow", [increment, poll, poll_for_ever, poll_together, poll_by_scanning], ids=lambda flow: flow.__name__
)
def test_loops_as_people_write_them_are_proved(flow: Keeper) -> None:
    scenario = Scenario(name="x", clients=[[Call(flow)], [Call(increment)]], invariants=[Terminates(flow)])
    for invariants in ([Terminates(flow)], [NEVER]):
        result = search(attrs.evolve(scenario, invariants=invariants), Limits(seconds_max=60))
        assert result.complete
        assert {each.verdict for each in result.findings} == {"holds"}
