"""What user code does must not become a verdict by accident: files that once ended in `holds` on something false."""

from pathlib import Path

import pytest

from tests.edge.files import refused, run, verify

pytestmark = pytest.mark.usefixtures("in_tmp_path")


class TestForeignAwaits:
    """A flow that awaits what is no effect would never run what stands behind it."""

    @pytest.mark.parametrize(
        ("awaits", "named"),
        [
            ("await asyncio.sleep(0)", "asyncio.sleep"),
            ("await bare()", "bare"),
            ("await trio.lowlevel.cancel_shielded_checkpoint()", "trio.cancel_shielded_checkpoint"),
            ("await asyncio.Future(loop=LOOP)", "Future"),
            ("await Yields(7)", "which yielded 7"),
        ],
    )
    def test_it_is_named_with_its_line(self, awaits: str, named: str) -> None:
        ran = verify(f"""
import asyncio, types, trio
LOOP = asyncio.new_event_loop()
@types.coroutine
def bare():
    yield
class Yields:
    def __init__(self, what): self.what = what
    def __await__(self): yield self.what
async def flow(env):
    await env.store.set(P, K, b"1")
    {awaits}
    await env.store.set(P, K, b"wrong")
def never(snapshot):
    yield Violation("never", "") if snapshot.store.get((P, K)) == b"wrong" else Reached("")
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[Always(id="never", meaning="", check=never)])]
""")
        line = Path("mine.py").read_text().splitlines().index(f"    {awaits}") + 1
        refused(ran, f"mine.py:{line}", named, "env.store")

    def test_asyncio_gather_is_a_counterexample_or_an_error_and_never_holds(self) -> None:
        ran = verify("""
import asyncio
async def flow(env):
    await asyncio.gather(touch(env), touch(env))
SCENARIOS = [Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY])]
""")
        assert ran.code in (1, 2)

    def test_the_other_scenarios_of_the_file_have_their_verdicts(self) -> None:
        ran = verify("""
import asyncio
async def flow(env):
    await asyncio.sleep(0)
SCENARIOS = [
    Scenario(name="s", clients=[[Call(flow)]], invariants=[ANY]),
    Scenario(name="t", clients=[[Call(touch)]], invariants=[ANY]),
]
""")
        assert ran.code == 2
        assert ran.verdict("any", "t") == "holds"
        assert ran.verdict("any", "s") == "inconclusive"


PAIRS = """
@attrs.frozen
class Careless:
    name: str
    size: int = attrs.field(eq=False)
@dataclasses.dataclass(frozen=True)
class Hidden:
    name: str
    size: int = dataclasses.field(compare=False, default=0)
class Agrees:
    def __init__(self, size): self.size = size
    def __eq__(self, other): return True
    def __hash__(self): return 1
    def __repr__(self): return f"Agrees({self.size})"
PAIRS = [
    (1, True), (0, False), (1, 1.0), (0.0, -0.0), (Careless("a", 1), Careless("a", 2)),
    (Hidden("a", 1), Hidden("a", 2)), (Agrees(1), Agrees(2)), ((1, (0,)), (1, (False,))),
    (frozenset({1}), frozenset({True})),
]
def same(value, other):
    one, two = ((type(it), repr(it), getattr(it, "size", 0)) for it in (value, other))
    return one == two
"""


class TestIdentity:
    """Values are keys by type and bits: what ``==`` takes for equal is told apart."""

    def test_calls_with_arguments_that_compare_equal_are_two_programs(self) -> None:
        ran = verify(
            PAIRS
            + """
async def flow(env, value):
    await env.store.set(P, repr(value).encode() or b"x", b"1")
def both(snapshot):
    yield Violation("both", "") if len(snapshot.store) == 2 else Reached("")
SCENARIOS = [
    Scenario(
        name=f"s{n}", clients=[[Call(flow, one)], [Call(flow, other)]], expect={"both": "violated"},
        invariants=[Always(id="both", meaning="", check=both)],
    )
    for n, (one, other) in enumerate(PAIRS)
    if repr(one) != repr(other)
] + [
    Scenario(
        name="options", clients=[[Call(flow, value=1)], [Call(flow, value=True)]], expect={"both": "violated"},
        invariants=[Always(id="both", meaning="", check=both)],
    )
]
"""
        )
        assert ran.code == 0, ran.stdout

    def test_results_that_compare_equal_are_two_results(self) -> None:
        """A client returns one of a pair, whichever of two branches it took; the branches are merged otherwise."""
        ran = verify(
            PAIRS
            + """
async def flow(env, one, other):
    try:
        await env.store.get(P, K)
    except kv.NotFound:
        return one
    return other
def invariants(one, other):
    def never(wrong):
        def check(snapshot):
            for call in snapshot.calls("flow"):
                if call.status is Status.OK:
                    yield Violation("x", "") if same(call.value, wrong) else Reached("")
        return check
    reads = frozenset({Reads.CLIENTS})
    return [
        Always(id="never-one", meaning="", check=never(one), reads=reads),
        Always(id="never-other", meaning="", check=never(other), reads=reads),
    ]
SCENARIOS = [
    Scenario(
        name=f"s{n}", clients=[[Call(flow, one, other)], [Call(touch)]], invariants=invariants(one, other),
        expect={"never-one": "violated", "never-other": "violated"},
    )
    for n, (one, other) in enumerate(PAIRS)
]
"""
        )
        assert ran.code == 0, ran.stdout

    def test_states_of_monitors_that_compare_equal_are_two_states(self) -> None:
        ran = verify(
            PAIRS
            + """
def monitor(one, other):
    def advance(state, event):
        if isinstance(event, Invoked) and state == "start":
            return one if event.client == 0 else other, ()
        return state, ()
    def at_end(state, snapshot):
        yield Violation("m", "") if same(state, other) else Reached("")
    return Monitor(id="m", meaning="", initial="start", advance=advance, at_end=at_end)
SCENARIOS = [
    Scenario(
        name=f"s{n}", clients=[[Call(touch)], [Call(touch, 2)]], invariants=[monitor(one, other)],
        expect={"m": "violated"},
    )
    for n, (one, other) in enumerate(PAIRS)
    if not isinstance(one, type(PAIRS[6][0]))
]
"""
        )
        assert ran.code == 0, ran.stdout

    def test_a_monitor_whose_state_is_the_word_dead_goes_on(self) -> None:
        ran = verify("""
def advance(state, event):
    if isinstance(event, Returned) and state == "dead":
        return state, (Violation("m", "a call returned"),)
    return "dead", ()
DEAD = Monitor(id="m", meaning="", initial="dead", advance=advance)
SCENARIOS = [Scenario(name="s", clients=[[Call(touch)]], invariants=[DEAD])]
""")
        assert (ran.code, ran.verdict("m")) == (1, "violated")


class TestClock:
    """A *step* invariant judges a transition at the time of its state."""

    def test_what_is_written_after_a_jump_is_dated_after_it(self) -> None:
        ran = verify("""
START, JUMP = 1_700_000_000_000_000, 5_000_000
async def put(env):
    await env.objects.put("a", b"1")
def late(transition):
    wrong = transition.after.objects["a"].last_modified > START
    yield Violation("never-late", "") if wrong else Reached("")
def early(transition):
    wrong = transition.after.objects["a"].last_modified == START
    yield Violation("never-early", "") if wrong else Reached("")
def told(transition):
    yield Violation("now-stands-still", "") if transition.before.now > START else Reached("")
watches = lambda name, op: isinstance(op, objects.Put)
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(put)]], faults=Faults(clock_jumps=(JUMP,)),
        invariants=[OnStep(id=f.__name__, meaning="", check=f, watches=watches) for f in (late, early, told)],
        expect={"late": "violated", "early": "violated", "told": "violated"},
    )
]
""")
        assert ran.code == 0, ran.stderr

    def test_a_request_that_has_expired_changes_nothing(self) -> None:
        ran = verify("""
START, JUMP = 1_700_000_000_000_000, 5_000_000
async def put(env):
    try:
        await env.objects.put("a", b"1", not_after=START + 1)
    except objects.Expired:
        pass
def expires(transition):
    yield Violation("e", "") if isinstance(transition.reply, objects.Expired) else Reached("")
watches = lambda name, op: isinstance(op, objects.Put)
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(put)]], faults=Faults(clock_jumps=(JUMP,)), expect={"e": "violated"},
        invariants=[OnStep(id="e", meaning="", check=expires, watches=watches)],
    )
]
""")
        assert ran.code == 0, ran.stderr

    def test_reading_the_clock_can_be_watched(self) -> None:
        ran = verify("""
from lakeproof.impl.effects import Now
START, JUMP, SKEW = 1_700_000_000_000_000, 5_000_000, 7
async def tell(env):
    return await env.clock.now()
def skewed(transition):
    yield Violation("n", "") if transition.reply == START + JUMP + SKEW else Reached("")
SCENARIOS = [
    Scenario(
        name="s", clients=[[Call(tell)]], faults=Faults(clock_jumps=(JUMP,), clock_skew=(SKEW,)),
        expect={"n": "violated"},
        invariants=[OnStep(id="n", meaning="", check=skewed, watches=lambda name, op: isinstance(op, Now))],
    )
]
""")
        assert ran.code == 0, ran.stderr


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

    @pytest.mark.parametrize("ends", ["sys.exit(0)", "os._exit(0)", "os.execv('/bin/true', ['true'])"])
    def test_a_file_that_ends_the_process_when_it_is_loaded(self, ends: str) -> None:
        ran = verify(f"import os, sys\n{ends}\nSCENARIOS = []\n")
        assert ran.code == 2
        assert len(ran.complaints) == 1

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
